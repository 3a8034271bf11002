"""The verdict in two to four lines: the sentence, where the worker broke, what to check first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.presentation.lines import Line, Piece, Role, cut_line, line, safe_line, wrap_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from errors_core.verdict import Confidence, Kind, Verdict
    from inspector.presentation.glyphs import Glyphs

__all__ = ["format_verdict"]

_KINDS: Mapping[Kind, str] = {
    "worker": "ROOT CAUSE",
    "common": "COMMON CAUSE",
    "node": "NODE",
    "external": "STOPPED FROM OUTSIDE",
    "none": "NOTHING FAILED",
    "unknown": "CAUSE UNKNOWN",
}
_CONFIDENCE: Mapping[Confidence, tuple[str, Role]] = {
    "sure": ("sure", "good"),
    "probable": ("probable", "warning"),
    "unsure": ("unsure", "warning"),
}


def format_verdict(verdict: Verdict, width: int, height: int, glyphs: Glyphs) -> list[Line]:
    """Return the verdict in at most `height` lines; two of them are for the sentence before any other line."""
    rows = list(_summary(verdict, width, glyphs))
    below = [row for row in (_broke_at(verdict), _check(verdict), _launcher(verdict)) if row]
    below = below[: max(height - min(len(rows), 2), 0)]
    room = max(height - len(below), 1)
    if len(rows) > room:
        rows = [*rows[: room - 1], _with_ellipsis(rows[room - 1], width, glyphs)]
    safe = [safe_line(row, ascii_only=glyphs.ascii_only) for row in below]
    return rows + [cut_line(row, width, ellipsis=glyphs.ellipsis) for row in safe]


def _with_ellipsis(row: Line, width: int, glyphs: Glyphs) -> Line:
    text, role = row[-1]
    more = Piece(f"{text.rstrip()} {glyphs.ellipsis}", role)
    return cut_line((*row[:-1], more), width, ellipsis=glyphs.ellipsis)


def _summary(verdict: Verdict, width: int, glyphs: Glyphs) -> Iterator[Line]:
    kind: Role = "good" if verdict.kind == "none" else "error"
    sure = () if verdict.kind == "unknown" else line(" (", _CONFIDENCE[verdict.confidence], ")")
    parts = (Piece(_KINDS[verdict.kind], kind), *sure, Piece("  "), Piece(verdict.summary, "strong"))
    return wrap_line(safe_line(parts, ascii_only=glyphs.ascii_only), width, indent="  ")


def _broke_at(verdict: Verdict) -> Line:
    return line(("at        ", "label"), verdict.broke_at) if verdict.broke_at else ()


def _check(verdict: Verdict) -> Line:
    return line(("check     ", "label"), verdict.advice[0]) if verdict.advice else ()


def _launcher(verdict: Verdict) -> Line:
    says = verdict.launcher_says
    if says is None or not says.why_different:
        return ()
    who = f"rank {says.rank}" if says.rank is not None else f"local rank {says.local_rank}"
    return line(("launcher  ", "label"), f"names {who}: {says.why_different}")
