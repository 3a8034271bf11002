"""The launcher's own "root cause", and why the verdict may differ from it.

Owns the comparison alone. It refuses to judge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from errors_core.diagnosis.texts import telling_part
from errors_core.diagnosis.wording import names_of
from errors_core.verdict import LauncherSays

if TYPE_CHECKING:
    from errors_core.diagnosis.picture import Picture
    from errors_core.job import Event

__all__ = ["find_pick", "picked_workers"]


def picked_workers(picture: Picture) -> list[int]:
    """Return the workers that launchers call the root cause, one a launcher."""
    found = [index for index, worker in enumerate(picture.workers) if worker.launcher_root]
    for event in picture.events("launcher_pick"):
        index = _picked(picture, event)
        if index is not None and index not in found:
            found.append(index)
    return found


def _picked(picture: Picture, event: Event) -> int | None:
    fields = dict(event.fields)
    if fields.get("pid", "").isdigit():
        members = picture.by_pid.get(int(fields["pid"]), [])
        if len(members) == 1:
            return members[0]
    if fields.get("rank", "").isdigit():
        return picture.by_rank.get(int(fields["rank"]))
    for index, worker in enumerate(picture.workers):
        if str(worker.local_rank) == fields.get("local_rank") and (event.node is None or worker.node == event.node):
            return index
    return None


def find_pick(picture: Picture, chosen: tuple[int, ...], kind: str) -> LauncherSays | None:
    """Return the launcher's pick that needs explaining most: one that differs from the verdict, else the first."""
    picks = picked_workers(picture)
    if not picks:
        return _unknown_pick(picture)
    index = next((pick for pick in picks if pick not in chosen), picks[0])
    worker = picture.workers[index]
    why = None if index in chosen and kind == "worker" else _why(picture, index, chosen, kind)
    return LauncherSays(worker.rank, worker.local_rank, worker.node, why)


def _unknown_pick(picture: Picture) -> LauncherSays | None:
    for event in picture.events("launcher_pick"):
        fields = dict(event.fields)
        numbers = [int(fields[name]) if fields.get(name, "").isdigit() else None for name in ("rank", "local_rank")]
        if numbers != [None, None]:
            return LauncherSays(numbers[0], numbers[1], event.node, "Nothing else is known of that worker.")
    return None


def _why(picture: Picture, pick: int, chosen: tuple[int, ...], kind: str) -> str:
    """Say in words why the verdict does not follow the launcher."""
    if kind == "common":
        return "It names one worker by its time, but the failure is the same on all of them."
    if kind in ("external", "none"):
        return "It names the worker whose end it noticed first, but the stop came from outside."
    if not chosen:
        return "It names the worker with the smallest recorded second, which is no proof that it was the cause."
    reason = _reason(picture, pick, chosen[0])
    profile = picture.profiles[pick]
    if profile.echo:
        family = profile.family or "somebody else's failure"
        return (
            f"{reason}, but that worker only reports others ({family}: {telling_part(profile.words, profile.cause)})."
        )
    if profile.sent:
        return f"{reason}, but the launcher itself stopped that worker."
    who = names_of([picture.workers[chosen[0]]])
    return f"{reason}; what speaks for {who} instead is listed as evidence."


def _reason(picture: Picture, pick: int, best: int) -> str:
    one, two = picture.workers[pick], picture.workers[best]
    if one.node != two.node:
        return f"The launcher of {one.node or 'that node'} sees only the workers of its own node"
    if one.timestamp is None or two.timestamp is None:
        return "The launcher picks by the recorded time alone"
    if one.timestamp < two.timestamp:
        return f"Its recorded time is {two.timestamp - one.timestamp} s earlier, and the launcher picks by that alone"
    return "Both have the same recorded second, and the launcher takes the first in its list"
