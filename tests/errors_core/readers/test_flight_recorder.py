"""Flight recorder dumps of every version and form: who got how far, and no harm from hostile ones."""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
from collections import defaultdict
from pathlib import Path
from typing import Any, BinaryIO, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errors_core.job import CollectiveProgress, Frame, Place
from errors_core.readers import flight_recorder
from errors_core.readers.flight_recorder import looks_like_flight_recorder, read_flight_recorder
from errors_core.sightings import Reading

DATA = Path(__file__).parents[2] / "data" / "flight_recorder"
SETS = ["gpu_error_1st", "lock_gil_1st"]
FRAMES = [
    {"name": "all_reduce", "filename": "/opt/venv/lib/python3.11/site-packages/torch/distributed/x.py", "line": 2806},
    {"name": "c10d::work", "filename": "/src/torch/csrc/distributed/c10d/Work.cpp", "line": 7},
    {"name": "train_step", "filename": "/workspace/train.py", "line": 88},
    {"name": "main", "filename": "/workspace/train.py", "line": 120},
]


def make_entry(seq: int = 1, state: str = "completed", **changes: Any) -> dict[str, Any]:
    """An entry of format 2.9; a change to `None` leaves the key out."""
    fields: dict[str, Any] = {
        "record_id": seq,
        "pg_id": 0,
        "process_group": ("0", "default_pg"),
        "collective_seq_id": seq,
        "p2p_seq_id": 0,
        "profiling_name": "nccl:all_reduce",
        "time_created_ns": 1_796_126_400_500_000_000 + seq,
        "input_sizes": [[2, 3]],
        "input_dtypes": ["Float"],
        "output_sizes": [[2, 3]],
        "output_dtypes": ["Float"],
        "state": state,
        "time_discovered_started_ns": None,
        "time_discovered_completed_ns": 1_796_126_401_000_000_000 if state == "completed" else None,
        "is_p2p": False,
        "retired": False,
    }
    return {key: value for key, value in (fields | changes).items() if value is not None or key.startswith("time_d")}


def make_send(seq: int, state: str = "completed", **changes: Any) -> dict[str, Any]:
    defaults = {"collective_seq_id": 1, "p2p_seq_id": seq, "is_p2p": True, "profiling_name": "nccl:send 0->1"}
    return make_entry(seq, state, **(defaults | changes))


def make_dump(*entries: object, **changes: Any) -> dict[str, Any]:
    """A dump of format 2.9 with one group of four ranks."""
    fields: dict[str, Any] = {
        "version": "2.9",
        "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1, 2, 3]"}},
        "entries": list(entries),
    }
    return {key: value for key, value in (fields | changes).items() if value is not None}


def make_status(enqueued: int, completed: int, started: int = -1) -> dict[str, int]:
    names = ("last_enqueued_collective", "last_started_collective", "last_completed_collective")
    return dict(zip(names, (enqueued, started, completed), strict=True))


def read_bytes(data: bytes, path: str = "traces/nccl_trace_rank_1") -> Reading:
    return read_flight_recorder(io.BytesIO(data), path)


def read_dump(dump: object, path: str = "traces/nccl_trace_rank_1") -> Reading:
    return read_bytes(pickle.dumps(dump, 2), path)


def progress_in(dump: object) -> tuple[CollectiveProgress, ...]:
    """What a dump without any problem tells."""
    reading = read_dump(dump)
    assert reading.problems == []
    return reading.sightings[0].collectives


def read_set(name: str) -> dict[tuple[str, tuple[int, ...] | None], dict[int, CollectiveProgress]]:
    """All dumps of a directory, by group and rank."""
    groups: dict[tuple[str, tuple[int, ...] | None], dict[int, CollectiveProgress]] = defaultdict(dict)
    for path in (DATA / name).glob("_dump_*"):
        with path.open("rb") as stream:
            reading = read_flight_recorder(stream, str(path))
        assert reading.problems == []
        (sighting,) = reading.sightings
        assert sighting.rank is not None
        for progress in sighting.collectives:
            groups[progress.group, progress.ranks][sighting.rank] = progress
    return groups


