"""Launchers beside torchrun: what they say is read, and what only looks like evidence is not believed."""

from __future__ import annotations

import pytest

from errors_core.readers.other_launchers import parse_signal
from tests.errors_core.readers.launcher_reading import find, read

DEEPSPEED = "[2024-07-08 16:53:40,982] [ERROR] [launch.py:321:sigkill_handler] "
LAUNCH_FRAMES = """\
Traceback (most recent call last):
  File "/opt/conda/lib/python3.7/site-packages/torch/distributed/launch.py", line 263, in <module>
    main()
  File "/opt/conda/lib/python3.7/site-packages/torch/distributed/launch.py", line 259, in main
    cmd=cmd)
"""


def test_deepspeeds_exit_code_is_some_workers_and_its_command_line_names_nobody() -> None:
    reading = read(
        "[2024-07-08 16:53:10,876] [INFO] [launch.py:315:sigkill_handler] Killing subprocess 20790\n"
        f"{DEEPSPEED}['/usr/bin/python3', '-u', 'train.py', '--local_rank=1', '--zero'] exits with return code = -11\n"
    )
    (seen,) = reading.sightings
    assert (seen.exitcode, seen.rank, seen.local_rank, seen.pid) == (-11, None, None, None)
    ((_, event),) = reading.events
    assert (event.kind, event.signature, dict(event.fields)) == ("note", "deepspeed_rc", {"exitcode": "-11"})


@pytest.mark.parametrize(
    ("end", "exitcode"),
    [
        ("died with <Signals.SIGSEGV: 11>.", -11),
        ("died with unknown signal 35.", -35),
        ("returned non-zero exit status 3.", 3),
    ],
)
def test_the_launcher_of_torch_1_8_tells_how_some_worker_ended_and_not_which(end: str, exitcode: int) -> None:
    reading = read(
        f"{LAUNCH_FRAMES}subprocess.CalledProcessError: Command '['/opt/conda/bin/python3', '-u', 'train.py', "
        f"'--local_rank=7', '--epochs', '180']' {end}\n"
    )
    (seen,) = reading.sightings
    assert (seen.exitcode, seen.rank, seen.local_rank, seen.error) == (exitcode, None, None, None)


def test_a_launcher_that_another_program_started_is_no_worker() -> None:
    reading = read(
        "subprocess.CalledProcessError: Command '['/opt/venv/bin/python', '-m', 'torch.distributed.run', "
        "'--nproc_per_node', '2', 'train.py']' returned non-zero exit status 1.\n"
    )
    assert reading.sightings == []
    assert [(event.kind, event.signature) for _, event in reading.events] == [("note", "subproc")]


def test_a_command_that_a_worker_ran_itself_is_that_workers_own_error() -> None:
    lines = [
        "Traceback (most recent call last):",
        '  File "/workspace/build.py", line 7, in compile',
        "    subprocess.check_call(command)",
        "subprocess.CalledProcessError: Command '['ninja', '-v']' returned non-zero exit status 1.",
    ]
    signed = read("".join(f"[rank3]: {line}\n" for line in lines))
    (seen,) = signed.sightings
    assert seen.error is not None
    assert (seen.rank, seen.exitcode, seen.error.link.type) == (3, None, "subprocess.CalledProcessError")
    (unsigned,) = read("\n".join(lines)).sightings
    assert (unsigned.exitcode, unsigned.error is not None) == (None, True)


def test_lightning_names_the_local_rank_the_process_and_its_code() -> None:
    reading = read(
        "[rank: 1] Child process with PID 2977 terminated with code -6. Forcefully terminating all other processes to "
        "avoid zombies 🧟\n"
    )
    (seen,) = reading.sightings
    assert (seen.local_rank, seen.pid, seen.exitcode) == (1, 2977, -6)


@pytest.mark.parametrize(
    ("line", "exitcode"),
    [
        ("torch.multiprocessing.spawn.ProcessExitedException: process 2 terminated with signal SIGSEGV", -11),
        ("torch.multiprocessing.spawn.ProcessExitedException: process 2 terminated with exit code 3", 3),
    ],
)
def test_a_spawned_process_that_just_ended_is_known_by_its_index(line: str, exitcode: int) -> None:
    reading = read(
        'Traceback (most recent call last):\n  File "train.py", line 9, in <module>\n    mp.spawn(main, nprocs=4)\n'
        '  File "/opt/venv/lib/python3.10/site-packages/torch/multiprocessing/spawn.py", line 158, in join\n'
        f"    raise ProcessExitedException(\n{line}\n"
    )
    (seen,) = reading.sightings
    assert (seen.local_rank, seen.exitcode, seen.error) == (2, exitcode, None)


def test_a_spawned_process_that_raised_is_known_with_its_own_traceback() -> None:
    reading = read(
        'Traceback (most recent call last):\n  File "train.py", line 9, in <module>\n    mp.spawn(main, nprocs=4)\n'
        "torch.multiprocessing.spawn.ProcessRaisedException: \n\n-- Process 3 terminated with the following error:\n"
        "Traceback (most recent call last):\n  File \"train.py\", line 4, in main\n    load()\nKeyError: 'x'\n\n"
    )
    errors = [seen for seen in find(reading, local_rank=3, exitcode=1) if seen.error is not None]
    assert [seen.error.link.title for seen in errors if seen.error is not None] == ["KeyError: 'x'"]


def test_horovodrun_names_the_rank() -> None:
    (seen,) = read("Process 3 exit with status code 1.\n").sightings
    assert (seen.rank, seen.exitcode) == (3, 1)


@pytest.mark.parametrize(
    ("text", "number"),
    [("15", 15), ("SIGTERM", 15), ("Signals.SIGKILL", 9), ("SIGBUS", 7), ("SIGNONE", None), ("", None), ("9999", None)],
)
def test_signals_are_numbers_of_linux_however_they_are_spelled(text: str, number: int | None) -> None:
    assert parse_signal(text) == number


def test_ray_names_process_and_node_in_the_traceback_itself() -> None:
    reading = read(
        "ray.exceptions.RayTaskError(KeyError): ray::Worker.train() (pid=1234, ip=10.0.0.2)\n"
        "(Worker pid=1234, ip=10.0.0.2) Traceback (most recent call last):\n"
        '(Worker pid=1234, ip=10.0.0.2)   File "train.py", line 4, in main\n'
        "(Worker pid=1234, ip=10.0.0.2)     load()\n(Worker pid=1234, ip=10.0.0.2) KeyError: 'x'\n"
    )
    seen = [seen for seen in find(reading, pid=1234, host="10.0.0.2") if seen.error is not None]
    assert [one.error.link.title for one in seen if one.error is not None] == ["KeyError: 'x'"]
