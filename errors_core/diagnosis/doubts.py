"""What keeps a verdict about a worker from being sure, and how sure it may be at most because of it.

Owns the list of doubts. It refuses to choose a worker (that is `errors_core.diagnosis.ranking`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from errors_core.diagnosis.intervals import came_before
from errors_core.diagnosis.roles import signal_of
from errors_core.diagnosis.shared import failure_key
from errors_core.diagnosis.wording import count, evidence, home_of, name_of

if TYPE_CHECKING:
    from errors_core.diagnosis.picture import Picture
    from errors_core.verdict import Confidence, Evidence

__all__ = ["find_doubts"]

_CLEANING = re.compile(r"^(?:destroy_|shutdown|_?clean_?up|__del__|__exit__|close$|_?finali[sz]e)")
_EVERYBODYS = frozenset({"import_error", "argparse", "cuda_init", "cuda_busy", "nccl_usage"})


def find_doubts(picture: Picture, first: int, near: list[int]) -> list[tuple[Confidence, Evidence]]:
    """Return what keeps the answer from being sure, each with the confidence that it allows at most."""
    found = [*_doubts_of_candidate(picture, first), *_doubts_of_evidence(picture, first)]
    own = [i for i in near if picture.profiles[i].standing in ("own", "hard", "confirmed")]
    keys = {failure_key(picture, picture.profiles[i]) for i in own}
    homes = {home_of(picture.workers[i]) for i in own}
    if len(keys) > 1 and len(homes) > 1 and first in own:
        others = [i for i in own if i != first and came_before(picture.workers[first], picture.workers[i]) is not True]
        if others:
            text = f"{name_of(picture.workers[others[0]])} has another failure of its own on another host"
            found.append(("unsure", evidence(text, picture.profiles[others[0]].place)))
    found += [
        ("unsure", doubt) for doubt in picture.doubts if picture.profiles[first].standing not in ("own", "confirmed")
    ]
    return found


def _doubts_of_candidate(picture: Picture, first: int) -> list[tuple[Confidence, Evidence]]:
    profile, worker = picture.profiles[first], picture.workers[first]
    found: list[tuple[Confidence, Evidence]] = []
    named = any(points.family == "blame" for points in picture.points.get(first, ()))
    if profile.standing not in ("own", "hard", "confirmed", "self_exit") and not named:
        found.append(("probable", evidence("it shows no failure of its own: this follows from what the others say")))
    if profile.standing == "hard" and profile.cause in ("sigkill", None):
        found.append(("probable", evidence("nothing confirms who killed it, and why")))
    if profile.standing == "own" and profile.weight < 5:
        text = "its words are general, or come beside those of a lost peer: it may only report somebody else"
        found.append(("probable", evidence(text, profile.place)))
    if profile.standing == "self_exit":
        found.append((_cap_of_silent_end(picture, first), evidence("it left no message that says why it ended")))
    if profile.standing in ("stopped", "silent", "unknown", "stuck") and not profile.heard:
        found.append(("unsure", evidence("its own output was not found, so what it did is not known")))
    frame = worker.error.link.frame if worker.error is not None else None
    if frame is not None and _CLEANING.search(frame.function):
        found.append(("probable", evidence(f"it failed while cleaning up, in {frame.function}", profile.place)))
    if profile.cause in ("gloo_size", "gloo_preamble"):
        text = "the workers called different collectives, and either side may be wrong"
        found.append(("unsure", evidence(text, profile.place)))
    if profile.cause in _EVERYBODYS and not any(other.echo for other in picture.profiles):
        text = "every worker does this at the start: the others may only have been stopped before they failed alike"
        found.append(("probable", evidence(text, profile.place)))
    if worker.rank is None and worker.local_rank is None:
        found.append(("unsure", evidence("the log does not say which worker printed this", profile.place)))
    return found


def _cap_of_silent_end(picture: Picture, first: int) -> Confidence:
    """Return how sure an end without a word can make: behind code 1 or an abort may stand an echo that is lost."""
    worker = picture.workers[first]
    if worker.exitcode == 1 or (signal_of(worker.exitcode) == 6 and picture.profiles[first].place is None):
        return "unsure"
    return "probable"


def _doubts_of_evidence(picture: Picture, first: int) -> list[tuple[Confidence, Evidence]]:
    profile, found = picture.profiles[first], list[tuple["Confidence", "Evidence"]]()
    told = profile.standing in ("own", "confirmed", "hard")
    if picture.missing * 3 > picture.known_size:
        text = f"nothing was found of {count(picture.missing, 'worker')} out of {picture.known_size}"
        found.append(("probable" if told else "unsure", evidence(text)))
    if not picture.is_known_to_have_failed(first):
        text = "nothing else shows that the job failed: the program may have gone on after this error"
        found.append(("unsure", evidence(text, profile.place)))
    if not told and _may_be_its_machine(picture, first):
        found.append(("unsure", evidence("nothing shows whether it failed or its whole machine")))
    alone = not any(p.echo or p.sent for p in picture.profiles if p.index != first)
    if alone and not _whole_job(picture):
        found.append(("probable", evidence("nothing shows how the other workers ended")))
    strays = [p for p in picture.profiles if p.index != first and picture.is_stray(p.index) and p.standing == "own"]
    if strays and profile.standing not in ("own", "confirmed"):
        text = "another failure stands in the log without the name of its worker"
        found.append(("unsure", evidence(text, strays[0].place)))
    if picture.events("launcher_signal"):
        stop = picture.events("launcher_signal")[0]
        found.append(("probable", evidence("a launcher was also stopped from outside", stop.place)))
    return found


def _may_be_its_machine(picture: Picture, first: int) -> bool:
    """Tell whether a silent worker is all that is known of its machine, beside other machines."""
    members = picture.by_home.get(home_of(picture.workers[first]) or "", [])
    return len(picture.by_home) > 1 and members == [first] and picture.profiles[first].standing in ("silent", "unknown")


def _whole_job(picture: Picture) -> bool:
    """Tell whether the picture shows that the job had no other workers than those that failed."""
    if picture.world_size is not None:
        return picture.world_size <= len(picture.workers)
    return len(picture.workers) > 1 and not picture.missing
