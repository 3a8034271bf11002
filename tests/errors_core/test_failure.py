"""`ProcessFailure`: the agent's view of one death, and the summary that a picture holds."""

from __future__ import annotations

import dataclasses
import json
import pickle
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from errors_core.exceptions import ErrorFileError
from errors_core.failure import ProcessFailure

SHAPE_A = {
    "message": {"message": "ValueError: x", "extraInfo": {"py_callstack": "Traceback…", "timestamp": "1796102978"}}
}


def write(path: Path, data: Any) -> str:
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return str(path)


def test_a_file_is_read_and_its_message_stays_a_dict(tmp_path: Path) -> None:
    file = write(tmp_path / "error.json", SHAPE_A)
    failure = ProcessFailure(3, 77, 1, file)
    assert (failure.local_rank, failure.pid, failure.exitcode, failure.exit_code) == (3, 77, 1, 1)
    assert (failure.error_file, failure.error_file_data) == (file, SHAPE_A)
    assert failure.message == SHAPE_A["message"]
    assert (failure.timestamp, failure.timestamp_source) == (1796102978, "error_file")
    assert failure.extra_info == SHAPE_A["message"]["extraInfo"]
    assert failure.timestamp_isoformat() == "2026-12-01_05:29:38"
    assert (failure.rank, failure.host, failure.run_id, failure.timestamp_ns) == (None, None, None, None)


def test_marks_in_the_file_are_taken_over_unless_the_caller_knows_better(tmp_path: Path) -> None:
    extra = {"rank": "3", "run_id": "job-7", "hostname": "node-a", "role": "trainer", "restart_count": "2"}
    file = write(tmp_path / "error.json", {"message": {"message": "ValueError: x", "extraInfo": extra}})
    failure = ProcessFailure(1, 77, 1, file, host="node-b", attempt=0)
    assert (failure.rank, failure.run_id, failure.role) == (3, "job-7", "trainer")
    assert (failure.host, failure.attempt) == ("node-b", 0)


def test_a_flat_file_gives_text_and_the_time_0_when_it_has_none(tmp_path: Path) -> None:
    failure = ProcessFailure(0, 77, 1, write(tmp_path / "error.json", {"message": "disk is full"}))
    assert (failure.message, failure.timestamp, failure.timestamp_source) == ("disk is full", 0, None)
    assert failure.timestamp_isoformat() == "<N/A>"


def test_an_empty_message_in_a_file_is_replaced_by_words(tmp_path: Path) -> None:
    file = write(tmp_path / "error.json", {"message": "", "timestamp": 5})
    assert ProcessFailure(0, 77, -9, file).message == "Signal 9 (SIGKILL) received by PID 77"


@pytest.mark.parametrize("content", ["", '{"message": {"mess', "[]", '{"timestamp": 1}'])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, content: str) -> None:
    file = write(tmp_path / "error.json", content)
    with pytest.raises(ErrorFileError) as caught:
        ProcessFailure(0, 77, 1, file)
    assert caught.value.path == file


@pytest.mark.parametrize("error_file", [None, "", "<N/A>", "absent/error.json"])
def test_without_a_file_the_time_of_the_call_counts(error_file: str | None) -> None:
    before = int(time.time())
    failure = ProcessFailure(3, 77, 3, error_file)
    assert (failure.error_file, failure.error_file_data, failure.extra_info) == ("<N/A>", {"message": "<NONE>"}, {})
    assert before <= failure.timestamp <= time.time()
    assert failure.timestamp_source == "observed"
    assert failure.message == "Worker rank 3 (pid 77) exited with exit code 3 without an error report"


def test_what_the_caller_says_stays_when_there_is_no_file() -> None:
    data = {"message": "from elsewhere", "extraInfo": {"signal": None}}
    failure = ProcessFailure(3, 77, 3, None, data, "gone", 1796102978, timestamp_source="launcher_log")
    assert (failure.error_file_data, failure.message, failure.timestamp) == (data, "gone", 1796102978)
    assert (failure.extra_info, failure.timestamp_source) == ({"signal": None}, "launcher_log")


