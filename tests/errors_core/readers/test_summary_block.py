"""The launcher's summary is read in both its forms, and whatever pastes did to it."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest

from tests.errors_core.readers.launcher_reading import Fact, described, facts, find, read

if TYPE_CHECKING:
    from collections.abc import Callable

NEW = """\
============================================================
train.py FAILED
------------------------------------------------------------
Failures:
[1]:
  time      : 2024-01-02_03:04:07
  host      : node-a
  rank      : 4 (local_rank: 0)
  exitcode  : -15 (pid: 5150)  (SIGTERM)
  error_file: <N/A>
  traceback : Signal 15 (SIGTERM) received by PID 5150
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2024-01-02_03:04:05
  host      : node-a
  rank      : 6 (local_rank: 2)
  exitcode  : 1 (pid: 5152)\x20
  error_file: /scratch/logs/job-7_x9z2k0pq/attempt_1/2/error.json
  traceback : Traceback (most recent call last):
    File "/workspace/train.py", line 26, in parse_shard
      return shard["tokens"][7]
             ~~~~~~~~~~~~~~~^^^
  IndexError: list index out of range
 \x20
============================================================
"""
OLD = """\
**************************************************
                 train.py FAILED                  \x20
==================================================
Root Cause:
[2]:
  time: 2024-01-02_03:04:05
  rank: 6 (local_rank: 2)
  exitcode: -11 (pid: 5152)
  error_file: <N/A>
  msg: "Signal 11 (SIGSEGV) received by PID 5152"
==================================================
Other Failures:
[0]:
  time: 2024-01-02_03:04:07
  rank: 4 (local_rank: 0)
  exitcode: 1 (pid: 5150)
  error_file: <N/A>
  msg: "Process failed with exitcode 1"
