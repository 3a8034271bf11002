"""`record` in every form: what it writes, and that the watched code does not notice it."""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import errors_core
from errors_core import handlers
from errors_core.child_failed import ChildFailedError
from errors_core.error_file import ERROR_FILE_ENV, read_error_file
from errors_core.error_handler import ErrorHandler
from errors_core.failure import ProcessFailure
from errors_core.recorder import Recording, record


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The error file that the environment arranges."""
    file = tmp_path / "error.json"
    monkeypatch.setenv(ERROR_FILE_ENV, str(file))
    return file


def fail(text: str = "x") -> None:
    raise ValueError(text)


def is_written(path: Path) -> bool:
    return path.exists()


def message_of(path: Path) -> str:
    return read_error_file(path).message


def test_the_decorated_function_fails_as_before_and_leaves_a_report(path: Path) -> None:
    error = ValueError("x")

    @record
    def main() -> None:
        raise error

    with pytest.raises(ValueError, match="x") as caught:
        main()
    assert caught.value is error
    assert (error.__cause__, error.__context__, getattr(error, "__notes__", None)) == (None, None, None)
    assert message_of(path) == "ValueError: x"


def test_the_report_shows_the_code_of_the_job_and_not_the_recorder(path: Path) -> None:
    with pytest.raises(ValueError, match="x"):
        record(fail)()
    traceback = read_error_file(path).traceback
    assert traceback is not None
    assert "errors_core/recorder.py" not in traceback
    assert "in fail" in traceback


def test_a_function_that_ends_well_returns_its_value_and_writes_nothing(path: Path) -> None:
    @record
    def main(a: int, *, b: int = 2) -> int:
        """Add."""
        return a + b

    assert main(1, b=5) == 6
    assert not path.exists()
    assert (main.__name__, main.__doc__) == ("main", "Add.")
    assert str(inspect.signature(main)) == "(a: 'int', *, b: 'int' = 2) -> 'int'"


def test_every_form_of_the_decorator_records(tmp_path: Path, path: Path) -> None:
    own = tmp_path / "own" / "error.json"
    handler = ErrorHandler()
    forms: list[tuple[Callable[[], None], Path]] = [
        (record(fail), path),
        (record()(fail), path),
        (record(fail, handler), path),
        (record(error_handler=handler)(fail), path),
        (record(error_file=own)(fail), own),
        (record(error_file=str(own))(fail), own),
        (record(fail, error_file=own), own),
        (record(fail, ErrorHandler(), error_file=own), own),
    ]
    for function, file in forms:
        with pytest.raises(ValueError, match="x"):
            function()
        assert message_of(file) == "ValueError: x"
        file.unlink()
        assert not path.exists()


def test_a_with_block_records_and_can_be_used_again(path: Path) -> None:
    recording = record()
    with recording:
        pass
    assert not path.exists()
    with pytest.raises(KeyError), recording:
        raise KeyError("shard")
    assert message_of(path) == "KeyError: 'shard'"


def test_a_relative_path_means_the_directory_at_decoration_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    recording = record(error_file="error.json")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with pytest.raises(ValueError, match="x"), recording:
        fail()
    assert (tmp_path / "error.json").exists()


async def test_a_coroutine_function_stays_one_and_is_recorded(path: Path) -> None:
    @record
    async def main(text: str) -> str:
        await asyncio.sleep(0)
        if text == "fail":
            fail(text)
        return text

    assert inspect.iscoroutinefunction(main)
    assert await main("well") == "well"
    assert not is_written(path)
    with pytest.raises(ValueError, match="fail"):
        await main("fail")
    assert message_of(path) == "ValueError: fail"


async def test_a_cancelled_task_is_no_failure(path: Path) -> None:
    @record
    async def main() -> None:
        await asyncio.Event().wait()

    task = asyncio.create_task(main())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not is_written(path)


@pytest.mark.parametrize("code", [1, 3, -1, True, "usage: …", "", 257, (1, 2)])
def test_an_exit_that_is_no_success_is_recorded_and_goes_on(path: Path, code: Any) -> None:
    with pytest.raises(SystemExit) as caught, record():
        raise SystemExit(code)
    assert caught.value.code is code
    assert message_of(path) == f"SystemExit: {code}"


@pytest.mark.parametrize("code", [None, 0, False, 256])
def test_a_successful_exit_is_not_recorded_and_goes_on(path: Path, code: Any) -> None:
    with pytest.raises(SystemExit) as caught, record():
        raise SystemExit(code)
    assert caught.value.code is code
    assert not path.exists()


class Fatal(BaseException):
    """Somebody's own kind of end."""


@pytest.mark.parametrize(
    ("error", "is_recorded"),
    [
        (KeyboardInterrupt(), True),
        (Fatal("x"), True),
        (ExceptionGroup("g", [ValueError("x")]), True),
        (BaseExceptionGroup("g", [KeyboardInterrupt()]), True),
        (MemoryError(), True),
        (StopIteration(), True),
        (GeneratorExit(), False),
    ],
)
def test_every_end_but_that_of_a_generator_is_a_failure(path: Path, error: BaseException, is_recorded: bool) -> None:
    with pytest.raises(type(error)) as caught, record():
        raise error
    assert caught.value is error
    assert path.exists() == is_recorded


