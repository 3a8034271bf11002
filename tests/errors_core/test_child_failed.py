"""`ChildFailedError`: both forms, the first failure, the text block."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from errors_core import handlers
from errors_core.child_failed import ChildFailedError
from errors_core.error_handler import ErrorHandler
from errors_core.failure import ProcessFailure


def failure(local_rank: int = 0, exitcode: int = 1, timestamp: int = 1796102978, **fields: Any) -> ProcessFailure:
    return ProcessFailure(local_rank, 5000 + local_rank, exitcode, timestamp=timestamp, **fields)


def recorded(path: Path, message: object) -> ProcessFailure:
    path.write_text(json.dumps({"message": message}))
    return ProcessFailure(0, 5000, 1, str(path))


def test_the_block_has_the_well_known_layout() -> None:
    error = ChildFailedError(
        "train.py", {4: failure(0, 3, timestamp=1796102979), 5: failure(1, -9, host="gpu-node-02")}
    )
    assert str(error).splitlines() == [
        "",
        "=" * 60,
        "train.py FAILED",
        "-" * 60,
        "Failures:",
        "[0]:",
        "  time      : 2026-12-01_05:29:39",
        "  host      : <N/A>",
        "  rank      : 4 (local_rank: 0)",
        "  exitcode  : 3 (pid: 5000)",
        "  error_file: <N/A>",
        "  traceback : Worker rank 0 (pid 5000) exited with exit code 3 without an error report",
        "-" * 60,
        "Root Cause (first observed failure):",
        "[1]:",
        "  time      : 2026-12-01_05:29:38",
        "  host      : gpu-node-02",
        "  rank      : 5 (local_rank: 1)",
        "  exitcode  : -9 (pid: 5001)  (SIGKILL)",
        "  error_file: <N/A>",
        "  traceback : Signal 9 (SIGKILL) received by PID 5001",
        "=" * 60,
    ]


def test_a_single_failure_has_no_others_and_narrow_rules() -> None:
    lines = str(ChildFailedError("t", {0: failure(0, -9)})).splitlines()
    longest = "  traceback : Signal 9 (SIGKILL) received by PID 5000"
    assert lines[4:6] == ["Failures:", "  <NO_OTHER_FAILURES>"]
    assert lines[1] == "=" * len(longest)


def test_the_rules_can_be_drawn_with_other_characters() -> None:
    block = ChildFailedError("t", {0: failure()}).format_msg(boarder_delim="*", section_delim="~")
    assert block.splitlines()[1] == "*" * 60
    assert "~" * 60 in block.splitlines()


def test_pairs_of_role_and_failure_have_the_name_workers_and_tell_the_role() -> None:
    pairs = [("trainer", failure(3, timestamp=9)), ("evaluator", failure(2, timestamp=8, rank=6))]
    error = ChildFailedError(pairs)
    assert (error.name, error.failures) == ("workers", pairs)
    assert error.get_first_failure() == pairs[1]
    assert "workers FAILED" in str(error)
    assert "  role      : trainer\n  rank      : <N/A> (local_rank: 3)" in str(error)
    assert "  role      : evaluator\n  rank      : 6 (local_rank: 2)" in str(error)


def test_the_smallest_time_is_the_first_failure_and_the_first_of_a_tie() -> None:
    error = ChildFailedError("t", {7: failure(timestamp=9), 3: failure(timestamp=8), 1: failure(timestamp=8)})
    assert error.get_first_failure() == (3, error.failures[3])


def test_equal_failures_are_all_listed_and_one_is_the_root() -> None:
    same = failure()
    lines = str(ChildFailedError([("a", same), ("b", same), ("c", same)])).splitlines()
    assert [line for line in lines if line.startswith("[")] == ["[1]:", "[2]:", "[0]:"]


@pytest.mark.parametrize("arguments", [("t", {}), ([],), ("t",), ("t", [])])
def test_without_a_failure_there_is_no_error(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(AssertionError):
        ChildFailedError(*arguments)


def test_a_traceback_is_indented(tmp_path: Path) -> None:
    stack = 'Traceback (most recent call last):\n  File "train.py", line 1\nValueError: x\n'
    message = {"message": "ValueError: x", "extraInfo": {"py_callstack": stack, "timestamp": "5"}}
    lines = str(ChildFailedError("t", {0: recorded(tmp_path / "error.json", message)})).splitlines()
    assert lines[-5:-1] == [
        f"  error_file: {tmp_path / 'error.json'}",
        "  traceback : Traceback (most recent call last):",
        '    File "train.py", line 1',
        "  ValueError: x",
    ]


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"message": "ValueError: x"}, "ValueError: x"),
        ({"message": "KeyError: 'a'", "extraInfo": {"py_callstack": ["frames of the recorder\n"]}}, "KeyError: 'a'"),
        ({"extraInfo": {}}, "<N/A>"),
        ({"message": 5}, "5"),
        ("first\nsecond", "first\n  second"),
        ("\x1b]52;c;x\x07\x9b31m\r", r"\x1b]52;c;x\x07\x9b31m\x0d"),
    ],
)
def test_messages_of_every_kind_are_shown_as_text(tmp_path: Path, message: object, text: str) -> None:
    assert f"  traceback : {text}\n=" in str(ChildFailedError("t", {0: recorded(tmp_path / "error.json", message)}))


class SiteHandler(ErrorHandler):
    """Tells more about a signal."""

    def maybe_enrich_signal_failure_message(self, message: str, error_file: str | None) -> str:
        return f"{message} (seen by the site, {error_file})"


def test_only_a_root_that_died_by_a_signal_goes_through_the_handler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handlers, "get_error_handler", SiteHandler)
    killed, failed = failure(0, -9), failure(1, 1, timestamp=1796102979)
    assert str(ChildFailedError("t", {0: killed, 1: failed})).count("seen by the site, <N/A>") == 1
    assert killed.message == "Signal 9 (SIGKILL) received by PID 5000"
    assert "seen by the site" not in str(
        ChildFailedError("t", {0: failure(), 1: failure(1, -15, timestamp=1796102979)})
    )


class BrokenHandler(ErrorHandler):
    """Fails where it should tell more."""

    def maybe_enrich_signal_failure_message(self, message: str, error_file: str | None) -> str:
        raise RuntimeError(message, error_file)


def test_a_handler_that_fails_does_not_hide_the_failure(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(handlers, "get_error_handler", BrokenHandler)
    assert "Signal 9 (SIGKILL) received by PID 5000" in str(ChildFailedError("t", {0: failure(0, -9)}))
    assert "could not tell more" in caplog.text


def test_the_error_survives_the_way_from_another_process() -> None:
    for error in (ChildFailedError("t", {0: failure()}), ChildFailedError([("trainer", failure())])):
        copy = pickle.loads(pickle.dumps(error))
        assert (copy.name, copy.failures, str(copy)) == (error.name, error.failures, str(error))
