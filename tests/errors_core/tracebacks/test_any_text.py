"""Nothing raises, and the fast way says what the slow one says, for any text."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from errors_core.job import Place
from errors_core.tracebacks import (
    find_tracebacks,
    parse_faulthandler,
    parse_traceback,
    summarise,
    unwrap,
)
from errors_core.tracebacks import summary as fast
from errors_core.tracebacks.groups import fold_groups
from tests.errors_core.tracebacks import samples

shuffled = st.lists(st.sampled_from(samples.LINES) | st.text(max_size=20), max_size=25).map("\n".join)
cut = st.builds(
    lambda text, start, end: text[start:end], st.sampled_from(samples.ALL), st.integers(0, 40), st.integers(0, 900)
)
texts = st.text(max_size=200) | shuffled | cut


@given(texts)
@settings(deadline=None, max_examples=200)
@example("Traceback (most recent call last):\n" * 50)
@example("  +-+---------------- 1 ----------------\n" * 30)
@example('  File "a.py", line 1, in f\nValueError: Caught X in y.\nOriginal Traceback (most recent call last):\n' * 9)
@example("Traceback (most recent call last):\nValueError: \n\n-- Process 1 terminated with the following error:\n" * 9)
def test_no_text_is_too_strange(text: str) -> None:
    traceback = parse_traceback(text)
    if traceback is not None:
        assert traceback.chain
        assert fold_groups(unwrap(traceback)).chain
    parse_faulthandler(text)
    summarise(text, Place("x"), message=text)
    lines = text.split("\n")
    for span in find_tracebacks(enumerate(lines, 1)):
        assert 1 <= span.first_line <= span.last_line <= len(lines)


@given(st.sampled_from(samples.ALL), st.text(max_size=60))
@settings(deadline=None, max_examples=100)
def test_the_fast_way_says_what_the_slow_one_says(sample: str, message: str) -> None:
    text = f"{sample}\n{message}"
    quick = fast._simple(text)
    if quick is not None:
        assert quick == parse_traceback(text)


def test_the_fast_way_is_taken_for_a_plain_error_file() -> None:
    assert fast._simple(samples.PLAIN + "\n") == parse_traceback(samples.PLAIN)


@given(st.sampled_from(samples.ALL), st.integers(0, 2000))
@settings(deadline=None, max_examples=100)
def test_cutting_a_text_loses_no_whole_frame_before_the_cut(text: str, end: int) -> None:
    kept = text[:end].rpartition("\n")[0]
    whole = parse_traceback(text)
    part = parse_traceback(kept)
    if whole is not None and part is not None and not whole.chain[0].members:
        frames = part.chain[0].frames
        assert frames[:-1] == whole.chain[0].frames[: max(0, len(frames) - 1)]
