"""Wrappers replaced by the originals that they quote."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from errors_core.tracebacks.model import Traceback

__all__ = ["unwrap"]


def unwrap(traceback: Traceback) -> Traceback:
    """Return the chain with every wrapper replaced by the exceptions that it quotes."""
    raise NotImplementedError
