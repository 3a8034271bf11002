"""`record`: watches the main function of a worker and writes its failure to the error file.

Runs inside somebody's training process and does no harm there: the exception, the exit code and the signature stay
as they are, no thread is started, and whatever goes wrong in here is a warning. What is written where is told
in `errors_core.error_handler`.
"""

from __future__ import annotations

import functools
import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, Self, TypeVar, cast, overload

from errors_core import handlers
from errors_core.error_handler import logger
from errors_core.failure import NOT_AVAILABLE
from errors_core.signals import exit_status

if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from types import TracebackType

__all__ = ["Recording", "record"]

P = ParamSpec("P")
R = TypeVar("R")


class Handler(Protocol):
    """What a handler must have at least, so that one made for torch can be used."""

    def initialize(self) -> None:
        """Prepare the process."""

    def record_exception(self, e: BaseException) -> None:
        """Write an exception to the error file."""

    def dump_error_file(self, rootcause_error_file: str, error_code: int = 0) -> None:
        """Pass a worker's error file on."""


class Recording:
    """A watch over a function or a `with` block; made by `record`. It can be used again and again."""

    def __init__(self, error_handler: Handler | None, error_file: str | os.PathLike[str] | None) -> None:
        self._handler: Handler = handlers.get_error_handler() if error_handler is None else error_handler
        self._error_file = None if error_file is None else str(Path(error_file).absolute())

    def __call__(self, fn: Callable[P, R]) -> Callable[P, R]:
        """Return the function under this watch; generators and classes come back as they are."""
        if isinstance(fn, staticmethod | classmethod):
            return cast("Callable[P, R]", type(fn)(self(fn.__func__)))
        if not callable(fn):
            raise TypeError(f"record() watches a function, not {type(fn).__name__}; a path goes into error_file=")
        if _is_class_or_generator(fn):
            logger.warning("record() does not watch %r: it is a class or a generator; decorate what runs it", fn)
            return fn
        return self._watch_async(fn) if _is_async(fn) else self._watch(fn)

    def __enter__(self) -> Self:
        _without_harm(self._handler.initialize)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exception: BaseException | None, frames: TracebackType | None
    ) -> None:
        _without_harm(self._take_note, exception)

    def _take_note(self, exception: BaseException | None) -> None:
        """Tell the handler how the watched code ended."""
        if self._error_file is not None:
            setattr(self._handler, "error_file", self._error_file)  # noqa: B010 - not every handler declares it
        if exception is None or exit_status(exception) == 0:
            self._call_if_present("record_success")
        elif callable(getattr(type(exception), "get_first_failure", None)):
            self._pass_on(exception)
        elif _is_failure(exception):
            self._handler.record_exception(exception)

    def _watch(self, fn: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(fn)
        def watched(*args: P.args, **kwargs: P.kwargs) -> R:
            _without_harm(self._call_if_present, "set_entrypoint_fn_name", _name_of(fn))
            with self:
                return fn(*args, **kwargs)

        return watched

    def _watch_async(self, fn: Callable[P, Any]) -> Callable[P, Any]:
        @functools.wraps(fn)
        async def watched(*args: P.args, **kwargs: P.kwargs) -> Any:  # noqa: ANN401 - whatever the coroutine returns
            _without_harm(self._call_if_present, "set_entrypoint_fn_name", _name_of(fn))
            with self:
                return await fn(*args, **kwargs)

        return watched

    def _call_if_present(self, method: str, *args: str) -> None:
        """Call a method that only newer handlers have."""
        action = getattr(self._handler, method, None)
        if action is not None:
            action(*args)

    def _pass_on(self, error: Any) -> None:  # noqa: ANN401 - our own ChildFailedError or torch's
        """Pass the error file of the first failure on; a failure without one leaves nothing to pass on."""
        rank, failure = error.get_first_failure()
        if failure.error_file == NOT_AVAILABLE:
            logger.info("worker %s, the first failure, left no error file; put record() around its main function", rank)
        elif _is_filled(getattr(self._handler, "_get_error_file_path", _nowhere)()):
            logger.info("the error file of this process holds an earlier report, which stays")
        else:
            self._handler.dump_error_file(failure.error_file, failure.exitcode or 0)


@overload
def record(
    fn: Callable[P, R], error_handler: Handler | None = None, *, error_file: str | os.PathLike[str] | None = None
) -> Callable[P, R]: ...


@overload
def record(
    fn: None = None, error_handler: Handler | None = None, *, error_file: str | os.PathLike[str] | None = None
) -> Recording: ...


def record(
    fn: Callable[P, R] | None = None,
    error_handler: Handler | None = None,
    *,
    error_file: str | os.PathLike[str] | None = None,
) -> Callable[P, R] | Recording:
    """Write an unhandled exception of a function or `with` block to the error file, and let it go on.

    `@record`, `@record(error_file=…)`, `@record(error_handler=…)`, `record(fn, handler)`, `with record():`.
    `KeyboardInterrupt` and a `SystemExit` with a code other than 0 are written as well. The first report wins. A
    `ChildFailedError` passes its first failure's error file on. Where no file is arranged, by `error_file` or by
    `TORCHELASTIC_ERROR_FILE`, nothing is written.
    """
    recording = Recording(error_handler, error_file)
    return recording if fn is None else recording(fn)


def _is_async(fn: object) -> bool:
    inner = _without_partials(fn)
    call = getattr(type(inner), "__call__", None)  # noqa: B004 - asks what kind of call it is, not whether there is one
    return inspect.iscoroutinefunction(inner) or inspect.iscoroutinefunction(call)


def _is_class_or_generator(fn: object) -> bool:
    return inspect.isclass(fn) or inspect.isgeneratorfunction(fn) or inspect.isasyncgenfunction(fn)


def _name_of(fn: object) -> str:
    inner = _without_partials(fn)
    return str(getattr(inner, "__name__", type(inner).__name__))


def _without_partials(fn: object) -> object:
    while isinstance(fn, functools.partial):
        fn = fn.func
    return fn


def _nowhere() -> None:
    """Stand in for a handler that does not tell where it writes."""


def _is_filled(path: str | None) -> bool:
    return path is not None and Path(path).is_file() and Path(path).stat().st_size > 0


def _is_failure(exception: BaseException) -> bool:
    """Whether an exception is a failure: all are, but for the ways in which Python stops generators and tasks."""
    if isinstance(exception, Exception):
        return True
    return not isinstance(exception, GeneratorExit) and type(exception).__name__ not in ("CancelledError", "Cancelled")


def _without_harm(action: Callable[..., object], *args: object) -> None:
    try:
        action(*args)
    except Exception as error:  # noqa: BLE001 - the watched code goes on with its own exception, not with ours
        logger.warning("record() could not do its part (%s: %s)", type(error).__name__, error)
