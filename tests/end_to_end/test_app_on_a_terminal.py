"""The installed command on a real pseudo-terminal: what shows, what it costs, and how the terminal is left."""

from __future__ import annotations

import json
import re
import signal
import termios
from pathlib import Path

import pytest

from tests.end_to_end.terminal import Terminal, open_terminal

DATA = Path(__file__).resolve().parents[1] / "data"
JOB = str(DATA / "torchrun" / "two_node")
MOUSE_ON = (b"\x1b[?1000h", b"\x1b[?1002h", b"\x1b[?1003h", b"\x1b[?1006h", b"\x1b[?1015h")


def wait_until_ready(terminal: Terminal) -> None:
    terminal.wait_for("ROOT CAUSE")
    terminal.wait_for("IndexError")
    terminal.settle()


def assert_left_as_found(terminal: Terminal) -> None:
    raw = terminal.raw
    assert termios.tcgetattr(terminal.master) == terminal.before
    assert raw.rfind(b"\x1b[?1049l") > raw.rfind(b"\x1b[?1049h")  # the alternate screen
    assert raw.rfind(b"\x1b[?25h") > raw.rfind(b"\x1b[?25l")  # the cursor
    assert raw.rfind(b"\x1b[?7h") > raw.rfind(b"\x1b[?7l")  # line wrap
    for mode in (1000, 1003, 1004, 1006, 1015, 2004):  # mouse, focus and paste reports
        on, off = f"\x1b[?{mode}h".encode(), f"\x1b[?{mode}l".encode()
        assert on not in raw or raw.rfind(off) > raw.rfind(on), mode
    assert len(re.findall(rb"\x1b\[>\d+u", raw)) == len(re.findall(rb"\x1b\[<u", raw))  # kitty's key reports


def test_the_first_screen_answers_who_why_and_what_to_check() -> None:
    with open_terminal([JOB]) as terminal:
        wait_until_ready(terminal)
        assert re.search(r"ROOT CAUSE \((sure|probable)\)  Rank 3", terminal.text)
        assert "check " in terminal.text
        assert any(re.match(r"▸✗ +3 ", line) for line in terminal.lines)
        assert terminal.lines[-1].endswith("q quit")


def test_keys_work_on_a_real_terminal() -> None:
    with open_terminal([JOB]) as terminal:
        wait_until_ready(terminal)
        for keys, shown in [
            ("2", "exit code"),
            ("\t", "local rank"),
            ("4", "stderr"),
            ("1", "Traceback"),
            ("j", "▸↳"),
            ("s", "sorted by rank"),
            ("?", "jump to the root cause"),
        ]:
            terminal.press(keys)
            terminal.wait_for(shown)
        terminal.press("\x1b")
        terminal.wait_until(lambda: "jump to the root cause" not in terminal.text, "the help to close")
        terminal.press("/echo\r")
        terminal.wait_for("/echo  3 of 4")
        terminal.press("r")
        terminal.wait_until(lambda: any(re.match(r"▸✗ +3 ", line) for line in terminal.lines), "the root cause")


def test_keys_of_the_kitty_protocol_are_the_same_keys() -> None:
    with open_terminal([JOB]) as terminal:
        wait_until_ready(terminal)
        terminal.press("\x1b[103;2;71u")  # Shift+g, which types G
        terminal.wait_until(lambda: not terminal.lines[6].startswith("▸"), "the cursor at the end")
        terminal.press("\x1b[47;;47u")  # a slash
        terminal.wait_for("esc clear")
        terminal.press("\x1b[27u")
        terminal.wait_for("q quit")
        terminal.press("\x1b[99;5u")  # Ctrl+c
        assert terminal.wait_for_end() == 0
        assert_left_as_found(terminal)


def test_a_key_that_is_no_utf_8_does_not_end_the_app() -> None:
    with open_terminal([JOB]) as terminal:
        wait_until_ready(terminal)
        terminal.press(b"\xe4\xff\x9b")
        terminal.settle()
        terminal.press("2")
        terminal.wait_for("exit code")
        terminal.press("q")
        assert terminal.wait_for_end() == 0


