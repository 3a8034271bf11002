from __future__ import annotations

import io
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errors_core.readers import windows
from errors_core.readers.scanner import Pattern, scanner_for
from errors_core.readers.stretches import RawLine
from errors_core.readers.windows import interesting_lines

SCANNER = scanner_for([Pattern("error", "needle"), Pattern("opening", "Traceback")])
FILLER = b"step 12 loss 0.5 and some more words to fill the line\n"


LEAST = {b"needle\n": 20, b"Traceback\n": 100}
MOST = {b"needle\n": 20, b"Traceback\n": 400}


def lines_of(data: bytes) -> list[RawLine]:
    return list(interesting_lines(io.BytesIO(data), SCANNER, frozenset(["opening"])))


@given(st.lists(st.sampled_from([b"", b"needle", b"x", b"Traceback"]), max_size=60))
@settings(deadline=None)
def test_a_small_log_comes_whole(parts: list[bytes]) -> None:
    data = b"\n".join(parts)
    expected = data.split(b"\n")
    if expected[-1] == b"":
        expected.pop()
    assert lines_of(data) == [RawLine(i, line) for i, line in enumerate(expected, 1)]


def test_of_a_long_log_the_surroundings_of_hits_and_the_end_come() -> None:
    data = FILLER * 20_000 + b"a needle\n" + FILLER * 20_000
    numbers = [line.number for line in lines_of(data)]
    assert numbers[:23] == list(range(19_999, 20_022))
    assert numbers[-1] == 40_001
    assert len(numbers) < 2_000


@pytest.mark.parametrize(
    ("frames", "behind"),
    [
        (b"", 100),
        (b'  File "train.py", line 3, in main\n' * 30, 130),
        (FILLER * 200 + "│ train.py:3 in main\n".encode() + FILLER * 100 + b'  File "train.py"\n', 400),
    ],
)
def test_behind_what_begins_something_more_lines_come_until_long_after_the_last_frame(
    frames: bytes, behind: int
) -> None:
    data = FILLER * 20_000 + b"Traceback\n" + frames + FILLER * 20_000
    numbers = [line.number for line in lines_of(data)]
    assert numbers[: 3 + behind] == list(range(19_999, 20_002 + behind))
    assert numbers[3 + behind] > 20_002 + behind


def test_numbers_and_lines_are_those_of_the_log() -> None:
    data = b"".join(b"line %d needle\n" % i if i % 997 == 0 else b"line %d\n" % i for i in range(1, 90_000))
    for line in lines_of(data):
        assert line.data.split()[1] == b"%d" % line.number


@given(st.integers(0, 2**32), st.sampled_from([0.0005, 0.01, 0.3]))
@settings(deadline=None, max_examples=25)
def test_what_comes_is_what_stands_around_every_hit_and_at_the_end(seed: int, share: float) -> None:
    dice = random.Random(seed)
    words = [b"needle\n", b"Traceback\n"]
    lines = [dice.choice(words) if dice.random() < share else FILLER for _ in range(12_000)]
    behind = {n for i, line in enumerate(lines, 1) if line in words for n in range(i, i + LEAST[line] + 1)}
    most = {n for i, line in enumerate(lines, 1) if line in words for n in range(i, i + MOST[line] + 1)}
    before = {n for i, line in enumerate(lines, 1) if line in words for n in (i - 2, i - 1)}
    end = set(range(len(lines) - 64 * 1024 // len(words[0]), len(lines) + 1))
    inside = range(1, len(lines) + 1)
    found = [line.number for line in lines_of(b"".join(lines))]
    assert found == sorted(set(found))
    assert behind.intersection(inside) <= set(found) <= (most | before | end).intersection(inside)


def test_a_hit_at_the_start_of_a_block_has_its_surroundings() -> None:
    block = FILLER * (256 * 1024 // len(FILLER))
    data = block + b"f" * (256 * 1024 - len(block) - 1) + b"\nneedle\n" + FILLER * 20_000
    numbers = [line.number for line in lines_of(data)]
    assert block.count(b"\n") + 2 in numbers


def test_of_too_many_lines_the_first_and_the_last_come() -> None:
    count = windows._BUDGET + windows._LAST + 5_000
    numbers = [line.number for line in lines_of(b"a needle\n" * count)]
    assert len(numbers) == windows._BUDGET + windows._LAST
    assert (numbers[0], numbers[-1]) == (1, count)
