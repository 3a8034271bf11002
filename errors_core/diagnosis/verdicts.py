"""From a picture to the verdict: causes outside first, then shared ones, then the worker to blame, then "unknown".

Owns the order of the search and the verdict's sentences. It opens no file and prints nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from errors_core.diagnosis.advice import advise, advise_silent, broke_at
from errors_core.diagnosis.groups import group_failures
from errors_core.diagnosis.intervals import came_before, failed_at, first_failure
from errors_core.diagnosis.launcher_pick import find_pick
from errors_core.diagnosis.machines import find_dead_machine
from errors_core.diagnosis.missing import find_missing
from errors_core.diagnosis.outside import find_outside
from errors_core.diagnosis.picture import draw
from errors_core.diagnosis.ranking import choose, discount_late_failures
from errors_core.diagnosis.recorders import any_stuck, compare_recorders
from errors_core.diagnosis.relations import relate
from errors_core.diagnosis.roles import CAUSE_OF_SIGNAL, signal_of
from errors_core.diagnosis.sequences import compare_progress
from errors_core.diagnosis.shared import find_shared
from errors_core.diagnosis.signatures import signature
from errors_core.diagnosis.states import describe_states, state_of
from errors_core.diagnosis.summaries import summarise_unknown, summarise_worker
from errors_core.diagnosis.texts import telling_part
from errors_core.diagnosis.wording import (
    capital,
    clip,
    evidence,
    full_name,
    home_of,
    names_of,
    place_of_end,
    place_of_silence,
)
from errors_core.signals import signal_name
from errors_core.verdict import Verdict

if TYPE_CHECKING:
    from errors_core.diagnosis.outside import Outside
    from errors_core.diagnosis.picture import Picture
    from errors_core.diagnosis.ranking import Choice
    from errors_core.diagnosis.roles import Profile
    from errors_core.diagnosis.shared import Shared
    from errors_core.job import Attempt, Event
    from errors_core.verdict import Confidence, Evidence, Kind

__all__ = ["judge"]


def judge(attempt: Attempt, world_size: int | None = None) -> Verdict:
    """Return the verdict about one attempt; `world_size` is the number of workers that were launched, if known."""
    picture = draw(attempt, world_size)
    relate(picture)
    if not _anything_failed(picture):
        return _nothing(picture)
    outside = find_outside(picture)
    if outside is not None:
        return _outside(picture, outside)
    shared = find_dead_machine(picture) or find_shared(picture)
    if shared is not None:
        return _shared(picture, shared)
    compare_progress(picture)
    compare_recorders(picture)
    discount_late_failures(picture)
    choice = choose(picture)
    if choice is None or (picture.absent and not _has_own_words(picture, choice)):
        return _unknown(picture)
    return _worker(picture, choice)


def _has_own_words(picture: Picture, choice: Choice) -> bool:
    return picture.profiles[choice.candidates[0]].standing in ("own", "hard", "confirmed", "self_exit")


def _nothing(picture: Picture) -> Verdict:
    """Give the verdict when nothing shows a failure; that all went well is only sure when all ends are known."""
    if picture.profiles and all(profile.standing == "ok" for profile in picture.profiles):
        return _build(picture, "none", "sure", "Nothing failed in this attempt: all workers ended well.")
    return _build(picture, "none", "unsure", "Nothing in the data shows a failure in this attempt.")


def _anything_failed(picture: Picture) -> bool:
    quiet = ("ok", "silent", "unknown")
    if any(p.standing not in quiet for p in picture.profiles) or any(w.failed for w in picture.workers):
        return True
    if any_stuck(picture) or picture.events("launcher_signal", "launcher_pick", "port", "rendezvous", "usage"):
        return True
    return any(_tells(event) for event in picture.events("scheduler", "kernel", "note"))


def _tells(event: Event) -> bool:
    """Tell whether an event speaks of something that went wrong."""
    found = signature(event.signature or "")
    return found is not None and found.role != "noise"


def _outside(picture: Picture, outside: Outside) -> Verdict:
    return _build(
        picture,
        "external",
        outside.confidence,
        f"No worker is to blame: {outside.sentence}.",
        cause=outside.cause,
        proof=outside.evidence,
        against=outside.against,
        advice=advise(None, outside.cause),
    )


def _shared(picture: Picture, shared: Shared) -> Verdict:
    example = picture.workers[shared.example] if shared.example >= 0 else None
    blame = "no single worker is to blame" if shared.kind == "common" else "the machine is the suspect"
    return _build(
        picture,
        shared.kind,
        shared.confidence,
        f"{capital(shared.sentence)}; {blame}.",
        worker=shared.example if shared.example >= 0 else None,
        candidates=shared.members,
        cause=shared.cause,
        proof=shared.evidence,
        against=shared.against,
        advice=advise(example, shared.cause),
    )


def _worker(picture: Picture, choice: Choice) -> Verdict:
    best = choice.candidates[0]
    profile, worker = picture.profiles[best], picture.workers[best]
    silent = profile.standing in ("stopped", "silent", "unknown", "stuck")
    cause = profile.cause
    if picture.stray_cause is not None and cause in (None, "py_exception", "sigkill") and choice.confidence == "unsure":
        cause = picture.stray_cause.signature
    return _build(
        picture,
        "worker",
        choice.confidence,
        summarise_worker(picture, choice),
        worker=best,
        candidates=choice.candidates,
        cause=cause,
        proof=tuple(_proof(picture, choice)),
        against=tuple(_against(picture, choice)),
        advice=advise_silent(worker) if silent else advise(worker, cause),
    )


def _unknown(picture: Picture) -> Verdict:
    """Give the verdict when nobody stands out: only echoes, or only workers that were stopped."""
    complaining = [p for p in picture.profiles if p.echo]
    proof = [_complaint(picture, profile) for profile in complaining[:3]]
    proof += list(picture.absent.values())[:2]
    cause = complaining[0].cause if complaining else None
    for event in picture.events("rendezvous")[:1]:
        cause = cause or event.signature
        proof.append(evidence(f"the launcher says: {clip(event.text)}", event.place))
    if picture.stray_end is not None:
        code, event = picture.stray_end
        cause = cause or CAUSE_OF_SIGNAL.get(signal_of(code) or 0)
        proof.append(evidence(f"the launcher says: {clip(event.text)}", event.place))
    if picture.stray_cause is not None:
        cause = picture.stray_cause.signature
        proof.insert(0, evidence(f"the log says: {clip(picture.stray_cause.text)}", picture.stray_cause.place))
    return _build(
        picture,
        "unknown",
        "unsure",
        summarise_unknown(picture),
        candidates=picture.quiet if complaining else (),
        named_rank=_named_rank(picture),
        cause=cause,
        proof=tuple(proof or _last_events(picture)),
        advice=advise(None, cause) if cause else (),
    )


def _named_rank(picture: Picture) -> int | None:
    """Return the rank that others name, or the only one that is missing where all others complain."""
    if picture.absent:
        return next(iter(picture.absent))
    missing = picture.gap is not None and picture.gap[1] and all(profile.echo for profile in picture.profiles)
    return picture.gap[0] if missing and picture.gap is not None else None


def _complaint(picture: Picture, profile: Profile) -> Evidence:
    who = names_of([picture.workers[profile.index]])
    return evidence(f"{who} only reports others: {telling_part(profile.words, profile.cause)}", profile.place)


def _last_events(picture: Picture) -> list[Evidence]:
    """Return the last things that launchers and schedulers said, for want of anything better."""
    return [evidence(f"the log says: {clip(event.text)}", event.place) for event in picture.attempt.events[-2:]]


def _proof(picture: Picture, choice: Choice) -> list[Evidence]:
    """Return two to six facts that speak for the choice, the strongest first."""
    best = choice.candidates[0]
    profile, worker = picture.profiles[best], picture.workers[best]
    where = place_of_silence(worker) if profile.words is None else place_of_end(worker)
    found = [evidence(_claim(picture, best), profile.place or where)]
    found += [points.evidence for points in picture.points.get(best, ()) if points.amount >= 0]
    others = [p for p in picture.profiles if p.index != best]
    echoes = [p for p in others if p.echo]
    if echoes:
        who, verb = names_of(picture.workers[p.index] for p in echoes), "reports" if len(echoes) == 1 else "report"
        said = telling_part(echoes[0].words, echoes[0].cause)
        found.append(evidence(f"{who} only {verb} others: {said}", echoes[0].place))
    sent = [p for p in others if p.sent and not p.echo]
    if sent:
        closing = picture.workers[sent[0].index].closings[0]
        who, verb = names_of(picture.workers[p.index] for p in sent), "was" if len(sent) == 1 else "were"
        found.append(evidence(f"{who} {verb} stopped by the launcher ({signal_name(-closing.signal)})", closing.place))
    if picture.stray_cause is not None and choice.confidence == "unsure":
        found.append(evidence(f"the log also says: {clip(picture.stray_cause.text)}", picture.stray_cause.place))
    if choice.settled_by_time:
        found.append(evidence("its failure was recorded clearly before that of the next candidate"))
    return found


def _claim(picture: Picture, index: int) -> str:
    """Say what the worker itself shows."""
    profile, worker = picture.profiles[index], picture.workers[index]
    who = full_name(worker)
    if profile.standing in ("own", "ambiguous") and profile.words:
        where = broke_at(worker)
        return f"{who} reports {clip(profile.words, 200)}{f' at {where}' if where else ''}"
    if profile.standing in ("hard", "confirmed"):
        name = signal_name(worker.exitcode or 0)
        sender = "" if profile.sent else ", and no launcher line says that it was stopped"
        return f"{who} died by {name}{sender}" if name else f"{who} crashed: {clip(profile.words or '')}"
    if profile.standing == "self_exit":
        name = signal_name(worker.exitcode or 0)
        end = f"died by {name}" if name else f"ended with exit code {worker.exitcode}"
        return f"{who} {end} and was not stopped by the launcher"
    if profile.echo or profile.standing == "stuck":
        return f"{who} itself says: {clip(profile.words or '', 200)}"
    if profile.standing == "ok":
        return f"{who} ended with exit code 0"
    return f"{who} says only that it was told to stop" if profile.words else f"{who} left no message"


def _against(picture: Picture, choice: Choice) -> list[Evidence]:
    best = choice.candidates[0]
    found = list(choice.doubts)
    found += [points.evidence for points in picture.points.get(best, ()) if points.amount < 0]
    earlier = _earlier_echo(picture, best)
    if earlier is not None:
        found.append(earlier)
    for index in choice.candidates[1:]:
        profile = picture.profiles[index]
        text = f"{full_name(picture.workers[index])} is a candidate too: {clip(profile.words or 'it left no message')}"
        found.append(evidence(text, profile.place))
    return list(dict.fromkeys(found))


def _earlier_echo(picture: Picture, best: int) -> Evidence | None:
    """Note a worker that complained before its cause happened: clocks that stand apart, not another cause."""
    chosen = picture.workers[best]
    for profile in picture.profiles[:1000]:
        worker = picture.workers[profile.index]
        if profile.echo and home_of(worker) != home_of(chosen) and came_before(worker, chosen):
            one, two = failed_at(worker), failed_at(chosen)
            if one is not None and two is not None:
                text = f"{names_of([worker])} complained {two[0] - one[1]:.0f} s before: the hosts' clocks differ"
                return evidence(f"{text} by at least that much", profile.place)
    return None


def _build(
    picture: Picture,
    kind: Kind,
    confidence: Confidence,
    summary: str,
    *,
    worker: int | None = None,
    candidates: tuple[int, ...] = (),
    named_rank: int | None = None,
    cause: str | None = None,
    proof: tuple[Evidence, ...] = (),
    against: tuple[Evidence, ...] = (),
    advice: tuple[str, ...] = (),
) -> Verdict:
    blamed = frozenset(candidates if kind in ("worker", "common") and confidence != "unsure" else candidates[:1])
    states = [state_of(picture, profile, blamed) for profile in picture.profiles]
    groups = group_failures(picture, states)
    origin = worker if kind == "worker" and confidence != "unsure" else None
    return Verdict(
        kind=kind,
        confidence=confidence,
        summary=summary,
        worker=worker,
        candidates=candidates,
        named_rank=named_rank,
        cause=cause,
        broke_at=broke_at(picture.workers[worker]) if worker is not None else None,
        evidence=proof,
        against=against,
        missing=() if kind in ("none", "external") else find_missing(picture, candidates, confidence),
        advice=advice,
        launcher_says=find_pick(picture, candidates if kind != "external" else (), kind),
        first_failure=first_failure(picture.workers),
        states=describe_states(picture, states, groups, origin),
        groups=groups,
    )
