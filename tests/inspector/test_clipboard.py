"""Text leaves the app on the first open way, and the words claim no more than was done."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from inspector.clipboard import send_text


class Written(list[str]):
    """What went to the terminal as OSC 52."""


def fake_tmux(directory: Path, *, status: int = 0) -> Path:
    """A program called tmux that keeps its arguments and its input."""
    script = directory / "tmux"
    script.write_text(f'#!/bin/sh\necho "$@" > {directory}/args\ncat > {directory}/input\nexit {status}\n')
    script.chmod(0o755)
    return script


def test_a_small_text_goes_to_the_terminal_and_is_said_to_be_sent() -> None:
    written = Written()
    words = send_text("the cause\n", written.append, {})
    assert written == ["the cause\n"]
    assert words.startswith("sent 10 bytes to the terminal")
    assert "copied" not in words


def test_a_text_that_terminals_cut_goes_into_a_file_of_its_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    written = Written()
    words = send_text("ä" * 2000, written.append, {})
    assert written == []
    match = re.fullmatch(r"wrote 4\.0 kB to (.*\.txt)", words)
    assert match is not None
    path = Path(match[1])
    assert path.read_text(encoding="utf-8") == "ä" * 2000
    assert path.stat().st_mode & 0o777 == 0o600


def test_inside_tmux_its_buffer_is_loaded_whatever_the_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_tmux(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    written = Written()
    words = send_text("x" * 5000, written.append, {"TMUX": "/tmp/tmux-0/default,1,0"})
    assert (tmp_path / "args").read_text() == "load-buffer -w -\n"
    assert (tmp_path / "input").read_text() == "x" * 5000
    assert written == []
    assert words.startswith("put 5.0 kB into tmux's paste buffer")


def test_a_tmux_that_refuses_leaves_the_next_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_tmux(tmp_path, status=1)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    written = Written()
    assert send_text("x", written.append, {"TMUX": "x"}).startswith("sent 1 byte to")
    assert written == ["x"]


def test_a_missing_tmux_leaves_the_next_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    written = Written()
    send_text("x", written.append, {"TMUX": "x"})
    assert written == ["x"]


def test_a_full_disk_is_said_and_names_another_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", "/nowhere/at/all")
    words = send_text("x" * 5000, Written().append, {})
    assert words == "could not write a file: No such file or directory; b shows it as bare text"
