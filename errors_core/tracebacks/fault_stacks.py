"""Dumps of faulthandler."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from errors_core.tracebacks.model import ThreadStack

__all__ = ["parse_faulthandler"]


def parse_faulthandler(text: str) -> tuple[ThreadStack, ...]:
    """Return the stacks of the first dump in a text, in its order; empty when there is none."""
    raise NotImplementedError
