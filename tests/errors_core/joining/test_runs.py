"""Which launchers are one run, and what their nodes are called."""

from __future__ import annotations

import pytest

from errors_core.job import Event, Place, Run
from errors_core.joining import Strand
from tests.errors_core.joining.strands import NOON, end, error_file, joined, launcher, run_directory

HOUR = 3600


def homes(*marks: tuple[str, int | None], run_id: str = "job") -> list[Strand]:
    """Run directories below these places, each with an error file of that time."""
    found = []
    for index, (place, time) in enumerate(marks):
        home = run_directory(f"top/{place}/{run_id}_a1b2c3d{index}", run_id=run_id)
        if time is not None:
            error_file(home, 0, timestamp=time)
        found.append(home)
    return found


def summed(path: str, *ranks: int, host: str = "n1", time: int = NOON, base: int = 0, **marks: int) -> Strand:
    """A launcher's log that sums up these ranks; `first_pid` tells its processes from another launcher's."""
    first_pid = marks.pop("first_pid", 100)
    ends = [
        end(
            path,
            10 + rank,
            rank=rank,
            local_rank=rank - base,
            pid=first_pid + rank,
            exitcode=1,
            host=host,
            timestamp=time,
            timestamp_source="launcher_log",
            summary_index=rank,
            **marks,
        )
        for rank in ranks
    ]
    return launcher(path, *ends)


def nodes_of(runs: tuple[Run, ...]) -> list[tuple[str, ...]]:
    return [run.nodes for run in runs]


@pytest.mark.parametrize("run_id", ["job-4471", "none"])
def test_nodes_that_record_the_same_time_are_one_run(run_id: str) -> None:
    assert nodes_of(joined(*homes(("node0", NOON), ("node1", NOON + HOUR), run_id=run_id))) == [("node0", "node1")]


@pytest.mark.parametrize("run_id", ["job-4471", "none"])
def test_nodes_that_record_other_days_are_two_runs(run_id: str) -> None:
    runs = joined(*homes(("node0", NOON + 24 * HOUR), ("node1", NOON), run_id=run_id))
    assert nodes_of(runs) == [("node1",), ("node0",)]


def test_a_run_id_that_somebody_gave_holds_directories_of_any_name_together() -> None:
    assert len(joined(*homes(("alpha", NOON), ("beta", NOON), run_id="job-4471"))) == 1
    assert len(joined(*homes(("alpha", NOON), ("beta", NOON), run_id="none"))) == 2


def test_other_run_ids_are_other_runs_at_any_time() -> None:
    one, other = homes(("node0", NOON), run_id="a")[0], homes(("node1", NOON), run_id="b")[0]
    assert len(joined(one, other)) == 2


def test_a_silent_node_belongs_to_the_run_of_its_id() -> None:
    assert nodes_of(joined(*homes(("node0", NOON), ("node1", None)))) == [("node0", "node1")]


def test_one_id_twice_in_one_directory_is_two_starts_unless_something_says_otherwise() -> None:
    assert len(joined(*homes(("logs", None), ("logs", None)))) == 2
    assert len(joined(*homes(("logs", NOON), ("logs", NOON + 1)))) == 1
    assert len(joined(*homes(("logs", NOON), ("logs", NOON + 1), run_id="none"))) == 2


def test_two_launchers_that_dealt_the_same_ranks_are_two_runs() -> None:
    first = summed("top/node0/out", 0, 1)
    assert len(joined(first, summed("top/node1/out", 0, 1, first_pid=500))) == 2
    assert len(joined(first, summed("top/node1/out", 2, 3, base=2, first_pid=500))) == 1


@pytest.mark.parametrize("places", [("alpha/out", "beta/out"), ("out-a", "out-b"), ("x/a1", "y/b2")])
def test_launchers_that_dealt_other_ranks_are_one_run_whatever_they_are_called(
    places: tuple[str, str],
) -> None:
    first, second = (f"top/{place}" for place in places)
    runs = joined(summed(first, 0, 1, host="a"), summed(second, 2, 3, base=2, host="b", first_pid=500))
    assert [len(run.nodes) for run in runs] == [2]


def test_launchers_logs_hours_apart_are_two_runs() -> None:
    runs = joined(summed("top/node0/out", 0, 1), summed("top/node1/out", 2, 3, base=2, time=NOON + 5 * HOUR))
    assert len(runs) == 2


