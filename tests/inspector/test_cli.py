"""The installed command as a process of its own: what goes where, and the exit status."""

import contextlib
import json
import os
import pty
import re
import signal
import subprocess
import sys
import termios
from functools import cache
from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from inspector.presentation.safe_text import cell_width, safe_lines

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data" / "torchrun"
COMMAND = [sys.executable, "-m", "inspector"]
JOBS = sorted(path.name for path in DATA.iterdir() if path.is_dir())
FORMATS = ("text", "markdown", "json")


def environment(**more: str) -> dict[str, str]:
    ours = {"NO_COLOR", "LC_ALL", "LANG", "LC_CTYPE", "COLUMNS", "LINES"}
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    return kept | {"PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"} | more


def run(*args: str | Path, stdin: bytes = b"", **env: str) -> subprocess.CompletedProcess[bytes]:
    command = [*COMMAND, *map(str, args)]
    return subprocess.run(command, input=stdin, capture_output=True, env=environment(**env), cwd=ROOT, check=False)


def python(code: str, *args: str) -> str:
    """Run code in a fresh process and return what it printed last."""
    done = subprocess.run(
        [sys.executable, "-c", code, *args], capture_output=True, env=environment(), cwd=ROOT, check=True, text=True
    )
    return done.stdout.splitlines()[-1]


def one_line(done: subprocess.CompletedProcess[bytes]) -> str:
    """The only line on stderr, which is no traceback."""
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith("elastic-inspect: ")
    assert line.isprintable()
    return line


# --- what every recorded job must show ---------------------------------------------------------------------------


@cache
def recorded(job: str, form: str) -> subprocess.CompletedProcess[bytes]:
    """One run over one recorded job: several tests look at the same output."""
    return run(DATA / job, "--format", form)


@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize("form", FORMATS)
def test_every_recorded_job_is_shown_without_a_byte_that_acts(job: str, form: str) -> None:
    done = recorded(job, form)
    assert done.returncode == 0
    assert done.stderr == b""
    text = done.stdout.decode()
    assert all(line.isprintable() for line in text.splitlines())
    assert not any(byte in done.stdout for byte in (b"\x1b", b"\x00", b"\xc2\x9b", b"\x7f"))


@pytest.mark.parametrize("job", JOBS)
def test_every_error_file_and_its_traceback_is_in_the_text(job: str) -> None:
    lines = recorded(job, "text").stdout.decode().splitlines()
    shown = {line.strip() for line in lines}
    for path in (DATA / job).rglob("error.json"):
        assert str(path) in shown
        said = json.loads(path.read_text())["message"]["extraInfo"]["py_callstack"]
        for line in safe_lines(said):
            assert line.strip() in shown


@pytest.mark.parametrize("job", JOBS)
def test_the_first_screen_holds_the_answer_and_what_to_check(job: str) -> None:
    screen = recorded(job, "text").stdout.decode().splitlines()[:24]
    assert max(map(cell_width, screen)) <= 80
    assert any(line.startswith("Confidence") for line in screen)
    assert any(line.startswith("  1. ") for line in screen[screen.index("Check first") :])
    assert "Why" in screen


@pytest.mark.parametrize("job", JOBS)
def test_the_json_of_every_recorded_job_keeps_the_schema(job: str) -> None:
    data = json.loads(recorded(job, "json").stdout)
    Draft202012Validator(json.loads((files("inspector.reports") / "report.schema.json").read_text())).validate(data)
    files_shown = {
        worker["error_file"] for found in data["runs"] for attempt in found["attempts"] for worker in attempt["workers"]
    }
    assert {str(path) for path in (DATA / job).rglob("error.json")} <= files_shown


def test_the_answer_about_two_nodes_names_the_right_worker_within_a_screen() -> None:
    lines = recorded("two_node", "text").stdout.decode().splitlines()
    screen = "\n".join(lines[:24])
    for part in ("ank 3", "gpu-node-02", "IndexError: list index out of range", "train.py:26", "parse_shard"):
        assert part in screen