def test_of_nested_records_the_inner_one_tells(path: Path) -> None:
    @record
    def outer() -> None:
        try:
            record(fail)("inner")
        except ValueError as error:
            raise RuntimeError("outer") from error

    with pytest.raises(RuntimeError, match="outer"):
        outer()
    assert message_of(path) == "ValueError: inner"


class Trainer:
    """A user's class with watched methods of each kind."""

    @record
    def run(self, text: str) -> None:
        assert isinstance(self, Trainer)
        fail(text)

    @record
    @classmethod
    def build(cls, text: str) -> None:
        assert issubclass(cls, Trainer)
        fail(text)

    @record
    @staticmethod
    def check(text: str) -> None:
        fail(text)

    def __call__(self, text: str) -> None:
        fail(text)


@pytest.mark.parametrize(
    "function",
    [
        Trainer().run,
        Trainer.build,
        Trainer().build,
        Trainer.check,
        Trainer().check,
        record(Trainer()),
        record(Trainer().__call__),
        record(functools.partial(fail, "bound")),
    ],
)
def test_methods_partials_and_callable_objects_are_watched(path: Path, function: Callable[..., None]) -> None:
    text = "bound" if isinstance(getattr(function, "__wrapped__", None), functools.partial) else "free"
    with pytest.raises(ValueError, match=text):
        function() if text == "bound" else function(text)
    assert message_of(path) == f"ValueError: {text}"


class AsyncJob:
    """A user's object whose call is a coroutine."""

    async def __call__(self, text: str) -> None:
        fail(text)


@pytest.mark.parametrize(
    "function",
    [
        record(functools.partial(AsyncJob().__call__, "late")),
        record(functools.partial(AsyncJob(), "late")),
        functools.partial(record(AsyncJob()), "late"),
    ],
)
async def test_partials_and_objects_whose_call_is_a_coroutine_are_awaited(
    path: Path, function: Callable[[], Awaitable[None]]
) -> None:
    with pytest.raises(ValueError, match="late"):
        await function()
    assert message_of(path) == "ValueError: late"


def test_generators_and_classes_are_left_alone_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    def numbers() -> Iterator[int]:
        yield 1

    async def later() -> AsyncIterator[int]:
        yield 1

    for thing in (numbers, later, Trainer):
        caplog.clear()
        assert record(thing) is thing
        assert "does not watch" in caplog.text


def test_something_that_cannot_be_called_is_refused_with_the_next_step() -> None:
    with pytest.raises(TypeError, match=r"a path goes into error_file="):
        record("error.json")  # type: ignore[call-overload]  # the mistake that the message is for


