"""One test for each way in which a launcher of torch 1.8 to now says something in a line."""

from __future__ import annotations

import pytest

from tests.errors_core.readers.launcher_reading import find, read

RULE = "*" * 70
GLOG = "E1120 21:24:46.938000 7001 torch/distributed/elastic/multiprocessing/errors/error_handler.py:136] "
SERVER = "INFO:torch.distributed.elastic.agent.server.api:[default] "
OLD = "ERROR:torch.distributed.elastic.multiprocessing.api:"
PREFIXES = [
    "ERROR:torch.distributed.elastic.multiprocessing.api:",
    "[2024-01-02 03:04:05,678] torch.distributed.elastic.multiprocessing.api: [ERROR] ",
    "E0102 03:04:05.678000 139000000000000 torch/distributed/elastic/multiprocessing/api.py:833] ",
    "E0102 03:04:05.678000 20001 site-packages/torch/distributed/elastic/multiprocessing/api.py:897] ",
    "E0102 03:04:05.678123 20001 /opt/venv/lib/python3.12/site-packages/torch/distributed/elastic/x.py:897] ",
    "torch/distributed/elastic/multiprocessing/api.py:826] ",
    "",
]


LAUNCHER_FRAMES = """\
Traceback (most recent call last):
  File "/opt/venv/bin/torchrun", line 8, in <module>
    sys.exit(main())
  File "/opt/venv/lib/python3.10/site-packages/torch/distributed/run.py", line 612, in config_from_args
    nproc_per_node = determine_local_world_size(args.nproc_per_node)
"""


@pytest.mark.parametrize("prefix", PREFIXES)
def test_the_first_failure_is_read_behind_the_prefix_of_every_version(prefix: str) -> None:
    reading = read(f"{prefix}failed (exitcode: -9) local_rank: 4 (pid: 5150) of binary: /opt/venv/bin/python\n")
    (seen,) = reading.sightings
    assert (seen.attempt, seen.local_rank, seen.pid, seen.exitcode, seen.rank) == (0, 4, 5150, -9, None)
    assert seen.launcher_root
    ((attempt, event),) = reading.events
    assert (attempt, event.kind, dict(event.fields)) == (0, "launcher_pick", {"local_rank": "4", "pid": "5150"})


@pytest.mark.parametrize(
    ("line", "signal", "forced"),
    [
        ("Sending process 77 closing signal SIGTERM", 15, False),
        ("Sending process 77 closing signal SIGHUP", 1, False),
        ("Sending process 77 closing signal SIGINT", 2, False),
        ("Closing process 77 via signal SIGTERM", 15, False),
        ("Terminating process 77 via signal SIGTERM", 15, False),
        ("Unable to shutdown process 77 via 15, forcefully exitting via 9", 9, True),
        ("Unable to shutdown process 77 via Signals.SIGTERM, forcefully exiting via Signals.SIGKILL", 9, True),
        ("Unable to shutdown process 77 via SIGTERM, forcefully exiting via SIGKILL", 9, True),
    ],
)
def test_a_signal_that_the_launcher_sent_is_a_closing_of_that_process(line: str, signal: int, forced: bool) -> None:
    (seen,) = read(
        f"[2024-01-02 03:04:05,678] torch.distributed.elastic.multiprocessing.api: [WARNING] {line}\n"
    ).sightings
    (closing,) = seen.closings
    assert (seen.pid, closing.signal, closing.forced, closing.time) == (77, signal, forced, 1704164645.678)
    assert seen.exitcode is None


@pytest.mark.parametrize(
    ("line", "signal"),
    [
        ("Received 1 death signal, shutting down workers", "SIGHUP"),
        ("Received Signals.SIGTERM death signal, shutting down workers", "SIGTERM"),
        ("Received SIGINT death signal, shutting down workers", "SIGINT"),
        ("torch.distributed.elastic.multiprocessing.api.SignalException: Process 57842 got signal: 1", "SIGHUP"),
        ("SignalException: Process 57842 got signal: SIGTERM", "SIGTERM"),
    ],
)
def test_a_death_signal_to_the_launcher_is_an_event_and_blames_nobody(line: str, signal: str) -> None:
    reading = read(f"{line}\n")
    ((_, event),) = reading.events
    assert (event.kind, dict(event.fields)["signal"]) == ("launcher_signal", signal)
    assert reading.sightings == []


def test_the_path_of_a_childs_error_file_tells_run_attempt_and_local_rank() -> None:
    path = "/scratch/logs/job-7__x9z2k0p/attempt_2/5/error.json"
    reading = read(f"{GLOG}no error file defined for parent, to copy child error file ({path})\n")
    (seen,) = reading.sightings
    assert (seen.run_id, seen.attempt, seen.local_rank) == ("job-7", 2, 5)
    assert seen.error_file == path


@pytest.mark.parametrize(
    "line",
    [
        "INFO:torch.distributed.elastic.multiprocessing.errors:local_rank 1 FAILED with no error file. Decorate",
        "INFO:torch.distributed.elastic.multiprocessing.errors:('local_rank %s FAILED with no error file.', 1)",
    ],
)
def test_a_failure_without_an_error_file_is_seen_at_info_level(line: str) -> None:
    (seen,) = read(f"{line}\n").sightings
    assert (seen.local_rank, seen.rank, seen.exitcode) == (1, None, None)


