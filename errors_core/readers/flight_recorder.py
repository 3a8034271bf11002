"""PyTorch flight recorder dumps (`nccl_trace_rank_3`, `comm_lib_trace_rank_3`, …) → one sighting a file.

Owns the file: its name, its two forms (pickle and JSON, PyTorch 2.1 and later: `TORCH_NCCL_DEBUG_INFO_TEMP_FILE`,
`TORCH_FR_DUMP_TEMP_FILE`, `_dump_nccl_trace`, `_dump_nccl_trace_json`) and whose it is. It refuses to run anything
that a pickle asks for, and to judge who is late.
"""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING, BinaryIO

from errors_core.error_json import parse_json_object, salvage_json_object
from errors_core.exceptions import ErrorFileError
from errors_core.job import Place, Problem
from errors_core.readers.flight_entries import as_count
from errors_core.readers.flight_groups import find_progress
from errors_core.readers.restricted_pickle import PickleRefusedError, parse_plain_pickle
from errors_core.sightings import Reading, Sighting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from errors_core.job import CollectiveProgress

__all__ = ["MAX_BYTES", "looks_like_flight_recorder", "read_flight_recorder"]

MAX_BYTES = 64 * 1024 * 1024
_MAX_RANK = 9_999_999
_KEYS = ("entries", "pg_config", "pg_status")
_DEFAULT_NAME = re.compile(r"(?:nccl|comm_lib)_trace_rank_\d+(?:\.\w+)*")
_PICKLE_START = re.compile(rb"\x80[\x02-\x05](?:\x95.{8})?[}\]]", re.DOTALL)
_JSON_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{")
_OWN_KEYS = re.compile(
    rb"pg_config|pg_status|profiling_name|collective_seq_id|(?:nccl|comm_lib)_version.*entries", re.DOTALL
)
_PICKLED_KEYS = re.compile(rb"version.*entries|entries.*version", re.DOTALL)
_RANK = re.compile(r"rank[_-]?(\d+)", re.IGNORECASE)
_LAST_NUMBER = re.compile(r"(\d+)(?:\.[A-Za-z]\w*)*$")


def looks_like_flight_recorder(name: str, head: bytes) -> bool:
    """Tell from a file's name and its first bytes (some thousands are enough) whether it is a dump.

    A file with PyTorch's own name for a dump claims to be one, whatever it holds; any other name is believed only
    together with the content.
    """
    if _DEFAULT_NAME.fullmatch(_base(name)):
        return True
    if _PICKLE_START.match(head):
        return _OWN_KEYS.search(head) is not None or _PICKLED_KEYS.search(head) is not None
    return _JSON_START.match(head) is not None and _OWN_KEYS.search(head) is not None


def read_flight_recorder(stream: BinaryIO, path: str) -> Reading:
    """Read a dump: one sighting with the worker's progress in every group. Never raises for what the file holds."""
    try:
        data = stream.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        return Reading(problems=[Problem(path, f"flight recorder dump cannot be read: {error}")])
    try:
        dump, remarks, is_whole = _parse(data)
    except (PickleRefusedError, ErrorFileError) as error:
        return Reading(problems=[Problem(path, f"flight recorder dump: {error}")])
    progress, more = find_progress(dump, path, is_whole=is_whole)
    rank, conflicts = _find_rank(dump, path, progress)
    problems = [Problem(path, f"flight recorder dump: {text}") for text in (*remarks, *more, *conflicts)]
    sighting = Sighting(
        source="flight_recorder", place=Place(path), rank=rank, world_size=_world_size(progress), collectives=progress
    )
    return Reading(sightings=[sighting], problems=problems)


def _parse(data: bytes) -> tuple[dict[object, object], tuple[str, ...], bool]:
    """Return the dump, remarks, and whether it is whole. Raises `PickleRefusedError` and `ErrorFileError`."""
    if len(data) > MAX_BYTES:
        raise ErrorFileError(f"more than {MAX_BYTES // (1024 * 1024)} MiB")
    if not data.strip(b"\0"):
        raise ErrorFileError("holds only NUL bytes" if data else "empty file")
    value, remarks, is_whole = _parse_json(data) if _JSON_START.match(data) else _parse_pickle(data)
    if isinstance(value, list):  # PyTorch 2.1 and 2.2 write the entries alone
        value = {"entries": value}
    if not isinstance(value, dict) or not any(key in value for key in _KEYS):
        raise ErrorFileError(remarks[0] if remarks else f"holds none of {', '.join(_KEYS)}")
    return value, remarks, is_whole


def _parse_json(data: bytes) -> tuple[object, tuple[str, ...], bool]:
    try:
        return *parse_json_object(data), True
    except ErrorFileError as error:
        partial = salvage_json_object(data) if "truncated" in error.problem else None
        if partial is None:
            raise
        return partial, (error.problem,), False


def _parse_pickle(data: bytes) -> tuple[object, tuple[str, ...], bool]:
    value, remarks = parse_plain_pickle(data)
    return value, remarks, not any("truncated" in remark for remark in remarks)


def _find_rank(
    dump: dict[object, object], path: str, progress: Sequence[CollectiveProgress]
) -> tuple[int | None, list[str]]:
    """Return whose dump it is, and what speaks against it.

    The dump's own word counts more than the file's name, which is not believed where the groups contradict it.
    """
    named, told = _rank_in_name(path), _rank(dump.get("rank"))
    rank = named if told is None else told
    conflicts = []
    if None not in (named, told) and named != told:
        conflicts.append(f"its name says rank {named}, its content rank {told}")
    strangers = [group.group for group in progress if group.ranks and rank is not None and rank not in group.ranks]
    if strangers:
        conflicts.append(f"rank {rank} is no member of its process group {strangers[0]}")
    return told if strangers else rank, conflicts


def _rank_in_name(path: str) -> int | None:
    name = _base(path)
    found = _RANK.search(name) or _LAST_NUMBER.search(name)
    return _rank(found[1]) if found else None


def _rank(value: object) -> int | None:
    number = as_count(value)
    return number if number is not None and number <= _MAX_RANK else None


def _base(path: str) -> str:
    return re.split(r"[/\\!]", path)[-1]


def _world_size(progress: Sequence[CollectiveProgress]) -> int | None:
    sizes = [len(group.ranks) for group in progress if group.description == "default_pg" and group.ranks]
    return sizes[0] if sizes else None
