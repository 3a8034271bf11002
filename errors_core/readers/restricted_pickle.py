"""Bytes of a pickle → plain values, without Python's own unpickler and without running anything.

Owns the rules: dicts, lists, tuples, strings, numbers, booleans and None are admitted. It refuses everything else:
classes, reductions, persistent ids, the extension registry, sets, bytes, out-of-band buffers, and protocol 0.
"""

from __future__ import annotations

from errors_core.readers.pickle_machine import CutOffError, PickleMachine, PickleRefusedError

__all__ = ["MAX_DEPTH", "PickleRefusedError", "parse_plain_pickle"]

MAX_DEPTH = 64


def parse_plain_pickle(data: bytes) -> tuple[object, tuple[str, ...]]:
    """Return the value and remarks on damage: of a truncated pickle the value is what it held before its end.

    Only texts and integers are admitted as keys; bytes that are no UTF-8 become U+FFFD. The value holds no cycle.
    Raises `PickleRefusedError`.
    """
    machine = PickleMachine(data)
    try:
        value = machine.run()
        remarks = (f"more data follows the pickle at byte {machine.position}",) if machine.position < len(data) else ()
    except CutOffError:
        value = machine.what_was_built()
        remarks = (f"truncated pickle at byte {len(data)}",)
    if _is_deeper_than(value, MAX_DEPTH):
        raise PickleRefusedError(f"nested deeper than {MAX_DEPTH} levels")
    return value, remarks


def _is_deeper_than(value: object, limit: int) -> bool:
    """Tell whether some path into the value is longer; a container that is met twice on a level counts once."""
    level: dict[int, object] = {id(value): value}
    for _ in range(limit + 1):
        level = {id(child): child for node in level.values() for child in _containers_in(node)}
        if not level:
            return False
    return True


def _containers_in(node: object) -> list[object]:
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list | tuple) else ()
    return [child for child in children if isinstance(child, dict | list | tuple)]
