from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errors_core.masking import mask, masked_values


@pytest.mark.parametrize(
    ("message", "masked"),
    [
        ("list index out of range", "list index out of range"),
        ("bad sample 17 of 4096", "bad sample <n> of <n>"),
        ("learning rate must be positive, got -0.1", "learning rate must be positive, got <n>"),
        ("loss is 1.5e-05", "loss is <n>"),
        ("'/data/train/shard_00017.tar' is broken", "'<path:shard_*.tar>' is broken"),
        ("C:\\data\\shard_1.tar is broken", "<path:shard_*.tar> is broken"),
        ("[/w/pytorch/gloo/pair.cc:553] Connection closed", "[<path:pair.cc>] Connection closed"),
        ("no file /tmp/tmpab12_x", "no file <path:tmp*>"),
        ("GET https://hub.example/api/models?x=1 failed", "GET <url> failed"),
        ("peer [127.0.0.1]:24300.", "peer <endpoint>."),
        ("peer 10.0.0.5<33117>", "peer <endpoint>"),
        ("peer [::1]:29500", "peer <endpoint>"),
        ("connect to node-a:29500", "connect to <endpoint>"),
        ("object at 0x7f12ab34", "object at <id>"),
        ("id 3f2504e0-4f89-11d3-9a0c-0305e82c3301", "id <id>"),
        ("at 2024-01-02T03:04:05.678Z", "at <time>"),
        ("after 1:02:03", "after <time>"),
        ("needs 2.00 GiB more", "needs <size> more"),
        ("Timed out waiting 8000ms for recv", "Timed out waiting <duration> for recv"),
        ("after 1800.5 seconds", "after <duration>"),
        ("shape [64, 3, 7, 7] and (4, 2)", "shape <shape:4> and <shape:2>"),
        ("multiplied (4x8 and 16x4)", "multiplied (<shape:2> and <shape:2>)"),
        ("Rank 3 cuda:1 pid 4711", "Rank <n> cuda:<n> pid <n>"),
        ("SeqNum=2680, OpType=ALLREDUCE", "SeqNum=<n>, OpType=ALLREDUCE"),
        ("'sample_00017'", "'sample_<n>'"),
        ("size mismatch for conv1.weight", "size mismatch for conv1.weight"),
    ],
)
def test_what_differs_from_worker_to_worker_is_masked(message: str, masked: str) -> None:
    assert mask(message) == masked


@pytest.mark.parametrize(
    "message",
    [
        "[Errno 28] No space left on device",
        "(errno: 98 - Address already in use)",
        "exit code 137",
        "exited with exit code -9",
        "non-zero exit status 1",
        "HTTP Error 429",
        "503 Server Error",
        "died with <Signals.SIGSEGV: 11>.",
        "Signal 9 (SIGKILL)",
        "Xid 79",
    ],
)
def test_numbers_that_carry_meaning_stay(message: str) -> None:
    assert mask(message) == message


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB",
            "CUDA out of memory. Tried to allocate <size>",
        ),
        ("Connection closed. This is typically caused by a remote worker crashing.", "Connection closed."),
        ("CUDA error: x\nCUDA kernel errors might be asynchronously reported\nFor debugging consider", "CUDA error: x"),
    ],
)
def test_advice_is_left_out(message: str, kept: str) -> None:
    assert mask(message) == kept


def test_what_was_masked_is_told_in_order() -> None:
    assert masked_values("[Errno 2] sample 17 in /data/a.tar: 2.00 GiB") == ("17", "/data/a.tar", "2.00 GiB")


@given(st.text(max_size=300))
def test_any_text_can_be_masked_and_masking_it_again_tells_no_more(text: str) -> None:
    assert isinstance(mask(text), str)
    assert len(masked_values(text)) <= len(text)


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_numbers_alone_never_tell_two_messages_apart(one: int, other: int) -> None:
    assert mask(f"sample {one} of rank {other}") == mask(f"sample {other} of rank {one}")


MASKED = {
    "GPU{}": "GPU{}",
    "fp{}": "fp{}",
    "rank {}": "rank <n>",
    "exit code: {}": "exit code: {}",
    "0x{}": "<id>",
    "{}x{}": "<shape:2>",
    "{} ms": "<duration>",
    "/tmp/x{}.pt": "<path:x*.pt>",
}
NUMBERS = st.integers(1, 99_999)


@given(st.lists(st.tuples(st.sampled_from(sorted(MASKED)), NUMBERS, NUMBERS), max_size=8))
def test_whatever_was_masked_before_each_message_keeps_its_own_digits(parts: list[tuple[str, int, int]]) -> None:
    message = " | ".join(text.format(one, other) for text, one, other in parts)
    assert mask(message) == " | ".join(MASKED[text].format(one, other) for text, one, other in parts)