def planted_ranks(name: str) -> set[int]:
    first = (DATA / name / "fault_injection.log").read_text().splitlines()[0]
    return set(json.loads(first.partition(":")[2]))


@pytest.mark.parametrize("name", SETS)
def test_every_group_of_the_sample_jobs_is_told_by_all_its_members(name: str) -> None:
    groups = read_set(name)
    assert {rank for members in groups.values() for rank in members} == set(range(16))
    for (_, ranks), members in groups.items():
        assert set(members) == set(ranks or ())
    (default,) = [
        members for (_, ranks), members in groups.items() if members[min(members)].description == "default_pg"
    ]
    assert len(default) == 16


def test_the_ranks_with_a_broken_gpu_are_those_that_completed_less_than_their_peers() -> None:
    behind = set()
    for members in read_set("gpu_error_1st").values():
        if any(progress.p2p for progress in members.values()):
            continue
        furthest = max(progress.last_completed or 0 for progress in members.values())
        behind |= {rank for rank, progress in members.items() if (progress.last_completed or 0) < furthest}
    assert behind == planted_ranks("gpu_error_1st") == {12, 14}


def test_the_ranks_that_hang_are_those_that_never_asked_for_what_their_peers_wait_for() -> None:
    absent = set()
    for members in read_set("lock_gil_1st").values():
        if any(progress.p2p for progress in members.values()):
            continue
        waited_for = min((progress.seq for progress in members.values() if progress.seq is not None), default=0)
        absent |= {rank for rank, progress in members.items() if (progress.last_enqueued or 0) < waited_for}
    assert absent == planted_ranks("lock_gil_1st") == {9, 14}


def test_a_real_dump_tells_number_operation_sizes_and_place() -> None:
    path = str(DATA / "gpu_error_1st" / "_dump_12")
    with Path(path).open("rb") as stream:
        sighting = read_flight_recorder(stream, path).sightings[0]
    assert (sighting.source, sighting.rank, sighting.world_size) == ("flight_recorder", 12, 16)
    (progress,) = [group for group in sighting.collectives if group.group == "41"]
    assert progress == CollectiveProgress(
        group="41",
        description="TENSOR_MODEL_PARALLEL_GROUP",
        ranks=(12, 13),
        last_enqueued=42817,
        last_started=None,
        last_completed=42805,
        op="nccl:_all_gather_base",
        frame=None,
        place=Place(path),
        seq=42806,
        state="scheduled",
        time=progress.time,
        sizes="BFloat16[4096, 1, 5120] → BFloat16[8192, 1, 5120]",
        p2p=False,
    )
    assert progress.time == pytest.approx(1758610505, abs=3600)


@pytest.mark.parametrize("name", SETS)
def test_the_json_form_tells_the_same_as_the_pickle(name: str) -> None:
    for path in (DATA / name).glob("_dump_*"):
        data = path.read_bytes()
        as_json = json.dumps(pickle.loads(data), sort_keys=True).encode()
        assert looks_like_flight_recorder(path.name, as_json[:4096])
        assert read_bytes(as_json, str(path)) == read_bytes(data, str(path))


@pytest.mark.parametrize(
    ("name", "rank"),
    [
        ("nccl_trace_rank_3", 3),
        ("comm_lib_trace_rank_12", 12),
        ("nccl_trace_rank_3.pkl", 3),
        ("nccl_trace_rank_3.json.gz", 3),
        ("job7_rank_3", 3),
        ("rank_3_of_16.pkl", 3),
        ("rank3", 3),
        ("_dump_0", 0),
        ("run2_dump_15", 15),
        ("7", 7),
        ("dump", None),
        ("nccl_trace_rank_99999999999999999999999", None),
    ],
)
@pytest.mark.parametrize("directory", ["", "node1/rank_5/", "logs.tar.gz!", "C:\\traces\\"])
def test_the_rank_is_read_from_the_files_name(directory: str, name: str, rank: int | None) -> None:
    assert read_dump(make_dump(pg_config=None), directory + name).sightings[0].rank == rank


