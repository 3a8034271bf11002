"""`ErrorReport`: what one error file says, whichever of the known shapes (A to F) it has.

Owns the meaning of the keys. It is tolerant: a key of an odd type makes the value unknown (`None`) and is kept in
`data`. It opens no file and decodes no bytes.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from errors_core.exceptions import ErrorFileError
from errors_core.signals import signal_name

__all__ = ["ErrorReport", "report_from_data"]

_LAST_SECOND = 253402300799  # the end of the year 9999, after which no calendar goes
_UNITS = ((1, "seconds"), (10**3, "milliseconds"), (10**6, "microseconds"), (10**9, "nanoseconds"))
_REPORT_KEYS = {"message", "timestamp", "extraInfo"}
_EXCEPTION_NAME = re.compile(r"(?:[A-Za-z_]\w*\.)*([A-Za-z_]\w*)(?=: |\(|:?$)", re.MULTILINE)
_EXCEPTION_ENDINGS = ("Error", "Exception", "Warning", "Interrupt", "Exit", "Group", "Timeout")


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorReport:
    """One error file as one value; everything that it does not tell is `None`.

    `shape` is the letter of contract.md, section 2. `message` is always text. `traceback` is joined text, outermost
    frame first; `recorder_frames` says that these are the frames of the recorder and not of the exception (torch 1.9).
    `timestamp` is in whole seconds since the epoch. `error_code` is what the agent added when it passed the file on.
    `signal` is a name such as `SIGTERM`. `extra_info` is the map of further facts, `data` the JSON as it was read.
    `remarks` name what was odd about the file although it could be read.
    """

    shape: str
    message: str
    error_type: str | None = None
    traceback: str | None = None
    recorder_frames: bool = False
    timestamp: int | None = None
    timestamp_ns: int | None = None
    exitcode: int | None = None
    error_code: int | None = None
    signal: str | None = None
    rank: int | None = None
    local_rank: int | None = None
    group_rank: int | None = None
    world_size: int | None = None
    run_id: str | None = None
    restart_count: int | None = None
    role: str | None = None
    hostname: str | None = None
    pid: int | None = None
    extra_info: dict[str, Any] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()


def report_from_data(data: dict[str, Any], remarks: tuple[str, ...] = ()) -> ErrorReport:
    """Return the report that the JSON of an error file holds; raises `ErrorFileError` when it has no message."""
    if "message" not in data:
        raise ErrorFileError('no error file: it has no key "message"')
    inner = data["message"] if isinstance(data["message"], dict) else {}
    known = {**_mapping(data.get("extraInfo")), **_mapping(inner.get("extraInfo"))}
    frames = known.get("py_callstack", known.get("traceback"))
    traceback = _traceback_text(frames)
    message = _text(inner.get("message", "")) if inner else _text(data["message"])
    timestamp, unit = _first_timestamp(known.get("timestamp"), data.get("timestamp"), inner.get("timestamp"))
    if unit not in (None, "seconds"):
        remarks = (*remarks, f"its timestamp was read as {unit}")
    return ErrorReport(
        shape=_shape(data, inner, known),
        message=message,
        error_type=_name(known.get("exception_type")) or _error_type(message, traceback),
        traceback=traceback,
        recorder_frames=isinstance(frames, list),
        timestamp=timestamp,
        timestamp_ns=_number(known.get("timestamp_ns")),
        exitcode=_number(known.get("exitcode")),
        error_code=_first_number(inner.get("errorCode"), data.get("errorCode"), known.get("errorCode")),
        signal=_signal(known.get("signal")),
        rank=_count(known.get("rank")),
        local_rank=_count(known.get("local_rank")),
        group_rank=_count(known.get("group_rank")),
        world_size=_count(known.get("world_size")),
        run_id=_name(known.get("run_id")),
        restart_count=_count(known.get("restart_count")),
        role=_name(known.get("role")),
        hostname=_name(known.get("hostname")),
        pid=_count(known.get("pid")),
        extra_info={**_further(data, inner), **known},
        data=data,
        remarks=remarks,
    )


def _further(data: dict[str, Any], inner: dict[str, Any]) -> dict[str, Any]:
    """Return what a scheduler's reply file tells beside the report; the agent's own `errorCode` is no such thing."""
    further = {key: value for part in (data, inner) for key, value in part.items() if key not in _REPORT_KEYS}
    return {} if further.keys() == {"errorCode"} == inner.keys() - _REPORT_KEYS else further


def _shape(data: dict[str, Any], inner: dict[str, Any], known: dict[str, Any]) -> str:
    """Return the letter of contract.md, section 2."""
    if _further(data, inner):
        return "E"
    if inner:
        return "F" if isinstance(known.get("py_callstack"), list) else "A"
    if isinstance(data.get("timestamp"), list):
        return "D"
    return "C" if known else "B"


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _name(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _number(value: object) -> int | None:
    """Return a whole number that may be written as text; anything else is unknown."""
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, str):
        value = value.strip()
        if not re.fullmatch(r"[+-]?\d{1,40}(\.\d{1,40})?", value, re.ASCII):
            return None
        return int(value.partition(".")[0])
    return int(value) if isinstance(value, int | float) else None


def _first_number(*values: object) -> int | None:
    return next((number for number in map(_number, values) if number is not None), None)


def _count(value: object) -> int | None:
    """Return a number that cannot be negative, such as a rank."""
    number = _number(value)
    return number if number is not None and number >= 0 else None


def _first_timestamp(*values: object) -> tuple[int | None, str | None]:
    """Return whole seconds since the epoch and the unit that they were written in; 0 is no time."""
    for number in map(_number, values):
        if number is not None and number > 0:
            for factor, unit in _UNITS:
                if number // factor <= _LAST_SECOND:
                    return number // factor, unit
    return None, None


def _traceback_text(frames: object) -> str | None:
    """Return the call stack as one text; torch 1.9 wrote it as a list of frames."""
    if isinstance(frames, list):
        frames = "".join(_text(frame) if _text(frame).endswith("\n") else _text(frame) + "\n" for frame in frames)
    return _name(frames)


def _signal(value: object) -> str | None:
    """Return the name of a signal that may be written as a name or as a number."""
    number = _number(value)
    if number is not None:
        return signal_name(-abs(number))
    name = _name(value)
    return name.removeprefix("Signals.") if name else None


def _error_type(message: str, traceback: str | None) -> str | None:
    """Return the exception's name at the start of the message, if it is one.

    It is one when it ends as exceptions do or when a line of the traceback starts with it.
    """
    match = _EXCEPTION_NAME.match(message)
    if match is None:
        return None
    if match[1].endswith(_EXCEPTION_ENDINGS):
        return match[0]
    pattern = rf"^(?:[\w.]*\.)?{re.escape(match[0])}(?::|$)"
    return match[0] if traceback and re.search(pattern, traceback, re.MULTILINE) else None
