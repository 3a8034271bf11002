"""`AttemptScreen`: going from one run or attempt to another."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from inspector.exit_codes import ExitCode
from inspector.presentation.attempt_lines import attempt_lines
from inspector.presentation.choice import Choice
from inspector.screens.choice_screen import ChoiceScreen
from inspector.screens.threads import ThreadedScreen

if TYPE_CHECKING:
    from inspector.job_source import JobSource
    from inspector.presentation.glyphs import Glyphs
    from inspector.presentation.shown_attempt import ShownAttempt

__all__ = ["AttemptScreen"]


class AttemptScreen(ThreadedScreen):
    """A screen that shows one attempt of a job."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "attempts", "choose a run and attempt"),
        Binding("right_square_bracket", "attempt(1)", "next attempt"),
        Binding("left_square_bracket", "attempt(-1)", "previous attempt"),
        Binding("right_curly_bracket", "run(1)", "next run"),
        Binding("left_curly_bracket", "run(-1)", "previous run"),
    ]

    def __init__(self, source: JobSource, glyphs: Glyphs, run: str | None, attempt: int | None) -> None:
        super().__init__(source, run, attempt)
        self.glyphs = glyphs
        self.shown: ShownAttempt | None = None
        self.found_nothing = False

    @property
    def exit_code(self) -> int:
        """What the app ends with: whether a failure was shown, or 130 when it was left before that."""
        if self.shown is None or self.shown.verdict is None:
            return ExitCode.NOTHING_FAILED if self.found_nothing else ExitCode.INTERRUPTED
        workers = (worker for run in self.shown.job.runs for attempt in run.attempts for worker in attempt.workers)
        found = self.shown.verdict.kind != "none" or any(worker.failed for worker in workers)
        return ExitCode.FOUND if found else ExitCode.NOTHING_FAILED

    def say(self, text: str) -> None:
        """Tell something for a moment."""
        raise NotImplementedError

    def action_attempts(self) -> None:
        """Choose a run and attempt."""
        if self.shown is not None:
            lines = list(attempt_lines(self.shown.job))
            cursor = [choice for _, choice in lines].index(self.shown.choice)
            screen = ChoiceScreen[Choice](self.glyphs, "runs and attempts", lines, cursor)
            self.app.push_screen(screen, self._choose)

    def action_attempt(self, step: int) -> None:
        """Show the next attempt."""
        if self.shown is not None:
            number = self.shown.choice.attempt + step
            if 0 <= number < len(self.shown.run.attempts):
                self._choose(self.shown.choice._replace(attempt=number))
            else:
                self.say(f"no {'later' if step > 0 else 'earlier'} attempt in this run")

    def action_run(self, step: int) -> None:
        """Show the next run, its last attempt."""
        if self.shown is not None:
            number = self.shown.choice.run + step
            if 0 <= number < len(self.shown.job.runs):
                self._choose(Choice(number, len(self.shown.job.runs[number].attempts) - 1))
            else:
                self.say(f"no {'later' if step > 0 else 'earlier'} run")

    def _choose(self, choice: Choice | None) -> None:
        if choice is not None and self.shown is not None:
            self.judge(self.shown.job, choice)