def test_the_notice_of_torch_1_9_names_the_process_and_its_exit_code() -> None:
    reading = read(
        f"{RULE}\n               CHILD PROCESS FAILED WITH NO ERROR_FILE                \n{RULE}\n"
        "CHILD PROCESS FAILED WITH NO ERROR_FILE\n"
        "Child process 30254 (local_rank 3) FAILED (exitcode -7)\n"
        "Error msg: Signal 7 (SIGBUS) received by PID 30254\n\n"
        f"  @record\n  def trainer_main(args):\n     # do train\n{RULE}\n"
    )
    (seen,) = reading.sightings
    assert (seen.local_rank, seen.pid, seen.exitcode) == (3, 30254, -7)


EVENT = (
    '{"name": "torchelastic.worker.status.%s", "source": "WORKER", "timestamp": 0, "metadata": {"run_id": "job-7", '
    '"global_rank": 3, "group_rank": 0, "worker_id": "17734", "role": "trainer", "hostname": "node-a", '
    '"state": "FAILED", "total_run_time": 35, "raw_error": "{\\"message\\": %s}", "metadata": '
    '"{\\"group_world_size\\": 1, \\"entry_point\\": \\"python\\", \\"local_rank\\": [1], \\"role_rank\\": [3], '
    '\\"role_world_size\\": [4]}", "agent_restarts": 2}}'
)


def test_the_worker_event_of_torch_1_9_tells_everything_about_its_worker() -> None:
    (seen,) = read(EVENT % ("FAILED", '\\"<NONE>\\"') + "\n").sightings
    assert (seen.run_id, seen.rank, seen.local_rank, seen.group_rank, seen.pid) == ("job-7", 3, 1, 0, 17734)
    assert (seen.host, seen.role, seen.world_size, seen.attempt) == ("node-a", "trainer", 4, 2)
    assert (seen.exitcode, seen.message) == (None, None)


def test_the_worker_event_of_a_worker_that_ended_well_says_so() -> None:
    (seen,) = read(EVENT % ("SUCCEEDED", "null") + "\n").sightings
    assert (seen.rank, seen.exitcode) == (3, 0)


def test_a_truncated_worker_event_gives_what_stands_before_its_end() -> None:
    (seen,) = read(EVENT[:210] % "FAILED" + "\n").sightings
    assert (seen.rank, seen.run_id) == (3, "job-7")


def test_a_report_that_the_launcher_printed_is_its_own_end() -> None:
    reading = read(
        "ERROR:torch.distributed.elastic.multiprocessing.errors.error_handler:{\n"
        '  "message": {\n    "message": "SignalException: Process 31 got signal: 15",\n'
        '    "extraInfo": {\n      "py_callstack": "Traceback",\n      "timestamp": "1635580000"\n    }\n  }\n}\n'
        "[rank3]: KeyError: 'x'\n"
    )
    assert [seen.rank for seen in reading.sightings] == [3]
    assert [(event.kind, dict(event.fields)) for _, event in reading.events] == [
        ("launcher_signal", {"pid": "31", "signal": "SIGTERM"})
    ]


def test_a_report_that_a_worker_printed_belongs_to_that_worker() -> None:
    lines = [
        "ERROR:torch.distributed.elastic.multiprocessing.errors.error_handler:{",
        '  "message": {',
        '    "message": "KeyError: \'x\'",',
        '    "extraInfo": {"timestamp": "1635580000"}',
        "  }",
        "}",
    ]
    reading = read("".join(f"[default2]:{line}\n" for line in lines))
    (seen,) = [seen for seen in reading.sightings if seen.message]
    assert (seen.local_rank, seen.message, seen.timestamp) == (2, "KeyError: 'x'", 1635580000)


def test_an_info_level_restart_counts_the_attempts_from_the_number_that_it_states() -> None:
    reading = read(
        f"{OLD}failed (exitcode: 1) local_rank: 0 (pid: 10) of binary: p\n"
        f"{SERVER}Worker group FAILED. 2/3 attempts left; will restart worker group\n"
        f"{OLD}failed (exitcode: 1) local_rank: 0 (pid: 20) of binary: p\n"
        f"{SERVER}Worker group FAILED. 1/3 attempts left; will restart worker group\n"
        "[default0]:KeyError: 'x'\n"
    )
    assert {seen.pid: seen.attempt for seen in reading.sightings if seen.pid} == {10: 1, 20: 2}
    assert [attempt for attempt, event in reading.events if event.kind == "restart"] == [1, 2]
    (late,) = find(reading, local_rank=0, pid=None)
    assert late.attempt == 3


