import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.presentation.safe_text import cell_width, cut, cut_left, pad, safe_lines, safe_text, wrap

any_text = st.text(st.characters(exclude_categories=()), max_size=60)  # surrogates and unassigned ones as well
safe = any_text.map(safe_text)


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b]0;title\x07", "␛]0;title\\x07"),
        ("\x9b5n \x00 \x7f", "\\x9b5n \\x00 \\x7f"),
        ("one\ntwo\r", "one\\ntwo\\r"),
        ("abc\u202egpj.exe", "abc\\u202egpj.exe"),
        ("a\u200bb\u2066c\ufeff", "a\\u200bb\\u2066c\\ufeff"),
        ("a\u2028b\u2029c\x85", "a\\u2028b\\u2029c\\x85"),
        ("\ud83c alone", "\\ud83c alone"),
        ("\U000e0041 tag", "\\U000e0041 tag"),
        ("non\xa0breaking\u3000wide", "non breaking wide"),
        ("fill\u3164er", "fill\\u3164er"),
        ("Verlust é 日本 ∆", "Verlust é 日本 ∆"),
        ("[bold]markup[/] [/ stays", "[bold]markup[/] [/ stays"),
        ("a\tb", "a       b"),
    ],
)
def test_what_acts_or_hides_is_spelled_out_and_the_rest_stays(raw: str, shown: str) -> None:
    assert safe_text(raw) == shown


def test_an_emoji_loses_only_its_presentation_selector() -> None:
    assert safe_text("GLHF! 🏖\ufe0f") == "GLHF! 🏖"


def test_ascii_mode_spells_out_every_other_letter() -> None:
    assert safe_text("é\x1b…日🏖", ascii_only=True) == "\\xe9\\x1b...\\u65e5\\U0001f3d6"


@given(any_text)
def test_safe_text_is_one_line_of_printable_characters(text: str) -> None:
    shown = safe_text(text)
    assert shown.isprintable()
    assert not {unicodedata.category(char) for char in shown} & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert safe_text(text, ascii_only=True).isascii()
    shown.encode()


@given(any_text)
def test_safe_text_changes_nothing_the_second_time(text: str) -> None:
    assert safe_text(safe_text(text)) == safe_text(text)


def test_lines_end_at_newlines_only() -> None:
    assert safe_lines("one\r\ntwo\n\n  three\u2028still\x0bthree\rfour\n") == [
        "one",
        "two",
        "",
        "  three\\u2028still\\x0bthree\\rfour",
    ]
    assert safe_lines("") == [""]


@given(safe, st.integers(0, 30))
def test_a_cut_text_fits_and_says_that_it_was_cut(text: str, width: int) -> None:
    for shortened, kept in ((cut(text, width), text.startswith), (cut_left(text, width), text.endswith)):
        assert cell_width(shortened) <= width
        if shortened != text:
            assert cell_width(text) > width
            assert kept(shortened.strip("…") if "…" not in text else "")
            assert "…" in shortened or width == 0


@given(safe, st.integers(0, 30), st.booleans())
def test_a_padded_text_takes_exactly_its_cells(text: str, width: int, right: bool) -> None:
    assert cell_width(pad(text, width, right=right)) == width


def test_wide_and_combining_characters_are_measured_in_cells() -> None:
    assert cut("日本語テスト", 7) == "日本語…"
    assert cut_left("/data/日本語", 6) == "…本語"
    assert pad("e\u0301日", 5) == "e\u0301日  "
    assert pad("7", 3, right=True) == "  7"


@given(safe, st.integers(8, 40))
def test_wrapped_lines_fit_and_lose_no_word(text: str, width: int) -> None:
    lines = list(wrap(text, width, indent="  ", first="- "))
    assert all(cell_width(line) <= width for line in lines)
    assert lines[0].startswith("- ")
    assert "".join(line[2:] for line in lines).replace(" ", "") == text.replace(" ", "")