@pytest.mark.parametrize("keys", ["q", "\x03"], ids=["q", "ctrl+c"])
def test_leaving_by_key_leaves_the_terminal_as_it_was(keys: str) -> None:
    with open_terminal([JOB]) as terminal:
        wait_until_ready(terminal)
        terminal.press(keys)
        assert terminal.wait_for_end() == 0
        assert_left_as_found(terminal)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
@pytest.mark.parametrize("keys", ["", "?", "/x"], ids=["list", "help", "filter"])
def test_a_signal_ends_an_idle_app_and_restores_the_terminal(number: signal.Signals, status: int, keys: str) -> None:
    with open_terminal([JOB]) as terminal:
        wait_until_ready(terminal)
        if keys:
            terminal.bytes_after(keys)
        terminal.send(number)
        assert terminal.wait_for_end() == status
        assert_left_as_found(terminal)


def test_a_path_that_does_not_exist_is_one_line_and_status_2() -> None:
    with open_terminal(["no/such/directory"]) as terminal:
        assert terminal.wait_for_end() == 2
        assert "no/such/directory" in terminal.text
        assert "Traceback" not in terminal.text
        assert_left_as_found(terminal)


def test_the_mouse_is_asked_for_here_but_not_over_ssh() -> None:
    with open_terminal([JOB]) as terminal:
        wait_until_ready(terminal)
        assert any(mode in terminal.raw for mode in MOUSE_ON)
    with open_terminal([JOB], environ={"SSH_CONNECTION": "10.0.0.1 5000 10.0.0.2 22"}) as terminal:
        wait_until_ready(terminal)
        terminal.press("q")
        terminal.wait_for_end()
        assert not any(mode in terminal.raw for mode in MOUSE_ON)


def colours(raw: bytes) -> set[str]:
    """The colours that were asked for, without attributes such as bold and without the terminal's default."""
    found: set[str] = set()
    for parameters in re.findall(rb"\x1b\[([\d;]*)m", raw):
        numbers = parameters.decode().split(";")
        while numbers:
            number = numbers.pop(0)
            if number in {"38", "48"}:
                kind = numbers.pop(0)
                del numbers[: 3 if kind == "2" else 1]
                found.add("true colour" if kind == "2" else "256 colours")
            elif number and (30 <= int(number) <= 47 or 90 <= int(number) <= 107) and number not in {"39", "49"}:
                found.add("16 colours")
    return found


@pytest.mark.parametrize(
    ("environ", "allowed"),
    [
        ({"NO_COLOR": "1"}, set()),
        ({"NO_COLOR": "1", "COLORTERM": "truecolor"}, set()),
        ({"TERM": "screen"}, {"16 colours"}),
        ({"TERM": "linux"}, {"16 colours"}),
        ({"TERM": "xterm"}, {"16 colours"}),
        ({"TERM": "xterm-256color"}, {"256 colours", "16 colours"}),
        ({"COLORTERM": "truecolor"}, {"true colour", "16 colours"}),
    ],
    ids=lambda value: "-".join(map("=".join, value.items())) if isinstance(value, dict) else "",
)
def test_only_colours_that_the_terminal_has_are_used(environ: dict[str, str], allowed: set[str]) -> None:
    with open_terminal([JOB], environ=environ) as terminal:
        terminal.wait_for("ROOT CAUSE")
        terminal.settle()
        for key in ("j", "2", "\r", "?"):
            terminal.bytes_after(key)
        assert colours(terminal.raw) <= allowed


@pytest.mark.parametrize("environ", [{"LC_ALL": "C"}, {"LANG": ""}, {"TERM": "linux"}], ids=str)
def test_without_utf_8_every_byte_is_ascii(environ: dict[str, str]) -> None:
    with open_terminal([JOB], environ=environ) as terminal:
        terminal.wait_for("ROOT CAUSE")
        terminal.settle()
        for key in ("j", "2", "3", "4", "5", "\r", "?", "\x1b", "\x1b", "/x", "\x1b", "y"):
            terminal.press(key)
            terminal.settle()
        assert terminal.raw.isascii()
        assert any(line.startswith(">") for line in terminal.lines)


