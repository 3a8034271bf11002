"""A traceback in short."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from errors_core.job import ErrorSummary, Place

__all__ = ["summarise"]


def summarise(
    text: str,
    place: Place,
    keep_text: bool = False,
    *,
    message: str | None = None,
    is_echo: Callable[[str], bool] | None = None,
) -> ErrorSummary | None:
    """Return what a traceback says, or `None` when the text holds none and `message` names no exception.

    `message` is the error file's own (`KeyError: 'x'`, `ValueError('x')`): used where the text does not end with the
    exception. `is_echo` tells whether `Type: message` only reports a lost or late peer.
    """
    raise NotImplementedError
