"""A traceback of which not all lines were seen yet: which further lines belong to it.

Owns the three stretches of a traceback in a log: frames, message, drawing of a group. Each knows what ends it.
"""

from __future__ import annotations

import re
from enum import Enum, auto

from errors_core.tracebacks import lines as grammar
from errors_core.tracebacks.frames import Shape
from errors_core.tracebacks.model import TracebackSpan
from errors_core.tracebacks.rich_box import plain_lines

__all__ = ["OpenSpan", "Taken"]

_FOREIGN = 8  # so many lines of others may stand between two lines of a traceback
_LINGERING = 60  # so many lines behind a message a joining sentence may show that the message went on
_MOST_LINES = 4000
_MESSAGE_LINES = 300
_RECORD = re.compile(
    r"[IWEF]\d{3,4} \d\d:\d\d:|\[[IWEF]\d* |(?:DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL)\b *[:\]|-]"
    r"|\[?\d{4}-\d\d-\d\d[ T_]\d\d:\d\d|\d\d:\d\d:\d\d\b"
    r"|(?:Exception (?:in thread|ignored)|--- Logging error|Fatal Python error:|terminate called |Process [\w.:-]+:$)"
    r"|(?:srun|slurmstepd|mpirun|wandb): |.{0,80} NCCL (?:INFO|WARN|ERROR)\b|Killing subprocess"
    r"|(?:Aborted|Killed|Terminated|Segmentation fault|Bus error)\b|\[rank\d+\]|.{0,40}\d+%\||[=*]{8,}|-{20,}"
    r"|\W{0,3}(?:(?i:train|val|valid|eval|test)\w*\W{1,3})?(?i:step|iter|iteration|epoch|batch)s?\b\W{0,3}\d"
)
_QUOTED_PROCESS = "-- Process "


class Taken(Enum):
    """What became of a line: it belongs to the traceback, it belongs to others, or the traceback is over."""

    YES = auto()
    FOREIGN = auto()
    NO = auto()


