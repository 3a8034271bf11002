"""The literal texts that a regular expression cannot match without: a cheap test before the expression itself.

Owns the walk over the parsed expression. It refuses to be clever: where it finds nothing, there is no test.
"""

from __future__ import annotations

from re import _constants, _parser  # type: ignore[attr-defined]  # typeshed does not know re's own parser
from typing import Any, NamedTuple

__all__ = ["required_literals"]

_SHORTEST = 3  # shorter texts stand in too many lines to save anything
_MOST = 32
_NOTHING = frozenset(("",))


class _Texts(NamedTuple):
    """What is known of a part of an expression.

    `all`: all texts that it can match, when they are few; `sets`: of each set, every match holds at least one text.
    """

    all: frozenset[str] | None
    sets: tuple[frozenset[str], ...] = ()


def required_literals(pattern: str) -> frozenset[str] | None:
    """Return texts of which every match holds at least one; `None` when there are none worth looking for."""
    parsed = _parser.parse(pattern)
    if parsed.state.flags & (_constants.SRE_FLAG_IGNORECASE | _constants.SRE_FLAG_VERBOSE) or "(?i" in pattern:
        return None
    found = _best(_of_sequence(parsed))
    if found is None:
        return None
    return frozenset(text for text in found if not any(other in text for other in found if other != text))


def _best(texts: _Texts) -> frozenset[str] | None:
    """Choose the set whose shortest text is longest."""
    sets = texts.sets if texts.all is None else (*texts.sets, texts.all)
    usable = [found for found in sets if found and min(map(len, found)) >= _SHORTEST]
    return max(usable, key=lambda found: (min(map(len, found)), -len(found)), default=None)


def _of_sequence(nodes: Any) -> _Texts:  # noqa: ANN401 - nodes of re's parser have no types
    sets: list[frozenset[str]] = []
    run = _NOTHING
    whole = True
    for operation, argument in nodes:
        part = _of_node(operation, argument)
        if part.all is not None and len(run) * len(part.all) <= _MOST:
            run = frozenset(before + after for before in run for after in part.all)
            continue
        whole = False
        sets += (run, *part.sets)
        run = _NOTHING if part.all is None else part.all
    return _Texts(run) if whole else _Texts(None, (*sets, run))


def _of_node(operation: Any, argument: Any) -> _Texts:  # noqa: ANN401 - nodes of re's parser have no types
    if operation is _constants.LITERAL:
        return _Texts(frozenset((chr(argument),)))
    if operation is _constants.AT:
        return _Texts(_NOTHING)
    if operation is _constants.IN and all(kind is _constants.LITERAL for kind, _ in argument):
        return _Texts(frozenset(chr(code) for _, code in argument))
    if operation is _constants.SUBPATTERN:
        return _of_sequence(argument[3])
    if operation is _constants.BRANCH:
        return _of_branches([_of_sequence(choice) for choice in argument[1]])
    if operation in (_constants.MAX_REPEAT, _constants.MIN_REPEAT):
        return _of_repeat(argument[0], argument[1], _of_sequence(argument[2]))
    return _Texts(None)


def _of_repeat(least: int, most: int, part: _Texts) -> _Texts:
    if (least, most) == (0, 1) and part.all is not None:
        return _Texts(part.all | _NOTHING)
    if least == 0:
        return _Texts(None)
    return _Texts(None, part.sets if part.all is None else (part.all,))


def _of_branches(choices: list[_Texts]) -> _Texts:
    texts = [choice.all for choice in choices if choice.all is not None]
    together: frozenset[str] = frozenset().union(*texts)
    if len(texts) == len(choices) and len(together) <= _MOST:
        return _Texts(together)
    best = [_best(choice) for choice in choices]
    if any(found is None for found in best):
        return _Texts(None)
    return _Texts(None, (frozenset().union(*(found for found in best if found is not None)),))
