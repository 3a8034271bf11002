"""The benchmarks run and find what they planted; how fast they are is no matter here."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from errors_core.diagnosis.signatures import builtin_signatures
from errors_core.load import load_job
from errors_core.readers.launcher_log import read_launcher_log
from tests.benchmarks.__main__ import main
from tests.benchmarks.error_files import write_error_files
from tests.benchmarks.launcher_output import CULPRIT, WORLD_SIZE, write_launcher_log
from tests.benchmarks.measuring import Command, run_once, task_command
from tests.benchmarks.tables import Row, format_bytes, format_growth, format_table, replace_measured

SIZE = 1_000_000


def test_a_generated_log_has_its_size_and_is_the_same_every_time(tmp_path: Path) -> None:
    for name in ("one", "other"):
        write_launcher_log(tmp_path / name, SIZE)
    data = (tmp_path / "one").read_bytes()
    assert data == (tmp_path / "other").read_bytes()
    assert SIZE - 4_000 < len(data) <= SIZE
    assert data.endswith(b"\n")


def test_a_generated_log_names_eight_workers_and_the_one_that_failed_first(tmp_path: Path) -> None:
    write_launcher_log(tmp_path / "launcher.log", SIZE)
    data = (tmp_path / "launcher.log").read_bytes()
    reading = read_launcher_log(io.BytesIO(data), "launcher.log", builtin_signatures())
    assert {seen.rank for seen in reading.sightings if seen.summary_index is not None} == set(range(WORLD_SIZE))
    assert {seen.rank for seen in reading.sightings if seen.launcher_root} == {CULPRIT}


def test_a_generated_tree_holds_a_worker_for_each_error_file(tmp_path: Path) -> None:
    write_error_files(tmp_path / "job", 20)
    job = load_job(tmp_path / "job")
    assert (job.workers, job.problems) == (20, ())
    assert len(list(tmp_path.rglob("error.json"))) == 20


def test_a_wrong_answer_is_no_measurement(tmp_path: Path) -> None:
    write_error_files(tmp_path / "job", 8)
    assert run_once(task_command("load_job", tmp_path / "job", 8), tmp_path).memory > 0
    with pytest.raises(RuntimeError, match="load_job"):
        run_once(task_command("load_job", tmp_path / "job", 9), tmp_path)
    with pytest.raises(RuntimeError, match="exit status 3"):
        run_once(Command("fails", ("sh", "-c", "exit 3")), tmp_path)


def test_a_table_tells_speed_beside_its_peer_and_memory_where_it_matters() -> None:
    rows = [Row("a | b", 2.0, 1.0), Row("ours", 4.0, 0.5, 1_500_000)]
    head, _, peer, ours = format_table(rows, beside="a | b", workers=1000)
    assert head == "|  | time | CPU time | speed | speed by CPU time | memory | memory a worker |"
    assert peer == r"| `a \| b` | 2.00 s | 1.00 s | 1.00 | 1.00 |  |  |"
    assert ours == "| `ours` | 4.00 s | 0.50 s | 0.50 | 2.00 | 1.5 MB | 1.5 kB |"
    assert format_growth([(10**9, rows[1])])[-1] == "| 1 GB | 4.00 s | 0.50 s | 1.5 MB |"


@pytest.mark.parametrize(("count", "text"), [(12, "12 B"), (98_304_000, "98.3 MB"), (400_000_000, "400 MB")])
def test_sizes_have_three_digits(count: int, text: str) -> None:
    assert format_bytes(count) == text


def test_measurements_replace_what_stands_between_the_markers() -> None:
    page = "before\n<!-- measured: begin -->\nold\n<!-- measured: end -->\nafter\n"
    new = "before\n<!-- measured: begin -->\n\nnew\n\n<!-- measured: end -->\nafter\n"
    assert replace_measured(page, "\nnew\n") == new == replace_measured(new, "new")
    with pytest.raises(ValueError, match="measured: begin"):
        replace_measured("no markers", "new")


def test_the_whole_benchmark_runs_on_a_small_log_and_a_small_tree(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--size", "1MB", "--workers", "16", "--rounds", "1"]) == 0
    printed = capsys.readouterr().out
    titles = [line for line in printed.splitlines() if line.startswith("### ")]
    assert [title.split(" (")[0] for title in titles] == [
        "### A launcher log of 1 MB",
        "### The same as .gz",
        "### Growth",
        "### 16 error files, 8 a host",
    ]
    assert printed.count("| `elastic-inspect --format text` |") == 4
