from __future__ import annotations

import pytest

from errors_core.tracebacks import parse_traceback, unwrap
from tests.errors_core.tracebacks import samples


def unwrapped(text: str) -> list[tuple[str | None, str]]:
    traceback = parse_traceback(text)
    assert traceback is not None
    return [(block.wrapper, block.title) for block in unwrap(traceback).chain]


def test_the_original_of_a_data_loader_worker_takes_its_place() -> None:
    assert unwrapped(samples.DATA_LOADER) == [
        ("DataLoader worker 3", "KeyError: 'size'"),
        ("DataLoader worker 3", "ValueError: bad sample 17"),
    ]


def test_a_chain_behind_the_wrapper_is_not_taken_for_a_quoted_one() -> None:
    quoted = samples.DATA_LOADER.partition("Original ")[0] + (
        "Original Traceback (most recent call last):\n"
        '  File "/env/lib/python3.11/site-packages/torch/utils/data/_utils/worker.py", line 374, in _worker_loop\n'
        "    data = fetcher.fetch(index)\n"
        "ValueError: bad sample 17\n"
    )
    text = f"{quoted}\n\nDuring handling of the above exception, another exception occurred:\n\n{samples.PLAIN}"
    assert unwrapped(text) == [
        ("DataLoader worker 3", "ValueError: bad sample 17"),
        (None, "IndexError: list index out of range"),
    ]


def test_the_original_of_a_spawned_process_takes_its_place() -> None:
    assert unwrapped(samples.SPAWN) == [("spawned process 2", "ValueError: negative rate")]


def test_a_compiler_that_repeats_its_cause_is_dropped() -> None:
    assert unwrapped(samples.COMPILE) == [(None, "AssertionError: cannot lower this")]


def test_a_compiler_that_only_quotes_words_gives_these() -> None:
    alone = samples.COMPILE.partition("following exception:\n\n")[2]
    assert unwrapped(alone) == [("torch.compile backend", "AssertionError: cannot lower this")]


def test_the_original_of_a_ray_task_takes_its_place() -> None:
    assert unwrapped(samples.RAY) == [("Ray task", "ValueError: bad shard 7")]


def test_the_original_of_a_process_pool_stands_once() -> None:
    assert unwrapped(samples.POOL) == [
        ("worker process", "KeyError: 'k'"),
        ("worker process", "ValueError: bad shard 7"),
    ]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("torch.distributed.elastic.multiprocessing.errors.ChildFailedError", ""),
        ("subprocess.CalledProcessError", "Command '['python']' returned non-zero exit status 1."),
    ],
)
def test_the_error_of_a_launcher_is_dropped_when_another_is_left(name: str, words: str) -> None:
    launcher = f'Traceback (most recent call last):\n  File "/job/l.py", line 1, in f\n    g()\n{name}: {words}'
    joined = "During handling of the above exception, another exception occurred:"
    assert unwrapped(f"{samples.PLAIN}\n\n{joined}\n\n{launcher}") == [(None, "IndexError: list index out of range")]
    assert unwrapped(launcher) == [(None, f"{name}: {words}" if words else name)]


def test_the_root_cause_that_a_launcher_quotes_takes_its_place() -> None:
    def entry(text: str) -> str:
        return "  traceback : " + text.replace("\n", "\n  ")

    other = samples.PLAIN.replace("IndexError: list index out of range", "OSError: gone")
    text = (
        'Traceback (most recent call last):\n  File "/job/l.py", line 1, in f\n    g()\n'
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
        f"=====\nt.py FAILED\n-----\nFailures:\n[1]:\n{entry(other)}\n"
        f"-----\nRoot Cause (first observed failure):\n[0]:\n{entry(samples.PLAIN)}\n====="
    )
    assert unwrapped(text)[0][1].startswith("IndexError: list index out of range")


def test_a_quoted_traceback_of_an_unknown_wrapper_is_taken_as_well() -> None:
    wrapped = (
        'Traceback (most recent call last):\n  File "/job/s.py", line 1, in f\n    g()\n'
        f"submitit.core.utils.FailedJobError: Job failed with trace:\n----------\n{samples.PLAIN}"
    )
    assert unwrapped(wrapped) == [("FailedJobError", "IndexError: list index out of range")]


def test_members_of_a_group_are_unwrapped() -> None:
    members = "\n".join(f"    | {line}" for line in samples.SPAWN.rstrip().split("\n"))
    text = (
        f"  | ExceptionGroup: one (1 sub-exception)\n  +-+---------------- 1 ----------------\n{members}\n    +------"
    )
    traceback = parse_traceback(f"  + Exception Group Traceback (most recent call last):\n{text}")
    assert traceback is not None
    (block,) = unwrap(traceback).chain
    assert block.members[0].chain[0].title == "ValueError: negative rate"


def test_what_is_no_wrapper_stays_as_it_is() -> None:
    for text in (samples.PLAIN, samples.CHAIN, samples.GROUP):
        traceback = parse_traceback(text)
        assert traceback is not None
        assert unwrap(traceback) == traceback
