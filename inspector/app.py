"""`InspectorApp`: the program around the job screen: terminal, themes, and how it ends."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual import events
from textual.app import App
from textual.binding import Binding, BindingType
from textual.widgets import Input

from inspector.ending import end_on_signals
from inspector.exit_codes import ExitCode
from inspector.job_source import JobSource
from inspector.odd_input import forgive_odd_input
from inspector.presentation.safe_text import safe_text
from inspector.screens.job_screen import JobScreen
from inspector.terminal import Terminal, describe_terminal
from inspector.themes import OWN_DARK, OWN_LIGHT, THEMES, theme_for
from inspector.widgets.plain_scroll_bar import use_plain_scroll_bars

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["InspectorApp"]


class InspectorApp(App[None]):
    """Shows what the paths hold; `mouse` and `terminal` are by default as the environment suggests."""

    CSS_PATH = "inspector.tcss"
    TITLE = "elastic-inspect"
    ENABLE_COMMAND_PALETTE = False  # the help is one: it lists, filters and runs every action
    ALLOW_SELECT = False  # lines are drawn, not laid out: the copy keys and bare text take whole texts along
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "quit", "quit"),
        Binding("ctrl+c", "quit", "quit", priority=True),
        Binding("ctrl+z", "suspend_process", "to the shell; fg comes back"),
    ]

    def __init__(
        self,
        paths: Sequence[str],
        *,
        run: str | None = None,
        attempt: int | None = None,
        mouse: bool | None = None,
        terminal: Terminal | None = None,
        source: JobSource | None = None,
    ) -> None:
        terminal = terminal or describe_terminal()
        super().__init__(ansi_color=True if terminal.ansi else None)
        self._leaving = False
        use_plain_scroll_bars()
        forgive_odd_input()
        self.animation_level = "none"
        for theme in THEMES:
            self.register_theme(theme)
        self.set_reactive(App.theme, "")  # Textual has set TEXTUAL_THEME already, before it knew our themes
        self.theme = theme_for(terminal, chosen=os.environ.get("TEXTUAL_THEME"))
        self._mouse = terminal.mouse if mouse is None else mouse
        self.job_screen = JobScreen(source or JobSource(paths), terminal.glyphs, run, attempt)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Give our own colours a value in themes that do not know them."""
        return OWN_DARK if self.current_theme.dark else OWN_LIGHT

    def run(self, **options: Any) -> Any:  # noqa: ANN401 - Textual's own options and result
        """Run until it is left; `return_code` is what the process ends with."""
        return super().run(**{"mouse": self._mouse} | options)

    def on_mount(self) -> None:
        """Show the job."""
        end_on_signals(self)
        self.push_screen(self.job_screen)

    async def on_event(self, event: events.Event) -> None:
        """Run a key's action before the next key is looked at: over a slow line several arrive in one piece.

        What is typed into a prompt goes there as usual; what is typed on the way out is for the shell.
        """
        if self._leaving and isinstance(event, events.InputEvent):
            return
        if isinstance(event, events.Key) and not event.is_forwarded and not isinstance(self.focused, Input):
            active = self.screen.active_bindings.get(event.key)
            if active is not None and await self.run_action(active.binding.action, active.node):
                return
        await super().on_event(event)

    def on_threaded_screen_not_loaded(self, message: JobScreen.NotLoaded) -> None:
        """Leave with the reason; there is nothing to show."""
        text = safe_text(f"elastic-inspect: {message.reason}", ascii_only=True)
        self.exit(return_code=ExitCode.USAGE, message=Text(text))

    def exit(self, *args: Any, **options: Any) -> None:  # noqa: ANN401 - Textual's own arguments
        """Leave; no key counts any more."""
        self._leaving = True
        super().exit(*args, **options)

    async def action_quit(self) -> None:
        """Leave."""
        self.exit(return_code=self.job_screen.exit_code)
