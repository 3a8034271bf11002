"""What stands above the launcher says: Slurm, the kernel, Kubernetes, mpirun, LSF, PBS.

Owns their lines. They turn up in the same files as the launcher's, so they are read in the same pass; a file that
holds nothing else is read by the same reader. It refuses to decide whether a process id is one of the job's workers:
a sighting with a pid and nothing else is for joining to match.

Sources: slurm (slurmstepd, srun, sacct), Linux mm/oom_kill.c, arch/x86/kernel/traps.c, NVIDIA's kernel driver,
kubectl describe, Kubeflow's training operator, Open MPI and MPICH (Hydra).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from errors_core.job import Event, Hit, Place
from errors_core.log_times import DATE, parse_date
from errors_core.readers.launcher_lines import Finding, LineTable
from errors_core.sightings import Sighting

if TYPE_CHECKING:
    from errors_core.readers.log_lines import LogLine

__all__ = ["MAY_BE_TEXT", "SCHEDULER_LINES", "build_scheduler_event", "build_task_sightings", "parse_scheduler_line"]

SCHEDULER_LINES: dict[str, str] = {
    "kernel_oom": (
        r"(?:[Oo]ut of memory|oom-kill).*?: Kill(?:ed)? process (?P<pid>\d{1,9})"
        r"(?:[ ,]+\(?(?P<program>[^),\s]+)\)?)?"
    ),
    "kernel_oom_task": r"oom-kill:.*?task=(?P<program>[^,]+),pid=(?P<pid>\d{1,9})",
    "xid": r"NVRM: Xid \(PCI:(?P<bus>[0-9a-fA-F:.]+)\): (?P<xid>\d{1,6})(?:, pid='?(?P<pid>\d{1,9}))?",
    "kernel_trap": r"(?P<program>[\w./-]+)\[(?P<pid>\d{1,9})\]:? (?P<why>segfault|general protection|trap \w+)",
    "slurm_oom": (
        r"slurmstepd.*Detected (?P<count>\d{1,6}) oom[-_ ]kill event|slurmstepd.*Exceeded (?:step|job) memory limit"
    ),
    "slurm_cancel": (
        r"\*\*\* (?:JOB|STEP) (?P<job>\S+) ON (?P<host>\S+) CANCELLED AT (?P<at>\S+)"
        r"(?: DUE TO (?P<why>[A-Z][A-Z ]+[A-Z]))?"
    ),
    "srun_task": (
        r"srun: error: (?P<host>[\w.,\[\]-]+): tasks? (?P<task>[\d,\-\[\]]+): "
        r"(?P<why>Out Of Memory|Killed|Terminated|Segmentation fault|Bus error|Aborted|Floating point exception"
        r"|Illegal instruction|Hangup|Interrupt|Exited with exit code (?P<exitcode>\d{1,3}))"
    ),
    "srun_node": r"srun: error: Node failure on (?P<host>\S+)",
    "sacct": (
        r"(?:^|\s)(?P<job>\d+(?:_\d+)?(?:\.\w+)?) .*\s"
        r"(?P<why>FAILED|OUT_OF_ME\S*|CANCELLED\S*|TIMEOUT|NODE_FAIL|PREEMPTED)\s+(?P<exitcode>\d{1,3}):(?P<signal>\d{1,3})(?:\s|$)"
    ),
    "scontrol": r"ExitCode=(?P<exitcode>\d{1,3}):(?P<signal>\d{1,3})",
    "mpirun": (
        r"noticed that process rank (?P<rank>\d{1,9}) with PID (?P<pid>\d{1,9}) on node (?P<host>\S+) "
        r"exited on signal (?P<signal>\d{1,3})"
    ),
    "mpirun_exit": r"Process name: \[\[[^\]]*\],(?P<rank>\d{1,9})\]",
    "mpi_abort": r"MPI_ABORT was invoked on rank (?P<rank>\d{1,9})",
    "hydra": r"=\s+PID (?P<pid>\d{1,9}) RUNNING AT (?P<host>\S+)",
    "pod": r"pod (?P<host>[\w.-]+) container (?P<container>[\w.-]+) exitCode: (?P<exitcode>\d{1,3})",
    "oom_killed": r"\bOOMKilled\b",
    "container": r"(?:terminated with exit code|[Ee]xit ?[Cc]ode\"?:) +\"?(?P<exitcode>1[2-9]\d)\b",
    "evicted": (
        r"\b(?:[Rr]eason|Status): +\"?(?P<why>Evicted|Preempting|NodeLost|DeadlineExceeded)"
        r"|The node was low on resource"
    ),
    "lsf": r"(?P<why>TERM_(?:MEMLIMIT|RUNLIMIT|OWNER|ADMIN|PREEMPT|SWAP|REQUEUE_\w+)): job killed",
    "pbs": r"=>> PBS: job killed: (?P<why>.+)",
    "shell": r"line \d{1,9}: +(?P<pid>\d{1,9}) (?P<why>Killed|Segmentation fault|Bus error|Aborted|Terminated)\b",
}

MAY_BE_TEXT = frozenset({"container", "oom_killed", "evicted", "sacct", "scontrol", "shell", "kernel_trap"})
"""Kinds of lines that a program's own message may hold as well."""

