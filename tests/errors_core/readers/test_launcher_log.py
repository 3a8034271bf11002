"""Recorded launcher logs give what their labels hold: ranks, exit codes, pids, hosts, closings, the launcher's pick."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from errors_core.signals import signal_name
from tests.errors_core.readers.launcher_reading import find, read_bytes

if TYPE_CHECKING:
    from errors_core.sightings import Reading

DATA = Path(__file__).parents[2] / "data"
REPORTS: dict[str, Any] = json.loads((DATA / "reports" / "labels.json").read_text())
VERSIONS: dict[str, Any] = json.loads((DATA / "versions" / "labels.json").read_text())
TORCHRUN: dict[str, Any] = json.loads((DATA / "torchrun" / "labels.json").read_text())
LAUNCHER_LOGS = sorted((DATA / "torchrun").glob("*/launcher.log")) + sorted(
    (DATA / "torchrun").glob("*/*/launcher.log")
)
OLD_LAUNCHER = "032"  # its label repeats the --local_rank of the command line, which names nobody


def exitcodes(reading: Reading) -> dict[int, int]:
    """The last attempt's exit codes by rank, or by local rank where no rank is told."""
    last = max((seen.attempt or 0 for seen in reading.sightings), default=0)
    codes: dict[int, int] = {}
    for seen in sorted(reading.sightings, key=lambda seen: seen.rank is not None):
        rank = seen.rank if seen.rank is not None else seen.local_rank
        if rank is not None and seen.exitcode is not None and (seen.attempt or 0) == last:
            codes[rank] = seen.exitcode
    return codes


def signals(reading: Reading) -> set[str]:
    """All signals that anything speaks of."""
    codes = [seen.exitcode for seen in reading.sightings if seen.exitcode is not None]
    sent = [-closing.signal for seen in reading.sightings for closing in seen.closings]
    named = {dict(event.fields).get("signal") for _, event in reading.events}
    return {name for code in (*codes, *sent) if (name := signal_name(code))} | {name for name in named if name}


@pytest.mark.parametrize("name", sorted(REPORTS))
def test_a_reported_log_shows_the_ranks_exit_codes_and_signals_of_its_label(name: str) -> None:
    label = REPORTS[name]
    reading = read_bytes((DATA / "reports" / f"{name}.log").read_bytes())
    assert set(label["signals"]) <= signals(reading)
    if name == OLD_LAUNCHER:
        assert [seen.exitcode for seen in reading.sightings] == [-11]
        assert find(reading, local_rank=7) == []
        return
    codes = exitcodes(reading)
    assert {str(rank): code for rank, code in codes.items()}.items() >= label["exitcodes"].items()
    assert set(label["ranks_reported"]) <= codes.keys()


@pytest.mark.parametrize("name", sorted(VERSIONS))
def test_a_log_of_each_version_gives_the_failures_that_it_lists(name: str) -> None:
    label = VERSIONS[name]
    reading = read_bytes((DATA / "versions" / name).read_bytes())
    listed = {str(seen.rank): seen.exitcode for seen in reading.sightings if seen.summary_index is not None}
    assert listed == label["listed"]
    last = max((seen.attempt or 0 for seen in reading.sightings), default=0)
    picks = [seen for seen in find(reading, launcher_root=True, attempt=last) if seen.rank is not None]
    if label["named"] is None:
        assert picks == []
        return
    (pick,) = picks
    assert (pick.rank, pick.exitcode) == (label["named"], label["named_exit"])
    assert (pick.error_file or "<N/A>") == label["error_file"]
    assert [dict(event.fields)["rank"] for attempt, event in reading.events
            if event.kind == "launcher_pick" and attempt == last] == [str(label["named"])]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("torch19/tee.log", {2: "KeyError: 'attention_mask'"}),
        ("torch112/tee.log", {2: "KeyError: 'attention_mask'"}),
        ("torch213/tee.log", {2: "KeyError: 'attention_mask'"}),
        ("torch19/keyerror_record.log", {2: "KeyError: 'attention_mask'"}),
        ("torch112/keyerror_record.log", {2: "KeyError: 'attention_mask'"}),
        ("torch213/keyerror.log", {2: "KeyError: 'attention_mask'"}),
        ("torch213/restart.log", {1: "ValueError: bad sample at restart 0"}),
    ],
)
def test_a_signed_traceback_is_given_to_its_worker(name: str, titles: dict[int, str]) -> None:
    reading = read_bytes((DATA / "versions" / name).read_bytes())
    seen = {
        seen.rank if seen.rank is not None else seen.local_rank: seen.error.link.title
        for seen in reversed(reading.sightings)
        if seen.error is not None
    }
    assert {rank: seen.get(rank) for rank in titles} == titles


