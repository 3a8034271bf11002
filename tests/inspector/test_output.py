import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.output import coloured, uncoloured, write_file
from inspector.presentation.lines import line


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    write_file(tmp_path / "report.txt", ["one", "zwölf"])
    assert (tmp_path / "report.txt").read_bytes() == "one\nzwölf\n".encode()
    assert list(tmp_path.iterdir()) == [tmp_path / "report.txt"]


def test_a_report_that_fails_halfway_leaves_what_was_there(tmp_path: Path) -> None:
    def broken() -> Iterator[str]:
        yield "half"
        raise RuntimeError("no more")

    target = tmp_path / "report.txt"
    target.write_text("before")
    with pytest.raises(RuntimeError):
        write_file(target, broken())
    assert target.read_text() == "before"
    assert list(tmp_path.iterdir()) == [tmp_path / "report.txt"]


def test_an_existing_file_keeps_its_permissions_and_a_link_its_target(tmp_path: Path) -> None:
    target = tmp_path / "real.txt"
    target.write_text("")
    target.chmod(0o640)
    link = tmp_path / "link.txt"
    link.symlink_to(target)
    write_file(link, ["new"])
    assert link.is_symlink()
    assert target.read_text() == "new\n"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    usual = tmp_path / "usual"
    usual.write_text("")
    write_file(tmp_path / "report", ["x"])
    assert (tmp_path / "report").stat().st_mode == usual.stat().st_mode


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_file(pipe, ["through"])
    reader.join()
    assert read == ["through\n"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_directory_that_does_not_exist_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_file(tmp_path / "nowhere" / "report.txt", ["x"])


def test_colours_change_nothing_but_the_look() -> None:
    parts = [line(("Why", "title"), " plain "), line(("   ", "title")), ()]
    assert list(coloured(parts)) == ["\x1b[1mWhy\x1b[0m plain ", "   ", ""]
    assert list(uncoloured(parts)) == ["Why plain", "", ""]
