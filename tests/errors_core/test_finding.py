"""The walk: what is found where, before anything is read."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from errors_core.finding import find_evidence
from tests.errors_core.left_behind import report, write, write_run


def test_the_rank_directories_of_an_attempt_are_found_without_being_listed(tmp_path: Path) -> None:
    run = write_run(tmp_path / "logs" / "job_a1b2c3d4", {}, ranks=12)
    write(run / "attempt_0" / "notes.txt")
    found = find_evidence([str(tmp_path)])
    (ranks,) = found.ranks
    assert (ranks.path, ranks.attempt, ranks.home.run_id) == (str(run / "attempt_0"), 0, "job")
    assert ranks.names == tuple(str(number) for number in range(12))
    assert [Path(file.path).name for file in found.files] == ["notes.txt"]


@pytest.mark.parametrize("name", [".git", "__pycache__", "node_modules", "site-packages", ".venv"])
def test_directories_that_hold_no_evidence_are_not_entered(tmp_path: Path, name: str) -> None:
    write(tmp_path / name / "rank_0.json", report())
    assert find_evidence([str(tmp_path)]).files == []


def test_files_come_in_the_order_of_their_names_from_the_top_down(tmp_path: Path) -> None:
    for name in ("b/rank_1.json", "a/rank_0.json", "z.log", "a.log"):
        write(tmp_path / name)
    files = find_evidence([str(tmp_path)]).files
    assert [str(Path(file.path).relative_to(tmp_path)) for file in files] == [
        "a.log",
        "z.log",
        "a/rank_0.json",
        "b/rank_1.json",
    ]


def test_an_archive_that_nobody_named_is_read_unless_it_is_huge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "x" / "rank_0.json", report())
    with tarfile.open(tmp_path / "shard.tar", "w") as archive:
        archive.add(tmp_path / "x", "x")
    assert len(find_evidence([str(tmp_path)]).archives) == 1
    monkeypatch.setattr("errors_core.finding._LARGEST_MET", 1000)
    found = find_evidence([str(tmp_path)])
    assert found.archives == []
    assert "name it" in found.problems[0].problem
    assert len(find_evidence([str(tmp_path / "shard.tar")]).archives) == 1


@pytest.mark.parametrize("name", ["error.json.xz", "launcher.log.bz2", "rank_3.json.zst"])
def test_evidence_that_is_packed_in_another_way_is_a_problem(tmp_path: Path, name: str) -> None:
    write(tmp_path / name)
    write(tmp_path / "weights.bin.xz")
    assert [Path(problem.path).name for problem in find_evidence([str(tmp_path)]).problems] == [name]


def test_a_deep_tree_is_walked_to_its_end(tmp_path: Path) -> None:
    top = tmp_path
    for _ in range(120):
        top = top / ("d" * 20)
    write(top / "rank_0.json", report())
    assert len(find_evidence([str(tmp_path)]).files) == 1
