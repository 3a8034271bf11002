"""What the panes say about one worker."""

from __future__ import annotations

from errors_core.details import LogTail
from errors_core.job import Attempt, Closing, Fact, Hit, Place, Problem, Worker
from inspector.presentation.choice import Choice
from inspector.presentation.extra_text import format_extra_info
from inspector.presentation.lines import plain
from inspector.presentation.log_text import format_logs
from inspector.presentation.panes import PANES, Look
from inspector.presentation.shown_attempt import find_same_attempt, find_same_worker, show_attempt
from inspector.presentation.signal_text import format_signal
from inspector.presentation.worker_details import WorkerDetails
from tests.builders import (
    NOON,
    make_attempt,
    make_job,
    make_run,
    make_verdict,
    make_worker,
    two_node,
    two_node_verdict,
)

LAUNCHER = Place("errors/node0/launcher.log", 5)


def signal_text(worker: Worker, *others: Worker) -> str:
    return "\n".join(map(plain, format_signal(make_attempt(worker, *others), worker)))


def extra_text(worker: Worker, details: WorkerDetails | None = None) -> str:
    return "\n".join(map(plain, format_extra_info(worker, details or WorkerDetails())))


def log_text(worker: Worker, details: WorkerDetails) -> str:
    return "\n".join(map(plain, format_logs(worker, details)))


def pane_text(name: str, attempt: Attempt, index: int | None, details: WorkerDetails | None = None) -> str:
    job = make_job(make_run(attempt))
    shown = show_attempt(job, Choice(0, 0), make_verdict(attempt))
    pane = next(pane for pane in PANES if pane.name == name)
    return "\n".join(map(plain, pane.format(Look(shown, index, details or WorkerDetails()))))


def test_a_signal_that_the_launcher_sent_names_the_line_that_says_so() -> None:
    text = signal_text(make_worker(rank=1, exitcode=-15, closings=(Closing(15, LAUNCHER, time=NOON + 2.0),)))
    assert "exit code -15  SIGTERM" in text
    assert "The launcher sent SIGTERM to rank 1" in text
    assert "errors/node0/launcher.log:5, 2026-12-01 12:00:02 UTC" in text


def test_a_forced_kill_is_told_from_the_first_request() -> None:
    closings = (Closing(15, LAUNCHER), Closing(9, Place("errors/node0/launcher.log", 9), forced=True))
    text = signal_text(make_worker(exitcode=-9, closings=closings))
    assert "after the grace period" in text
    assert "launcher.log:9" in text


def test_a_kill_that_the_launcher_did_not_send_is_not_put_on_it() -> None:
    other = make_worker(rank=1, exitcode=-15, closings=(Closing(15, LAUNCHER),))
    assert "Not the launcher, as far as its log tells" in signal_text(make_worker(exitcode=-9), other)


def test_without_a_launcher_log_the_sender_is_unknown() -> None:
    assert "Not known: nothing that was read tells who sends signals" in signal_text(make_worker(exitcode=-9))


def test_a_crash_is_nobodys_signal_even_after_the_launchers_own() -> None:
    assert "Most likely nobody" in signal_text(make_worker(exitcode=-11))
    closed = make_worker(exitcode=-11, closings=(Closing(15, LAUNCHER),))
    assert "Most likely nobody" in signal_text(closed)
    killed = make_worker(exitcode=-9, closings=(Closing(15, LAUNCHER),))
    assert "no line tells who sent it" in signal_text(killed)


def test_checks_name_the_process() -> None:
    assert "5003" in signal_text(make_worker(rank=3, exitcode=-9))


def test_an_unknown_exit_code_is_said_to_be_unknown() -> None:
    assert "The exit code of this worker is not known" in signal_text(make_worker(exitcode=None))


def test_every_fact_says_where_it_comes_from() -> None:
    worker = make_worker(rank=3, facts=(Fact("rank", 3, "error_file", Place("errors/1/error.json")),))
    assert "rank        3  error file errors/1/error.json" in extra_text(worker)


def test_sources_that_disagree_are_all_shown() -> None:
    facts = (
        Fact("exitcode", 1, "error_file", Place("errors/1/error.json")),
        Fact("exitcode", -15, "launcher_log", LAUNCHER),
    )
    text = extra_text(make_worker(facts=facts))
    assert "exit code   1  sources disagree" in text
    assert "-15  launcher log errors/node0/launcher.log:5" in text


