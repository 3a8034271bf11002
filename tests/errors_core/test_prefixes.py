"""What stands in front of a line is read and taken off, whoever wrote it and in whatever order."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errors_core.prefixes import strip_prefixes

TORCH = "torch.distributed.elastic.multiprocessing.api"
API = "torch/distributed/elastic/multiprocessing/api.py"
FAILED = "failed (exitcode: -9) local_rank: 4 (pid: 5150) of binary: /opt/venv/bin/python"
FRAME = '  File "train.py", line 3, in main'

FORMATS: list[tuple[str, str, dict[str, Any]]] = [
    (f"ERROR:{TORCH}:{FAILED}", FAILED, {"level": "ERROR", "source": TORCH}),
    (f"WARNING: {TORCH}:{FAILED}", FAILED, {"level": "WARNING", "source": TORCH}),
    (f"[2024-01-02 03:04:05,678] {TORCH}: [ERROR] {FAILED}", FAILED, {"time": 1704164645.678, "level": "ERROR"}),
    (f"E0102 03:04:05.678000 139000000000000 {API}:833] {FAILED}", FAILED,
     {"level": "ERROR", "pid": None, "writer": 139000000000000}),
    (f"W0102 03:04:05.678901 20001 site-packages/{API}:897] {FAILED}", FAILED,
     {"level": "WARNING", "pid": 20001, "writer": 20001}),
    (f"{API}:826] {FAILED}", FAILED, {}),
    ("[E ProcessGroupNCCL.cpp:737] [Rank 1] x", "[Rank 1] x", {"rank": None, "level": "ERROR"}),
    ("[rank5]:[E ProcessGroupNCCL.cpp:523] [Rank 5] Timeout", "[Rank 5] Timeout", {"rank": 5}),
    ("[rank0]:[E102 03:04:05.678901234 ProcessGroupNCCL.cpp:607] x", "x", {"rank": 0, "level": "ERROR"}),
    ("[W socket.cpp:401] [c10d] The server socket", "[c10d] The server socket", {"level": "WARNING"}),
    ("[rank3[]:[E ProcessGroupNCCL.cpp:1] torn", "torn", {"rank": 3}),
    (f"[rank1]: {FRAME}", FRAME, {"rank": 1}),
    (f"[default1]:{FRAME}", FRAME, {"rank": None, "local_rank": 1, "role": "default"}),
    (f"[trainer7]:[rank15]: {FRAME}", FRAME, {"rank": 15, "local_rank": 7, "role": "trainer"}),
    (f"[rank0]:[rank8]: {FRAME}", FRAME, {"rank": 8, "local_rank": 0, "role": "rank"}),
    (f"[rank0]:{FRAME}", FRAME, {"rank": 0}),
    ("[rank0]:", "", {"rank": 0}),
    ("[rank: 1] Received SIGTERM: 15", "Received SIGTERM: 15", {"rank": 1}),
    (f"2: {FRAME}", FRAME, {"task": 2, "rank": None}),
    ("12 : Traceback (most recent call last):", "Traceback (most recent call last):", {"task": 12}),
    (f"[1,3]<stderr>:{FRAME}", FRAME, {"task": 3}),
    ("[1,mpirank:0,algo-1]<stderr>:KeyError: 'x'", "KeyError: 'x'", {"task": 0, "host": "algo-1"}),
    ("node-a: [rank3]: ValueError: x", "ValueError: x", {"host": "node-a", "rank": 3}),
    ("worker-1: [2024-07-08 16:53:10,876] [INFO] [launch.py:315:sigkill_handler] Killing subprocess 20790",
     "Killing subprocess 20790", {"host": "worker-1", "source": "launch.py:315:sigkill_handler", "level": "INFO"}),
    (f"(CommandActor pid=12, ip=10.0.0.2) {FRAME}", FRAME, {"pid": 12, "host": "10.0.0.2"}),
    ("(train_fn pid=77) KeyError: 'x'", "KeyError: 'x'", {"pid": 77}),
    ("i.pretrain/0 [default0]:[rank0]: ValueError: x", "ValueError: x", {"rank": 0, "local_rank": 0}),
    ("[pod/worker-0/pytorch] KeyError: 'x'", "KeyError: 'x'", {"host": "worker-0"}),
    ("worker-0  | KeyError: 'x'", "KeyError: 'x'", {"host": "worker-0"}),
    (f"[2024-04-04T22:48:37.893506Z] c0ffee01 [rank=3] || {FRAME}", FRAME, {"host": "c0ffee01", "rank": 3}),
    ("[2024-04-04T22:48:41.106313Z] c0ffee01 || plain", "plain", {"host": "c0ffee01", "time": 1712270921.106313}),
    ("2024-12-27 15:50:25 [rank3]: KeyError: 'x'", "KeyError: 'x'", {"rank": 3, "time": 1735314625.0}),
    ("2024-04-04T22:48:37.5+02:00 text", "text", {"time": 1712263717.5}),
    ("2024-12-27 15:50:25,123 - foo.bar - ERROR - text", "text", {"source": "foo.bar", "level": "ERROR"}),
    ("01/02/2024 03:04:05 - INFO - text", "text", {"time": 1704164645.0, "level": "INFO"}),
    ("[01/02/24 03:04:05] INFO     text", "text", {"time": 1704164645.0, "level": "INFO"}),
    ("[2024-03-30 20:33:31,163][torch.nn.parallel][INFO] - text", "text", {"source": "torch.nn.parallel"}),
    ("[Tue Jan  2 03:04:05 2024] Out of memory: x", "Out of memory: x", {"time": 1704164645.0}),
    ("[12345.678901] Out of memory: x", "Out of memory: x", {"time": None}),
    ("Jan  2 03:04:05 node-a kernel: [12.678901] Out of memory: x", "Out of memory: x", {"host": "node-a"}),
    ("node-a:12345:12399 [3] alloc.h:178 NCCL WARN Cuda failure", "[3] alloc.h:178 NCCL WARN Cuda failure",
     {"host": "node-a", "pid": 12345, "local_rank": None}),
    ('time="2024-01-02T03:04:05Z" level=error msg="text"', '"text"', {"time": 1704164645.0, "level": "error"}),
    ("1.70e+09\tDEBUG\tevents\tError pod x-worker-0", "Error pod x-worker-0", {"level": "DEBUG"}),
    ("[node-a:4711 :0:4720] Caught signal 7", "Caught signal 7", {"host": "node-a", "pid": 4711}),
    ("[node-a:4711] *** Process received", "*** Process received", {"host": "node-a", "pid": 4711}),
    ("[80746] [rank0]: KeyError: 'x'", "KeyError: 'x'", {"rank": 0}),
    ("[1825] frame #6: clone", "frame #6: clone", {}),
    ("[1826] ", "", {}),
    ("stderr:   File", "  File", {}),
    ("> [rank1]: KeyError: 'x'", "KeyError: 'x'", {"rank": 1}),
    ("        | [rank0]: KeyError: 'x'", "KeyError: 'x'", {"rank": 0}),
    (f"    * 1 x W0128 08:22:00.140000 33280 {API}:900] text", "text", {"pid": 33280}),
    ("    [rank0]: KeyError: 'x'", "KeyError: 'x'", {"rank": 0}),
]  # fmt: skip


@pytest.mark.parametrize(("line", "text", "marks"), FORMATS, ids=[line[:40] for line, _, _ in FORMATS])
def test_every_known_prefix_is_taken_off_and_read(line: str, text: str, marks: dict[str, Any]) -> None:
    found = strip_prefixes(line)
    assert found.text == text
    for name, value in marks.items():
        assert getattr(found, name) == value, name


DAMAGED: list[tuple[str, str]] = [
    ("\x1b[31mKeyError\x1b[0m: 'x'    ", "KeyError: 'x'"),
    ("[31mKeyError[0m: 'x'", "KeyError: 'x'"),
    ("KeyError: 'x'\r\n", "KeyError: 'x'"),
    ("  0%|   | 0/2 [00:00<?, ?it/s]\r 50%|█  | 1/2 [00:01<00:01]\rKeyError: 'x'", "KeyError: 'x'"),
    ("Loading:   0%|          | 0/2 [00:00<?, ?it/s]KeyError: 'x'", "KeyError: 'x'"),
    ("12it [00:01, 3.3it/s]KeyError: 'x'", "KeyError: 'x'"),
    ("**KeyError: 'x'**", "KeyError: 'x'"),
    ("  exitcode  : **-9** (pid: 5)", "  exitcode  : -9 (pid: 5)"),
    ("```", ""),
    ("`KeyError: 'x'`", "KeyError: 'x'"),
    ("│ /opt/train.py:7 in main                      │", "/opt/train.py:7 in main"),
    ("╭──────── Traceback (most recent call last) ────────╮", "Traceback (most recent call last)"),
    ("╰───────────────╯", ""),
    ("\ufeff  File\xa0&quot;train.py&quot;, line 3, in &lt;module&gt;", '  File "train.py", line 3, in <module>'),
]


@pytest.mark.parametrize(("line", "text"), DAMAGED)
def test_damage_of_pastes_and_terminals_is_undone(line: str, text: str) -> None:
    assert strip_prefixes(line).text == text


@pytest.mark.parametrize(
    "line",
    [
        "[3] is setting up NCCL communicator and retrieving ncclUniqueId",
        "[7] finished collective #182, but didn't join collective #183",
        "[1023] finished collective #182, but didn't join collective #183",
        "[0]:",
        "    return f(*args, **kwargs)",
        "  | Traceback (most recent call last):",
        "bf16: True",
        "train.py: error: unrecognized arguments: --lr2",
        "ValueError: [rank3]: x",
        "srun: error: node-a: task 1: Exited with exit code 1",
        "*** STEP 1.1 ON node-a CANCELLED AT 2024-02-11T15:40:59 ***",
        "[rank: 1] Child process with PID 2977 terminated with code 4. Forcefully terminating all other processes",
        "[step10]: loss 0.5",
        " 10%|█         | 1/10 [00:01<00:01,  1.2s/it]",
        "x = 2**3 + 4**5",
    ],
)
def test_text_that_only_resembles_a_prefix_stays(line: str) -> None:
    found = strip_prefixes(line)
    assert found.text == line
    assert (found.rank, found.local_rank, found.task, found.host) == (None, None, None, None)


def test_a_name_in_front_is_taken_off_plain_text_once_it_is_known() -> None:
    assert strip_prefixes("node-a: some words").host is None
    assert strip_prefixes("node-a: some words", frozenset({"node-a: "})).text == "some words"
    assert strip_prefixes("trainer/0 some words").replica is None
    assert strip_prefixes("trainer/0 some words", frozenset({"trainer/0 "})).replica == "trainer/0"


def test_marks_before_a_carriage_return_count_for_the_text_behind_it() -> None:
    found = strip_prefixes("[default3]: 10%|█ | 1/10 [00:01<00:01,  1.2s/it]\rKeyError: 'x'")
    assert (found.local_rank, found.text) == (3, "KeyError: 'x'")


@given(st.text(max_size=200))
def test_no_text_raises_and_none_grows(line: str) -> None:
    assert len(strip_prefixes(line).text) <= len(line)


NESTING = ("[rank3]: ", "[default1]:", "[80746] ", "2024-12-27 15:50:25 ", "i.pretrain/0 ", "(A pid=1) ", "> ", "2: ")


@given(st.lists(st.sampled_from(NESTING), unique=True, max_size=5), st.sampled_from([FRAME, "KeyError: 'x'"]))
def test_prefixes_of_any_nesting_are_taken_off_and_indentation_stays(prefixes: list[str], text: str) -> None:
    found = strip_prefixes("".join(prefixes) + text)
    assert found.text == text
    assert found.rank == (3 if NESTING[0] in prefixes else None)
    assert found.local_rank == (1 if NESTING[1] in prefixes else None)
