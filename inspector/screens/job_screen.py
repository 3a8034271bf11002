"""`JobScreen`: verdict, ranks and panes of one attempt.

Owns the layout, the keys, and which worker, pane, run and attempt are looked at. It refuses to read or to judge:
that is done in threads (`screens.threads`), and only message handlers touch widgets.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.reactive import Reactive

from inspector.presentation.bars import format_job, format_worker, nothing_lines
from inspector.presentation.filter_query import FilterQuery
from inspector.presentation.shown_attempt import find_same_attempt, find_same_worker
from inspector.presentation.words import of_all
from inspector.screens.attempt_screen import AttemptScreen
from inspector.screens.choice_screen import ChoiceScreen
from inspector.screens.help_lines import help_lines
from inspector.screens.take_along_screen import TakeAlongScreen
from inspector.widgets.bar import Bar
from inspector.widgets.filter_prompt import FilterPrompt
from inspector.widgets.key_hints import KeyHints
from inspector.widgets.line_list import LineList
from inspector.widgets.pane_panel import PanePanel
from inspector.widgets.rank_panel import RankPanel
from inspector.widgets.text_view import TextView
from inspector.widgets.verdict_panel import VerdictPanel

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.timer import Timer
    from textual.widget import Widget

    from inspector.job_source import JobSource
    from inspector.presentation.glyphs import Glyphs
    from inspector.presentation.shown_attempt import ShownAttempt
    from inspector.screens.threads import ThreadedScreen

__all__ = ["JobScreen"]

# While the cursor runs through the list its pane waits: a held key costs two rows a step and no reading.
_REST = 0.06
_LIST_HINTS = (("/", "filter"), ("s", "sort"), ("r", "root cause"), ("y", "copy"), ("?", "keys"), ("q", "quit"))
_PANE_HINTS = (("esc", "ranks"), ("w", "wrap"), ("f", "fold"), ("z", "zoom"), ("?", "keys"), ("q", "quit"))


class JobScreen(TakeAlongScreen):
    """The one screen of the app; help and the list of attempts come on top of it."""

    # As in `Screen`, but a change of focus does not paint the whole screen again: the widgets show it themselves.
    focused: Reactive[Widget | None] = Reactive(None, repaint=False)

    AUTO_FOCUS = "#rank-list"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (140, "-wide")]  # noqa: RUF012 - Textual declares the class variable
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "pane('traceback')", "traceback"),
        Binding("2", "pane('signal')", "signal: how it ended, who sent it, what to check"),
        Binding("3", "pane('extra')", "extra info: every fact and where it stands"),
        Binding("4", "pane('log')", "log tail"),
        Binding("5", "pane('evidence')", "evidence: why the verdict says so"),
        Binding("tab", "next_pane(1)", "next pane"),
        Binding("shift+tab", "next_pane(-1)", "previous pane"),
        Binding("slash", "filter", "filter: words that occur, !words that do not, =17: rank 17"),
        Binding("s", "sort", "sort by the next column"),
        Binding("S", "turn", "turn the order around"),
        Binding("r", "root", "jump to the root cause"),
        Binding("z", "zoom", "zoom: the list or the pane alone, and back"),
        Binding("w", "wrap", "wrap long lines, or not"),
        Binding("f", "fold", "fold library frames, or not"),
        Binding("R", "reload", "read everything again"),
        Binding("escape", "back", "back: end zoom, leave the pane, clear the filter"),
        Binding("question_mark", "help", "all keys"),
    ]

    def __init__(self, source: JobSource, glyphs: Glyphs, run: str | None, attempt: int | None) -> None:
        super().__init__(source, glyphs, run, attempt)
        self.folded = True
        self._looked: tuple[ShownAttempt, int | None] | None = None
        self._before: ShownAttempt | None = None
        self._resting: Timer | None = None
        self._header = Bar(glyphs, id="header")
        self._verdict = VerdictPanel(glyphs, id="verdict")
        self._rank_panel = RankPanel(glyphs, id="ranks")
        self._ranks = self._rank_panel.ranks
        self._panes = PanePanel(glyphs, id="panes")
        self._hints = KeyHints(glyphs, id="hints")
        self._prompt = FilterPrompt(glyphs, id="filter")

    def compose(self) -> ComposeResult:
        """Lay out header, verdict, ranks, panes and the last row."""
        yield self._header
        yield self._verdict
        with Container(id="body"):
            yield self._rank_panel
            yield self._panes
        yield self._hints
        yield self._prompt

    def on_mount(self) -> None:
        """Paint the first frame before any file is read."""
        self._header.show_for_width(partial(format_job, self.source.paths, None))
        self._verdict.show_progress(self.source.paths, 0, None, "looking for files")
        self.call_after_refresh(self.load)

    # what threads have done

    def on_threaded_screen_progressed(self, message: ThreadedScreen.Progressed) -> None:
        """Show how far reading is, and the first time the ranks known so far."""
        progress = message.progress
        self._verdict.show_progress(self.source.paths, progress.done, progress.total, progress.phase)
        if message.shown is not None and self._before is None:
            self._show(message.shown, self._find_worker(message.shown))

    def on_threaded_screen_loaded(self, message: ThreadedScreen.Loaded) -> None:
        """Have an attempt judged: after reading again the same one, if it is still there."""
        same = None if self._before is None else find_same_attempt(self._before, message.job)
        if message.choice is None:
            self.found_nothing = True
            self._verdict.show_rows(*nothing_lines(message.job))
        else:
            self.judge(message.job, same or message.choice)

    def on_threaded_screen_judged(self, message: ThreadedScreen.Judged) -> None:
        """Show the verdict, with the cursor on the root cause; after reading again on the same worker."""
        shown = message.shown
        same = None if self._before is None else self._find_worker(shown)
        self._before = None
        if shown.verdict is not None:
            self._verdict.show_verdict(shown.verdict)
        if shown.table.root is None:
            self._panes.open_pane("evidence")
        self._show(shown, shown.table.root if same is None else same)

    def on_threaded_screen_looked(self, message: ThreadedScreen.Looked) -> None:
        """Show the panes of the worker under the cursor."""
        if message.shown is self.shown and message.index == self._ranks.selected:
            worker = partial(format_worker, message.shown, message.index)
            looked = (message.shown, message.index)
            self._panes.show_worker(worker, message.texts, keep_place=looked == self._looked)
            self._looked = looked

    def _find_worker(self, shown: ShownAttempt) -> int | None:
        """Return where the worker under the cursor is in another picture."""
        index = self._ranks.selected
        return None if index is None else find_same_worker(self._ranks.table.workers[index], shown.attempt)

    def _show(self, shown: ShownAttempt, select: int | None) -> None:
        self.shown = shown
        self._header.show_for_width(partial(format_job, self.source.paths, shown))
        self._ranks.show_table(shown.table, select)

    # what widgets tell

    def on_line_list_highlighted(self) -> None:
        """Look at another worker as soon as the cursor rests on it."""
        if self._resting is not None:
            self._resting.stop()
        self._resting = self.set_timer(_REST, self._look)

    def on_line_list_chosen(self) -> None:
        """Go to the pane."""
        self.set_focus(self._panes.view)

    def on_rank_list_arranged(self) -> None:
        """Look at the attempt as a whole when no worker is there or let through."""
        if self._ranks.selected is None:
            self.on_line_list_highlighted()

    def on_filter_prompt_changed(self, message: FilterPrompt.Changed) -> None:
        """Filter while it is typed."""
        self._ranks.filter_by(message.query)
        self._show_filter_state()

    def on_filter_prompt_closed(self) -> None:
        """Give the last row back to the hints."""
        self.remove_class("-filtering")

    def on_descendant_focus(self) -> None:
        """Show the keys of where the focus is."""
        in_pane = self.focused is self._panes.view
        self._rank_panel.titles.set_class(not in_pane, "-focused")
        self._panes.titles.set_class(in_pane, "-focused")
        self._hints.show_hints(_PANE_HINTS if in_pane else _LIST_HINTS)
        if self.is_zoomed:
            self._zoom(True)

    @property
    def is_at_rest(self) -> bool:
        """Whether the panes show the worker under the cursor and nothing else is waited for."""
        if self.shown is None:
            return self.found_nothing
        return self._resting is None and self._looked == (self.shown, self._ranks.selected)

    @property
    def is_zoomed(self) -> bool:
        """Whether list or pane has the screen for itself."""
        return self.has_class("-zoom-pane") or self.has_class("-zoom-ranks")

    def _zoom(self, zoomed: bool) -> None:
        in_pane = self.focused is self._panes.view
        self.set_class(zoomed and in_pane, "-zoom-pane")
        self.set_class(zoomed and not in_pane, "-zoom-ranks")

    def _look(self) -> None:
        self._resting = None
        if self.shown is not None:
            self.look(self.shown, self._ranks.selected, folded=self.folded)

    # actions

    def action_pane(self, name: str) -> None:
        """Open a pane."""
        self._panes.open_pane(name)

    def action_next_pane(self, step: int) -> None:
        """Open the next pane."""
        self._panes.open_next(step)

    def action_filter(self) -> None:
        """Type a filter."""
        self.add_class("-filtering")
        self._show_filter_state()
        self._prompt.open()

    def _show_filter_state(self) -> None:
        self._prompt.show_state(of_all(self._ranks.row_count(), len(self._ranks.table)))

    def action_sort(self) -> None:
        """Sort by the next column."""
        self._rank_panel.sort_next()
        self.say(self._rank_panel.order_words)

    def action_turn(self) -> None:
        """Turn the order around."""
        self._rank_panel.turn()
        self.say(self._rank_panel.order_words)

    def action_root(self) -> None:
        """Jump to the root cause, past the filter if need be."""
        root = self._ranks.table.root
        if root is None:
            self.say("no worker is to blame")
            return
        if not self._ranks.select(root):
            self._prompt.clear()
            self._ranks.filter_by(FilterQuery())
            self._ranks.select(root)
        self.set_focus(self._ranks)

    def action_zoom(self) -> None:
        """Give the whole screen to what has the focus."""
        self._zoom(not self.is_zoomed)

    def action_wrap(self) -> None:
        """Wrap long lines, or not."""
        self._panes.view.wrapped = not self._panes.view.wrapped
        self.say("long lines are wrapped" if self._panes.view.wrapped else "long lines run on: h and l move sideways")

    def action_fold(self) -> None:
        """Fold library frames, or not."""
        self.folded = not self.folded
        self.say("library frames are folded" if self.folded else "all frames are shown")
        self._look()

    def action_reload(self) -> None:
        """Read everything again; what is shown stays until then."""
        self._before = self.shown
        self.load()

    def action_back(self) -> None:
        """Undo one thing: zoom, the focus on the pane, the filter."""
        if self.is_zoomed:
            self._zoom(False)
        elif self.focused is self._panes.view:
            self.set_focus(self._ranks)
        else:
            self._prompt.clear()

    def action_help(self) -> None:
        """Show all keys."""
        contexts = (
            ("everywhere", [*JobScreen.BINDINGS, *AttemptScreen.BINDINGS, *TakeAlongScreen.BINDINGS], True),
            ("in every screen", self.app.BINDINGS, False),
            ("in the list", LineList.BINDINGS, False),
            ("in a pane", TextView.BINDINGS, False),
        )
        lines = list(help_lines(contexts, self.glyphs))
        self.app.push_screen(ChoiceScreen[str](self.glyphs, "keys", lines, cursor=1), self._run_chosen)

    async def _run_chosen(self, action: str | None) -> None:
        if action is not None:
            await self.run_action(action)

    @property
    def pane_text(self) -> str:
        """The open pane as plain text."""
        return self._panes.view.text

    def say(self, text: str) -> None:
        """Tell something in the last row."""
        self._hints.say(text)
