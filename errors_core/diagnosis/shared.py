"""Causes that several workers share: the same failure on all of them or on a whole machine, or a wrong launch.

Owns the rules behind the verdicts `common` and `node`. It refuses to pick one worker.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from errors_core.diagnosis.intervals import failed_at
from errors_core.diagnosis.wording import clip, count, evidence, home_of, names_of

if TYPE_CHECKING:
    from errors_core.diagnosis.picture import Picture
    from errors_core.diagnosis.roles import Profile
    from errors_core.job import Place, Worker
    from errors_core.verdict import Confidence, Evidence

__all__ = ["Shared", "failure_key", "find_shared"]

_MOST = 0.6
_START_TROUBLE = frozenset(
    {
        "import_error",
        "argparse",
        "cuda_init",
        "cuda_busy",
        "file_not_found",
        "permission",
        "state_dict",
        "ckpt_corrupt",
        "nccl_usage",
    }
)


_MISTAKES = frozenset({"argparse", "nccl_usage"})


@dataclass(frozen=True, slots=True)
class Shared:
    """A failure that `members` share. `sentence` says what it is and whom it hit."""

    kind: Literal["common", "node"]
    members: tuple[int, ...]
    example: int
    cause: str | None
    sentence: str
    confidence: Confidence
    evidence: tuple[Evidence, ...]
    against: tuple[Evidence, ...] = ()


def failure_key(picture: Picture, profile: Profile) -> tuple[str, str]:
    """Return what makes two failures the same one."""
    worker = picture.workers[profile.index]
    if worker.error is not None and profile.standing in ("own", "ambiguous"):
        return "error", worker.error.exact
    if profile.standing in ("own", "hard", "confirmed") and profile.cause:
        return "cause", profile.cause
    return "exit", str(worker.exitcode)


def find_shared(picture: Picture) -> Shared | None:
    """Return the failure that most workers, or all of one machine, show as their own, or a mistake of the launch."""
    return _same_failure(picture) or _launch_mistake(picture)


def _launch_mistake(picture: Picture) -> Shared | None:
    """Return a mistake that concerns the whole launch, whoever of the workers happens to report it."""
    if any(p.standing in ("own", "confirmed") and p.weight > 4 and p.cause not in _MISTAKES for p in picture.profiles):
        return None
    told = next((p for p in picture.profiles if p.standing == "own" and p.cause in _MISTAKES), None)
    event = picture.stray_cause
    if told is not None:
        return _mistake(picture, told.cause, told.words or "", told.place)
    if event is not None and event.signature in _MISTAKES:
        return _mistake(picture, event.signature, event.text, event.place)
    ended = [p for p in picture.profiles if p.standing not in ("stopped", "ok", "silent", "unknown")]
    if ended and all(p.standing == "self_exit" and p.cause == "argparse" for p in ended):
        return _mistake(picture, "argparse", "exit code 2, as after wrong arguments", ended[0].place, "unsure")
    return None


def _mistake(
    picture: Picture, cause: str | None, words: str, place: Place | None, confidence: Confidence = "probable"
) -> Shared:
    proof = (evidence(f"a mistake of the launch is reported: {clip(words)}", place),)
    members = tuple(index for index in range(len(picture.workers)) if not picture.is_stray(index))
    return Shared(
        kind="common",
        members=members,
        example=next((p.index for p in picture.profiles if p.cause == cause), members[0] if members else -1),
        cause=cause,
        sentence=f"the launch itself is wrong: {clip(words)}",
        confidence=confidence,
        evidence=proof,
        against=(evidence("not every worker is known to report it"),),
    )


def _same_failure(picture: Picture) -> Shared | None:
    own = [p for p in picture.profiles if p.standing in ("own", "hard", "confirmed", "self_exit")]
    groups: dict[tuple[str, str], list[Profile]] = {}
    for profile in own:
        groups.setdefault(failure_key(picture, profile), []).append(profile)
    if not groups:
        return None
    groups = _merged_by_cause(groups)
    largest = max(groups.values(), key=len)
    inside = {profile.index for profile in largest}
    others = [profile for profile in own if profile.index not in inside]
    if len(largest) < 2 or not _covers(picture, largest) or not _tells(picture, largest):
        return None
    if others and largest[0].cause not in _START_TROUBLE:
        return None
    return _shared(picture, largest, others)


def _merged_by_cause(groups: dict[tuple[str, str], list[Profile]]) -> dict[tuple[str, str], list[Profile]]:
    """Put failures of one named cause together although their texts differ a little."""
    merged: dict[tuple[str, str], list[Profile]] = {}
    for key, members in groups.items():
        cause = members[0].cause
        named = cause in _START_TROUBLE or cause in ("nan", "disk_full", "cuda_oom", "port_in_use")
        merged.setdefault(("cause", cause or "") if named else key, []).extend(members)
    return merged


def _covers(picture: Picture, members: list[Profile]) -> bool:
    """Tell whether a failure hit most workers, or every worker of one machine and nobody else."""
    if len(members) >= _MOST * max(len(picture.workers), picture.known_size):
        return True
    homes = {home_of(picture.workers[p.index]) for p in members}
    return len(homes) == 1 and None not in homes and len(members) == len(picture.by_home[next(iter(homes)) or ""])


def _tells(picture: Picture, members: list[Profile]) -> bool:
    """Tell whether what they share says anything: exit code 1 without a word may be one cause and many echoes."""
    return members[0].standing != "self_exit" or picture.workers[members[0].index].exitcode not in (None, 1)


def _shared(picture: Picture, members: list[Profile], others: list[Profile]) -> Shared:
    workers = picture.workers
    example = min(members, key=lambda p: ((failed_at(workers[p.index]) or (float("inf"), 0))[0], p.index))
    home = _only_home(picture, members)
    who = _who(picture, members, home)
    words = clip(example.words or _end_of(workers[example.index]), 200)
    told = example.standing in ("own", "confirmed") and example.cause != "nan"
    sure = told and not others and picture.missing * 3 <= picture.known_size
    if not any(picture.is_known_to_have_failed(profile.index) for profile in members[:64]):
        sure = False
    if len(members) < len(workers) and any(profile.standing == "silent" for profile in picture.profiles):
        sure = False  # what the silent one did may be what the others only report
    proof = [evidence(f"{who} show the same failure: {words}", example.place)]
    further = [p for p in members[:3] if p is not example and p.place]
    proof += [evidence(f"{names_of([workers[p.index]])} shows it too", p.place) for p in further]
    different = [
        evidence(f"{names_of([workers[p.index]])} failed in another way: {clip(p.words or '')}", p.place)
        for p in others[:3]
    ]
    return Shared(
        kind="node" if example.standing == "hard" and home else "common",
        members=tuple(p.index for p in members),
        example=example.index,
        cause=example.cause,
        sentence=f"{who} failed in the same way: {words}",
        confidence="sure" if sure else "probable",
        evidence=tuple(proof),
        against=tuple(different),
    )


def _only_home(picture: Picture, members: list[Profile]) -> str | None:
    """Return the machine that all members ran on, when the job ran on several."""
    homes = {home_of(picture.workers[p.index]) for p in members}
    return next(iter(homes)) if len(homes) == 1 and len(picture.by_home) > 1 else None


def _who(picture: Picture, members: list[Profile], home: str | None) -> str:
    if len(members) == len(picture.workers):
        return f"all {len(members)} workers"
    if home is not None and len(members) == len(picture.by_home[home]):
        return f"all {count(len(members), 'worker')} of {home}"
    return names_of(picture.workers[p.index] for p in members)


def _end_of(worker: Worker) -> str:
    return f"exit code {worker.exitcode}"
