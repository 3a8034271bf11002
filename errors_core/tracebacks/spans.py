"""Tracebacks among the lines of a log."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from errors_core.tracebacks.model import TracebackSpan

__all__ = ["find_tracebacks"]


def find_tracebacks(lines: Iterable[tuple[int, str]]) -> Iterator[TracebackSpan]:
    """Yield the tracebacks in lines (number, text without prefixes), in the order of their first lines."""
    raise NotImplementedError
