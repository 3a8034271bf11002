"""What copying, terminals and web pages do to a log line, undone as far as one line can tell.

Owns colours, carriage returns, progress bars glued to text, rich boxes, padding, Markdown, HTML and odd blanks. It
refuses to touch what may belong to the text: indentation is kept, and so are `**kwargs` and the bars of an exception
group.
"""

from __future__ import annotations

import re
from html import unescape

__all__ = ["overwritten_segments", "repair_text", "strip_colours"]

_ESCAPE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor movement
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # OSC: titles and hyperlinks
    r"|\x1b[@-_]?"
    r"|\^\[\[[\d;]*m|\x9b[0-?]*[ -/]*[@-~]"  # spelled out by `cat -v`, or as one C1 character
)
_LOST_COLOUR = re.compile(r"\[(?:\d{1,3};)*\d{1,3}m")  # what is left of a colour when the escape character got lost
_ODD_BLANKS = str.maketrans({"\xa0": " ", "\u202f": " ", "\u200b": None, "\ufeff": None})
_ENTITY = re.compile(r"&(?:lt|gt|quot|amp|nbsp|#39|#x27);")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]")
_BAR = re.compile(
    r"[^|\n]{0,120}?(?:\d{1,3}%\|[^|\n]{0,300}\| *|\b)[\d.,]+[kMGT]?(?:/[\d.,?]+[kMGT]?|it) "
    r"\[[\d:]+(?:<[\d:?]+)?, [^\]\n]{0,200}\]"
)
_BOX_TITLE = re.compile(r"[╭┌┏+]?[─━]{2,}\s*(?P<title>[^─━]+?)\s*[─━]+[╮┐┓+]?$")
_BOX_RULE = re.compile(r"[╭┌┏╰└┗├┠][─━]*[╮┐┓╯┘┛┤┨]?$")
_BOX_LINE = re.compile(r"[│┃](?: (?P<body>.*?)|(?P<bare>.*?))\s*[│┃]?$", re.DOTALL)
_BOLD = re.compile(r"\*\*(?=[^\s*])(?P<body>.+?)(?<=[^\s*])\*\*(?![\w*])")


def strip_colours(text: str) -> str:
    """Remove terminal escape sequences and control characters; tabs and carriage returns stay."""
    if "\x1b" in text or "^[" in text or "\x9b" in text:
        text = _ESCAPE.sub("", text)
    if "m" in text and "[" in text:
        text = _LOST_COLOUR.sub("", text)
    return text if text.isprintable() else _CONTROL.sub("", text)


def overwritten_segments(line: str) -> tuple[str, str]:
    """Split a line at its carriage returns: what came first, and what a terminal would show last."""
    segments = [segment for segment in line.rstrip("\r\n").split("\r") if segment.strip()]
    return (segments[0], segments[-1]) if segments else ("", "")


def repair_text(text: str) -> str:
    """Take a glued progress bar, a box, right padding, Markdown or HTML off one line, keeping its indentation."""
    if "&" in text:
        text = _ENTITY.sub(lambda entity: unescape(entity[0]), text)
    if not text.isascii():
        text = text.translate(_ODD_BLANKS)
    text = text.rstrip()
    if "│" in text or "─" in text or "━" in text or "┃" in text:
        text = _unbox(text)
    if "it [" in text or "%|" in text:
        text = _unglue(text)
    if "**" in text and "***" not in text:
        text = _unbold(text)
    if "`" in text:
        text = _unfence(text)
    return text


def _unbox(text: str) -> str:
    bare = text.lstrip()
    line = _BOX_LINE.match(bare)
    if line is not None:
        return (line["body"] if line["body"] is not None else line["bare"]).rstrip()
    title = _BOX_TITLE.match(bare)
    if title is not None:
        return title["title"]
    return "" if _BOX_RULE.match(bare) else text


def _unglue(text: str) -> str:
    """Drop a progress bar in front of other text; a line that is nothing but a bar stays."""
    bar = _BAR.match(text)
    rest = text[bar.end() :] if bar is not None else ""
    return rest if rest.strip() else text


def _unbold(text: str) -> str:
    bare = text.lstrip()
    if bare.startswith("**") and bare.endswith("**") and bare.count("**") == 2:
        return bare[2:-2]
    return _BOLD.sub(r"\g<body>", text)


def _unfence(text: str) -> str:
    bare = text.strip()
    if bare.startswith("```"):
        return bare.strip("`").strip()
    if bare.endswith("```"):
        return text.rstrip("`")
    if len(bare) > 2 and bare[0] == bare[-1] == "`" and "`" not in bare[1:-1]:
        return bare[1:-1]
    return text
