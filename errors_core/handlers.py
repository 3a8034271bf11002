"""Where the error handler comes from: the one place to replace when a site has its own. Torch's module name."""

from __future__ import annotations

from errors_core.error_handler import ErrorHandler

__all__ = ["get_error_handler"]


def get_error_handler() -> ErrorHandler:
    """Return a new `ErrorHandler`."""
    return ErrorHandler()
