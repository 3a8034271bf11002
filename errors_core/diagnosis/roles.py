"""What each worker shows on its own: its standing among the classes of the diagnosis, with a weight and a reason.

Owns the judgement of one worker from its own text, exit code and what the launcher sent it. It refuses to compare
workers (that is `errors_core.diagnosis.relations`) and to decide.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from errors_core.diagnosis.signatures import signature
from errors_core.diagnosis.texts import Meaning, is_waiting, meaning_of_error, meaning_of_text
from errors_core.diagnosis.wording import clip
from errors_core.signals import signal_name

if TYPE_CHECKING:
    from errors_core.job import Attempt, Hit, Place, Worker

__all__ = ["CAUSE_OF_SIGNAL", "CRASHES", "HARDWARE", "Profile", "Standing", "profile_workers", "signal_of"]

Standing = Literal[
    "confirmed", "hard", "own", "self_exit", "stuck", "ambiguous", "victim", "stopped", "silent", "ok", "unknown"
]

CAUSE_OF_SIGNAL = {4: "sigill", 7: "sigbus", 8: "sigill", 9: "sigkill", 11: "sigsegv"}
CRASHES = frozenset({4, 5, 7, 8, 11, 31})
HARDWARE = frozenset({"cuda_ecc", "cuda_nvlink", "gpu_lost", "nccl_ib_async", "dstate"})
_STOPPING = frozenset({1, 2, 3, 15})
_CRASH_TEXTS = frozenset({"sigsegv", "sigbus", "sigill", "ucx_signal", "heap"})
_STUCK_TEXTS = frozenset({"nccl_hb", "gil_hang", "dstate"})
_NOT_OWN_WORDS = frozenset({"py_exception", "keyboard", "launcher_first", "child_failed"})
_LAUNCHER_WORDS = frozenset({"signal_exc", "sigterm", "sigkill", "launcher_ext", "launcher_sigterm", "launcher_forced"})
_NO_WORDS = ("Signal ", "To enable traceback", "Process failed with exitcode", "<N/A>", "<NONE>", "Without writing")


@dataclass(slots=True)
class Profile:
    """One worker as it looks by itself. `index` counts in `attempt.workers`.

    `weight` is how likely it is the cause, by the scale of the diagnosis (0 to 6). `cause` is a signature id.
    `words` is its telling line and `place` where that stands. `echo` and `waiting` say that its text only reports
    others, or a time limit. `sent` is set when the launcher stopped it. `heard` means that its own output was seen.
    """

    index: int
    standing: Standing = "unknown"
    weight: float = 0
    cause: str | None = None
    words: str | None = None
    place: Place | None = None
    echo: bool = False
    waiting: bool = False
    sent: bool = False
    forced: bool = False
    heard: bool = False
    family: str | None = None
    signals: tuple[str, ...] = ()


def signal_of(exitcode: int | None) -> int | None:
    """Return the signal behind an exit code: `-9` and `137` are both 9; `None` for any other."""
    if exitcode is None:
        return None
    if exitcode < 0:
        return -exitcode
    return exitcode - 128 if 128 < exitcode < 128 + 32 else None


def profile_workers(attempt: Attempt) -> list[Profile]:
    """Return the profile of every worker, in their order."""
    known: dict[str, Meaning | None] = {}
    watched = any(worker.closings for worker in attempt.workers)
    return [_profile(index, worker, known, watched=watched) for index, worker in enumerate(attempt.workers)]


def _profile(index: int, worker: Worker, known: dict[str, Meaning | None], *, watched: bool) -> Profile:
    profile = Profile(
        index,
        sent=bool(worker.closings),
        forced=any(closing.forced for closing in worker.closings),
        heard=bool(worker.stderr_log or worker.stdout_log or worker.error or worker.hits or worker.collectives),
    )
    meaning = _read_words(profile, worker, known)
    if not _judge_words(profile, worker, meaning):
        _judge_exit(profile, worker, watched=watched)
    return profile


def _read_words(profile: Profile, worker: Worker, known: dict[str, Meaning | None]) -> Meaning | None:
    """Take over what the worker said last: its traceback, else the message of its failure, else its log's lines."""
    meaning = None
    if worker.error is not None:
        meaning = meaning_of_error(worker.error, known)
        profile.words, profile.place = worker.error.link.title, worker.error.place
    elif (message := _message_of(worker)) is not None:
        meaning = meaning_of_text(message)
        profile.words = message
    if worker.hits and (meaning is None or meaning.kind == "ambiguous"):
        return _meaning_of_hits(profile, worker.hits) or meaning
    return meaning


def _message_of(worker: Worker) -> str | None:
    message = worker.failure.message if worker.failure is not None else None
    if isinstance(message, dict):
        message = message.get("message")
    if not isinstance(message, str) or not message or message.startswith(_NO_WORDS):
        return None
    return None if "without an error report" in message else message


def _meaning_of_hits(profile: Profile, hits: tuple[Hit, ...]) -> Meaning | None:
    """Return what the lines of a log say when there is no traceback: causes before echoes before the rest."""
    best: tuple[int, Hit, Meaning] | None = None
    for hit in hits:
        found = signature(hit.signature)
        if found is None or found.role in ("noise", "wrapper", "confirmation") or found.id in _CRASH_TEXTS:
            continue
        meaning = _meaning_of_line(hit) if found.id == "py_exception" else _meaning_of_role(found.id, found.role)
        if meaning is None:
            continue
        order = {"own": 0, "mixed": 1, "echo": 2, "stop": 3, "ambiguous": 4}[meaning.kind]
        if best is None or order < best[0]:
            best = (order, hit, meaning)
    if best is None or (best[2].kind == "ambiguous" and profile.words is not None):
        return None
    profile.words, profile.place = best[1].text, best[1].place
    return best[2]


