"""Fingerprints: when two workers' errors are the same error, so that 127 ranks become one line.

Owns what of an error is identity (types, functions, files below their packages, wording) and what only differs from
worker to worker (line numbers, paths, numbers, addresses, times). It refuses to compare by likeness: equal or not.
Every fingerprint begins with the version of this recipe, so that stored ones are never compared across recipes.
"""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from errors_core.masking import mask, masked_values
from errors_core.own_code import is_entry, is_plumbing, relative_path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from errors_core.job import Frame
    from errors_core.tracebacks.model import ExceptionBlock, Traceback

__all__ = [
    "fingerprint_exact",
    "fingerprint_frames",
    "first_line",
    "frame_keys",
    "mask",
    "masked_values",
    "place_key",
]

_VERSION = "fp1"
_PLACE_FRAMES = 3
_GENERATED = (
    (re.compile(r"^.*[\\/]torchinductor_.*|^c[a-z0-9]{50,}\.py"), "<inductor>"),
    (re.compile(r"^<(eval_with_key|ipython-input|attrs generated|decorator-gen|cell line|frozen)\b[^>]*>.*"), r"<\1>"),
    (re.compile(r"^(__compiled_fn|triton_\w*?fused)_\w+"), r"\1"),
    (re.compile(r"^torch_dynamo_resume_in_(\w+?)_at_\d+"), r"\1"),
)


def fingerprint_exact(traceback: Traceback) -> str:
    """Return the fingerprint of all types, frames and masked first lines of the messages.

    Expects a traceback without wrappers and folded groups (`errors_core.tracebacks.unwrap`, `fold_groups`).
    """
    parts: list[str] = []
    for block in traceback.chain:
        parts += (block.name or "", *frame_keys(block.frames), mask(first_line(block.message)))
    return _digest(parts)


def fingerprint_frames(traceback: Traceback, headline: int = 0) -> str:
    """Return the fingerprint of the place: the headline's type and its three innermost frames of own code.

    Where there is no own code the innermost frames count, where there are no frames the masked message.
    """
    return place_key(traceback.chain[headline]) if traceback.chain else _digest(())


def place_key(block: ExceptionBlock) -> str:
    """Return `fingerprint_frames` of one exception."""
    own = frame_keys(block.frames, own_only=True) or frame_keys(block.frames)
    return _digest([block.name or "", *(own[-_PLACE_FRAMES:] or (mask(first_line(block.message)),))])


@lru_cache(maxsize=4096)
def frame_keys(frames: tuple[Frame, ...], *, own_only: bool = False) -> tuple[str, ...]:
    """Return file and function of the frames that say something about an error, outermost first.

    Left out: line numbers, the frames that only started the program, frames that pass calls on, repeats.
    """
    start = max((i + 1 for i, frame in enumerate(frames) if is_entry(frame.path, frame.function)), default=0)
    keys: list[str] = []
    for frame in frames[start:]:
        if is_plumbing(frame.path, frame.function) or (own_only and not frame.own):
            continue
        key = f"{relative_path(_stable(frame.path))}:{_stable(frame.function)}"
        if not keys or keys[-1] != key:
            keys.append(key)
    return tuple(keys)


def first_line(message: str) -> str:
    """Return the first line that says something: a log shows no better where a message ends."""
    return next((line for line in message.split("\n") if line.strip()), "").strip()


def _stable(name: str) -> str:
    """Replace a name that was generated at run time."""
    for pattern, replacement in _GENERATED:
        name = pattern.sub(replacement, name)
    return name


def _digest(parts: Iterable[str]) -> str:
    """Return the versioned hash of parts; the separator keeps neighbours apart."""
    hashed = blake2b("\x1f".join(parts).encode("utf-8", "surrogatepass"), digest_size=8)
    return f"{_VERSION}:{hashed.hexdigest()}"
