"""The help: every key by where it works, taken from the bindings themselves, so that none can be missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding

from inspector.presentation.keys import format_key, format_marks
from inspector.presentation.lines import Line, line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from textual.binding import BindingType

    from inspector.presentation.glyphs import Glyphs

__all__ = ["help_lines"]


def help_lines(
    contexts: Iterable[tuple[str, Iterable[BindingType], bool]], glyphs: Glyphs
) -> Iterator[tuple[Line, str | None]]:
    """Yield lines with the actions that they run, then the marks of the list.

    A context is a title, its bindings, and whether they can be run from the help.
    """
    for title, bindings, runnable in contexts:
        yield line((title, "title")), None
        for binding in bindings:
            if isinstance(binding, Binding):
                yield format_key(binding.key, binding.description), binding.action if runnable else None
        yield (), None
    yield line(("marks", "title")), None
    for parts in format_marks(glyphs):
        yield parts, None
