"""A big log gives what a small one gives, at the places where it stands, in memory that does not grow with it."""

from __future__ import annotations

import tracemalloc
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, cast

import pytest

from errors_core.diagnosis.signatures import builtin_signatures
from errors_core.readers.launcher_log import read_launcher_log
from errors_core.readers.log_selection import BIG, FIRST_LINES, LAST_LINES, STRUCTURE, select_lines
from errors_core.readers.scanner import scanner_for
from tests.errors_core.readers.launcher_reading import facts, read_bytes

DATA = Path(__file__).parents[2] / "data"
LOGS = [*sorted((DATA / "torchrun").glob("*/launcher.log")), *sorted((DATA / "versions").glob("*/*.log"))]
PROGRESS = b"2026-12-01 05:30:11 loss 0.123 lr 0.001 tokens/s 12345 memory 41.2 GB\n"
NOISE = PROGRESS * (BIG // len(PROGRESS) + 1)


class LongStream:
    """So many megabytes of progress, then a launcher's log: as much of a stream as a reader needs."""

    def __init__(self, megabytes: int, end: bytes) -> None:
        self._left = megabytes
        self._buffer = BytesIO()
        self._end = end

    def read(self, size: int) -> bytes:
        data = self._buffer.read(size)
        if data or not self._left:
            return data
        self._left -= 1
        self._buffer = BytesIO(NOISE if self._left else NOISE + self._end)
        return self._buffer.read(size)


@pytest.mark.parametrize("path", LOGS, ids=[str(path.relative_to(DATA)) for path in LOGS])
def test_a_big_log_gives_what_a_small_one_gives(path: Path) -> None:
    small = path.read_bytes()
    assert facts(read_bytes(NOISE + small + NOISE)) == facts(read_bytes(small))


def test_the_places_of_a_big_log_are_those_of_its_own_lines() -> None:
    small = (DATA / "torchrun" / "two_node" / "node1" / "launcher.log").read_bytes()
    before = NOISE.count(b"\n")
    lines = {seen.place.line for seen in read_bytes(small).sightings}
    assert {(seen.place.line or 0) - before for seen in read_bytes(NOISE + small).sightings} == lines


def test_memory_does_not_grow_with_the_log() -> None:
    end = (DATA / "torchrun" / "two_node" / "node1" / "launcher.log").read_bytes()
    peaks = []
    for megabytes in (2, 8):
        stream = cast("BinaryIO", LongStream(megabytes, end))
        tracemalloc.start()
        reading = read_launcher_log(stream, "launcher.log", builtin_signatures())
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert facts(reading) == facts(read_bytes(end))
    assert peaks[1] < peaks[0] * 1.5


def test_every_line_of_a_small_log_is_read_with_its_number() -> None:
    data = b"a\n\nb\r\nc"
    assert list(select_lines(BytesIO(data), ())) == [(1, b"a"), (2, b""), (3, b"b\r"), (4, b"c")]


def test_the_structural_expressions_have_names_of_their_own_and_can_be_scanned_for() -> None:
    names = [pattern.id for pattern in STRUCTURE]
    assert len(names) == len(set(names))
    assert not {entry.id for entry in builtin_signatures()} & set(names)
    line = b"E1201 x api.py:1002] failed (exitcode: 1) local_rank: 2 (pid: 22770) of binary: /opt/venv/bin/python\n"
    assert "line:failed" in {hit.id for hit in scanner_for(STRUCTURE).lines(line)}


@pytest.mark.parametrize(
    "line",
    [
        "[rank0]:I1201 05:30:11.1 ProcessGroupNCCL.cpp:2070] [PG ID 0 Rank 0] ProcessGroupNCCL created",
        "[default3]:2026-12-01 05:30:11,123 INFO train step=12 loss=0.5 param Group 0 lr=3.00e-04",
        "INFO data Received batch 12 of 900, Got 15 shards in 0.3 s",
        "rank 3: validation error: none, Status - fine, job is running",
    ],
)
def test_a_word_of_healthy_logs_sets_no_expression_to_work(line: str) -> None:
    assert scanner_for((*builtin_signatures(), *STRUCTURE)).candidates(line.encode()) == []


def test_a_log_of_nothing_but_errors_is_read_in_part_and_says_so() -> None:
    line = b"[rank%d]: RuntimeError: Connection closed by peer [127.0.0.1]:1192\n"
    reading = read_bytes(b"".join(line % (number % 64) for number in range(FIRST_LINES + LAST_LINES + 5_000)))
    assert [problem.path for problem in reading.problems] == ["launcher.log"]
    assert {seen.rank for seen in reading.sightings} == set(range(64))
    assert all(len(seen.hits) <= 30 for seen in reading.sightings)