def test_the_dumps_own_rank_counts_more_than_the_files_name_and_the_conflict_is_told() -> None:
    reading = read_dump(make_dump(rank=2), "nccl_trace_rank_1")
    assert reading.sightings[0].rank == 2
    assert "its name says rank 1, its content rank 2" in reading.problems[0].problem


def test_a_files_name_is_not_believed_where_the_groups_contradict_it() -> None:
    reading = read_dump(make_dump(), "nccl_trace_rank_7")
    assert reading.sightings[0].rank is None
    assert "rank 7 is no member of its process group 0" in reading.problems[0].problem
    assert reading.problems[0].path == "nccl_trace_rank_7"


@pytest.mark.parametrize("version", ["1.0", "1.5", "2.0", "2.1", "2.4", "2.5", "2.9", "2.10", "3.0", None, 7])
def test_the_version_text_does_not_matter_only_the_keys_do(version: object) -> None:
    (progress,) = progress_in(make_dump(make_entry(4), make_entry(5, "started"), version=version))
    assert (progress.last_enqueued, progress.last_completed, progress.seq) == (5, 4, 5)


def test_the_first_formats_are_a_list_of_entries_with_one_number_and_microseconds() -> None:
    def entry(seq: int, op: str, started: int | None, completed: int | None) -> dict[str, Any]:
        return {
            "pg_id": 0,
            "seq_id": seq,
            "profiling_name": op,
            "time_created_us": 1_796_126_400_250_000,
            "input_sizes": ((3, 4),),
            "output_sizes": ((3, 4),),
            "state": "completed" if completed else "started" if started else "scheduled",
            "time_discovered_started_us": started,
            "time_discovered_completed_us": completed,
            "frames": FRAMES,
        }

    progress = progress_in(
        [entry(1, "nccl:all_reduce", 5, 6), entry(2, "nccl:broadcast", 7, None), entry(3, "nccl:send 0->1", None, None)]
    )
    collectives, sends = progress
    assert (collectives.group, collectives.description, collectives.ranks) == ("pg_id 0", None, None)
    assert (collectives.last_enqueued, collectives.last_started, collectives.last_completed) == (2, 2, 1)
    assert (collectives.op, collectives.state, collectives.seq) == ("nccl:broadcast", "started", 2)
    assert (collectives.time, collectives.sizes) == (1_796_126_400.25, "[3, 4] → [3, 4]")
    assert (sends.p2p, sends.op, sends.last_enqueued, sends.last_completed) == (True, "nccl:send 0->1", 3, None)


@pytest.mark.parametrize(
    "spelling",
    [
        {"process_group": ("5", "tensor_parallel")},
        {"process_group": ["5", "tensor_parallel"]},
        {"process_group": None, "pg_name": "5", "pg_desc": "tensor_parallel"},
        {"process_group": "5", "pg_desc": "tensor_parallel"},
    ],
)
@pytest.mark.parametrize("number", ["collective_seq_id", "seq_id"])
def test_every_spelling_of_group_and_number_is_read(spelling: dict[str, Any], number: str) -> None:
    entry = make_entry(8, "scheduled", **spelling)
    entry[number] = entry.pop("collective_seq_id")
    (progress,) = progress_in(make_dump(entry, pg_config=None))
    assert (progress.group, progress.description, progress.seq) == ("5", "tensor_parallel", 8)


def test_a_group_without_a_description_has_none() -> None:
    config = {"0": {"name": "0", "desc": "undefined", "ranks": "[0, 1]"}}
    assert progress_in(make_dump(pg_config=config))[0].description is None


