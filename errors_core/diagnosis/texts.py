"""What a worker's own words mean: the chain of its traceback, or its message, as one role.

Owns the rule that the first link of a chain decides: whatever is raised while a lost peer is handled is an echo too.
It refuses to look at exit codes and at other workers (that is `errors_core.diagnosis.roles`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from errors_core.diagnosis.signatures import Signature, match, signature
from errors_core.diagnosis.wording import clip
from errors_core.tracebacks.summary import CUT

if TYPE_CHECKING:
    from errors_core.job import ErrorSummary, Link

__all__ = ["Meaning", "is_waiting", "meaning_of_error", "meaning_of_text", "telling_part"]

Kind = Literal["own", "mixed", "echo", "ambiguous", "stop"]

_STOPS = {"keyboard", "told_to_stop", "signal_exc", "launcher_ext", "sigterm"}
_WAITING = {"waited for the others until the timeout", "waited for a peer until the timeout"}
_WAITING_IDS = {"mon_barrier", "mon_barrier_back", "store_join"}
_SAYS_NOTHING = {"fatal_abort", "child_failed", "subproc", "spawn", "ray_died"}
_HANDLED = re.compile(
    r"(?:\w+\.)*(?:KeyError|AttributeError|StopIteration|ImportError|ModuleNotFoundError|Empty|Full)$"
)
_GENERAL = {"py_exception", "cuda_error"}
_QUOTES_REASONS = re.compile(
    r"(?:\w+[.:]+)*(?:RuntimeError|Dist\w*Error|Error|runtime_error|Exception|\w*Connection\w*)\b"
)
# Numbers differ from worker to worker and carry no role, but for those of errno and signals.
_NUMBERS = re.compile(r"(?<!\d)(?<!rrno )(?<!rrno: )(?<!ignal )(?<!within )\d+")


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a text says about the worker that wrote it.

    `own`: it has a cause of its own. `mixed`: a cause of its own came first, a lost peer last. `echo`: it only reports
    somebody else. `stop`: it was told to stop. `ambiguous`: it may be either. `weight` is how much an own cause weighs
    (0 to 5). `cause` is the signature that names it.
    """

    kind: Kind
    weight: float
    cause: Signature | None


@lru_cache(maxsize=4096)
def _match_masked(masked: str) -> str | None:
    found = match(masked)
    return found.id if found else None


def _signature_of(text: str) -> Signature | None:
    """Match a text with its numbers masked, so that a thousand ranks cost one match.

    The first line decides when it says enough; further lines count where communication libraries put the reason, and
    not where a program quotes somebody else's words.
    """
    masked = _NUMBERS.sub("7", text[:2000])
    head, _, rest = masked.partition("\n")
    found = signature(_match_masked(head) or "")
    if not rest or (found is not None and found.role != "ambiguous" and found.id not in _GENERAL):
        return found
    if not _QUOTES_REASONS.match(head):
        return found
    return signature(_match_masked(masked) or "")


def meaning_of_text(text: str) -> Meaning | None:
    """Return what a single message means, `None` when it only says that the process ended."""
    return _meaning((_signature_of(text),), (text.split(":", 1)[0],))


def meaning_of_error(error: ErrorSummary, known: dict[str, Meaning | None]) -> Meaning | None:
    """Return what a chain means, `None` when it only says that the process ended; `known` keeps it by fingerprint."""
    if error.exact not in known:
        texts = tuple(_signature_of(_text_of(link)) for link in error.links)
        known[error.exact] = _meaning(texts, tuple(link.type for link in error.links))
    return known[error.exact]


def telling_part(words: str | None, cause: str | None) -> str:
    """Return the part of a text that gives it its meaning, without the file names that libraries put before it."""
    found = signature(cause or "")
    matched = found.regex.search(words or "") if found is not None and cause != "py_exception" else None
    return clip(matched[0] if matched else words or "", 100)


def is_waiting(found: Signature | None) -> bool:
    """Tell whether a text says that its worker waited for others until a time limit."""
    return found is not None and (found.title in _WAITING or found.id in _WAITING_IDS)


def _text_of(link: Link) -> str:
    return f"{link.type}: {link.message}" if link.message else link.type


def _meaning(found: tuple[Signature | None, ...], types: tuple[str, ...]) -> Meaning | None:
    """Judge a chain, first cause first, by its first link that is no wrapper and no noise."""
    telling = [i for i, entry in enumerate(found) if entry is None or entry.role not in ("wrapper", "noise")]
    telling = [i for i in telling if not types[i].startswith(CUT)]
    if not telling and any(kind.startswith(CUT) for kind in types):
        return Meaning("ambiguous", 1, None)
    if not telling:
        wrapped = next((entry for entry in found if entry is not None and entry.id not in _SAYS_NOTHING), None)
        return Meaning("own", 4, wrapped) if wrapped is not None and wrapped.role == "wrapper" else None
    first, last = found[telling[0]], found[telling[-1]]
    if first is not None and first.id in _STOPS:
        return Meaning("stop", 2 if first.id == "keyboard" else 0, first)
    if first is not None and first.role in ("echo", "blames"):
        return Meaning("echo", 0, first)
    cause = _cause(tuple(found[i] for i in telling))
    if first is not None and first.role == "ambiguous" and first.id != "nan":
        return _ambiguous(first, last, cause)
    if last is not None and last.role in ("echo", "blames") and len(telling) > 1:
        return Meaning("mixed", 3 if _HANDLED.match(types[telling[0]]) else 4, cause)
    return Meaning("own", _own_weight(cause, types[telling[-1]]), cause)


def _ambiguous(first: Signature, last: Signature | None, cause: Signature | None) -> Meaning:
    """Judge a chain that begins with words which may mean either: what follows decides."""
    if last is not None and last.role in ("echo", "blames"):
        return Meaning("echo", 0, last)
    if cause is not None and cause.role == "primary" and cause.id != "py_exception":
        return Meaning("own", 5, cause)
    return Meaning("ambiguous", 2, first)


def _cause(found: tuple[Signature | None, ...]) -> Signature | None:
    """Return the signature that tells most: a specific cause anywhere in the chain, else the general one."""
    for entry in found:
        if entry is not None and entry.role in ("primary", "confirmation") and entry.id != "py_exception":
            return entry
    return next((entry for entry in found if entry is not None and entry.role != "echo"), None)


def _own_weight(cause: Signature | None, kind: str) -> float:
    """Return how much a cause of its own weighs: general words weigh less than a named cause."""
    if cause is not None and cause.id == "nan":
        return 2
    if cause is not None and cause.id != "py_exception":
        return 5
    name = kind.rpartition(".")[2]
    if name == "SystemExit":
        return 3
    return 4 if name in ("RuntimeError", "Exception", "Error", "CalledProcessError") else 5
