"""Traceback text → `Traceback`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from errors_core.tracebacks.model import Traceback

__all__ = ["parse_traceback"]


def parse_traceback(text: str) -> Traceback | None:
    """Return the first traceback in a text, or `None` when there is none."""
    raise NotImplementedError
