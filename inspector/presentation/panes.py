"""The panes: what can be looked at about one worker. A new one is a function and a line in `PANES`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from inspector.presentation.evidence_text import format_evidence
from inspector.presentation.extra_text import format_extra_info
from inspector.presentation.lines import Line, line
from inspector.presentation.log_text import format_logs
from inspector.presentation.signal_text import format_signal
from inspector.presentation.traceback_text import format_traceback
from inspector.presentation.words import message_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from errors_core.job import Worker
    from inspector.presentation.shown_attempt import ShownAttempt
    from inspector.presentation.worker_details import WorkerDetails

__all__ = ["PANES", "Look", "Pane"]


_NO_WORKER = (line("No worker is selected: ", ("5 Evidence", "key"), " tells about the attempt as a whole."),)


@dataclass(frozen=True, slots=True)
class Look:
    """What a pane is to show: the worker at `index` (`None`: there is none to show).

    `folded`: library frames are folded.
    """

    shown: ShownAttempt
    index: int | None
    details: WorkerDetails
    folded: bool = True

    @property
    def worker(self) -> Worker | None:
        """The worker whose panes these are."""
        return None if self.index is None else self.shown.attempt.workers[self.index]


@dataclass(frozen=True, slots=True)
class Pane:
    """One pane. `short` is its title where room is scarce; `at_end`: its end tells most."""

    name: str
    title: str
    short: str
    format: Callable[[Look], Iterable[Line]]
    at_end: bool = False


def _traceback(look: Look) -> Iterable[Line]:
    text = look.details.traceback
    if text is not None:
        return format_traceback(text.splitlines(), folded=look.folded)
    return _no_traceback(look)


def _no_traceback(look: Look) -> Iterator[Line]:
    worker = look.worker
    if worker is None:
        yield from _NO_WORKER
        return
    if not worker.failed:
        yield line("This worker did not fail, as far as is known.")
        if worker.closings:
            yield line("The launcher stopped it: ", ("2 Signal", "key"), " says more about it.")
        return
    yield line(("This worker left no traceback.", "strong"))
    message = message_of(worker)
    if message is not None:
        yield ()
        for row in message.splitlines():
            yield line((row, "error"))
    yield ()
    if worker.exitcode is not None and worker.exitcode < 0:
        yield line("A signal leaves no time to write one: ", ("2 Signal", "key"), " says more about it.")
    else:
        yield line("Decorating the main function with @record makes a worker write it;")
        yield line("torchrun --log-dir DIR --redirects 3 keeps what it prints.")


def _signal(look: Look) -> Iterable[Line]:
    return _NO_WORKER if look.worker is None else format_signal(look.shown.attempt, look.worker)


def _extra(look: Look) -> Iterable[Line]:
    return _NO_WORKER if look.worker is None else format_extra_info(look.worker, look.details)


def _log(look: Look) -> Iterable[Line]:
    return _NO_WORKER if look.worker is None else format_logs(look.worker, look.details)


def _evidence(look: Look) -> Iterable[Line]:
    if look.shown.verdict is None:
        return [line("Still reading.")]
    return format_evidence(look.shown, look.index)


PANES = (
    Pane("traceback", "Traceback", "Trace", _traceback, at_end=True),
    Pane("signal", "Signal", "Signal", _signal),
    Pane("extra", "Extra info", "Extra", _extra),
    Pane("log", "Log tail", "Log", _log, at_end=True),
    Pane("evidence", "Evidence", "Why", _evidence),
)
