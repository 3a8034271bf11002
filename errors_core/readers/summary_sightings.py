"""What an entry of a summary, or a printed error report, says about its worker.

Owns the meaning of the fields. It refuses to say which attempt they are about (that is `launch`), unless the path of
an error file does.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from errors_core.job import Place
from errors_core.log_times import DATE, parse_date
from errors_core.readers.agent_records import parse_old_message
from errors_core.readers.launch import parse_run_place
from errors_core.tracebacks import summarise

if TYPE_CHECKING:
    from errors_core.error_report import ErrorReport
    from errors_core.readers.judge import Judge
    from errors_core.readers.summary_entries import Entry
    from errors_core.sightings import Sighting

__all__ = ["fill_from_entry", "fill_from_report"]

_DATE = re.compile(DATE)
_NO_MESSAGE = ("To enable traceback see", "Process failed with exitcode", "<NONE>")


def fill_from_entry(seen: Sighting, entry: Entry, judge: Judge) -> None:
    """Note everything that an entry says."""
    seen.rank, seen.local_rank = entry.number("rank"), entry.number("local_rank")
    seen.exitcode, seen.pid = entry.number("exitcode"), entry.number("pid")
    seen.host = entry.fields.get("host", "").strip() or None
    seen.summary_index, seen.launcher_root = entry.index, entry.root
    time = _DATE.match(entry.fields.get("time", "").strip())
    seconds = parse_date(time.groupdict()) if time is not None else None
    if seconds is not None:
        seen.timestamp, seen.timestamp_source = int(seconds), "launcher_log"
    error_file = entry.fields.get("error_file", "").strip()
    if error_file and error_file != "<N/A>":
        seen.error_file = error_file
        place = parse_run_place(error_file)
        if place is not None:
            seen.run_id, seen.attempt = place.run_id or seen.run_id, place.attempt
    _fill_message(seen, entry, judge)


def fill_from_report(seen: Sighting, report: ErrorReport, judge: Judge, line: int | None = None) -> None:
    """Note everything that a printed report says; `line` is where its message stands."""
    seen.message = report.message
    place = Place(seen.place.path, line or seen.place.line)
    frames = None if report.recorder_frames else report.traceback
    seen.error = summarise(frames or "", place, keep_text=True, message=report.message, is_echo=judge.is_echo)
    if report.timestamp is not None:
        seen.timestamp, seen.timestamp_source = report.timestamp, "launcher_log"


def _fill_message(seen: Sighting, entry: Entry, judge: Judge) -> None:
    """Read the last field: a traceback, the JSON of torch 1.9, or one sentence."""
    lead = entry.fields.get("traceback", entry.fields.get("msg", ""))
    text = "\n".join([lead, *_dedent(entry.body, entry.indent + 2)]).rstrip()
    report = parse_old_message(text) if text.lstrip().startswith("{") else None
    if report is not None:
        fill_from_report(seen, report, judge, entry.body_line)
        return
    place = Place(seen.place.path, entry.body_line or entry.line)
    seen.error = summarise(text, place, keep_text=True, is_echo=judge.is_echo) if entry.body else None
    if seen.error is not None:
        last = seen.error.links[-1]
        seen.message = f"{last.type}: {last.message}" if last.message else last.type
        return
    message = text.strip().strip('"')
    seen.message = message if message and not message.startswith(_NO_MESSAGE) else None


def _dedent(lines: list[str], indent: int) -> list[str]:
    """Take the block's own indentation off, as far as the lines have it."""
    return [line[min(indent, len(line) - len(line.lstrip())) :] for line in lines]
