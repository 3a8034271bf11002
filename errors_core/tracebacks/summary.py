"""A traceback in short: its links, the one that tells most, its fingerprints.

Owns the choice of the headline and the fast way for the many error files of one job, which differ in little but
numbers. It refuses to know signatures: whether a message is an echo is asked of the caller.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from sys import intern
from typing import TYPE_CHECKING, NamedTuple

from errors_core.fingerprint import fingerprint_exact, place_key
from errors_core.job import ErrorSummary, Frame, Link
from errors_core.tracebacks import lines as grammar
from errors_core.tracebacks.frames import read_frames
from errors_core.tracebacks.groups import fold_groups
from errors_core.tracebacks.model import ExceptionBlock, Traceback
from errors_core.tracebacks.parse import parse_final, parse_traceback
from errors_core.tracebacks.unwrap import unwrap

if TYPE_CHECKING:
    from collections.abc import Callable

    from errors_core.job import Place

__all__ = ["CUT", "summarise", "summarise_blocks"]

CUT = "(traceback cut short)"  # stands for the type of an exception that the text ends before naming
_LONGEST = 500
_HEADER = "Traceback (most recent call last):\n"
_FRAMES_END = re.compile(r"\n(?=[^ \n])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x9b]")
_NOT_SIMPLE = ("Traceback (most", "\nThe above exception was", "\nDuring handling of the above", "+-+-", "❱", "│")
_REPR = re.compile(r"(?P<type>[^\W\d][\w.]*)\((?P<arguments>.*)\)$", re.DOTALL)
_TEXT = re.compile(r"(?P<quote>['\"])(?P<text>(?:(?!(?P=quote))[^\\]|\\.)*)(?P=quote),?$", re.DOTALL)
_RECORDER = re.compile(r"elastic[\\/]multiprocessing[\\/]errors[\\/]error_handler\.py$")
_OUTERMOST = frozenset(("<module>", "_run_module_as_main", "_bootstrap"))
_CONTROL_FLOW = frozenset(("StopIteration", "StopAsyncIteration", "GeneratorExit", "Empty", "Full", "CancelledError"))


def summarise(
    text: str,
    place: Place,
    keep_text: bool = False,
    *,
    message: str | None = None,
    is_echo: Callable[[str], bool] | None = None,
) -> ErrorSummary | None:
    """Return what a traceback says, or `None` when the text holds none and `message` names no exception.

    `message` is the error file's own (`KeyError: 'x'`, `ValueError('x')`): used where the text does not end with the
    exception. `is_echo` tells whether `Type: message` only reports a lost or late peer.
    """
    digest = _digest_text(text, message)
    return None if digest is None else _summary(digest, place, text if keep_text else None, is_echo)


def summarise_blocks(
    traceback: Traceback, place: Place, text: str | None = None, is_echo: Callable[[str], bool] | None = None
) -> ErrorSummary:
    """Return the summary of a chain that is unwrapped and folded already and has at least one block."""
    return _summary(_digest_chain(traceback), place, text, is_echo)


class _Digest(NamedTuple):
    """What does not depend on the place and on the caller's echo test; `places` has one fingerprint a link."""

    chain: tuple[ExceptionBlock, ...]
    links: tuple[Link, ...]
    exact: str
    places: tuple[str, ...]
    uncaught: bool


def _summary(digest: _Digest, place: Place, text: str | None, is_echo: Callable[[str], bool] | None) -> ErrorSummary:
    headline = _headline(digest, is_echo) if len(digest.links) > 1 else 0
    return ErrorSummary(digest.links, headline, digest.exact, digest.places[headline], place, text, digest.uncaught)


