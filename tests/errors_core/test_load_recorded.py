"""`load_job` on recorded jobs: every rank, attempt, error file and exit code is in the picture."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from errors_core.job import Attempt, Job, Run
from errors_core.load import load_job
from tests.conftest import DATA

JOBS = [*sorted(path.parent.name for path in DATA.glob("torchrun/*/logs")), "two_node"]
VERSIONS: dict[str, dict[str, Any]] = json.loads((DATA / "versions" / "labels.json").read_text())
WITH_DIRECTORY = sorted(str(path.relative_to(DATA / "versions")) for path in DATA.glob("versions/*/*.d"))
SILENT = "torch19/launcher_sigterm.log"  # torch 1.9 said nothing when it was stopped
ENDS = re.compile(
    r"rank +: (?P<rank>\d+) \(local_rank: (?P<local>\d+)\)\n +exitcode +: (?P<code>-?\d+) \(pid: (?P<pid>\d+)\)"
)
PROCESSES = re.compile(r"\(pid: (\d+)\)|(?:Sending|Closing|Terminating) process (\d+)")


def only_run(job: Job) -> Run:
    assert len(job.runs) == 1, [run.run_id for run in job.runs]
    assert job.problems == ()
    return job.runs[0]


def rank_directories(top: Path) -> set[tuple[str | None, int, int]]:
    """Node, attempt and local rank of every rank directory below a path."""
    found = set()
    for path in top.rglob("attempt_*/*"):
        node = next((part for part in path.relative_to(DATA).parts if part in ("node0", "node1")), None)
        found.add((node, int(path.parent.name.removeprefix("attempt_")), int(path.name)))
    return found


def workers_of(run: Run) -> list[tuple[str | None, int, int | None]]:
    return [(w.node, attempt.number, w.local_rank) for attempt in run.attempts for w in attempt.workers]


def last_attempt(job: Job) -> Attempt:
    return only_run(job).attempts[-1]


@pytest.mark.parametrize("name", JOBS)
def test_every_rank_directory_is_one_worker(name: str) -> None:
    top = DATA / "torchrun" / name
    run = only_run(load_job(top))
    assert sorted(workers_of(run), key=str) == sorted(rank_directories(top), key=str)
    assert run.nodes == (("node0", "node1") if name == "two_node" else ())


@pytest.mark.parametrize("name", [name for name in JOBS if name != "two_node"])
def test_the_log_directory_alone_shows_the_same_workers(name: str) -> None:
    top = DATA / "torchrun" / name / "logs"
    assert sorted(workers_of(only_run(load_job(top))), key=str) == sorted(rank_directories(top), key=str)


@pytest.mark.parametrize("name", JOBS)
def test_every_error_file_is_its_workers(name: str) -> None:
    top = DATA / "torchrun" / name
    run = only_run(load_job(top))
    found = {w.error_file: w for attempt in run.attempts for w in attempt.workers if w.error_file}
    assert set(found) == {str(path) for path in top.rglob("error.json")}
    for path, worker in found.items():
        data = json.loads(Path(path).read_text())["message"]
        assert worker.failure is not None
        assert worker.failure.message == data["message"]
        assert worker.timestamp == int(data["extraInfo"]["timestamp"])
        assert worker.timestamp_source == "error_file"
        attempt, local_rank = re.findall(r"attempt_(\d+)/(\d+)/", path)[0]
        assert (worker.attempt, worker.local_rank) == (int(attempt), int(local_rank))


@pytest.mark.parametrize("name", JOBS)
def test_what_the_launcher_sums_up_is_known_of_the_workers(name: str) -> None:
    top = DATA / "torchrun" / name
    workers = {w.pid: w for w in last_attempt(load_job(top)).workers}
    for log in top.rglob("launcher.log"):
        for end in ENDS.finditer(log.read_text()):
            worker = workers[int(end["pid"])]
            assert (worker.rank, worker.local_rank) == (int(end["rank"]), int(end["local"]))
            assert worker.exitcode == int(end["code"])
            assert worker.host is not None
            assert {str(log)} <= {place.path for place in worker.sources}


@pytest.mark.parametrize("name", JOBS)
def test_the_launchers_root_cause_is_marked_as_its_pick(name: str) -> None:
    labels = json.loads((DATA / "torchrun" / "labels.json").read_text())[name]
    roots = {w.rank for w in last_attempt(load_job(DATA / "torchrun" / name)).workers if w.launcher_root}
    assert roots == set(labels["torch_root"] or [])


@pytest.mark.parametrize("name", [name for name in JOBS if name != "two_node"])
def test_a_launchers_log_alone_shows_every_process_once(name: str) -> None:
    log = DATA / "torchrun" / name / "launcher.log"
    pids = {int(one or other) for one, other in PROCESSES.findall(log.read_text())}
    run = only_run(load_job(log))
    assert sorted(w.pid or 0 for attempt in run.attempts for w in attempt.workers) == sorted(pids)


def test_all_jobs_of_one_tree_are_runs_in_the_order_of_time() -> None:
    job = load_job(DATA / "torchrun")
    assert len(job.runs) == len(JOBS)
    assert job.problems == ()
    assert job.workers == sum(len(rank_directories(DATA / "torchrun" / name)) for name in JOBS)
    times = [min((w.timestamp for a in run.attempts for w in a.workers if w.timestamp), default=0) for run in job.runs]
    assert times == sorted(times)


def test_the_attempts_of_a_restarted_run_are_told_apart() -> None:
    run = only_run(load_job(DATA / "torchrun" / "restart"))
    failed = [[w.local_rank for w in a.workers if w.exitcode == 1] for a in run.attempts]
    assert [attempt.number for attempt in run.attempts] == [0, 1, 2]
    assert failed == [[1], [0], [3]]
    assert all(w.pid is not None for attempt in run.attempts for w in attempt.workers)
    assert [len([w for w in a.workers if w.closings]) for a in run.attempts] == [3, 3, 3]


def test_the_nodes_of_one_run_keep_their_ranks_apart() -> None:
    attempt = last_attempt(load_job(DATA / "torchrun" / "two_node"))
    assert [(w.node, w.host, w.local_rank, w.rank) for w in attempt.workers] == [
        ("node0", "gpu-node-01", 0, 0),
        ("node0", "gpu-node-01", 1, 1),
        ("node1", "gpu-node-02", 0, 2),
        ("node1", "gpu-node-02", 1, 3),
    ]
    assert {event.node for event in attempt.events} == {"node0", "node1"}


def test_two_launchers_logs_alone_are_two_nodes() -> None:
    logs = [DATA / "torchrun" / "two_node" / node / "launcher.log" for node in ("node0", "node1")]
    run = only_run(load_job(*logs))
    assert run.nodes == ("node0", "node1")
    named = [(w.node, w.rank) for w in run.attempts[0].workers]
    assert named == [("node0", 0), ("node0", 1), ("node1", 2), ("node1", 3)]


@pytest.mark.parametrize("log", sorted(VERSIONS.keys() - {SILENT}))
def test_every_version_of_torch_names_ranks_and_exit_codes(log: str) -> None:
    job = load_job(DATA / "versions" / log)
    listed = {int(rank): code for rank, code in VERSIONS[log]["listed"].items()}
    found = {w.rank: w.exitcode for w in last_attempt(job).workers if w.rank is not None and w.exitcode is not None}
    assert found == listed


@pytest.mark.parametrize("directory", WITH_DIRECTORY)
def test_a_log_and_the_directory_of_its_name_are_one_run(directory: str) -> None:
    path = DATA / "versions" / directory
    run = only_run(load_job(path.with_suffix(".log"), path))
    workers = [w for w in run.attempts[0].workers if w.local_rank is not None]
    assert {(None, 0, w.local_rank) for w in workers} >= rank_directories(path)
    listed = VERSIONS[directory.replace(".d", ".log")]["listed"]
    assert {w.local_rank: w.exitcode for w in workers} == {int(rank): code for rank, code in listed.items()}
    assert {w.error_file for w in workers if w.error_file} == {str(p) for p in path.rglob("error.json")}


@pytest.mark.parametrize("version", ["torch19", "torch112", "torch213"])
def test_unrelated_logs_of_one_directory_stay_apart(version: str) -> None:
    job = load_job(DATA / "versions" / version)
    logs = [path for path in (DATA / "versions" / version).glob("*.log") if not str(path).endswith(SILENT)]
    assert len(job.runs) == len(logs)
    assert job.problems == ()


def test_a_log_that_shows_no_job_gives_no_run() -> None:
    job = load_job(DATA / "versions" / SILENT)
    assert (job.runs, job.problems, job.files_read) == ((), (), 1)


def test_reports_of_unrelated_jobs_stay_apart() -> None:
    logs = sorted((DATA / "reports").glob("*.log"))
    for log in logs:
        assert load_job(log).problems == (), log.name
    job = load_job(DATA / "reports")
    for run in job.runs:
        paths = {place.path for a in run.attempts for w in a.workers for place in w.sources}
        paths |= {event.place.path for a in run.attempts for event in a.events}
        assert len(paths) == 1, paths