@pytest.mark.parametrize("name", [name for name in sorted(VERSIONS) if name.startswith(("torch19", "torch112"))])
def test_an_unsigned_traceback_is_nobodys_and_the_launchers_own_is_not_shown_as_a_workers(name: str) -> None:
    reading = read_bytes((DATA / "versions" / name).read_bytes())
    for seen in reading.sightings:
        if seen.error is not None and seen.summary_index is None and "tee" not in name:
            assert (seen.rank, seen.local_rank, seen.pid, seen.host) == (None, None, None, None)
        assert seen.error is None or "ChildFailedError" not in seen.error.links[-1].type


@pytest.mark.parametrize(
    ("name", "kind", "signature"),
    [
        ("torch19/rdzv_timeout.log", "rendezvous", "rdzv_timeout"),
        ("torch112/rdzv_timeout.log", "rendezvous", "rdzv_timeout"),
        ("torch213/rdzv_timeout.log", "rendezvous", "rdzv_timeout"),
        ("torch112/launcher_sigterm.log", "launcher_signal", "launcher_ext"),
        ("torch213/launcher_sigterm.log", "launcher_signal", "launcher_ext"),
    ],
)
def test_a_launcher_that_ended_by_itself_is_an_event_and_no_worker_failed(name: str, kind: str, signature: str) -> None:
    reading = read_bytes((DATA / "versions" / name).read_bytes())
    assert {(event.kind, event.signature) for _, event in reading.events} == {(kind, signature)}
    assert all(seen.exitcode is None and seen.error is None for seen in reading.sightings)


@pytest.mark.parametrize("path", LAUNCHER_LOGS, ids=[str(path.relative_to(DATA).parent) for path in LAUNCHER_LOGS])
def test_a_launcher_log_of_torch_2_13_gives_every_number_that_stands_in_it(path: Path) -> None:
    text = path.read_text(errors="replace")
    reading = read_bytes(path.read_bytes())
    blocks = re.findall(
        r"\[(\d+)\]:\n  time      : \S+\n  host      : (\S+)\n  rank      : (\d+) \(local_rank: (\d+)\)\n"
        r"  exitcode  : (-?\d+) \(pid: (\d+)\)", text
    )  # fmt: skip
    listed = {
        (str(seen.summary_index), seen.host, str(seen.rank), str(seen.local_rank), str(seen.exitcode), str(seen.pid))
        for seen in reading.sightings
        if seen.summary_index is not None
    }
    assert listed == set(blocks)
    closed = {str(seen.pid): seen.closings[0].time for seen in reading.sightings if seen.closings}
    assert closed.keys() == set(re.findall(r"(?:Sending|Terminating) process (\d+) ", text))
    assert all(time is not None for time in closed.values()) == bool(blocks)
    failed = re.findall(r"failed \(exitcode: (-?\d+)\) local_rank: (\d+) \(pid: (\d+)\)", text)
    for exitcode, local_rank, pid in failed:
        assert find(reading, exitcode=int(exitcode), local_rank=int(local_rank), pid=int(pid))


@pytest.mark.parametrize("path", LAUNCHER_LOGS, ids=[str(path.relative_to(DATA).parent) for path in LAUNCHER_LOGS])
def test_the_launchers_pick_of_torch_2_13_is_that_of_the_label(path: Path) -> None:
    label = TORCHRUN[path.relative_to(DATA / "torchrun").parts[0]]["torch_root"]
    reading = read_bytes(path.read_bytes())
    last = max((seen.attempt or 0 for seen in reading.sightings), default=0)
    picks = [seen.rank for seen in find(reading, launcher_root=True, attempt=last)]
    if label is None:
        assert picks == []
    elif path.parent.name == "node1":
        assert picks == label[1:]
    else:
        assert picks == label[:1]


def test_restarts_that_show_only_as_further_failed_lines_are_attempts_of_their_own() -> None:
    reading = read_bytes((DATA / "torchrun" / "restart" / "launcher.log").read_bytes())
    failed = {seen.attempt: seen.local_rank for seen in find(reading, exitcode=1) if seen.summary_index is None}
    assert failed == {0: 1, 1: 0, 2: 3}
    closed = {
        attempt: sorted(seen.pid or 0 for seen in find(reading, attempt=attempt) if seen.closings)
        for attempt in range(3)
    }
    assert closed == {0: [4783, 4785, 4786], 1: [4789, 4790, 4791], 2: [4793, 4794, 4795]}


@pytest.mark.parametrize("version", ["torch19", "torch112"])
def test_the_text_of_each_attempt_belongs_to_that_attempt(version: str) -> None:
    reading = read_bytes((DATA / "versions" / version / "restart.log").read_bytes())
    titles = {(seen.attempt, seen.error.link.title) for seen in reading.sightings if seen.error is not None}
    assert {(attempt, f"ValueError: bad sample at restart {attempt}") for attempt in range(3)} <= titles
