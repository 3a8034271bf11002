"""`load_job` on trees that people make: layouts, nodes, runs, loose files, archives, damage, links."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from errors_core.diagnosis.signatures import Signature
from errors_core.exceptions import InputError
from errors_core.job import Job, Run, Worker
from errors_core.load import Progress, load_job
from tests.conftest import DATA
from tests.errors_core.left_behind import DAY, NOON, launcher_log, report, write, write_run


def workers_of(job: Job) -> list[Worker]:
    return [worker for run in job.runs for attempt in run.attempts for worker in attempt.workers]


def only_run(job: Job) -> Run:
    assert len(job.runs) == 1, [(run.run_id, run.nodes) for run in job.runs]
    return job.runs[0]


def marks(worker: Worker) -> tuple[str | None, int | None, int | None]:
    return worker.node, worker.local_rank, worker.rank


# --- which path was given


@pytest.mark.parametrize("level", ["", "job_a1b2c3d4", "job_a1b2c3d4/attempt_0", "job_a1b2c3d4/attempt_0/1"])
def test_any_level_of_the_layout_may_be_given(tmp_path: Path, level: str) -> None:
    write_run(tmp_path / "job_a1b2c3d4", {1: report()})
    job = load_job(tmp_path / level)
    assert only_run(job).run_id == "job"
    failed = [worker for worker in workers_of(job) if worker.failed]
    assert [(w.attempt, w.local_rank, w.timestamp) for w in failed] == [(0, 1, NOON)]
    assert len(workers_of(job)) == (1 if level.endswith("/1") else 2)


def test_an_error_file_alone_knows_its_run_by_its_place(tmp_path: Path) -> None:
    write_run(tmp_path / "job_a1b2c3d4", {1: report()}, attempt=2)
    path = tmp_path / "job_a1b2c3d4" / "attempt_2" / "1" / "error.json"
    worker = workers_of(load_job(path))[0]
    assert (worker.run_id, worker.attempt, worker.local_rank, worker.error_file) == ("job", 2, 1, str(path))


def test_paths_are_shown_as_they_were_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_run(tmp_path / "logs" / "job_a1b2c3d4", {0: report()})
    monkeypatch.chdir(tmp_path)
    shown = "job_a1b2c3d4/attempt_0/0/error.json"
    assert workers_of(load_job("logs"))[0].error_file == f"logs/{shown}"
    assert workers_of(load_job("./logs/"))[0].error_file == f"./logs/{shown}"
    assert workers_of(load_job("."))[0].error_file == f"logs/{shown}"
    monkeypatch.chdir(tmp_path / "logs" / "job_a1b2c3d4" / "attempt_0")
    assert workers_of(load_job("."))[0].error_file == "0/error.json"
    assert workers_of(load_job("0"))[0].run_id == "job"


def test_a_path_below_another_one_counts_once(tmp_path: Path) -> None:
    run = write_run(tmp_path / "logs" / "job_a1b2c3d4", {0: report()})
    job = load_job(run, tmp_path / "logs", tmp_path / "logs", run / "attempt_0" / "0" / "error.json")
    assert len(workers_of(job)) == 2
    assert job.files_read == 5


def test_no_path_gives_an_empty_picture() -> None:
    assert load_job() == Job()


@pytest.mark.parametrize("name", ["missing", "missing/error.json", "a\0b"])
def test_a_path_that_does_not_exist_is_an_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError) as caught:
        load_job(tmp_path, tmp_path / name)
    assert caught.value.filename == str(tmp_path / name)


def test_a_pipe_that_is_given_is_an_error_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="neither a file nor a directory"):
        load_job(tmp_path / "pipe")


@contextmanager
def without_privileges() -> Iterator[Path]:
    """A directory in which modes of files count, also for the superuser."""
    load_job(DATA / "torchrun" / "group")  # what is imported late may lie where nobody else may read
    is_root = os.geteuid() == 0
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        if is_root:
            os.seteuid(65534)
        try:
            yield Path(name)
        finally:
            for path in Path(name).rglob("*"):
                path.chmod(0o755)
            if is_root:
                os.seteuid(0)


@pytest.mark.parametrize("name", ["closed", "closed.log", "closed/error.json"])
def test_a_path_that_may_not_be_read_is_an_error(name: str) -> None:
    with without_privileges() as top:
        (top / "closed").mkdir(mode=0)
        write(top / "closed.log", "x").chmod(0)
        with pytest.raises(InputError, match="ermission") as caught:
            load_job(top / name)
        assert caught.value.filename == str(top / name)


# --- loose files


@pytest.mark.parametrize(
    ("name", "local_rank", "rank"),
    [
        ("rank_3.json", None, 3),
        ("3/error.json", 3, None),
        ("error_rank3.json", None, 3),
        ("rank_3/error.json.gz", None, 3),
        ("whatever.json", None, None),
    ],
)
def test_loose_error_files_are_workers(tmp_path: Path, name: str, local_rank: int | None, rank: int | None) -> None:
    path = write(tmp_path / name, report())
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(report().encode()))
    for given in (tmp_path, path):
        (worker,) = workers_of(load_job(given))
        assert marks(worker) == (None, local_rank, rank)
        assert worker.failure is not None
        assert worker.failure.message == "ValueError: bad batch"


def test_loose_error_files_of_one_directory_are_one_attempt(tmp_path: Path) -> None:
    for rank in (0, 2, 10):
        write(tmp_path / f"rank_{rank}.json", report(timestamp=NOON + rank))
    assert [w.rank for w in only_run(load_job(tmp_path)).attempts[0].workers] == [0, 2, 10]


def test_what_the_recorder_added_tells_run_attempt_rank_and_host(tmp_path: Path) -> None:
    extra = {"rank": "9", "local_rank": "1", "run_id": "job-7", "restart_count": "2", "hostname": "n01", "pid": "77"}
    write(tmp_path / "x.json", report("ValueError: x", NOON, **extra, world_size="16"))
    run = only_run(load_job(tmp_path))
    (worker,) = run.attempts[0].workers
    assert (run.run_id, run.world_size, run.attempts[0].number) == ("job-7", 16, 2)
    assert (worker.rank, worker.local_rank, worker.host, worker.pid) == (9, 1, "n01", 77)


def test_two_names_for_one_rank_are_both_kept(tmp_path: Path) -> None:
    write(tmp_path / "rank_3.json", report(rank="5"))
    (worker,) = workers_of(load_job(tmp_path))
    assert worker.rank == 5
    assert {(fact.value, fact.source) for group in worker.conflicts() for fact in group} == {
        (5, "error_file"),
        (3, "directory"),
    }


def test_loose_files_of_several_nodes_are_one_run(tmp_path: Path) -> None:
    for node in (0, 1):
        for local_rank in (0, 1):
            write(tmp_path / f"node{node}" / str(local_rank) / "error.json", report())
    run = only_run(load_job(tmp_path))
    assert run.nodes == ("node0", "node1")
    assert [marks(w)[:2] for w in run.attempts[0].workers] == [("node0", 0), ("node0", 1), ("node1", 0), ("node1", 1)]


def test_logs_named_after_ranks_are_their_workers(tmp_path: Path) -> None:
    trace = "Traceback (most recent call last):\n  File \"/w/train.py\", line 3, in f\n    g()\nKeyError: 'x'\n"
    write(tmp_path / "0.log", "step 1\n")
    write(tmp_path / "3.log", trace)
    write(tmp_path / "rank_4.log", trace)
    workers = only_run(load_job(tmp_path)).attempts[0].workers
    assert [(w.rank, w.failed, w.error.link.type if w.error else None) for w in workers] == [
        (0, False, None),
        (3, True, "KeyError"),
        (4, True, "KeyError"),
    ]


def test_a_number_alone_is_a_job_and_no_rank(tmp_path: Path) -> None:
    write(tmp_path / "4471.log", launcher_log({0: (11, 1)}))
    assert [w.rank for w in workers_of(load_job(tmp_path))] == [0]


# --- one worker in many places


def test_the_copy_that_the_launcher_passed_on_is_no_second_failure(tmp_path: Path) -> None:
    write_run(tmp_path / "logs" / "job_a1b2c3d4", {0: report(), 1: report("KeyError: 'x'")})
    write(tmp_path / "error.json", report().replace('"message": "V', '"errorCode": 1, "message": "V'))
    named = {rank: f"/scratch/job_a1b2c3d4/attempt_0/{rank}/error.json" for rank in (0, 1)}
    write(tmp_path / "launcher.log", launcher_log({0: (11, 1), 1: (12, -15)}, error_files=named))
    workers = only_run(load_job(tmp_path)).attempts[0].workers
    assert [w.local_rank for w in workers] == [0, 1]
    assert str(tmp_path / "error.json") in {place.path for place in workers[0].sources}


def test_a_collected_copy_of_an_error_file_is_no_second_failure(tmp_path: Path) -> None:
    write_run(tmp_path / "job_a1b2c3d4", {1: report(rank="1")}, base=0)
    write(tmp_path / "collected" / "rank_1.json", report(rank="1"))
    assert [w.rank for w in only_run(load_job(tmp_path)).attempts[0].workers] == [0, 1]


def test_a_launchers_log_finds_its_directory_by_the_error_files_that_it_names(tmp_path: Path) -> None:
    for random, pid in (("a1b2c3d4", 11), ("e5f6g7h8", 21)):
        run = write_run(tmp_path / "logs" / f"none_{random}", {0: report(timestamp=NOON)})
        named = {0: f"/elsewhere/{run.name}/attempt_0/0/error.json"}
        write(tmp_path / f"{pid}.out", launcher_log({0: (pid, 1), 1: (pid + 1, -15)}, error_files=named))
    job = load_job(tmp_path)
    assert [[w.pid for w in run.attempts[0].workers] for run in job.runs] == [[11, 12], [21, 22]]
    assert all(w.error_file is None or str(tmp_path) in w.error_file for w in workers_of(job))


def test_a_launcher_that_knows_of_no_error_file_did_not_start_workers_that_wrote_one(tmp_path: Path) -> None:
    write_run(tmp_path / "logs" / "none_a1b2c3d4", {0: report()}, ranks=1)
    write(tmp_path / "launcher.log", launcher_log({0: (11, -9)}))
    assert len(load_job(tmp_path).runs) == 2


def test_a_launchers_log_that_is_given_beside_a_directory_belongs_to_it(tmp_path: Path) -> None:
    run = write_run(tmp_path / "scratch" / "logs" / "none_a1b2c3d4", {})
    log = write(tmp_path / "home" / "me" / "slurm-1.out", launcher_log({1: (12, -9)}))
    workers = only_run(load_job(run.parent, log)).attempts[0].workers
    assert [(w.local_rank, w.exitcode) for w in workers] == [(0, None), (1, -9)]
    assert len(load_job(tmp_path).runs) == 2


def test_the_launchers_log_of_another_day_is_another_run(tmp_path: Path) -> None:
    write_run(tmp_path / "logs" / "none_a1b2c3d4", {0: report()})
    write(tmp_path / "launcher.log", launcher_log({1: (12, -9)}, time="2026-11-29_12:00:00"))
    job = load_job(tmp_path)
    assert [[w.exitcode for w in run.attempts[0].workers] for run in job.runs] == [[-9], [None, None]]


def test_a_launcher_with_other_ranks_than_the_directory_is_another_run(tmp_path: Path) -> None:
    write_run(tmp_path / "logs" / "none_a1b2c3d4", {0: report()}, ranks=2)
    write(tmp_path / "launcher.log", launcher_log({7: (18, -9)}))
    assert sorted(len(run.attempts[0].workers) for run in load_job(tmp_path).runs) == [1, 2]


def test_where_sources_disagree_both_are_kept_and_the_launcher_is_believed_on_exit_codes(tmp_path: Path) -> None:
    write_run(tmp_path / "logs" / "job_a1b2c3d4", {0: report(exitcode="3", pid="500")})
    named = {0: "/scratch/job_a1b2c3d4/attempt_0/0/error.json"}
    write(tmp_path / "launcher.log", launcher_log({0: (11, -6)}, error_files=named))
    worker = workers_of(load_job(tmp_path))[0]
    assert (worker.exitcode, worker.pid) == (-6, 11)
    assert {group[0].name: {fact.value for fact in group} for group in worker.conflicts()} == {
        "exitcode": {3, -6},
        "pid": {500, 11},
    }


@pytest.mark.parametrize(("clock", "zone"), [("2026-12-01_21:00:00", 9), ("2026-12-01_06:30:00", -5.5)])
def test_the_launchers_local_time_is_turned_by_what_error_files_show(tmp_path: Path, clock: str, zone: float) -> None:
    write_run(tmp_path / "logs" / "job_a1b2c3d4", {0: report(timestamp=NOON)}, ranks=3)
    named = {0: "/scratch/job_a1b2c3d4/attempt_0/0/error.json"}
    write(tmp_path / "launcher.log", launcher_log({0: (11, 1), 1: (12, -15)}, time=clock, error_files=named))
    workers = workers_of(load_job(tmp_path))
    assert [w.timestamp for w in workers] == [NOON, NOON, None]
    assert [w.timestamp_source for w in workers] == ["error_file", "launcher_log", None]
    assert not any(w.conflicts() for w in workers)
    assert zone != 0


def test_a_log_that_begins_in_the_middle_belongs_to_the_last_attempts(tmp_path: Path) -> None:
    for attempt in (0, 1):
        write_run(tmp_path / "logs" / "job_a1b2c3d4", {}, attempt=attempt)
    write(tmp_path / "launcher.log", launcher_log({1: (12, 1)}))
    first, last = only_run(load_job(tmp_path)).attempts
    assert [w.pid for w in first.workers] == [None, None]
    assert [w.pid for w in last.workers] == [None, 12]


def test_a_schedulers_line_adds_to_the_worker_of_its_process(tmp_path: Path) -> None:
    write(tmp_path / "launcher.log", launcher_log({0: (4711, -9)}))
    write(tmp_path / "dmesg.txt", "Out of memory: Killed process 4711 (python3) total-vm:1kB\nKilled process 9 (x)\n")
    run = only_run(load_job(tmp_path))
    (worker,) = run.attempts[0].workers
    assert {hit.place.path for hit in worker.hits} == {str(tmp_path / "dmesg.txt")}
    assert "kernel" in {event.kind for event in run.attempts[0].events}


# --- nodes and runs


@pytest.mark.parametrize("layout", ["node{}/logs", "logs/node-{}", "rack0/gpu-node-0{}", "n{}/deep/er/logs"])
def test_the_directory_above_names_the_node(tmp_path: Path, layout: str) -> None:
    for node, random in ((0, "a1b2c3d4"), (1, "e5f6g7h8")):
        write_run(tmp_path / layout.format(node) / f"job-4471_{random}", {0: report(timestamp=NOON + node)})
    run = only_run(load_job(tmp_path))
    name = next(part for part in layout.split("/") if "{}" in part)
    assert run.nodes == (name.format(0), name.format(1))
    assert [marks(w)[:2] for w in run.attempts[0].workers] == [(node, rank) for node in run.nodes for rank in (0, 1)]


def test_nodes_that_share_one_log_directory_are_told_apart_by_their_ranks(tmp_path: Path) -> None:
    write_run(tmp_path / "job-4471_a1b2c3d4", {0: report()}, base=0)
    write_run(tmp_path / "job-4471_e5f6g7h8", {0: report()}, base=2)
    run = only_run(load_job(tmp_path))
    assert len(run.nodes) == 2
    assert sorted(w.rank or 0 for w in run.attempts[0].workers) == [0, 1, 2, 3]


def test_one_run_id_a_day_apart_is_two_runs_and_the_newest_is_last(tmp_path: Path) -> None:
    write_run(tmp_path / "none_a1b2c3d4", {0: report("ValueError: second", NOON + DAY)})
    write_run(tmp_path / "none_e5f6g7h8", {1: report("ValueError: first", NOON)})
    job = load_job(tmp_path)
    assert [run.run_id for run in job.runs] == ["none", "none"]
    messages = [[w.failure.message for w in run.attempts[0].workers if w.failure] for run in job.runs]
    assert messages == [["ValueError: first"], ["ValueError: second"]]


def test_the_days_of_two_nodes_are_put_together(tmp_path: Path) -> None:
    for node in (0, 1):
        for day in (0, 1):
            times = {0: report(timestamp=NOON + day * DAY + node)}
            write_run(tmp_path / f"node{node}" / f"none_{node}{day}aaaaaa", times)
    job = load_job(tmp_path)
    assert [run.nodes for run in job.runs] == [("node0", "node1")] * 2
    days = [{((w.timestamp or 0) - NOON) // DAY for w in run.attempts[0].workers if w.timestamp} for run in job.runs]
    assert days == [{0}, {1}]


def test_two_experiments_without_an_id_are_two_runs(tmp_path: Path) -> None:
    write_run(tmp_path / "exp1" / "none_a1b2c3d4", {0: report()})
    write_run(tmp_path / "exp2" / "none_e5f6g7h8", {0: report()})
    assert len(load_job(tmp_path).runs) == 2


def test_launchers_logs_of_two_hosts_in_one_directory_are_two_nodes(tmp_path: Path) -> None:
    write(tmp_path / "task_0.log", launcher_log({0: (11, 1), 1: (12, -15)}, host="gpu-a"))
    write(tmp_path / "task_1.log", launcher_log({0: (11, -15), 1: (12, 1)}, host="gpu-b", base=2))
    run = only_run(load_job(tmp_path))
    assert run.nodes == ("task_0", "task_1")
    assert [(w.rank, w.host) for w in run.attempts[0].workers] == [
        (0, "gpu-a"),
        (1, "gpu-a"),
        (2, "gpu-b"),
        (3, "gpu-b"),
    ]


# --- what is no evidence, and what is damaged


def test_files_that_are_no_evidence_are_passed_over_silently(tmp_path: Path) -> None:
    write(tmp_path / "config.json", '{"hidden_size": 4096}')
    write(tmp_path / "broken.json", "{")
    write(tmp_path / "trainer_state.json", '{"log_history": []}')
    write(tmp_path / "train.py", "raise ValueError")
    write(tmp_path / "notes.txt", "remember the milk\n")
    (tmp_path / "model.pt").write_bytes(bytes(range(256)))
    (tmp_path / "empty").mkdir()
    job = load_job(tmp_path)
    assert (job.runs, job.problems) == ((), ())


@pytest.mark.parametrize(
    ("content", "problem"), [("", "empty"), ('{"message": {"mess', "truncated"), ("hello", "not JSON"), ("[]", "list")]
)
def test_one_broken_error_file_is_a_problem_and_hides_no_other(tmp_path: Path, content: str, problem: str) -> None:
    write_run(tmp_path / "job_a1b2c3d4", {0: content, 1: report()})
    job = load_job(tmp_path)
    broken, whole = workers_of(job)
    assert whole.failed
    assert broken.error_file == str(tmp_path / "job_a1b2c3d4" / "attempt_0" / "0" / "error.json")
    assert [p.path for p in job.problems] == [broken.error_file]
    assert problem in job.problems[0].problem


def test_a_truncated_error_file_still_tells_what_it_held(tmp_path: Path) -> None:
    whole = report("ValueError: bad batch")
    write(tmp_path / "rank_0.json", whole[: whole.index("line 12")])
    job = load_job(tmp_path)
    (worker,) = workers_of(job)
    assert worker.failure is not None
    assert worker.failure.message == "ValueError: bad batch"
    assert len(job.problems) == 1


def test_json_that_is_given_by_name_and_is_no_error_file_is_a_problem(tmp_path: Path) -> None:
    path = write(tmp_path / "config.json", '{"hidden_size": 4096}')
    assert [problem.path for problem in load_job(path).problems] == [str(path)]


def test_what_may_not_be_read_in_a_tree_is_a_problem() -> None:
    with without_privileges() as top:
        run = write_run(top / "job_a1b2c3d4", {0: report(), 1: report()}, ranks=3)
        (run / "attempt_0" / "0" / "error.json").chmod(0)
        (run / "attempt_0" / "1").chmod(0)
        (top / "closed").mkdir(mode=0)
        job = load_job(top)
        assert [w.local_rank for w in workers_of(job)] == [0, 1, 2]
        assert {Path(problem.path).name for problem in job.problems} == {"error.json", "1", "closed"}
        assert all("permission" in problem.problem for problem in job.problems)


def test_pipes_and_devices_in_a_tree_are_not_opened(tmp_path: Path) -> None:
    run = write_run(tmp_path / "job_a1b2c3d4", {1: report()})
    os.mkfifo(run / "attempt_0" / "0" / "error.json")
    os.mkfifo(tmp_path / "launcher.log")
    os.mkfifo(tmp_path / "anything")
    job = load_job(tmp_path)
    assert sorted(problem.path for problem in job.problems) == [
        str(run / "attempt_0" / "0" / "error.json"),
        str(tmp_path / "launcher.log"),
    ]
    assert len(workers_of(job)) == 2


def test_links_out_of_the_tree_and_loops_are_not_followed(tmp_path: Path) -> None:
    secret = write(tmp_path / "outside" / "secret.json", report("ValueError: secret"))
    tree = tmp_path / "tree"
    run = write_run(tree / "job_a1b2c3d4", {1: report()})
    (run / "attempt_0" / "0" / "error.json").symlink_to(secret)
    (run / "attempt_0" / "2").symlink_to(tmp_path / "outside")
    (tree / "again").symlink_to(tree)
    (tree / "loop.log").symlink_to("loop.log")
    (tree / "gone.log").symlink_to("nowhere")
    (tree / "rank_7.json").symlink_to(secret)
    job = load_job(tree)
    assert [w.local_rank for w in workers_of(job)] == [0, 1]
    assert "secret" not in repr(job.runs)
    assert {Path(problem.path).name for problem in job.problems} == {"error.json", "2", "rank_7.json"}


def test_a_link_within_the_tree_is_followed_once(tmp_path: Path) -> None:
    write(tmp_path / "store" / "blob-1", report())
    (tmp_path / "rank_3.json").symlink_to("store/blob-1")
    run = write_run(tmp_path / "logs" / "job_a1b2c3d4", {})
    (tmp_path / "latest").symlink_to(run)
    job = load_job(tmp_path)
    assert sorted(marks(w)[1:] for w in workers_of(job) if w.failed) == [(None, 3)]
    assert len([w for w in workers_of(job) if w.local_rank is not None]) == 2
    assert job.problems == ()


def test_the_path_that_is_given_may_be_a_link(tmp_path: Path) -> None:
    run = write_run(tmp_path / "store" / "job_a1b2c3d4", {0: report()})
    (tmp_path / "latest").symlink_to(run)
    job = load_job(tmp_path / "latest")
    assert only_run(job).run_id == "job"
    assert workers_of(job)[0].error_file == str(tmp_path / "latest" / "attempt_0" / "0" / "error.json")


def test_odd_names_do_no_harm(tmp_path: Path) -> None:
    write(tmp_path / os.fsdecode(b"\xff\x1b[31m") / "rank_0.json", report())
    assert [w.rank for w in workers_of(load_job(tmp_path))] == [0]


# --- archives and standard input


def pack(path: Path, source: Path) -> Path:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(source.rglob("*")):
                archive.write(file, file.relative_to(source))
    else:
        with tarfile.open(path, "w:gz" if path.name.endswith("gz") else "w") as archive:
            archive.add(source, ".")
    return path


def picture(job: Job, *prefixes: str) -> str:
    """The runs as text, without where the inputs lie."""
    text = repr(job.runs)
    for prefix in prefixes:
        text = text.replace(prefix, "")
    return text


@pytest.mark.parametrize("suffix", [".tar", ".tar.gz", ".tgz", ".zip"])
@pytest.mark.parametrize("name", ["two_node", "restart"])
def test_an_archive_shows_what_its_directory_shows(tmp_path: Path, name: str, suffix: str) -> None:
    shutil.copytree(DATA / "torchrun" / name, tmp_path / name)
    archive = pack(tmp_path / f"{name}{suffix}", tmp_path / name)
    plain, packed = load_job(tmp_path / name), load_job(archive)
    assert packed.problems == ()
    assert packed.files_read == plain.files_read
    assert picture(packed, f"{archive}!") == picture(plain, f"{tmp_path / name}/")
    shutil.rmtree(tmp_path / name)
    assert picture(load_job(tmp_path), f"{archive}!") == picture(plain, f"{tmp_path / name}/")


def test_archives_of_single_nodes_are_one_run(tmp_path: Path) -> None:
    for node in ("node0", "node1"):
        pack(tmp_path / f"{node}.tar.gz", DATA / "torchrun" / "two_node" / node)
    run = only_run(load_job(tmp_path / "node0.tar.gz", tmp_path / "node1.tar.gz"))
    assert run.nodes == ("node0", "node1")
    assert [w.rank for w in run.attempts[0].workers] == [0, 1, 2, 3]


def test_what_is_dangerous_in_an_archive_is_a_problem_and_hides_nothing(tmp_path: Path) -> None:
    archive = tmp_path / "logs.tar"
    with tarfile.open(archive, "w") as tar:
        for name in ("../../rank_0.json", "/rank_1.json", "rank_2.json"):
            header = tarfile.TarInfo(name)
            header.size = len(report())
            tar.addfile(header, io.BytesIO(report().encode()))
        for number in range(20):
            link = tarfile.TarInfo(f"rank_{number + 3}.json")
            link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
            tar.addfile(link)
    job = load_job(archive)
    assert [w.rank for w in workers_of(job)] == [2]
    assert len(job.problems) == 6
    assert "17" in job.problems[-1].problem


def test_an_archive_in_an_archive_is_a_problem(tmp_path: Path) -> None:
    write(tmp_path / "inner" / "x.log", "x")
    pack(tmp_path / "inner" / "deep.zip", DATA / "torchrun" / "group")
    job = load_job(pack(tmp_path / "outer.tar", tmp_path / "inner"))
    assert [problem.problem for problem in job.problems] == ["an archive inside an archive, not read"]


def test_a_file_that_is_only_named_as_an_archive_is_a_problem(tmp_path: Path) -> None:
    write(tmp_path / "logs.zip", "no zip")
    assert [problem.path for problem in load_job(tmp_path).problems] == [str(tmp_path / "logs.zip")]


@pytest.mark.parametrize("packed", [False, True])
def test_a_launchers_output_may_come_on_standard_input(monkeypatch: pytest.MonkeyPatch, packed: bool) -> None:
    data = launcher_log({0: (11, 1)}).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(data) if packed else data)))
    for _ in range(2):
        job = load_job("-")
        assert job.inputs == ("-",)
        assert [(w.pid, w.sources[0].path) for w in workers_of(job)] == [(11, "-")]


def test_an_archive_and_an_error_file_may_come_on_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = pack(tmp_path / "x.tar.gz", DATA / "torchrun" / "group").read_bytes()
    for data, count in ((archive, 2), (report().encode(), 1), (b"", 0), (b"no job at all\n", 0)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert len(workers_of(load_job("-"))) == count


def test_a_file_of_any_name_is_read_when_it_is_given(tmp_path: Path) -> None:
    path = write(tmp_path / "paste", launcher_log({0: (11, 1)}))
    assert len(workers_of(load_job(path))) == 1
    path.write_bytes(bytes(range(256)) * 20)
    assert load_job(path).runs == ()
    path.write_bytes(b"\xfd7zXZ\x00 packed")
    assert "xz" in load_job(path).problems[0].problem


def test_loose_error_files_belong_to_the_launcher_beside_them(tmp_path: Path) -> None:
    for rank in (1, 0):
        write(tmp_path / f"rank_{rank}.json", report(f"ValueError: {rank}", NOON + rank))
    write(tmp_path / "launcher.log", launcher_log({0: (11, 1), 1: (12, -15), 2: (13, -15)}))
    workers = only_run(load_job(tmp_path)).attempts[0].workers
    assert [(w.rank, w.pid, w.error_file is not None) for w in workers] == [
        (0, 11, True),
        (1, 12, True),
        (2, 13, False),
    ]


def test_the_output_that_torch_repeats_is_read_once(tmp_path: Path) -> None:
    run = write_run(tmp_path / "job_a1b2c3d4", {0: report()})
    write(run / "attempt_0" / "filtered_stderr.log", "[default0]:KeyError: 'x'\n")
    job = load_job(tmp_path)
    assert (len(workers_of(job)), job.files_read) == (2, 5)


DUMPS = DATA / "flight_recorder" / "gpu_error_1st"


def test_flight_recorder_dumps_are_workers_with_their_progress() -> None:
    job = load_job(DUMPS)
    workers = only_run(job).attempts[0].workers
    assert [w.rank for w in workers] == list(range(16))
    assert all(w.collectives and not w.failed for w in workers)
    assert job.problems == ()


def test_flight_recorder_dumps_add_to_the_workers_of_the_run_near_them(tmp_path: Path) -> None:
    write_run(tmp_path / "logs" / "job_a1b2c3d4", {0: report()}, base=0)
    (tmp_path / "dumps").mkdir()
    shutil.copy(DUMPS / "_dump_1", tmp_path / "dumps" / "nccl_trace_rank_1")
    first, second = only_run(load_job(tmp_path)).attempts[0].workers
    assert (first.collectives, second.rank) == ((), 1)
    assert second.collectives
    assert str(tmp_path / "dumps" / "nccl_trace_rank_1") in {place.path for place in second.sources}


def test_a_dump_lies_in_a_rank_directory_an_archive_or_a_named_file_as_well(tmp_path: Path) -> None:
    run = write_run(tmp_path / "job_a1b2c3d4", {}, base=0)
    shutil.copy(DUMPS / "_dump_1", run / "attempt_0" / "1" / "nccl_trace_rank_1")
    shutil.copy(DUMPS / "_dump_1", tmp_path / "anything")
    for path in (tmp_path / "job_a1b2c3d4", pack(tmp_path / "x.tar.gz", run), tmp_path / "anything"):
        found = [w for w in workers_of(load_job(path)) if w.collectives]
        assert len(found) == 1
        assert found[0].local_rank == (None if path.name == "anything" else 1)


def test_a_damaged_dump_is_a_problem_and_another_file_of_such_a_name_is_nothing(tmp_path: Path) -> None:
    (tmp_path / "nccl_trace_rank_1").write_bytes((DUMPS / "_dump_1").read_bytes()[:20])
    write(tmp_path / "memory_dump_7", "whatever")
    assert [Path(problem.path).name for problem in load_job(tmp_path).problems] == ["nccl_trace_rank_1"]


# --- executor and progress


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_an_executor_changes_nothing_but_the_time(
    kind: type[ThreadPoolExecutor | ProcessPoolExecutor], tmp_path: Path
) -> None:
    shutil.copytree(DATA / "torchrun", tmp_path / "jobs")
    with kind(max_workers=2) as executor:
        assert repr(load_job(tmp_path, executor=executor)) == repr(load_job(tmp_path))


def test_signatures_of_the_caller_replace_the_built_in_ones(tmp_path: Path) -> None:
    run = write_run(tmp_path / "job_a1b2c3d4", {}, ranks=1)
    write(run / "attempt_0" / "0" / "stderr.log", "the flux capacitor is empty\n")
    own = Signature("flux", "primary", "No flux", "flux capacitor", ("flux capacitor",), "why", ("check",))
    with ProcessPoolExecutor(max_workers=1) as executor:
        for job in (load_job(tmp_path, signatures=[own]), load_job(tmp_path, signatures=[own], executor=executor)):
            assert [hit.signature for hit in workers_of(job)[0].hits] == ["flux"]


def test_the_picture_so_far_grows_until_it_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errors_core.load._INTERVAL", 0)
    monkeypatch.setattr("errors_core.load._PARTIAL_SHARE", 0)
    for rank in range(5):
        write(tmp_path / f"rank_{rank}.json", report())
    told: list[Progress] = []
    job = load_job(tmp_path, progress=told.append)
    assert [progress.job.workers for progress in told if progress.job is not None] == [1, 2, 3, 4, 5]
    assert told[-2].job == job


def test_progress_is_told_and_may_stop_the_load(tmp_path: Path) -> None:
    write_run(tmp_path / "job_a1b2c3d4", {0: report()}, ranks=3)
    told: list[Progress] = []
    load_job(tmp_path, progress=told.append)
    assert [progress.phase for progress in told] == ["looking", "joining"]
    assert (told[0].done, told[0].total) == (0, None)
    assert (told[-1].done, told[-1].total) == (3, 3)

    def stop(_: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        load_job(tmp_path, progress=stop)
