"""What the handler writes, passes on and leaves out."""

from __future__ import annotations

import faulthandler
import json
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from errors_core.error_file import ERROR_FILE_ENV
from errors_core.error_handler import ErrorHandler, logger
from errors_core.exceptions import ErrorFileError
from errors_core.handlers import get_error_handler
from errors_core.signals import SignalException

SHAPE_A: dict[str, Any] = {"message": {"message": "ValueError: x", "extraInfo": {"timestamp": "1796102978"}}}


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The error file that the environment arranges."""
    file = tmp_path / "error.json"
    monkeypatch.setenv(ERROR_FILE_ENV, str(file))
    return file


def caught(error: BaseException) -> BaseException:
    """Return the exception after it was raised, as a handler gets it."""
    try:
        raise error
    except BaseException as raised:  # noqa: BLE001 - it is handed on
        return raised


def recorded(path: Path, error: BaseException) -> dict[str, Any]:
    ErrorHandler().record_exception(caught(error))
    message: dict[str, Any] = json.loads(path.read_text())["message"]
    return message


def test_an_exception_is_written_as_shape_a_and_every_value_is_text(path: Path) -> None:
    message = recorded(path, ValueError("x"))
    extra = message["extraInfo"]
    assert message["message"] == "ValueError: x"
    assert extra["py_callstack"].startswith("Traceback (most recent call last):\n")
    assert extra["py_callstack"].endswith("ValueError: x\n")
    assert extra["timestamp"] == extra["timestamp_ns"][:-9]
    assert extra["exception_type"] == "ValueError"
    assert extra["argv0"] == sys.argv[0]
    assert {type(value) for value in extra.values()} == {str}


def test_the_marks_of_the_worker_come_from_its_agent(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, value in {
        "RANK": "3",
        "LOCAL_RANK": "1",
        "GROUP_RANK": "0",
        "ROLE_NAME": "trainer",
        "WORLD_SIZE": "8",
        "TORCHELASTIC_RESTART_COUNT": "2",
        "TORCHELASTIC_RUN_ID": "job-7",
        "MASTER_ADDR": "secret.example",
    }.items():
        monkeypatch.setenv(variable, value)
    extra = recorded(path, ValueError("x"))["extraInfo"]
    assert (extra["rank"], extra["local_rank"], extra["group_rank"], extra["role"]) == ("3", "1", "0", "trainer")
    assert (extra["world_size"], extra["restart_count"], extra["run_id"]) == ("8", "2", "job-7")
    assert "secret.example" not in path.read_text()


def test_marks_that_no_agent_gave_are_left_out(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RANK", raising=False)
    extra = recorded(path, ValueError("x"))["extraInfo"]
    assert {"rank", "signal", "exitcode"} & extra.keys() == set()


def test_arguments_of_the_program_are_never_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["train.py", "--token=hf_secret"])
    extra = recorded(path, ValueError("x"))["extraInfo"]
    assert extra["argv0"] == "train.py"
    assert "hf_secret" not in path.read_text()


@pytest.mark.parametrize(
    ("error", "key", "value"),
    [
        (SystemExit(3), "exitcode", "3"),
        (SystemExit("usage: train.py"), "exitcode", "1"),
        (KeyboardInterrupt(), "signal", "SIGINT"),
        (SignalException("Process 77 got signal: 15", signal.SIGTERM), "signal", "SIGTERM"),
        (json.JSONDecodeError("no", "", 0), "exception_type", "json.decoder.JSONDecodeError"),
    ],
)
def test_exit_code_signal_and_qualified_type_are_written_where_they_are_known(
    path: Path, error: BaseException, key: str, value: str
) -> None:
    message = recorded(path, error)
    assert message["extraInfo"][key] == value
    assert message["message"] == f"{type(error).__name__}: {error}"


class WordlessError(Exception):
    """An exception whose text cannot be made."""

    def __str__(self) -> str:
        raise RuntimeError


def test_an_exception_that_cannot_be_printed_is_recorded(path: Path) -> None:
    message = recorded(path, WordlessError())
    assert message["message"] == "WordlessError: <exception str() failed>"
    assert "test_error_handler.py" in message["extraInfo"]["py_callstack"]


def test_causes_groups_and_notes_are_part_of_the_traceback(path: Path) -> None:
    group = ExceptionGroup("several", [ValueError("one"), KeyError("two")])
    group.add_note("while loading shard 7")
    group.__cause__ = caught(OSError("disk"))
    stack = recorded(path, group)["extraInfo"]["py_callstack"]
    for part in ("OSError: disk", "direct cause", "ValueError: one", "KeyError: 'two'", "while loading shard 7"):
        assert part in stack


def test_text_that_no_encoding_can_hold_is_recorded(path: Path) -> None:
    assert recorded(path, ValueError("bad \ud800 \0 name"))["message"] == "ValueError: bad \ud800 \0 name"


def test_the_first_report_stays(path: Path) -> None:
    recorded(path, ValueError("first"))
    assert recorded(path, ValueError("second"))["message"] == "ValueError: first"


def test_without_an_arranged_file_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for value in (None, ""):
        monkeypatch.delenv(ERROR_FILE_ENV, raising=False) if value is None else monkeypatch.setenv(
            ERROR_FILE_ENV, value
        )
        ErrorHandler().record_exception(ValueError("x"))
        ErrorHandler().record_success()
    assert list(tmp_path.iterdir()) == []


def passed_on(path: Path, tmp_path: Path, data: object, error_code: int) -> Any:
    source = tmp_path / "worker.json"
    source.write_text(json.dumps(data))
    ErrorHandler().dump_error_file(str(source), error_code)
    return json.loads(path.read_text())


def test_a_passed_on_file_gets_the_exit_code_inside_its_message(path: Path, tmp_path: Path) -> None:
    assert passed_on(path, tmp_path, SHAPE_A, -9) == {"message": SHAPE_A["message"] | {"errorCode": -9}}


def test_a_flat_file_gets_the_exit_code_beside_its_message(path: Path, tmp_path: Path) -> None:
    flat = {"message": "disk is full", "timestamp": 5}
    assert passed_on(path, tmp_path, flat, 3) == flat | {"errorCode": 3}


def test_without_an_exit_code_the_content_is_passed_on_as_json_writes_it(path: Path, tmp_path: Path) -> None:
    data = {"message": "é \ud83c", "other": [1, None, 1.5]}
    passed_on(path, tmp_path, SHAPE_A, 0)
    assert path.read_text() == json.dumps(SHAPE_A)
    path.unlink()
    assert passed_on(path, tmp_path, data, 0) == {"message": "é \ufffd", "other": [1, None, 1.5]}


def test_passing_on_replaces_what_stands_there_as_torch_does(path: Path, tmp_path: Path) -> None:
    path.write_text('{"message": "left from before"}')
    assert passed_on(path, tmp_path, SHAPE_A, 0) == SHAPE_A


def test_passing_on_without_an_arranged_file_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv(ERROR_FILE_ENV, raising=False)
    caplog.set_level("INFO", logger.name)
    source = tmp_path / "worker.json"
    source.write_text(json.dumps(SHAPE_A))
    ErrorHandler().dump_error_file(str(source), 1)
    assert [entry.name for entry in tmp_path.iterdir()] == ["worker.json"]
    assert str(source) in caplog.text


def test_a_file_that_cannot_be_read_is_not_passed_on(path: Path, tmp_path: Path) -> None:
    with pytest.raises(ErrorFileError):
        ErrorHandler().dump_error_file(str(tmp_path / "absent.json"), 1)
    assert not path.exists()


def test_an_own_path_goes_before_the_environment(path: Path, tmp_path: Path) -> None:
    handler = ErrorHandler()
    handler.error_file = str(tmp_path / "own.json")
    handler.record_exception(ValueError("x"))
    assert (tmp_path / "own.json").exists()
    assert not path.exists()


def test_initialize_turns_faulthandler_on_and_leaves_another_setting_alone(tmp_path: Path) -> None:
    was_enabled = faulthandler.is_enabled()
    with (tmp_path / "stacks.txt").open("w") as file:
        faulthandler.enable(file)
        ErrorHandler().initialize()
        faulthandler.dump_traceback(file)
        faulthandler.disable()
        ErrorHandler().initialize()
        assert faulthandler.is_enabled()
        if not was_enabled:
            faulthandler.disable()
    assert "test_error_handler.py" in (tmp_path / "stacks.txt").read_text()


def test_every_call_gives_a_handler_of_its_own() -> None:
    assert get_error_handler() is not get_error_handler()
    assert type(get_error_handler()) is ErrorHandler
    assert ErrorHandler().maybe_enrich_signal_failure_message("Signal 9", None) == "Signal 9"
