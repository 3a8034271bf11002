"""Which worker is to blame, and how sure that is: the sum of weights and points, its margin, and the doubts.

Owns the choice among workers. It refuses to write the verdict's words (that is `errors_core.diagnosis.verdicts`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from errors_core.diagnosis.doubts import find_doubts
from errors_core.diagnosis.intervals import came_before, failed_at, stopped_at

if TYPE_CHECKING:
    from errors_core.diagnosis.picture import Picture
    from errors_core.verdict import Confidence, Evidence

__all__ = ["Choice", "choose", "discount_late_failures"]

_SURE_SCORE, _SURE_MARGIN = 5, 3
_PROBABLE_SCORE, _PROBABLE_MARGIN = 3, 2
_CANDIDATES = 3
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
    _drop_twins(picture, scores, best)
    near = [index for index, score in scores.items() if score > best - _SURE_MARGIN and score > 0]
    near.sort(key=lambda index: (-scores[index], _order(picture, index)))
    near = _named_first(picture, near)
    first = near[0]
    by_time = len(near) > 1 and scores[near[1]] == scores[first] and _earlier(picture, near)
    second = scores[near[1]] if len(near) > 1 else max((s for i, s in scores.items() if i != first), default=0.0)
    margin = scores[first] - max(second, 0.0) + (1 if by_time else 0)
    doubts = find_doubts(picture, first, near)
    confidence = _cap(_confidence(scores[first], margin), doubts)
    shown = near[:_CANDIDATES] if confidence == "unsure" else near[:1]
    return Choice(tuple(shown), confidence, tuple(text for _, text in doubts), by_time)


def _drop_twins(picture: Picture, scores: dict[int, float], best: float) -> None:
    """Let an exit code of a local rank not compete with the text of a rank that is probably the same worker."""
    texts = {w.rank for i, w in enumerate(picture.workers) if scores[i] == best and w.local_rank is None}
    for index in list(scores):
        worker, standing = picture.workers[index], picture.profiles[index].standing
        if standing == "self_exit" and worker.rank is None and worker.local_rank in texts - {None}:
            del scores[index]


def _named_first(picture: Picture, near: list[int]) -> list[int]:
    """Put the only named worker that ended by itself before a text that nobody signed: it may well be its own."""
    ended = [p.index for p in picture.profiles if p.standing in ("self_exit", "hard", "confirmed")]
    named = [index for index in ended if not picture.is_stray(index)]
    if not picture.is_stray(near[0]) or len(named) != 1:
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
