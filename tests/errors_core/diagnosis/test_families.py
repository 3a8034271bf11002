"""One worker to blame: families of failures, each as small as it gets."""

from __future__ import annotations

from dataclasses import replace

import pytest

from errors_core.job import Hit, Place, Worker
from errors_core.verdict import Verdict
from tests.builders import CULPRIT, LOST_PEER, NOON, make_error, make_hit, make_worker, two_node
from tests.errors_core.diagnosis.pictures import (
    TIMEOUT,
    answer,
    chain,
    closing,
    event,
    silent,
    stopped,
    verdict,
    victim,
)

CUDA_OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."


def texts(found: Verdict) -> str:
    return " ".join(
        [found.summary, *(e.text for e in (*found.evidence, *found.against, *found.missing)), *found.advice]
    )


def test_content_wins_over_an_earlier_second_of_a_victim() -> None:
    attempt = two_node().runs[0].attempts[0]
    workers = [replace(w, timestamp=NOON - 2 if w.rank == 0 else NOON) for w in attempt.workers]
    found = verdict(*workers, events=attempt.events)
    assert answer(found) == ("worker", "sure", 3)
    assert found.cause == "py_exception"
    assert found.broke_at == 'train.py:26 parse_shard: return shard["tokens"][7]'
    assert found.launcher_says is not None
    assert found.launcher_says.rank == 0
    assert "only reports others" in (found.launcher_says.why_different or "")


def test_every_sentence_about_a_worker_points_at_a_file() -> None:
    found = verdict(*two_node().runs[0].attempts[0].workers)
    assert all(sentence.path for sentence in found.evidence)
    assert all(state.reasons[0].path for state in found.states)


def test_an_unconfirmed_kill_is_probable_and_says_what_would_confirm_it() -> None:
    found = verdict(make_worker(rank=0, exitcode=-9), stopped(1, LOST_PEER), stopped(2), stopped(3, LOST_PEER))
    assert answer(found) == ("worker", "probable", 0)
    assert found.cause == "sigkill"
    assert "cause is unconfirmed" in found.summary
    assert "dmesg -T, searched for pid 5000" in texts(found)


def test_the_kernel_line_with_the_pid_makes_it_sure() -> None:
    oom = event("kernel", "Memory cgroup out of memory: Killed process 5000 (python)", "kernel_oom")
    found = verdict(make_worker(rank=0, exitcode=-9), stopped(1, LOST_PEER), stopped(2), events=(oom,))
    assert answer(found) == ("worker", "sure", 0)
    assert found.cause == "kernel_oom"


def test_an_oom_kill_of_another_process_confirms_nothing() -> None:
    oom = event("kernel", "Out of memory: Killed process 77 (mysqld)", "kernel_oom")
    found = verdict(make_worker(rank=0, exitcode=-9), stopped(1, LOST_PEER), stopped(2), events=(oom,))
    assert answer(found) == ("worker", "probable", 0)


def test_slurm_confirms_the_only_kill_on_its_host() -> None:
    oom = event(
        "scheduler", "slurmstepd: error: Detected 1 oom_kill event in StepId=1.0", "slurm_oom", node="gpu-node-01"
    )
    found = verdict(make_worker(rank=0, exitcode=-9), stopped(1, LOST_PEER), stopped(2), events=(oom,))
    assert answer(found) == ("worker", "sure", 0)


@pytest.mark.parametrize("code", [-11, 139, -7, -8, -4])
def test_a_crash_that_nobody_sent_is_sure(code: int) -> None:
    found = verdict(victim(0), make_worker(rank=1, exitcode=code), stopped(2))
    assert answer(found) == ("worker", "sure", 1)


def test_a_crash_dump_counts_although_the_launcher_stopped_the_worker_meanwhile() -> None:
    crash = make_hit("sigsegv", "Fatal Python error: Segmentation fault", path="errors/1/stderr.log", line=3)
    found = verdict(victim(0), stopped(1, hits=(crash,)), stopped(2))
    assert (found.kind, found.worker, found.cause) == ("worker", 1, "sigsegv")
    assert found.confidence != "unsure"


def test_the_only_silent_worker_of_a_hang_is_probable_by_elimination() -> None:
    found = verdict(victim(0, TIMEOUT), stopped(1, TIMEOUT), stopped(2), victim(3, TIMEOUT))
    assert answer(found) == ("worker", "probable", 2)
    assert "only one that left no message" in found.summary
    assert found.states[2].state == "silent"


