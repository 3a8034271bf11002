"""Slurm, the kernel, Kubernetes, mpirun, batch systems: lines become events, and sightings where they name a worker."""

from __future__ import annotations

from typing import Any

import pytest

from tests.errors_core.readers.launcher_reading import find, read

FAILED = (
    "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: -9) local_rank: 0 (pid: 77) of binary: p\n"
)

EVENTS: list[tuple[str, str, dict[str, str], str | None]] = [
    ("slurmstepd: error: Detected 1 oom_kill event in StepId=11.0. Some of the step tasks have been OOM Killed.",
     "scheduler", {"count": "1"}, "slurm_oom"),
    ("slurmstepd: error: Detected 2 oom-kill event(s) in step 5.0 cgroup.", "scheduler", {"count": "2"}, "slurm_oom"),
    ("slurmstepd: error: *** STEP 1.1 ON node-a CANCELLED AT 2024-02-11T15:40:59 DUE TO JOB REQUEUE ***",
     "scheduler", {"job": "1.1", "host": "node-a", "why": "JOB REQUEUE"}, "slurm_cancel_due"),
    ("slurmstepd: error: *** JOB 608 ON node-a CANCELLED AT 2024-02-11T15:40:59 DUE TO TIME LIMIT ***",
     "scheduler", {"job": "608", "host": "node-a", "why": "TIME LIMIT"}, "slurm_cancel_due"),
    ("slurmstepd: error: *** STEP 9.0 ON n1 CANCELLED AT 2024-02-11T15:40:59 ***",
     "scheduler", {"job": "9.0", "host": "n1"}, "slurm_cancel"),
    ("srun: error: Node failure on n042", "scheduler", {"host": "n042"}, "node_failure"),
    ("srun: error: node-a: task 1: Exited with exit code 1",
     "scheduler", {"host": "node-a", "task": "1", "why": "Exited with exit code 1", "exitcode": "1"}, "srun_task"),
    ("4711_3.0  train  gpu  COMPLETED  0:0", "", {}, None),
    ("4711_3.0  train  gpu  8  OUT_OF_ME+  0:9", "scheduler",
     {"job": "4711_3.0", "why": "OUT_OF_ME+", "exitcode": "0", "signal": "9"}, None),
    ("   JobState=FAILED Reason=NonZeroExitCode ExitCode=1:0", "scheduler", {"exitcode": "1", "signal": "0"}, None),
    ("   JobState=COMPLETED Reason=None ExitCode=0:0", "", {}, None),
    ("[Tue Jan  2 03:04:05 2024] Out of memory: Killed process 12345 (python) total-vm:1kB",
     "kernel", {"pid": "12345", "program": "python"}, "kernel_oom"),
    ("Jan  2 03:04:05 node-a kernel: [12.345678] Memory cgroup out of memory: Killed process 77 (pt_main_thread)",
     "kernel", {"pid": "77", "program": "pt_main_thread", "host": "node-a"}, "kernel_oom"),
    ("Out of memory: Kill process 77 (python3) score 900 or sacrifice child",
     "kernel", {"pid": "77", "program": "python3"}, "kernel_oom"),
    ("NVRM: Xid (PCI:0000:10:1c): 63, pid=1896, name=python, Row Remapper: New row marked for remapping",
     "kernel", {"bus": "0000:10:1c", "xid": "63", "pid": "1896"}, "xid"),
    ("NVRM: Xid (PCI:0000:2b:00): 79, GPU has fallen off the bus.", "kernel", {"bus": "0000:2b:00", "xid": "79"}, None),
    ("python[4711]: segfault at 0 ip 00007f sp 00007f error 4 in libc.so",
     "kernel", {"program": "python", "pid": "4711", "why": "segfault"}, None),
    ("1.70e+09\tDEBUG\tevents\tError pod x-worker-0 container pytorch exitCode: 1",
     "scheduler", {"host": "x-worker-0", "container": "pytorch", "exitcode": "1"}, None),
    ("    Reason:       OOMKilled", "scheduler", {}, "k8s_oom"),
    ("    Exit Code:    137", "scheduler", {"exitcode": "137"}, None),
    ("command terminated with exit code 137", "scheduler", {"exitcode": "137"}, None),
    ('time="2024-01-02T03:04:05Z" level=info msg="pod worker-3 container pytorch exitCode: 139"',
     "scheduler", {"host": "worker-3", "container": "pytorch", "exitcode": "139"}, None),
    ("Status: Failed\nReason: Evicted", "scheduler", {"why": "Evicted"}, None),
    ("The node was low on resource: memory.", "scheduler", {}, None),
    ("mpirun noticed that process rank 7 with PID 0 on node n3 exited on signal 9 (Killed).",
     "scheduler", {"rank": "7", "pid": "0", "host": "n3", "signal": "9"}, "mpirun"),
    ("TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.", "scheduler", {"why": "TERM_MEMLIMIT"}, None),
    ("=>> PBS: job killed: walltime 3612 exceeded limit 3600",
     "scheduler", {"why": "walltime 3612 exceeded limit 3600"}, None),
]  # fmt: skip


