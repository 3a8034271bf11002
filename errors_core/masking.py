"""Messages without what differs from worker to worker: numbers, paths, addresses, times, sizes.

Owns the order in which things are recognised and the few numbers that stay because they carry meaning (errno, exit
codes, signals, HTTP status, Xid). It refuses to understand a message beyond that.
"""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["mask", "masked_values"]

_NUMBER = r"\d+(?:[,_]\d{3})*(?:\.\d+)*(?:[eE][-+]?\d+)?"
_KINDS = re.compile(
    r"(?:(?<!\w)|(?=[\d\[(S]))(?:"  # inside a word little begins: most places need no closer look
    r"(?P<keep>\[Errno -?\d+\]|\b[Ee]rrno[:= ]+-?\d+|Signals\.\w+: \d+"
    r"|\b(?:exit[ _]?code|exit status|return code|status(?:[ _]code)?|[Ss]ignal|HTTP(?: Error|/[\d.]+)?\"?)[:= (]+-?\d+"
    r"|\b[1-5]\d\d (?:Client|Server) Error|\bXid(?: \([^)]*\))?:? \d+|\bCUDA error \d+)"
    r"|(?P<url>\b[a-z][a-z0-9+.-]*://[^\s'\"<>)\]]+)"
    r"|(?P<path>(?<![\w/.\\~])(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][^\s/\\'\"<>|:*?()\[\],;]+)+[/\\]?(?::\d+(?!\d*[>:]))?)"
    r"|(?P<endpoint>\[?\b(?:\d{1,3}\.){3}\d{1,3}\b\]?(?::\d+|<\d+>)?|\[[0-9a-fA-F:]*:[0-9a-fA-F:.]*\](?::\d+)?"
    r"|\b[A-Za-z][\w-]*(?:\.[\w-]+)*(?::\d{4,5}\b|<\d{4,5}>))"
    r"|(?P<id>\b0x[0-9a-fA-F]+\b|\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b"
    r"|\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{12,64}\b)"
    r"|(?P<time>\b\d{4}-\d\d-\d\d[T _]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?|\b\d+:\d\d:\d\d(?:\.\d+)?\b)"
    r"|(?P<size>\b" + _NUMBER + r" ?(?:bytes|[KMGTP]i?B|B)\b)"
    r"|(?P<duration>\b" + _NUMBER + r" ?(?:ms|us|ns|milliseconds?|seconds?|secs?|s|minutes?|mins?|hours?|h)\b)"
    r"|(?P<shape>(?:\bSize\()?[\[(]\d+(?:, ?\d+)+,?[\])]\)?|\b\d+(?:x\d+)+\b)"
    r"|(?P<n>(?<![\w.])[-+]?" + _NUMBER + r"(?!\w)|(?<=[A-Za-z][_-])\d+(?![A-Za-z\d])))"
)
_ADVICE_OPENINGS = (
    *("This is typically caused by", "Check the logs of the remote", "For debugging consider", "If reserved"),
    *("CUDA kernel errors might", "TORCH_USE_CUDA_DSA", "See documentation", "Device-side assertion tracking"),
    *("Tried to allocate ", "Search for "),
)
_ADVICE = re.compile(
    r"(?<=Tried to allocate )([\d.]+ \w+)\..*"
    r"|\s*(?:This is typically caused by|Check the logs of the remote|For debugging consider|CUDA kernel errors might"
    r"|Compile with [`']?TORCH_USE_CUDA_DSA|If reserved|See documentation|Search for `?cuda\w*`? in"
    r"|Device-side assertion tracking).*",
    re.DOTALL,
)
_DIGITS = re.compile(r"\d+")
_RUN_OF_DIGITS = re.compile(r"[0-9]+")
_TEMPORARY = re.compile(r"^tmp\w+$")
_LONGEST = 2000  # a message says what it is about long before


def mask(message: str) -> str:
    """Return a message without advice, and with what differs from worker to worker replaced by its kind.

    Kinds: `<n>`, `<path:shard_*.tar>`, `<url>`, `<endpoint>`, `<id>`, `<time>`, `<size>`, `<duration>`, `<shape:2>`
    (the number says how many dimensions).
    """
    text = _without_advice(message)
    masked = _mask_alike(_RUN_OF_DIGITS.sub(_digits_alike, text))
    return masked if masked is not None else _KINDS.sub(_replacement, text)


def masked_values(message: str) -> tuple[str, ...]:
    """Return what `mask` replaces, in order: where two messages of one fingerprint differ, they differ in these."""
    return tuple(match[0] for match in _KINDS.finditer(_without_advice(message)) if match.lastgroup != "keep")


def _without_advice(message: str) -> str:
    """Leave out the advice that torch and CUDA append; it changes from version to version."""
    if any(opening in message for opening in _ADVICE_OPENINGS):
        return _ADVICE.sub(r"\1", message[:_LONGEST])
    return message[:_LONGEST]


def _digits_alike(match: re.Match[str]) -> str:
    """Return digits of the same number; the first one tells apart what `_KINDS` tells apart: `0x`, `404`, `904`."""
    digits = match[0]
    return (digits[0] if digits[0] == "0" else "1" if digits[0] <= "5" else "6") + "1" * (len(digits) - 1)


@lru_cache(maxsize=4096)
def _mask_alike(text: str) -> str | None:
    """Mask a text that stands for all those that differ from it in digits alone; `None` when any digit stays."""
    keeps = any(match.lastgroup == "keep" for match in _KINDS.finditer(text))
    return None if keeps or _DIGITS.search(_KINDS.sub("", text)) else _KINDS.sub(_replacement, text)


def _replacement(match: re.Match[str]) -> str:
    kind, text = match.lastgroup, match[0]
    if kind == "keep":
        return text
    if kind == "path":
        return _masked_path(text)
    if kind == "shape":
        return f"<shape:{len(_DIGITS.findall(text))}>"
    return f"<{kind}>"


def _masked_path(path: str) -> str:
    """Return the base name, its digits masked; a line number behind it is left out."""
    bare = re.sub(r":\d+$", "", path).replace("\\", "/").rstrip("/")
    name = bare.rpartition("/")[2]
    return f"<path:{_DIGITS.sub('*', _TEMPORARY.sub('tmp*', name))}>"
