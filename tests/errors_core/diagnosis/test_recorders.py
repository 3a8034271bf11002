from __future__ import annotations

from pathlib import Path

import pytest

from errors_core.diagnosis import diagnose
from errors_core.job import Attempt, CollectiveProgress, Place, Worker
from errors_core.readers.flight_recorder import read_flight_recorder

DATA = Path(__file__).resolve().parents[2] / "data" / "flight_recorder"


def workers_of(directory: Path) -> tuple[Worker, ...]:
    found: list[Worker] = []
    for path in sorted(directory.glob("_dump_*"), key=lambda path: int(path.name.rpartition("_")[2])):
        with path.open("rb") as stream:
            sightings = read_flight_recorder(stream, str(path)).sightings
        found += [Worker(rank=s.rank, collectives=s.collectives, sources=(s.place,)) for s in sightings]
    return tuple(found)


@pytest.mark.parametrize(("name", "planted"), [("gpu_error_1st", (12, 14)), ("lock_gil_1st", (9, 14))])
def test_dumps_name_the_workers_whose_faults_were_planted(name: str, planted: tuple[int, ...]) -> None:
    workers = workers_of(DATA / name)
    found = diagnose(Attempt(workers=workers), world_size=len(workers))
    assert tuple(workers[index].rank for index in found.candidates) == planted
    assert found.confidence == "unsure"


def progress(rank: int, enqueued: int, completed: int, *, waits: bool = True) -> CollectiveProgress:
    seq = completed + 1
    return CollectiveProgress(
        group="0",
        description="default_pg",
        ranks=(0, 1, 2),
        last_enqueued=enqueued,
        last_started=None,
        last_completed=completed,
        op="nccl:all_reduce" if waits else None,
        frame=None,
        place=Place(f"dumps/nccl_trace_rank_{rank}"),
        seq=seq if waits else None,
    )


def test_the_worker_that_never_joined_is_the_suspect() -> None:
    workers = [Worker(rank=rank, collectives=(progress(rank, 23, 21),)) for rank in (0, 1)]
    late = Worker(rank=2, collectives=(progress(2, 21, 21, waits=False),))
    found = diagnose(Attempt(workers=(*workers, late)), world_size=3)
    assert found.worker == 2
    assert found.confidence != "sure"
    assert "never joined all_reduce number 22 of default_pg" in found.summary


def test_a_member_without_a_dump_is_named() -> None:
    workers = tuple(Worker(rank=rank, collectives=(progress(rank, 23, 21),)) for rank in (0, 1))
    found = diagnose(Attempt(workers=workers), world_size=3)
    assert found.confidence == "unsure"
    assert "rank 2" in found.summary


def test_dumps_of_a_job_that_waits_for_nothing_show_no_failure() -> None:
    workers = tuple(Worker(rank=rank, collectives=(progress(rank, 21, 21, waits=False),)) for rank in range(3))
    assert diagnose(Attempt(workers=workers), world_size=3).kind == "none"
