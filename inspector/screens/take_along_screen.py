"""`TakeAlongScreen`: taking text out of the app: copied, or as bare text outside of it."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from inspector.bare_text import show_bare_text
from inspector.presentation.evidence_text import format_answer
from inspector.presentation.lines import plain, safe_line
from inspector.screens.attempt_screen import AttemptScreen

__all__ = ["TakeAlongScreen"]


class TakeAlongScreen(AttemptScreen):
    """A screen whose verdict, pane and report can be taken along: whole texts, without wraps and borders."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy_verdict", "copy the verdict"),
        Binding("Y", "copy_pane", "copy the pane"),
        Binding("b", "bare_pane", "show the pane as bare text, outside of the app"),
        Binding("B", "bare_report", "show the whole report as bare text"),
    ]

    @property
    def pane_text(self) -> str:
        """The open pane as plain text."""
        raise NotImplementedError

    def on_threaded_screen_reported(self, message: AttemptScreen.Reported) -> None:
        """Show the whole report outside of the app."""
        show_bare_text(self.app, message.text)

    def on_threaded_screen_sent(self, message: AttemptScreen.Sent) -> None:
        """Say how far the text came."""
        self.say(message.words)

    def action_copy_verdict(self) -> None:
        """Send the verdict away."""
        if self.shown is not None and self.shown.verdict is not None:
            lines = format_answer(self.shown.run, self.shown.attempt, self.shown.verdict)
            self.send("\n".join(plain(safe_line(parts)) for parts in lines) + "\n")

    def action_copy_pane(self) -> None:
        """Send the pane's text away."""
        self.send(self.pane_text)

    def action_bare_pane(self) -> None:
        """Show the pane's text outside of the app."""
        show_bare_text(self.app, self.pane_text)

    def action_bare_report(self) -> None:
        """Have the whole report written, then show it outside of the app."""
        if self.shown is not None:
            self.say("writing the report")
            self.write_report(self.shown)