def test_a_silent_worker_whose_output_was_not_found_is_no_proof() -> None:
    found = verdict(victim(0, TIMEOUT), stopped(1, TIMEOUT), stopped(2, stderr_log=None), victim(3, TIMEOUT))
    assert answer(found) == ("worker", "unsure", 2)
    assert "--redirects 3" in texts(found)


def test_two_silent_workers_cannot_be_told_apart() -> None:
    found = verdict(silent(0), victim(1), silent(2), victim(3))
    assert found.confidence == "unsure"


def test_rank_zero_names_who_missed_the_barrier() -> None:
    blame = "RuntimeError: [Rank 0]: Ranks 1 failed to pass monitoredBarrier in 4000 ms"
    back = (
        "RuntimeError: Rank 2 successfully reached monitoredBarrier, but received errors while waiting for send/recv "
        "from rank 0. Please check rank 0 logs for faulty rank."
    )
    found = verdict(victim(0, blame), stopped(1), victim(2, back))
    assert found.worker == 1
    assert found.confidence != "unsure"
    assert found.states[0].state == "echo"


def test_workers_that_blame_each_other_make_it_unsure() -> None:
    blame = "RuntimeError: [Rank 0]: Ranks 1 failed to pass monitoredBarrier in 4000 ms"
    back = (
        "RuntimeError: Rank 1 successfully reached monitoredBarrier, but received errors while waiting for send/recv "
        "from rank 0. Please check rank 0 logs for faulty rank."
    )
    found = verdict(victim(0, blame), victim(1, back), stopped(2))
    assert found.confidence == "unsure"


def timed_out(rank: int, seq: int, enqueued: int, *, op: str = "ALLREDUCE") -> Worker:
    """A worker whose NCCL watchdog gave up."""
    text = (
        f"[Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType={op}, NumelIn=1, "
        "NumelOut=1, Timeout(ms)=600000) ran for 600068 milliseconds before timing out."
    )
    far = (
        f"[PG ID 0 PG GUID 0(default_pg) Rank {rank}]  failure detected by watchdog at work sequence id: {seq} PG "
        f"status: last enqueued work: {enqueued}, last completed work: {seq - 1}"
    )
    path = f"errors/{rank}/stderr.log"
    hits = (Hit("nccl_timeout", text, Place(path, 40)), Hit("nccl_progress", far, Place(path, 41)))
    return make_worker(rank=rank, exitcode=-6, hits=hits, stderr_log=path)


def progress(rank: int, enqueued: int) -> tuple[Hit, ...]:
    text = (
        f"[PG ID 0 PG GUID 0(default_pg) Rank {rank}] Received a dump signal due to a collective timeout from  rank 0. "
        f"Last enqueued NCCL work: {enqueued}, last completed NCCL work: {enqueued}."
    )
    line = f"last enqueued NCCL work: {enqueued}, last completed NCCL work: {enqueued}."
    path = f"errors/{rank}/stderr.log"
    return (
        Hit("nccl_dump_from", text, Place(path, 8)),
        Hit("nccl_progress", f"[PG ID 0 PG GUID 0(default_pg) Rank {rank}] {line}", Place(path, 9)),
    )


def test_the_worker_that_never_joined_the_collective_is_behind() -> None:
    late = make_worker(rank=2, exitcode=-6, hits=progress(2, 21), stderr_log="errors/2/stderr.log")
    found = verdict(timed_out(0, 22, 23), timed_out(1, 22, 22), late, timed_out(3, 22, 24))
    assert found.worker == 2
    assert found.confidence != "sure"
    assert "never joined collective 22" in texts(found)


def test_a_timeout_on_all_workers_at_one_number_names_nobody() -> None:
    found = verdict(*(timed_out(rank, 470608, 470609 + rank) for rank in range(8)))
    assert found.confidence == "unsure"
    assert found.kind == "unknown"


def test_a_root_that_ran_ahead_is_no_culprit() -> None:
    found = verdict(
        timed_out(0, 532341, 532341, op="_ALLGATHER_BASE"),
        timed_out(1, 532339, 532339, op="BROADCAST"),
        timed_out(2, 532339, 532339, op="BROADCAST"),
    )
    assert found.confidence == "unsure"


