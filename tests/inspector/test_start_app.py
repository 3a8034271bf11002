import contextlib
import itertools
import os
import pty
import subprocess
import sys
import termios
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ASK = """
import os
from inspector.start_app import can_start_app
os.write({fd}, str(can_start_app(reads_stdin={stdin})).encode())
"""


def ask(terminals: tuple[bool, bool, bool], term: str, *, reads_stdin: bool = False, keyboard: bool = True) -> str:
    """Ask a process whose standard streams are terminals or not, with or without a terminal of its own."""
    primary, secondary = pty.openpty()
    answer, told = os.pipe()
    streams = [secondary if is_terminal else subprocess.DEVNULL for is_terminal in terminals]
    command = [sys.executable, "-c", ASK.format(fd=told, stdin=reads_stdin)]
    if keyboard:  # make the terminal the process's own, as a login does
        command[2] = f"import fcntl, termios; fcntl.ioctl({secondary}, termios.TIOCSCTTY, 0)\n" + command[2]
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)} | ({"TERM": term} if term else {})
    subprocess.run(
        command,
        stdin=streams[0],
        stdout=streams[1],
        stderr=streams[2],
        env=environ,
        pass_fds=(told, secondary),
        start_new_session=True,
        check=True,
    )
    os.close(told)
    said = os.read(answer, 100).decode()
    for descriptor in (primary, secondary, answer):
        os.close(descriptor)
    return said


@pytest.mark.parametrize("terminals", list(itertools.product([True, False], repeat=3)))
def test_the_app_starts_only_where_all_three_streams_are_terminals(terminals: tuple[bool, bool, bool]) -> None:
    assert ask(terminals, "xterm") == str(all(terminals))


@pytest.mark.parametrize(
    ("term", "can"), [("xterm-256color", "True"), ("linux", "True"), ("dumb", "False"), ("", "False")]
)
def test_a_dumb_or_unnamed_terminal_gets_the_text_report(term: str, can: str) -> None:
    assert ask((True, True, True), term) == can


def test_a_log_on_stdin_needs_a_keyboard_elsewhere() -> None:
    assert ask((False, True, True), "xterm", reads_stdin=True) == "True"
    assert ask((False, True, True), "xterm", reads_stdin=True, keyboard=False) == "False"
    assert ask((False, False, True), "xterm", reads_stdin=True) == "False"


def test_a_log_on_stdin_is_shown_and_keys_come_from_the_terminal() -> None:
    primary, secondary = pty.openpty()
    termios.tcsetwinsize(secondary, (24, 80))
    start = "import fcntl, sys, termios; fcntl.ioctl(1, termios.TIOCSCTTY, 0)\n"
    command = [sys.executable, "-c", f"{start}from inspector.cli import main; sys.exit(main(['-']))"]
    log = (ROOT / "tests" / "data" / "torchrun" / "norec_tee" / "launcher.log").read_bytes()
    environ = os.environ | {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "LANG": "C.UTF-8"}
    app = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=secondary, stderr=secondary, env=environ, start_new_session=True
    )
    os.close(secondary)
    assert app.stdin is not None
    app.stdin.write(log)
    app.stdin.close()
    shown = b""
    while b"parse_shard" not in shown:
        shown += os.read(primary, 65536)
    os.write(primary, b"q")
    with contextlib.suppress(OSError):  # Linux ends the stream with EIO when the last writer has gone
        while os.read(primary, 65536):
            pass
    os.close(primary)
    assert app.wait() == 0
