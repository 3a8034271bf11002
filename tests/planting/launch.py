"""Start real launchers for one case, do to them what the case says, and wait for their end.

Ends only processes that it started or that these started, by their ids. It judges nothing.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.planting.case import PlantedCase
from tests.planting.normalise import REPOSITORY

__all__ = ["Ran", "launch"]

WORKSPACE = REPOSITORY / "tests" / "planting" / "worker"
LIMIT = 90.0


@dataclass
class Ran:
    """What became of a case: exit codes by node, where each node's files are, the marks of the workers."""

    exits: list[int] = field(default_factory=list)
    nodes: list[Path] = field(default_factory=list)
    marks: dict[str, dict[str, str | int | None]] = field(default_factory=dict)
    too_long: bool = False


def launch(case: PlantedCase, scratch: Path, venv: Path) -> Ran:
    """Run a case below `scratch` and return when all its launchers have ended."""
    for name in ("tmp", "marks"):
        (scratch / name).mkdir(parents=True)
    port = _free_port()
    holder = socket.create_server(("127.0.0.1", port)) if case.act == "busy port" else None
    started = 1 if case.act == "missing node" else case.nodes
    ran = Ran(nodes=[scratch / f"node{node}" for node in range(started)])
    processes: list[subprocess.Popen[bytes]] = []
    for directory in ran.nodes:
        directory.mkdir()
        if processes:
            _wait_for_store(processes[0], port)
        processes.append(_start(case, directory, scratch, venv, port))
    try:
        _act(case, processes, scratch / "marks")
        ran.too_long = not _wait(processes, LIMIT)
    finally:
        if holder is not None:
            holder.close()
        ran.marks = _read_marks(scratch / "marks")
        _end_rest(processes, ran)
    ran.exits = [process.returncode for process in processes]
    return ran


def _start(case: PlantedCase, directory: Path, scratch: Path, venv: Path, port: int) -> subprocess.Popen[bytes]:
    command = [str(venv / "bin" / "torchrun"), *_options(case, directory, port), "train.py"]
    with (directory / "launcher.log").open("wb") as log:
        return subprocess.Popen(
            command,
            cwd=WORKSPACE,
            env=_environment(case, scratch, venv),
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _options(case: PlantedCase, directory: Path, port: int) -> list[str]:
    options = ["--nproc-per-node", str(case.workers), "--max-restarts", str(case.restarts), *case.options]
    if case.act == "busy port" or case.static:
        options += ["--master-addr", "127.0.0.1", "--master-port", str(port)]
    elif case.nodes > 1:
        options += ["--nnodes", str(case.nodes), "--rdzv-id", "job-4471", "--rdzv-backend", "c10d"]
        options += ["--rdzv-endpoint", f"127.0.0.1:{port}", "--local-addr", "127.0.0.1"]
    else:
        options += ["--standalone"]
    if case.keep != "nothing":
        options += ["--log-dir", str(directory / "logs")]
    return options + {"redirects": ["--redirects", "3"], "tee": ["--tee", "3"]}.get(case.keep, [])


def _environment(case: PlantedCase, scratch: Path, venv: Path) -> dict[str, str]:
    return {
        "PATH": f"{venv / 'bin'}:/usr/bin:/bin",
        "HOME": str(scratch / "tmp"),
        "LANG": "C.UTF-8",
        "TMPDIR": str(scratch / "tmp"),
        "PYTHONPATH": str(REPOSITORY),
        "PYTHONWARNINGS": "ignore::UserWarning",
        "PYTHONDONTWRITEBYTECODE": "1",
        "GLOO_SOCKET_IFNAME": "lo",
        **dict(case.environment),
        "PLANTED": json.dumps(case.plan),
        "PLANTED_MARKS": str(scratch / "marks"),
        "PLANTED_STEPS": str(case.steps),
        "PLANTED_TIMEOUT": str(case.timeout),
        "PLANTED_RECORD": "1" if case.record else "0",
    }


def _act(case: PlantedCase, processes: list[subprocess.Popen[bytes]], marks: Path) -> None:
    if case.act in (None, "busy port", "missing node"):
        return
    if not _all_stepping(case, processes, marks):
        return
    if case.act is not None and case.act.startswith("SIG"):
        processes[0].send_signal(signal.Signals[case.act])
        return
    node = int(str(case.act)[-1])
    victim = processes[node]
    workers = [
        int(str(mark["pid"]))
        for name, mark in _read_marks(marks).items()
        if name.startswith("started.") and f"/node{node}/" in str(mark["TORCHELASTIC_ERROR_FILE"])
    ]
    for pid in [victim.pid, *workers]:
        os.kill(pid, signal.SIGKILL)


def _all_stepping(case: PlantedCase, processes: list[subprocess.Popen[bytes]], marks: Path) -> bool:
    end = time.monotonic() + LIMIT
    while time.monotonic() < end and all(process.poll() is None for process in processes):
        if len(list(marks.glob("step-5.0.*"))) == case.world_size:
            return True
        time.sleep(0.05)
    return False


def _wait(processes: list[subprocess.Popen[bytes]], seconds: float) -> bool:
    end = time.monotonic() + seconds
    for process in processes:
        try:
            process.wait(max(0.0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            return False
    return True


def _end_rest(processes: list[subprocess.Popen[bytes]], ran: Ran) -> None:
    """End what outlived its launcher, after a look whether the process is still the one that left the mark."""
    for process in processes:
        if process.poll() is None:
            process.kill()
            process.wait()
    for name, mark in ran.marks.items():
        pid = int(str(mark["pid"]))
        if name.startswith("started.") and _is_ours(pid, ran.nodes[0].parent / "marks"):
            os.kill(pid, signal.SIGKILL)


def _is_ours(pid: int, marks: Path) -> bool:
    try:
        return f"PLANTED_MARKS={marks}\0".encode() in Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False


def _read_marks(directory: Path) -> dict[str, dict[str, str | int | None]]:
    marks = {}
    for path in directory.iterdir():
        try:
            marks[path.name] = json.loads(path.read_text("utf-8"))
        except ValueError:
            continue  # a worker is just writing it, or was killed while writing
    return marks


def _wait_for_store(process: subprocess.Popen[bytes], port: int) -> None:
    """Wait until the first launcher listens: so it is always the first node that hosts the store."""
    tables = [Path("/proc/net/tcp"), Path("/proc/net/tcp6")]
    while process.poll() is None:
        lines = [line.split() for table in tables if table.exists() for line in table.read_text("utf-8").splitlines()]
        if any(line[1].endswith(f":{port:04X}") and line[3] == "0A" for line in lines if len(line) > 3):
            return
        time.sleep(0.05)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])
