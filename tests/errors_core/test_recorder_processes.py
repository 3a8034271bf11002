"""`record` in real processes that die: the exit code stays, and the report is there or not as it should be."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from errors_core.error_file import ERROR_FILE_ENV, read_error_file

ENDS = {
    "exception": "raise ValueError('x')",
    "exit 3": "sys.exit(3)",
    "exit with a text": "sys.exit('usage: train.py')",
    "exit True": "sys.exit(True)",
    "exit 256": "sys.exit(256)",
    "exit -1": "sys.exit(-1)",
    "exit 0": "sys.exit(0)",
    "exit None": "sys.exit()",
    "return": "return",
    "interrupt": "raise KeyboardInterrupt",
    "interrupt from outside": "os.kill(os.getpid(), signal.SIGINT); signal.pause()",
    "os._exit": "os._exit(7)",
    "kill": "os.kill(os.getpid(), signal.SIGKILL)",
    "terminate": "os.kill(os.getpid(), signal.SIGTERM)",
    "recursion": "deep()",
    "group": "raise ExceptionGroup('g', [ValueError('x'), KeyError('y')])",
}
RECORDED = {
    "exception": "ValueError: x",
    "exit 3": "SystemExit: 3",
    "exit with a text": "SystemExit: usage: train.py",
    "exit True": "SystemExit: True",
    "exit -1": "SystemExit: -1",
    "interrupt": "KeyboardInterrupt: ",
    "interrupt from outside": "KeyboardInterrupt: ",
    "recursion": "RecursionError: maximum recursion depth exceeded",
    "group": "ExceptionGroup: g (2 sub-exceptions)",
}


def run(script: str, error_file: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **({ERROR_FILE_ENV: str(error_file)} if error_file else {})}
    header = "import os, signal, sys\nfrom errors_core import record\ndef deep():\n    deep()\n"
    command = [sys.executable, "-c", header + script]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def main_of(decorator: str, body: str) -> str:
    return f"{decorator}\ndef main():\n    {body}\nmain()\n"


@pytest.mark.parametrize("end", ENDS)
def test_the_exit_code_is_the_same_with_and_without_record(tmp_path: Path, end: str) -> None:
    file = tmp_path / "error.json"
    plain, watched = run(main_of("", ENDS[end])), run(main_of("@record", ENDS[end]), file)
    assert watched.returncode == plain.returncode
    assert watched.stdout == plain.stdout
    last_line = plain.stderr.splitlines()[-1:]
    assert watched.stderr.splitlines()[-1:] == last_line
    assert file.exists() == (end in RECORDED)
    if end in RECORDED:
        assert read_error_file(file).message.startswith(RECORDED[end])


def test_the_reported_exit_code_is_that_of_the_process(tmp_path: Path) -> None:
    for number, end in enumerate(("exit 3", "exit with a text", "exit True", "exit -1")):
        file = tmp_path / f"{number}.json"
        assert run(main_of("@record", ENDS[end]), file).returncode == read_error_file(file).exitcode


def test_a_crash_in_native_code_leaves_python_frames_in_the_log_and_no_report(tmp_path: Path) -> None:
    file = tmp_path / "error.json"
    ended = run(main_of("@record", "os.kill(os.getpid(), signal.SIGSEGV)"), file)
    assert ended.returncode == -signal.SIGSEGV
    assert "most recent call first" in ended.stderr
    assert not file.exists()


def test_ctrl_c_in_an_asyncio_program_is_reported_around_it(tmp_path: Path) -> None:
    file = tmp_path / "error.json"
    script = (
        "import asyncio\nasync def wait():\n    os.kill(os.getpid(), signal.SIGINT)\n    await asyncio.sleep(60)\n"
        "with record():\n    asyncio.run(wait())\n"
    )
    assert run(script, file).returncode == -signal.SIGINT
    assert read_error_file(file).signal == "SIGINT"


def test_a_directory_that_cannot_be_written_changes_nothing_but_a_warning(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    ended = run(main_of("@record", ENDS["exit 3"]), tmp_path / "file" / "error.json")
    assert ended.returncode == 3
    assert len(ended.stderr.splitlines()) == 1
    assert ended.stderr.startswith("record() could not do its part")


def test_output_that_nobody_reads_any_more_does_not_matter(tmp_path: Path) -> None:
    file = tmp_path / "error.json"
    script = main_of("@record", "os.close(1); os.close(2); raise ValueError('x')")
    assert run(script, file).returncode == 1
    assert read_error_file(file).message == "ValueError: x"


def test_a_process_without_any_stderr_is_recorded(tmp_path: Path) -> None:
    file = tmp_path / "error.json"
    assert run("sys.stderr = None\n" + main_of("@record", "raise ValueError('x')"), file).returncode == 1
    assert read_error_file(file).message == "ValueError: x"


def test_a_killed_writer_leaves_no_half_report_and_the_exit_is_its_own(tmp_path: Path) -> None:
    file = tmp_path / "error.json"
    ended = run(
        "os.fsync = lambda descriptor: os.kill(os.getpid(), signal.SIGKILL)\n"
        + main_of("@record", "raise ValueError('x' * 100000)"),
        file,
    )
    assert ended.returncode == -signal.SIGKILL
    assert not file.exists()


RACER = """
print("ready", flush=True)
sys.stdin.readline()
@record
def main():
    raise ValueError(sys.argv[1] * 20000)
main()
"""


def test_of_two_workers_with_one_error_file_one_report_stands_whole(tmp_path: Path) -> None:
    file = tmp_path / "error.json"
    script = "import os, signal, sys\nfrom errors_core import record\n" + RACER
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", script, letter],
            env={**os.environ, ERROR_FILE_ENV: str(file)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        for letter in "ab"
    ]
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n"
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("go\n")
        racer.stdin.flush()
    for racer in racers:
        racer.communicate()
        assert racer.returncode == 1
    report = read_error_file(file)
    assert report.message in {"ValueError: " + letter * 20000 for letter in "ab"}
    assert report.pid in {racer.pid for racer in racers}
    assert [entry.name for entry in tmp_path.iterdir()] == ["error.json"]
