"""The program's version, as its installation records it."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version

__all__ = ["version"]


def version() -> str:
    """Return the installed version; `0+unknown` when it runs from a directory that was never installed."""
    try:
        return installed_version("elastic-inspect")
    except PackageNotFoundError:
        return "0+unknown"
