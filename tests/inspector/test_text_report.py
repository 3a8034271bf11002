from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from errors_core.job import Job, Problem
from errors_core.verdict import Evidence, Verdict, WorkerState
from inspector.presentation.choice import Choice
from inspector.presentation.safe_text import cell_width
from inspector.reports.text import format_text
from tests.builders import (
    CULPRIT,
    LOST_PEER,
    RecordedDetails,
    make_attempt,
    make_failure,
    make_job,
    make_run,
    make_verdict,
    make_worker,
    many_ranks,
    two_node,
    two_node_verdict,
)


def report(job: Job, verdicts: list[list[Verdict]] | None = None, **options: Any) -> list[str]:
    if verdicts is None:
        verdicts = [[make_verdict(attempt) for attempt in run.attempts] for run in job.runs]
    last = Choice(len(job.runs) - 1, len(job.runs[-1].attempts) - 1) if job.runs else None
    return list(format_text(job, verdicts, **({"choice": last, "details": RecordedDetails()} | options)))


def test_the_first_line_is_the_verdict_and_the_first_screen_says_what_to_do() -> None:
    lines = report(two_node(), [[two_node_verdict()]])
    assert lines[0] == "Rank 3 broke the job: IndexError: list index out of range."
    screen = "\n".join(lines[:24])
    for part in (
        "Confidence",
        "sure",
        "gpu-node-02",
        "train.py:26 parse_shard",
        "error.json:1",
        "Check first",
        "  1. Look",
    ):
        assert part in screen


def test_a_report_longer_than_a_screen_ends_with_the_answer() -> None:
    lines = report(two_node(), [[two_node_verdict()]])
    ending = lines[lines.index("The answer again") :]
    assert ending[1] == lines[0]
    assert ending[-1] == "  1. Look at parse_shard in train.py, line 26."
    assert len(ending) < 24


def test_a_report_that_fits_a_screen_says_it_once() -> None:
    job = make_job(make_run(make_attempt(make_worker(exitcode=0))))
    lines = report(job)
    assert len(lines) <= 24
    assert "The answer again" not in lines


def test_no_line_of_its_own_is_wider_than_the_page() -> None:
    for width in (60, 80, 100):
        job = many_ranks(40)
        wide = [line for line in report(job, width=width) if cell_width(line) > width]
        assert wide == []


def test_the_root_causes_traceback_is_shown_in_pythons_own_layout() -> None:
    text = 'Traceback (most recent call last):\n  File "x.py", line 1, in f\n    ' + "y" * 200 + "\nValueError: no\n"
    lines = report(two_node(), [[two_node_verdict()]], details=RecordedDetails({3: text}))
    start = lines.index("Traceback of rank 3")
    assert lines[start + 3 : start + 7] == text.splitlines()


def test_every_failed_worker_and_every_error_file_is_there() -> None:
    job = many_ranks(100)
    lines = report(job)
    assert "Workers that failed (32 of 100, the whole table is below)" in lines
    table = lines[lines.index("Every worker that failed (100)") :]
    for worker in job.runs[0].attempts[0].workers:
        assert f"    {worker.error_file}" in lines
        assert any(f"{worker.rank} {worker.host}/{worker.local_rank}" in line for line in table)


def test_the_same_traceback_is_shown_once_with_all_its_ranks() -> None:
    lines = report(many_ranks(9))
    assert sum(LOST_PEER in line and not line.startswith(" ") for line in lines) == 1
    assert "The same on ranks 1, 2, 4-8." in lines


def test_lines_that_differ_between_equal_failures_are_kept() -> None:
    said = {0: "Traceback\n  File a\nE: port 1\n", 1: "Traceback\n  File a\nE: port 2\n"}
    job = make_job(make_run(make_attempt(make_worker("E: port 1", rank=0), make_worker("E: port 2", rank=1))))
    lines = report(job, details=RecordedDetails(said))
    start = lines.index("The same on rank 1 but for:")
    assert lines[start + 1] == "  E: port 2"


def test_workers_beyond_the_compared_ones_are_named_as_alike() -> None:
    workers = [make_worker(LOST_PEER, rank=rank) for rank in range(101)]
    lines = report(make_job(make_run(make_attempt(*workers))))
    assert "The same on ranks 1-31." in lines
    assert "The same but for numbers and addresses on ranks 32-100 (by fingerprint)." in lines


def test_a_root_cause_without_a_traceback_shows_the_end_of_its_log() -> None:
    worker = make_worker(exitcode=-11, stderr_log="logs/0/stderr.log")
    tail = RecordedDetails(tails={"logs/0/stderr.log": ["Fatal Python error: Segmentation fault", '  File "a.py"']})
    lines = report(make_job(make_run(make_attempt(worker))), details=tail)
    start = lines.index("No traceback of rank 0 was found: the last lines of its log")
    assert "Fatal Python error: Segmentation fault" in lines[start:]


