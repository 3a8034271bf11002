"""The columns of the rank list: which fit a width, their header and their rows as text.

It refuses to hide silently: `ColumnPlan.hidden` names what had no room.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from inspector.presentation.lines import Line, Piece, Role
from inspector.presentation.safe_text import cell_width, cut_left, pad, safe_text
from inspector.presentation.times import format_offset

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inspector.presentation.glyphs import Glyphs
    from inspector.presentation.rank_table import RankTable, RowState, SortKey

__all__ = ["ColumnPlan", "format_header", "format_row", "plan_columns"]

_TITLES: dict[str, str] = {
    "rank": "rank",
    "where": "host/local",
    "time": "after",
    "exit": "exit",
    "state": "state",
    "message": "message",
}
_TO_THE_RIGHT = frozenset({"rank", "time", "exit"})
_GUTTER = 3  # cursor, mark, blank
_WIDEST_WHERE = 24
_LEAST_MESSAGE = 18
# What goes first when there is no room; the mark still tells the state, the panes tell the rest.
_DROP_ORDER = ("time", "state", "where", "exit")

# Where there is no room for a message, the directories in it say least: `[/__w/pytorch/gloo/tcp/pair.cc:534] …`.
_DIRECTORY = re.compile(r"/(?:[^\s/:'\"\[\]]+/){2,}")

_STATE_ROLES: Mapping[RowState, Role] = {
    "root": "error",
    "origin": "warning",
    "silent": "warning",
    "echo": "text",
    "ended_by_launcher": "dim",
    "ok": "dim",
    "unknown": "text",
}


@dataclass(frozen=True, slots=True)
class ColumnPlan:
    """Pairs of a column and its width in cells; `hidden` are columns that have values and no room."""

    columns: tuple[tuple[str, int], ...]
    hidden: tuple[str, ...] = ()


def plan_columns(table: RankTable, width: int) -> ColumnPlan:
    """Return which columns fit into `width` cells; one that knows nothing in any row takes no room."""
    widths = dict(table.widths)
    widths["where"] = min(widths["where"], _WIDEST_WHERE)
    shown = {name: max(size, len(_TITLES[name]) + 1) for name, size in widths.items() if size or name == "rank"}
    hidden: list[str] = []
    for name in _DROP_ORDER:
        if _message_room(shown, width) >= _LEAST_MESSAGE:
            break
        if shown.pop(name, None):
            hidden.append(_TITLES[name])
    shown["message"] = max(_message_room(shown, width), 0)
    return ColumnPlan(tuple(shown.items()), tuple(hidden))


def _message_room(shown: Mapping[str, int], width: int) -> int:
    return width - _GUTTER - sum(size + 1 for size in shown.values())


def format_header(plan: ColumnPlan, sort: SortKey, glyphs: Glyphs, *, reverse: bool = False) -> Line:
    """Return the column titles; the sorted one carries an arrow."""
    arrow = glyphs.down if reverse else glyphs.up
    cells = [
        pad(f"{_TITLES[name]}{arrow if name == sort else ''}", size, right=name in _TO_THE_RIGHT)
        for name, size in plan.columns
    ]
    return (Piece(" " * _GUTTER + " ".join(cells), "label"),)


def format_row(table: RankTable, index: int, plan: ColumnPlan, glyphs: Glyphs, *, cursor: bool = False) -> Line:
    """Return one row in few pieces, so that few bytes repaint it; the state has its colour in the root cause alone."""
    state = table.state(index)
    role = _STATE_ROLES[state]
    rest: Role = "dim" if role == "dim" else "text"
    cells = {name: _cell(table, index, name, size, glyphs) for name, size in plan.columns}
    head = f"{glyphs.cursor if cursor else ' '}{glyphs.marks[state]} {cells.pop('rank')} "
    message = cells.pop("message")
    word = cells.pop("state", "")
    between = "".join(f"{cell} " for cell in cells.values())
    return (
        Piece(head, role),
        Piece(between, rest),
        Piece(f"{word} " if word else "", role if state == "root" else rest),
        Piece(message, rest),
    )


def _cell(table: RankTable, index: int, name: str, size: int, glyphs: Glyphs) -> str:
    text = _text(table, index, name)
    shown = glyphs.unknown if text is None else safe_text(text, ascii_only=glyphs.ascii_only)
    if name == "message" and cell_width(shown) > size:
        shown = _DIRECTORY.sub(f"{glyphs.ellipsis}/", shown)
    if name == "where":
        shown = cut_left(shown, size, ellipsis=glyphs.ellipsis)  # hosts of one cluster differ at their ends
    return pad(shown, size, right=name in _TO_THE_RIGHT, ellipsis=glyphs.ellipsis)


def _text(table: RankTable, index: int, name: str) -> str | None:
    match name:
        case "rank":
            rank = table.workers[index].rank
            return None if rank is None else str(rank)
        case "where":
            return table.where(index)
        case "time":
            delay = table.delay(index)
            return None if delay is None else format_offset(delay)
        case "exit":
            return table.exit_text(index)
        case "state":
            return table.state_word(index)
        case _:
            return table.title(index) or ""