def test_every_attempt_is_shown_with_its_verdict() -> None:
    text = recorded("restart", "text").stdout.decode()
    assert "attempt 2, one of 3" in text
    assert "attempt 0" in text.split("Also there", 1)[1]
    assert "attempt 1" in text.split("Also there", 1)[1]


# --- choosing ----------------------------------------------------------------------------------------------------


def test_an_attempt_can_be_chosen_and_a_wrong_one_lists_what_there_is() -> None:
    data = json.loads(run(DATA / "restart", "--json", "--attempt", "0").stdout)
    assert data["verdict"]["local_rank"] == 1
    done = run(DATA / "restart", "--attempt", "7")
    assert done.returncode == 2
    assert "has no attempt 7; it has 0, 1, 2" in one_line(done)
    assert run(DATA / "restart", "--run", "nobody").returncode == 2


def test_without_a_path_the_current_directory_is_read() -> None:
    done = subprocess.run(COMMAND, capture_output=True, cwd=DATA / "exc_one", env=environment(), check=False)
    assert done.returncode == 0
    assert b"IndexError" in done.stdout


def test_the_demo_is_shown_wherever_it_is_started(tmp_path: Path) -> None:
    done = subprocess.run([*COMMAND, "--demo"], capture_output=True, cwd=tmp_path, env=environment(), check=False)
    assert done.returncode == 0
    assert b"IndexError: list index out of range" in done.stdout
    assert run("--demo", "somewhere").returncode == 2


def test_standard_input_is_read() -> None:
    log = (DATA / "norec_tee" / "launcher.log").read_bytes()
    done = run("-", "--json", stdin=log)
    assert done.returncode == 0
    assert json.loads(done.stdout)["verdict"]["rank"] == 2


# --- exit status and stderr --------------------------------------------------------------------------------------


def test_a_job_without_a_failure_ends_with_1_and_one_line_of_counts(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("all is well\n")
    done = run(tmp_path)
    assert done.returncode == 1
    assert done.stdout == b""
    assert "nothing failed below" in one_line(done)
    assert "0 workers" in one_line(done)


def test_an_empty_directory_ends_with_1_and_says_what_to_give(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.returncode == 1
    assert "--log-dir" in one_line(done)


def test_json_is_written_also_when_nothing_failed(tmp_path: Path) -> None:
    done = run(tmp_path, "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["runs"] == []


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["no/such/directory"], "no/such/directory: "),
        (["pyproject.toml/inside"], "pyproject.toml/inside: "),
        (["--nonsense"], "No such option: --nonsense"),
        (["--format", "yaml"], "'yaml'"),
        (["--format", "tui"], "needs a terminal"),
        (["--demo", "-o", "no/such/report.txt"], "no/such/report.txt"),
    ],
)
def test_what_cannot_be_done_ends_with_2_and_one_line(args: list[str], said: str) -> None:
    done = run(*args)
    assert done.returncode == 2
    assert done.stdout == b""
    assert said in one_line(done)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_directory_that_may_not_be_read_ends_with_2(tmp_path: Path) -> None:
    tmp_path.chmod(0)
    done = run(tmp_path)
    tmp_path.chmod(0o700)
    assert done.returncode == 2
    assert "permission denied" in one_line(done).lower()


def test_a_path_cannot_act_on_the_terminal_that_shows_the_complaint() -> None:
    assert "\\x1b" in one_line(run("no\x1b[2Jsuch"))


def test_an_interrupt_ends_with_130() -> None:
    waiting = subprocess.Popen(
        [*COMMAND, "-"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(),
        cwd=ROOT,
    )
    assert waiting.stdin is not None
    waiting.stdin.write(b"x\n" * 100_000)  # more than a pipe holds: once it is through, the reader is at work
    waiting.stdin.flush()
    waiting.send_signal(signal.SIGINT)
    _, errors = waiting.communicate()
    assert waiting.returncode == 130
    assert b"Traceback" not in errors


def test_a_reader_that_goes_away_is_no_error() -> None:
    shell = f"{sys.executable} -m inspector {DATA / 'many'} --json | head -c 10"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, env=environment(), cwd=ROOT, check=False)
    assert done.stdout == b'{"schema_v'
    assert done.stderr == b""