def test_a_message_without_a_traceback_is_shown_in_full() -> None:
    worker = make_worker("first line\nsecond line", error=None)
    lines = report(make_job(make_run(make_attempt(worker))))
    start = lines.index("Message of rank 0")
    assert lines[start + 3 : start + 5] == ["first line", "second line"]


def test_every_attempt_is_there_with_its_verdict_and_its_traceback() -> None:
    first = make_attempt(make_worker("OSError: disk", rank=1), number=0)
    last = make_attempt(make_worker(CULPRIT, rank=3), number=1)
    job = make_job(make_run(first, last))
    verdicts = [[make_verdict(first, summary="The disk."), make_verdict(last, summary="The shard.")]]
    lines = report(job, verdicts)
    assert lines[0] == "The shard."
    assert any(line.startswith("Attempts") and "0: rank 1; 1: rank 3 (this one)" in line for line in lines)
    older = lines[lines.index("Also there: run job-4471, attempt 0") :]
    assert older[1] == "The disk."
    assert "OSError: disk" in older


def test_a_chosen_attempt_comes_first_and_the_newest_follows() -> None:
    job = make_job(make_run(make_attempt(number=0), make_attempt(number=1)))
    lines = report(job, choice=Choice(0, 0))
    assert any("attempt 0, one of 2" in line for line in lines[:10])
    assert "Also there: run job-4471, attempt 1" in lines


def test_problems_are_shown_with_their_place() -> None:
    job = make_job(problems=(Problem("errors/3/error.json", "not JSON", 12),))
    lines = report(job)
    assert any("1 problem" in line for line in lines[:12])
    start = lines.index("Problems with the data (1)")
    assert lines[start + 1 : start + 3] == ["  - not JSON", "    errors/3/error.json:12"]


def test_problems_are_shown_also_when_no_worker_was_found() -> None:
    lines = report(make_job(runs=(), problems=(Problem("errors/3/error.json", "not JSON"),)))
    assert lines[0].startswith("Nothing was found")
    assert "    errors/3/error.json" in lines


def test_workers_that_ended_well_are_counted_by_rank() -> None:
    workers = [make_worker(rank=0), *(make_worker(rank=rank, exitcode=0) for rank in range(1, 6))]
    lines = report(make_job(make_run(make_attempt(*workers))))
    assert any("Ended well: ranks 1-5." in line for line in lines)


def test_escape_sequences_and_markup_come_out_as_text() -> None:
    evil = "ValueError: \x1b]0;x\x07\x9b5n\x00[bold]\u202e"
    job = make_job(make_run(make_attempt(make_worker(evil, node="\x1b[2J", host="\x9bhost"))))
    verdict = make_verdict(job.runs[0].attempts[0], summary=evil, evidence=(Evidence(evil, "a\x1b.log", 1),))
    lines = report(job, [[verdict]], details=RecordedDetails({0: evil}))
    assert all(line.isprintable() for line in lines)
    assert lines[0] == "ValueError: ␛]0;x\\x07\\x9b5n\\x00[bold]\\u202e"


@given(st.text(st.characters(exclude_categories=()), max_size=30), st.booleans())
def test_no_text_of_the_job_can_make_the_report_unprintable(text: str, ascii_only: bool) -> None:
    worker = make_worker(f"E: {text}", host=text, node=text, error_file=text, stderr_log=text)
    job = make_job(make_run(make_attempt(worker), run_id=text), inputs=(text,), problems=(Problem(text, text),))
    verdict = make_verdict(job.runs[0].attempts[0], summary=text, broke_at=text, advice=(text,))
    lines = report(job, [[verdict]], details=RecordedDetails({0: text}), ascii_only=ascii_only)
    assert all(line.isprintable() for line in lines)
    assert not ascii_only or all(line.isascii() for line in lines)


def test_workers_of_unknown_end_are_not_called_failed() -> None:
    attempt = make_attempt(make_worker(exitcode=None))
    verdict = make_verdict(attempt, states=(WorkerState("unknown"),))
    lines = report(make_job(make_run(attempt)), [[verdict]])
    assert "Workers that were stopped or whose end is not known" in lines
    assert "Workers that failed" not in lines


def test_a_worker_without_a_message_has_no_empty_quote() -> None:
    worker = make_worker(failure=make_failure("  \n"), error=None)
    lines = report(make_job(make_run(make_attempt(worker))))
    assert not [line for line in lines if line.startswith(("Message of", "Traceback of"))]


def test_a_long_place_loses_directories_and_the_list_of_files_has_it_whole() -> None:
    job = make_job()
    path = f"{'d' * 60}/{'e' * 60}/launcher.log"
    verdict = make_verdict(job.runs[0].attempts[0], evidence=(Evidence("It says so.", path, 12),))
    lines = report(job, [[verdict]])
    assert any(line.endswith("[…/launcher.log:12]") for line in lines)
    assert f"    {path}" in lines