class OpenSpan:
    """A traceback in the making."""

    def __init__(self, number: int, text: str, leading: str | None, logger: str | None, *, boxed: bool = False) -> None:
        self._first = self._last = number
        self._leading = leading
        self._logger = logger
        self._boxed = boxed
        self._lines = [text]
        self._blanks = 0
        self._foreign = 0
        self._message_start = 0
        self._ended = False
        self._pending: list[str] = []
        self._shape = Shape()
        header = grammar.find_header(text)
        self._stretch = OpenSpan._in_group if header is not None and header["mark"] else OpenSpan._in_frames
        if header is None:
            self._shape.note_frame(text)

    def take(self, number: int, text: str, logger: str | None) -> Taken:
        """Say whether the next line belongs to this traceback, and keep it if so."""
        if len(self._lines) >= _MOST_LINES:
            return Taken.NO
        if not text.strip():
            self._blanks += 1
            return Taken.YES
        taken = self._stretch(self, text) if logger == self._logger else Taken.FOREIGN
        if taken is Taken.YES:
            self._foreign = 0
            self._last = number
        elif taken is Taken.FOREIGN:
            self._foreign += 1
            self._blanks = 0
            if self._foreign > (_LINGERING if self._ended else _FOREIGN):
                return Taken.NO
        return taken

    def finish(self) -> TracebackSpan | None:
        """Return what was seen; `None` when it was nothing but a header."""
        if len(self._lines) < 2:
            return None
        return TracebackSpan(self._first, self._last, "\n".join(self._lines), self._leading, self._ended)

    def _keep(self, text: str) -> Taken:
        self._lines += [*self._spaces(), text]
        return Taken.YES

    def _spaces(self) -> list[str]:
        blanks, self._blanks = self._blanks, 0
        return [""] * blanks

    def _in_frames(self, text: str) -> Taken:
        if self._boxed:
            plain = plain_lines(text)
            if plain is not None:
                self._lines += plain
                return Taken.YES
        if grammar.find_header(text):
            return self._at_header(text)
        if grammar.parse_frame(text) is not None:
            self._shape.note_frame(text)
            return self._keep(text)
        if grammar.REPEATED.match(text):
            return self._keep(text)
        if self._shape.is_code(text):
            self._shape.wants_code = self._shape.wants_code and grammar.is_carets(text)
            return self._keep(text)
        if grammar.is_final(text) and not _is_record(text):
            return self._name(text)
        return Taken.FOREIGN

    def _at_header(self, text: str) -> Taken:
        """Take the header that follows a joining sentence; any other header begins another traceback."""
        if grammar.joiner(self._last_line()) is None:
            return Taken.NO
        header = grammar.find_header(text)
        if header is not None and header["mark"]:
            self._stretch = OpenSpan._in_group
        return self._keep(text)

    def _name(self, text: str) -> Taken:
        """Take the line that names the exception."""
        self._ended = True
        self._blanks = 0  # between the frames and the exception they were foreign
        self._message_start = len(self._lines)
        self._stretch = OpenSpan._in_message
        return self._keep(text)

    def _in_message(self, text: str) -> Taken:
        if grammar.joiner(text) is not None:
            return self._join(text)
        if grammar.OPENER.match(text):
            self._stretch = OpenSpan._in_group
            return self._in_group(text)
        if grammar.is_cpp_tail(text):
            self._stretch = OpenSpan._in_cpp_tail
            return Taken.YES
        if self._goes_on_with_frames(text):
            self._lines.pop()
            self._ended = False
            self._stretch = OpenSpan._in_frames
            return self._in_frames(text)
        if self._belongs_to_message(text):
            return self._keep(text)
        return Taken.NO if grammar.find_header(text) else self._linger(text)

    def _linger(self, text: str) -> Taken:
        """Wait behind the end of a message: a joining sentence would show that it was none."""
        self._stretch = OpenSpan._behind
        self._pending = [*self._spaces(), text]
        return Taken.FOREIGN

    def _behind(self, text: str) -> Taken:
        if grammar.joiner(text) is not None:
            self._lines += [line for line in self._pending if not _is_record(line)]
            return self._join(text)
        self._pending += [*self._spaces(), text]
        return Taken.NO if grammar.find_header(text) else Taken.FOREIGN

    def _goes_on_with_frames(self, text: str) -> bool:
        """Tell whether the line taken for the exception's was a foreign one: the frames go on."""
        doubtful = len(self._lines) == self._message_start + 1 and not grammar.is_surely_final(self._last_line())
        return doubtful and grammar.parse_frame(text) is not None and grammar.indentation(text) - 2 == self._shape.base

    def _belongs_to_message(self, text: str) -> bool:
        if len(self._lines) - self._message_start > _MESSAGE_LINES:
            return False
        header = grammar.find_header(text)
        if header is not None:
            return header["kind"] == "Original " or grammar.opens_quotation(self._last_line())
        if self._inside_quotation() or text.startswith(_QUOTED_PROCESS):
            return True
        if self._blanks and not text.startswith((" ", "\t")):
            return False
        return not _is_record(text)

    def _inside_quotation(self) -> bool:
        return sum(line.strip() == '"""' for line in self._lines[self._message_start :]) % 2 == 1

    def _in_cpp_tail(self, text: str) -> Taken:
        if grammar.joiner(text) is not None:
            return self._join(text)
        return Taken.YES if grammar.is_cpp_tail(text) or text.startswith(" ") else self._linger(text)

    def _join(self, text: str) -> Taken:
        self._keep(text)
        self._ended = False
        self._shape = Shape()
        self._stretch = OpenSpan._in_frames
        return Taken.YES

    def _in_group(self, text: str) -> Taken:
        """Take the drawing of a group; behind a closing ruler it may go on, but need not."""
        if grammar.is_drawing(text):
            self._ended = grammar.CLOSER.match(text) is not None
            return self._keep(text)
        if grammar.joiner(text) is not None:
            return self._join(text)
        if grammar.find_header(text):
            return Taken.NO
        return self._linger(text) if self._ended else Taken.FOREIGN

    def _last_line(self) -> str:
        return next((line for line in reversed(self._lines) if line.strip()), "")


def _is_record(text: str) -> bool:
    """Tell whether a line looks like one that a program, logger or launcher wrote for itself."""
    return _RECORD.match(text) is not None
