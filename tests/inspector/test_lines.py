"""Lines of pieces: cut and wrapped in cells, without losing what they say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inspector.presentation.lines import Line, Piece, cut_line, line, plain, safe_line, wrap_line
from inspector.presentation.safe_text import cell_width

printable = st.characters(codec="utf-8", exclude_categories=("Cc", "Cf", "Cs", "Zl", "Zp", "Mn", "Me"))
texts = st.text(printable, max_size=60)
lines = st.lists(st.tuples(texts, st.sampled_from(["text", "error", "dim"])), max_size=5).map(
    lambda parts: safe_line(tuple(Piece(text, role) for text, role in parts))  # type: ignore[arg-type]  # drawn roles
)


def words(parts: Line) -> str:
    return plain(parts).replace(" ", "")


@given(lines, st.integers(min_value=1, max_value=50))
def test_a_cut_line_fits_and_is_unchanged_when_it_did(parts: Line, width: int) -> None:
    cut = cut_line(parts, width)
    assert cell_width(plain(cut)) <= width
    if cell_width(plain(parts)) <= width:
        assert cut == parts
    else:
        assert plain(cut).endswith("…")


@given(lines, st.integers(min_value=2, max_value=50))
def test_wrapping_loses_nothing_but_blanks_and_every_row_fits(parts: Line, width: int) -> None:
    rows = list(wrap_line(parts, width))
    assert all(cell_width(plain(row)) <= width for row in rows)
    assert "".join(words(row) for row in rows) == words(parts)


@given(lines, st.integers(min_value=2, max_value=50))
def test_wrapping_keeps_the_role_of_every_character(parts: Line, width: int) -> None:
    before = [(char, role) for text, role in parts for char in text if char != " "]
    rows = wrap_line(parts, width)
    assert [(char, role) for row in rows for text, role in row for char in text if char != " "] == before


def test_rows_break_before_a_word_that_fits_into_the_next_one() -> None:
    parts = line(("  - ", "dim"), "It has a cause of its own:  logs/job-4471/attempt_0/1/error.json")
    assert [plain(row) for row in wrap_line(parts, 44)] == [
        "  - It has a cause of its own:",
        "    logs/job-4471/attempt_0/1/error.json",
    ]


def test_a_word_longer_than_a_row_is_broken_inside() -> None:
    assert [plain(row) for row in wrap_line(line("x" * 25), 10)] == ["x" * 10, "x" * 10, "x" * 5]


def test_rows_after_the_first_are_indented_beyond_it() -> None:
    assert [plain(row) for row in wrap_line(line("  one two three four five"), 16)] == [
        "  one two three",
        "    four five",
    ]
