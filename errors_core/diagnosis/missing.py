"""What would decide, and which switch would have kept it.

Owns the sentences about evidence that is not there. It refuses to judge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from errors_core.diagnosis.roles import signal_of
from errors_core.diagnosis.wording import count, evidence, home_of, name_of

if TYPE_CHECKING:
    from errors_core.diagnosis.picture import Picture
    from errors_core.verdict import Confidence, Evidence

__all__ = ["find_missing"]


def find_missing(picture: Picture, candidates: tuple[int, ...], confidence: Confidence) -> tuple[Evidence, ...]:
    """Return what is not in the data and would make the answer surer."""
    found: list[Evidence] = []
    for index in candidates[:2] or _untold(picture):
        found += _of_worker(picture, index)
    if not candidates:
        text = "what the worker that the others lost printed: torchrun --log-dir DIR --redirects 3 keeps it"
        found.append(evidence(text))
    if picture.missing:
        text = f"the logs of {count(picture.missing, 'worker')} of {picture.known_size} are not among the files"
        found.append(evidence(text))
    if confidence != "sure" and not picture.events("launcher_pick", "launcher_signal") and not _launcher_seen(picture):
        found.append(evidence("the launcher's own output, which says who died first and how (exit codes and signals)"))
    return tuple(dict.fromkeys(found))


def _untold(picture: Picture) -> list[int]:
    """Return the first workers that said nothing."""
    return [profile.index for profile in picture.profiles if profile.words is None and profile.standing != "ok"][:2]


def _launcher_seen(picture: Picture) -> bool:
    return any(worker.closings or worker.summary_index is not None for worker in picture.workers)


def _of_worker(picture: Picture, index: int) -> list[Evidence]:
    profile, worker = picture.profiles[index], picture.workers[index]
    who, found = name_of(worker), list["Evidence"]()
    if signal_of(worker.exitcode) == 9 and profile.standing == "hard":
        where = f" of {home_of(worker)}" if home_of(worker) else ""
        pid = "" if worker.pid is None else f", searched for pid {worker.pid}"
        found.append(evidence(f"the kernel log{where} (dmesg -T{pid}): it would confirm that memory ran out"))
    if worker.error is None and profile.standing not in ("confirmed", "own"):
        if not worker.stderr_log and not profile.heard:
            switch = "torchrun --log-dir DIR --redirects 3 (or --tee 3) keeps it"
            found.append(evidence(f"the output of {who}: {switch}"))
        if worker.error_file is None and worker.exitcode not in (None, 0) and signal_of(worker.exitcode) is None:
            found.append(evidence(f"an error file of {who}: @record on the main function writes one"))
    if profile.standing in ("silent", "stopped", "stuck") and profile.heard:
        found.append(
            evidence(f"a stack of {who} from before it was stopped: py-spy dump, or the flight recorder's dumps")
        )
    return found
