"""Crashes in a log: what C++ said when it gave up, and the Python stacks at that moment.

Owns `terminate called after throwing an instance of …` (libstdc++) and faulthandler's dumps, and puts the two
together. It refuses to name a cause.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from errors_core.job import ErrorSummary, Place
from errors_core.tracebacks.fault_stacks import is_fault_header, is_fault_line, parse_faulthandler
from errors_core.tracebacks.lines import is_cpp_tail
from errors_core.tracebacks.model import ExceptionBlock, ThreadStack, Traceback
from errors_core.tracebacks.summary import summarise_blocks

__all__ = ["Crash", "CrashFinder"]

_TERMINATE = re.compile(r"terminate called after throwing an instance of '(?P<type>[^']+)'")
_WHAT = re.compile(r"\s*what\(\): +(?P<message>.*)")
_MOST_LINES = 1000


class Crash(NamedTuple):
    """One crash: the line where it begins, the C++ exception if there was one, the text of the dump."""

    line: int
    type: str | None
    message: str
    dump: str

    def summary(self, path: str) -> ErrorSummary:
        """Return the crash as an error, with the frames of the thread that it happened in."""
        stacks = parse_faulthandler(self.dump)
        stack = _telling(stacks)
        kind, message = self.type, self.message
        if kind is None:
            kind, message = "Fatal Python error", (stacks[0].reason or "") if stacks else ""
        block = ExceptionBlock(kind, message, stack.frames if stack is not None else ())
        head = [f"{kind}: {message}"] if self.type else []
        text = "\n".join([*head, *([self.dump] if self.dump else [])])
        return summarise_blocks(Traceback((block,)), Place(path, self.line), text)


class CrashFinder:
    """Takes lines in order; `last` is the last crash that is complete."""

    def __init__(self) -> None:
        self.last: Crash | None = None
        self._thrown: Crash | None = None
        self._dump: list[str] = []
        self._dump_line = 0

    def feed(self, number: int, text: str) -> None:
        """Take one line."""
        if self._dump:
            if is_fault_line(text) and len(self._dump) < _MOST_LINES:
                self._dump.append(text)
                return
            self._end_dump()
        if is_fault_header(text):
            self._dump, self._dump_line = [text], number
        elif (thrown := _TERMINATE.search(text)) is not None:
            self._thrown = self.last = Crash(number, thrown["type"], "", "")
        elif self._thrown is not None and not self._thrown.message:
            self._add_what(text)

    def close(self) -> None:
        """End what is open."""
        if self._dump:
            self._end_dump()
        self._thrown = None

    def _add_what(self, text: str) -> None:
        what = _WHAT.match(text)
        if self._thrown is not None and what is not None and not is_cpp_tail(what["message"]):
            self._thrown = self.last = self._thrown._replace(message=what["message"])

    def _end_dump(self) -> None:
        dump = "\n".join(self._dump).rstrip()
        self._dump = []
        if self._thrown is not None:
            self.last = self._thrown._replace(dump=dump)
        elif self.last is None or self.last.type is None or self._dump_line - self.last.line > _MOST_LINES:
            self.last = Crash(self._dump_line, None, "", dump)


def _telling(stacks: tuple[ThreadStack, ...]) -> ThreadStack | None:
    """Choose the thread that the crash happened in; where that ran no Python, the last one listed: the main thread."""
    current = next((stack for stack in stacks if stack.current and stack.frames), None)
    return current or next((stack for stack in reversed(stacks) if stack.frames), None)
