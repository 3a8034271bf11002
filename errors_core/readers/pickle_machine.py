"""A stack machine for those operations of a pickle that build plain values.

Owns what the operations mean (pickle protocols 2 to 5; source: `Lib/pickletools.py` of CPython) and the limits of
their number. It has no operation that looks a name up, calls something or fills an object: a hostile pickle can
only be refused.
"""

from __future__ import annotations

import pickletools
import struct
from typing import TYPE_CHECKING

from errors_core.exceptions import ErrorsCoreError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["MAX_CONTAINERS", "MAX_STEPS", "CutOffError", "PickleMachine", "PickleRefusedError"]

MAX_STEPS = 10_000_000
MAX_CONTAINERS = 2_000_000
_MAX_INTEGER_BYTES = 16
_STOP = ord(".")
_NAMES = {ord(op.code): op.name for op in pickletools.opcodes}


class PickleRefusedError(ErrorsCoreError, ValueError):
    """A pickle holds something else than plain values, or is no pickle; the text says what and at which byte."""


class CutOffError(Exception):
    """The bytes end before the pickle does."""


class PickleMachine:
    """The stack, the marks in it and the memo. Every operation is a method without arguments."""

    __slots__ = ("_containers", "_data", "_marks", "_memo", "_stack", "position")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.position = 0
        self._stack: list[object] = []
        self._marks: list[int] = []
        self._memo: dict[int, object] = {}
        self._containers = 0

    def run(self) -> object:
        """Return the pickled value. Raises `CutOffError` and `PickleRefusedError`."""
        size = len(self._data)
        for _ in range(MAX_STEPS):
            if self.position >= size:
                raise CutOffError
            code = self._data[self.position]
            if code == _STOP:
                return self._stop()
            operation = _OPERATIONS.get(code)
            if operation is None:
                raise self._refusal(code)
            self.position += 1
            operation(self)
        raise PickleRefusedError(f"more than {MAX_STEPS} operations")

    def what_was_built(self) -> object:
        """Close what is open and return the outermost value."""
        while self._marks:
            items = self._items()
            target = self._stack[-1] if self._stack else None
            if isinstance(target, list):
                target.extend(items)
            elif isinstance(target, dict):
                target.update((k, v) for k, v in zip(items[::2], items[1::2], strict=False) if _is_key(k))
        if not self._stack:
            raise PickleRefusedError(f"truncated pickle at byte {len(self._data)}")
        return self._stack[0]

    def _stop(self) -> object:
        self.position += 1
        if self._marks or len(self._stack) != 1:
            raise self._malformed()
        return self._stack[0]

    def _refusal(self, code: int) -> PickleRefusedError:
        """Say which operation was refused, and which name it asked for: the name is quoted, never looked up."""
        at, name = self.position, _NAMES.get(code)
        if name is None:
            return PickleRefusedError(f"not a pickle: byte {at} is 0x{code:02x}")
        asked = ""
        if name in ("GLOBAL", "INST"):
            asked = ".".join(_quotable(part) for part in self._data[at + 1 : at + 300].split(b"\n")[:2])
        elif name == "STACK_GLOBAL":
            asked = ".".join(_quotable(part) for part in self._stack[-2:])
        wanted = f" asks for {asked}" if asked else ""
        return PickleRefusedError(f"not a plain pickle: {name} at byte {at}{wanted}; nothing was run")

    def _malformed(self) -> PickleRefusedError:
        return PickleRefusedError(f"malformed pickle near byte {self.position - 1}")

    def _take(self, count: int) -> bytes:
        start, end = self.position, self.position + count
        if end > len(self._data):
            raise CutOffError
        self.position = end
        return self._data[start:end]

    def _pop(self) -> object:
        self._top()
        return self._stack.pop()

    def _items(self) -> list[object]:
        """Take everything off the stack down to the last mark."""
        if not self._marks:
            raise self._malformed()
        start = self._marks.pop()
        items = self._stack[start:]
        del self._stack[start:]
        return items

    def _push_container(self, value: dict[object, object] | list[object] | tuple[object, ...]) -> None:
        self._containers += 1
        if self._containers > MAX_CONTAINERS:
            raise PickleRefusedError(f"more than {MAX_CONTAINERS} containers")
        self._stack.append(value)

    def _top(self) -> object:
        """Return what is on top of the stack; what lies below the last mark is out of reach."""
        if len(self._stack) <= (self._marks[-1] if self._marks else 0):
            raise self._malformed()
        return self._stack[-1]

    def _extend_top(self, items: list[object]) -> None:
        target = self._top()
        if not isinstance(target, list):
            raise self._malformed()
        target.extend(items)

    def _protocol(self) -> None:
        if self._take(1)[0] > 5:
            raise self._malformed()

    def _frame(self) -> None:
        self._take(8)

    def _mark(self) -> None:
        self._marks.append(len(self._stack))

    def _none(self) -> None:
        self._stack.append(None)

    def _true(self) -> None:
        self._stack.append(True)

    def _false(self) -> None:
        self._stack.append(False)

    def _one_byte(self) -> None:
        self._stack.append(self._take(1)[0])

    def _two_bytes(self) -> None:
        self._stack.append(int.from_bytes(self._take(2), "little"))

    def _four_bytes(self) -> None:
        self._stack.append(int.from_bytes(self._take(4), "little", signed=True))

    def _long(self) -> None:
        size = self._take(1)[0]
        if size > _MAX_INTEGER_BYTES:
            raise PickleRefusedError(f"an integer of {size} bytes at byte {self.position - 2}")
        self._stack.append(int.from_bytes(self._take(size), "little", signed=True))

    def _float(self) -> None:
        self._stack.append(struct.unpack(">d", self._take(8))[0])

    def _short_text(self) -> None:
        self._stack.append(self._take(self._take(1)[0]).decode(errors="replace"))

    def _text(self) -> None:
        self._stack.append(self._take(int.from_bytes(self._take(4), "little")).decode(errors="replace"))

    def _empty_dict(self) -> None:
        self._push_container({})

    def _empty_list(self) -> None:
        self._push_container([])

    def _empty_tuple(self) -> None:
        self._push_container(())

    def _tuple(self) -> None:
        self._push_container(tuple(self._items()))

    def _tuple_of_one(self) -> None:
        self._push_container((self._pop(),))

    def _tuple_of_two(self) -> None:
        second, first = self._pop(), self._pop()
        self._push_container((first, second))

    def _tuple_of_three(self) -> None:
        third, second, first = self._pop(), self._pop(), self._pop()
        self._push_container((first, second, third))

    def _append(self) -> None:
        self._extend_top([self._pop()])

    def _extend(self) -> None:
        self._extend_top(self._items())

    def _set_item(self) -> None:
        value, key = self._pop(), self._pop()
        self._fill([key, value])

    def _set_items(self) -> None:
        self._fill(self._items())

    def _fill(self, items: list[object]) -> None:
        target, keys = self._top(), items[::2]
        if not isinstance(target, dict) or len(items) % 2 or not all(map(_is_key, keys)):
            raise self._malformed()
        target.update(zip(keys, items[1::2], strict=True))

    def _remember(self, index: int) -> None:
        self._memo[index] = self._top()

    def _recall(self, index: int) -> None:
        if index not in self._memo:
            raise self._malformed()
        self._stack.append(self._memo[index])

    def _put(self) -> None:
        self._remember(self._take(1)[0])

    def _long_put(self) -> None:
        self._remember(int.from_bytes(self._take(4), "little"))

    def _memoize(self) -> None:
        self._remember(len(self._memo))

    def _get(self) -> None:
        self._recall(self._take(1)[0])

    def _long_get(self) -> None:
        self._recall(int.from_bytes(self._take(4), "little"))


