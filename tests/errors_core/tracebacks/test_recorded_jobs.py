"""Every traceback of the recorded jobs: the right type, words and place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from errors_core.job import ErrorSummary, Place
from errors_core.prefixes import strip_prefixes
from errors_core.tracebacks import find_tracebacks, summarise

DATA = Path(__file__).parents[2] / "data"


class Expected(NamedTuple):
    job: str
    rank: int
    title: str
    function: str
    line: int


ORIGINS = [
    Expected("exc_one", 2, "IndexError: list index out of range", "parse_shard", 26),
    Expected("cascade", 3, "IndexError: list index out of range", "parse_shard", 26),
    Expected("dl_exc", 1, "ValueError: corrupt sample 13: expected 3 channels, got 4", "__getitem__", 39),
    Expected("group", 0, "FileNotFoundError: [Errno 2] No such file or directory: '/nonexistent/a.bin'", "body", 102),
    Expected("escape", 0, "RuntimeError: bad header: red [bold red]markup[/] [@click=app.quit]x[/]   end", "body", 115),
    Expected("fn_launch", 2, "ValueError: learning rate must be positive, got -0.1", "trainer", 7),
    Expected("many", 5, "ModuleNotFoundError: No module named 'flash_attn'", "body", 140),
    Expected("monbar", 0, "RuntimeError: [Rank 0]: Ranks 1 failed to pass monitoredBarrier in 4000 ms", "body", 128),
]
IN_LOGS = [
    *(case for case in ORIGINS if case.job != "fn_launch"),
    Expected("norec_exc", 2, "IndexError: list index out of range", "parse_shard", 26),
    Expected("norec_tee", 2, "IndexError: list index out of range", "parse_shard", 26),
]


def worker_file(job: str, rank: int, name: str) -> Path:
    (path,) = (DATA / "torchrun" / job).glob(f"logs/*/attempt_0/{rank}/{name}")
    return path


def from_error_file(path: Path) -> ErrorSummary:
    report = json.loads(path.read_text(encoding="utf-8"))["message"]
    found = summarise(report["extraInfo"]["py_callstack"], Place(str(path)), message=report["message"])
    assert found is not None
    return found


def from_log(path: Path) -> ErrorSummary:
    lines = path.read_bytes().decode("utf-8", "replace").split("\n")
    (span,) = find_tracebacks((i, strip_prefixes(line).text) for i, line in enumerate(lines, 1))
    found = summarise(span.text, Place(str(path), span.first_line), keep_text=True)
    assert found is not None
    return found


def check(found: ErrorSummary, case: Expected) -> None:
    frame = found.link.frame
    assert found.link.title == case.title
    assert frame is not None
    assert (frame.function, frame.line, frame.own) == (case.function, case.line, True)


@pytest.mark.parametrize("case", ORIGINS, ids=lambda case: case.job)
def test_an_error_file_tells_what_broke_and_where(case: Expected) -> None:
    check(from_error_file(worker_file(case.job, case.rank, "error.json")), case)


@pytest.mark.parametrize("case", IN_LOGS, ids=lambda case: case.job)
def test_a_worker_log_tells_what_broke_and_where(case: Expected) -> None:
    check(from_log(worker_file(case.job, case.rank, "stderr.log")), case)


@pytest.mark.parametrize("case", [case for case in ORIGINS if case.job != "fn_launch"], ids=lambda case: case.job)
def test_error_file_and_log_of_one_rank_have_equal_fingerprints(case: Expected) -> None:
    in_file = from_error_file(worker_file(case.job, case.rank, "error.json"))
    in_log = from_log(worker_file(case.job, case.rank, "stderr.log"))
    assert (in_file.exact, in_file.frames_key) == (in_log.exact, in_log.frames_key)


def test_one_error_on_all_ranks_has_one_fingerprint() -> None:
    found = {from_error_file(worker_file("many", rank, "error.json")).exact for rank in range(8)}
    assert len(found) == 1


def test_the_victims_of_one_lost_peer_have_one_fingerprint() -> None:
    assert len({from_error_file(worker_file("cascade", rank, "error.json")).exact for rank in (0, 2)}) == 1


@pytest.mark.parametrize("version", ["torch112", "torch213"])
def test_the_same_error_under_python_3_8_and_3_11_has_one_fingerprint(version: str) -> None:
    errors = [from_error_file(path) for path in (DATA / "versions" / version).rglob("2/error.json")]
    reference = next((DATA / "versions" / "torch213").rglob("keyerror_record.d/*/attempt_0/2/error.json"))
    assert {error.exact for error in errors} == {from_error_file(reference).exact}


def test_torch_1_9_wrote_only_its_own_frames() -> None:
    for path in (DATA / "versions" / "torch19").rglob("error.json"):
        report = json.loads(path.read_text(encoding="utf-8"))["message"]
        frames = "".join(report["extraInfo"]["py_callstack"])
        found = summarise(frames, Place(str(path)), message=report["message"])
        assert found is not None
        assert found.link.frame is None
        assert report["message"].startswith(found.link.title)