def test_missing_times_leave_the_state_as_it_is_written() -> None:
    entries = [make_entry(seq, state) for seq, state in ((1, "completed"), (2, "started"), (3, "scheduled"))]
    for entry in entries:
        del entry["time_discovered_started_ns"], entry["time_discovered_completed_ns"]
    (progress,) = progress_in(make_dump(*entries))
    assert (progress.last_enqueued, progress.last_started, progress.last_completed) == (3, 2, 1)
    assert (progress.seq, progress.state) == (2, "started")


def test_a_missing_state_follows_from_the_times() -> None:
    entry = make_entry(4, time_discovered_started_ns=17, time_discovered_completed_ns=18)
    del entry["state"]
    (progress,) = progress_in(make_dump(entry))
    assert (progress.last_started, progress.last_completed, progress.op) == (4, 4, None)


def test_an_entry_that_was_retired_without_being_completed_is_still_open() -> None:
    (progress,) = progress_in(make_dump(make_entry(4, "started", retired=True)))
    assert (progress.seq, progress.last_completed) == (4, None)


def test_where_everything_was_completed_no_operation_is_named() -> None:
    (progress,) = progress_in(make_dump(make_entry(4), make_entry(5)))
    assert (progress.last_enqueued, progress.last_completed) == (5, 5)
    assert (progress.op, progress.seq, progress.state, progress.time, progress.sizes) == (None,) * 5


def test_the_deepest_frame_of_own_code_is_shown() -> None:
    (progress,) = progress_in(make_dump(make_entry(4, "started", frames=FRAMES)))
    assert progress.frame == Frame("/workspace/train.py", 88, "train_step")


def test_without_own_code_the_deepest_frame_is_shown_and_marked() -> None:
    (progress,) = progress_in(make_dump(make_entry(4, "started", frames=FRAMES[:2])))
    assert progress.frame == Frame(FRAMES[0]["filename"], 2806, "all_reduce", own=False)  # type: ignore[arg-type]  # mixed values


@pytest.mark.parametrize("frames", [[], None, "text", [None, {"name": 1}, {"filename": "x.py"}]])
def test_frames_of_no_use_are_no_frame(frames: object) -> None:
    (progress,) = progress_in(make_dump(make_entry(4, "started", frames=frames)))
    assert progress.frame is None


def test_sends_and_receives_are_kept_apart_from_collectives() -> None:
    entries = [
        make_entry(6),
        make_send(40),
        make_send(41, "scheduled", collective_seq_id=6),
        make_entry(7, "scheduled", p2p_seq_id=41),
    ]
    collectives, sends = progress_in(make_dump(*entries))
    assert (collectives.p2p, collectives.last_enqueued, collectives.op) == (False, 7, "nccl:all_reduce")
    assert (sends.p2p, sends.last_enqueued, sends.op) == (True, 41, "nccl:send 0->1")


def test_the_status_speaks_of_the_kind_of_operation_that_was_enqueued_last() -> None:
    entries = [make_entry(6, "scheduled", p2p_seq_id=40), make_send(41, "scheduled", collective_seq_id=6)]
    collectives, sends = progress_in(make_dump(*entries, pg_status={"0": make_status(41, 40)}))
    assert (collectives.last_enqueued, collectives.last_completed) == (6, None)
    assert (sends.last_enqueued, sends.last_completed) == (41, 40)


def test_a_status_of_the_other_kind_is_not_taken_for_ones_own() -> None:
    entry = make_entry(6, "scheduled", p2p_seq_id=40)
    (progress,) = progress_in(make_dump(entry, pg_status={"0": make_status(41, 41)}))
    assert (progress.last_enqueued, progress.last_completed) == (6, None)


def test_a_completed_number_that_cannot_be_of_the_same_kind_is_not_told() -> None:
    entry = make_send(41, "scheduled", collective_seq_id=6)
    (progress,) = progress_in(make_dump(entry, pg_status={"0": make_status(41, 6)}))
    assert (progress.last_enqueued, progress.last_completed) == (41, None)


