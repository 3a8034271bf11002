"""Changes that leave the truth alone: confidence may fall, but the verdict never turns to a victim."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from errors_core.diagnosis import diagnose
from errors_core.job import Attempt, Worker
from errors_core.load import load_job
from errors_core.verdict import Verdict
from tests.errors_core.diagnosis.pictures import silent
from tests.evaluation.cases import DATA

LABELS: dict[str, dict[str, Any]] = {
    name: label
    for name, label in json.loads((DATA / "torchrun" / "labels.json").read_text("utf-8")).items()
    if not name.startswith("_")
}
BLAMED = sorted(name for name, label in LABELS.items() if label["whole"])


def judge(*paths: Path) -> tuple[Attempt, Verdict]:
    run = load_job(*paths).runs[-1]
    return run.attempts[-1], diagnose(run.attempts[-1], world_size=run.world_size)


def check(name: str, attempt: Attempt, verdict: Verdict) -> None:
    """The blamed worker is a right one, unless the verdict says that it is unsure."""
    if verdict.confidence == "unsure" or verdict.kind in ("none", "unknown"):
        return
    assert verdict.worker is not None, verdict.summary
    blamed = attempt.workers[verdict.worker]
    rank = blamed.rank if blamed.rank is not None else blamed.local_rank
    if name == "two_node" and blamed.rank is None:
        rank = 2 * int((blamed.node or "")[-1:] or 0) + (blamed.local_rank or 0)
    assert rank in LABELS[name]["whole"], verdict.summary
    assert verdict.states[verdict.worker].state != "echo", verdict.summary


def logs_of(directory: Path, pattern: str) -> Iterator[Path]:
    return (path for path in sorted(directory.rglob(pattern)) if path.is_file())


@pytest.fixture(params=BLAMED)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def copy(tmp_path: Path, name: str) -> Path:
    target = tmp_path / name
    shutil.copytree(DATA / "torchrun" / name, target)
    return target


def test_losing_the_error_files_keeps_the_logs_word(name: str, copy: Path) -> None:
    for path in logs_of(copy, "error.json"):
        path.unlink()
    check(name, *judge(copy))


def test_losing_the_stderr_logs_keeps_the_error_files_word(name: str, copy: Path) -> None:
    for path in logs_of(copy, "stderr.log"):
        path.unlink()
    check(name, *judge(copy))


@pytest.mark.parametrize("lost", [512, 4096])
def test_losing_the_end_of_every_log_blames_no_victim(name: str, copy: Path, lost: int) -> None:
    for path in [*logs_of(copy, "*.log")]:
        content = path.read_bytes()
        path.write_bytes(content[: max(0, len(content) - lost)])
    check(name, *judge(copy))


def test_losing_the_end_of_the_launcher_s_log_blames_no_victim(name: str, copy: Path) -> None:
    for path in logs_of(copy, "launcher.log"):
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2])
    check(name, *judge(copy))


def test_losing_one_worker_s_directory_blames_no_victim(name: str, copy: Path) -> None:
    for directory in sorted(path for path in copy.rglob("attempt_*/*") if path.is_dir()):
        moved = copy.parent / "away"
        directory.rename(moved)
        check(name, *judge(copy))
        moved.rename(directory)


def test_half_an_error_file_blames_no_victim(name: str, copy: Path) -> None:
    for path in logs_of(copy, "error.json"):
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2])
        check(name, *judge(copy))
        path.write_bytes(content)


def test_one_merged_log_with_rank_prefixes_blames_no_victim(name: str, copy: Path, tmp_path: Path) -> None:
    lines: list[str] = []
    attempt = max(int(path.name.removeprefix("attempt_")) for path in copy.rglob("attempt_*"))
    for node, base in enumerate(sorted(copy.rglob(f"attempt_{attempt}"))):
        for directory in sorted(path for path in base.iterdir() if path.is_dir()):
            rank = 2 * node + int(directory.name)
            for log in ("stdout.log", "stderr.log"):
                if (directory / log).exists():
                    text = (directory / log).read_text("utf-8", "replace")
                    lines += [f"[rank{rank}]: {line.removeprefix(f'[rank{rank}]: ')}" for line in text.splitlines()]
    lines += [
        line for path in logs_of(copy, "launcher.log") for line in path.read_text("utf-8", "replace").splitlines()
    ]
    merged = tmp_path / "merged.log"
    merged.write_text("\n".join(lines) + "\n", "utf-8")
    check(name, *judge(merged))


def change_workers(attempt: Attempt, change: Callable[[Worker], Worker]) -> Attempt:
    return replace(attempt, workers=tuple(change(worker) for worker in attempt.workers))


def test_the_order_of_workers_means_nothing(name: str) -> None:
    attempt, verdict = judge(DATA / "torchrun" / name)
    workers = list(attempt.workers)
    random.Random(7).shuffle(workers)
    shuffled = diagnose(replace(attempt, workers=tuple(workers)))
    assert (shuffled.kind, shuffled.confidence, shuffled.cause) == (verdict.kind, verdict.confidence, verdict.cause)
    if verdict.kind == "worker":
        assert verdict.worker is not None
        assert shuffled.worker is not None
        assert workers[shuffled.worker] == attempt.workers[verdict.worker]


def test_the_numbers_of_ranks_mean_nothing(name: str) -> None:
    if name == "monbar":
        pytest.skip("rank 0 names a rank in its own words")
    attempt, verdict = judge(DATA / "torchrun" / name)
    size = len(attempt.workers)
    renamed = change_workers(attempt, lambda worker: replace(worker, rank=size - 1 - (worker.rank or 0)))
    found = diagnose(replace(renamed, events=()))
    assert (found.kind, found.worker) == (verdict.kind, verdict.worker)


@pytest.mark.parametrize("seconds", [-30, 30])
def test_a_clock_that_is_wrong_changes_no_content(name: str, seconds: int) -> None:
    attempt, verdict = judge(DATA / "torchrun" / name)
    home = attempt.workers[0].node or attempt.workers[0].host

    def shift(worker: Worker) -> Worker:
        if home is None or home not in (worker.node, worker.host) or worker.timestamp is None:
            return worker
        closings = tuple(replace(c, time=None if c.time is None else c.time + seconds) for c in worker.closings)
        return replace(worker, timestamp=worker.timestamp + seconds, closings=closings)

    found = diagnose(change_workers(attempt, shift))
    assert (found.kind, found.worker) == (verdict.kind, verdict.worker)


def test_workers_that_are_well_change_nothing_but_confidence(name: str) -> None:
    attempt, verdict = judge(DATA / "torchrun" / name)
    size = len(attempt.workers)
    node = attempt.workers[0].node
    more = tuple(silent(size + n, node=node, local_rank=size + n, stderr_log=None) for n in range(2))
    grown = replace(attempt, workers=attempt.workers + more)
    found = diagnose(grown)
    check(name, grown, found)
    assert verdict.kind != "worker" or found.kind in ("worker", "unknown")
