"""`TakeAlongScreen`: taking text out of the app: copied, or as bare text outside of it."""

from __future__ import annotations

from typing import ClassVar

from textual.app import SuspendNotSupported
from textual.binding import Binding, BindingType

from inspector.bare_text import show_bare_text
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
        self._show_bare(message.text)

    def on_threaded_screen_sent(self, message: AttemptScreen.Sent) -> None:
        """Say how far the text came."""
        self.say(message.words)

    @property
    def verdict_text(self) -> str:
        """The verdict with its evidence as plain text; empty while there is none."""
        answer = () if self.shown is None else self.shown.answer
        return "".join(f"{plain(safe_line(parts))}\n" for parts in answer)

    def action_copy_verdict(self) -> None:
        """Send the verdict away."""
        if self.verdict_text:
            self.send(self.verdict_text)

    def action_copy_pane(self) -> None:
        """Send the pane's text away."""
        self.send(self.pane_text)

    def action_bare_pane(self) -> None:
        """Show the pane's text outside of the app."""
        self._show_bare(self.pane_text)

    def action_bare_report(self) -> None:
        """Have the whole report written, then show it outside of the app."""
        if self.shown is not None:
            self.say("writing the report")
            self.write_report(self.shown)

    def _show_bare(self, text: str) -> None:
        try:
            show_bare_text(self.app, text)
        except SuspendNotSupported:
            self.say("this terminal cannot be left and come back to")
