"""Causes that are nobody's in particular: outside stops, failed starts, shared failures, dead machines."""

from __future__ import annotations

from typing import Any

import pytest

from errors_core.diagnosis import compare_attempts, diagnose_job
from errors_core.job import Attempt, Run, Worker
from tests.builders import CULPRIT, LOST_PEER, NOON, make_attempt, make_error, make_job, make_run, make_worker
from tests.errors_core.diagnosis.pictures import (
    TIMEOUT,
    answer,
    event,
    silent,
    stop_signal,
    stopped,
    verdict,
    victim,
)

IMPORT = "ModuleNotFoundError: No module named 'flash_attn'"


def test_an_attempt_without_failures_has_nobody_to_blame() -> None:
    assert answer(verdict(make_worker(exitcode=0), make_worker(rank=1, exitcode=0))) == ("none", "sure", None)
    assert answer(verdict(silent(0), silent(1))) == ("none", "unsure", None)
    assert answer(verdict()) == ("none", "unsure", None)


@pytest.mark.parametrize(
    ("name", "words"),
    [("SIGTERM", "told to stop"), ("SIGHUP", "terminal or session"), ("SIGINT", "Ctrl-C"), ("1", "session")],
)
def test_a_signal_to_the_launcher_blames_no_worker(name: str, words: str) -> None:
    found = verdict(stopped(0), stopped(1), events=(stop_signal(name),))
    assert answer(found) == ("external", "sure", None)
    assert words in found.summary
    assert [state.state for state in found.states] == ["ended_by_launcher"] * 2


def test_a_stop_with_no_worker_known_at_all_is_external() -> None:
    assert answer(verdict(events=(stop_signal(),))) == ("external", "sure", None)


@pytest.mark.parametrize("why", ["TIME LIMIT", "PREEMPTION", "JOB REQUEUE"])
def test_the_scheduler_says_why_it_ended_the_job(why: str) -> None:
    text = f"slurmstepd: error: *** JOB 608 ON n1 CANCELLED AT 2026-08-12T02:06:12 DUE TO {why} ***"
    cancel = event("scheduler", text, "slurm_cancel_due", fields=(("why", why),), time=NOON - 2.0)
    found = verdict(victim(0), stopped(1), events=(cancel, stop_signal(line=12, time=NOON - 1.0)))
    assert (found.kind, found.worker, found.cause) == ("external", None, "slurm_cancel_due")
    assert why.lower() in found.summary


def test_a_failure_before_the_stop_is_the_cause() -> None:
    found = verdict(make_worker(CULPRIT, rank=0), stopped(1), events=(stop_signal(time=NOON + 20.0),))
    assert (found.kind, found.worker) == ("worker", 0)
    assert any("stopped from outside" in sentence.text for sentence in found.against)


def test_a_failure_after_the_stop_is_not() -> None:
    late = make_worker(LOST_PEER, rank=0, timestamp=NOON + 9)
    assert verdict(late, stopped(1), events=(stop_signal(time=NOON + 0.0),)).kind == "external"


def test_a_kill_beside_a_stop_from_outside_is_unsure() -> None:
    found = verdict(make_worker(rank=0, exitcode=-9), stopped(1), events=(stop_signal(),))
    assert found.confidence == "unsure"


def test_workers_that_waited_long_before_the_stop_make_the_stop_unsure() -> None:
    found = verdict(victim(0, TIMEOUT), stopped(1), events=(stop_signal(),))
    assert found.confidence == "unsure"
    before = verdict(victim(0, TIMEOUT), stopped(1, stderr_log=None), events=(stop_signal(time=NOON + 30.0),))
    assert before.kind != "external"
    assert before.confidence == "unsure"


def test_keyboard_interrupts_everywhere_are_a_person() -> None:
    stops = [
        make_worker("KeyboardInterrupt", rank=r, exitcode=-2, error=make_error("KeyboardInterrupt")) for r in (0, 1)
    ]
    assert verdict(*stops).kind == "external"


@pytest.mark.parametrize(
    ("kind", "signature", "text"),
    [
        ("port", "port_in_use", "The server socket has failed to listen on any local network address. EADDRINUSE"),
        ("rendezvous", "rdzv_timeout", "torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError"),
        ("usage", None, "torchrun: error: the following arguments are required: training_script"),
    ],
)
def test_a_start_that_never_succeeded_names_its_cause(kind: str, signature: str | None, text: str) -> None:
    found = verdict(events=(event(kind, text, signature),))
    assert found.kind == "external"
    assert found.cause == (signature or kind)
    assert found.evidence[0].line == 9


def test_a_rendezvous_that_broke_after_a_worker_failed_is_an_echo() -> None:
    lost = event("rendezvous", "RendezvousConnectionError: The connection to the C10d store has failed.", "rdzv_conn")
    assert answer(verdict(make_worker(CULPRIT, rank=0), victim(1), events=(lost,)))[::2] == ("worker", 0)


