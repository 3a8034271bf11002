"""What a single line of a traceback is: header, frame, final line, joiner, part of a group's drawing.

Owns the grammar that CPython 3.8 to 3.14 prints (traceback.py, pythonrun.c) and the harm that copying does to it
(lost or added indentation, quoting, colours). It refuses to look at more than one line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from errors_core.job import Frame
from errors_core.own_code import is_own_code
from errors_core.paste_damage import strip_colours

if TYPE_CHECKING:
    from errors_core.tracebacks.model import Joined

__all__ = [
    "CLOSER",
    "FINAL",
    "JOINERS",
    "MARGIN",
    "OPENER",
    "REPEATED",
    "SEPARATOR",
    "find_header",
    "indentation",
    "is_carets",
    "is_cpp_tail",
    "is_drawing",
    "is_final",
    "is_ruler",
    "is_surely_final",
    "joiner",
    "opens_quotation",
    "parse_frame",
    "split_lines",
]

_HEADER_WORDS = "Traceback (most recent call last)"
_HEADER = re.compile(
    r"(?P<mark>\+ )?(?P<kind>Exception Group |Original )?Traceback \(most recent call last\)(?::|(?=\s*[─━]*[╮┐]?$))"
)
FRAME = re.compile(
    r"\s*File \"(?P<path>[^\"]+|.+?)\", line (?P<line>\d{1,12})(?P<within>, in(?: (?P<function>.*?))?)?\s*$"
)
REPEATED = re.compile(r"\s*\[Previous line repeated (?P<times>\d{1,12}) more times?\]")
FINAL = re.compile(
    r"\s*(?P<type>[^\W\d]\w*(?:\.(?:[^\W\d]\w*|<\w+>))*(?:\([\w.]+\))?)(?::(?: (?P<message>.*))?)?$",
    re.DOTALL,
)
OPENER = re.compile(r"\s*\+-\+-{2,} (?P<number>\d+|\.\.\.) -{2,}\s*$")
SEPARATOR = re.compile(r"\s*\+-{2,} (?P<number>\d+|\.\.\.) -{2,}\s*$")
CLOSER = re.compile(r"\s*\+-{5,}\s*$")
MARGIN = re.compile(r"\s*\|(?: (?P<content>.*))?$", re.DOTALL)
JOINERS: dict[str, Joined] = {
    "The above exception was the direct cause of the following exception:": "cause",
    "During handling of the above exception, another exception occurred:": "context",
}

_SURE_ENDINGS = (
    *("Error", "Exception", "Warning", "Interrupt", "Exit", "Iteration", "Timeout", "Group", "Failed", "Failure"),
    *("error", "exception", "timeout", "Abort", "Aborted", "Full", "Empty", "Cancelled"),
)
_NO_TYPES = frozenset(
    ("DEBUG", "INFO", "NOTE", "NOTICE", "WARN", "WARNING", "ERROR", "CRITICAL", "FATAL", "TRACE", "Note", "Epoch")
)
_CARETS = re.compile(r"[\s~^]+$")
_CPP_TAIL = re.compile(r"Exception raised from .+ at .+ \(most recent call first\):|frame #\d+: ")
_QUOTES = re.compile(r".*:\s*$|\"\"\"\s*$|-{3,}\s*$")
_QUOTED = re.compile(r"\s*(?:> ?)+")


def split_lines(text: str) -> list[str]:
    """Return the lines of a text without colours, control characters, line ends and the `>` of quoted mail."""
    lines = [line.rpartition("\r")[2] for line in strip_colours(text).replace("\r\n", "\n").split("\n")]
    if any(line.lstrip().startswith(">") and find_header(line) for line in lines):
        lines = [_QUOTED.sub("", line, count=1) for line in lines]
    return lines


def find_header(line: str) -> re.Match[str] | None:
    """Find the line that begins a traceback."""
    return _HEADER.search(line) if _HEADER_WORDS in line else None


def indentation(line: str) -> int:
    """Count the blanks in front; a tab counts as eight."""
    bare = line.lstrip()
    return len(line[: len(line) - len(bare)].expandtabs())


def parse_frame(line: str) -> Frame | None:
    """Return the frame that a `File "…", line …` line names; for the place of a syntax error, `function` is empty."""
    if 'File "' not in line:
        return None
    match = FRAME.match(line)
    if match is None:
        return None
    return Frame(match["path"], int(match["line"]), match["function"] or "", own=is_own_code(match["path"]))


def joiner(line: str) -> Joined | None:
    """Return how two exceptions are joined when the line says so."""
    return JOINERS.get(line.strip()) if line.rstrip().endswith(":") else None


def is_carets(line: str) -> bool:
    """Tell whether a line holds nothing but the marks below code (Python 3.11 and later; syntax errors: all)."""
    return bool(line.strip()) and _CARETS.match(line) is not None


def is_final(line: str) -> bool:
    """Tell whether a line may be the one that names the exception: `Type`, `Type:` or `Type: message`."""
    match = FINAL.match(line)
    if match is None or match["type"] in _NO_TYPES:
        return False
    name, _, arguments = match["type"].partition("(")
    last = name.rpartition(".")[2]
    return last.endswith(_SURE_ENDINGS) or (not arguments and (last[0].isupper() or last != name))


def is_surely_final(line: str) -> bool:
    """Tell whether a line names an exception by a type that ends or is written as those of exceptions are."""
    match = FINAL.match(line)
    if match is None or match["type"] in _NO_TYPES:
        return False
    name, _, arguments = match["type"].partition("(")
    last = name.rpartition(".")[2]
    return last.endswith(_SURE_ENDINGS) or (not arguments and last != name and last[0].isupper())


def is_drawing(line: str) -> bool:
    """Tell whether a line belongs to the drawing of an exception group."""
    bare = line.lstrip()
    return bare.startswith(("|", "+-")) and bool(MARGIN.match(line) or SEPARATOR.match(line) or is_ruler(line))


def is_ruler(line: str) -> bool:
    """Tell whether a line opens or closes the members of an exception group."""
    return bool(OPENER.match(line) or CLOSER.match(line))


def is_cpp_tail(line: str) -> bool:
    """Tell whether a line belongs to the C++ stack that torch (c10::Error) appends to a message."""
    return _CPP_TAIL.match(line.lstrip()) is not None


def opens_quotation(line: str) -> bool:
    """Tell whether a message's line announces that a quoted traceback follows."""
    return _QUOTES.match(line) is not None