def test_a_log_in_another_time_zone_is_not_hours_apart() -> None:
    (home,) = homes(("node0", NOON))
    log = summed("top/node1/out", 2, 3, base=2, time=NOON + 9 * HOUR)
    log.run_id = "job"
    assert nodes_of(joined(home, log)) == [("node0", "node1")]


def test_two_starts_in_one_log_are_attempts_of_one_run() -> None:
    first, second = summed("top/out", 0, 1), summed("top/out", 0, 1, attempt=1)
    first.name, second.name = "top/out.log#1", "top/out.log#2"
    (run,) = joined(first, second)
    assert [attempt.number for attempt in run.attempts] == [0, 1]
    assert [len(attempt.workers) for attempt in run.attempts] == [2, 2]


def test_two_nodes_in_one_log_are_named_by_their_hosts() -> None:
    first, second = summed("top/out", 0, 1, host="n1"), summed("top/out", 2, 3, base=2, host="n2")
    first.name, second.name = "top/out.log#1", "top/out.log#2"
    assert nodes_of(joined(first, second)) == [("n1", "n2")]


def test_the_same_summary_in_two_logs_is_one_launcher() -> None:
    (run,) = joined(summed("top/launcher", 0, 1), summed("top/slurm-7", 0, 1))
    assert [w.rank for w in run.attempts[0].workers] == [0, 1]
    assert [len(w.sources) for w in run.attempts[0].workers] == [2, 2]


@pytest.mark.parametrize(
    ("places", "names"),
    [
        (["rack0/node0", "rack0/node1", "rack1/node0"], ("rack0/node0", "rack0/node1", "rack1/node0")),
        (["a/logs", "b/logs"], ("a", "b")),
        (["x/y/node2/l", "x/y/node10/l"], ("node2", "node10")),
    ],
)
def test_a_node_is_called_after_as_many_directories_as_it_takes(places: list[str], names: tuple[str, ...]) -> None:
    assert nodes_of(joined(*homes(*((place, NOON) for place in places)))) == [names]


def test_a_single_node_has_a_name_when_its_directory_is_one() -> None:
    assert nodes_of(joined(*homes(("node3/logs", NOON)))) == [("node3",)]
    assert nodes_of(joined(*homes(("logs", NOON)))) == [()]


def test_a_directory_above_the_inputs_names_no_node() -> None:
    assert nodes_of(joined(*homes(("node3/deep/logs", NOON)), root="top/node3/deep")) == [()]


def test_attempts_that_only_a_launchers_log_shows_are_attempts_too() -> None:
    home = run_directory("top/logs/job_a1b2c3d4")
    for sighting in home.sightings:
        sighting.attempt = 1
    log = summed("top/launcher", 0, 1, attempt=1)
    log.sightings.append(end("top/launcher", 3, local_rank=0, pid=50, exitcode=-9, attempt=0))
    (run,) = joined(home, log)
    assert [(a.number, len(a.workers)) for a in run.attempts] == [(0, 2 - 1), (1, 2)]


def test_what_names_no_attempt_belongs_to_the_last_one() -> None:
    log = summed("top/out", 0, 1, attempt=2)
    log.events.append((None, Event("kernel", "oom", Place("top/out.log", 3))))
    log.sightings[0].attempt = None
    (run,) = joined(log)
    assert [(a.number, len(a.workers), len(a.events)) for a in run.attempts] == [(2, 2, 1)]


def test_a_schedulers_log_belongs_to_the_only_run_near_it() -> None:
    def slurm() -> Strand:
        return Strand("log", ("top", "slurm"), "top/slurm.out", events=[(None, Event("scheduler", "x", Place("s", 1)))])

    (run,) = joined(*homes(("logs", NOON)), slurm())
    assert len(run.attempts[0].events) == 1
    runs = joined(*homes(("logs", NOON), ("logs", NOON + 24 * HOUR)), slurm())
    assert [[len(a.events) for a in run.attempts] for run in runs] == [[1], [0], [0]]


def test_a_directory_is_one_launchers_alone() -> None:
    home = run_directory("top/logs/none_a1b2c3d4", run_id="none")
    runs = joined(home, summed("top/a", 0, 1), summed("top/b", 0, 1, first_pid=500))
    assert [len(run.attempts[0].workers) for run in runs] == [2, 2, 2]
