"""The launcher's own tracebacks: told from workers', and turned into the event that ended the launcher.

Owns the list of files that only a launcher's frames run through.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from errors_core.job import Event, Place
from errors_core.tracebacks.summary import CUT

if TYPE_CHECKING:
    from errors_core.job import ErrorSummary
    from errors_core.readers.judge import Judge
    from errors_core.readers.launch import Launch
    from errors_core.tracebacks import TracebackSpan

__all__ = ["EVENT_KINDS", "build_launcher_event", "is_launcher_frame", "is_launcher_traceback"]

EVENT_KINDS = {
    "rdzv_conn": "rendezvous",
    "rdzv_closed": "rendezvous",
    "rdzv_timeout": "rendezvous",
    "rdzv_dead": "rendezvous",
    "port_in_use": "port",
}
"""Signatures that speak of the launcher, and the kind of event that they make."""

_FRAME = re.compile(
    r"torch[/\\]distributed[/\\](?:run|launch|launcher[/\\]api)\.py"
    r"|torch[/\\]distributed[/\\]elastic[/\\](?:agent|rendezvous)[/\\]"
    r"|accelerate[/\\]commands[/\\]|deepspeed[/\\]launcher[/\\]|bin[/\\](?:torchrun|accelerate|deepspeed)\b"
)
_END = re.compile(r"^(?:\w+\.)*(?:ChildFailedError|SignalException|ProcessExitedException)\b", re.MULTILINE)
_SAID_OTHERWISE = re.compile(
    rf"(?:ChildFailedError|SignalException|ProcessExitedException|CalledProcessError)$|^{re.escape(CUT)}"
)
_AGENT_RUNS = re.compile(r"elastic[/\\]agent[/\\]server|launch_agent")


def is_launcher_frame(text: str) -> bool:
    """Tell whether a line names a file of a launcher."""
    return _FRAME.search(text) is not None


def is_launcher_traceback(text: str) -> bool:
    """Tell whether a traceback is the launcher's own: its frames run through torchrun, or it ends as only that does."""
    return _FRAME.search(text) is not None or _END.search(text) is not None


def build_launcher_event(
    span: TracebackSpan, error: ErrorSummary | None, path: str, launch: Launch | None, judge: Judge
) -> Event | None:
    """Return why the launcher itself ended; `None` when other lines say it, or nothing does."""
    if error is None or _SAID_OTHERWISE.search(error.links[-1].type):
        return None
    last = error.links[-1]
    place = Place(path, span.last_line)
    if last.type == "KeyboardInterrupt":
        if launch is not None and any(found.kind == "death" for found in launch.findings):
            return None
        return Event("launcher_signal", last.title, place, fields=(("signal", "SIGINT"),))
    name = judge.name(last.title)
    kind = EVENT_KINDS.get(name or "", "note" if _AGENT_RUNS.search(span.text) else "usage")
    return Event(kind, last.title[:500], place, signature=name)