**************************************************
"""
ROOT = Fact(1, 6, 2, 5152, 1, True, 0, "IndexError: list index out of range", (), ())
OTHER = Fact(1, 4, 0, 5150, -15, False, 1, None, (), ())


def listed(text: str) -> list[Fact]:
    """The workers that a block names."""
    return [described(seen) for seen in read(text).sightings]


def test_the_present_block_gives_every_field_and_the_root_is_the_last_one() -> None:
    other, root = read(NEW).sightings
    assert (described(other), described(root)) == (OTHER._replace(attempt=1), ROOT)
    assert (root.host, root.timestamp, root.timestamp_source) == ("node-a", 1704164645, "launcher_log")
    assert (root.run_id, root.error_file) == ("job-7", "/scratch/logs/job-7_x9z2k0pq/attempt_1/2/error.json")
    assert root.error is not None
    assert root.error.place.line == 20
    assert root.error.link.frame is not None
    assert root.error.link.frame.function == "parse_shard"
    assert (root.message, other.message) == (
        "IndexError: list index out of range",
        "Signal 15 (SIGTERM) received by PID 5150",
    )


def test_the_block_of_torch_1_9_names_the_root_first_and_no_host() -> None:
    root, other = read(OLD).sightings
    assert described(root) == Fact(0, 6, 2, 5152, -11, True, 2, None, (), ())
    assert described(other) == Fact(0, 4, 0, 5150, 1, False, 0, None, (), ())
    assert (root.host, root.message, other.message) == (None, "Signal 11 (SIGSEGV) received by PID 5152", None)


def test_the_json_message_of_torch_1_9_is_read_with_its_own_time() -> None:
    message = (
        '{\n      "message": "KeyError: \'x\'",\n      "extraInfo": {\n        "py_callstack": [\n          "  File"\n'
    )
    text = OLD.replace(
        '"Signal 11 (SIGSEGV) received by PID 5152"',
        f'\n    {message}        ],\n        "timestamp": "1704200000"\n      }}\n    }}\n',
    )
    root, _ = read(text).sightings
    assert (root.message, root.timestamp) == ("KeyError: 'x'", 1704200000)
    assert root.error is not None
    assert root.error.link.title == "KeyError: 'x'"


def test_the_pick_is_an_event_with_the_marks_of_the_root() -> None:
    picks = [(attempt, dict(event.fields)) for attempt, event in read(NEW).events if event.kind == "launcher_pick"]
    assert picks == [(1, {"rank": "6", "local_rank": "2", "host": "node-a", "pid": "5152"})]


DAMAGES: dict[str, Callable[[str], str]] = {
    "quoted": lambda text: "".join(f"> {line}\n" for line in text.splitlines()),
    "indented by four": lambda text: textwrap.indent(text, "    ", lambda _: True),
    "indented by eight": lambda text: textwrap.indent(text, "        ", lambda _: True),
    "padded": lambda text: "".join(f"{line:<200}\n" for line in text.splitlines()),
    "bold": lambda text: "".join(f"**{line}**\n" if "exitcode" in line else f"{line}\n" for line in text.splitlines()),
    "fenced": lambda text: f"```\n{text}```\n",
    "carriage returns": lambda text: text.replace("\n", "\r\n"),
    "coloured": lambda text: "".join(f"\x1b[31m{line}\x1b[0m\n" for line in text.splitlines()),
    "boxed": lambda text: "".join(f"│ {line:<110} │\n" for line in text.splitlines()),
    "glued to a bar": lambda text: f"Loading:  50%|█████     | 1/2 [00:01<00:01,  1.2s/it]{text}",
    "numbered by a viewer": lambda text: "".join(f"[{n}] {line}\n" for n, line in enumerate(text.splitlines(), 8000)),
    "behind a host": lambda text: "".join(f"gpu-07: {line}\n" for line in text.splitlines()),
    "behind a task": lambda text: "".join(f"3: {line}\n" for line in text.splitlines()),
    "blank lines in between": lambda text: text.replace("\n", "\n\n"),
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("block", [NEW, OLD], ids=["new", "old"])
def test_damage_that_keeps_the_lines_changes_nothing(block: str, damage: str) -> None:
    assert listed(DAMAGES[damage](block)) == listed(block)


def test_lost_indentation_keeps_the_numbers_and_the_error() -> None:
    text = "".join(f"{line.strip()}\n" for line in NEW.splitlines())
    assert listed(text) == [OTHER, ROOT]


@pytest.mark.parametrize("width", [40, 60, 72, 80])
def test_lines_wrapped_inside_words_keep_the_numbers(width: int) -> None:
    text = "".join(
        f"{line[start : start + width]}\n" for line in NEW.splitlines() for start in range(0, max(len(line), 1), width)
    )
    assert [fact._replace(title=None) for fact in listed(text)] == [OTHER, ROOT._replace(title=None)]


def test_a_log_whose_line_ends_became_blanks_is_read() -> None:
    text = " ".join(line.strip() for line in NEW.splitlines())
    assert listed(text) == [OTHER, ROOT]


def test_a_block_whose_beginning_is_lost_gives_what_is_left_and_the_root_is_the_last_one() -> None:
    text = NEW[NEW.index("  rank      : 6") :]
    (root,) = read(text).sightings
    assert described(root) == ROOT._replace(listed_as=None)


@pytest.mark.parametrize("cut", range(NEW.index("  host      : node-a\n  rank      : 6"), len(NEW), 7))
def test_a_block_that_is_cut_off_gives_what_stands_before_the_cut(cut: int) -> None:
    text = NEW[:cut]
    facts_before = listed(text)
    assert facts_before[0]._replace(attempt=1) == OTHER
    if "pid: 5152)" in text:
        assert (facts_before[1].rank, facts_before[1].pid, facts_before[1].exitcode) == (6, 5152, 1)


def test_lines_of_workers_between_the_lines_of_a_block_change_nothing_in_it() -> None:
    noise = ["[rank4]: KeyError: 'x'", "step 7 loss 0.5"]
    lines = [text for index, line in enumerate(NEW.splitlines()) for text in (line, noise[index % 2])]
    block = [described(seen) for seen in read("\n".join(lines)).sightings if seen.summary_index is not None]
    assert block == [OTHER, ROOT]


def test_blocks_of_two_nodes_in_one_log_stay_apart() -> None:
    second = NEW.replace("node-a", "node-b").replace("rank      : 6", "rank      : 9").replace("515", "616")
    reading = read(NEW + second)
    names = {seen.host: seen.launcher for seen in reading.sightings}
    assert names.keys() == {"node-a", "node-b"}
    assert names["node-a"] != names["node-b"]
    assert [seen.rank for seen in find(reading, launcher_root=True)] == [6, 9]


def test_lines_of_two_nodes_under_a_prefix_of_each_host_may_alternate() -> None:
    second = NEW.replace("node-a", "node-b").replace("rank      : 6", "rank      : 9").replace("515", "616")
    pairs = zip(NEW.splitlines(), second.splitlines(), strict=True)
    text = "".join(f"node-1: {one}\nnode-2: {two}\n" for one, two in pairs)
    assert facts(read(text)) == facts(read(NEW + second))


@pytest.mark.parametrize("line", ["rank: 0 (local_rank: 0), world size 8", "rank: 0 (local_rank: 0)"])
def test_what_a_worker_prints_about_itself_is_no_summary(line: str) -> None:
    reading = read(f"{line}\nstep 1\n{'=' * 40}\n[rank1]: KeyError: 'x'\n")
    assert [(seen.rank, seen.launcher_root) for seen in reading.sightings] == [(1, False)]
    assert reading.events == []
