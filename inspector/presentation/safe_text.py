r"""The one place where text from a dead job becomes text that may reach a terminal, and is measured in cells.

Every view and report passes what a job wrote through `safe_text` or `safe_lines`: control characters, escape
sequences, characters that turn the reading direction and invisible ones are spelled out (`␛`, `\x9b`, `\u202e`), so
nothing is lost and nothing acts. It refuses to interpret markup, links or colours: they stay the characters they are.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from rich.cells import cell_len, chop_cells

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["cell_width", "cut", "cut_left", "pad", "safe_lines", "safe_text", "wrap"]

# Printable to Python, yet nothing is drawn: what of Default_Ignorable_Code_Point `isprintable` lets pass.
_INVISIBLE_RANGES = (
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFFA0, 0xFFA0),
    (0xE0100, 0xE01EF),
)
_INVISIBLE = frozenset(code for first, last in _INVISIBLE_RANGES for code in range(first, last + 1))
# "Draw the sign before as text" and "as emoji" say nothing and make its width differ between terminals.
_PRESENTATION = str.maketrans("", "", "\ufe0e\ufe0f")


class _Spellings(dict[int, int | str]):
    """What `str.translate` puts for a code point; filled as code points are met."""

    def __init__(self, *, ascii_only: bool) -> None:
        super().__init__({0x1B: "\\x1b" if ascii_only else "␛"})
        self._ascii_only = ascii_only
        if ascii_only:
            self.update({ord("…"): "...", ord("—"): "-", ord("·"): "-"})

    def __missing__(self, code: int) -> int | str:
        self[code] = spelling = self._spell(code)
        return spelling

    def _spell(self, code: int) -> int | str:
        char = chr(code)
        if char.isprintable() and code not in _INVISIBLE and (code < 0x80 or not self._ascii_only):
            return code
        if unicodedata.category(char) == "Zs":
            return " "
        return _escape(code)


def _escape(code: int) -> str:
    if code < 0x100:
        return {0x09: "\\t", 0x0A: "\\n", 0x0D: "\\r"}.get(code, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_SPELLINGS = {flag: _Spellings(ascii_only=flag) for flag in (False, True)}


def safe_text(text: str, *, ascii_only: bool = False) -> str:
    r"""Return `text` as one line without anything that acts on a terminal; a newline in it reads `\n`.

    Tabs become blanks up to the next multiple of 8. `ascii_only` spells out everything that is not ASCII.
    """
    if text.isascii() and text.isprintable():
        return text
    parts = text.translate(_PRESENTATION).split("\t")
    spelled = [part.translate(_SPELLINGS[ascii_only]) for part in parts]
    return "\t".join(spelled).expandtabs(8)


def safe_lines(text: str, *, ascii_only: bool = False) -> list[str]:
    """Return the lines of `text`, each of them safe; only LF and CR LF end a line, and a last one opens no new line."""
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    return [safe_text(line, ascii_only=ascii_only) for line in lines]


def cell_width(text: str) -> int:
    """Return how many terminal cells safe text takes."""
    return cell_len(text)


def cut(text: str, width: int, *, ellipsis: str = "…") -> str:
    """Return safe text in at most `width` cells; `ellipsis` at the end says that more was there."""
    if cell_len(text) <= width:
        return text
    room = width - cell_len(ellipsis)
    return _head(text, room) + ellipsis if room > 0 else _head(ellipsis, width)


def cut_left(text: str, width: int, *, ellipsis: str = "…") -> str:
    """Return the end of safe text in at most `width` cells: of a path, the part that tells most."""
    if cell_len(text) <= width:
        return text
    room = width - cell_len(ellipsis)
    if room <= 0:
        return _head(ellipsis, width)
    start = len(text)
    while start and cell_len(text[start - 1 :]) <= room:
        start -= 1
    return ellipsis + text[start:]


def _head(text: str, width: int) -> str:
    return chop_cells(text[: 8 * width], width)[0] if width > 0 and text else ""


def pad(text: str, width: int, *, right: bool = False, ellipsis: str = "…") -> str:
    """Return safe text in exactly `width` cells, cut or filled with blanks; `right` puts the blanks first."""
    text = cut(text, width, ellipsis=ellipsis)
    blanks = " " * (width - cell_len(text))
    return blanks + text if right else text + blanks


def wrap(text: str, width: int, *, indent: str = "", first: str | None = None) -> Iterator[str]:
    """Yield safe text in lines of at most `width` cells, broken between words; only longer words are broken inside.

    Each line starts with `indent`, the first one with `first` when given. Runs of blanks become one.
    """
    line, blank = (indent if first is None else first), ""
    room = max(width - cell_len(indent), 1)
    for word in text.split():
        if blank and cell_len(line) + 1 + cell_len(word) > width:
            yield line
            line, blank = indent, ""
        *full, word_end = chop_cells(word, room) if cell_len(line) + cell_len(word) > width else [word]
        for piece in full:
            yield line + piece
            line = indent
        line, blank = line + blank + word_end, " "
    yield line
