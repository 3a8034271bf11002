"""Which launcher and which attempt a line belongs to, when one log holds several."""

from __future__ import annotations

import pytest

from errors_core.readers.launch import RunPlace, parse_run_place
from tests.errors_core.readers.launcher_reading import find, read

OLD = "ERROR:torch.distributed.elastic.multiprocessing.api:"
AGENT = "torch.distributed.elastic.agent.server.api:"
GLOG = "E0102 03:04:0{second}.678000 {agent} torch/distributed/elastic/multiprocessing/api.py:833] "


def failed(pid: int, *, local_rank: int = 0, prefix: str = OLD) -> str:
    """The line that names an attempt's first failure."""
    return f"{prefix}failed (exitcode: 1) local_rank: {local_rank} (pid: {pid}) of binary: p\n"


def closing(pid: int, prefix: str = OLD) -> str:
    """The line that says that the launcher stopped a worker."""
    return f"{prefix}Sending process {pid} closing signal SIGTERM\n"


def summary(*pids: int, host: str = "node-a", error_file: str = "<N/A>") -> str:
    """A summary that lists these processes, the last one as root."""
    entries = [
        f"[{index}]:\n  time      : 2024-01-02_03:04:05\n  host      : {host}\n"
        f"  rank      : {index} (local_rank: {index})\n  exitcode  : 1 (pid: {pid})\n  error_file: {error_file}\n"
        "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html\n"
        for index, pid in enumerate(reversed(pids))
    ]
    return (
        "=" * 60 + "\ntrain.py FAILED\n" + "-" * 60 + "\nFailures:\n" + "".join(entries[1:]) + "-" * 60 + "\n"
        "Root Cause (first observed failure):\n" + entries[0] + "=" * 60 + "\n"
    )


def attempts(text: str) -> dict[int | None, int | None]:
    """The attempt of each process."""
    return {seen.pid: seen.attempt for seen in read(text).sightings}


def test_closing_lines_come_before_the_failure_that_they_belong_to() -> None:
    text = closing(11) + failed(10) + closing(21) + failed(20) + closing(31) + failed(30) + summary(30, 31)
    assert attempts(text) == {10: 0, 11: 0, 20: 1, 21: 1, 30: 2, 31: 2}


def test_a_summary_belongs_to_the_attempt_whose_process_it_lists() -> None:
    assert attempts(failed(10) + failed(20) + summary(20, 21)) == {10: 0, 20: 1, 21: 1}


def test_an_attempt_that_only_closing_lines_show_follows_the_last_failure() -> None:
    text = failed(10) + "WARNING:" + AGENT + "Received 15 death signal, shutting down workers\n" + closing(20)
    assert attempts(text) == {10: 0, 20: 1}


def test_the_path_of_an_error_file_corrects_the_count_of_a_log_that_was_cut_at_its_beginning() -> None:
    path = "/scratch/logs/none_x9z2k0pq/attempt_4/0/error.json"
    text = closing(11) + failed(10) + failed(20) + summary(20, error_file=path)
    assert attempts(text) == {10: 3, 11: 3, 20: 4}


def test_text_between_two_failures_belongs_to_the_second_attempt() -> None:
    text = "[rank1]: KeyError: 'a'\n" + failed(10) + "[rank1]: KeyError: 'b'\n" + failed(20) + summary(20, 21)
    hits = {seen.attempt: seen.hits[0].text for seen in find(read(text), rank=1) if seen.hits}
    assert hits == {0: "KeyError: 'a'", 1: "KeyError: 'b'"}


def test_text_behind_the_last_failure_is_still_its_attempts() -> None:
    text = failed(10) + "[rank1]: KeyError: 'late'\n" + summary(10, 11)
    assert [seen.attempt for seen in find(read(text), rank=1) if seen.hits] == [0]


def test_two_launchers_whose_lines_alternate_are_told_apart_by_their_own_process_id() -> None:
    one, two = GLOG.format(second=5, agent=4001), GLOG.format(second=6, agent=4002)
    text = closing(11, one) + closing(21, two) + failed(10, prefix=one) + failed(20, prefix=two)
    assert attempts(text) == {10: 0, 11: 0, 20: 0, 21: 0}
    names = {seen.pid: seen.launcher for seen in read(text).sightings}
    assert names[10] == names[11] != names[20] == names[21]


def test_two_launchers_without_a_process_id_are_told_apart_by_their_summaries() -> None:
    text = closing(11) + closing(21) + failed(10) + failed(20) + summary(10, 11) + summary(20, 21, host="node-b")
    assert attempts(text) == {10: 0, 11: 0, 20: 0, 21: 0}
    names = {seen.pid: seen.launcher for seen in read(text).sightings}
    assert names[10] == names[11] != names[20] == names[21]


def test_the_same_workers_launched_again_into_the_same_log_are_further_attempts() -> None:
    text = failed(10) + summary(10, 11) + failed(20) + summary(20, 21)
    assert attempts(text) == {10: 0, 11: 0, 20: 1, 21: 1}


def test_logs_of_two_nodes_put_behind_each_other_are_no_further_attempts() -> None:
    text = failed(10) + summary(10, 11) + failed(20) + summary(20, 21, host="node-b")
    assert attempts(text) == {10: 0, 11: 0, 20: 0, 21: 0}


def test_a_single_launcher_is_named_by_the_path_alone() -> None:
    assert {seen.launcher for seen in read(failed(10) + summary(10)).sightings} == {"launcher.log"}


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/tmp/torchelastic_a/none_x9z2k0pq/attempt_0/3/error.json", RunPlace("none", 0, 3)),
        ("/logs/job-4471__b9p7vmb/attempt_12/0/error.json", RunPlace("job-4471", 12, 0)),
        ("attempt_1/2/error.json", RunPlace(None, 1, 2)),
        ("<N/A>", None),
        ("/logs/error.json", None),
        (None, None),
    ],
)
def test_the_path_of_an_error_file_tells_where_it_was_written(path: str | None, place: RunPlace | None) -> None:
    assert parse_run_place(path) == place
