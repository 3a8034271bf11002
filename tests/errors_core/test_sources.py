"""Opening files, gzip and standard input; no stream raises while it is read."""

from __future__ import annotations

import gzip
import io
import os
import socket
import sys
from pathlib import Path

import pytest

from errors_core.sources import (
    SourceError,
    guard,
    open_file,
    open_regular,
    unpack,
)
from errors_core.standard_input import open_standard_input, spool_standard_input


def test_a_file_is_read_as_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "launcher.log"
    path.write_bytes(b"one\ntwo\n")
    with open_file(str(path)) as source:
        assert source.read() == b"one\ntwo\n"
        assert source.problem is None


def test_gzip_is_known_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "launcher.log"
    path.write_bytes(gzip.compress(b"one\ntwo\n"))
    with open_file(str(path)) as source:
        assert source.readline() == b"one\n"
        assert source.read() == b"two\n"


def test_two_gzip_streams_in_a_row_are_one_file(tmp_path: Path) -> None:
    path = tmp_path / "rotated.log.gz"
    path.write_bytes(gzip.compress(b"one\n") + gzip.compress(b"two\n"))
    with open_file(str(path)) as source:
        assert source.read() == b"one\ntwo\n"


def test_a_cut_gzip_gives_what_came_before_the_cut(tmp_path: Path) -> None:
    path = tmp_path / "launcher.log.gz"
    whole = gzip.compress(os.urandom(300_000))
    path.write_bytes(whole[: len(whole) // 2])
    with open_file(str(path)) as source:
        assert len(source.read()) > 100_000
        assert source.problem is not None
        assert source.problem.startswith("damaged")


def test_gzip_of_nothing_but_its_magic_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "launcher.log.gz"
    path.write_bytes(b"\x1f\x8bno gzip at all")
    with open_file(str(path)) as source:
        assert source.read() == b""
        assert source.problem is not None


def test_a_bomb_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "launcher.log.gz"
    with gzip.open(path, "wb", compresslevel=9) as file:
        for _ in range(160):
            file.write(bytes(1 << 20))
    with open_file(str(path)) as source:
        size = sum(len(chunk) for chunk in iter(lambda: source.read(1 << 20), b""))
        assert size < 120 << 20
        assert source.problem is not None
        assert "200 times its size" in source.problem


def test_a_small_log_of_one_repeated_line_is_no_bomb() -> None:
    data = gzip.compress(b"step\n" * 2_000_000)
    with unpack(io.BytesIO(data), len(data)) as source:
        assert len(source.read()) == 10_000_000
        assert source.problem is None


def test_what_is_appended_while_a_file_is_read_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "launcher.log"
    path.write_bytes(b"one\n")
    with open_file(str(path)) as source, path.open("ab") as writer:
        writer.write(b"two\n")
        writer.flush()
        assert source.read() == b"one\n"
        assert source.problem is None


def test_a_file_that_shrinks_is_said_to_have(tmp_path: Path) -> None:
    path = tmp_path / "launcher.log"
    path.write_bytes(b"one\n" * 300_000)
    with open_file(str(path)) as source:
        source.read(10)
        os.truncate(path, 400_000)
        source.read()
        assert source.problem == "it shrank while it was read"


def test_reading_that_fails_ends_the_stream_with_a_reason() -> None:
    class Failing(io.RawIOBase):
        def read(self, _size: int = -1, /) -> bytes:
            raise OSError(5, "Input/output error")

    with guard(Failing()) as source:
        assert source.read() == b""
        assert source.problem == "Input/output error"


@pytest.mark.parametrize("name", ["missing.log", "missing/launcher.log", "a\0b"])
def test_a_file_that_is_not_there_cannot_be_opened(tmp_path: Path, name: str) -> None:
    with pytest.raises(SourceError):
        open_file(str(tmp_path / name))


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "stderr.log")
    with pytest.raises(SourceError, match="a pipe"):
        open_file(str(tmp_path / "stderr.log"))


def test_a_socket_a_device_and_a_directory_are_not_opened(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        for path in (str(tmp_path / "s"), "/dev/zero", str(tmp_path)):
            with pytest.raises(SourceError):
                open_file(path)


def test_a_link_is_followed_within_the_tree_alone(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tmp_path / "secret").write_text("outside")
    (tree / "real").write_text("inside")
    (tree / "out").symlink_to(tmp_path / "secret")
    (tree / "in").symlink_to("real")
    (tree / "loop").symlink_to("loop")
    with open_regular(str(tree / "in"), within=str(tree)) as raw:
        assert raw.read() == b"inside"
    for name in ("out", "loop"):
        with pytest.raises(SourceError):
            open_regular(str(tree / name), within=str(tree))


def feed(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_standard_input_is_read_once_and_opened_as_often_as_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    feed(monkeypatch, b"one\ntwo\n")
    for _ in range(2):
        spool_standard_input()
        with open_standard_input() as first, open_standard_input() as second:
            assert first.readline() == b"one\n"
            assert second.read() == b"one\ntwo\n"
            assert first.read() == b"two\n"


def test_standard_input_may_be_gzip(monkeypatch: pytest.MonkeyPatch) -> None:
    feed(monkeypatch, gzip.compress(b"one\n"))
    spool_standard_input()
    with open_standard_input() as source:
        assert source.read() == b"one\n"


def test_a_closed_standard_input_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errors_core.standard_input._SPOOL._file", None)
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(SourceError, match="closed"):
        spool_standard_input()