def test_the_status_tells_more_than_the_entries_that_are_left() -> None:
    entries = [make_entry(21, "scheduled"), make_entry(22, "scheduled")]
    (progress,) = progress_in(make_dump(*entries, pg_status={"0": make_status(22, 20, 21)}))
    assert (progress.last_enqueued, progress.last_started, progress.last_completed) == (22, 21, 20)


def test_a_status_that_does_not_fit_the_entries_is_not_believed() -> None:
    (progress,) = progress_in(make_dump(make_entry(21, "scheduled"), pg_status={"0": make_status(24, 23)}))
    assert (progress.last_enqueued, progress.last_completed) == (21, None)


@pytest.mark.parametrize("as_text", [False, True])
def test_gloo_leaves_completed_operations_scheduled_and_counts_sends_without_recording_them(as_text: bool) -> None:
    """As torch 2.13 wrote it after three all_reduce, one send and one all_reduce that hangs."""
    done = [make_entry(n, "scheduled", op_id=n, profiling_name="gloo:all_reduce", retired=True) for n in (1, 2, 3)]
    hangs = make_entry(4, "scheduled", op_id=5, profiling_name="gloo:all_reduce")
    status = make_status(5, 3)
    config = {"": {"name": "", "desc": "", "ranks": "[]"}}
    numbers = {key: str(value) for key, value in status.items()} if as_text else status
    (progress,) = progress_in(make_dump(*done, hangs, pg_config=config, pg_status={"0": numbers}, version="2.10"))
    assert (progress.group, progress.last_enqueued, progress.last_completed) == ("0", 4, 3)
    assert (progress.seq, progress.op) == (4, "gloo:all_reduce")


def test_what_was_given_up_is_still_open_whatever_was_completed_before() -> None:
    entries = [make_entry(8, "scheduled", op_id=8, retired=True), make_entry(9, "scheduled", op_id=9)]
    (progress,) = progress_in(make_dump(*entries, pg_status={"0": make_status(9, 7)}))
    assert (progress.seq, progress.last_completed) == (8, 7)


@pytest.mark.parametrize("none", [-1, "-1"])
def test_a_group_in_which_nothing_happened_yet_counts_zero_and_an_untimed_start_is_not_told(none: Any) -> None:
    (progress,) = progress_in(make_dump(pg_status={"0": make_status(none, none, none)}))
    assert (progress.last_enqueued, progress.last_started, progress.last_completed) == (0, None, 0)


def test_a_group_that_only_the_configuration_names_has_no_numbers() -> None:
    (progress,) = progress_in(make_dump())
    assert progress == CollectiveProgress(
        "0", "default_pg", (0, 1, 2, 3), None, None, None, None, None, Place("traces/nccl_trace_rank_1"), p2p=None
    )


def test_a_group_without_entries_is_found_by_the_order_in_which_groups_were_made() -> None:
    config = {name: {"name": name, "desc": name, "ranks": "[0, 1]"} for name in ("0", "112", "35")}
    status = {"0": make_status(3, 3), "9": make_status(9, 8), "4": make_status(5, 5)}
    entry = make_entry(9, "scheduled", process_group=("112", "112"), pg_id=9)
    found = {
        progress.group: progress.last_enqueued
        for progress in progress_in(make_dump(entry, pg_config=config, pg_status=status))
    }
    assert found == {"0": 3, "35": 5, "112": 9}


@pytest.mark.parametrize("names", [("0", "7"), ("0", "a_hash"), ("0", "1", "2")])
def test_a_group_is_not_named_by_order_where_the_order_is_in_doubt(names: tuple[str, ...]) -> None:
    config = {name: {"name": name, "desc": name, "ranks": "[0, 1]"} for name in names}
    entry = make_entry(3, "scheduled", process_group=("7", "7"), pg_id=0)
    status = {"0": make_status(3, 2), "1": make_status(9, 9)}
    found = {
        progress.group: progress.last_enqueued
        for progress in progress_in(make_dump(entry, pg_config=config, pg_status=status))
    }
    assert found["7"] == 3
    assert found["pg_id 1"] == 9
    assert found["0"] is None


