"""Machines that died: named by the scheduler or the rendezvous, or silent while all others complain.

Owns the rules behind the verdict `node` where the workers themselves show nothing. It refuses to pick one worker.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from errors_core.diagnosis.shared import Shared
from errors_core.diagnosis.wording import clip, evidence

if TYPE_CHECKING:
    from errors_core.diagnosis.picture import Picture
    from errors_core.diagnosis.roles import Profile
    from errors_core.job import Event

__all__ = ["find_dead_machine"]


def find_dead_machine(picture: Picture) -> Shared | None:
    """Return a machine that died, unless a worker shows a cause of its own."""
    if any(_explains(profile) for profile in picture.profiles):
        return None
    named = next((event for event in picture.attempt.events if _names_machine(event)), None)
    return _silent_machine(picture) if named is None else _named_machine(picture, named)


def _explains(profile: Profile) -> bool:
    if profile.standing == "hard":
        return profile.cause != "sigkill"
    return profile.standing in ("own", "confirmed")


def _names_machine(event: Event) -> bool:
    if event.signature == "slurm_cancel_due":
        return "NODE FAILURE" in event.text
    return event.signature in ("rdzv_dead", "node_failure")


def _named_machine(picture: Picture, event: Event) -> Shared:
    fields = dict(event.fields)
    name = fields.get("node") or fields.get("host") or event.node
    members = picture.on_host(name) or picture.on_host((name or "").rsplit("_", 2)[0])
    return Shared(
        kind="node",
        members=tuple(members),
        example=members[0] if members else -1,
        cause=event.signature,
        sentence=f"{name or 'a machine'} stopped answering",
        confidence="probable" if event.signature == "rdzv_dead" else "sure",
        evidence=(evidence(f"it is reported: {clip(event.text)}", event.place),),
    )


def _silent_machine(picture: Picture) -> Shared | None:
    """Find the one machine of several whose workers all ended without a word, while everybody else complains."""
    if len(picture.by_home) < 2:
        return None
    silent = [home for home, all_of in picture.by_home.items() if all(_vanished(picture.profiles[i]) for i in all_of)]
    members = picture.by_home[silent[0]] if len(silent) == 1 else []
    if len(members) < 2:
        return None
    inside = set(members)
    rest = [profile for profile in picture.profiles if profile.index not in inside]
    if not any(p.echo for p in rest) or not all(p.echo or p.sent for p in rest):
        return None
    watched = any(picture.workers[p.index].exitcode is not None or p.sent for p in rest)
    missing = () if watched else (evidence("without a launcher's output nothing shows that they were not stopped"),)
    text = f"its {len(members)} workers left no message and were not stopped; the others lost their peers"
    return Shared(
        kind="node",
        members=tuple(members),
        example=members[0],
        cause=None,
        sentence=f"all workers of {silent[0]} vanished without a word",
        confidence="probable" if watched else "unsure",
        evidence=(evidence(text),),
        against=missing,
    )


def _vanished(profile: Profile) -> bool:
    """Tell whether nobody knows how a worker ended, or only that it was killed."""
    if profile.sent or profile.echo:
        return False
    return profile.standing in ("silent", "unknown", "hard")
