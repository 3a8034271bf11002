"""The few signs that are not letters, each with an ASCII twin for terminals that can draw no others.

Owns the mark of every state: a mark differs in shape, so colour never carries a meaning alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ASCII", "UNICODE", "Glyphs"]


@dataclass(frozen=True, slots=True)
class Glyphs:
    """One set of signs. `marks` has the states of `errors_core.verdict` and `root` for the worker to blame."""

    ascii_only: bool
    marks: Mapping[str, str]
    cursor: str
    unknown: str
    ellipsis: str
    rule: str
    wall: str
    done: str
    to_do: str
    up: str
    down: str


UNICODE = Glyphs(
    ascii_only=False,
    marks={"root": "✗", "origin": "!", "echo": "↳", "ended_by_launcher": "▪", "silent": "?", "ok": "✓", "unknown": " "},
    cursor="▸",
    unknown="—",
    ellipsis="…",
    rule="─",
    wall="│",
    done="█",
    to_do="░",
    up="▴",
    down="▾",
)

ASCII = Glyphs(
    ascii_only=True,
    marks={"root": "X", "origin": "!", "echo": "~", "ended_by_launcher": "=", "silent": "?", "ok": "+", "unknown": " "},
    cursor=">",
    unknown="-",
    ellipsis="...",
    rule="-",
    wall="|",
    done="#",
    to_do=".",
    up="^",
    down="v",
)
