"""Message signatures: which text means what, read from `signatures.toml` or from a user's own file.

Owns the table, its checks and the choice of the best signature for one message. It refuses to scan logs
(that is `errors_core.readers.scan`) and to judge workers (that is `errors_core.diagnosis.roles`).
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "Signature",
    "SignatureError",
    "SignatureRole",
    "builtin_signatures",
    "match",
    "matches",
    "read_signatures",
    "signature",
]

SignatureRole = Literal["primary", "echo", "ambiguous", "confirmation", "blames", "wrapper", "noise"]

_REQUIRED = ("id", "role", "title", "pattern", "samples", "why", "checks")
_OPTIONAL = {"reference": "", "usual_exit": "", "blames": "", "prior": 0.5}
# What a message means when it matches several: the most telling role wins, table order decides inside a role.
_ORDER = {"primary": 0, "blames": 1, "echo": 2, "confirmation": 3, "ambiguous": 4, "wrapper": 5, "noise": 8}
_GENERIC = {"cuda_error": 6, "py_exception": 7}  # they match nearly anything of their kind


class SignatureError(ValueError):
    """A signature file that cannot be used; the text names the file, the signature and what to change."""


@dataclass(frozen=True, slots=True)
class Signature:
    """One kind of message.

    `role` says what it makes of the worker that printed it: `primary` has a cause of its own, `echo` only reports
    a lost or late peer or a stop, `blames` names somebody, `confirmation` confirms a cause, `wrapper` quotes another
    error, `ambiguous` and `noise` as they say. `pattern` is a Python regular expression for `re.MULTILINE` without
    look-around and back-references. `title` is a few words for lists; messages with equal titles are one family.
    `prior` is how often such a message comes from the worker to blame (0 to 1), a judgement and no measurement.
    """

    id: str
    role: SignatureRole
    title: str
    pattern: str
    samples: tuple[str, ...]
    why: str
    checks: tuple[str, ...]
    reference: str = ""
    usual_exit: str = ""
    blames: str = ""
    prior: float = 0.5
    regex: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "regex", _compiled(self.pattern))


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)


@cache
def builtin_signatures() -> tuple[Signature, ...]:
    """Return the signatures that come with the package, in the order of the table."""
    source = resources.files("errors_core.diagnosis").joinpath("signatures.toml")
    return tuple(_signature(entry) for entry in tomllib.loads(source.read_text("utf-8"))["signature"])


@cache
def _by_id() -> dict[str, Signature]:
    return {entry.id: entry for entry in builtin_signatures()}


def signature(identifier: str) -> Signature | None:
    """Return the built-in signature of that id."""
    return _by_id().get(identifier)


def read_signatures(path: Path | str) -> tuple[Signature, ...]:
    """Read a user's signature file (same form as `signatures.toml`) and test each entry against its own samples.

    Raises `SignatureError` for anything that cannot be used, and `OSError` when the file cannot be read.
    """
    try:
        table = tomllib.loads(Path(path).read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        message = f"{path}: not a TOML file: {error}"
        raise SignatureError(message) from error
    entries = table.get("signature")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        message = f"{path}: expected one or more [[signature]] tables"
        raise SignatureError(message)
    found = tuple(_checked(entry, path) for entry in entries)
    twice = {entry.id for entry in found if sum(other.id == entry.id for other in found) > 1}
    if twice:
        message = f"{path}: signature ids occur twice: {', '.join(sorted(twice))}"
        raise SignatureError(message)
    return found


def _checked(entry: dict[str, Any], path: Path | str) -> Signature:
    """Build one user signature; raises `SignatureError` with the file's name and the signature's."""
    name = f"{path}: signature {entry.get('id', '(without id)')!r}"
    complaint = _shape_complaint(entry)
    if complaint:
        message = f"{name}: {complaint}"
        raise SignatureError(message)
    try:
        built = _signature(entry)
    except re.error as error:
        message = f"{name}: the pattern is not a regular expression: {error}"
        raise SignatureError(message) from error
    for sample in built.samples:
        if built.regex.search(sample) is None:
            message = f"{name}: the pattern does not match its own sample {sample!r}"
            raise SignatureError(message)
    return built


def _shape_complaint(entry: dict[str, Any]) -> str | None:
    missing = [key for key in _REQUIRED if key not in entry]
    if missing:
        return f"these fields are missing: {', '.join(missing)}"
    unknown = sorted(set(entry) - set(_REQUIRED) - set(_OPTIONAL))
    if unknown:
        return f"unknown fields: {', '.join(unknown)}"
    for key in ("samples", "checks"):
        value = entry[key]
        if not isinstance(value, list) or not value or not all(isinstance(item, str) for item in value):
            return f"{key} must be a list of one or more texts"
    texts = [key for key in ("id", "title", "pattern", "why") if not isinstance(entry[key], str) or not entry[key]]
    if texts:
        return f"these fields must be texts: {', '.join(texts)}"
    if entry["role"] not in get_args(SignatureRole):
        return f"role must be one of {', '.join(get_args(SignatureRole))}"
    return None


def _signature(entry: dict[str, Any]) -> Signature:
    values = {**_OPTIONAL, **entry}
    return Signature(
        id=values["id"],
        role=cast("SignatureRole", values["role"]),
        title=values["title"],
        pattern=values["pattern"],
        samples=tuple(values["samples"]),
        why=values["why"],
        checks=tuple(values["checks"]),
        reference=str(values["reference"]),
        usual_exit=str(values["usual_exit"]),
        blames=str(values["blames"]),
        prior=float(values["prior"]),
    )


def _rank(entry: Signature) -> int:
    return _GENERIC.get(entry.id, _ORDER[entry.role])


def matches(text: str, signatures: Iterable[Signature] | None = None) -> tuple[Signature, ...]:
    """Return all signatures that match a message, the most telling one first."""
    table = builtin_signatures() if signatures is None else signatures
    return tuple(sorted((entry for entry in table if entry.regex.search(text)), key=_rank))


def match(text: str, signatures: Iterable[Signature] | None = None) -> Signature | None:
    """Return the signature that says most about a message, or `None` when none matches."""
    found = matches(text, signatures)
    return found[0] if found else None
