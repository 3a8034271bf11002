"""Text of the job as Markdown that shows exactly that text: no HTML, link, image, mention or reference comes of it.

Owns the escaping. Plain words stay plain; a word with anything that some Markdown dialect could act on becomes a
code span, in which no dialect does. It refuses to lay out a document.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from inspector.presentation.safe_text import safe_lines, safe_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["code", "fence", "prose", "table_row"]

_PLAIN_WORD = re.compile(
    r"""
      \(? [^\W\d_] (?: [.,;:'/=%()?+-]* [^\W_] )* \)? [.,;:?]*   # letters, digits and signs that no dialect acts on
    | \(? [0-9] (?: [.,:/-]? [0-9] )* \)? [.,;:]?               # numbers, times, ranges
    | [—…]
    """,
    re.VERBOSE,
)
_LINKED = re.compile(  # an address, a commit, an issue, an emoji by name
    r"://|www\.|^\(?(?:[0-9a-f]{7,40}|[a-z]+-\d+)\)?[.,;:?]*$|:[a-z+-][a-z0-9+-]*:", re.IGNORECASE
)
_LIST_ITEM = re.compile(r"[0-9]+[.)](?: |$)")
_SPAN = re.compile(r"`+")


def code(text: str, *, in_table: bool = False) -> str:
    r"""Return text of the job as a code span. In a table a pipe needs a backslash; `\|` reads `\\x7c` there."""
    shown = safe_text(text)
    if not shown.strip():
        return "—"
    if in_table:
        shown = shown.replace("\\|", "\\\\x7c").replace("|", "\\|")
    ticks = "`" * (1 + max((len(run) for run in _SPAN.findall(shown)), default=0))
    blank = " " if shown[0] in "` " or shown[-1] in "` \\" else ""
    return f"{ticks}{blank}{shown}{blank}{ticks}"


def prose(text: str, *, in_table: bool = False) -> str:
    """Return a sentence that may quote the job: its plain words as they are, all others in code spans."""
    parts: list[str] = []
    for plain, group in groupby(safe_text(text).split(), _is_plain):
        words = " ".join(group)
        parts.append(words if plain else _span(words, in_table=in_table))
    shown = " ".join(parts)
    return code(shown, in_table=in_table) if _LIST_ITEM.match(shown) else shown


def _is_plain(word: str) -> bool:
    return bool(_PLAIN_WORD.fullmatch(word)) and not _LINKED.search(word)


def _span(words: str, *, in_table: bool) -> str:
    """Return a code span; the sentence's own comma or full stop at its end stays outside."""
    inside = words.rstrip(".,;:") or words
    return code(inside, in_table=in_table) + words[len(inside) :]


def fence(text: str) -> Iterator[str]:
    """Yield lines of the job as a code block whose fence is longer than any inside."""
    lines = safe_lines(text)
    longest = max((len(run) for line in lines for run in _SPAN.findall(line)), default=0)
    ticks = "`" * max(3, longest + 1)
    yield f"{ticks}text"
    yield from lines
    yield ticks


def table_row(cells: Iterable[str]) -> str:
    """Return one row of a table; its cells are Markdown already."""
    return f"| {' | '.join(cells)} |"
