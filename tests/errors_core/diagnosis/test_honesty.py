"""What must not make a verdict sure, and what must not turn it to the wrong worker."""

from __future__ import annotations

from typing import Any

from errors_core.job import ErrorSummary, Frame, Link, Place, Worker
from errors_core.verdict import Verdict
from tests.builders import CULPRIT, LOST_PEER, NOON, make_error, make_hit, make_worker
from tests.errors_core.diagnosis.pictures import TIMEOUT, answer, event, silent, stopped, verdict, victim


def logged(text: str, rank: int, **overrides: Any) -> Worker:
    """A worker of whose end nothing is known, with a traceback in its log."""
    path = f"errors/{rank}/stderr.log"
    return silent(rank, stderr_log=path, error=make_error(text, path=path, line=4), **overrides)


def wordless(rank: int, exitcode: int, **overrides: Any) -> Worker:
    fields: dict[str, Any] = {"exitcode": exitcode, "error": None, "failure": None, "error_file": None}
    return make_worker(rank=rank, **(fields | overrides))


def said(found: Verdict) -> str:
    return " ".join(sentence.text for sentence in (*found.evidence, *found.against, *found.missing))


def test_a_warning_in_a_log_is_no_failure() -> None:
    warned = make_hit("py_exception", "/opt/x.py:368: UserWarning: no NumPy", path="errors/1/stderr.log")
    found = verdict(make_worker(CULPRIT, rank=0), stopped(1, hits=(warned,)), victim(2))
    assert answer(found) == ("worker", "sure", 0)


def test_an_exception_that_was_only_logged_does_not_outweigh_a_lost_peer_s_cause() -> None:
    noise = make_hit("py_exception", "ValueError: sample 412 skipped", path="errors/1/stderr.log")
    found = verdict(make_worker(rank=0, exitcode=-11), stopped(1, LOST_PEER, hits=(noise,)), victim(2))
    assert answer(found) == ("worker", "sure", 0)
    assert found.states[1].state == "echo"


def test_a_traceback_that_the_program_may_have_survived_is_unsure() -> None:
    found = verdict(silent(0), logged(CULPRIT, 1))
    assert answer(found) == ("worker", "unsure", 1)
    assert "may have gone on" in said(found)


def test_a_program_that_quotes_a_lost_peer_further_down_has_its_own_cause() -> None:
    quoting = "ValueError: caption 1742 is bad\n  the server said: RuntimeError: Connection closed by peer [::1]:4711"
    found = verdict(victim(0), make_worker(quoting, rank=1, error=make_error(quoting)), stopped(2))
    assert (found.worker, found.states[1].state) == (1, "origin")


def test_nccl_puts_the_reason_into_a_further_line() -> None:
    text = (
        "torch.distributed.DistBackendError: NCCL error in: Utils.hpp:275, internal error - please report this issue"
        " to the NCCL developers, NCCL version 2.18.1\nncclInternalError: Internal check failed.\nLast error:\n"
        "Net : Connection closed by remote peer node2<42830>"
    )
    found = verdict(make_worker(CULPRIT, rank=0), make_worker(text, rank=1, error=make_error(text)))
    assert found.states[1].state == "echo"


def test_exit_code_one_without_its_words_may_be_one_more_echo() -> None:
    assert verdict(victim(0, TIMEOUT), wordless(1, 1), stopped(2)).confidence == "unsure"
    assert verdict(victim(0), wordless(1, 7), stopped(2)).confidence == "probable"


def test_an_abort_without_its_words_is_unsure() -> None:
    assert verdict(victim(0), wordless(1, -6), stopped(2)).confidence == "unsure"


def test_a_start_up_failure_of_one_worker_may_have_waited_for_the_others_too() -> None:
    missing = "ModuleNotFoundError: No module named 'flash_attn'"
    found = verdict(make_worker(missing, rank=0), stopped(1), stopped(2))
    assert answer(found) == ("worker", "probable", 0)


def test_a_failure_while_cleaning_up_is_probable_at_most() -> None:
    error = make_error(CULPRIT, frame=Frame("/workspace/train.py", 99, "destroy_process_group"))
    found = verdict(make_worker(CULPRIT, rank=0, error=error), victim(1))
    assert answer(found) == ("worker", "probable", 0)


