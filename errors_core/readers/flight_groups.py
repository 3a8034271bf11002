"""A flight recorder dump → how far its worker got in every process group.

Owns the parts of a dump that speak of groups (`pg_config`, `pg_status`; PyTorch, `FlightRecorder.hpp`, format 2.0 and
later) and how they belong to the entries. It refuses to compare workers: that is `errors_core.diagnosis`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from errors_core.job import CollectiveProgress, Place
from errors_core.readers.flight_entries import Entry, as_count, as_description, as_text, group_of_id, parse_entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["find_progress"]


_CUT_MARK = "…"  # what `errors_core.error_salvage` puts behind a text that was cut


@dataclass(frozen=True, slots=True)
class _Group:
    """A group as `pg_config` describes it."""

    description: str | None = None
    ranks: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class _Reached:
    """Numbers of the last operations; 0 means none yet, `None` not told."""

    enqueued: int | None = None
    started: int | None = None
    completed: int | None = None


@dataclass(frozen=True, slots=True)
class _Kind:
    """The collectives of a group or its sends and receives (`p2p`; `None`: not told which)."""

    p2p: bool | None
    reached: _Reached
    entries: Sequence[Entry] = ()


def find_progress(
    dump: Mapping[object, object], path: str, *, is_whole: bool = True
) -> tuple[tuple[CollectiveProgress, ...], tuple[str, ...]]:
    """Return the progress in every group that the dump knows, and remarks on what could not be understood.

    Of a dump that is not whole the entries at the end are missing: they tell what did not complete, not how far
    the worker got.
    """
    entries, remarks = _entries(dump.get("entries"))
    config = _config(dump.get("pg_config"))
    status = _named(_status(dump.get("pg_status")), entries, config)
    by_group: dict[str, list[Entry]] = {name: [] for name in sorted({*config, *status}, key=_natural)}
    for entry in entries:
        by_group.setdefault(entry.group, []).append(entry)
    place = Place(path)
    found = [
        _progress(name, config.get(name) or _Group(), kind, place)
        for name, members in by_group.items()
        if is_whole or not name.endswith(_CUT_MARK)
        for kind in _kinds(members, status.get(name), is_whole=is_whole)
    ]
    return tuple(found), remarks


def _entries(raw: object) -> tuple[list[Entry], tuple[str, ...]]:
    if raw is None:
        return [], ()
    if not isinstance(raw, list | tuple):
        return [], ("its entries are no list",)
    entries = [entry for entry in map(parse_entry, raw) if entry is not None]
    lost = len(raw) - len(entries)
    return entries, (f"{lost} of {len(raw)} entries name no process group or no sequence number",) if lost else ()


def _config(raw: object) -> dict[str, _Group]:
    if not isinstance(raw, dict):
        return {}
    groups: dict[str, _Group] = {}
    for key, value in raw.items():
        fields = value if isinstance(value, dict) else {"ranks": value}
        name = as_text(fields.get("name")) or as_text(str(key))
        if name is not None:
            groups[name] = _Group(as_description(fields.get("desc")), _ranks(fields.get("ranks")))
    return groups


def _ranks(raw: object) -> tuple[int, ...] | None:
    if isinstance(raw, str):
        return _ranks_in_text(raw)
    if not isinstance(raw, list | tuple):
        return None
    return _all_or_none(map(as_count, raw))


@lru_cache(maxsize=256)
def _ranks_in_text(text: str) -> tuple[int, ...] | None:
    """Parse `[0, 1, 2]`; the workers of a job name the same groups, so their tuples are shared."""
    inner = text.strip("[]() ")
    return _all_or_none(as_count(part.strip()) for part in inner.split(",")) if inner else ()


def _all_or_none(ranks: Iterable[int | None]) -> tuple[int, ...] | None:
    known = tuple(ranks)
    return None if None in known else tuple(rank for rank in known if rank is not None)


def _status(raw: object) -> dict[int, _Reached]:
    """Read `pg_status`, whose keys are numbers that the process gave its groups."""
    if not isinstance(raw, dict):
        return {}
    return {
        number: _Reached(
            _reached(fields.get("last_enqueued_collective")),
            as_count(fields.get("last_started_collective")),  # it stays -1 when starts are not timed
            _reached(fields.get("last_completed_collective")),
        )
        for key, fields in raw.items()
        if isinstance(fields, dict) and (number := as_count(key)) is not None
    }


def _reached(value: object) -> int | None:
    return 0 if value in (-1, "-1") else as_count(value)


def _named(
    status: Mapping[int, _Reached], entries: Sequence[Entry], config: Mapping[str, _Group]
) -> dict[str, _Reached]:
    """Give the numbered groups their names.

    Entries show number and name side by side. For the groups without entries the order helps: numbers and numeric
    names are both given out as groups are created, so the sorted lists run parallel, unless an entry contradicts.
    """
    names = {entry.group_id: entry.group for entry in entries if entry.group_id is not None}
    if len(status) == len(config) and all(as_count(name) is not None for name in config):
        parallel = dict(zip(sorted(status), sorted(config, key=int), strict=True))
        if all(parallel.get(number) == name for number, name in names.items()):
            names.update(parallel)
    return {names.get(number, group_of_id(number)): reached for number, reached in status.items()}


def _kinds(entries: Sequence[Entry], status: _Reached | None, *, is_whole: bool) -> list[_Kind]:
    """Tell collectives from sends and receives: each has its own numbers, and the status speaks of the last one."""
    status = status or _Reached()
    if not entries:
        return [_Kind(None, status)]
    kinds = []
    for p2p in (False, True):
        members = [_settled(entry, status) for entry in entries if entry.p2p is p2p]
        if members:
            told = _status_of_kind(status, members) if entries[-1].p2p is p2p else _Reached()
            kinds.append(_Kind(p2p, _furthest(told, members) if is_whole else told, members))
    return kinds


def _settled(entry: Entry, status: _Reached) -> Entry:
    """Take a retired operation for completed where the status confirms it.

    Gloo times nothing, so the state of its entries stays `scheduled`, and the status counts all kinds together. With
    NCCL the status counts each kind, which is never more: an operation that was given up stays open.
    """
    number = entry.seq if entry.op_id is None else entry.op_id
    is_completed = entry.retired and status.completed is not None and number <= status.completed
    return replace(entry, state="completed") if is_completed else entry


def _status_of_kind(status: _Reached, members: Sequence[Entry]) -> _Reached:
    """Return the status if it speaks of these entries: it may count other operations, which are not among them."""
    newest = members[-1]
    if status.enqueued != newest.seq:
        return _Reached()
    if newest.other_seq == 0:
        return status
    waiting = _first_open(members)
    before = newest.seq if waiting is None else waiting.seq - 1
    is_own = status.completed is not None and before <= status.completed <= newest.seq
    return _Reached(status.enqueued, None, status.completed if is_own else None)


def _furthest(told: _Reached, members: Sequence[Entry]) -> _Reached:
    """Combine what the status tells with what the entries show."""
    return _Reached(
        _largest(told.enqueued, (entry.seq for entry in members)),
        _largest(told.started, (entry.seq for entry in members if entry.was_started)),
        _largest(told.completed, (entry.seq for entry in members if entry.state == "completed")),
    )


def _largest(first: int | None, others: Iterable[int]) -> int | None:
    return max((number for number in (first, *others) if number is not None), default=None)


def _first_open(members: Sequence[Entry]) -> Entry | None:
    waiting = [entry for entry in members if entry.state in ("scheduled", "started")]
    return min(waiting, key=lambda entry: entry.seq, default=None)


def _progress(name: str, group: _Group, kind: _Kind, place: Place) -> CollectiveProgress:
    waiting, reached = _first_open(kind.entries), kind.reached
    return CollectiveProgress(
        group=name,
        description=group.description or next((entry.description for entry in kind.entries if entry.description), None),
        ranks=group.ranks,
        last_enqueued=reached.enqueued,
        last_started=reached.started,
        last_completed=reached.completed,
        op=waiting.op if waiting else None,
        frame=waiting.frame if waiting else None,
        place=place,
        seq=waiting.seq if waiting else None,
        state="started" if waiting and waiting.state == "started" else "scheduled" if waiting else None,
        time=waiting.time if waiting else None,
        sizes=waiting.sizes if waiting else None,
        p2p=kind.p2p,
    )


def _natural(name: str) -> tuple[int, str]:
    number = as_count(name)
    return (1 << 63 if number is None else number, name)
