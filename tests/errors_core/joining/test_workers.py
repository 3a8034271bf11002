"""Which sightings are one worker, and which of its values are shown."""

from __future__ import annotations

import pytest

from errors_core.job import Hit, Place
from errors_core.joining import Strand
from errors_core.sightings import Sighting
from tests.errors_core.joining.strands import (
    NOON,
    end,
    error_file,
    joined,
    launcher,
    run_directory,
    stopped,
    summary,
    workers,
)

LOG = "top/launcher"
DIRECTORY = "top/logs/job_a1b2c3d4"


def test_a_worker_seen_in_its_directory_the_summary_and_a_schedulers_line_is_one() -> None:
    home = run_directory(DIRECTORY)
    error_file(home, 1, rank=1)
    log = launcher(LOG, end(LOG, 5, local_rank=1, pid=12, exitcode=1), end(LOG, 9, rank=1, local_rank=1, host="n1"))
    log.sightings.append(Sighting(source="scheduler_log", place=Place("dmesg.txt", 3), pid=12, host="n1"))
    log.sightings[1].error_file = f"/scratch/{DIRECTORY.rsplit('/', 1)[1]}/attempt_0/1/error.json"
    silent, worker = workers(home, log)
    assert (worker.rank, worker.local_rank, worker.pid, worker.exitcode, worker.host) == (1, 1, 12, 1, "n1")
    assert [place.path for place in worker.sources] == [
        f"{DIRECTORY}/attempt_0/1/error.json",
        "top/launcher.log",
        "top/launcher.log",
        "dmesg.txt",
    ]
    assert (silent.failed, silent.local_rank) == (False, 0)


def test_every_shown_value_says_where_it_comes_from() -> None:
    home = run_directory(DIRECTORY, ranks=1)
    error_file(home, 0, host="n1", pid=11)
    (worker,) = workers(home, launcher(LOG, end(LOG, 5, local_rank=0, pid=11, exitcode=-9, rank=0)))
    told = {(fact.name, fact.value, fact.source) for fact in worker.facts}
    assert told == {
        ("timestamp", NOON, "error_file"),
        ("host", "n1", "error_file"),
        ("pid", 11, "error_file"),
        ("pid", 11, "launcher_log"),
        ("rank", 0, "launcher_log"),
        ("exitcode", -9, "launcher_log"),
    }
    assert worker.conflicts() == ()


def test_words_come_from_the_error_file_and_ends_from_the_launcher() -> None:
    home = run_directory(DIRECTORY, ranks=1)
    error_file(home, 0, "KeyError: 'x'", exitcode=3)
    log = launcher(
        LOG, end(LOG, 5, local_rank=0, pid=11, exitcode=-6, message="Signal 6", timestamp=NOON + 2), run_id="job"
    )
    log.sightings[0].timestamp_source = "launcher_log"
    (worker,) = workers(home, log)
    assert worker.failure is not None
    assert (worker.failure.message, worker.timestamp, worker.exitcode) == ("KeyError: 'x'", NOON, -6)
    assert [sorted({fact.value for fact in group}) for group in worker.conflicts()] == [[-6, 3]]


def test_the_workers_log_has_better_words_than_the_launchers() -> None:
    home = run_directory(DIRECTORY, ranks=1)
    home.sightings.append(
        Sighting(source="worker_log", place=Place("e", 4), attempt=0, local_rank=0, error=summary("KeyError: 'x'", "e"))
    )
    (worker,) = workers(home, launcher(LOG, end(LOG, 5, local_rank=0, pid=1, exitcode=1, message="exit code 1")))
    assert worker.failure is not None
    assert worker.failure.message == "KeyError: 'x'"


@pytest.mark.parametrize(
    ("exitcode", "title", "failed"),
    [
        (None, None, False),
        (0, None, False),
        (1, None, True),
        (-15, None, True),
        (None, "KeyError: 'x'", True),
        (0, "KeyError: 'x'", False),
    ],
)
def test_a_worker_failed_by_its_exit_code_or_the_traceback_that_ended_it(
    exitcode: int | None, title: str | None, failed: bool
) -> None:
    error = summary(title) if title else None
    (worker,) = workers(launcher(LOG, end(LOG, 1, local_rank=0, pid=3, exitcode=exitcode, error=error)))
    assert worker.failed is failed
    assert (worker.failure is not None) is failed


