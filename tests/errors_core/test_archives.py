"""Members of archives: read in place, and nothing in them can lead out."""

from __future__ import annotations

import gzip
import io
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from errors_core.archives import ArchiveKind, Member, archive_kind, open_path, read_members
from errors_core.sources import SourceError

Files = dict[str, bytes]


def as_tar(path: Path, files: Files, mode: str = "w") -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]  # the mode is a parameter here
        for name, data in files.items():
            header = tarfile.TarInfo(name)
            header.size = len(data)
            archive.addfile(header, io.BytesIO(data))
    return path


def as_tar_gz(path: Path, files: Files) -> Path:
    return as_tar(path, files, "w:gz")


def as_zip(path: Path, files: Files) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


EVERY = pytest.mark.parametrize(("pack", "kind"), [(as_tar, "tar"), (as_tar_gz, "tar.gz"), (as_zip, "zip")])


def members_of(path: Path) -> list[tuple[Member, bytes]]:
    with path.open("rb") as raw:
        kind = archive_kind(raw)
        assert kind is not None
        return [(m, b"" if m.problem or m.is_directory else m.open().read()) for m in read_members(raw, kind)]


@EVERY
def test_every_kind_is_known_by_its_content_and_read_in_order(
    tmp_path: Path, pack: Callable[[Path, Files], Path], kind: ArchiveKind
) -> None:
    files = {"logs/b.log": b"bee\n", "logs/a.log": b"ay\n", "./x//y.txt": b""}
    path = pack(tmp_path / "anything", files)
    with path.open("rb") as raw:
        assert archive_kind(raw) == kind
        assert raw.tell() == 0
    assert [(m.name, data) for m, data in members_of(path)] == [
        ("logs/b.log", b"bee\n"),
        ("logs/a.log", b"ay\n"),
        ("x/y.txt", b""),
    ]


@EVERY
@pytest.mark.parametrize("name", ["../../etc/passwd", "logs/../../x", "/etc/passwd"])
def test_names_that_lead_out_are_refused(
    tmp_path: Path, pack: Callable[[Path, Files], Path], kind: ArchiveKind, name: str
) -> None:
    del kind
    (member, _) = members_of(pack(tmp_path / "a", {name: b"x"}))[0]
    assert member.problem is not None
    assert member.name == name


@pytest.mark.parametrize("name", ["C:/x.log", "C:\\x.log", "..\\x.log"])
def test_names_of_other_systems_are_refused_as_well(tmp_path: Path, name: str) -> None:
    (member, _) = members_of(as_zip(tmp_path / "a.zip", {name: b"x"}))[0]
    assert member.problem is not None


def test_links_and_devices_in_a_tar_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
            header = tarfile.TarInfo(f"logs/{kind.decode()}/error.json")
            header.type, header.linkname = kind, "/etc/passwd"
            archive.addfile(header)
    found = members_of(path)
    assert len(found) == 4
    assert all(member.problem for member, _ in found)


def test_links_in_a_zip_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        entry = zipfile.ZipInfo("error.json")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, "/etc/passwd")
    assert members_of(path)[0][0].problem is not None


@EVERY
def test_a_member_that_is_gzip_is_unpacked(
    tmp_path: Path, pack: Callable[[Path, Files], Path], kind: ArchiveKind
) -> None:
    del kind
    path = pack(tmp_path / "a", {"stderr.log.gz": gzip.compress(b"one\n")})
    assert members_of(path)[0][1] == b"one\n"


@pytest.mark.parametrize("pack", [as_tar, as_tar_gz])
def test_the_members_before_a_cut_are_read(tmp_path: Path, pack: Callable[[Path, Files], Path]) -> None:
    noise = bytes(value * 7 % 251 for value in range(200_000))
    path = pack(tmp_path / "a", {"first.log": b"one\n", "second.log": noise, "third.log": b"three\n"})
    path.write_bytes(path.read_bytes()[: 20_000 if pack is as_tar else 700])
    names = []
    with path.open("rb") as raw:
        kind = archive_kind(raw)
        assert kind is not None
        with pytest.raises(SourceError, match="damaged"):
            names += [member.name for member in read_members(raw, kind)]
        members = read_members(raw, kind)
        first = next(members)
        assert (first.name, first.open().read()) == ("first.log", b"one\n")