@pytest.mark.parametrize("ranks", ["[0, 1, 2]", "0,1,2", [0, 1, 2], ("0", "1", "2")])
def test_ranks_are_read_as_text_and_as_a_list(ranks: object) -> None:
    config = {"0": {"name": "0", "desc": "x", "ranks": ranks}}
    assert progress_in(make_dump(pg_config=config))[0].ranks == (0, 1, 2)


@pytest.mark.parametrize("ranks", ["[0, x]", "0-3", [0, -1], [None], 5, None, "[1" + "0" * 30 + "]"])
def test_ranks_that_cannot_be_read_are_not_told(ranks: object) -> None:
    config = {"0": {"name": "0", "desc": "x", "ranks": ranks}}
    assert progress_in(make_dump(pg_config=config))[0].ranks is None


def test_members_of_a_job_share_the_tuples_of_their_groups() -> None:
    one, other = (read_dump(make_dump(), f"nccl_trace_rank_{rank}").sightings[0] for rank in (0, 1))
    assert one.collectives[0].ranks is other.collectives[0].ranks


def test_entries_that_cannot_be_understood_are_counted_and_hide_no_other() -> None:
    reading = read_dump(make_dump(None, {"pg_id": 0}, make_entry(-5), make_entry(4, "scheduled")))
    assert [problem.problem for problem in reading.problems] == [
        "flight recorder dump: 3 of 4 entries name no process group or no sequence number"
    ]
    assert reading.sightings[0].collectives[0].seq == 4


@pytest.mark.parametrize(
    "changes",
    [
        {"entries": 7, "pg_config": None},
        {"pg_config": [1], "pg_status": "x"},
        {
            "pg_config": {"0": None, "": {"name": []}},
            "pg_status": {"x": {}, "1": None, "2": {"last_enqueued_collective": 1.5}},
        },
        {"pg_status": {"0": make_status(2**63, 2**70)}},
        {"rank": True},
        {"rank": -1},
        {"rank": [3]},
    ],
)
def test_values_of_a_wrong_type_count_as_not_told(changes: dict[str, Any]) -> None:
    sighting = read_dump(make_dump(**changes)).sightings[0]
    assert sighting.rank == 1
    assert {(group.last_enqueued, group.last_completed) for group in sighting.collectives} <= {(None, None)}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("profiling_name", ["x"]),
        ("process_group", [None]),
        ("process_group", {}),
        ("time_created_ns", "soon"),
        ("input_sizes", [[1, "x"], 5, [2**80], None, []]),
        ("output_sizes", "[[1]]"),
        ("input_dtypes", [None, 3]),
        ("state", ["scheduled"]),
        ("is_p2p", "yes"),
        ("pg_id", -1),
    ],
)
def test_an_entry_with_a_value_of_a_wrong_type_raises_nothing(key: str, value: object) -> None:
    reading = read_dump(make_dump(make_entry(3, "scheduled") | {key: value}, make_entry(4, "scheduled")))
    assert reading.sightings[0].collectives[0].last_enqueued == 4


def test_sizes_are_shown_in_short() -> None:
    changes = {
        "input_sizes": [[n] for n in range(9)],
        "input_dtypes": ["Half"],
        "output_sizes": [[1, None]],
        "output_dtypes": [],
    }
    (progress,) = progress_in(make_dump(make_entry(4, "started", **changes)))
    assert progress.sizes == "Half[0], [1], [2], [3] and 5 more → [1, ?]"


class Asks:
    """Pickled, it asks to run a command."""

    def __init__(self, command: str) -> None:
        self.command = command

    def __reduce__(self) -> Any:
        return os.system, (self.command,)


