"""Bytes become numbered lines without prefixes, also where line ends or encodings were lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from errors_core.readers.log_lines import Context, LogLines, split_collapsed
from tests.errors_core.readers.launcher_reading import described, facts, read, read_bytes

DATA = Path(__file__).parents[2] / "data"
LOG = (DATA / "versions" / "torch112" / "keyerror_record.log").read_text()
TEE = (DATA / "versions" / "torch213" / "tee.log").read_text()


def texts(*lines: str) -> list[str]:
    """The texts of lines."""
    raw = ((number, line.encode()) for number, line in enumerate(lines, start=1))
    return [line.text for line in LogLines().parse(raw)]


def test_a_host_is_learned_from_one_line_and_taken_off_the_later_ones() -> None:
    assert texts("node-a: [rank1]: x", "node-a: plain words", "node-b: plain words") == [
        "x",
        "plain words",
        "node-b: plain words",
    ]


def test_lines_know_which_output_they_come_from() -> None:
    raw = [(1, b"3: x"), (2, b"node-a: [rank1]: x"), (3, b"trainer/1 [rank1]: x"), (4, b"x")]
    contexts = [line.context for line in LogLines().parse(raw)]
    assert contexts == [Context(task=3), Context(host="node-a"), Context(replica="trainer/1"), Context()]


@pytest.mark.parametrize(
    "record",
    [
        {"log": "[rank1]: KeyError: 'x'\n", "stream": "stderr", "time": "2024-01-02T03:04:05.123456789Z"},
        {"timestamp": "2024-01-02T03:04:05Z", "severity": "ERROR", "textPayload": "[rank1]: KeyError: 'x'"},
        {"@timestamp": "2024-01-02T03:04:05Z", "level": "error", "message": "[rank1]: KeyError: 'x'"},
    ],
)
def test_a_record_of_a_container_runtime_or_log_shipper_is_unwrapped(record: dict[str, str]) -> None:
    (line,) = LogLines().parse([(1, json.dumps(record).encode())])
    assert (line.text, line.marks.rank) == ("KeyError: 'x'", 1)
    assert line.marks.time is not None


@pytest.mark.parametrize(
    "text", ['{"message": {"message": "x"}}', '{"loss": 0.5, "message": "x"}', '{"log": tru', "{}"]
)
def test_other_json_stays_as_it_is(text: str) -> None:
    assert texts(text) == [text]


def test_a_whole_log_in_json_records_gives_what_its_lines_give() -> None:
    wrapped = "\n".join(json.dumps({"log": f"{line}\n", "stream": "stderr"}) for line in TEE.splitlines())
    assert facts(read(wrapped)) == facts(read(TEE))


def test_a_log_in_one_line_gives_the_numbers_and_errors_of_its_lines() -> None:
    whole = [described(seen)._replace(hits=()) for seen in read(LOG).sightings]
    flat = [described(seen)._replace(hits=()) for seen in read(" ".join(map(str.strip, LOG.splitlines()))).sightings]
    assert flat == whole


def test_lost_indentation_keeps_the_numbers_and_errors() -> None:
    assert facts(read("\n".join(map(str.strip, LOG.splitlines())))) == facts(read(LOG))


@pytest.mark.parametrize("width", [72, 80, 100, 120])
def test_lines_wrapped_inside_words_keep_who_ended_how(width: int) -> None:
    text = "\n".join(
        line[start : start + width] for line in TEE.splitlines() for start in range(0, max(1, len(line)), width)
    )
    ended = {(seen.rank, seen.local_rank, seen.pid, seen.exitcode) for seen in read(TEE).sightings if seen.pid}
    assert {(seen.rank, seen.local_rank, seen.pid, seen.exitcode) for seen in read(text).sightings if seen.pid} == ended


def test_html_and_odd_blanks_of_a_web_page_change_nothing() -> None:
    page = LOG.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    assert facts(read("\ufeff" + page.replace("  ", "\xa0 "))) == facts(read(LOG))


def test_what_powershell_writes_is_read() -> None:
    assert facts(read_bytes(LOG.encode("utf-16"))) == facts(read(LOG))


def test_a_collapsed_traceback_gets_its_lines_and_indentation_back() -> None:
    text = (
        'x Traceback (most recent call last): File "a.py", line 3, in main load() File b.py, line 7, in f KeyError: 1'
    )
    assert split_collapsed(text) == [
        "x",
        "Traceback (most recent call last):",
        '  File "a.py", line 3, in main',
        "    load()",
        "  File b.py, line 7, in f",
        "KeyError: 1",
    ]
