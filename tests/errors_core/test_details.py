"""What is read again about one worker."""

from __future__ import annotations

import gzip
import io
import sys
import tarfile
from pathlib import Path

import pytest

from errors_core import details
from errors_core.error_report import ErrorReport
from errors_core.job import Problem, Worker
from errors_core.load import load_job
from tests.conftest import DATA
from tests.errors_core.left_behind import NOON, report, write, write_run


def failed_worker(path: Path) -> Worker:
    job = load_job(path)
    (worker,) = [w for run in job.runs for attempt in run.attempts for w in attempt.workers if w.failed]
    return worker


def test_a_traceback_is_read_again_from_the_error_file(tmp_path: Path) -> None:
    worker = failed_worker(write_run(tmp_path / "job_a1b2c3d4", {0: report("ValueError: bad batch")}))
    text = details.read_traceback(worker)
    assert text is not None
    assert text.startswith("Traceback (most recent call last):\n")
    assert text.endswith("ValueError: bad batch\n")


def test_a_traceback_from_a_log_is_kept(tmp_path: Path) -> None:
    text = "Traceback (most recent call last):\n  File \"/w/train.py\", line 3, in f\n    g()\nKeyError: 'x'\n"
    log = write(tmp_path / "rank_3.log", text)
    worker = failed_worker(tmp_path)
    log.unlink()
    assert (details.read_traceback(worker) or "").strip() == text.strip()


def test_a_worker_without_a_traceback_has_none() -> None:
    assert details.read_traceback(Worker()) is None
    assert details.read_error_report(Worker()) is None
    assert details.read_extra_info(Worker()) == {}


def test_a_file_that_vanished_is_said_to_have(tmp_path: Path) -> None:
    path = write(tmp_path / "rank_0.json", report())
    worker = failed_worker(tmp_path)
    path.unlink()
    assert "vanished" in (details.read_traceback(worker) or "")
    problem = details.read_error_report(worker)
    assert isinstance(problem, Problem)
    assert (problem.path, "vanished" in problem.problem) == (str(path), True)
    assert details.read_extra_info(worker) == {}


@pytest.mark.parametrize("other", [report("ValueError: bad batch", NOON + 60), report("KeyError: 'x'", NOON)])
def test_a_file_that_holds_another_report_is_said_to_have_changed(tmp_path: Path, other: str) -> None:
    path = write(tmp_path / "rank_0.json", report("ValueError: bad batch"))
    worker = failed_worker(tmp_path)
    path.write_text(other)
    text = details.read_traceback(worker) or ""
    assert "changed" in text
    assert "Error:" not in text


def test_the_error_file_is_read_again_with_all_that_it_tells(tmp_path: Path) -> None:
    write(tmp_path / "rank_0.json", report(node_health="poor"))
    worker = failed_worker(tmp_path)
    again = details.read_error_report(worker)
    assert isinstance(again, ErrorReport)
    assert again.message == "ValueError: bad batch"
    assert details.read_extra_info(worker)["node_health"] == "poor"


def test_an_error_file_that_was_cut_gives_what_is_left(tmp_path: Path) -> None:
    whole = report()
    write(tmp_path / "rank_0.json", whole[: whole.index("line 12")])
    again = details.read_error_report(failed_worker(tmp_path))
    assert isinstance(again, ErrorReport)
    assert again.message == "ValueError: bad batch"


def test_members_of_archives_are_read_again(tmp_path: Path) -> None:
    archive = tmp_path / "group.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(DATA / "torchrun" / "group", ".")
    job, plain = load_job(archive), load_job(DATA / "torchrun" / "group")
    for packed_worker, worker in zip(job.runs[0].attempts[0].workers, plain.runs[0].attempts[0].workers, strict=True):
        assert details.read_traceback(packed_worker) == details.read_traceback(worker)
        assert details.read_extra_info(packed_worker) == details.read_extra_info(worker)
        for packed_log, log in ((packed_worker.stderr_log, worker.stderr_log),):
            assert packed_log is not None
            assert log is not None
            assert details.read_log_tail(packed_log).lines == details.read_log_tail(log).lines


