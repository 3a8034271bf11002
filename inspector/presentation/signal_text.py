"""The Signal pane: what a worker's exit code means, who sent the signal as far as the evidence tells, what to check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from errors_core.signals import explain_exitcode, signal_name
from inspector.presentation.lines import Line, line
from inspector.presentation.times import format_time
from inspector.presentation.words import place_words, worker_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from errors_core.job import Attempt, Closing, Worker
    from errors_core.signals import ExitMeaning

__all__ = ["format_signal"]

_OWN_DOING = frozenset({"SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGSEGV", "SIGSYS", "SIGTRAP"})


def format_signal(attempt: Attempt, worker: Worker) -> Iterator[Line]:
    """Yield the lines about how a worker ended."""
    if worker.exitcode is None:
        yield line(("The exit code of this worker is not known: ", "strong"), "nothing that was read lists it.")
        yield from _sender(attempt, worker, None)
        return
    meaning = explain_exitcode(worker.exitcode)
    yield line((f"exit code {worker.exitcode}", "strong"), f"  {meaning.name}" if meaning.name else "")
    yield line(meaning.words)
    yield from _sender(attempt, worker, meaning)
    yield from _listed("Usual causes", meaning.usual_causes)
    yield from _listed("Check", meaning.checks_for(worker.pid))


def _listed(title: str, items: tuple[str, ...]) -> Iterator[Line]:
    if items:
        yield ()
        yield line((title, "title"))
        for item in items:
            yield line(("  - ", "dim"), item)


def _sender(attempt: Attempt, worker: Worker, meaning: ExitMeaning | None) -> Iterator[Line]:
    """Say who sent the signal; only the launcher leaves a line about it."""
    by_signal = meaning is not None and meaning.signal is not None
    if not by_signal and not worker.closings:
        return
    yield ()
    yield line(("Sent by", "title"))
    for closing in worker.closings:
        yield _closing_line(worker, closing)
    if meaning is None or meaning.signal is None or any(c.signal == meaning.signal for c in worker.closings):
        return
    yield line("  ", _other_sender(attempt, worker, meaning))


def _closing_line(worker: Worker, closing: Closing) -> Line:
    name = signal_name(-closing.signal) or f"signal {closing.signal}"
    why = "after the grace period, because it had not ended" if closing.forced else "because another worker had failed"
    when = "" if closing.time is None else f", {format_time(closing.time)}"
    return line(
        f"  The launcher sent {name} to {worker_words(worker)} {why}",
        (f" ({place_words(closing.place.path, closing.place.line)}{when})", "dim"),
    )


def _other_sender(attempt: Attempt, worker: Worker, meaning: ExitMeaning) -> str:
    if meaning.name in _OWN_DOING:
        return f"Most likely nobody: the kernel or the process itself raises {meaning.name}."
    if worker.closings:
        return f"{meaning.name} did not come with the launcher's own signal: no line tells who sent it."
    if any(other.closings for other in attempt.workers):
        return "Not the launcher, as far as its log tells: it names the workers it signals, and not this one."
    return "Not known: nothing that was read tells who sends signals (the launcher's log would)."
