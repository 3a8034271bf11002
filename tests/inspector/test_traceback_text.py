"""Tracebacks keep Python's own layout; only runs of library frames fold, and say so."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inspector.presentation.lines import plain
from inspector.presentation.traceback_text import format_traceback

LIBRARY = "/opt/venv/lib/python3.11/site-packages"
MIXED = f"""\
Traceback (most recent call last):
  File "/workspace/train.py", line 61, in <module>
    main()
  File "{LIBRARY}/torch/nn/modules/module.py", line 1751, in _wrapped_call_impl
    return self._call_impl(*args, **kwargs)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "{LIBRARY}/accelerate/utils.py", line 12, in wrapper
    return function(*args, **kwargs)
  [Previous line repeated 3 more times]
  File "/workspace/model.py", line 7, in forward
    return self.head(x)
  File "{LIBRARY}/torch/nn/modules/linear.py", line 134, in forward
    return F.linear(input, self.weight, self.bias)
RuntimeError: mat1 and mat2 shapes cannot be multiplied
(4x3 and 5x2)

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/workspace/train.py", line 90, in step
    raise ValueError("bad batch") from error
ValueError: bad batch
"""


def shown(text: str, *, folded: bool = True) -> list[str]:
    return [plain(row) for row in format_traceback(text.splitlines(), folded=folded)]


def roles(text: str) -> dict[str, str]:
    return {plain(row): row[0].role for row in format_traceback(text.splitlines()) if row}


def test_a_run_of_library_frames_becomes_one_line_with_count_and_names() -> None:
    rows = shown(MIXED)
    assert "  [2 library frames: torch, accelerate]" in rows
    assert not any("_wrapped_call_impl" in row or "repeated 3 more" in row for row in rows)


def test_the_frame_that_raised_is_shown_even_in_a_library() -> None:
    assert any("linear.py" in row for row in shown(MIXED))


def test_own_frames_and_the_chain_stay_in_order() -> None:
    rows = shown(MIXED)
    wanted = ["train.py", "model.py", "RuntimeError", "(4x3", "direct cause", "line 90", "ValueError: bad batch"]
    assert [next(n for n, row in enumerate(rows) if words in row) for words in wanted] == sorted(
        next(n for n, row in enumerate(rows) if words in row) for words in wanted
    )


def test_unfolded_it_is_the_text_as_python_wrote_it() -> None:
    assert shown(MIXED, folded=False) == MIXED.splitlines()


def test_own_frames_library_frames_and_exceptions_look_different() -> None:
    found = roles(MIXED)
    assert found['  File "/workspace/model.py", line 7, in forward'] == "own"
    assert found[f'  File "{LIBRARY}/torch/nn/modules/linear.py", line 134, in forward'] == "library"
    assert found["RuntimeError: mat1 and mat2 shapes cannot be multiplied"] == "error"
    assert found["(4x3 and 5x2)"] == "error"
    assert found["Traceback (most recent call last):"] == "dim"


def test_a_dump_that_names_the_most_recent_call_first_keeps_its_first_frame() -> None:
    dump = "\n".join(
        [
            "Fatal Python error: Segmentation fault",
            "",
            "Current thread 0x00007f1 (most recent call first):",
            *(f'  File "{LIBRARY}/torch/m{n}.py", line {n} in call' for n in range(4)),
            '  File "/workspace/train.py", line 5 in <module>',
        ]
    )
    rows = shown(dump)
    assert any("m0.py" in row for row in rows)
    assert "  [3 library frames: torch]" in rows
    assert rows[-1].endswith("line 5 in <module>")


def test_exception_groups_keep_their_drawing() -> None:
    group = """\
  + Exception Group Traceback (most recent call last):
  |   File "/workspace/train.py", line 3, in <module>
  |     raise ExceptionGroup("two", errors)
  | ExceptionGroup: two (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | ValueError: one
    +---------------- 2 ----------------
    | KeyError: 'two'
    +------------------------------------
"""
    assert shown(group) == group.splitlines()
    assert roles(group)["    | KeyError: 'two'"] == "error"


def test_text_that_is_no_traceback_is_shown_as_it_is() -> None:
    assert shown("just words\n\nand more") == ["just words", "", "and more"]
    assert shown("") == []


@given(st.lists(st.sampled_from([*MIXED.splitlines(), "x", "", "    indented", "  | "]), max_size=30))
def test_no_text_loses_a_line_when_nothing_is_folded(rows: list[str]) -> None:
    assert [plain(row) for row in format_traceback(rows, folded=False)] == rows
