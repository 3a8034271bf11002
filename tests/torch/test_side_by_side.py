"""Our ProcessFailure, ChildFailedError, record and handlers beside torch's, over the same files."""

from __future__ import annotations

import io
import json
import os
import signal
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import errors_core
from errors_core import ChildFailedError, ErrorHandler, ProcessFailure
from errors_core.diagnosis import builtin_signatures
from errors_core.error_file import ERROR_FILE_ENV, parse_error_file, read_error_file
from errors_core.error_handler import logger
from errors_core.handlers import get_error_handler
from errors_core.readers.launcher_log import read_launcher_log
from errors_core.sightings import Sighting
from tests.torch.blocks import parse_block
from tests.torch.real import DATA, SHAPES, elastic

pytestmark = pytest.mark.torch

RECORDED = sorted(
    str(path.relative_to(DATA)) for jobs in ("torchrun", "versions") for path in (DATA / jobs).rglob("error.json")
)


def assert_alike(file: Path, exitcode: int = 1) -> None:
    """Both readers see the same in one file."""
    ours, theirs = ProcessFailure(3, 77, exitcode, str(file)), elastic.ProcessFailure(3, 77, exitcode, str(file))
    assert ours.error_file_data == theirs.error_file_data
    assert (ours.message, ours.timestamp, ours.error_file) == (theirs.message, theirs.timestamp, theirs.error_file)
    assert ours.signal_name() == theirs.signal_name()
    if ours.timestamp:
        assert ours.timestamp_isoformat() == theirs.timestamp_isoformat()


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_error_files_are_read_alike(name: str) -> None:
    assert_alike(DATA / name)


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_that_torch_accepts_is_read_alike(tmp_path: Path, shape: str) -> None:
    file = tmp_path / "error.json"
    file.write_text(json.dumps(SHAPES[shape]))
    assert_alike(file, -9)


@pytest.mark.parametrize("number", [number for number in signal.Signals if number < 32])
def test_signals_are_named_and_worded_alike(number: int) -> None:
    ours, theirs = ProcessFailure(3, 77, -number, "absent"), elastic.ProcessFailure(3, 77, -number, "absent")
    assert (ours.message, ours.signal_name()) == (theirs.message, theirs.signal_name())
    assert (ours.error_file, ours.error_file_data) == (
        theirs.error_file,
        {"message": theirs.error_file_data["message"]},
    )