def test_one_failure_on_all_workers_is_common() -> None:
    found = verdict(*(make_worker(IMPORT, rank=rank) for rank in range(8)))
    assert (found.kind, found.confidence, found.cause) == ("common", "sure", "import_error")
    assert found.candidates == tuple(range(8))
    assert [group.workers for group in found.groups] == [tuple(range(8))]


def test_one_failure_on_all_workers_of_one_machine_is_that_machine_s() -> None:
    away = [make_worker(IMPORT, rank=r, node="node1", host="gpu-node-02", local_rank=r - 4) for r in range(4, 8)]
    found = verdict(*(victim(rank) for rank in range(4)), *away)
    assert found.kind == "common"
    assert found.candidates == (4, 5, 6, 7)
    assert "gpu-node-02" in found.summary


def test_all_but_one_without_a_gpu_is_common_too() -> None:
    found = verdict(
        stopped(0), *(make_worker("RuntimeError: CUDA error: invalid device ordinal", rank=r) for r in range(1, 8))
    )
    assert found.kind == "common"
    assert found.cause == "cuda_init"


def test_wrong_arguments_show_as_exit_code_two_everywhere() -> None:
    ends = [make_worker(rank=r, exitcode=2, error=None, failure=None, error_file=None) for r in range(4)]
    found = verdict(*ends)
    assert (found.kind, found.cause) == ("common", "argparse")


def test_exit_code_one_everywhere_without_a_word_may_be_one_cause_and_three_echoes() -> None:
    ends = [make_worker(rank=r, error=None, failure=None, error_file=None) for r in range(4)]
    assert verdict(*ends).confidence == "unsure"


def test_one_different_failure_among_many_equal_ones_is_the_suspect() -> None:
    unknown = "CustomCommError: link 7 down"
    found = verdict(make_worker(CULPRIT, rank=0), *(make_worker(unknown, rank=r) for r in range(1, 8)))
    assert found.worker == 0
    assert found.confidence != "sure"


def test_nan_everywhere_names_nobody() -> None:
    text = "RuntimeError: Rank 3: found NaN in local forward loss calculation. Device: 5, node: n042"
    found = verdict(*(make_worker(text, rank=rank) for rank in range(4)))
    assert found.kind == "common"
    assert found.confidence != "sure"


def test_a_machine_that_vanished_without_a_word_is_the_suspect() -> None:
    gone = [silent(r, node="node1", host="gpu-node-02", local_rank=r - 2) for r in (2, 3)]
    found = verdict(victim(0), victim(1), *gone)
    assert found.kind == "node"
    assert found.candidates == (2, 3)
    assert "gpu-node-02" in found.summary


def test_the_rendezvous_names_a_dead_node() -> None:
    dead = event(
        "note",
        "Detected dead node 'gpu-node-02_31337_0', removing it",
        "rdzv_dead",
        fields=(("node", "gpu-node-02_31337_0"),),
    )
    gone = [silent(r, node="node1", host="gpu-node-02", local_rank=r - 2) for r in (2, 3)]
    found = verdict(victim(0), victim(1), *gone, events=(dead,))
    assert found.kind == "node"
    assert found.candidates == (2, 3)


def run_of(*workers: tuple[Worker, ...]) -> Run:
    return make_run(*(Attempt(number=number, workers=found) for number, found in enumerate(workers)))


def test_attempts_are_compared_by_host_and_text() -> None:
    away: dict[str, Any] = {"node": "node1", "host": "gpu-node-02", "local_rank": 0}
    sticky = run_of(
        (victim(0), make_worker(CULPRIT, rank=1, **away)), (make_worker(CULPRIT, rank=0, **away), victim(1))
    )
    assert "suspect that host" in compare_attempts(sticky)[0].text
    moving = run_of(
        (victim(0), make_worker(CULPRIT, rank=1, **away)), (make_worker(CULPRIT, rank=0), victim(1, **away))
    )
    assert "suspect the code or the data" in compare_attempts(moving)[0].text
    assert compare_attempts(run_of((victim(0),))) == ()


def test_a_port_that_is_still_taken_points_at_the_attempt_before() -> None:
    busy = "torch.distributed.DistNetworkError: The server socket has failed to listen. code: -98, name: EADDRINUSE"
    found = compare_attempts(run_of((make_worker(CULPRIT), victim(1)), (make_worker(busy), victim(1))))
    said = " ".join(sentence.text for sentence in found)
    assert "ended in another way" in said
    assert "port was still taken" in said


def test_verdicts_run_parallel_to_runs_and_attempts() -> None:
    job = make_job(make_run(make_attempt(), make_attempt()), make_run(make_attempt()))
    assert [len(verdicts) for verdicts in diagnose_job(job)] == [2, 1]