def test_the_result_of_a_rendezvous_tells_every_worker_of_the_node() -> None:
    reading = read(
        f"{SERVER}Rendezvous complete for workers. Result:\n"
        "  restart_count=1\n  master_addr=node-a\n  master_port=29500\n  group_rank=1\n  group_world_size=2\n"
        "  local_ranks=[0, 1]\n  role_ranks=[2, 3]\n  global_ranks=[2, 3]\n  role_world_sizes=[4, 4]\n"
        "  global_world_sizes=[4, 4]\n\n"
        f"{SERVER}Starting worker group\n"
    )
    seen = [(one.attempt, one.rank, one.local_rank, one.group_rank, one.world_size) for one in reading.sightings]
    assert seen == [(1, 2, 0, 1, 4), (1, 3, 1, 1, 4)]


def test_the_log_directory_tells_the_run() -> None:
    reading = read(
        f"{SERVER}log directory set to: /tmp/torchelastic_a/job-7_x9z2k0pq\n"
        f"{OLD}failed (exitcode: 1) local_rank: 0 (pid: 10) of binary: p\n"
    )
    assert {seen.run_id for seen in reading.sightings} == {"job-7"}


@pytest.mark.parametrize(
    "text",
    [
        "usage: torchrun [-h]\ntorchrun: error: the following arguments are required: training_script\n",
        "run.py: error: unrecognized arguments: --nproc\n",
        f"{LAUNCHER_FRAMES}ValueError: Unsupported nproc_per_node value: gpus\n",
    ],
)
def test_a_launcher_that_could_not_start_anything_is_a_usage_event(text: str) -> None:
    reading = read(text)
    assert [event.kind for _, event in reading.events] == ["usage"]
    assert reading.sightings == []


def test_a_port_that_the_launcher_could_not_take_is_a_port_event() -> None:
    reading = read(
        f"{LAUNCHER_FRAMES}torch.distributed.DistNetworkError: The server socket has failed to listen on any local "
        "network address. port: 29500, useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use\n"
    )
    assert [(event.kind, event.signature) for _, event in reading.events] == [("port", "port_in_use")]
    assert reading.sightings == []


def test_ctrl_c_in_the_launcher_is_a_signal_to_it() -> None:
    reading = read(f"{LAUNCHER_FRAMES}KeyboardInterrupt\n")
    assert [(event.kind, dict(event.fields)) for _, event in reading.events] == [
        ("launcher_signal", {"signal": "SIGINT"})
    ]
    assert reading.sightings == []


def test_a_functions_traceback_in_the_launchers_log_belongs_to_the_process_that_it_names() -> None:
    lines = [
        "failed (exitcode: 1) local_rank: 2 (pid: 5360) of fn: trainer (start_method: spawn)",
        "Traceback (most recent call last):",
        '  File "/opt/venv/lib/python3.11/site-packages/torch/multiprocessing/spawn.py", line 211, in join',
        "    raise ProcessRaisedException(msg, error_index, failed_process.pid)",
        "torch.multiprocessing.spawn.ProcessRaisedException: ",
        "",
        "-- Process 2 terminated with the following error:",
        "Traceback (most recent call last):",
        '  File "/workspace/launch.py", line 7, in trainer',
        '    raise ValueError("learning rate")',
        "ValueError: learning rate",
        "",
    ]
    glog = "E1201 05:36:24.465000 5352 torch/distributed/elastic/multiprocessing/api.py:836] "
    for text in ("\n".join(lines), "\n".join(f"{glog}{line}" for line in lines)):
        reading = read(text)
        (seen,) = [seen for seen in reading.sightings if seen.error is not None]
        assert seen.error is not None
        assert (seen.local_rank, seen.exitcode, seen.error.link.title) == (2, 1, "ValueError: learning rate")


def test_an_exception_without_frames_is_kept_as_nobodys() -> None:
    reading = read("RuntimeError: CUDA error: uncorrectable ECC error encountered\nwandb: run history\n")
    (seen,) = reading.sightings
    assert seen.error is not None
    assert seen.error.link.title == "RuntimeError: CUDA error: uncorrectable ECC error encountered"
    assert (seen.rank, seen.local_rank, seen.pid, seen.host) == (None, None, None, None)
    assert "cuda_ecc" in {hit.signature for hit in seen.hits}


def test_the_old_watchdog_names_the_rank_in_its_own_words() -> None:
    reading = read(
        "[E ProcessGroupNCCL.cpp:737] [Rank 1] Watchdog caught collective operation timeout: "
        "WorkNCCL(SeqNum=47, OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 1802248 milliseconds before timing out.\n"
    )
    assert [(seen.rank, [hit.signature for hit in seen.hits]) for seen in reading.sightings] == [(1, ["nccl_timeout"])]


def test_a_rank_that_wrote_nothing_of_note_is_known_nevertheless() -> None:
    reading = read("[default0]:[rank4]: step 7 loss 0.5\n")
    assert [(seen.rank, seen.local_rank, seen.role, seen.last_step) for seen in reading.sightings] == [
        (4, 0, "default", 7)
    ]


def test_nccls_lines_name_host_and_process() -> None:
    reading = read("node-a:35689:36041 [3] include/alloc.h:178 NCCL WARN Cuda failure 'out of memory'\n")
    assert [(seen.host, seen.pid, seen.local_rank) for seen in reading.sightings] == [("node-a", 35689, None)]
