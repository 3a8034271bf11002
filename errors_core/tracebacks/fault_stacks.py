"""Dumps of faulthandler: the Python stacks at the moment of a crash.

Owns the format of CPython 3.8 to 3.14 (Python/traceback.c, pylifecycle.c): the innermost frame first, `line 57 in f`
without a comma. It refuses to read the list of extension modules and the C stack that follow.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from errors_core.job import Frame
from errors_core.own_code import is_own_code
from errors_core.paste_damage import strip_colours
from errors_core.tracebacks.model import ThreadStack

__all__ = ["is_fault_header", "is_fault_line", "parse_faulthandler"]

_REASON = re.compile(r"\s*(?:Fatal Python error|Windows fatal exception): (?P<reason>.*\S)")
_TIMEOUT = re.compile(r"\s*Timeout \([\d:.]+\)!\s*$")
_THREAD = re.compile(
    r"\s*(?:(?:(?P<current>Current t)|T)hread (?P<thread>0x[0-9a-fA-F]+)(?: \[.*\])?|Stack) \(most recent call first\):"
)
_FRAME = re.compile(r"\s*File \"(?P<path>.*?)\", line (?P<line>\d{1,12}|\?\?\?) in (?P<function>.*?)\s*$")
_FURTHER = re.compile(r"\s*$|\s*(?:<no Python frame>|<tstate is freed>|\.\.\.$|Python runtime state: |<cannot )")
_CAP = 2000  # faulthandler itself stops at 100 frames a thread and 100 threads


def is_fault_header(line: str) -> bool:
    """Tell whether a line begins a dump that Python writes when it dies (not one that somebody asked for)."""
    return _REASON.match(line) is not None


def is_fault_line(line: str) -> bool:
    """Tell whether a line goes on with a dump."""
    return bool(_THREAD.match(line) or _FRAME.match(line) or _FURTHER.match(line))


@dataclass(slots=True)
class _Stack:
    thread: str | None
    current: bool
    frames: list[Frame] = field(default_factory=list)


def parse_faulthandler(text: str) -> tuple[ThreadStack, ...]:
    """Return the stacks of the first dump in a text, in its order; empty when there is none.

    The frames of each run from the outermost call inwards. A dump without threads (nothing but the reason) gives one
    stack without frames.
    """
    reason: str | None = None
    stacks: list[_Stack] = []
    begun = False
    for line in strip_colours(text).replace("\r", "").split("\n"):
        given = _REASON.match(line)
        thread = _THREAD.match(line)
        if given is not None:
            if begun:
                break
            reason, begun = given["reason"], True
        elif thread is not None:
            begun = True
            stacks.append(_Stack(thread["thread"], bool(thread["current"]) or thread["thread"] is None))
        elif stacks and not _add_frame(stacks[-1], line):
            break
        begun = begun or _TIMEOUT.match(line) is not None
    if begun and reason is not None and not stacks:
        stacks.append(_Stack(None, current=True))
    return tuple(_finished(stack, reason) for stack in stacks)


def _add_frame(stack: _Stack, line: str) -> bool:
    """Add the frame that a line names; false when the line is not of the dump."""
    match = _FRAME.match(line)
    if match is None:
        return _FURTHER.match(line) is not None
    if len(stack.frames) < _CAP:
        number = int(match["line"]) if match["line"].isdecimal() else None
        stack.frames.append(Frame(match["path"], number, match["function"], own=is_own_code(match["path"])))
    return True


def _finished(stack: _Stack, reason: str | None) -> ThreadStack:
    return ThreadStack(stack.thread, tuple(reversed(stack.frames)), stack.current, reason)
