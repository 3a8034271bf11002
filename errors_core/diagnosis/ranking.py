"""Which worker is to blame, and how sure that is: the sum of weights and points, its margin, and the doubts.

Owns the choice among workers. It refuses to write the verdict's words (that is `errors_core.diagnosis.verdicts`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from errors_core.diagnosis.intervals import came_before, failed_at, stopped_at
from errors_core.diagnosis.roles import signal_of
from errors_core.diagnosis.shared import failure_key
from errors_core.diagnosis.wording import count, evidence, home_of, name_of

if TYPE_CHECKING:
    from errors_core.diagnosis.picture import Picture
    from errors_core.verdict import Confidence, Evidence

__all__ = ["Choice", "choose", "discount_late_failures"]

_SURE_SCORE, _SURE_MARGIN = 5, 3
_PROBABLE_SCORE, _PROBABLE_MARGIN = 3, 2
_CANDIDATES = 3
_CLEANING = re.compile(r"^(?:destroy_|shutdown|_?clean_?up|__del__|__exit__|close$|_?finali[sz]e)")
_LEVELS: tuple[Confidence, ...] = ("unsure", "probable", "sure")


@dataclass(frozen=True, slots=True)
class Choice:
    """The best candidate first. `doubts` are sentences that lowered the confidence."""

    candidates: tuple[int, ...]
    confidence: Confidence
    doubts: tuple[Evidence, ...]
    settled_by_time: bool = False


def discount_late_failures(picture: Picture) -> None:
    """Take weight from failures that began only after the launcher had stopped their worker."""
    for profile, worker in zip(picture.profiles, picture.workers, strict=True):
        if not profile.sent or profile.standing != "own":
            continue
        stopped, failed = stopped_at(worker), failed_at(worker)
        if stopped is not None and failed is not None and failed[0] > stopped:
            picture.add(profile.index, "late", -3, "its failure came after the launcher had stopped it", profile.place)


def choose(picture: Picture) -> Choice | None:
    """Return the candidates and the confidence, or `None` when no worker stands out at all."""
    scores = {index: picture.total(index) for index in range(len(picture.workers))}
    best = max(scores.values(), default=0)
    if best <= 0:
        return None
    near = [index for index, score in scores.items() if score > best - _SURE_MARGIN and score > 0]
    near.sort(key=lambda index: (-scores[index], _order(picture, index)))
    near = _named_first(picture, near)
    first = near[0]
    by_time = len(near) > 1 and scores[near[1]] == scores[first] and _earlier(picture, near)
    second = scores[near[1]] if len(near) > 1 else max((s for i, s in scores.items() if i != first), default=0.0)
    margin = scores[first] - max(second, 0.0) + (1 if by_time else 0)
    doubts = _doubts(picture, first, near)
    confidence = _cap(_confidence(scores[first], margin), doubts)
    shown = near[:_CANDIDATES] if confidence == "unsure" else near[:1]
    return Choice(tuple(shown), confidence, tuple(text for _, text in doubts), by_time)


def _named_first(picture: Picture, near: list[int]) -> list[int]:
    """Put the only named worker that ended by itself before a text that nobody signed: it may well be its own."""
    ended = [p.index for p in picture.profiles if p.standing in ("self_exit", "hard", "confirmed")]
    named = [index for index in ended if not _is_stray(picture, index)]
    if not _is_stray(picture, near[0]) or len(named) != 1:
        return near
    return [named[0], *(index for index in near if index != named[0])]


def _order(picture: Picture, index: int) -> tuple[float, float, int]:
    worker = picture.workers[index]
    at = failed_at(worker)
    rank = worker.rank if worker.rank is not None else index
    return (at[0] if at else float("inf"), at[1] if at else float("inf"), rank)


def _earlier(picture: Picture, near: list[int]) -> bool:
    """Tell whether the first of equal candidates surely failed before the second."""
    one, two = picture.workers[near[0]], picture.workers[near[1]]
    return came_before(one, two) is True


def _confidence(score: float, margin: float) -> Confidence:
    if score >= _SURE_SCORE and margin >= _SURE_MARGIN:
        return "sure"
    return "probable" if score >= _PROBABLE_SCORE and margin >= _PROBABLE_MARGIN else "unsure"


def _cap(confidence: Confidence, doubts: list[tuple[Confidence, Evidence]]) -> Confidence:
    return min((confidence, *(cap for cap, _ in doubts)), key=_LEVELS.index)


def _doubts(picture: Picture, first: int, near: list[int]) -> list[tuple[Confidence, Evidence]]:
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
    if profile.standing == "own" and profile.weight < _SURE_SCORE:
        text = "its words are general, or come beside those of a lost peer: it may only report somebody else"
        found.append(("probable", evidence(text, profile.place)))
    if profile.standing == "self_exit":
        found.append((_cap_of_silent_end(picture, first), evidence("it left no message that says why it ended")))
    if profile.standing in ("stopped", "silent", "unknown", "stuck") and not profile.heard:
        found.append(("unsure", evidence("its own output was not found, so what it did is not known")))
    frame = worker.error.link.frame if worker.error is not None else None
    if frame is not None and _CLEANING.search(frame.function):
        found.append(("probable", evidence(f"it failed while cleaning up, in {frame.function}", profile.place)))
    if worker.rank is None and worker.local_rank is None:
        found.append(("unsure", evidence("the log does not say which worker printed this", profile.place)))
    return found


def _cap_of_silent_end(picture: Picture, first: int) -> Confidence:
    """Return how sure an end without a word can make: behind code 1 or an abort may stand an echo that is lost."""
    worker = picture.workers[first]
    if worker.exitcode != 1 and signal_of(worker.exitcode) != 6:
        return "probable"
    waiting = any(profile.waiting for profile in picture.profiles)
    return "unsure" if waiting or not worker.stderr_log else "probable"


def _doubts_of_evidence(picture: Picture, first: int) -> list[tuple[Confidence, Evidence]]:
    profile, found = picture.profiles[first], list[tuple["Confidence", "Evidence"]]()
    told = profile.standing in ("own", "confirmed", "hard")
    if picture.missing * 3 > picture.known_size:
        text = f"nothing was found of {count(picture.missing, 'worker')} out of {picture.known_size}"
        found.append(("probable" if told else "unsure", evidence(text)))
    if not _is_known_to_have_failed(picture, first):
        text = "nothing else shows that the job failed: the program may have gone on after this error"
        found.append(("unsure", evidence(text, profile.place)))
    alone = not any(p.echo or p.sent for p in picture.profiles if p.index != first)
    if alone and not _whole_job(picture):
        found.append(("probable", evidence("nothing shows how the other workers ended")))
    strays = [p for p in picture.profiles if p.index != first and _is_stray(picture, p.index) and p.standing == "own"]
    if strays and profile.standing not in ("own", "confirmed"):
        text = "another failure stands in the log without the name of its worker"
        found.append(("unsure", evidence(text, strays[0].place)))
    if picture.events("launcher_signal"):
        stop = picture.events("launcher_signal")[0]
        found.append(("probable", evidence("a launcher was also stopped from outside", stop.place)))
    return found


def _is_known_to_have_failed(picture: Picture, first: int) -> bool:
    """Tell whether anything but a traceback in a log says that the job broke: a program may survive what it logs."""
    profile, worker = picture.profiles[first], picture.workers[first]
    if profile.standing != "own" or worker.exitcode is not None or worker.error_file or worker.timestamp is not None:
        return True
    if profile.cause in ("sigsegv", "sigbus", "sigill") or picture.events(
        "launcher_pick", "launcher_signal", "restart"
    ):
        return True
    return any(p.echo or p.sent or picture.workers[p.index].failed for p in picture.profiles if p.index != first)


def _is_stray(picture: Picture, index: int) -> bool:
    worker = picture.workers[index]
    return worker.rank is None and worker.local_rank is None


def _whole_job(picture: Picture) -> bool:
    """Tell whether the picture shows that the job had no other workers than those that failed."""
    if picture.world_size is not None:
        return picture.world_size <= len(picture.workers)
    return len(picture.workers) > 1 and not picture.missing
