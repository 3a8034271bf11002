"""`ChildFailedError`: what an agent raises when workers ended badly, and its well-known text block.

Owns the layout of the block, which torchrun's users and log readers know. It opens no file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from errors_core import handlers
from errors_core.error_handler import logger
from errors_core.error_report import report_from_data
from errors_core.failure import NOT_AVAILABLE, ProcessFailure

if TYPE_CHECKING:
    Failures = Mapping[int, ProcessFailure] | Iterable[tuple[str, ProcessFailure]]

__all__ = ["ChildFailedError"]

_MAX_WIDTH = 60
_VISIBLE = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}


class ChildFailedError(Exception):
    """Workers ended badly: `ChildFailedError(name, {rank: failure})` or `ChildFailedError([(role, failure), …])`.

    `failures` is kept as it was given; the second form has the name `workers`. Raises `AssertionError` without any.
    """

    def __init__(
        self,
        name: str | Iterable[tuple[str, ProcessFailure]],
        failures: Failures | None = None,
    ) -> None:
        given = failures if isinstance(name, str) else name
        self.name = name if isinstance(name, str) else "workers"
        self.failures: Mapping[int, ProcessFailure] | list[tuple[str, ProcessFailure]]
        self.failures = given if isinstance(given, Mapping) else list(given or ())
        if not self.failures:
            raise AssertionError("a ChildFailedError needs at least one failure")
        super().__init__(self.format_msg())

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.failures)

    def get_first_failure(self) -> tuple[Any, ProcessFailure]:
        """Return the failure with the smallest timestamp, the first one on a tie, and its rank or role."""
        return min(self._pairs(), key=lambda pair: pair[1].timestamp)

    def format_msg(self, boarder_delim: str = "=", section_delim: str = "-") -> str:
        """Return the block that names all failures, the first observed one last."""
        first = self.get_first_failure()[1]
        title = f"{_visible(self.name)} FAILED"
        root: list[str] = []
        others: list[str] = []
        for index, (key, failure) in enumerate(self._pairs()):
            part = root if failure is first and not root else others
            part += _lines_of(index, key, failure, is_root=part is root)
        width = min(max(map(len, (title, *root, *others))), _MAX_WIDTH)
        border, section = boarder_delim * width, section_delim * width
        others = others or ["  <NO_OTHER_FAILURES>"]
        heading = "Root Cause (first observed failure):"
        return "\n".join(
            ["", border, title, section, "Failures:", *others, section, heading, *root, border],
        )

    def _pairs(self) -> list[tuple[Any, ProcessFailure]]:
        return list(self.failures.items()) if isinstance(self.failures, Mapping) else list(self.failures)


def _lines_of(index: int, key: object, failure: ProcessFailure, *, is_root: bool) -> list[str]:
    """Return the lines for one failure; `key` is its rank, or its role in the second form."""
    signal_name = failure.signal_name()
    rank = key if isinstance(key, int) else getattr(failure, "rank", None)
    lines = [
        f"[{index}]:",
        f"  time      : {failure.timestamp_isoformat()}",
        f"  host      : {_visible(getattr(failure, 'host', None) or NOT_AVAILABLE)}",
        f"  rank      : {_or_not_available(rank)} (local_rank: {_or_not_available(failure.local_rank)})",
        f"  exitcode  : {_or_not_available(failure.exitcode)} (pid: {_or_not_available(failure.pid)})"
        + (f"  ({signal_name})" if signal_name != NOT_AVAILABLE else ""),
        f"  error_file: {_visible(str(failure.error_file))}",
    ]
    if isinstance(key, str):
        lines.insert(3, f"  role      : {_visible(key)}")
    text = _visible(_text_of(failure, is_root=is_root)).rstrip("\n")
    return lines + ("  traceback : " + text.replace("\n", "\n  ")).split("\n")


def _or_not_available(value: object) -> str:
    return NOT_AVAILABLE if value is None else str(value)


def _text_of(failure: ProcessFailure, *, is_root: bool) -> str:
    """Return the traceback if there is one, else the message; a signal may be told more about by the handler."""
    text = failure.message
    if not isinstance(text, str):
        report = report_from_data({"message": text})
        text = (None if report.recorder_frames else report.traceback) or report.message or NOT_AVAILABLE
    if not is_root or failure.exitcode is None or failure.exitcode >= 0:
        return text
    try:
        return handlers.get_error_handler().maybe_enrich_signal_failure_message(text, failure.error_file)
    except Exception:  # noqa: BLE001 - a site's own handler may raise anything, and the failure must still be shown
        logger.warning("the error handler could not tell more about the signal", exc_info=True)
        return text


def _visible(text: str) -> str:
    """Return the text with control characters spelled out: a dead job must not steer the terminal."""
    return text.translate(_VISIBLE)
