"""One entry of a flight recorder dump: an operation that a worker asked a process group for.

Owns how the versions of the format spell it (PyTorch, `FlightRecorder.hpp`, earlier `NCCLUtils.hpp`): group as
`process_group`, `pg_name` or `pg_id` alone; number as `collective_seq_id` and `p2p_seq_id` or one `seq_id`; times in
micro- or nanoseconds, missing or null. An entry is untrusted: a value of a wrong type counts as not told.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from errors_core.job import Frame
from errors_core.own_code import is_own_code

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Entry", "EntryState", "as_count", "as_description", "as_text", "group_of_id", "parse_entry"]

EntryState = Literal["scheduled", "started", "completed"]

_MAX_TEXT = 200
_MAX_PATH = 4096
_MAX_FRAMES = 500
_MAX_TENSORS = 4
_SEND_OR_RECEIVE = re.compile(r"(?:\w+:)?(?:send|recv)\b")
_NO_DESCRIPTION = ("", "undefined")  # the latter is what PyTorch writes for a group without one


@dataclass(frozen=True, slots=True)
class Entry:
    """What an entry says. `seq` counts the operations of its own kind, `other_seq` the other kind's, `op_id` all.

    `state` is `None` where the entry does not tell; `was_started` is false where the start was not timed. A
    `retired` operation is no longer watched: it was completed or given up, and its state may lag behind.
    """

    group: str
    description: str | None
    group_id: int | None
    p2p: bool
    seq: int
    other_seq: int
    op_id: int | None
    op: str | None
    state: EntryState | None
    was_started: bool
    retired: bool
    raw: Mapping[object, object]

    @property
    def time(self) -> float | None:
        """When the worker asked for it, in seconds since the epoch."""
        nanoseconds, microseconds = as_count(self.raw.get("time_created_ns")), as_count(self.raw.get("time_created_us"))
        if nanoseconds is not None:
            return nanoseconds / 1e9
        return None if microseconds is None else microseconds / 1e6

    @property
    def sizes(self) -> str | None:
        """Types and shapes of what goes in and comes out, such as `Float[2, 3] → Float[4, 3]`."""
        sides = [
            _tensors(self.raw.get(f"{side}_sizes"), self.raw.get(f"{side}_dtypes")) for side in ("input", "output")
        ]
        return " → ".join(sides)[:_MAX_TEXT] if any(sides) else None

    @property
    def frame(self) -> Frame | None:
        """The deepest frame of the job's own code, or the deepest frame at all; dumps list the deepest first."""
        raw_frames = self.raw.get("frames")
        if not isinstance(raw_frames, list | tuple):
            return None
        frames = [frame for frame in map(_frame, raw_frames[:_MAX_FRAMES]) if frame is not None]
        return next((frame for frame in frames if frame.own), frames[0] if frames else None)


def parse_entry(raw: object) -> Entry | None:
    """Return what the entry says, `None` when it names no group or no sequence number."""
    if not isinstance(raw, dict):
        return None
    group, description = _group(raw)
    op = as_text(raw.get("profiling_name"))
    p2p = _is_p2p(raw.get("is_p2p"), op)
    own, other = ("p2p_seq_id", "collective_seq_id") if p2p else ("collective_seq_id", "p2p_seq_id")
    seq = as_count(raw.get(own, raw.get("seq_id")))
    if group is None or seq is None:
        return None
    state, was_started = _state(raw)
    return Entry(
        group=group,
        description=description,
        group_id=as_count(raw.get("pg_id")),
        p2p=p2p,
        seq=seq,
        other_seq=as_count(raw.get(other)) or 0,
        op_id=as_count(raw.get("op_id")),
        op=op,
        state=state,
        was_started=was_started,
        retired=raw.get("retired") is True,
        raw=raw,
    )


def group_of_id(identifier: int | str) -> str:
    """Name a group of which a dump tells only the number: it counts per process and may differ between workers."""
    return f"pg_id {identifier}"


def as_count(value: object) -> int | None:
    """Return a number of at most 63 bits that is not negative, also one that was written as text."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 20:
        value = int(value)
    return value if type(value) is int and 0 <= value < 1 << 63 else None


def as_text(value: object, limit: int = _MAX_TEXT) -> str | None:
    """Return a text, shortened if it is very long; an empty one and anything else is not told."""
    return value[:limit] if isinstance(value, str) and value else None


def as_description(value: object) -> str | None:
    """Return a group's description, if it was given one."""
    return None if value in _NO_DESCRIPTION else as_text(value)


def _group(raw: Mapping[object, object]) -> tuple[str | None, str | None]:
    named = raw.get("process_group")
    if isinstance(named, list | tuple) and named:
        return as_text(named[0]), as_description(named[1]) if len(named) > 1 else None
    name = as_text(named) or as_text(raw.get("pg_name"))
    number = as_count(raw.get("pg_id"))
    if name is None and number is not None:
        name = group_of_id(number)
    return name, as_description(raw.get("pg_desc"))


def _is_p2p(flag: object, op: str | None) -> bool:
    return flag if isinstance(flag, bool) else op is not None and _SEND_OR_RECEIVE.match(op) is not None


def _state(raw: Mapping[object, object]) -> tuple[EntryState | None, bool]:
    """Return the state and whether the start is known: without timing, a running operation stays `scheduled`."""
    started = any(as_count(raw.get(f"time_discovered_started_{unit}")) for unit in ("ns", "us"))
    completed = any(as_count(raw.get(f"time_discovered_completed_{unit}")) for unit in ("ns", "us"))
    state = raw.get("state")
    if state == "completed" or completed:
        return "completed", started
    if state == "started" or started:
        return "started", True
    return ("scheduled", False) if state == "scheduled" else (None, False)


def _frame(raw: object) -> Frame | None:
    if not isinstance(raw, dict):
        return None
    path, function = as_text(raw.get("filename"), _MAX_PATH), as_text(raw.get("name"))
    if path is None or function is None:
        return None
    is_python = path.endswith((".py", ">"))  # C++ frames may stand among them
    return Frame(path, as_count(raw.get("line")), function, own=is_python and is_own_code(path))


def _tensors(sizes: object, types: object) -> str:
    if not isinstance(sizes, list | tuple):
        return ""
    names = types if isinstance(types, list | tuple) else ()
    shown = [
        (as_text(names[index]) or "?" if index < len(names) else "") + _shape(shape)
        for index, shape in enumerate(sizes[:_MAX_TENSORS])
    ]
    return ", ".join(shown) + (f" and {len(sizes) - _MAX_TENSORS} more" if len(sizes) > _MAX_TENSORS else "")


def _shape(shape: object) -> str:
    if not isinstance(shape, list | tuple):
        return "[?]"
    counts = [as_count(extent) for extent in shape[:16]]
    return "[" + ", ".join("?" if count is None else str(count) for count in counts) + "]"
