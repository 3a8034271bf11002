"""Causes outside the workers: a stop by the scheduler or a person, a start that never succeeded, a machine that died.

Owns the rules that may end the search with "no worker is to blame". It refuses to weigh workers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from errors_core.diagnosis.intervals import failed_at
from errors_core.diagnosis.wording import clip, evidence, names_of
from errors_core.signals import signal_name

if TYPE_CHECKING:
    from errors_core.diagnosis.picture import Picture
    from errors_core.diagnosis.roles import Profile
    from errors_core.job import Event
    from errors_core.verdict import Confidence, Evidence

__all__ = ["Outside", "find_outside"]

_REASONS = ("slurm_cancel_due", "batch_limit")
_STARTS = ("port", "rendezvous", "usage")
_STOP_WORDS = {
    1: "its terminal or session was closed (SIGHUP)",
    2: "it was interrupted, as by Ctrl-C (SIGINT)",
    3: "it was told to quit (SIGQUIT)",
    15: "it was told to stop (SIGTERM)",
}
_FAILED = ("own", "hard", "confirmed", "self_exit")


@dataclass(frozen=True, slots=True)
class Outside:
    """A cause outside the workers. `sentence` completes "No worker is to blame: …"."""

    cause: str
    sentence: str
    confidence: Confidence
    evidence: tuple[Evidence, ...]
    against: tuple[Evidence, ...] = ()


def find_outside(picture: Picture) -> Outside | None:
    """Return the cause outside the workers, if there is one and no worker's own failure came first."""
    stop = _stop_of(picture)
    if stop is None:
        return _interrupted(picture) or _never_started(picture)
    failures = [p for p in picture.profiles if p.standing in _FAILED]
    complaints = [p for p in picture.profiles if p.echo]
    if not failures and not complaints:
        return _stopped(picture, stop, "sure" if _is_certain(stop) else "probable")
    order = [_came_first(picture, profile, stop) for profile in failures or complaints]
    if any(first is True for first in order):
        return None
    if not failures:
        return _after_complaints(picture, stop, complaints, order)
    return _beside_failures(picture, stop, failures, order)


def _stop_of(picture: Picture) -> Event | None:
    """Return the event that stopped the job: the scheduler's reason before the signal that carried it out."""
    events = [
        e for e in picture.events("scheduler", "launcher_signal", "note") if e.kind == "launcher_signal" or e.signature
    ]
    for wanted in (*_REASONS, "launcher_signal", "slurm_cancel"):
        for event in events:
            if wanted == event.signature or (wanted == event.kind and event.kind == "launcher_signal"):
                return None if _is_node(event) else event
    return None


def _is_node(event: Event) -> bool:
    return "NODE FAILURE" in event.text


def _is_certain(event: Event) -> bool:
    return event.kind == "launcher_signal" or event.signature in _REASONS


def _came_first(picture: Picture, profile: Profile, stop: Event) -> bool | None:
    """Tell whether a worker's failure came before the stop, by the clock or by the lines of one log."""
    at = failed_at(picture.workers[profile.index])
    if at is not None and stop.time is not None:
        if at[1] <= stop.time:
            return True
        if at[0] > stop.time:
            return False
    place = profile.place
    if place is not None and place.path == stop.place.path and place.line is not None and stop.place.line is not None:
        return place.line < stop.place.line
    return None


def _after_complaints(picture: Picture, stop: Event, complaints: list[Profile], order: list[bool | None]) -> Outside:
    """Judge a stop beside workers that only lost their peers: it explains that, unless they waited long before."""
    who = names_of(picture.workers[p.index] for p in complaints)
    against = (evidence(f"{who} reported a lost or late peer, and it is not known whether that came before the stop"),)
    if all(first is False for first in order):
        return _stopped(picture, stop, "sure" if _is_certain(stop) else "probable")
    waiting = any(profile.waiting for profile in complaints)
    return _stopped(picture, stop, "unsure" if waiting or not _is_certain(stop) else "probable", against)


