"""The frames between a traceback's header and the line that names the exception.

Owns telling frames, code and foreign lines apart, also where the indentation was lost or another process wrote in
between. It refuses to judge the exception.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from errors_core.tracebacks import lines as grammar

if TYPE_CHECKING:
    from errors_core.job import Frame

__all__ = ["Shape", "read_frames"]

_FOREIGN = 8  # so many lines of others may stand between two lines of a traceback


class Shape:
    """What the lines read so far say about the lines to come: how deep frames stand, whether code is expected.

    In a whole traceback frames are indented by two more than the exception's line and code by four. Where
    indentation was lost, the line below a frame is its code, and the next line that is no frame ends the frames.
    """

    def __init__(self) -> None:
        self.base: int | None = None
        self.wants_code = False

    def note_frame(self, line: str) -> None:
        """Take note of a frame's line."""
        self.base = grammar.indentation(line) - 2
        self.wants_code = True

    def is_code(self, line: str) -> bool:
        """Tell whether a line is code or carets below the last frame."""
        if self.base is None:
            return False
        if self.base >= 0:
            return grammar.indentation(line) > self.base + 2
        return grammar.is_carets(line) or (self.wants_code and not grammar.is_surely_final(line))


def read_frames(lines: list[str], index: int) -> tuple[tuple[Frame, ...], tuple[tuple[int, int], ...], int]:
    """Return frames, repeats and the index of the first line behind them."""
    frames: list[Frame] = []
    repeats: list[tuple[int, int]] = []
    shape = Shape()
    while index < len(lines):
        line = lines[index]
        frame = grammar.parse_frame(line)
        repeated = grammar.REPEATED.match(line)
        if frame is not None:
            shape.note_frame(line)
            frames.append(frame)
        elif repeated is not None and frames:
            repeats.append((len(frames) - 1, int(repeated["times"])))
        elif line.strip() and shape.is_code(line):
            _add_code(frames, line, shape)
        elif line.strip():
            resumed = _resume(lines, index, shape)
            if resumed is None:
                break
            index = resumed
            continue
        index += 1
    return tuple(frames), tuple(repeats), index


def _add_code(frames: list[Frame], line: str, shape: Shape) -> None:
    if shape.wants_code and not grammar.is_carets(line):
        frames[-1] = replace(frames[-1], source=line.strip())
        shape.wants_code = False


def _resume(lines: list[str], index: int, shape: Shape) -> int | None:
    """Return where the traceback goes on behind foreign lines; `None` when the frames end here.

    A line that surely names an exception ends them. Any other line does so only when nothing that belongs to this
    traceback follows soon.
    """
    if grammar.is_surely_final(lines[index]):
        return None
    for ahead in range(index + 1, min(index + 1 + _FOREIGN, len(lines))):
        line = lines[ahead]
        if grammar.find_header(line) or grammar.joiner(line):
            return None
        frame_goes_on = grammar.parse_frame(line) is not None and grammar.indentation(line) - 2 == (shape.base or 0)
        if frame_goes_on or (grammar.is_surely_final(line) and not grammar.is_final(lines[index])):
            return ahead
    return None