# --- where the report goes ---------------------------------------------------------------------------------------


def test_a_report_in_a_file_is_plain_and_leaves_stdout_empty(tmp_path: Path) -> None:
    done = run(DATA / "exc_one", "-o", tmp_path / "report.txt")
    assert done.returncode == 0
    assert done.stdout == b""
    assert (tmp_path / "report.txt").read_bytes() == run(DATA / "exc_one").stdout


def test_a_plain_c_locale_gets_ascii_alone() -> None:
    done = run(DATA / "two_node", LC_ALL="C")
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert max(map(len, done.stdout.decode().splitlines()[:24])) <= 80


def on_terminal(*args: str | Path, **env: str) -> bytes:
    """Run the command with a terminal of 100 columns as stdout and return what the terminal got."""
    primary, secondary = pty.openpty()
    termios.tcsetwinsize(secondary, (24, 100))
    command = [*COMMAND, *map(str, args)]
    running = subprocess.Popen(command, stdout=secondary, stderr=secondary, env=environment(**env), cwd=ROOT)
    os.close(secondary)
    received = b""
    with contextlib.suppress(OSError):  # Linux ends the stream with EIO when the last writer has gone
        while chunk := os.read(primary, 65536):
            received += chunk
    os.close(primary)
    assert running.wait() == 0
    return received.replace(b"\r\n", b"\n")


def test_a_terminal_gets_bold_titles_and_its_own_width() -> None:
    shown = on_terminal(DATA / "two_node", "--format", "text", TERM="xterm")
    assert b"\x1b[1mCheck first\x1b[0m" in shown
    plain = re.sub(rb"\x1b\[[0-9;]*m", b"", shown).decode()
    assert all(line.isprintable() for line in plain.splitlines())
    assert any(80 < len(line) <= 100 for line in plain.splitlines() if "gpu-node-01/0" in line)


@pytest.mark.parametrize("env", [{"TERM": "xterm", "NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_that_wants_no_colours_gets_no_escape_sequence(env: dict[str, str]) -> None:
    assert b"\x1b" not in on_terminal(DATA / "two_node", "--format", "text", **env)


def test_a_dumb_terminal_gets_the_text_report_without_being_asked() -> None:
    assert b"Check first" in on_terminal(DATA / "two_node", TERM="dumb")


# --- what is loaded ----------------------------------------------------------------------------------------------

LOADED = """
import sys
from inspector.cli import main
status = main(sys.argv[1:])
sys.stdout.flush()
print(" ".join(sorted({".".join(name.split(".")[:2]) for name in sys.modules})))
"""


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_load_neither_textual_nor_the_readers(option: str) -> None:
    loaded = python(LOADED, option).split()
    assert not {name for name in loaded if name.split(".")[0] in {"textual", "rich", "errors_core"}}


@pytest.mark.parametrize("form", FORMATS)
def test_a_report_never_loads_textual(form: str) -> None:
    loaded = python(LOADED, str(DATA / "two_node"), "--format", form).split()
    assert "errors_core.load" in loaded
    assert not {name for name in loaded if name.split(".")[0] == "textual"}


def test_help_is_plain_text_and_names_every_exit_the_contract_has() -> None:
    done = run("--help")
    assert done.returncode == 0
    assert done.stdout.decode().startswith("Usage: elastic-inspect [OPTIONS] [PATH]...")
    assert b"\x1b" not in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.decode().splitlines())


def test_bash_can_complete_the_command() -> None:
    shell = f"{sys.executable} -m inspector --show-completion; true"  # `; true` keeps bash the parent that is detected
    done = subprocess.run(["bash", "-c", shell], capture_output=True, env=environment(), cwd=ROOT, check=False)
    assert b"_ELASTIC_INSPECT_COMPLETE=complete_bash" in done.stdout
    completed = run(_ELASTIC_INSPECT_COMPLETE="complete_bash", COMP_WORDS="elastic-inspect --for", COMP_CWORD="1")
    assert b"--format" in completed.stdout