def error_files(directory: Path, count: int) -> Path:
    """A job whose ranks all left an error file; rank 3 is the one that broke it."""
    for rank in range(count):
        text = "IndexError: list index out of range" if rank == 3 else "RuntimeError: Connection closed by peer"
        stack = f'Traceback (most recent call last):\n  File "/workspace/train.py", line 7, in step\n{text}\n'
        extra = {"py_callstack": stack, "timestamp": str(1796102978 + (rank != 3))}
        path = directory / f"attempt_0/{rank}/error.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"message": {"message": text, "extraInfo": extra}}), encoding="utf-8")
    return directory


@pytest.mark.parametrize("colour", ["", "truecolor"], ids=["256 colours", "true colour"])
def test_moving_costs_two_rows_and_a_page_less_than_a_screen(tmp_path: Path, colour: str) -> None:
    job = error_files(tmp_path / "job_12345678", 120)
    with open_terminal([str(job)], environ={"COLORTERM": colour}) as terminal:
        wait_until_ready(terminal)
        terminal.press("2")  # a pane that says the same for all ranks
        terminal.wait_for("exit code")
        terminal.press("jj")
        terminal.settle()
        moves = [terminal.bytes_after("j") for _ in range(3)]
        assert max(moves) <= 400, moves
        assert terminal.bytes_after("\x1b[6~") <= 5000
        assert terminal.bytes_after("\x1b[5~") <= 5000


def test_copying_sends_the_verdict_and_claims_no_more() -> None:
    with open_terminal([JOB]) as terminal:
        wait_until_ready(terminal)
        terminal.press("y")
        words = re.compile("sent .* to the terminal|wrote .* to /")
        terminal.wait_until(lambda: words.search(terminal.text) is not None, "words about it")
        assert "copied" not in terminal.text
        if "to the terminal" in terminal.text:
            assert b"\x1b]52;c;" in terminal.raw


def test_bare_text_is_outside_of_the_app_and_enter_comes_back() -> None:
    with open_terminal([JOB]) as terminal:
        wait_until_ready(terminal)
        start = len(terminal.raw)
        terminal.press("b")
        terminal.wait_for("Enter goes back")
        assert b"\x1b[?1049l" in terminal.raw[start:]
        assert "IndexError: list index out of range" in terminal.text
        assert "q quit" not in terminal.text
        terminal.press("\n")
        terminal.wait_for("q quit")
        terminal.press("B")
        terminal.wait_for("The answer again")
        terminal.wait_for("Enter goes back")
        terminal.press("\x03")
        terminal.wait_for("q quit")
        terminal.press("q")
        assert terminal.wait_for_end() == 0
        assert_left_as_found(terminal)


def test_a_signal_also_ends_the_process_while_bare_text_shows() -> None:
    with open_terminal([JOB]) as terminal:
        wait_until_ready(terminal)
        terminal.press("b")
        terminal.wait_for("Enter goes back")
        terminal.send(signal.SIGTERM)
        assert terminal.wait_for_end() == -signal.SIGTERM
        assert_left_as_found(terminal)


def test_ctrl_z_goes_to_the_shell_and_fg_comes_back() -> None:
    with open_terminal(["/bin/bash", "--norc", "--noprofile", "-i"], environ={"PS1": "$ "}) as terminal:
        terminal.wait_for("$")
        terminal.press(f"{terminal.command_line([JOB])}\n")
        wait_until_ready(terminal)
        terminal.press("\x1a")
        terminal.wait_for("Stopped")
        terminal.press("fg\n")
        terminal.wait_for("q quit")
        terminal.press("2")
        terminal.wait_for("exit code")
        terminal.press("q")
        terminal.wait_until(lambda: "q quit" not in terminal.text, "the shell")
        terminal.press("echo status $?\n")
        terminal.wait_for("status 0")


def test_another_size_lays_the_screen_out_again() -> None:
    with open_terminal([JOB]) as terminal:
        wait_until_ready(terminal)
        terminal.resize(200, 50)
        terminal.send(signal.SIGWINCH)
        beside = re.compile("message .* 1 Traceback")
        terminal.wait_until(lambda: beside.search(terminal.text) is not None, "the panes beside the list")
