"""A real torchrun whose workers are under our record: its agent finds, names and passes on what was written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from errors_core.error_file import ERROR_FILE_ENV, read_error_file
from tests.torch.blocks import parse_block
from tests.torch.real import elastic

assert elastic, "skips this module where torch is missing"
pytestmark = [pytest.mark.torch, pytest.mark.timeout(180)]

SCRIPT = """
import os, sys, time
from errors_core import record

def parse_shard(name):
    raise IndexError(f"list index out of range in {name}")

@record
def main():
    while os.environ["LOCAL_RANK"] != "1":
        time.sleep(0.1)
    if sys.argv[1] == "exception":
        parse_shard("shard-7")
    elif sys.argv[1] == "exit":
        sys.exit(3)
    else:
        os.kill(os.getpid(), 9)

main()
"""


def run(tmp_path: Path, end: str) -> str:
    """Run two workers of which the second one fails, and return what torchrun prints."""
    (tmp_path / "train.py").write_text(SCRIPT)
    command = [sys.executable, "-W", "ignore", "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    command += ["--log-dir", str(tmp_path / "logs"), str(tmp_path / "train.py"), end]
    environment = {**os.environ, ERROR_FILE_ENV: str(tmp_path / "agent.json")}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=150)
    assert ended.returncode == 1, ended.stderr
    return ended.stderr


def test_an_exception_is_named_with_its_file_and_traceback(tmp_path: Path) -> None:
    output = run(tmp_path, "exception")
    (file,) = (tmp_path / "logs").rglob("error.json")
    root = parse_block(output).entries[-1]
    assert root.is_root
    assert root.fields["error_file"] == str(file)
    assert root.fields["traceback"].startswith("Traceback (most recent call last):")
    assert "in parse_shard" in root.fields["traceback"]
    assert root.fields["traceback"].endswith("IndexError: list index out of range in shard-7")
    report = read_error_file(file)
    assert (report.rank, report.local_rank, report.group_rank, report.world_size) == (1, 1, 0, 2)
    assert (report.restart_count, report.role) == (0, "default")
    assert f"pid: {report.pid})" in root.fields["exitcode"]
    assert report.run_id is not None
    assert file.relative_to(tmp_path / "logs").parts[0].startswith(report.run_id)


def test_the_agents_own_file_is_a_copy_with_the_exit_code(tmp_path: Path) -> None:
    run(tmp_path, "exception")
    (file,) = (tmp_path / "logs").rglob("error.json")
    worker, agent = json.loads(file.read_text()), json.loads((tmp_path / "agent.json").read_text())
    assert agent["message"].pop("errorCode") == 1
    assert agent == worker
    assert read_error_file(tmp_path / "agent.json").error_code == 1


def test_an_exit_that_torch_would_not_record_is_named_as_well(tmp_path: Path) -> None:
    root = parse_block(run(tmp_path, "exit")).entries[-1]
    assert root.fields["exitcode"].startswith("3 ")
    assert root.fields["traceback"].endswith("SystemExit: 3")


def test_a_killed_worker_leaves_no_file(tmp_path: Path) -> None:
    root = parse_block(run(tmp_path, "kill")).entries[-1]
    assert root.fields["exitcode"].startswith("-9 ")
    assert root.fields["error_file"] == "<N/A>"
    assert list((tmp_path / "logs").rglob("error.json")) == []