@pytest.mark.parametrize("protocol", [0, 1, 2, 3, 4, 5])
def test_a_hostile_pickle_is_a_problem_that_names_what_it_asked_for(protocol: int, tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    dump = make_dump(make_entry(3), version=Asks(f"touch {witness}"))
    (problem,) = read_bytes(pickle.dumps(dump, protocol)).problems
    assert problem.path == "traces/nccl_trace_rank_1"
    assert problem.problem.startswith("flight recorder dump: not a plain pickle: ")
    assert protocol < 2 or "posix.system" in problem.problem
    assert not witness.exists()


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "empty file"),
        (b"\0\0\0\0", "holds only NUL bytes"),
        (b"Traceback (most recent call last):\n", "not a p"),
        (pickle.dumps({"epoch": 3}, 2), "holds none of entries, pg_config, pg_status"),
        (pickle.dumps("text", 2), "holds none of"),
        (b"\x80\x02}", "truncated pickle at byte 3"),
        (b'{"entries": [}', "not JSON at byte"),
        (b'{"version": "2.9"}', "holds none of"),
        (b'{"entries": ' + b"[" * 100_000, "nested deeper"),
        (b'{"entries": ' + b"[" * 500 + b"]" * 500 + b"}", "nested deeper"),
    ],
)
def test_what_is_no_dump_is_one_problem_and_no_sighting(data: bytes, told: str) -> None:
    reading = read_bytes(data)
    assert reading.sightings == []
    assert [told in problem.problem for problem in reading.problems] == [True]


def test_numbers_that_json_does_not_have_count_as_not_told() -> None:
    text = json.dumps(make_dump(make_entry(3, "scheduled", time_created_ns=float("nan")), make_entry(4, "scheduled")))
    huge = text.replace('"collective_seq_id": 4', '"collective_seq_id": 1' + "0" * 50_000)
    reading = read_bytes(huge.encode())
    (progress,) = reading.sightings[0].collectives
    assert (progress.last_enqueued, progress.seq, progress.time) == (3, 3, None)
    assert ["1 of 2 entries" in problem.problem for problem in reading.problems] == [True]


def test_a_file_that_is_too_large_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    data = pickle.dumps(make_dump(*map(make_entry, range(100))), 2)
    monkeypatch.setattr(flight_recorder, "MAX_BYTES", len(data) - 1)
    (problem,) = read_bytes(data).problems
    assert "more than" in problem.problem
    monkeypatch.setattr(flight_recorder, "MAX_BYTES", len(data))
    assert read_bytes(data).problems == []


def test_a_damaged_compressed_stream_is_a_problem() -> None:
    packed = gzip.compress(pickle.dumps(make_dump(*map(make_entry, range(100))), 2))
    with gzip.open(io.BytesIO(packed[:-40])) as stream:
        reading = read_flight_recorder(cast("BinaryIO", stream), "nccl_trace_rank_1.gz")
    assert ["cannot be read" in problem.problem for problem in reading.problems] == [True]


@pytest.mark.parametrize("form", ["pickle", "json"])
def test_a_dump_cut_anywhere_never_says_that_a_rank_is_behind(form: str) -> None:
    path = str(DATA / "gpu_error_1st" / "_dump_14")
    data = Path(path).read_bytes()
    if form == "json":
        data = json.dumps(pickle.loads(data)).encode()
    whole = read_bytes(data, path).sightings[0].collectives
    for end in range(0, len(data) - 1, 23):
        reading = read_bytes(data[:end], path)
        assert reading.problems
        for group in (group for sighting in reading.sightings for group in sighting.collectives):
            (true,) = (each for each in whole if each.group == group.group) if group.ranks else (group,)
            assert group.last_enqueued in (None, true.last_enqueued)
            assert group.last_completed in (None, true.last_completed)
            assert group.seq in (None, true.seq)


def test_a_name_that_was_cut_is_no_group() -> None:
    entry = make_entry(3, "scheduled", process_group=("tensor_0", None))
    config = {"tensor_0": {"desc": "x", "name": "tensor_0", "ranks": "[0, 1]"}}
    text = json.dumps(make_dump(entry, pg_config=config), sort_keys=True)
    for end in (text.index("sor_0"), text.rindex("sor_0"), text.index('sor_0": {')):
        groups = read_bytes(text[:end].encode()).sightings[0].collectives
        assert {group.group for group in groups} <= {"tensor_0"}