class Listener:
    """A handler of the older kind: only the methods that torch always had; it notes its calls."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def initialize(self) -> None:
        self.calls.append(("initialize",))

    def record_exception(self, e: BaseException) -> None:
        self.calls.append(("record_exception", e))

    def dump_error_file(self, rootcause_error_file: str, error_code: int = 0) -> None:
        self.calls.append(("dump_error_file", rootcause_error_file, error_code))


class NewListener(Listener):
    """A handler of the newer kind."""

    def set_entrypoint_fn_name(self, name: str) -> None:
        self.calls.append(("set_entrypoint_fn_name", name))

    def record_success(self) -> None:
        self.calls.append(("record_success",))


def test_an_older_handler_is_called_with_what_it_has() -> None:
    listener, error = Listener(), ValueError("x")
    with record(error_handler=listener):
        pass
    with pytest.raises(ValueError, match="x"), record(error_handler=listener):
        raise error
    assert listener.calls == [("initialize",), ("initialize",), ("record_exception", error)]


@pytest.mark.parametrize(
    ("function", "name"), [(fail, "fail"), (functools.partial(fail, "x"), "fail"), (Trainer(), "Trainer")]
)
def test_a_newer_handler_learns_the_name_of_the_function(function: Callable[[], None], name: str) -> None:
    listener = NewListener()
    with pytest.raises((ValueError, TypeError)):
        record(function, listener)()
    assert listener.calls[:2] == [("set_entrypoint_fn_name", name), ("initialize",)]


def test_a_newer_handler_learns_of_success() -> None:
    listener = NewListener()
    record(lambda: None, listener)()
    with pytest.raises(SystemExit), record(error_handler=listener):
        raise SystemExit(0)
    assert [call for call in listener.calls if call[0] != "initialize"] == [
        ("set_entrypoint_fn_name", "<lambda>"),
        ("record_success",),
        ("record_success",),
    ]


def test_a_site_can_replace_the_handler_in_one_place(monkeypatch: pytest.MonkeyPatch) -> None:
    listener = Listener()
    monkeypatch.setattr(handlers, "get_error_handler", lambda: listener)
    with pytest.raises(ValueError, match="x"):
        record(fail)()
    assert [call[0] for call in listener.calls] == ["initialize", "record_exception"]


class Broken(Listener):
    """A handler that fails in everything."""

    def initialize(self) -> None:
        raise OSError("no terminal")

    def set_entrypoint_fn_name(self, name: str) -> None:
        raise OSError(name)

    def record_exception(self, e: BaseException) -> None:
        raise RuntimeError("no space") from e

    def record_success(self) -> None:
        raise OSError("nothing works")


def test_a_handler_that_fails_is_a_warning_and_changes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    error = ValueError("x")
    with pytest.raises(ValueError, match="x") as caught, record(error_handler=Broken()):
        raise error
    assert caught.value is error
    assert error.__context__ is None
    assert record(lambda: 5, Broken())() == 5
    assert [record.levelname for record in caplog.records] == ["WARNING"] * 5
    assert "RuntimeError: no space" in caplog.text


def test_a_path_that_cannot_be_written_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv(ERROR_FILE_ENV, str(tmp_path / "file" / "error.json"))
    with pytest.raises(ValueError, match="x"):
        record(fail)()
    assert "could not do its part (FileExistsError: " in caplog.text


def test_a_directory_that_is_missing_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "attempt_0" / "3" / "error.json"
    monkeypatch.setenv(ERROR_FILE_ENV, str(file))
    with pytest.raises(ValueError, match="x"):
        record(fail)()
    assert message_of(file) == "ValueError: x"


def test_no_arranged_file_means_that_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ERROR_FILE_ENV, raising=False)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="x"):
        record(fail)()
    assert list(tmp_path.iterdir()) == []


class TreacherousError(Exception):
    """An exception that fails at every touch."""

    def __str__(self) -> str:
        raise RuntimeError

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


def test_an_exception_that_fails_at_every_touch_is_recorded_and_goes_on_unchanged(path: Path) -> None:
    error = TreacherousError()
    with pytest.raises(TreacherousError) as caught, record():
        raise error
    assert caught.value is error
    report = read_error_file(path)
    assert report.message == "TreacherousError: <exception str() failed>"
    assert report.traceback is not None
    assert "raise error" in report.traceback


def child_failed(error_file: str | None, exitcode: int = 3) -> ChildFailedError:
    later = ProcessFailure(0, 70, 1, timestamp=2**31)
    return ChildFailedError("t", {0: later, 3: ProcessFailure(3, 77, exitcode, error_file, timestamp=5)})


@pytest.mark.parametrize("content", [{"message": {"message": "ValueError: x", "extraInfo": {}}}, {"message": "flat"}])
def test_a_failed_child_passes_the_file_of_its_first_failure_on(path: Path, tmp_path: Path, content: Any) -> None:
    worker = tmp_path / "worker.json"
    worker.write_text(json.dumps(content))
    with pytest.raises(ChildFailedError), record():
        raise child_failed(str(worker), -9)
    report = read_error_file(path)
    assert report.error_code == -9
    assert report.message == (content["message"] if content["message"] == "flat" else "ValueError: x")


def test_a_failed_child_does_not_replace_an_earlier_report(path: Path, tmp_path: Path) -> None:
    worker = tmp_path / "worker.json"
    worker.write_text('{"message": "flat"}')
    path.write_text('{"message": "the agent\'s own"}')
    with pytest.raises(ChildFailedError), record():
        raise child_failed(str(worker), -9)
    assert read_error_file(path).message == "the agent's own"


def test_a_failed_child_without_a_file_leaves_none(path: Path) -> None:
    with pytest.raises(ChildFailedError), record():
        raise child_failed(None)
    assert not path.exists()


def test_a_handler_gets_the_path_and_exit_code_of_the_first_failure(tmp_path: Path) -> None:
    worker, listener = tmp_path / "worker.json", Listener()
    worker.write_text('{"message": "flat"}')
    error = child_failed(str(worker))
    with pytest.raises(ChildFailedError), record(error_handler=listener):
        raise error
    assert listener.calls == [("initialize",), ("dump_error_file", str(worker), 3)]


def test_a_childs_file_that_vanished_is_a_warning(path: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    worker = tmp_path / "worker.json"
    worker.write_text('{"message": "flat"}')
    error = child_failed(str(worker))
    worker.unlink()
    with pytest.raises(ChildFailedError), record():
        raise error
    assert not path.exists()
    assert "No such file" in caplog.text


def test_record_starts_no_thread_and_leaves_the_environment_alone(path: Path) -> None:
    import threading

    threads, environment = threading.active_count(), dict(os.environ)
    with pytest.raises(ValueError, match="x"):
        record(fail, error_file=path)()
    assert (threading.active_count(), dict(os.environ)) == (threads, environment)


def test_record_is_a_public_name_of_the_package() -> None:
    assert errors_core.record is record
    assert isinstance(record(), Recording)