def test_standard_input_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"one\ntwo\nthree\n")))
    load_job("-")
    assert details.read_lines_around("-", 2, before=0, after=0).lines == ("two",)


# --- logs


def numbered(tmp_path: Path, count: int) -> str:
    return str(write(tmp_path / "x.log", "".join(f"line {number}\n" for number in range(1, count + 1))))


def test_the_tail_of_a_short_log_is_all_of_it(tmp_path: Path) -> None:
    tail = details.read_log_tail(numbered(tmp_path, 3))
    assert list(tail) == ["line 1", "line 2", "line 3"]
    assert (tail.first_line, tail.truncated, tail.problem) == (1, False, None)


def test_the_tail_of_a_long_log_knows_its_line_numbers(tmp_path: Path) -> None:
    tail = details.read_log_tail(numbered(tmp_path, 200_000), max_lines=10)
    assert tail[0] == "line 199991"
    assert (len(tail), tail.first_line, tail.truncated) == (10, 199_991, True)


def test_the_tail_is_bounded_by_bytes_and_begins_with_a_whole_line(tmp_path: Path) -> None:
    path = numbered(tmp_path, 200_000)
    for size in (100, 1000, 65536):
        tail = details.read_log_tail(path, max_lines=10**6, max_bytes=size)
        assert sum(len(line) + 1 for line in tail) <= size
        assert tail[0] == f"line {tail.first_line}"
        assert tail[-1] == "line 200000"


def test_a_log_of_one_endless_line_shows_its_end(tmp_path: Path) -> None:
    path = write(tmp_path / "x.log", "progress " * 300_000 + "end")
    tail = details.read_log_tail(str(path), max_bytes=1000)
    assert len(tail) == 1
    assert tail[0].endswith("progress end")


@pytest.mark.parametrize("text", ["", "\n", "no newline at the end", "one\r\ntwo\r\n", "\n\n\n"])
def test_lines_are_those_of_the_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.log"
    path.write_bytes(text.encode())
    assert list(details.read_log_tail(str(path))) == text.splitlines()


def test_bytes_that_are_no_text_are_shown_as_replaced(tmp_path: Path) -> None:
    path = tmp_path / "x.log"
    path.write_bytes(b"ok \xff\x00 ok\n")
    assert details.read_log_tail(str(path)).lines == ("ok \ufffd\x00 ok",)


def test_a_packed_log_has_a_tail(tmp_path: Path) -> None:
    path = tmp_path / "x.log.gz"
    path.write_bytes(gzip.compress(b"".join(b"line %d\n" % number for number in range(1, 50_001))))
    tail = details.read_log_tail(str(path), max_lines=1)
    assert (tail.lines, tail.first_line) == (("line 50000",), 50_000)
    path.write_bytes(path.read_bytes()[:-2000])
    assert "damaged" in (details.read_log_tail(str(path)).problem or "")


def test_a_log_that_vanished_has_a_problem_instead_of_lines(tmp_path: Path) -> None:
    for tail in (details.read_log_tail(str(tmp_path / "x.log")), details.read_lines_around(str(tmp_path / "x"), 5)):
        assert (tail.lines, tail.first_line, tail.truncated) == ((), None, False)
        assert "vanished" in (tail.problem or "")


@pytest.mark.parametrize(
    ("line", "first", "last"), [(1, 1, 6), (3, 1, 8), (50, 45, 55), (99, 94, 100), (100, 95, 100), (104, 99, 100)]
)
def test_the_lines_around_one_are_cut_at_the_ends_of_the_log(tmp_path: Path, line: int, first: int, last: int) -> None:
    around = details.read_lines_around(numbered(tmp_path, 100), line, before=5, after=5)
    assert (around.first_line, around[0], around[-1]) == (first, f"line {first}", f"line {last}")
    assert (around.problem is None) == (line <= 100)


def test_a_line_that_is_longer_than_anybody_reads_is_cut(tmp_path: Path) -> None:
    path = write(tmp_path / "x.log", "a\n" + "b" * 5_000_000 + "\nc\n")
    around = details.read_lines_around(str(path), 3, before=2, after=0)
    assert [len(line) for line in around] == [1, 16 * 1024, 1]
