"""What part each worker played, and one sentence that says why.

Owns the states of `errors_core.verdict`. It refuses to choose the worker to blame.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from errors_core.diagnosis.wording import clip, place_of_end, place_of_silence
from errors_core.signals import signal_name
from errors_core.verdict import Evidence, WorkerState

if TYPE_CHECKING:
    from errors_core.diagnosis.picture import Picture
    from errors_core.diagnosis.roles import Profile
    from errors_core.job import Place, Worker
    from errors_core.verdict import Group, State

__all__ = ["describe_states", "state_of"]


def state_of(picture: Picture, profile: Profile, blamed: frozenset[int]) -> State:
    """Return the part that a worker played."""
    if profile.standing in ("own", "hard", "confirmed"):
        late = any(points.family == "late" for points in picture.points.get(profile.index, ()))
        return "ended_by_launcher" if late else "origin"
    if profile.echo:
        return "echo"
    if profile.index in blamed:
        left_nothing = profile.standing in ("silent", "unknown", "stopped", "stuck") and profile.words is None
        return "silent" if left_nothing else "origin"
    if profile.sent or (profile.standing == "stopped"):
        return "ended_by_launcher"
    if profile.standing == "ok":
        return "ok"
    return "silent" if profile.standing == "silent" else "unknown"


def describe_states(
    picture: Picture, states: list[State], groups: tuple[Group, ...], origin: int | None
) -> tuple[WorkerState, ...]:
    """Return every worker's state with the sentence behind it."""
    number_of = {index: group.number for group in groups for index in group.workers}
    return tuple(
        WorkerState(
            state,
            (_reason(profile, picture.workers[profile.index], state),),
            number_of.get(profile.index),
            origin if state in ("echo", "ended_by_launcher") and origin != profile.index else None,
        )
        for profile, state in zip(picture.profiles, states, strict=True)
    )


def _reason(profile: Profile, worker: Worker, state: State) -> Evidence:
    if state == "origin":
        return _at(
            f"It has a cause of its own: {clip(profile.words or 'it died without being stopped')}", profile.place
        )
    if state == "echo":
        return _at(f"It only reports others: {profile.family or clip(profile.words or '')}", profile.place)
    if state == "ended_by_launcher":
        return _ended(profile, worker)
    if state == "silent":
        return _at("It left no message.", place_of_silence(worker))
    if state == "ok":
        return _at("It ended well, with exit code 0.", place_of_end(worker))
    if worker.exitcode:
        return _at(f"It ended with exit code {worker.exitcode} and left no message.", place_of_end(worker))
    return _at("Nothing shows how it ended.", place_of_end(worker))


def _ended(profile: Profile, worker: Worker) -> Evidence:
    if not worker.closings:
        return _at("It was told to stop, like the others.", profile.place or place_of_end(worker))
    closing = worker.closings[-1]
    name = signal_name(-closing.signal) or f"signal {closing.signal}"
    forced = " because it did not react to the first signal" if closing.forced else ""
    return _at(f"The launcher stopped it with {name}{forced}.", closing.place)


def _at(text: str, place: Place | None) -> Evidence:
    return Evidence(text) if place is None else Evidence(text, place.path, place.line)