@pytest.mark.parametrize(
    ("exitcode", "name"),
    [(-9, "SIGKILL"), (-35, "SIGRTMIN+1"), (-99, "<N/A>"), (9, "<N/A>"), (137, "<N/A>"), (0, "<N/A>")],
)
def test_the_signal_is_named_for_negative_exit_codes_alone(exitcode: int, name: str) -> None:
    failure = ProcessFailure(3, 77, exitcode)
    assert failure.signal_name() == name
    assert (failure.message == f"Signal {-exitcode} ({name}) received by PID 77") == (exitcode < 0)


@pytest.mark.parametrize("timestamp", [10**12, 10**18, -(10**18)])
def test_a_time_that_no_calendar_has_is_shown_as_unknown(timestamp: int) -> None:
    assert ProcessFailure(0, 1, 1, timestamp=timestamp).timestamp_isoformat() == "<N/A>"


def test_equal_failures_are_equal_and_print_their_fields() -> None:
    one, other = ProcessFailure(3, 77, 1, timestamp=5), ProcessFailure(3, 77, 1, timestamp=5)
    assert one == other
    assert one != ProcessFailure(3, 78, 1, timestamp=5)
    assert repr(one).startswith("ProcessFailure(local_rank=3, pid=77, exitcode=1, error_file='<N/A>'")
    assert dataclasses.replace(one, pid=78) == ProcessFailure(3, 78, 1, message=one.message, timestamp=5)


def test_a_summary_opens_no_file_until_its_data_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "error.json"
    summary = ProcessFailure.summary(
        local_rank=3, exitcode=1, error_file=str(path), message="ValueError: x", timestamp=5
    )
    copy = pickle.loads(pickle.dumps(summary))
    assert (summary == copy, "ValueError: x" in repr(summary)) == (True, True)
    write(path, SHAPE_A)
    assert summary.error_file_data == SHAPE_A
    path.unlink()
    assert summary.extra_info == SHAPE_A["message"]["extraInfo"]
    assert copy.error_file_data == {"message": "<NONE>"}


def test_a_summary_of_a_file_that_is_gone_or_damaged_does_not_raise(tmp_path: Path) -> None:
    for file in (write(tmp_path / "error.json", '{"message'), "logs.tar.gz!error.json", str(tmp_path)):
        summary = ProcessFailure.summary(error_file=file)
        assert (summary.message, summary.extra_info) == ("", {})
        assert summary.error_file_data == {"message": "<NONE>"}


def test_a_summary_knows_nothing_that_it_was_not_told() -> None:
    summary = ProcessFailure.summary()
    assert (summary.local_rank, summary.pid, summary.exitcode, summary.error_file) == (None, None, None, "<N/A>")
    assert (summary.timestamp, summary.timestamp_source, summary.host) == (0, None, None)
    assert (summary.signal_name(), summary.timestamp_isoformat()) == ("<N/A>", "<N/A>")
    assert summary.message == "Worker rank unknown (pid unknown) left neither an exit code nor an error report"


def test_a_summary_words_what_it_knows_like_the_agent_does() -> None:
    assert ProcessFailure.summary(pid=77, exitcode=-9).message == "Signal 9 (SIGKILL) received by PID 77"
    text = "Worker rank 11 (pid 77) exited with exit code 3 without an error report"
    assert ProcessFailure.summary(local_rank=3, rank=11, pid=77, exitcode=3).message == text


def test_an_unknown_attribute_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="'ProcessFailure' object has no attribute 'exitCode'"):
        _ = ProcessFailure.summary().exitCode


def test_a_summary_is_small() -> None:
    assert not hasattr(ProcessFailure.summary(), "__dict__")
    assert sys.getsizeof(ProcessFailure.summary()) < 200