def test_a_truncated_dump_tells_what_it_held() -> None:
    data = pickle.dumps(make_dump(make_entry(3, "started"), make_entry(4, "scheduled")), 2)
    reading = read_bytes(data[:-30])
    (progress,) = reading.sightings[0].collectives
    assert (progress.seq, progress.state, progress.last_enqueued) == (3, "started", None)
    assert ["truncated pickle" in problem.problem for problem in reading.problems] == [True]


@given(st.binary(max_size=300))
def test_any_bytes_give_a_sighting_or_a_problem(data: bytes) -> None:
    reading = read_bytes(data)
    assert len(reading.sightings) + len(reading.problems) >= 1


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 2**65)
    | st.text(max_size=5)
    | st.sampled_from(["0", "nccl:send 0->1", "completed"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from([*make_entry(), "frames", "name", "ranks", "0"]), inner, max_size=6)
    ),
    max_leaves=25,
)


@given(entries=st.lists(VALUES, max_size=4), config=VALUES, status=VALUES, rank=VALUES)
def test_any_values_in_the_right_places_raise_nothing(
    entries: list[object], config: object, status: object, rank: object
) -> None:
    dump = {"entries": entries, "pg_config": config, "pg_status": status, "rank": rank}
    pickled, as_json = read_dump(dump), read_bytes(json.dumps(dump).encode())
    assert pickled.sightings == as_json.sightings
    assert len(pickled.sightings) == 1


@given(data=st.data())
def test_a_dump_with_changed_bytes_raises_nothing(data: st.DataObject) -> None:
    changed = bytearray(pickle.dumps(make_dump(make_entry(3, "started", frames=FRAMES), make_send(4)), 2))
    for _ in range(4):
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    reading = read_bytes(bytes(changed))
    assert len(reading.sightings) + len(reading.problems) >= 1


PICKLED = pickle.dumps(make_dump(make_entry()), 2)


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("nccl_trace_rank_3", b""),
        ("/root/.cache/torch/comm_lib_trace_rank_3", b"cos\nsystem\n"),
        ("nccl_trace_rank_3.pkl", PICKLED),
        ("anything", PICKLED),
        ("anything_rank_0", pickle.dumps(make_dump(), 5)),
        ("old_rank_0", pickle.dumps([make_entry()], 2)),
        ("x_rank_1.pkl", pickle.dumps({"version": "1.5", "entries": []}, 2)),
        ("rank_3.json", b'{\n "entries": [\n  {"collective_seq_id": 1'),
        ("trace", b'\xef\xbb\xbf{"version":"2.9","pg_config":{'),
        ("trace.json", b'{"nccl_version":"2.27","entries":[]}'),
    ],
)
def test_a_dump_is_recognised_by_its_own_name_or_its_content(name: str, head: bytes) -> None:
    assert looks_like_flight_recorder(name, head)


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("rank_3.json", b'{"message": {"message": "ValueError: x", "extraInfo": {}}}'),
        ("optimizer_rank_3.pkl", pickle.dumps({"state": {}, "param_groups": []}, 2)),
        ("model_rank_3", b"PK\x03\x04archive/data.pkl entries version"),
        ("rank_3", b"cos\nsystem\n"),
        ("stderr.log", b"[rank0]: {'pg_config': {'0': {}}}\n"),
        ("config.json", b'{"version": 1, "entries": []}'),
        ("env.json", b'{"nccl_version": "2.27"}'),
        ("my_nccl_trace_rank_3_notes.txt", b"look at profiling_name"),
        ("empty", b""),
    ],
)
def test_what_is_no_dump_is_not_taken_for_one(name: str, head: bytes) -> None:
    assert not looks_like_flight_recorder(name, head)