def test_a_process_that_was_only_stopped_has_not_failed() -> None:
    (worker,) = workers(launcher(LOG, stopped(LOG, 1, 11)))
    assert (worker.pid, len(worker.closings), worker.failure) == (11, 1, None)


def test_two_signals_to_one_process_are_one_worker() -> None:
    (worker,) = workers(launcher(LOG, stopped(LOG, 1, 11), stopped(LOG, 8, 11)))
    assert [closing.place.line for closing in worker.closings] == [1, 8]


def test_stopped_processes_are_the_remaining_local_ranks_in_their_order() -> None:
    log = launcher(LOG, *(stopped(LOG, line, 10 + line) for line in (1, 3, 4)))
    log.sightings.append(end(LOG, 5, local_rank=2, pid=12, exitcode=1))
    found = workers(run_directory(DIRECTORY, ranks=4), log)
    assert [(w.local_rank, w.pid, bool(w.closings)) for w in found] == [
        (0, 11, True),
        (1, 13, True),
        (2, 12, False),
        (3, 14, True),
    ]


def test_where_it_cannot_be_told_which_process_is_which_none_is_guessed() -> None:
    log = launcher(LOG, stopped(LOG, 1, 11), end(LOG, 5, local_rank=2, pid=12, exitcode=1))
    found = workers(run_directory(DIRECTORY, ranks=4), log)
    assert [(w.local_rank, w.pid) for w in found] == [(0, None), (1, None), (2, 12), (3, None)]


def test_processes_of_a_launcher_whose_local_ranks_are_unknown_are_workers_of_their_own() -> None:
    found = workers(
        launcher(LOG, stopped(LOG, 1, 11), stopped(LOG, 2, 12), end(LOG, 5, local_rank=5, pid=9, exitcode=1))
    )
    assert [(w.local_rank, w.pid) for w in found] == [(5, 9), (None, 11), (None, 12)]


def test_a_rank_prefix_and_a_local_rank_are_one_worker_where_another_attempt_shows_how_ranks_were_dealt() -> None:
    log = launcher(LOG, end(LOG, 1, rank=1, error=summary()), end(LOG, 2, local_rank=1, pid=12, exitcode=1))
    log.sightings += [end(LOG, 9, attempt=1, rank=r, local_rank=r, pid=20 + r, exitcode=-15) for r in (0, 1)]
    (run,) = joined(log)
    (first, *_), _ = [attempt.workers for attempt in run.attempts]
    assert (first.local_rank, first.rank, first.pid, first.error is not None) == (1, 1, 12, True)
    assert len(run.attempts[0].workers) == 1


def test_a_rank_that_was_dealt_otherwise_is_not_taken_for_a_local_rank() -> None:
    log = launcher(LOG, end(LOG, 1, rank=9, error=summary()), end(LOG, 2, local_rank=1, pid=12, exitcode=1))
    log.sightings += [end(LOG, 9, attempt=1, rank=r, local_rank=r, pid=20 + r, exitcode=-15) for r in (0, 1)]
    (run,) = joined(log)
    assert [(w.local_rank, w.rank) for w in run.attempts[0].workers] == [(1, None), (None, 9)]


def test_a_scheduler_may_name_processes_that_are_no_workers() -> None:
    log = launcher(LOG, end(LOG, 1, local_rank=0, pid=11, exitcode=-9))
    log.sightings.append(Sighting(source="scheduler_log", place=Place("top/launcher.log", 7), pid=999))
    assert [w.pid for w in workers(log)] == [11]


def test_a_rank_that_only_a_scheduler_names_is_a_worker() -> None:
    log = launcher(LOG, Sighting(source="scheduler_log", place=Place("top/launcher.log", 7), rank=3, exitcode=-9))
    assert [(w.rank, w.exitcode, w.failed) for w in workers(log)] == [(3, -9, True)]