def test_the_desync_report_names_the_worker_out_of_step() -> None:
    lines = (
        "[7] finished collective #182, but didn't join collective #183 (count from 1)",
        "[0, 1, 2] joined but didn't finish collective #315 (count from 1)",
        "[3, 4, 5, 6] joined but didn't finish collective #317 (count from 1)",
    )
    hits = tuple(Hit("nccl_desync", text, Place("errors/0/stderr.log", 60 + n)) for n, text in enumerate(lines))
    first = timed_out(0, 315, 315)
    workers = [replace(first, hits=(*first.hits, *hits)), *(timed_out(r, 315, 315) for r in (1, 2))]
    workers += [timed_out(r, 317, 317) for r in (3, 4, 5, 6)]
    found = verdict(*workers, stopped(7))
    assert found.worker == 7
    assert found.confidence != "unsure"


def test_whatever_is_raised_while_a_lost_peer_is_handled_is_an_echo() -> None:
    echo = chain(LOST_PEER, "KeyError: 'loss'", path="errors/0/error.json")
    found = verdict(make_worker("KeyError: 'loss'", rank=0, error=echo), make_worker(CULPRIT, rank=1), victim(2))
    assert answer(found) == ("worker", "sure", 1)
    assert found.states[0].state == "echo"


def test_the_first_link_names_the_cause() -> None:
    error = chain(
        "FileNotFoundError: [Errno 2] No such file or directory: '/data/shard_7.tar'", "RuntimeError: failed to load"
    )
    found = verdict(make_worker("RuntimeError: failed to load", rank=0, error=error), victim(1))
    assert answer(found) == ("worker", "sure", 0)
    assert found.cause == "file_not_found"
    assert any("/data/shard_7.tar" in line for line in found.advice)


def test_a_killed_data_worker_is_a_cause_and_a_terminated_one_is_not() -> None:
    killed = "RuntimeError: DataLoader worker (pid 8102) is killed by signal: Killed."
    ended = "RuntimeError: DataLoader worker (pid 8103) is killed by signal: Terminated."
    found = verdict(victim(0, ended), make_worker(killed, rank=1), victim(2))
    assert answer(found) == ("worker", "sure", 1)
    assert found.cause == "dl_killed"
    assert found.states[0].state == "echo"


def test_an_abort_by_the_watchdog_is_an_echo_and_one_by_a_gpu_fault_is_not() -> None:
    fault = Hit(
        "cuda_ecc",
        "terminate called: what(): CUDA error: uncorrectable ECC error encountered",
        Place("errors/1/stderr.log", 4),
    )
    broken = make_worker(rank=1, exitcode=-6, hits=(fault,))
    found = verdict(timed_out(0, 9, 9), broken, timed_out(2, 9, 9))
    assert (found.kind, found.worker, found.cause) == ("worker", 1, "cuda_ecc")
    assert found.confidence != "unsure"


def test_a_traceback_counts_more_than_an_abort_while_python_ends() -> None:
    noise = make_hit("sigabrt_no_active", "terminate called without an active exception")
    culprit = make_worker(CULPRIT, rank=1, exitcode=-6, error=make_error(), hits=(noise,))
    found = verdict(victim(0), culprit, stopped(2))
    assert answer(found) == ("worker", "sure", 1)
    assert found.cause == "py_exception"


def test_a_worker_that_the_launcher_had_to_kill_is_not_the_first_to_fail() -> None:
    forced = make_worker(rank=2, exitcode=-9, closings=closing(signal=9, forced=True))
    found = verdict(victim(0), make_worker(CULPRIT, rank=1), forced)
    assert answer(found) == ("worker", "sure", 1)
    assert found.states[2].state == "ended_by_launcher"


def test_a_failure_after_the_stop_does_not_compete() -> None:
    late = make_error("OSError: handle is closed", path="errors/2/error.json")
    shut = make_worker(
        "OSError: handle is closed",
        rank=2,
        exitcode=1,
        timestamp=NOON + 5,
        error=late,
        closings=closing(time=NOON + 2.0),
    )
    found = verdict(make_worker(CUDA_OOM, rank=1, timestamp=NOON), shut, stopped(3))
    assert answer(found) == ("worker", "sure", 0)
    assert found.states[1].state == "ended_by_launcher"


