from __future__ import annotations

import pytest

from errors_core.readers.steps import parse_step


@pytest.mark.parametrize(
    ("line", "step"),
    [
        ("step 12 loss 0.5", 12),
        ("rank 0 step 2 loss 0.3333", 2),
        ("Epoch 1 | Step 5/100 | loss 3.1", 5),
        ("epoch 3, iter 40/100", 40),
        (" iteration      100/  500000 | consumed samples: 25600", 100),
        ("global_step=77, lr=1e-4", 77),
        ("{'loss': 0.4, 'step': 9}", 9),
        ("[train] step: [31/1000]", 31),
        ("Step 1: done, step 2: started", 1),
        ("batch 7 of 20", 7),
        (" 37%|███▋      | 37/100 [00:10<00:17,  3.6it/s]", 37),
        ("Epoch 1:  37%|███▋  | 370/1000 [00:10<00:17,  3.6it/s, loss=0.1]", 370),
    ],
)
def test_the_step_of_a_progress_line_is_read(line: str, step: int) -> None:
    assert parse_step(line) == step


@pytest.mark.parametrize(
    "line",
    [
        "",
        "max steps: 1000",
        "total steps = 500",
        "warmup_steps: 100",
        "save every step 100",
        "step time 12 ms",
        "step 12.5ms",
        "Loading checkpoint shards:  37%|███▋      | 3/8 [00:10<00:17,  3.6it/s]",
        "wandb: global_step 100",
        "footstep 3",
        "a stepladder",
    ],
)
def test_settings_and_timings_are_no_progress(line: str) -> None:
    assert parse_step(line) is None
