"""Keys that are no UTF-8, such as an umlaut typed into a Latin-1 terminal, must not end the app."""

from __future__ import annotations

from codecs import IncrementalDecoder, getincrementaldecoder
from functools import partial

from textual.drivers import linux_driver

__all__ = ["forgive_odd_input"]


def forgive_odd_input() -> None:
    """Have Textual's input thread replace odd bytes; as it is, it ends the program at the first one."""
    vars(linux_driver)["getincrementaldecoder"] = _forgiving


def _forgiving(encoding: str) -> partial[IncrementalDecoder]:
    return partial(getincrementaldecoder(encoding), errors="replace")
