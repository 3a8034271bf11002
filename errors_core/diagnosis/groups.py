"""Workers with the same failure as one line: by fingerprint, and echoes by their family.

Owns which failures count as the same and what differs inside a group. It refuses to judge workers.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from errors_core.diagnosis.texts import telling_part
from errors_core.diagnosis.wording import capital, clip
from errors_core.signals import signal_name
from errors_core.verdict import Group

if TYPE_CHECKING:
    from errors_core.diagnosis.picture import Picture
    from errors_core.diagnosis.roles import Profile
    from errors_core.verdict import State

__all__ = ["group_failures"]

_SHOWN = 20
_VALUE = re.compile(r"'[^']*'|\"[^\"]*\"|\b\d[\w.:/+-]*")


def group_failures(picture: Picture, states: list[State]) -> tuple[Group, ...]:
    """Return the groups of all workers that ended badly, those with a cause of their own first."""
    members: dict[tuple[State, str], list[int]] = {}
    for profile in picture.profiles:
        if states[profile.index] != "ok" and _shows_an_end(picture, profile):
            members.setdefault((states[profile.index], _key(picture, profile)), []).append(profile.index)
    order = {"origin": 0, "silent": 1, "echo": 2, "ended_by_launcher": 3, "unknown": 4, "ok": 5}
    ranked = sorted(members.items(), key=lambda item: (order[item[0][0]], item[1][0]))
    return tuple(
        Group(number, _title(picture, indices), tuple(indices), state, _differences(picture, state, indices))
        for number, ((state, _), indices) in enumerate(ranked, 1)
    )


def _shows_an_end(picture: Picture, profile: Profile) -> bool:
    return picture.workers[profile.index].failed or profile.words is not None or profile.sent


def _key(picture: Picture, profile: Profile) -> str:
    worker = picture.workers[profile.index]
    if profile.echo and profile.family:
        return f"family {profile.family}"
    if worker.error is not None:
        return f"error {worker.error.exact}"
    if profile.cause or profile.words:
        return f"cause {profile.cause} {worker.exitcode}"
    return f"exit {worker.exitcode}"


def _title(picture: Picture, indices: list[int]) -> str:
    profile, worker = picture.profiles[indices[0]], picture.workers[indices[0]]
    if profile.echo and profile.family:
        return (
            f"{capital(profile.family)}: {telling_part(profile.words, profile.cause)}"
            if profile.words
            else capital(profile.family)
        )
    if profile.words:
        return clip(profile.words)
    if profile.sent:
        return f"Stopped by the launcher ({signal_name(-worker.closings[0].signal) or 'a signal'})"
    name = signal_name(worker.exitcode or 0)
    return f"Died by {name}, no message" if name else f"Exit code {worker.exitcode}, no message"


def _differences(picture: Picture, state: State, indices: list[int]) -> tuple[tuple[int, str], ...]:
    """Return the values in the messages of one group that are not the same in all of them."""
    if len(indices) < 2 or state == "echo":
        return ()
    values = {i: _VALUE.findall(picture.profiles[i].words or "") for i in indices}
    width = min(len(found) for found in values.values())
    varying = [n for n in range(width) if len({found[n] for found in values.values()}) > 1]
    if not varying:
        return ()
    return tuple((i, ", ".join(values[i][n] for n in varying)) for i in indices[:_SHOWN])
