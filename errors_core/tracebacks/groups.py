"""Exception groups folded into the chain: the leaves say what happened, the group only that several did.

Owns which leaves are the same. It refuses to hide different ones: each is kept once, up to a bound.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from errors_core.fingerprint import fingerprint_exact
from errors_core.tracebacks.model import ExceptionBlock, Traceback

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["fold_groups"]

_MOST = 16


def fold_groups(traceback: Traceback) -> Traceback:
    """Return the chain with every group replaced by its distinct leaves; where they are several, the group follows."""
    if not any(block.members for block in traceback.chain):
        return traceback
    return Traceback(tuple(folded for block in traceback.chain for folded in _fold(block)))


def _fold(block: ExceptionBlock) -> Iterator[ExceptionBlock]:
    if not block.members:
        yield block
        return
    distinct = {fingerprint_exact(leaf): leaf for leaf in reversed(list(_leaves(block)))}
    leaves = list(reversed(distinct.values()))[:_MOST]
    *first, last = (leaf for chain in leaves for leaf in chain.chain)
    yield from first
    if len(leaves) == 1:
        yield replace(last, joined=block.joined)
    else:
        yield last
        yield replace(block, members=())


def _leaves(block: ExceptionBlock) -> Iterator[Traceback]:
    """Yield the chains of all members; of members that are groups, those of their members."""
    for member in block.members:
        *before, last = member.chain
        if last.members:
            yield from _leaves(last)
            if before:
                yield Traceback(tuple(before))
        else:
            yield member