def test_an_exit_code_without_a_word_is_probable_at_most() -> None:
    found = verdict(victim(0), make_worker(rank=1, exitcode=3, error=None, failure=None, error_file=None), stopped(2))
    assert answer(found) == ("worker", "probable", 1)
    assert "@record" in texts(found)


def test_a_worker_that_left_early_with_exit_code_zero_is_the_cause() -> None:
    found = verdict(victim(0), make_worker(rank=1, exitcode=0), stopped(2, LOST_PEER))
    assert (found.kind, found.worker) == ("worker", 1)
    assert found.confidence != "unsure"
    assert "ended early" in found.summary


def test_different_failures_of_two_hosts_are_both_shown() -> None:
    other = {"node": "node1", "host": "gpu-node-02", "local_rank": 0}
    found = verdict(make_worker(CULPRIT, rank=0), victim(1), make_worker(CUDA_OOM, rank=2, **other))
    assert found.confidence == "unsure"
    assert set(found.candidates) == {0, 2}


def test_two_own_failures_of_one_host_are_told_apart_by_time_only_when_it_is_clear() -> None:
    first = make_worker("ValueError: bad sample", rank=0, timestamp=NOON)
    clear = verdict(first, make_worker(CULPRIT, rank=1, timestamp=NOON + 9), stopped(2))
    assert clear.worker == 0
    assert clear.confidence == "unsure"
    assert any("before" in sentence.text for sentence in clear.evidence)
    tied = verdict(first, make_worker(CULPRIT, rank=1, timestamp=NOON), stopped(2))
    assert set(tied.candidates) == {0, 1}


def test_the_odd_one_out_of_mismatched_collectives_is_only_suspected() -> None:
    def mismatch(rank: int, mine: str, other: int, theirs: str) -> Worker:
        text = (
            f"RuntimeError: Detected mismatch between collectives on ranks. Rank {rank} is running collective: "
            f"CollectiveFingerPrint(SequenceNumber=4, OpType={mine}, TensorShape=[25]), but Rank {other} is running "
            f"collective: CollectiveFingerPrint(SequenceNumber=4, OpType={theirs}, TensorShape=[25])"
        )
        return make_worker(text, rank=rank)

    two = verdict(mismatch(0, "BROADCAST", 1, "ALLREDUCE"), mismatch(1, "ALLREDUCE", 0, "BROADCAST"))
    assert two.confidence == "unsure"
    three = verdict(
        mismatch(0, "ALLREDUCE", 1, "BROADCAST"),
        mismatch(1, "BROADCAST", 0, "ALLREDUCE"),
        mismatch(2, "ALLREDUCE", 1, "BROADCAST"),
    )
    assert three.worker == 1
    assert three.confidence != "sure"


def test_nobody_is_sure_when_most_workers_left_nothing() -> None:
    found = verdict(make_worker(CULPRIT, rank=3), world_size=8)
    assert answer(found) == ("worker", "probable", 0)
    assert "7 workers" in texts(found)


def test_a_traceback_that_nobody_signed_gives_the_cause_but_no_worker() -> None:
    stray = Worker(error=make_error("KeyError: 'attention_mask'", path="errors/launcher.log", line=13))
    lost = [Worker(error=make_error(LOST_PEER, path="errors/launcher.log", line=n)) for n in (20, 30)]
    ends = [make_worker(rank=r, error=None, failure=None, error_file=None) for r in range(3)]
    found = verdict(stray, *lost, *ends)
    assert found.confidence == "unsure"
    assert "attention_mask" in found.summary


def test_victims_alone_name_nobody() -> None:
    found = verdict(*(victim(rank) for rank in range(4)))
    assert (found.kind, found.confidence, found.worker) == ("unknown", "unsure", None)


def test_an_echo_before_its_cause_shows_how_far_the_clocks_stand_apart() -> None:
    early = victim(0, timestamp=NOON - 30)
    found = verdict(early, make_worker(CULPRIT, rank=1, node="node1", host="gpu-node-02", timestamp=NOON))
    assert answer(found) == ("worker", "sure", 1)
    assert any("clocks differ" in sentence.text for sentence in found.against)


def test_a_worker_without_a_rank_is_named_by_node_and_local_rank() -> None:
    culprit = make_worker(CULPRIT, rank=None, local_rank=1, node="node1")
    found = verdict(victim(0), culprit)
    assert "orker node1/local rank 1" in found.summary