def test_every_key_of_the_error_file_is_shown_but_the_traceback() -> None:
    details = WorkerDetails(
        extra_info={
            "hostname": "gpu-node-02",
            "py_callstack": "Traceback …",
            "errorTraits": {"category": "USER", "retryability": None},
            "lines": "one\ntwo",
        }
    )
    text = extra_text(make_worker(), details)
    assert "hostname  gpu-node-02" in text
    assert '"category": "USER"' in text
    assert "    one\n    two" in text
    assert "py_callstack" not in text


def test_an_unreadable_error_file_is_a_problem_with_its_path() -> None:
    details = WorkerDetails(problem=Problem("errors/1/error.json", "truncated JSON at byte 312"))
    assert "truncated JSON at byte 312  errors/1/error.json" in extra_text(make_worker(), details)


def test_unknown_facts_are_shown_as_unknown() -> None:
    text = extra_text(make_worker(host=None, timestamp=None, timestamp_source=None))
    assert "host        —" in text
    assert "failed at   —" in text


def test_logs_say_how_much_of_them_is_shown_and_mark_what_matched() -> None:
    tail = LogTail("errors/1/stderr.log", ("a", "CUDA error", "b"), first_line=7, truncated=True)
    worker = make_worker(hits=(Hit("cuda", "CUDA error", Place("errors/1/stderr.log", 8)),))
    rows = list(format_logs(worker, WorkerDetails(logs=(("stderr", tail),))))
    assert plain(rows[0]) == "stderr  the last 3 lines  errors/1/stderr.log"
    assert [row[0].role for row in rows[1:]] == ["text", "warning", "text"]


def test_a_log_that_cannot_be_read_says_why() -> None:
    gone = LogTail("errors/1/stderr.log", problem="it is gone")
    assert "it is gone" in log_text(make_worker(), WorkerDetails(logs=(("stderr", gone),)))
    empty = LogTail("errors/1/stdout.log")
    assert "stdout  empty" in log_text(make_worker(), WorkerDetails(logs=(("stdout", empty),)))


def test_without_a_log_the_switch_that_keeps_one_is_named() -> None:
    worker = make_worker(hits=(Hit("nccl", "NCCL WARN", LAUNCHER),))
    text = log_text(worker, WorkerDetails())
    assert "--redirects 3" in text
    assert "NCCL WARN  errors/node0/launcher.log:5" in text


def test_a_worker_without_a_traceback_shows_its_message_and_what_would_have_kept_one() -> None:
    attempt = make_attempt(make_worker("exited by itself", error=None), make_worker(rank=1, exitcode=-9))
    text = pane_text("traceback", attempt, 0)
    assert "exited by itself" in text
    assert "@record" in text
    assert "2 Signal" in pane_text("traceback", attempt, 1)


def test_a_worker_that_did_not_fail_is_not_blamed_for_leaving_nothing() -> None:
    assert "did not fail" in pane_text("traceback", make_attempt(make_worker(exitcode=0), make_worker(rank=1)), 0)


def test_an_attempt_without_workers_still_shows_its_evidence() -> None:
    assert "nothing failed." in pane_text("evidence", Attempt(), None).lower()
    for name in ("traceback", "signal", "extra", "log"):
        assert "5 Evidence" in pane_text(name, Attempt(), None)


def test_the_evidence_names_files_lines_and_the_part_of_the_selected_worker() -> None:
    shown = show_attempt(two_node(), Choice(0, 0), two_node_verdict())
    pane = next(pane for pane in PANES if pane.name == "evidence")
    text = "\n".join(map(plain, pane.format(Look(shown, 1, WorkerDetails()))))
    assert "Rank 3 raised an error of its own.  errors/node1/attempt_0/1/error.json:1" in text
    assert "Rank 1: ended by launcher" in text
    assert "it follows from rank 3" in text
    assert "The worker logs of node1." in text


def test_an_attempt_and_a_worker_are_found_again_after_reading_again() -> None:
    before = show_attempt(two_node(), Choice(0, 0), two_node_verdict())
    later = make_job(make_run(make_attempt(), run_id="job-0"), two_node().runs[0], make_run(run_id="job-9"))
    assert find_same_attempt(before, later) == Choice(1, 0)
    assert find_same_attempt(before, make_job(make_run(run_id="job-9"))) is None
    attempt = two_node().runs[0].attempts[0]
    assert find_same_worker(attempt.workers[2], attempt) == 2
    assert find_same_worker(make_worker(node="node9"), attempt) is None
