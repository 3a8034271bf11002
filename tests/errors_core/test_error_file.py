"""Telling error files from other JSON, reading files of any kind, writing without ever showing half a report."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from errors_core.error_file import (
    MAX_BYTES,
    looks_like_error_file,
    parse_error_file,
    read_error_file,
    write_error_file,
)
from errors_core.exceptions import ErrorFileError, ErrorsCoreError

REPORT = {"message": {"message": "ValueError: x", "extraInfo": {"timestamp": "1796102978"}}}


@pytest.mark.parametrize(
    "data",
    [
        REPORT,
        {"message": {"extraInfo": {}}},
        {"message": "text"},
        {"message": "text", "timestamp": 1796102978},
        {"message": "ValueError('x')", "extraInfo": {"traceback": "…"}},
        {"message": "killed", "errorTraits": {}},
    ],
)
def test_every_known_shape_looks_like_an_error_file(data: object) -> None:
    assert looks_like_error_file(json.dumps(data).encode())


@pytest.mark.parametrize(
    "data",
    [
        {"model_type": "llama", "hidden_size": 4096},
        {"message": "hello", "user": "x"},
        {"message": {"role": "user", "content": "hi"}},
        {"message": ["a"]},
        [{"message": "text"}],
        "message",
        None,
    ],
)
def test_other_json_is_passed_over(data: object) -> None:
    assert not looks_like_error_file(json.dumps(data).encode())


def test_a_damaged_error_file_still_looks_like_one_and_other_bytes_do_not() -> None:
    assert looks_like_error_file(json.dumps(REPORT).encode()[:30])
    assert looks_like_error_file(b"\xef\xbb\xbf" + json.dumps(REPORT, indent=2).encode()[:40])
    assert looks_like_error_file(json.dumps(REPORT).encode("utf-16")[:60])
    for content in (b"", b"\0" * 40, b"\x80\x02}q\x00", b'{"config": ', b"Traceback (most recent call last):"):
        assert not looks_like_error_file(content)


def test_an_unreadable_file_is_named_with_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "error.json"
    path.write_bytes(json.dumps(REPORT).encode()[:40])
    with pytest.raises(ErrorFileError) as caught:
        read_error_file(path)
    assert str(caught.value) == f"{path}: truncated JSON at byte 40"
    assert (caught.value.path, caught.value.problem) == (str(path), "truncated JSON at byte 40")
    assert isinstance(caught.value.__cause__, json.JSONDecodeError)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, ErrorsCoreError)


def test_a_truncated_file_tells_what_it_held_before_its_end(tmp_path: Path) -> None:
    path = tmp_path / "error.json"
    path.write_bytes(json.dumps(REPORT).encode()[:60])
    with pytest.raises(ErrorFileError) as caught:
        read_error_file(path)
    assert caught.value.partial is not None
    assert caught.value.partial.message == "ValueError: x"
    assert caught.value.partial.remarks == ("truncated",)


def test_a_path_that_is_no_file_is_an_error_of_the_same_kind(tmp_path: Path) -> None:
    for path, problem in (
        (tmp_path / "absent.json", "cannot be read: No such file or directory"),
        (tmp_path, "cannot be read: Is a directory"),
        ("a\0b", "cannot be read: embedded null byte"),
    ):
        with pytest.raises(ErrorFileError, match=problem) as caught:
            read_error_file(path)
        assert caught.value.__cause__ is not None


def test_a_pipe_is_no_error_file_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "error.json")
    with pytest.raises(ErrorFileError, match="no regular file"):
        read_error_file(tmp_path / "error.json")


def test_a_file_that_is_far_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "error.json"
    path.touch()
    os.truncate(path, MAX_BYTES + 1)
    with pytest.raises(ErrorFileError, match="larger than 64 MiB"):
        read_error_file(path)


def test_what_is_written_is_read_back_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "directory" / "error.json"
    assert write_error_file(path, REPORT)
    assert read_error_file(path).data == REPORT
    assert [entry.name for entry in path.parent.iterdir()] == ["error.json"]


def test_the_umask_decides_who_may_read_the_file(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_error_file(tmp_path / "error.json", REPORT)
    finally:
        os.umask(before)
    assert (tmp_path / "error.json").stat().st_mode & 0o777 == 0o640


def test_the_first_report_wins(tmp_path: Path) -> None:
    path = tmp_path / "error.json"
    assert write_error_file(path, {"message": "first"})
    assert not write_error_file(path, {"message": "second"})
    assert read_error_file(path).message == "first"
    assert [entry.name for entry in tmp_path.iterdir()] == ["error.json"]


def test_an_empty_file_is_no_report_and_is_filled(tmp_path: Path) -> None:
    path = tmp_path / "error.json"
    path.touch()
    assert write_error_file(path, {"message": "first"})
    assert read_error_file(path).message == "first"


def test_a_link_to_a_file_that_is_not_there_yet_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    assert write_error_file(tmp_path / "link.json", {"message": "first"})
    assert read_error_file(tmp_path / "real.json").message == "first"
    assert (tmp_path / "link.json").is_symlink()


def test_a_pipe_or_directory_in_the_way_is_never_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "directory").mkdir()
    for name in ("pipe", "directory"):
        with pytest.raises(FileExistsError, match="no regular file"):
            write_error_file(tmp_path / name, REPORT)
    assert (tmp_path / "pipe").is_fifo()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["directory", "pipe"]


def test_a_report_that_is_no_json_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        write_error_file(tmp_path / "error.json", {"message": object()})
    assert list(tmp_path.iterdir()) == []


def test_where_there_are_no_hard_links_the_first_report_still_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    path = tmp_path / "error.json"
    assert write_error_file(path, {"message": "first"})
    assert not write_error_file(path, {"message": "second"})
    assert read_error_file(path).message == "first"


RACER = """
import sys
from errors_core.error_file import write_error_file
print("ready", flush=True)
sys.stdin.readline()
print(write_error_file(sys.argv[1], {"message": sys.argv[2] * 20000}))
"""


def test_of_processes_that_race_exactly_one_wins_and_its_report_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "error.json"
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACER, str(path), letter], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for letter in "abcd"
    ]
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n"
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("go\n")
        racer.stdin.flush()
    answers = [racer.communicate()[0].strip() for racer in racers]
    winner = "abcd"[answers.index("True")]
    assert sorted(answers) == ["False", "False", "False", "True"]
    assert read_error_file(path).message == winner * 20000


KILLED_IN_WRITE = """
import os, signal, sys
from errors_core.error_file import write_error_file
os.fsync = lambda descriptor: os.kill(os.getpid(), signal.SIGKILL)
write_error_file(sys.argv[1], {"message": "x" * 100000})
"""


def test_a_process_that_is_killed_while_it_writes_leaves_no_half_report(tmp_path: Path) -> None:
    path = tmp_path / "error.json"
    child = subprocess.run([sys.executable, "-c", KILLED_IN_WRITE, str(path)], check=False)
    assert child.returncode == -9
    assert not path.exists()
    assert write_error_file(path, {"message": "the next one"})


def test_parsing_needs_no_path() -> None:
    with pytest.raises(ErrorFileError) as caught:
        parse_error_file(b"")
    assert (caught.value.path, str(caught.value)) == (None, "empty file")
