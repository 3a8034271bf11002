"""`ThreadedScreen`: what the job screen has done in threads. Each thread computes and posts one past-tense message.

Owns the threads; it touches no widget. A thread whose work nobody waits for any more stops at its next step.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from textual import work
from textual.message import Message
from textual.screen import Screen
from textual.worker import Worker as Thread
from textual.worker import WorkerState, get_current_worker

from errors_core.exceptions import ErrorsCoreError
from inspector.clipboard import send_text
from inspector.presentation.choice import Choice, ChoiceError, choose
from inspector.presentation.panes import PANES, Look
from inspector.presentation.shown_attempt import ShownAttempt, show_attempt
from inspector.presentation.worker_details import WorkerDetails

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from errors_core.job import Job
    from errors_core.load import Progress
    from errors_core.verdict import Verdict
    from inspector.job_source import JobSource
    from inspector.presentation.lines import Line

__all__ = ["ThreadedScreen"]

_BETWEEN_REPORTS = 0.1
_BETWEEN_TABLES = 0.5


class _Stopped(Exception):  # noqa: N818 - no error: nobody waits for the job any more
    """Raised through the loader to end it."""


class ThreadedScreen(Screen[None]):
    """Loading, judging, reading a worker's details, sending text away: none of it blocks a key."""

    class Progressed(Message):
        """More was read; `shown` is what is known so far, now and then."""

        def __init__(self, progress: Progress, shown: ShownAttempt | None) -> None:
            super().__init__()
            self.progress = progress
            self.shown = shown

    class Loaded(Message):
        """Everything was read. `choice` is `None` when no run was found."""

        def __init__(self, job: Job, choice: Choice | None) -> None:
            super().__init__()
            self.job = job
            self.choice = choice

    class NotLoaded(Message):
        """The paths cannot be read, or what was asked for is not there."""

        def __init__(self, reason: str) -> None:
            super().__init__()
            self.reason = reason

    class Judged(Message):
        """An attempt has its verdict."""

        def __init__(self, shown: ShownAttempt) -> None:
            super().__init__()
            self.shown = shown

    class Looked(Message):
        """A worker's panes were written."""

        def __init__(self, shown: ShownAttempt, index: int | None, texts: Mapping[str, Sequence[Line]]) -> None:
            super().__init__()
            self.shown = shown
            self.index = index
            self.texts = texts

    class Reported(Message):
        """The whole report was written."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Sent(Message):
        """A text was sent away; `words` say how far."""

        def __init__(self, words: str) -> None:
            super().__init__()
            self.words = words

    def __init__(self, source: JobSource, run: str | None, attempt: int | None) -> None:
        super().__init__()
        self.source = source
        self.wanted_run = run
        self.wanted_attempt = attempt
        self._verdicts: dict[Choice, Verdict] = {}

    @work(thread=True, exclusive=True, exit_on_error=False, group="load", description="load")
    def load(self) -> None:
        """Read the job."""
        try:
            job = self.source.load(_Progress(self))
            self._verdicts.clear()
            self.post_message(self.Loaded(job, choose(job, self.wanted_run, self.wanted_attempt)))
        except _Stopped:
            pass
        except OSError as error:
            self.post_message(self.NotLoaded(f"{error.filename}: {error.strerror}" if error.filename else str(error)))
        except (ErrorsCoreError, ChoiceError) as error:
            self.post_message(self.NotLoaded(str(error)))

    @work(thread=True, exclusive=True, exit_on_error=False, group="judge", description="judge")
    def judge(self, job: Job, choice: Choice) -> None:
        """Judge an attempt; each one once."""
        attempt = job.runs[choice.run].attempts[choice.attempt]
        verdict = self._verdicts.get(choice) or self.source.diagnose(attempt)
        self._verdicts[choice] = verdict
        shown = show_attempt(job, choice, verdict)
        if not get_current_worker().is_cancelled:
            self.post_message(self.Judged(shown))

    @work(thread=True, exclusive=True, exit_on_error=False, group="look", description="look")
    def look(self, shown: ShownAttempt, index: int | None, *, folded: bool) -> None:
        """Read a worker's details and write its panes; `None`: those of an attempt without one."""
        details = WorkerDetails() if index is None else self.source.read_details(shown.attempt.workers[index])
        look = Look(shown, index, details, folded)
        texts = {pane.name: list(pane.format(look)) for pane in PANES}
        if not get_current_worker().is_cancelled:
            self.post_message(self.Looked(shown, index, texts))

    @work(thread=True, exclusive=True, exit_on_error=False, group="report", description="report")
    def write_report(self, shown: ShownAttempt) -> None:
        """Write the whole report."""
        self.post_message(self.Reported(self.source.report(shown.job, shown.choice)))

    @work(thread=True, exit_on_error=False, group="send", description="send")
    def send(self, text: str) -> None:
        """Send text on the first way that is open."""
        words = send_text(text, lambda sent: self.app.call_from_thread(self.app.copy_to_clipboard, sent))
        self.post_message(self.Sent(words))

    def on_worker_state_changed(self, event: Thread.StateChanged) -> None:
        """Say what went wrong in a thread; the app goes on."""
        if event.state is WorkerState.ERROR:
            error = event.worker.error
            self.post_message(self.Sent(f"could not {event.worker.group}: {type(error).__name__}: {error}"))


class _Progress:
    """Passes progress on, not more often than anybody can see, and stops a load that was given up."""

    def __init__(self, screen: ThreadedScreen) -> None:
        self._screen = screen
        self._thread = get_current_worker()
        self._phase = ""
        self._reported = self._tabled = 0.0

    def __call__(self, progress: Progress) -> None:
        if self._thread.is_cancelled:
            raise _Stopped
        now = monotonic()
        if progress.job is not None and now - self._tabled >= _BETWEEN_TABLES:
            shown = self._so_far(progress.job)
            self._tabled = monotonic()
        elif progress.phase == self._phase and now - self._reported < _BETWEEN_REPORTS:
            return
        else:
            shown = None
        self._phase, self._reported = progress.phase, now
        self._screen.post_message(self._screen.Progressed(progress, shown))

    def _so_far(self, job: Job) -> ShownAttempt | None:
        try:
            choice = choose(job, self._screen.wanted_run, self._screen.wanted_attempt)
        except ChoiceError:
            return None
        return None if choice is None else show_attempt(job, choice, None)
