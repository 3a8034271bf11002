"""The literal texts that a regular expression cannot match without: a cheap test before the expression itself.

Owns the walk over the parsed expression. It refuses to be clever: where it finds nothing, there is no test.
"""

from __future__ import annotations

from re import _constants, _parser  # type: ignore[attr-defined]  # typeshed does not know re's own parser
from typing import Any

__all__ = ["required_literals"]

_SHORTEST = 3  # shorter texts stand in too many lines to save anything


def required_literals(pattern: str) -> frozenset[str] | None:
    """Return texts of which every match holds at least one; `None` when there are none worth looking for."""
    parsed = _parser.parse(pattern)
    if parsed.state.flags & (_constants.SRE_FLAG_IGNORECASE | _constants.SRE_FLAG_VERBOSE) or "(?i" in pattern:
        return None
    return _best(_literal_sets(parsed))


def _best(sets: list[frozenset[str]]) -> frozenset[str] | None:
    """Choose the set whose shortest text is longest."""
    usable = [texts for texts in sets if min(map(len, texts)) >= _SHORTEST]
    return max(usable, key=lambda texts: (min(map(len, texts)), -len(texts)), default=None)


def _literal_sets(nodes: Any) -> list[frozenset[str]]:  # noqa: ANN401 - nodes of re's parser have no types
    """Return sets of texts: of each set, every match holds at least one."""
    sets: list[frozenset[str]] = []
    run = ""
    for operation, argument in nodes:
        if operation is _constants.LITERAL:
            run += chr(argument)
            continue
        if run:
            sets.append(frozenset((run,)))
            run = ""
        sets += _sets_of(operation, argument)
    if run:
        sets.append(frozenset((run,)))
    return sets


def _sets_of(operation: Any, argument: Any) -> list[frozenset[str]]:  # noqa: ANN401 - nodes of re's parser
    if operation is _constants.SUBPATTERN:
        return _literal_sets(argument[3])
    if operation in (_constants.MAX_REPEAT, _constants.MIN_REPEAT):
        return _literal_sets(argument[2]) if argument[0] > 0 else []
    if operation is _constants.BRANCH:
        choices = [_best(_literal_sets(choice)) for choice in argument[1]]
        if all(choice is not None for choice in choices):
            return [frozenset(text for choice in choices if choice is not None for text in choice)]
    return []
