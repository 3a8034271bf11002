"""What a dead job wrote reaches the terminal as letters: not one byte of it acts."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.end_to_end.terminal import Terminal, open_terminal

PAYLOADS = (
    "\x1b]52;c;cm0gLXJm\x07",  # sets the clipboard
    "\x1b]0;owned\x07",  # sets the title
    "\x1b[31mred",
    "\x1b[2J",  # clears the screen
    "\x1b[?1003h",  # mouse reports
    "\x1b[5n",  # makes the terminal answer
    "\x9b31mred",  # CSI as one character
    "\x1bPq\x1b\\",
    "\x00",
    "\x07",
    "\x08\x08\x08",
    "\u202egnorw",  # turns the reading direction
    "\u2066",
    "\u2028",
)
MARKUP = "[/ [b] [#888 [@click=app.quit]here[/] [link=file:///etc]x[/link]"
HOSTILE = f"{MARKUP} {' '.join(PAYLOADS)}"


@pytest.fixture
def hostile_job(tmp_path: Path) -> Path:
    """Error files and logs in which every text is hostile."""
    for rank in range(3):
        directory = tmp_path / f"job[b]_12345678/attempt_0/{rank}"
        directory.mkdir(parents=True)
        stack = f'Traceback (most recent call last):\n  File "{HOSTILE}.py", line 3, in {HOSTILE}\n    {HOSTILE}\n'
        extra = {
            "py_callstack": f"{stack}ValueError: {HOSTILE}\n",
            "timestamp": "1796102978",
            "hostname": HOSTILE,
            "role": HOSTILE,
            HOSTILE: HOSTILE,
        }
        report = {"message": {"message": f"ValueError: {HOSTILE}", "extraInfo": extra}}
        (directory / "error.json").write_text(json.dumps(report), encoding="utf-8")
        log = f"{HOSTILE}\n{stack}ValueError: {HOSTILE}\n{HOSTILE}\r\n"
        (directory / "stderr.log").write_bytes(log.encode() + b"\xff\xfe\x9b31m\n")
    return tmp_path


def assert_no_payload_acts(terminal: Terminal) -> None:
    raw = terminal.raw
    for payload in PAYLOADS:
        if payload != "\x07":  # Textual ends its own sequences with it
            assert payload.encode() not in raw, payload
    assert b"\x9b31m" not in raw
    assert b"owned\x07" not in raw
    assert re.search(rb"\x1b\]8;", raw) is None, "a link"


def test_no_byte_of_the_job_acts_on_the_terminal(hostile_job: Path) -> None:
    with open_terminal([str(hostile_job)], environ={"SSH_TTY": "/dev/pts/9"}) as terminal:
        terminal.wait_for("ValueError")
        terminal.settle()
        for keys in (
            "1",
            "2",
            "3",
            "4",
            "5",
            "\r",
            "z",
            "w",
            "l",
            "f",
            "\x1b",
            "j",
            "s",
            "S",
            "?",
            "\x1b",
            "a",
            "\x1b",
        ):
            terminal.press(keys)
            terminal.settle()
        assert_no_payload_acts(terminal)
        for keys in ("b", "B"):
            terminal.press(keys)
            terminal.wait_for("Enter goes back")
            terminal.press("\n")
            terminal.wait_for("q quit")
        assert_no_payload_acts(terminal)
        terminal.press("q")
        assert terminal.wait_for_end() == 0
        assert_no_payload_acts(terminal)


def test_markup_is_shown_letter_by_letter(hostile_job: Path) -> None:
    with open_terminal([str(hostile_job)], size=(200, 50)) as terminal:
        terminal.wait_for("ValueError: [/ [b] [#888 [@click=app.quit]here[/]")
        terminal.press("4")
        terminal.wait_for("␛]52;c;cm0gLXJm")


def test_a_paste_into_the_filter_is_as_harmless(hostile_job: Path) -> None:
    with open_terminal([str(hostile_job)]) as terminal:
        terminal.wait_for("ValueError")
        terminal.settle()
        terminal.press("/")
        terminal.wait_for("esc clear")
        start = len(terminal.raw)
        terminal.press("\x1b[200~x\x9d52;c;cm0gLXJm\x9c \u202ey\x1b[201~")
        terminal.wait_for("/x")
        terminal.settle()
        assert b"\xe2\x80\xae" not in terminal.raw[start:]
        assert b"\xc2\x9d52;c" not in terminal.raw[start:]