def fail() -> None:
    raise ValueError("shard 7 ü \U0001f3d6 \ud83c")


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The error file that the environment arranges."""
    file = tmp_path / "error.json"
    monkeypatch.setenv(ERROR_FILE_ENV, str(file))
    return file


def test_what_our_record_writes_torch_reads(path: Path) -> None:
    before = int(time.time())
    with pytest.raises(ValueError, match="shard"):
        errors_core.record(fail)()
    theirs = elastic.ProcessFailure(3, 77, 1, str(path))
    assert theirs.message["message"] == "ValueError: shard 7 ü \U0001f3d6 \ud83c"
    assert theirs.message["extraInfo"]["py_callstack"].startswith("Traceback (most recent call last):\n")
    assert before <= theirs.timestamp <= time.time()


def test_what_torchs_record_writes_we_read(path: Path) -> None:
    with pytest.raises(ValueError, match="shard"):
        elastic.record(fail)()
    report = read_error_file(path)
    assert (report.shape, report.error_type) == ("A", "ValueError")
    assert report.message == "ValueError: shard 7 ü \U0001f3d6 \ufffd"
    assert report.traceback is not None
    assert "in fail" in report.traceback
    assert report.timestamp is not None


def test_both_records_report_the_same_message_and_frames(path: Path) -> None:
    reports = []
    for record in (errors_core.record, elastic.record):
        with pytest.raises(ValueError, match="shard"):
            record(fail)()
        reports.append(read_error_file(path))
        path.unlink()
    ours, theirs = reports
    assert (ours.message, ours.error_type, ours.shape) == (theirs.message, theirs.error_type, theirs.shape)
    assert ours.traceback is not None
    assert theirs.traceback is not None
    assert theirs.traceback.endswith(ours.traceback.partition("\n")[2])


def make_failures(kind: Callable[..., Any], tmp_path: Path, exitcodes: dict[int, int]) -> dict[int, Any]:
    """Failures of one kind: ranks with an even number left a file."""
    failures = {}
    for rank, exitcode in exitcodes.items():
        file = tmp_path / f"rank_{rank}.json"
        if rank % 2 == 0:
            extra = {
                "py_callstack": SHAPES["A"]["message"]["extraInfo"]["py_callstack"],
                "timestamp": 1796102978 + rank,
            }
            file.write_text(json.dumps({"message": {"message": f"ValueError: {rank}", "extraInfo": extra}}))
        failures[rank] = kind(rank % 4, 5000 + rank, exitcode, str(file))
    return failures


@pytest.mark.parametrize("exitcodes", [{0: 1}, {1: -9}, {6: 1, 2: -15, 4: 3}, {1: -9, 2: 1, 3: -15}, {2: -6, 8: 1}])
def test_the_blocks_are_read_alike(tmp_path: Path, exitcodes: dict[int, int]) -> None:
    ours = ChildFailedError("train.py", make_failures(ProcessFailure, tmp_path, exitcodes))
    theirs = elastic.ChildFailedError("train.py", make_failures(elastic.ProcessFailure, tmp_path, exitcodes))
    assert ours.get_first_failure()[0] == theirs.get_first_failure()[0]
    our_block, their_block = parse_block(str(ours)), parse_block(str(theirs))
    assert (our_block.title, our_block.has_no_others) == (their_block.title, their_block.has_no_others)
    assert len(our_block.entries) == len(exitcodes)
    for one, other in zip(our_block.entries, their_block.entries, strict=True):
        assert (one.number, one.is_root, one.fields.keys()) == (other.number, other.is_root, other.fields.keys())
        for name in ("rank", "exitcode", "error_file", "traceback"):
            assert one.fields[name] == other.fields[name]
        if other.fields["error_file"] != "<N/A>":
            assert one.fields["time"] == other.fields["time"]


@pytest.mark.parametrize("exitcodes", [{1: -9}, {1: -9, 3: -15}, {2: 1, 3: -15, 5: -11}])
def test_rules_and_lines_are_drawn_alike(tmp_path: Path, exitcodes: dict[int, int]) -> None:
    ours = ChildFailedError("t", make_failures(ProcessFailure, tmp_path, exitcodes))
    theirs = elastic.ChildFailedError("t", make_failures(elastic.ProcessFailure, tmp_path, exitcodes))
    ignored = ("  host ", "  time ")

    def lines(text: str) -> list[str]:
        return [line.rstrip() for line in text.splitlines() if line.strip() and not line.startswith(ignored)]

    assert lines(str(ours)) == lines(str(theirs))


@pytest.mark.parametrize("exitcodes", [{1: -9}, {1: -9, 2: 1, 3: -15}, {6: 1, 2: -15, 4: 3}])
def test_the_launcher_log_reader_sees_the_same_in_both_blocks(tmp_path: Path, exitcodes: dict[int, int]) -> None:
    readings = []
    for error, failure in ((ChildFailedError, ProcessFailure), (elastic.ChildFailedError, elastic.ProcessFailure)):
        block = str(error("train.py", make_failures(failure, tmp_path, exitcodes)))
        reading = read_launcher_log(io.BytesIO(block.encode()), "launcher.log", builtin_signatures())
        readings.append([facts_of(sighting) for sighting in reading.sightings])
    ours, theirs = readings
    assert len(ours) == len(exitcodes)
    assert ours == theirs


def facts_of(sighting: Sighting) -> tuple[object, ...]:
    """What the block tells of a worker, without the printing machine, the time of printing and line numbers."""
    worker = (sighting.rank, sighting.local_rank, sighting.pid, sighting.exitcode, sighting.summary_index)
    error = sighting.error and (sighting.error.links, sighting.error.exact, sighting.error.text)
    return (*worker, sighting.launcher_root, sighting.error_file, sighting.message, error)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_file_passed_on_by_either_handler_tells_the_same(path: Path, tmp_path: Path, shape: str) -> None:
    worker = tmp_path / "worker.json"
    worker.write_text(json.dumps(SHAPES[shape]))
    theirs = import_module(f"{elastic.__name__}.error_handler").ErrorHandler()
    written = []
    for handler in (ErrorHandler(), theirs):
        for code in (0, -9):
            handler.dump_error_file(str(worker), code)
            written.append(path.read_text())
            path.unlink()
    our_copy, our_coded, their_copy, their_coded = written
    assert our_copy == their_copy == json.dumps(SHAPES[shape])
    if isinstance(SHAPES[shape]["message"], dict):
        assert our_coded == their_coded
    assert parse_error_file(our_coded.encode()).error_code == -9


def test_a_handler_made_for_torch_works_under_our_record(path: Path) -> None:
    base = import_module(f"{elastic.__name__}.error_handler").ErrorHandler

    class SiteHandler(base):  # type: ignore[misc, valid-type]  # the class is known only where torch is
        def record_exception(self, e: BaseException) -> None:
            super().record_exception(e)
            Path(f"{path}.seen").write_text(type(e).__name__)

    with pytest.raises(ValueError, match="shard"):
        errors_core.record(fail, SiteHandler())()
    assert Path(f"{path}.seen").read_text() == "ValueError"
    assert read_error_file(path).error_type == "ValueError"


def test_our_handler_works_under_torchs_record(path: Path) -> None:
    with pytest.raises(ValueError, match="shard"):
        elastic.record(fail, get_error_handler())()
    report = read_error_file(path)
    assert report.pid == os.getpid()
    assert report.error_type == "ValueError"


@pytest.mark.parametrize(
    "kind", [(ChildFailedError, ProcessFailure), (elastic.ChildFailedError, elastic.ProcessFailure)]
)
@pytest.mark.parametrize("record", [errors_core.record, elastic.record])
def test_a_failed_child_is_passed_on(path: Path, tmp_path: Path, kind: tuple[Any, Any], record: Any) -> None:
    if (kind[0], record) == (ChildFailedError, elastic.record):
        pytest.skip("torch's record cannot know an exception that is not torch's")
    error = kind[0]("train.py", make_failures(kind[1], tmp_path, {2: 3, 4: 1}))

    @record  # type: ignore[untyped-decorator]  # one of the two is torch's, which is not typed here
    def agent() -> None:
        raise error

    with pytest.raises(kind[0]):
        agent()
    assert json.loads(path.read_text())["message"]["errorCode"] == 3


def test_the_modules_and_names_of_torch_are_there_under_our_name() -> None:
    for module in ("", ".error_handler", ".handlers"):
        theirs, ours = import_module(elastic.__name__ + module), import_module("errors_core" + module)
        names = set(theirs.__all__) - {"ErrorHandler" if module == "" else ""}
        assert {name for name in names if not hasattr(ours, name)} == set()
    assert logger.name == "errors_core.error_handler"
    handler = import_module(f"{elastic.__name__}.error_handler").ErrorHandler
    methods = {name for name in vars(handler) if not name.startswith("_")}
    assert {name for name in methods if not hasattr(ErrorHandler, name)} == set()
