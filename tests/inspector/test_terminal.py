"""What is read from the environment: colours, glyphs, mouse."""

from __future__ import annotations

import pytest

from inspector.terminal import describe_terminal
from inspector.themes import theme_for

MODERN = {"TERM": "xterm-256color", "LANG": "en_US.UTF-8"}


def test_a_usual_terminal_gets_colours_glyphs_and_mouse() -> None:
    terminal = describe_terminal(MODERN)
    assert (terminal.ansi, terminal.glyphs.ascii_only, terminal.mouse) == (False, False, True)


@pytest.mark.parametrize("name", ["SSH_CONNECTION", "SSH_TTY"])
def test_the_mouse_stays_off_over_ssh(name: str) -> None:
    assert not describe_terminal(MODERN | {name: "x"}).mouse


@pytest.mark.parametrize(
    "environ",
    [
        MODERN | {"NO_COLOR": "1"},
        MODERN | {"NO_COLOR": ""},
        MODERN | {"TERM": "linux"},
        MODERN | {"TERM": "screen"},
        MODERN | {"TERM": "vt100"},
        MODERN | {"TERM": "xterm"},
        MODERN | {"TERM": "dumb"},
        {"LANG": "en_US.UTF-8"},
    ],
)
def test_few_colours_or_none_mean_the_terminals_own(environ: dict[str, str]) -> None:
    assert describe_terminal(environ).ansi


@pytest.mark.parametrize("environ", [MODERN, {**MODERN, "TERM": "xterm", "COLORTERM": "truecolor"}])
def test_256_colours_are_enough_for_a_theme(environ: dict[str, str]) -> None:
    assert not describe_terminal(environ).ansi


@pytest.mark.parametrize(
    "locale",
    [
        {},
        {"LANG": "C"},
        {"LC_ALL": "C", "LANG": "en_US.UTF-8"},
        {"LC_CTYPE": "de_DE.ISO-8859-1", "LANG": "en_US.UTF-8"},
        {"LC_CTYPE": "C.UTF-8"},
        {"LC_CTYPE": "C.UTF-8", "LANG": "POSIX"},
        {"LANG": "en_US.UTF-8", "TERM": "linux"},
    ],
)
def test_without_a_utf_8_locale_or_font_everything_is_ascii(locale: dict[str, str]) -> None:
    assert describe_terminal({"TERM": "xterm-256color"} | locale).glyphs.ascii_only


@pytest.mark.parametrize(
    "locale", [{"LANG": "en_US.utf8"}, {"LC_ALL": "C.UTF-8"}, {"LC_CTYPE": "C.UTF-8", "LANG": "de_DE.UTF-8"}]
)
def test_a_utf_8_locale_allows_glyphs(locale: dict[str, str]) -> None:
    assert not describe_terminal({"TERM": "xterm-256color"} | locale).glyphs.ascii_only


@pytest.mark.parametrize(("value", "light"), [("0;15", True), ("0;default;7", True), ("15;0", False), ("", False)])
def test_a_light_background_is_believed_where_the_terminal_names_it(value: str, light: bool) -> None:
    assert describe_terminal(MODERN | {"COLORFGBG": value}).light == light


def test_the_theme_follows_the_terminal_and_a_persons_choice_that_it_can_show() -> None:
    colours, plain = describe_terminal(MODERN), describe_terminal(MODERN | {"NO_COLOR": "1"})
    assert theme_for(colours) == "inspect-dark"
    assert theme_for(plain) == "ansi-dark"
    assert theme_for(describe_terminal(MODERN | {"COLORFGBG": "0;15"})) == "inspect-light"
    assert theme_for(colours, chosen="nord") == "nord"
    assert theme_for(plain, chosen="nord") == "ansi-dark"
    assert theme_for(plain, chosen="ansi-light") == "ansi-light"
    assert theme_for(colours, chosen="no such theme") == "inspect-dark"