def _beside_failures(
    picture: Picture, stop: Event, failures: list[Profile], order: list[bool | None]
) -> Outside | None:
    """Judge a stop beside failures by the order in time, else by how much the failures tell."""
    told = [p for p in failures if (p.standing == "own" and p.weight >= 4) or p.standing == "confirmed"]
    who = names_of(picture.workers[p.index] for p in failures)
    against = (evidence(f"{who} failed as well"),)
    if all(first is False for first in order):
        return _stopped(picture, stop, "sure" if not told else "probable", () if not told else against)
    if stop.signature == "slurm_cancel" or told:
        return None
    return _stopped(picture, stop, "unsure", against)


def _stopped(picture: Picture, stop: Event, confidence: Confidence, against: tuple[Evidence, ...] = ()) -> Outside:
    earlier = _start_failure_before(picture, stop)
    if earlier is not None:
        return _start(earlier, confidence)
    proof = [evidence(f"it says: {clip(event.text)}", event.place) for event in _stops(picture)[:4]]
    return Outside(_cause_of(stop), _sentence(stop), confidence, tuple(proof), against)


def _stops(picture: Picture) -> list[Event]:
    return [e for e in picture.events("scheduler", "launcher_signal") if e.kind == "launcher_signal" or e.signature]


def _start_failure_before(picture: Picture, stop: Event) -> Event | None:
    """Return a failed start that stands above the stop in the same log: the stop only followed from it."""
    if stop.signature in _REASONS:
        return None
    for event in picture.events(*_STARTS):
        same = event.place.path == stop.place.path and event.place.line and stop.place.line
        if same and (event.place.line or 0) < (stop.place.line or 0):
            return event
    return None


def _cause_of(event: Event) -> str:
    if event.signature:
        return event.signature
    return "launcher_ext" if event.kind == "launcher_signal" else event.kind


def _sentence(stop: Event) -> str:
    if stop.kind == "launcher_signal":
        number = dict(stop.fields).get("signal", "")
        value = int(number) if number.isdigit() else _number_of(number)
        words = _STOP_WORDS.get(value or 0, f"it was sent {signal_name(-value) if value else 'a signal'}")
        return f"the launcher was stopped from outside: {words}"
    reason = next((value for name, value in stop.fields if name.startswith("why")), None)
    if stop.signature in _REASONS and reason:
        return f"the scheduler ended the job because of {reason.lower()}"
    return "the scheduler or a person cancelled the job"


def _number_of(name: str) -> int | None:
    return next((number for number in range(1, 32) if signal_name(-number) == name), None)


def _interrupted(picture: Picture) -> Outside | None:
    """All that failed were interrupted from the keyboard: a person stopped the job."""
    failed = [p for p in picture.profiles if p.standing not in ("ok", "unknown", "silent", "stopped", "stuck")]
    if not failed or any(p.cause != "keyboard" and picture.workers[p.index].exitcode != -2 for p in failed):
        return None
    who = names_of(picture.workers[p.index] for p in failed)
    proof = tuple(evidence(f"{who} ended with KeyboardInterrupt", p.place) for p in failed[:1])
    return Outside("keyboard", "somebody interrupted the job, as by Ctrl-C", "probable", proof)


def _never_started(picture: Picture) -> Outside | None:
    """No worker failed, but the launcher could not start or join them."""
    starts = picture.events(*_STARTS)
    if not starts or any(p.standing in (*_FAILED, "ambiguous") or p.echo or p.sent for p in picture.profiles):
        return None
    first = next((event for event in starts if event.kind in ("port", "usage")), starts[0])
    return _start(first, "probable" if first.kind == "port" else "sure")


def _start(event: Event, confidence: Confidence) -> Outside:
    words = {
        "port": "the launcher could not start because its port is taken",
        "rendezvous": "the launchers of the nodes did not come together",
        "usage": "the launcher was started with arguments that it does not understand",
    }
    proof = (evidence(f"the launcher says: {clip(event.text)}", event.place),)
    against = (evidence("a worker and not the launcher may have wanted that port"),) if event.kind == "port" else ()
    return Outside(_cause_of(event), words[event.kind], confidence, proof, against)