@pytest.mark.parametrize(("line", "kind", "fields", "signature"), EVENTS, ids=[line[:50] for line, *_ in EVENTS])
def test_each_line_of_a_scheduler_or_the_kernel_is_an_event(
    line: str, kind: str, fields: dict[str, str], signature: str | None
) -> None:
    events = [event for _, event in read(f"{line}\n").events if event.kind in ("scheduler", "kernel")]
    assert [(event.kind, dict(event.fields)) for event in events] == ([(kind, fields)] if kind else [])
    if signature is not None:
        assert [event.signature for event in events] == [signature]


def test_a_cancellation_has_the_time_that_slurm_gives_it() -> None:
    reading = read("slurmstepd: error: *** STEP 9.0 ON n1 CANCELLED AT 2024-02-11T15:40:59 ***\n")
    assert [event.time for _, event in reading.events] == [1707666059.0]


@pytest.mark.parametrize(
    ("line", "marks"),
    [
        ("Out of memory: Killed process 12345 (python) total-vm:1kB", {"pid": 12345, "exitcode": None}),
        ("NVRM: Xid (PCI:0000:10:1c): 63, pid=1896, name=python", {"pid": 1896, "exitcode": None}),
        ("python[4711]: segfault at 0 ip 00007f", {"pid": 4711, "exitcode": -11}),
        ("mpirun noticed that process rank 7 with PID 12 on node n3 exited on signal 11 (Segmentation fault).",
         {"rank": 7, "pid": 12, "host": "n3", "exitcode": -11}),
        ("mpirun noticed that process rank 7 with PID 0 on node n3 exited on signal 9 (Killed).",
         {"rank": 7, "pid": None, "host": "n3", "exitcode": -9}),
        ("  Process name: [[12345,1],3]\n  Exit code:    1", {"rank": 3, "exitcode": 1}),
        ("=   PID 4711 RUNNING AT node-a\n=   EXIT CODE: 139", {"pid": 4711, "host": "node-a", "exitcode": 139}),
        ("=   PID 4711 RUNNING AT node-a\n=   KILLED BY SIGNAL: 9 (Killed)", {"pid": 4711, "exitcode": -9}),
        ("./run.sh: line 12: 31337 Killed                  python train.py", {"pid": 31337, "exitcode": -9}),
    ],
)  # fmt: skip
def test_a_line_that_names_a_process_or_a_rank_is_a_sighting(line: str, marks: dict[str, Any]) -> None:
    (seen,) = read(f"{line}\n").sightings
    assert seen.source == "scheduler_log"
    assert {name: getattr(seen, name) for name in marks} == marks


@pytest.mark.parametrize(
    ("line", "codes"),
    [
        ("srun: error: node-a: task 1: Exited with exit code 137", {1: 137}),
        ("srun: error: nid001277: tasks 1-3: Out Of Memory", {1: -9, 2: -9, 3: -9}),
        ("srun: error: node-a: tasks 0,4-5: Segmentation fault", {0: -11, 4: -11, 5: -11}),
        ("srun: error: node-[1-2]: tasks 0-1: Killed", {0: -9, 1: -9}),
        ("0: srun: error: node-a: task 3: Bus error (core dumped)", {3: -7}),
    ],
)
def test_tasks_that_srun_started_directly_are_ranks(line: str, codes: dict[int, int]) -> None:
    assert {seen.rank: seen.exitcode for seen in read(f"{line}\n").sightings} == codes


def test_a_task_that_is_a_launcher_is_no_rank() -> None:
    reading = read(f"1: {FAILED}srun: error: node-a: task 1: Exited with exit code 1\n")
    assert find(reading, source="scheduler_log") == []
    assert [event.kind for _, event in reading.events] == ["launcher_pick", "scheduler"]


def test_unsigned_text_behind_srun_l_belongs_to_the_task_when_tasks_are_ranks() -> None:
    traceback = [
        "Traceback (most recent call last):",
        '  File "train.py", line 3, in main',
        "    load()",
        "KeyError: 'x'",
    ]
    other = ["step 1", "step 2", "step 3", "step 4"]
    text = "".join(f"3: {one}\n0: {two}\n" for one, two in zip(traceback, other, strict=True))
    seen = {seen.rank: seen.error.link.title if seen.error is not None else None for seen in read(text).sightings}
    assert seen == {3: "KeyError: 'x'", 0: None}


def test_the_task_of_srun_l_keeps_the_launchers_of_two_nodes_apart() -> None:
    reading = read(f"0: {FAILED}1: {FAILED.replace('77', '78')}")
    assert {seen.pid: seen.attempt for seen in reading.sightings} == {77: 0, 78: 0}
    assert len({seen.launcher for seen in reading.sightings}) == 2


def test_a_message_of_a_worker_that_speaks_of_exit_codes_is_the_workers_own() -> None:
    lines = ["Traceback (most recent call last):", '  File "train.py", line 3, in main', "    run()"]
    last = "RuntimeError: the tokenizer's process ended with exit code: 137 (OOMKilled)"
    signed = read("".join(f"[rank3]: {line}\n" for line in [*lines, last]))
    assert [seen.error.link.title for seen in signed.sightings if seen.error is not None] == [last]
    assert signed.events == []
    unsigned = read("\n".join([*lines, last]))
    assert [seen.error.link.title for seen in unsigned.sightings if seen.error is not None] == [last]
