"""The working picture of one attempt: workers, their profiles and look-ups by rank, host and pid.

Owns the look-ups and the points that relations add to workers. It refuses to judge.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from errors_core.diagnosis.roles import profile_workers
from errors_core.diagnosis.signatures import signature
from errors_core.diagnosis.wording import evidence, home_of

if TYPE_CHECKING:
    from errors_core.diagnosis.roles import Profile
    from errors_core.job import Attempt, Event, Place, Worker
    from errors_core.verdict import Evidence

__all__ = ["Picture", "Points", "draw"]


@dataclass(frozen=True, slots=True)
class Points:
    """What one relation adds to a worker. `family` caps it: of one family only the largest counts."""

    family: str
    amount: float
    evidence: Evidence


@dataclass
class Picture:
    """One attempt as the diagnosis sees it. `points` are what relations found, by worker index."""

    attempt: Attempt
    profiles: list[Profile]
    world_size: int | None = None
    points: dict[int, list[Points]] = field(default_factory=dict)
    doubts: list[Evidence] = field(default_factory=list)
    absent: dict[int, Evidence] = field(default_factory=dict)

    @property
    def workers(self) -> tuple[Worker, ...]:
        """All workers of the attempt."""
        return self.attempt.workers

    @cached_property
    def by_rank(self) -> dict[int, int]:
        """Worker indices by rank; the first one where a rank occurs twice."""
        found: dict[int, int] = {}
        for index, worker in enumerate(self.workers):
            if worker.rank is not None:
                found.setdefault(worker.rank, index)
        return found

    @cached_property
    def by_pid(self) -> dict[int, list[int]]:
        """Worker indices by process id."""
        found: dict[int, list[int]] = {}
        for index, worker in enumerate(self.workers):
            if worker.pid is not None:
                found.setdefault(worker.pid, []).append(index)
        return found

    @cached_property
    def by_home(self) -> dict[str, list[int]]:
        """Worker indices by host, else node."""
        found: dict[str, list[int]] = {}
        for index, worker in enumerate(self.workers):
            home = home_of(worker)
            if home is not None:
                found.setdefault(home, []).append(index)
        return found

    @cached_property
    def _by_other_name(self) -> dict[str, list[int]]:
        """Worker indices by node name and by the first label of the host name."""
        found: dict[str, list[int]] = {}
        for index, worker in enumerate(self.workers):
            if worker.node:
                found.setdefault(worker.node, []).append(index)
            if worker.host and worker.host != worker.node:
                found.setdefault(worker.host.split(".", 1)[0], []).append(index)
        return found

    def on_host(self, name: str | None) -> list[int]:
        """Return the workers on a host, by its full name, its first label or its node name."""
        if not name:
            return []
        return self.by_home.get(name) or self._by_other_name.get(name.split(".", 1)[0]) or []

    @cached_property
    def gap(self) -> tuple[int, bool] | None:
        """The one number that is missing in an otherwise whole row of workers, and whether it is a rank.

        It is a local rank when the ranks are not known; `None` when no number or several are missing.
        """
        for row, ranks in (([w.rank for w in self.workers], True), ([w.local_rank for w in self.workers], False)):
            numbers = {number for number in row if number is not None}
            if len(numbers) != len(row) or not numbers or (not ranks and len(self.by_home) > 1):
                continue
            size = max(max(numbers) + 1, (self.world_size or 0) if ranks else 0)
            if size - len(numbers) == 1:
                return (set(range(size)) - numbers).pop(), ranks
        return None

    def is_stray(self, index: int) -> bool:
        """Tell whether nothing but its text is known of a worker: neither rank nor local rank."""
        worker = self.workers[index]
        return worker.rank is None and worker.local_rank is None

    def is_known_to_have_failed(self, index: int) -> bool:
        """Tell whether anything but a traceback in a log says that the job broke: a program may go on."""
        profile = self.profiles[index]
        if profile.standing != "own" or profile.cause in ("sigsegv", "sigbus", "sigill") or self._ended_badly:
            return True
        error = self.workers[index].error
        if error is not None and error.uncaught:
            return True
        return any(other.echo or other.sent for other in self.profiles if other.index != index)

    @cached_property
    def _ended_badly(self) -> bool:
        """Whether an exit code, an error file, a recorded time or the launcher says that something failed."""
        if self.events("launcher_pick", "launcher_signal", "restart"):
            return True
        return any(w.exitcode or w.error_file or w.timestamp is not None for w in self.workers)

    def events(self, *kinds: str) -> list[Event]:
        """Return the attempt's events of these kinds."""
        return [event for event in self.attempt.events if event.kind in kinds]

    @cached_property
    def stray_cause(self) -> Event | None:
        """The first line that names a cause and that no worker is known to have written."""
        for event in self.events("note", "port"):
            found = signature(event.signature or "")
            if found is not None and found.role == "primary" and found.id != "py_exception":
                return event
        return None

    @cached_property
    def stray_end(self) -> tuple[int, Event] | None:
        """How some worker ended, as a launcher says that does not name it: the exit code and where it says so."""
        for event in self.events("note"):
            code = dict(event.fields).get("exitcode", "")
            if code.lstrip("-").isdigit() and int(code):
                return int(code), event
        return None

    @cached_property
    def quiet(self) -> tuple[int, ...]:
        """The two or three workers that may have died or stopped without a word; empty when they are more."""
        quiet = [p.index for p in self.profiles if p.standing in ("silent", "unknown", "stopped") and not p.sent]
        return tuple(quiet) if 1 < len(quiet) <= 3 else ()

    def add(self, index: int, family: str, amount: float, text: str, place: Place | None = None) -> None:
        """Note that a relation speaks for (or against) a worker."""
        self.points.setdefault(index, []).append(Points(family, amount, evidence(text, place)))

    def total(self, index: int) -> float:
        """Return a worker's weight and points, one per family."""
        best: dict[str, float] = {}
        for points in self.points.get(index, ()):
            known = best.get(points.family, 0.0)
            best[points.family] = points.amount if abs(points.amount) > abs(known) else known
        return self.profiles[index].weight + sum(best.values())

    @cached_property
    def known_size(self) -> int:
        """The number of workers that this attempt had at least: the world size, else what the ranks imply."""
        highest = max(self.by_rank, default=-1) + 1
        named = sum(1 for worker in self.workers if worker.rank is not None or worker.local_rank is not None)
        return max(self.world_size or 0, highest, named)

    @property
    def missing(self) -> int:
        """How many workers nothing is known of."""
        return max(0, self.known_size - len(self.workers))


def draw(attempt: Attempt, world_size: int | None = None) -> Picture:
    """Build the picture of one attempt."""
    return Picture(attempt, profile_workers(attempt), world_size)
