"""What holds for every launcher log: nothing raises, decoration changes nothing, what stands before a cut is kept."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.errors_core.readers.launcher_reading import described, facts, find, read, read_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from errors_core.sightings import Reading

DATA = Path(__file__).parents[2] / "data"
LOGS = [
    *sorted((DATA / "torchrun").glob("*/launcher.log")),
    *sorted((DATA / "versions").glob("*/*.log")),
    *sorted((DATA / "reports").glob("*.log")),
]
WHOLE = [path.read_bytes() for path in LOGS]
PIECES = [line for data in WHOLE for line in set(data.split(b"\n"))]
DAMAGED_ALREADY = {"016", "020", "064", "096"}  # Markdown, one line, a quote on one line, a tree: not the same twice


@given(st.binary(max_size=400))
def test_no_bytes_raise(data: bytes) -> None:
    read_bytes(data)


@given(
    st.lists(
        st.one_of(
            st.sampled_from(PIECES),
            st.binary(max_size=40),
            st.builds(lambda line, cut: line[:cut], st.sampled_from(PIECES), st.integers(0, 80)),
        ),
        max_size=40,
    ),
    st.sampled_from([b"\n", b" ", b"\r\n", b"\n> ", b"\n[rank1]: ", b"\n2: "]),
)
def test_no_mixture_of_lines_raises(lines: list[bytes], joint: bytes) -> None:
    reading = read_bytes(joint.join(lines))
    last = joint.join(lines).count(b"\n") + 1
    assert all(1 <= (seen.place.line or 1) <= last for seen in reading.sightings)


DECORATIONS: dict[str, Callable[[int, str], str]] = {
    "carriage return": lambda _, line: f"{line}\r",
    "colour": lambda _, line: f"\x1b[33m{line}\x1b[0m",
    "padding": lambda _, line: f"{line:<160}",
    "counter of a viewer": lambda number, line: f"[{81000 + number}] {line}",
    "time of a platform": lambda _, line: f"2024-12-27 15:50:25 {line}",
    "time of a container": lambda _, line: f"2024-12-27T15:50:25.123456789Z {line}",
    "stderr": lambda _, line: f"stderr: {line}",
    "pod": lambda _, line: f"[pod/train-master-0/pytorch] {line}",
    "replica": lambda _, line: f"trainer/0 {line}" if line.strip() else line,
    "quote": lambda _, line: f"> {line}",
}


@pytest.mark.parametrize("decoration", DECORATIONS)
def test_a_decoration_of_every_line_changes_nothing(decoration: str) -> None:
    changed = []
    for path, data in zip(LOGS, WHOLE, strict=True):
        if path.stem in DAMAGED_ALREADY:
            continue
        lines = data.decode("utf-8", "replace").split("\n")
        text = "\n".join(DECORATIONS[decoration](number, line) for number, line in enumerate(lines))
        if without_hosts(read(text)) != without_hosts(read_bytes(data)):
            changed.append(str(path.relative_to(DATA)))
    assert changed == []


def without_hosts(reading: Reading) -> list[str]:
    """The facts of a reading without what a decoration may truly add: where a line came from."""
    for attempt, event in list(reading.events):
        if event.kind in ("scheduler", "note"):
            reading.events.remove((attempt, event))
    return facts(reading)


TRACEBACKS = st.builds(
    lambda frames, kind, message: [
        "Traceback (most recent call last):",
        *(text for name in frames for text in (f'  File "/workspace/{name}.py", line 7, in {name}', f"    {name}()")),
        f"{kind}: {message}",
    ],
    st.lists(st.sampled_from(["main", "train", "load"]), min_size=1, max_size=3),
    st.sampled_from(["KeyError", "ValueError", "torch.OutOfMemoryError"]),
    st.sampled_from(["'x'", "bad sample 7", "CUDA out of memory. Tried to allocate 2.00 GiB"]),
)
TEXTS = st.lists(st.one_of(st.just(["step 7 loss 0.5"]), TRACEBACKS), min_size=1, max_size=3)


@pytest.mark.parametrize("prefix", ["[rank{}]: ", "[default{}]:", "[default{0}]:[rank{0}]: "])
@given(TEXTS, TEXTS, st.randoms(use_true_random=False))
def test_interleaving_the_signed_lines_of_two_ranks_changes_nothing(
    prefix: str, one: list[list[str]], two: list[list[str]], random: object
) -> None:
    first = [prefix.format(0) + line for block in one for line in block]
    second = [prefix.format(1) + line for block in two for line in block]
    mixed = interleaved(first, second, random)
    assert facts(read("\n".join(mixed))) == facts(read("\n".join(first + second)))


def interleaved(first: list[str], second: list[str], random: object) -> list[str]:
    """Merge two lists, each in its own order."""
    queues = [list(reversed(first)), list(reversed(second))]
    merged = []
    while any(queues):
        queue = queues[random.randrange(2)] or queues[0] or queues[1]  # type: ignore[attr-defined]  # hypothesis's own Random
        merged.append(queue.pop())
    return merged


@given(st.sampled_from(WHOLE), st.floats(0, 1))
def test_cutting_a_log_anywhere_loses_nothing_before_the_cut(data: bytes, share: float) -> None:
    cut = int(len(data) * share)
    complete = data[:cut].count(b"\n")
    kept = {numbers(seen) for seen in one_line(read_bytes(data[:cut]), complete)}
    assert {numbers(seen) for seen in one_line(read_bytes(data), complete)} <= kept


def one_line(reading: Reading, last: int) -> list[object]:
    """The sightings that a line up to the last one tells alone, and summary entries that end before it."""
    seen = [seen for seen in reading.sightings if seen.closings or seen.exitcode is not None]
    return [
        one
        for one in seen
        if (one.place.line or 0) + (5 if one.host is not None and one.rank is not None else 0) <= last
    ]


def numbers(seen: object) -> tuple[object, ...]:
    """What a cut may not change: who, and how it ended."""
    fact = described(seen)  # type: ignore[arg-type]  # a sighting
    return fact.rank, fact.local_rank, fact.pid, fact.exitcode, fact.closings


def test_cutting_a_log_keeps_the_errors_that_are_complete() -> None:
    text = (DATA / "versions" / "torch213" / "tee.log").read_text()
    for cut in range(0, len(text), 397):
        for rank in range(4):
            whole = [seen.error.link.title for seen in find(read(text), rank=rank) if seen.error is not None]
            mark = f"[default{rank}]:[rank{rank}]: {whole[0]}"
            if mark in text[:cut]:
                kept = [seen.error.link.title for seen in find(read(text[:cut]), rank=rank) if seen.error is not None]
                assert kept == whole


def test_two_launcher_logs_line_by_line_under_their_hosts_give_what_each_gives() -> None:
    one, two = (
        (DATA / "torchrun" / "two_node" / node / "launcher.log").read_text().splitlines() for node in ("node0", "node1")
    )
    text = "".join(
        (f"node-0: {first}\n" if first is not None else "") + (f"node-1: {second}\n" if second is not None else "")
        for first, second in zip_longest(one, two)
    )
    apart = facts(read("\n".join(one))) + facts(read("\n".join(two)))
    assert facts(read(text)) == sorted(apart)