def test_the_worker_that_waited_at_another_place_is_a_guess() -> None:
    def at(rank: int, function: str, line: int) -> Worker:
        frame = Frame("/workspace/train.py", line, function)
        return victim(rank, TIMEOUT, error=make_error(TIMEOUT, frame=frame))

    found = verdict(at(0, "step", 26), at(1, "save", 81), at(2, "step", 26))
    assert answer(found) == ("worker", "unsure", 1)
    assert "either side may be wrong" in said(found)


def test_workers_that_never_met_say_nothing_about_the_one_that_still_tried() -> None:
    text = "RuntimeError: Gloo connectFullMesh failed with [pair.cc:152] timed out connecting: Connection refused"
    found = verdict(victim(0, text), victim(1, text), silent(2))
    assert answer(found) == ("worker", "unsure", 2) or found.kind == "unknown"
    assert found.confidence == "unsure"


def test_a_silent_machine_without_any_launcher_s_word_is_unsure() -> None:
    lost = [logged(LOST_PEER, rank) for rank in (0, 1)]
    gone = [silent(r, node="node1", host="gpu-node-02", local_rank=r - 2) for r in (2, 3)]
    found = verdict(*lost, *gone)
    assert (found.kind, found.confidence) == ("node", "unsure")


def test_the_only_known_worker_of_a_machine_may_have_died_with_it() -> None:
    gone = silent(2, node="node1", host="gpu-node-02", local_rank=0)
    assert verdict(victim(0), victim(1), gone).confidence == "unsure"


def test_the_only_missing_rank_is_named_where_all_others_complain() -> None:
    found = verdict(victim(0), victim(2), victim(3))
    assert (found.kind, found.confidence, found.worker, found.named_rank) == ("unknown", "unsure", None, 1)
    assert "rank 1 left nothing" in found.summary


def test_a_rank_that_a_report_names_and_that_left_nothing_is_named() -> None:
    blame = "RuntimeError: [Rank 0]: Ranks 7 failed to pass monitoredBarrier in 4000 ms"
    found = verdict(victim(0, blame), victim(1))
    assert (found.kind, found.named_rank) == ("unknown", 7)


def test_a_lost_master_launcher_beside_running_workers_points_at_its_node() -> None:
    lost = event("rendezvous", "RendezvousConnectionError: The connection to the C10d store has failed.", "rdzv_conn")
    found = verdict(stopped(2), stopped(3), events=(lost,))
    assert (found.kind, found.cause) == ("unknown", "rdzv_conn")
    assert "master node" in found.summary


def test_a_mistake_of_the_launch_is_nobody_s() -> None:
    text = "RuntimeError: NCCL error in: x.cpp:1, invalid usage\nncclInvalidUsage: This usually reflects invalid usage"
    found = verdict(make_worker(text, rank=0, error=make_error(text)), stopped(1))
    assert (found.kind, found.cause, found.candidates) == ("common", "nccl_usage", (0, 1))


def test_an_exit_code_that_no_worker_owns_is_told_in_words() -> None:
    text = "['/usr/bin/python', 'train.py', '--local_rank=7'] exits with return code = -11"
    found = verdict(events=(event("note", text, "deepspeed_rc", fields=(("exitcode", "-11"),)),))
    assert (found.kind, found.confidence, found.cause) == ("unknown", "unsure", "sigsegv")
    assert "died by SIGSEGV" in found.summary


def test_a_cut_traceback_tells_little() -> None:
    cut = ErrorSummary(
        (Link("(traceback cut short)", "", Frame("/workspace/train.py", 126, "<module>")),),
        0,
        "cut",
        "cut",
        Place("x", 1),
    )
    found = verdict(make_worker(rank=0, exitcode=None, error=cut, stderr_log="errors/0/stderr.log"), victim(1, TIMEOUT))
    assert found.confidence == "unsure"


def test_the_launcher_s_own_interrupt_text_is_no_complaint_of_a_worker() -> None:
    told = make_hit("told_to_stop", "Received SIGTERM, saving and leaving", path="errors/1/stdout.log")
    found = verdict(victim(0, TIMEOUT), stopped(1, hits=(told,)), victim(2, TIMEOUT))
    assert (found.kind, found.worker) == ("worker", 1)


def test_the_time_of_a_copied_file_orders_nothing() -> None:
    first = make_worker("ValueError: bad sample", rank=0, timestamp=NOON, timestamp_source="file_time")
    second = make_worker(CULPRIT, rank=1, timestamp=NOON + 60, timestamp_source="file_time")
    found = verdict(first, second, stopped(2))
    assert found.confidence == "unsure"
    assert set(found.candidates) == {0, 1}
    assert found.first_failure is None or found.first_failure.worker == 2
