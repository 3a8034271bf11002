"""Wrappers replaced by the originals that they quote.

Owns what torch, multiprocessing, Ray and launchers put around an exception of another process: DataLoader workers
(`torch/_utils.py`, ExceptionWrapper), `torch/multiprocessing/spawn.py`, `torch._dynamo`, `ray.exceptions.RayTaskError`,
remote tracebacks of process pools, `ChildFailedError`. It refuses to choose which link tells most.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from errors_core.tracebacks import lines as grammar
from errors_core.tracebacks.model import ExceptionBlock, Traceback
from errors_core.tracebacks.parse import parse_final, parse_traceback

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["unwrap"]

_DEEPEST = 6  # wrappers inside wrappers
_CAUGHT = re.compile(r"Caught \S+ in (?P<where>.+?)\.?\s*$", re.MULTILINE)
_SPAWNED = re.compile(r"-- Process (?P<number>\d+) terminated with the following error:")
_BACKEND = re.compile(r"backend='.*?' raised:\n(?P<original>.+)", re.DOTALL)
_ROOT = re.compile(r"^Root Cause\b.*$", re.MULTILINE)
_RAY = re.compile(r"ray::.*\n")
_COMPILERS = frozenset(
    ("BackendCompilerFailed", "InternalTorchDynamoError", "LoweringException", "InductorError", "TorchRuntimeError")
)
_POOLS = frozenset(("RemoteTraceback", "_RemoteTraceback"))
_LAUNCHERS = frozenset(("ChildFailedError", "CalledProcessError"))


def unwrap(traceback: Traceback) -> Traceback:
    """Return the chain with every wrapper replaced by the exceptions that it quotes, these first.

    The errors of launchers are dropped when anything else is left.
    """
    return Traceback(tuple(_unwrapped(traceback.chain, 0)))


def _unwrapped(chain: Sequence[ExceptionBlock], depth: int) -> list[ExceptionBlock]:
    blocks: list[ExceptionBlock] = []
    for block in chain:
        originals = _originals(block) if depth < _DEEPEST else []
        if not originals:
            if not _repeats_last(blocks, block):
                blocks.append(_with_members(block, depth))
            continue
        blocks += [original for original in _unwrapped(originals, depth + 1) if not _is_same(blocks, original)]
        if blocks:
            blocks[-1] = replace(blocks[-1], joined=block.joined)
    return _without_launchers(blocks)


def _with_members(block: ExceptionBlock, depth: int) -> ExceptionBlock:
    if not block.members or depth >= _DEEPEST:
        return block
    members = tuple(Traceback(tuple(_unwrapped(member.chain, depth + 1))) for member in block.members)
    return replace(block, members=members)


def _is_same(blocks: list[ExceptionBlock], block: ExceptionBlock) -> bool:
    """Tell whether a quoted original stands in the chain itself, with more frames than the quotation has."""
    return any((other.name, other.message) == (block.name, block.message) and not block.frames for other in blocks)


def _repeats_last(blocks: list[ExceptionBlock], block: ExceptionBlock) -> bool:
    """Tell whether a block is only the last original, raised again by the process that received it."""
    last = blocks[-1] if blocks else None
    return last is not None and last.wrapper == "worker process" and last.title == block.title


def _without_launchers(blocks: list[ExceptionBlock]) -> list[ExceptionBlock]:
    kept = [block for block in blocks if block.name not in _LAUNCHERS] or blocks
    return [*kept[:-1], *(replace(block, joined=None) for block in kept[-1:])]


def _originals(block: ExceptionBlock) -> tuple[ExceptionBlock, ...]:
    """Return the chain that a wrapper quotes, each link saying where it comes from; empty for any other block."""
    name = block.name or ""
    backend = _BACKEND.match(block.message)
    if backend is not None or name in _COMPILERS:
        return _compiler_original(backend["original"] if backend is not None else block.message)
    if name == "RayTaskError":
        return _quoted(_RAY.sub("Traceback (most recent call last):\n", block.message, count=1), "Ray task")
    if "Traceback (most recent call last)" not in block.message:
        return ()
    if name in _LAUNCHERS:
        root = _ROOT.search(block.message)
        return _quoted(block.message[root.end() :] if root is not None else block.message, None)
    return _quoted(block.message, _carrier(name, block.message))


def _carrier(name: str, message: str) -> str | None:
    """Name what carried a quoted traceback here."""
    start = message.index("Traceback (most recent call last)")
    spawned = _SPAWNED.search(message, 0, start)
    if spawned is not None:
        return f"spawned process {spawned['number']}"
    caught = _CAUGHT.match(message)
    if caught is not None:
        return caught["where"].replace("worker process", "worker")
    return "worker process" if name in _POOLS else name or None


def _quoted(text: str, wrapper: str | None) -> tuple[ExceptionBlock, ...]:
    inner = parse_traceback(text)
    if inner is None:
        return ()
    return tuple(replace(block, wrapper=block.wrapper or wrapper, message=_unquoted(block)) for block in inner.chain)


def _unquoted(block: ExceptionBlock) -> str:
    return block.message.removesuffix('"""').rstrip()


def _compiler_original(message: str) -> tuple[ExceptionBlock, ...]:
    """Read `RuntimeError: x` from a compiler's message; the advice behind it is not part of the original."""
    text = message.lstrip("\n").partition("\n\n")[0]
    lines = text.split("\n")
    if not grammar.is_surely_final(lines[0]):
        return ()
    final, words = parse_final(lines)
    return (ExceptionBlock(final, words, wrapper="torch.compile backend"),)