def _headline(digest: _Digest, is_echo: Callable[[str], bool] | None) -> int:
    """Choose the link that tells most.

    An echo at the start explains all that follows. Otherwise it is the first link that broke in the job's own code,
    and what that names as its cause. What was raised only to end a loop or to say that a queue is empty does not count.
    """
    echoes = [is_echo is not None and is_echo(block.title) for block in digest.chain]
    if echoes[0]:
        return 0
    for index, block in enumerate(digest.chain):
        passing = block.name in _CONTROL_FLOW and block.joined == "context"
        frame = digest.links[index].frame
        if not passing and not echoes[index] and frame is not None and frame.own:
            return _first_cause(digest.chain, index)
    return _first_cause(digest.chain, len(digest.chain) - 1)


def _first_cause(chain: tuple[ExceptionBlock, ...], index: int) -> int:
    while index > 0 and chain[index - 1].joined == "cause":
        index -= 1
    return index


@lru_cache(maxsize=256)
def _digest_text(text: str, message: str | None) -> _Digest | None:
    traceback = _simple(text) or parse_traceback(text)
    traceback = Traceback(()) if traceback is None else fold_groups(unwrap(traceback))
    traceback = _with_message(traceback, message)
    return _digest_chain(traceback) if traceback.chain else None


def _digest_chain(traceback: Traceback) -> _Digest:
    chain = traceback.chain
    links = tuple(
        Link(intern(block.type or CUT), intern(block.message[:_LONGEST]), _telling(block.frames)) for block in chain
    )
    places = tuple(intern(place_key(block)) for block in chain)
    uncaught = any(block.frames and block.frames[0].function in _OUTERMOST for block in chain)
    return _Digest(chain, links, intern(fingerprint_exact(traceback)), places, uncaught)


@lru_cache(maxsize=4096)
def _telling(frames: tuple[Frame, ...]) -> Frame | None:
    """Return the innermost frame of own code, or the innermost at all."""
    return next((frame for frame in reversed(frames) if frame.own), frames[-1] if frames else None)


def _simple(text: str) -> Traceback | None:
    """Read one exception without chain, group or wrapper: most error files; `None` for anything else."""
    end = _FRAMES_END.search(text, len(_HEADER)) if text.startswith(_HEADER) else None
    if end is None or _CONTROL.search(text) or any(text.find(mark, len(_HEADER)) >= 0 for mark in _NOT_SIMPLE):
        return None
    rest = text[end.end() :].split("\n")
    if not grammar.is_surely_final(rest[0]):
        return None
    name, words = parse_final(rest)
    frames, repeats = _frames(text[len(_HEADER) : end.start()])
    return Traceback((ExceptionBlock(name, words, frames, repeats=repeats),))


@lru_cache(maxsize=1024)
def _frames(text: str) -> tuple[tuple[Frame, ...], tuple[tuple[int, int], ...]]:
    frames, repeats, _ = read_frames(text.split("\n"), 0)
    return frames, repeats


def _with_message(traceback: Traceback, message: str | None) -> Traceback:
    """Complete a traceback that does not name its exception with the words of the error file.

    torch 1.9 wrote the frames of its own recorder instead of the exception's: these say nothing.
    """
    *before, last = traceback.chain or (ExceptionBlock(None),)
    if last.type is not None:
        return traceback
    frames = last.frames
    if frames and _RECORDER.search(frames[-1].path):
        frames = ()
    name, words = _name_and_words(message or "")
    if name is None and not frames and not before:
        return Traceback(())
    return Traceback((*before, replace(last, type=name, message=words, frames=frames)))


def _name_and_words(message: str) -> tuple[str | None, str]:
    """Read `KeyError: 'x'` or `ValueError('x')`."""
    lines = message.strip().split("\n")
    if grammar.is_final(lines[0]) and (":" in lines[0] or grammar.is_surely_final(lines[0])):
        return parse_final(lines)
    written = _REPR.match(message.strip())
    if written is None or not grammar.is_surely_final(written["type"]):
        return None, ""
    return written["type"], _spoken(written["arguments"])


def _spoken(arguments: str) -> str:
    """Return the text of a single argument, or the arguments as they are written."""
    match = _TEXT.match(arguments)
    return arguments if match is None else re.sub(r"\\([\\'\"])", r"\1", match["text"].replace("\\n", "\n"))
