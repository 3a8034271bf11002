"""The verdict's one sentence, in words that a newcomer understands.

Owns the summary of a verdict about a worker and of one about nobody. It refuses to judge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from errors_core.diagnosis.signatures import signature
from errors_core.diagnosis.wording import capital, clip, full_name, names_of
from errors_core.signals import signal_name

if TYPE_CHECKING:
    from errors_core.diagnosis.picture import Picture
    from errors_core.diagnosis.ranking import Choice
    from errors_core.diagnosis.roles import Profile
    from errors_core.job import Worker

__all__ = ["summarise_unknown", "summarise_worker"]


def summarise_worker(picture: Picture, choice: Choice) -> str:
    """Say which worker broke the job and how, or which ones may have."""
    best = choice.candidates[0]
    others = _others(picture, choice)
    if choice.confidence == "unsure":
        return f"{_guess(picture, choice)}{others}."
    verb = "broke the job" if choice.confidence == "sure" else "probably broke the job"
    return f"{capital(full_name(picture.workers[best]))} {verb}: {_how(picture, best)}{others}."


def _guess(picture: Picture, choice: Choice) -> str:
    best, *rest = choice.candidates
    worker = picture.workers[best]
    if worker.rank is None and worker.local_rank is None:
        return f"It cannot be told which worker broke the job; {_somebody(picture, best)}"
    lead = f"It cannot be told for sure who broke the job; the best guess is {full_name(worker)}: {_how(picture, best)}"
    named = [picture.workers[i] for i in rest if picture.workers[i].rank is not None]
    return f"{lead}, then {names_of(named)}" if named else lead


def _somebody(picture: Picture, index: int) -> str:
    """Say what a worker shows whose name is not known."""
    if picture.profiles[index].standing in ("own", "ambiguous"):
        return f"one of them reports {_how(picture, index)}"
    return _how(picture, index).replace("it ", "one of them ", 1)


def _how(picture: Picture, index: int) -> str:
    """Say in a few words how a worker failed."""
    profile, worker = picture.profiles[index], picture.workers[index]
    if profile.standing in ("own", "ambiguous") and profile.words:
        return f"{clip(profile.words.rstrip('.'), 200)}{_where(worker)}"
    if profile.standing in ("confirmed", "hard"):
        return _died(profile, worker)
    if profile.standing == "self_exit":
        return _ended(profile, worker)
    if profile.standing == "ok":
        return "it ended early, with exit code 0, while the others still needed it"
    if profile.standing == "stuck" and profile.words:
        return f"it was stuck: {clip(profile.words)}"
    strongest = max(picture.points.get(index, ()), key=lambda points: points.amount, default=None)
    if strongest is None or strongest.family in ("silent", "quiet"):
        return "it is the only one that left no message"
    return f"{strongest.evidence.text[:1].lower()}{strongest.evidence.text[1:]}"


def _died(profile: Profile, worker: Worker) -> str:
    """Say how a worker died, without claiming more than is known."""
    found, name = signature(profile.cause or ""), signal_name(worker.exitcode or 0)
    if profile.standing == "confirmed":
        return f"it was killed because {found.title if found else 'memory ran out'}"
    if profile.cause == "sigkill":
        return "it was killed (SIGKILL), and not by the launcher; the cause is unconfirmed"
    words = f"it died: {found.title}" if found else "it died"
    return f"{words} ({name})" if name and (found is None or name not in found.title) else words


def _ended(profile: Profile, worker: Worker) -> str:
    """Say how a worker ended that gave no reason."""
    name = signal_name(worker.exitcode or 0)
    end = f"died by {name}" if name else f"ended with exit code {worker.exitcode}"
    if profile.words and profile.place is not None:
        return f"it {end if worker.exitcode is not None else 'ended'} and says only: {clip(profile.words)}"
    return f"it {end} and left no message"


def _where(worker: Worker) -> str:
    frame = worker.error.link.frame if worker.error is not None else None
    if frame is None:
        return ""
    line = "" if frame.line is None else f":{frame.line}"
    return f" at {frame.path.rsplit('/', 1)[-1]}{line} in {frame.function}"


def _others(picture: Picture, choice: Choice) -> str:
    echoes = [picture.workers[p.index] for p in picture.profiles if p.echo and p.index not in choice.candidates]
    if not echoes:
        return ""
    verb = "reports" if len(echoes) == 1 else "report"
    waiting = sum(p.waiting for p in picture.profiles)
    what = "the time limit" if 2 * waiting > len(echoes) else "the lost peer"
    return f"; {names_of(echoes)} only {verb} {what}"


def summarise_unknown(picture: Picture) -> str:
    """Say that nobody stands out, and what is known instead."""
    if picture.stray_cause is not None:
        return f"It cannot be told which worker broke the job; the log says: {clip(picture.stray_cause.text)}."
    if picture.absent:
        rank = next(iter(picture.absent))
        return f"It cannot be told who broke the job: rank {rank} is named by others, but nothing of it was found."
    echoes = [profile for profile in picture.profiles if profile.echo]
    return _only_echoes(picture, echoes) if echoes else _only_ends(picture)


def _only_echoes(picture: Picture, echoes: list[Profile]) -> str:
    """Say who may be behind the complaints."""
    verb = "reports" if len(echoes) == 1 else "report"
    who = f"{names_of(picture.workers[profile.index] for profile in echoes)} only {verb} others"
    if picture.quiet:
        quiet = names_of(picture.workers[index] for index in picture.quiet)
        return f"It cannot be told who broke the job: it may be one of {quiet}, which left no message; {who}."
    if picture.gap is not None:
        number, is_rank = picture.gap
        lost = f"{'rank' if is_rank else 'local rank'} {number}"
        return f"It cannot be told who broke the job: {who}, and {lost} left nothing at all."
    return f"{capital(who)} ({echoes[0].family}); the worker that caused it is not in the data."


def _only_ends(picture: Picture) -> str:
    """Say what is known of ends that nothing explains."""
    if picture.events("rendezvous"):
        return "The launcher lost the launcher of the master node, which must have ended first: look there."
    failed = [worker for worker in picture.workers if worker.failed]
    if failed:
        return f"{capital(names_of(failed))} ended badly, but nothing in the data says why."
    if picture.stray_end is not None:
        name = signal_name(picture.stray_end[0])
        end = f"died by {name}" if name else f"ended with exit code {picture.stray_end[0]}"
        return f"A process of the job {end}; the log says neither which one nor why."
    return "The job failed, but the data does not say how its workers ended: the cause is further up in the log."