def test_the_same_line_in_two_logs_is_one_hit() -> None:
    home = run_directory(DIRECTORY, ranks=1)
    for path in ("stderr.log", "top/launcher.log"):
        home.sightings.append(
            Sighting(
                source="worker_log" if path == "stderr.log" else "launcher_log",
                place=Place(path),
                attempt=0,
                local_rank=0,
                hits=(Hit("gloo_closed", "Connection closed", Place(path, 4)),),
            )
        )
    (worker,) = workers(home)
    assert [hit.place.path for hit in worker.hits] == ["stderr.log"]


def test_workers_come_in_the_order_of_nodes_and_local_ranks() -> None:
    homes = [run_directory(f"top/node{node}/job_a1b2c3{node:02}", timestamp=NOON) for node in (10, 9, 2)]
    assert [(w.node, w.local_rank) for w in workers(*homes)] == [
        (node, rank) for node in ("node2", "node9", "node10") for rank in (0, 1)
    ]


# --- text that nobody signed


def test_an_unsigned_traceback_is_the_only_workers_that_it_fits() -> None:
    log = launcher(LOG, end(LOG, 3, error=summary("KeyError: 'x'")))
    log.sightings += [end(LOG, 9, local_rank=0, pid=1, exitcode=1), end(LOG, 10, local_rank=1, pid=2, exitcode=-9)]
    assert [(w.local_rank, w.error is not None) for w in workers(log)] == [(0, True), (1, False)]


def test_an_unsigned_traceback_that_fits_several_is_given_to_none() -> None:
    log = launcher(LOG, end(LOG, 3, error=summary("KeyError: 'x'")))
    log.sightings += [end(LOG, 9 + rank, local_rank=rank, pid=1 + rank, exitcode=1) for rank in (0, 1)]
    found = workers(log)
    assert [(w.local_rank, w.error.link.type if w.error else None) for w in found] == [
        (0, None),
        (1, None),
        (None, "KeyError"),
    ]


def test_as_many_equal_tracebacks_as_workers_are_theirs() -> None:
    log = launcher(LOG, *(end(LOG, 3 + rank, error=summary("KeyError: 'x'", line=3 + rank)) for rank in (0, 1)))
    log.sightings += [end(LOG, 9 + rank, local_rank=rank, pid=1 + rank, exitcode=1) for rank in (0, 1)]
    assert [(w.local_rank, w.error is not None) for w in workers(log)] == [(0, True), (1, True)]


def test_an_exit_code_of_nobody_knows_whom_is_a_worker_unless_a_known_one_has_it() -> None:
    log = launcher(LOG, end(LOG, 3, exitcode=-11))
    assert [(w.rank, w.local_rank, w.exitcode, w.failed) for w in workers(log)] == [(None, None, -11, True)]
    log.sightings.append(end(LOG, 5, local_rank=3, pid=7, exitcode=-11))
    assert [(w.local_rank, w.exitcode) for w in workers(log)] == [(3, -11)]


def test_what_a_worker_is_known_to_have_left_is_no_second_worker() -> None:
    home = run_directory(DIRECTORY)
    error_file(home, 1, "KeyError: 'x'")
    log = launcher(LOG, end(LOG, 3, error=summary("KeyError: 'x'")), end(LOG, 9, local_rank=1, pid=2, exitcode=1))
    log.sightings[1].error_file = f"/scratch/{DIRECTORY.rsplit('/', 1)[1]}/attempt_0/1/error.json"
    found = workers(home, log)
    assert [w.local_rank for w in found] == [0, 1]
    assert Place("top/launcher.log", 3) in found[1].sources


def test_a_traceback_in_another_text_beside_a_job_is_a_note_and_no_worker() -> None:
    notes = Strand("log", ("top", "notes"), "top/notes.txt")
    notes.sightings.append(end("top/notes", 3, error=summary("KeyError: 'old'"), attempt=None))
    (run,) = joined(run_directory("top/logs/job_a1b2c3d4"), notes)
    assert [w.local_rank for w in run.attempts[0].workers] == [0, 1]
    assert [(event.kind, event.text) for event in run.attempts[0].events] == [("note", "KeyError: 'old'")]
