"""Causes that several workers share: the same failure on all of them or on a whole machine, and machines that died.

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
    from errors_core.job import Place
    from errors_core.verdict import Confidence, Evidence

__all__ = ["Shared", "failure_key", "find_dead_node", "find_shared"]

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
        return _mistake((told.index,), told.cause, told.words or "", told.place)
    if event is not None and event.signature in _MISTAKES:
        return _mistake((), event.signature, event.text, event.place)
    return None


def _mistake(members: tuple[int, ...], cause: str | None, words: str, place: Place | None) -> Shared:
    proof = (evidence(f"a mistake of the launch is reported: {clip(words)}", place),)
    example = members[0] if members else -1
    return Shared("common", members, example, cause, f"the launch itself is wrong: {clip(words)}", "probable", proof)


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
    if len(largest) < 2 or not _covers(picture, largest) or not _tells(largest):
        return None
    if others and not _start_trouble(largest):
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


def _tells(members: list[Profile]) -> bool:
    """Tell whether what they share says anything: exit code 1 without a word may be one cause and many echoes."""
    first = members[0]
    return first.standing != "self_exit" or first.cause == "argparse"


def _start_trouble(members: list[Profile]) -> bool:
    return members[0].cause in _START_TROUBLE


def _shared(picture: Picture, members: list[Profile], others: list[Profile]) -> Shared:
    workers = picture.workers
    example = min(members, key=lambda p: ((failed_at(workers[p.index]) or (float("inf"), 0))[0], p.index))
    homes = {home_of(workers[p.index]) for p in members}
    whole = len(members) == len(workers)
    one_home = len(homes) == 1 and len(picture.by_home) > 1
    home = next(iter(homes)) if one_home else None
    who = f"all {len(members)} workers" if whole else names_of(workers[p.index] for p in members)
    who = f"all {count(len(members), 'worker')} of {home}" if home and not whole else who
    words = clip(example.words or "the same exit code", 200)
    killed = example.standing == "hard"
    kind: Literal["common", "node"] = "node" if killed and home else "common"
    told = example.standing in ("own", "confirmed") and example.cause != "nan"
    sure = told and not others and picture.missing * 3 <= picture.known_size
    proof = [evidence(f"{who} show the same failure: {words}", example.place)]
    proof += [
        evidence(f"so does {names_of([workers[p.index]])}", p.place) for p in members if p is not example and p.place
    ][:2]
    against = tuple(
        evidence(f"{names_of([workers[p.index]])} failed in another way: {clip(p.words or '')}", p.place)
        for p in others[:3]
    )
    return Shared(
        kind,
        tuple(p.index for p in members),
        example.index,
        example.cause,
        f"{who} failed in the same way: {words}",
        "sure" if sure else "probable",
        tuple(proof),
        against,
    )


def find_dead_node(picture: Picture) -> Shared | None:
    """Return a machine that died: named by the scheduler or the rendezvous, or silent while all others complain."""
    for event in picture.attempt.events:
        if event.signature in ("rdzv_dead", "node_failure") or (
            event.signature == "slurm_cancel_due" and "NODE FAILURE" in event.text
        ):
            fields = dict(event.fields)
            name = fields.get("node") or fields.get("host") or event.node
            members = picture.on_host(name) or picture.on_host((name or "").rsplit("_", 2)[0])
            if any(picture.profiles[i].standing in ("own", "confirmed") for i in range(len(picture.workers))):
                return None
            where = name or "a machine"
            sentence = f"{where} stopped answering"
            return Shared(
                "node",
                tuple(members),
                members[0] if members else -1,
                event.signature,
                sentence,
                "sure" if event.signature != "rdzv_dead" else "probable",
                (evidence(f"it is reported: {clip(event.text)}", event.place),),
            )
    return _silent_home(picture)


def _silent_home(picture: Picture) -> Shared | None:
    """Find the one machine of several whose workers all ended without a word, while everybody else complains."""
    if len(picture.by_home) < 2 or any(p.standing in ("own", "confirmed") for p in picture.profiles):
        return None
    silent = [h for h, members in picture.by_home.items() if all(_without_end(picture.profiles[i]) for i in members)]
    if len(silent) != 1 or len(picture.by_home[silent[0]]) < 2:
        return None
    members = picture.by_home[silent[0]]
    rest = [p for p in picture.profiles if p.index not in set(members)]
    if not rest or not all(p.echo or p.sent for p in rest) or not any(p.echo for p in rest):
        return None
    text = (
        f"the {len(members)} workers of {silent[0]} left no message and were not stopped; the others lost their peers"
    )
    return Shared(
        "node",
        tuple(members),
        members[0],
        None,
        f"all workers of {silent[0]} vanished without a word",
        "probable",
        (evidence(text),),
    )


def _without_end(profile: Profile) -> bool:
    """Tell whether nobody knows how a worker ended, or only that it was killed."""
    if profile.sent or profile.echo:
        return False
    return profile.standing in ("silent", "unknown") or (profile.standing == "hard" and profile.cause == "sigkill")
