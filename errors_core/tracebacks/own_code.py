"""Which frames are the job's own code: pure questions about a path."""

from __future__ import annotations

__all__ = ["is_own_code"]


def is_own_code(path: str) -> bool:
    """Tell whether a frame's file is the job's own: not the standard library, not an installed package."""
    raise NotImplementedError
