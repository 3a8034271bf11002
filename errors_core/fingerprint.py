"""Fingerprints: when two workers' errors are the same error."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from errors_core.tracebacks.model import Traceback

__all__ = ["fingerprint_exact", "fingerprint_frames", "mask", "masked_values"]


def fingerprint_exact(traceback: Traceback) -> str:
    """Return the fingerprint of types, frames and masked messages."""
    raise NotImplementedError


def fingerprint_frames(traceback: Traceback, headline: int = 0) -> str:
    """Return the fingerprint of the place: the headline's type and its innermost frames of own code."""
    raise NotImplementedError


def mask(message: str) -> str:
    """Return the message with what differs from worker to worker replaced by its kind (`<n>`, `<path>`, `<size>`)."""
    raise NotImplementedError


def masked_values(message: str) -> tuple[str, ...]:
    """Return what `mask` replaces, in order."""
    raise NotImplementedError