_KERNEL = frozenset({"kernel_oom", "kernel_oom_task", "xid", "kernel_trap"})
_SIGNALS = {
    "Out Of Memory": 9,
    "Killed": 9,
    "Terminated": 15,
    "Segmentation fault": 11,
    "Bus error": 7,
    "Aborted": 6,
    "Floating point exception": 8,
    "Illegal instruction": 4,
    "Hangup": 1,
    "Interrupt": 2,
}
_END = re.compile(r"(?:Exit code|EXIT CODE): +(?P<exitcode>\d{1,3})|KILLED BY SIGNAL: (?P<signal>\d{1,3})")
_MAX_TASKS = 1 << 17
_DATE = re.compile(DATE)


def parse_scheduler_line(line: LogLine, following: str = "") -> Finding | None:
    """Return what a scheduler, the kernel or a container runtime says in this line, and in the next one of a pair."""
    found = _TABLE.find(line)
    if found is None:
        return None
    if found.kind == "scontrol" and not (found.number("exitcode") or found.number("signal")):
        return None
    end = _END.search(following) if found.kind in ("mpirun_exit", "hydra") else None
    if end is not None:
        found.values = {**found.values, **{name: value for name, value in end.groupdict().items() if value is not None}}
    return found


def build_scheduler_event(finding: Finding, path: str, time: float | None, signature: str | None) -> Event:
    """Turn a finding into an event; `time` is the line's own, `signature` the one that it matches."""
    stamp = _DATE.match(finding.values.get("at", ""))
    fields = {name: value for name, value in finding.values.items() if name != "at"}
    if "host" not in fields and finding.line.marks.host is not None:
        fields["host"] = finding.line.marks.host
    return Event(
        kind="kernel" if finding.kind in _KERNEL else "scheduler",
        text=finding.line.text.strip()[:500],
        place=Place(path, finding.line.number),
        time=parse_date(stamp.groupdict()) if stamp is not None else time,
        fields=tuple(fields.items()),
        signature=signature,
    )


def build_task_sightings(
    finding: Finding, path: str, signature: str | None, *, tasks_are_ranks: bool
) -> list[Sighting]:
    """Return the workers that a line names: by process id, by MPI rank, or by Slurm task when `tasks_are_ranks`.

    A process id need not be a worker's; joining drops a sighting whose pid no other source knows.
    """
    place = Place(path, finding.line.number)
    host = finding.values.get("host") or finding.line.marks.host
    if host is not None and ("[" in host or "," in host):
        host = None  # a list of nodes
    text = finding.line.text.strip()[:500]
    hits = (Hit(signature, text, place, tuple(finding.values.items())),) if signature is not None else ()
    if finding.kind == "srun_task":
        ranks: list[int | None] = [*_expand(finding.values["task"])] if tasks_are_ranks else []
    else:
        ranks = [finding.number("rank")]
    pid = finding.number("pid") or None  # mpirun writes PID 0 for a process on another node
    return [
        Sighting(
            source="scheduler_log", place=place, host=host, rank=rank, pid=pid, exitcode=_exitcode(finding), hits=hits
        )
        for rank in ranks
        if rank is not None or pid is not None
    ]


def _exitcode(finding: Finding) -> int | None:
    """Return the exit code as Python's subprocess would give it: a signal is negative."""
    if finding.kind == "kernel_trap":
        return -11
    if finding.kind in _KERNEL:
        return None
    signal = finding.number("signal") or _SIGNALS.get(finding.values.get("why", ""))
    return -signal if signal else finding.number("exitcode")


def _expand(tasks: str) -> list[int]:
    """Expand Slurm's list of tasks: `0-2,5` and `[0-2,5]`."""
    numbers: list[int] = []
    for part in tasks.strip("[]").split(","):
        first, _, last = part.partition("-")
        if first.isdigit() and (last.isdigit() or not last) and len(part) < 20:
            numbers += range(int(first), min(int(last or first), int(first) + _MAX_TASKS) + 1)
    return numbers


_TABLE = LineTable(SCHEDULER_LINES)
