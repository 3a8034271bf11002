"""What is read from the environment: colours, glyphs, mouse."""

from __future__ import annotations

import pytest

from inspector.terminal import describe_terminal

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
