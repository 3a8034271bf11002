"""The help: every key by where it works, taken from the bindings themselves, so that none can be missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding

from inspector.presentation.keys import KeyWords, format_keys
from inspector.presentation.lines import Line, line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from textual.binding import BindingType

__all__ = ["help_lines"]


def help_lines(contexts: Iterable[tuple[str, Iterable[BindingType], bool]]) -> Iterator[tuple[Line, str | None]]:
    """Yield lines with the actions that they run; a context is a title, its bindings, whether they can be run here."""
    for number, (title, bindings, runnable) in enumerate(contexts):
        if number:
            yield (), None
        yield line((title, "title")), None
        for binding in bindings:
            if isinstance(binding, Binding):
                words = KeyWords(binding.key, binding.description, binding.action)
                yield format_keys(words), words.action if runnable else None