def _meaning_of_line(hit: Hit) -> Meaning | None:
    """Judge an exception's line that stands without its traceback: it may be cut off, or handled and only logged."""
    meaning = meaning_of_text(hit.text)
    if meaning is None or meaning.cause is None:
        return None
    if meaning.kind != "own" or meaning.cause.id != "py_exception":
        return meaning
    return replace(meaning, weight=3)


def _meaning_of_role(identifier: str, role: str) -> Meaning | None:
    found = signature(identifier)
    if identifier in _LAUNCHER_WORDS:
        return None
    if identifier in ("keyboard", "told_to_stop"):
        return Meaning("stop", 2 if identifier == "keyboard" else 0, found)
    if role == "primary":
        return Meaning("own", 4, found)
    if role == "echo" or identifier in ("mon_barrier", "nccl_desync", "nccl_remote_err"):
        return Meaning("echo", 0, found)
    return Meaning("ambiguous", 2, found) if role == "ambiguous" else None


def _judge_words(profile: Profile, worker: Worker, meaning: Meaning | None) -> bool:
    """Set the standing from text; tell whether that settles it."""
    if meaning is not None:
        profile.cause = meaning.cause.id if meaning.cause else None
        profile.echo = meaning.kind == "echo"
        profile.family = meaning.cause.title if profile.echo and meaning.cause else None
        profile.waiting = is_waiting(meaning.cause)
        if meaning.kind in ("own", "mixed"):
            _set(profile, "own", meaning.weight, profile.cause or "py_exception")
            return True
    if worker.hits and _judge_lines(profile, worker.hits, quoted=meaning is not None):
        return True
    if meaning is None:
        return False
    if meaning.kind == "stop":
        _set(profile, "ambiguous" if meaning.weight else "stopped", meaning.weight, profile.cause)
    elif profile.echo:
        _set(profile, "victim", 0, profile.cause)
    elif signal_of(worker.exitcode) not in CRASHES | {9}:
        _set(profile, "ambiguous", 2, profile.cause)
    else:
        return False
    return True


def _judge_lines(profile: Profile, hits: tuple[Hit, ...], *, quoted: bool) -> bool:
    """Set the standing from lines beside the last words: a crash, a named cause, a frozen process."""
    named = {hit.signature: hit for hit in hits}
    profile.signals = tuple(named)
    crash = next((hit for hit in hits if hit.signature in _CRASH_TEXTS), None)
    if crash is not None:
        _take_line(profile, "hard", 4 if profile.sent else 5, crash)
    elif (own := _own_line(hits)) is not None:
        strong = own.signature in HARDWARE or own.signature.startswith("cuda_")
        _take_line(profile, "own", 4 if strong or not quoted else 3, own)
    elif (stuck := next((hit for hit in hits if hit.signature in _STUCK_TEXTS), None)) is not None:
        _take_line(profile, "stuck", 2, stuck)
    else:
        return False
    return True


def _own_line(hits: tuple[Hit, ...]) -> Hit | None:
    """Return the first line that names a cause of its own, beside what the traceback says."""
    for hit in hits:
        found = signature(hit.signature)
        if found is not None and found.role == "primary" and found.id not in _NOT_OWN_WORDS:
            return hit
    return None


def _set(profile: Profile, standing: Standing, weight: float, cause: str | None) -> None:
    profile.standing, profile.weight, profile.cause = standing, weight, cause


def _take_line(profile: Profile, standing: Standing, weight: float, hit: Hit) -> None:
    _set(profile, standing, weight, hit.signature)
    profile.words, profile.place, profile.echo, profile.family = clip(hit.text), hit.place, False, None


def _judge_exit(profile: Profile, worker: Worker, *, watched: bool) -> None:
    """Set the standing of a worker whose own words settle nothing, from how it ended."""
    number, code = signal_of(worker.exitcode), worker.exitcode
    if profile.sent:
        _set(profile, "stuck" if profile.forced else "stopped", 1 if profile.forced else 0, None)
    elif number is not None:
        _judge_signal(profile, number, watched=watched)
    elif code:
        _set(profile, "self_exit", 3, "argparse" if code == 2 else None)
    elif code == 0:
        _set(profile, "ok", 0, None)
    elif worker.failure is not None or worker.error is not None:
        _set(profile, "self_exit", 3 if (profile.words or "").startswith("Fatal Python error") else 2, None)
    else:
        _set(profile, "silent" if profile.heard else "unknown", 0, None)


def _judge_signal(profile: Profile, number: int, *, watched: bool) -> None:
    """Set the standing of a worker that died by a signal which the launcher is not known to have sent."""
    if number in _STOPPING:
        _set(profile, "stopped", 2 if watched else 0, "sigterm" if number == 15 else None)
    elif number == 9:
        _set(profile, "hard", 5, CAUSE_OF_SIGNAL[9])
    elif number == 6:
        _set(profile, "self_exit", 3, None)
    else:
        _set(profile, "hard", 5 if number in CRASHES else 4, CAUSE_OF_SIGNAL.get(number))
    if profile.words is None:
        profile.words = f"died by {signal_name(-number) or f'signal {number}'}"