_OPERATIONS: dict[int, Callable[[PickleMachine], None]] = {
    0x80: PickleMachine._protocol,
    0x95: PickleMachine._frame,
    ord("("): PickleMachine._mark,
    ord("N"): PickleMachine._none,
    0x88: PickleMachine._true,
    0x89: PickleMachine._false,
    ord("K"): PickleMachine._one_byte,
    ord("M"): PickleMachine._two_bytes,
    ord("J"): PickleMachine._four_bytes,
    0x8A: PickleMachine._long,
    ord("G"): PickleMachine._float,
    0x8C: PickleMachine._short_text,
    ord("X"): PickleMachine._text,
    ord("}"): PickleMachine._empty_dict,
    ord("]"): PickleMachine._empty_list,
    ord(")"): PickleMachine._empty_tuple,
    ord("t"): PickleMachine._tuple,
    0x85: PickleMachine._tuple_of_one,
    0x86: PickleMachine._tuple_of_two,
    0x87: PickleMachine._tuple_of_three,
    ord("a"): PickleMachine._append,
    ord("e"): PickleMachine._extend,
    ord("s"): PickleMachine._set_item,
    ord("u"): PickleMachine._set_items,
    ord("q"): PickleMachine._put,
    ord("r"): PickleMachine._long_put,
    0x94: PickleMachine._memoize,
    ord("h"): PickleMachine._get,
    ord("j"): PickleMachine._long_get,
}


def _is_key(value: object) -> bool:
    return type(value) in (str, int)


def _quotable(part: object) -> str:
    text = part.decode(errors="replace") if isinstance(part, bytes) else part
    return ascii(text)[1:-1][:80] if isinstance(text, str) else "?"
