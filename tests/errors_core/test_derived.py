"""What follows from other workers' sightings, and what does not."""

from __future__ import annotations

import json
from pathlib import Path

from errors_core import load_job
from errors_core.job import Attempt


def make_rank_directory(node: Path, local_rank: int, rank: int | None) -> None:
    directory = node / "job-7_abcdefgh" / "attempt_0" / str(local_rank)
    directory.mkdir(parents=True)
    if rank is not None:
        extra = {"timestamp": "1796103349", "rank": str(rank)}
        report = {"message": {"message": "ValueError: x", "extraInfo": extra}}
        (directory / "error.json").write_text(json.dumps(report), encoding="utf-8")


def ranks(attempt: Attempt) -> dict[tuple[str | None, int | None], int | None]:
    return {(worker.node, worker.local_rank): worker.rank for worker in attempt.workers}


def test_a_silent_worker_has_the_rank_that_its_nodes_other_workers_leave_it(tmp_path: Path) -> None:
    for node, base in (("node0", 0), ("node1", 2)):
        make_rank_directory(tmp_path / node, 1, base + 1)
        make_rank_directory(tmp_path / node, 0, None)
    attempt = load_job(tmp_path).runs[0].attempts[0]
    assert ranks(attempt) == {("node0", 0): 0, ("node0", 1): 1, ("node1", 0): 2, ("node1", 1): 3}
    silent = next(worker for worker in attempt.workers if worker.rank == 2)
    fact = next(fact for fact in silent.facts if fact.name == "rank")
    assert fact.source == "derived"
    assert fact.place.path.endswith("node1/job-7_abcdefgh/attempt_0/1/error.json")
    assert all("attempt_0/1" not in place.path for place in silent.sources)


def test_ranks_that_contradict_each_other_give_nobody_a_rank(tmp_path: Path) -> None:
    make_rank_directory(tmp_path, 0, 0)
    make_rank_directory(tmp_path, 1, 5)
    make_rank_directory(tmp_path, 2, None)
    assert ranks(load_job(tmp_path).runs[0].attempts[0])[(None, 2)] is None
