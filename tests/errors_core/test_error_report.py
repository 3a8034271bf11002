"""What each known shape of an error file says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from errors_core.error_file import parse_error_file, read_error_file
from errors_core.error_report import ErrorReport
from errors_core.exceptions import ErrorFileError

STACK = 'Traceback (most recent call last):\n  File "train.py", line 26, in main\n    check(x)\nValueError: x\n'


def parse(data: dict[str, Any]) -> ErrorReport:
    return parse_error_file(json.dumps(data).encode())


def shape_a(**extra: Any) -> dict[str, Any]:
    return {
        "message": {"message": "ValueError: x", "extraInfo": {"py_callstack": STACK, "timestamp": "1796102978"} | extra}
    }


def test_shape_a_gives_message_traceback_type_and_time() -> None:
    report = parse(shape_a())
    assert (report.shape, report.message, report.error_type) == ("A", "ValueError: x", "ValueError")
    assert (report.traceback, report.timestamp, report.error_code) == (STACK, 1796102978, None)
    assert report.extra_info == {"py_callstack": STACK, "timestamp": "1796102978"}
    assert not report.recorder_frames


def test_shape_a_that_an_agent_passed_on_gives_its_error_code() -> None:
    data = shape_a()
    data["message"]["errorCode"] = 3
    report = parse(data)
    assert (report.shape, report.error_code) == ("A", 3)


def test_marks_of_the_worker_are_read_from_text_and_from_numbers() -> None:
    report = parse(
        shape_a(
            rank="3", local_rank=1, group_rank="0", world_size="8", run_id="job-7", restart_count="2", role="trainer",
            hostname="gpu-node-02", pid="77", timestamp_ns="1796102978000000001", signal="SIGTERM", exitcode="1",
            exception_type="package.Mistake",
        )
    )  # fmt: skip
    assert (report.rank, report.local_rank, report.group_rank, report.world_size) == (3, 1, 0, 8)
    assert (report.run_id, report.restart_count, report.role, report.hostname) == ("job-7", 2, "trainer", "gpu-node-02")
    assert (report.pid, report.timestamp_ns) == (77, 1796102978000000001)
    assert (report.signal, report.exitcode, report.error_type) == ("SIGTERM", 1, "package.Mistake")


def test_marks_that_are_no_numbers_are_unknown() -> None:
    report = parse(shape_a(rank="three", local_rank=-1, world_size=True, pid=[1], group_rank=None, run_id=7, role=""))
    assert (report.rank, report.local_rank, report.world_size, report.pid, report.group_rank) == (None,) * 5
    assert (report.run_id, report.role) == (None, None)


@pytest.mark.parametrize("timestamp", [1796102978, "1796102978", 1796102978.9, " 1796102978 ", "1796102978.25"])
def test_shape_b_reads_its_time_however_it_is_spelled(timestamp: object) -> None:
    report = parse({"message": "disk is full", "timestamp": timestamp})
    assert (report.shape, report.message, report.timestamp) == ("B", "disk is full", 1796102978)
    assert (report.error_type, report.traceback, report.extra_info) == (None, None, {})


@pytest.mark.parametrize("timestamp", [None, 0, -5, "soon", "", True, {}, [1.5], "9" * 39, 1e300, "1e9", "NaN"])
def test_a_time_that_is_none_is_unknown(timestamp: object) -> None:
    assert parse({"message": "disk is full", "timestamp": timestamp}).timestamp is None
    assert parse(shape_a(timestamp=timestamp)).timestamp is None


@pytest.mark.parametrize(("digits", "unit"), [(3, "milliseconds"), (6, "microseconds"), (9, "nanoseconds")])
def test_a_time_in_a_smaller_unit_is_read_as_seconds_and_remarked(digits: int, unit: str) -> None:
    report = parse({"message": "disk is full", "timestamp": 1796102978 * 10**digits})
    assert report.timestamp == 1796102978
    assert report.remarks == (f"its timestamp was read as {unit}",)


def test_shape_c_has_a_traceback_and_perhaps_a_signal_but_no_time() -> None:
    report = parse({"message": "ValueError('x')", "extraInfo": {"traceback": STACK, "signal": "SIGTERM"}})
    assert (report.shape, report.message, report.error_type) == ("C", "ValueError('x')", "ValueError")
    assert (report.traceback, report.signal, report.timestamp) == (STACK, "SIGTERM", None)
    assert parse({"message": "ValueError('x')", "extraInfo": {"traceback": STACK, "signal": None}}).signal is None


@pytest.mark.parametrize(
    ("signal", "name"), [(15, "SIGTERM"), ("-9", "SIGKILL"), ("Signals.SIGBUS", "SIGBUS"), (99, None)]
)
def test_a_signal_may_be_a_number_or_a_name(signal: object, name: str | None) -> None:
    assert parse({"message": "gone", "extraInfo": {"signal": signal}}).signal == name


def test_shape_d_has_a_list_that_is_no_time_of_day() -> None:
    report = parse({"message": "ValueError('x')", "extraInfo": {"traceback": STACK}, "timestamp": [12.5, 13.25]})
    assert (report.shape, report.timestamp, report.traceback) == ("D", None, STACK)


def test_shape_e_keeps_every_further_key_in_its_extra_info() -> None:
    traits = {"category": "system_terminated_error", "retryability": "False"}
    flat = parse({"message": "killed", "timestamp": 1796102978, "errorTraits": traits, "errorCode": "137", "site": "x"})
    assert (flat.shape, flat.error_code, flat.timestamp) == ("E", 137, 1796102978)
    assert flat.extra_info == {"errorTraits": traits, "errorCode": "137", "site": "x"}
    data = shape_a()
    data["message"] |= {"errorTraits": traits, "errorCode": 1}
    nested = parse(data)
    assert (nested.shape, nested.error_code, nested.message) == ("E", 1, "ValueError: x")
    assert nested.extra_info["errorTraits"] == traits
    assert nested.extra_info["py_callstack"] == STACK


def test_further_keys_alone_make_a_schedulers_reply_file() -> None:
    report = parse({"message": "killed", "timestamp": 1796102978, "site": {"rack": 7}})
    assert (report.shape, report.extra_info) == ("E", {"site": {"rack": 7}})


def test_shape_f_joins_the_frames_and_says_that_they_are_the_recorders() -> None:
    frames = ['  File "train.py", line 48, in <module>\n    main()\n', '  File "errors.py", line 370, in wrapper']
    report = parse(shape_a(py_callstack=frames))
    assert (report.shape, report.recorder_frames) == ("F", True)
    assert report.traceback == frames[0] + frames[1] + "\n"
    assert report.error_type == "ValueError"


@pytest.mark.parametrize(
    ("message", "text"),
    [(None, ""), (5, "5"), (["a", 1], '["a", 1]'), (True, "true"), ({}, "{}"), ({"message": {"a": "ü"}}, '{"a": "ü"}')],
)
def test_a_message_of_an_odd_type_becomes_text(message: object, text: str) -> None:
    assert parse({"message": message}).message == text


@pytest.mark.parametrize(
    ("message", "stack", "error_type"),
    [
        ("CUDA error: out of memory", None, None),
        ("error: Error -3 while decompressing", "Traceback…\nzlib.error: Error -3 while decompressing\n", "error"),
        ("error: what follows is free text", "Traceback…\nValueError: x\n", None),
        ("torch.OutOfMemoryError: CUDA out of memory", None, "torch.OutOfMemoryError"),
        ("KeyboardInterrupt: ", None, "KeyboardInterrupt"),
        ("KeyboardInterrupt", None, "KeyboardInterrupt"),
        ("Worker 3 failed with an Error: x", None, None),
        ("", None, None),
    ],
)
def test_a_message_names_its_type_only_when_it_starts_with_an_exception(
    message: str, stack: str | None, error_type: str | None
) -> None:
    data = {"message": {"message": message, "extraInfo": {"py_callstack": stack}}}
    assert parse(data).error_type == error_type


def test_extra_info_of_an_odd_type_is_no_extra_info() -> None:
    assert parse({"message": {"message": "ValueError: x", "extraInfo": ["no", "map"]}}).extra_info == {}
    assert parse({"message": "ValueError: x", "extraInfo": "text"}).extra_info == {}


def test_json_without_a_message_is_no_error_file() -> None:
    with pytest.raises(ErrorFileError, match='no key "message"'):
        parse({"timestamp": 1796102978})


def test_every_error_file_of_the_recorded_jobs_has_type_traceback_and_time(data: Path) -> None:
    files = sorted(file for jobs in ("torchrun", "versions") for file in (data / jobs).rglob("error.json"))
    reports = [read_error_file(file) for file in files]
    assert len(reports) > 30
    for file, report in zip(files, reports, strict=True):
        assert report.shape == ("F" if "torch19" in file.parts else "A"), file
        assert report.error_type, file
        assert report.traceback, file
        assert report.timestamp, file
        assert report.remarks == ()
