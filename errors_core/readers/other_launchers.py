"""Launchers beside torchrun: DeepSpeed, torch.distributed.launch up to 1.8, Lightning, mp.spawn, horovodrun.

Owns their lines. It refuses to believe the command line that DeepSpeed and the old launcher print: it is that of the
process started last, whatever process died, so its `--local_rank` names nobody.

Sources: deepspeed/launcher/launch.py (0.3 to 0.17), torch/distributed/launch.py (1.0 to 1.8), subprocess.py of CPython,
lightning/fabric/strategies/launchers/subprocess_script.py (2.x), torch/multiprocessing/spawn.py, horovod/runner.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from errors_core.job import Event, Place
from errors_core.readers.launcher_lines import Finding, LineTable
from errors_core.sightings import Sighting
from errors_core.signals import signal_name

if TYPE_CHECKING:
    from errors_core.readers.log_lines import LogLine

__all__ = [
    "ENDS_TRACEBACK",
    "OTHER_LAUNCHER_LINES",
    "build_other_event",
    "build_other_sighting",
    "names_launcher",
    "parse_other_launcher_line",
    "parse_signal",
]

OTHER_LAUNCHER_LINES: dict[str, str] = {
    "deepspeed_exit": r"exits with return code = (?P<exitcode>-?\d{1,10})",
    "subprocess_signal": (
        r"subprocess\.CalledProcessError: Command (?P<command>.*) died with <Signals\.(?P<signal>\w+): \d{1,3}>"
    ),
    "subprocess_unknown": (
        r"subprocess\.CalledProcessError: Command (?P<command>.*) died with unknown signal (?P<signal>\d{1,3})"
    ),
    "subprocess_exit": (
        r"subprocess\.CalledProcessError: Command (?P<command>.*) returned non-zero exit status (?P<exitcode>\d{1,3})"
    ),
    "lightning": (
        r"(?:\[rank: ?(?P<local_rank>\d{1,9})\] )?Child process with PID (?P<pid>\d{1,9}) "
        r"terminated with code (?P<exitcode>-?\d{1,10})\. Forcefully"
    ),
    "spawn_signal": r"ProcessExitedException: process (?P<local_rank>\d{1,9}) terminated with signal (?P<signal>\w+)",
    "spawn_exit": (
        r"ProcessExitedException: process (?P<local_rank>\d{1,9}) terminated with exit code (?P<exitcode>\d{1,10})"
    ),
    "spawn_raised": r"-- Process (?P<local_rank>\d{1,9}) terminated with the following error:",
    "horovodrun": r"^Process (?P<rank>\d{1,9}) exit with status code (?P<exitcode>\d{1,3})\.",
}

ENDS_TRACEBACK = frozenset(
    {"subprocess_signal", "subprocess_unknown", "subprocess_exit", "spawn_signal", "spawn_exit", "spawn_raised"}
)
"""Kinds of lines that are part of a traceback as well."""

_LAUNCHERS = re.compile(
    r"torch\.distributed\.(?:run|launch)\b|(?:^|[/'\" ])(?:torchrun|deepspeed|mpirun|srun|horovodrun)['\" ]"
    r"|accelerate['\", ]+launch"
)
_NUMBERS = {name: number for number in range(1, 65) if (name := signal_name(-number)) is not None}
_NAMELESS = frozenset({"deepspeed_exit", "subprocess_signal", "subprocess_unknown", "subprocess_exit"})


def parse_other_launcher_line(line: LogLine) -> Finding | None:
    """Return what a launcher other than torch's elastic one says in this line."""
    return _TABLE.find(line)


def parse_signal(text: str | None) -> int | None:
    """Return the number of a signal written as `15`, `SIGTERM` or `Signals.SIGTERM`; `None` when it is neither."""
    name = (text or "").rpartition(".")[2]
    if name.isdigit():
        return int(name) if len(name) < 4 else None
    return _NUMBERS.get(name)


def names_launcher(command: str) -> bool:
    """Tell whether a command line starts a launcher, so that its end is not a worker's."""
    return _LAUNCHERS.search(command) is not None


def build_other_sighting(finding: Finding, path: str) -> Sighting | None:
    """Return the worker that a line tells of; one whose marks are all `None` is one of the job's, nobody knows which.

    `None` for a line about a launcher that was itself started by another program.
    """
    if names_launcher(finding.values.get("command", "")):
        return None
    return Sighting(
        source="launcher_log",
        place=Place(path, finding.line.number),
        host=finding.line.marks.host,
        rank=finding.number("rank"),
        local_rank=finding.number("local_rank"),
        pid=finding.number("pid"),
        exitcode=_exitcode(finding),
    )


def build_other_event(finding: Finding, path: str, time: float | None, signature: str | None) -> Event | None:
    """Return an event for what names no worker: that some worker, or another launcher, ended so."""
    if finding.kind not in _NAMELESS:
        return None
    exitcode = _exitcode(finding)
    fields = () if exitcode is None else (("exitcode", str(exitcode)),)
    place = Place(path, finding.line.number)
    return Event("note", finding.line.text.strip()[:500], place, time=time, fields=fields, signature=signature)


def _exitcode(finding: Finding) -> int | None:
    if finding.kind == "spawn_raised":
        return 1
    number = parse_signal(finding.values.get("signal"))
    return finding.number("exitcode") if number is None else -number


_TABLE = LineTable(OTHER_LAUNCHER_LINES)
