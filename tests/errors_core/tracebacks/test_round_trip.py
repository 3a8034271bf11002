"""What Python itself prints for generated exceptions is read back whole."""

from __future__ import annotations

import traceback as python
from dataclasses import dataclass
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from errors_core.paste_damage import strip_colours
from errors_core.tracebacks import Traceback, find_tracebacks, parse_traceback


class BrokenShardError(Exception):
    pass


def local_class() -> type[Exception]:
    class LocalError(Exception):
        pass

    return LocalError


CLASSES: tuple[type[Exception], ...] = (
    *(ValueError, KeyError, RuntimeError, OSError, StopIteration, AssertionError, UnicodeError, TimeoutError),
    *(BrokenShardError, local_class()),
)
words = st.text(
    st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp"), exclude_characters="│┃─━╭╰❱"), max_size=30
).filter(lambda text: strip_colours(text) == text and not text.lstrip().startswith((">", "|", "+-")))
messages = st.lists(words, min_size=0, max_size=3).map("\n".join)


@dataclass(frozen=True)
class Plan:
    """What to raise: `link` is raised first, and this one from it or while it is handled."""

    kind: type[Exception]
    message: str
    notes: tuple[str, ...] = ()
    depth: int = 0
    link: Plan | None = None
    joined: str = "cause"
    members: tuple[Plan, ...] = ()


plain = st.builds(
    Plan,
    st.sampled_from(CLASSES),
    messages,
    st.lists(words.filter(str.strip), max_size=2).map(tuple),
    st.integers(0, 3),
)


def larger(children: st.SearchStrategy[Plan]) -> st.SearchStrategy[Plan]:
    chained = st.builds(
        Plan, st.sampled_from(CLASSES), messages, link=children, joined=st.sampled_from(["cause", "context", "hidden"])
    )
    groups = st.builds(
        Plan, st.just(ExceptionGroup), messages, members=st.lists(children, min_size=1, max_size=3).map(tuple)
    )
    return chained | groups


plans = st.recursive(plain, larger, max_leaves=5)


def go(plan: Plan, depth: int) -> None:
    if depth:
        go(plan, depth - 1)
    error = build(plan)
    if plan.link is None:
        raise error
    try:
        go(plan.link, plan.link.depth)
    except Exception as link:  # the plans raise any kind
        if plan.joined == "cause":
            raise error from link
        if plan.joined == "context":
            raise error  # noqa: B904 - what is raised while handling is what this is about
        raise error from None


def build(plan: Plan) -> Exception:
    error = (
        plan.kind(plan.message, [caught(member) for member in plan.members])
        if plan.members
        else plan.kind(plan.message)
    )
    for note in plan.notes:
        error.add_note(note)
    return error


def caught(plan: Plan) -> Exception:
    try:
        go(plan, plan.depth)
    except Exception as error:  # noqa: BLE001 - the plans raise any kind
        return error
    raise AssertionError


class Seen(NamedTuple):
    """One exception as Python or as the parser describes it."""

    type: str | None
    message: str
    frames: tuple[tuple[str, int | None, str], ...]
    members: tuple[tuple[Seen, ...], ...]
    joined: str | None = None


def expected(error: BaseException) -> tuple[Seen, ...]:
    cause, context = error.__cause__, None if error.__suppress_context__ else error.__context__
    before = expected(cause or context) if cause or context else ()  # type: ignore[arg-type]  # one of them is set
    before = (*before[:-1], before[-1]._replace(joined="cause" if cause else "context")) if before else ()
    kind = type(error)
    name = (
        kind.__qualname__ if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__}.{kind.__qualname__}"
    )
    message = "\n".join([str(error), *getattr(error, "__notes__", [])]).rstrip()
    frames = tuple((f.filename, f.lineno, f.name) for f in python.extract_tb(error.__traceback__))
    members = tuple(map(expected, error.exceptions)) if isinstance(error, ExceptionGroup) else ()
    return (*before, Seen(name, message, frames, members))


def seen(traceback: Traceback | None) -> tuple[Seen, ...]:
    assert traceback is not None
    return tuple(
        Seen(
            block.type,
            block.message,
            tuple((frame.path, frame.line, frame.function) for frame in block.frames),
            tuple(map(seen, block.members)),
            block.joined,
        )
        for block in traceback.chain
    )


@given(plans)
@settings(deadline=None, max_examples=150)
def test_what_python_prints_is_read_back(plan: Plan) -> None:
    error = caught(plan)
    assert seen(parse_traceback("".join(python.format_exception(error)))) == expected(error)


@given(plans, st.integers(0, 3))
@settings(deadline=None, max_examples=60)
def test_a_traceback_among_log_lines_is_found_whole(plan: Plan, before: int) -> None:
    text = "".join(python.format_exception(caught(plan))).rstrip("\n")
    lines = [*(f"loading part {i}" for i in range(before)), *text.split("\n"), "step 7 loss 0.1"]
    spans = list(find_tracebacks(enumerate(lines, 1)))
    (last,) = seen(parse_traceback(spans[0].text))[-1:]
    assert spans[0].first_line == before + 1
    assert last.frames == expected(caught(plan))[-1].frames
    assert last.type == expected(caught(plan))[-1].type