def test_a_damaged_member_ends_early_with_a_reason(tmp_path: Path) -> None:
    path = as_zip(tmp_path / "a.zip", {"a.log": bytes(value * 7 % 251 for value in range(5000))})
    data = bytearray(path.read_bytes())
    data[60:90] = bytes(30)
    path.write_bytes(data)
    with path.open("rb") as raw:
        members = read_members(raw, "zip")
        source = next(members).open()
        source.read()
        assert source.problem is not None


def test_a_locked_member_says_so(tmp_path: Path) -> None:
    path = as_zip(tmp_path / "a.zip", {"a.log": b"x"})
    data = bytearray(path.read_bytes())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    with path.open("rb") as raw:
        members = read_members(raw, "zip")
        member = next(members)
        with pytest.raises(SourceError, match=r"encrypted|password"):
            member.open()


@pytest.mark.parametrize("pack", [as_tar_gz, as_zip])
def test_all_members_of_a_bomb_share_one_budget(tmp_path: Path, pack: Callable[[Path, Files], Path]) -> None:
    path = pack(tmp_path / "bomb", {f"{number}.log": bytes(8 << 20) for number in range(20)})
    read = 0
    problems = []
    with path.open("rb") as raw:
        kind = archive_kind(raw)
        assert kind is not None
        try:
            for member in read_members(raw, kind):
                source = member.open()
                read += len(source.read())
                problems.append(source.problem)
        except SourceError as error:
            problems.append(str(error))
    assert read < 110 << 20
    assert any(problem and "times its size" in problem for problem in problems)


def test_a_tar_header_that_announces_gigabytes_is_not_read_into_memory(tmp_path: Path) -> None:
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 4 << 30
    path = tmp_path / "a.tar"
    path.write_bytes(header.tobuf(tarfile.USTAR_FORMAT) + bytes(1024))
    with path.open("rb") as raw, pytest.raises(SourceError, match="header"):
        list(read_members(raw, "tar"))


@pytest.mark.parametrize(
    "data",
    [b"", b"PK", b"\x1f\x8b", gzip.compress(b"log\n"), b"text\n" * 200, bytes(1024)],
    ids=["empty", "PK", "gzip mark", "gzip of a log", "text", "zeros"],
)
def test_other_files_are_no_archives(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x"
    path.write_bytes(data)
    with path.open("rb") as raw:
        assert archive_kind(raw) is None


@EVERY
def test_a_member_is_opened_by_its_spelling(
    tmp_path: Path, pack: Callable[[Path, Files], Path], kind: ArchiveKind
) -> None:
    del kind
    path = pack(tmp_path / "a!b", {"x.log": b"ex\n", "y!z.log": b"why\n"})
    with open_path(f"{path}!y!z.log") as source:
        assert source.read() == b"why\n"
    with pytest.raises(SourceError, match="no longer"):
        open_path(f"{path}!missing.log")


def test_a_large_member_can_be_read_to_its_end(tmp_path: Path) -> None:
    noise = bytes(value * 7 % 251 for value in range(900_000))
    for pack in (as_tar, as_tar_gz, as_zip):
        path = pack(tmp_path / pack.__name__, {"x.log": b"ex\n", "y.log": noise})
        with open_path(f"{path}!y.log") as source:
            assert source.read() == noise
            assert source.problem is None


def test_a_file_may_have_the_separator_in_its_name(tmp_path: Path) -> None:
    path = tmp_path / "odd!name.log"
    path.write_bytes(b"odd\n")
    with open_path(str(path)) as source:
        assert source.read() == b"odd\n"
