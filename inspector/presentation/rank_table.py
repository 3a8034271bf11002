"""`RankTable`: the workers of one attempt as rows whose values stay beside their texts.

Sorting uses values and never formatted text; sorting and filtering give indices into `attempt.workers`, so 100,000
rows cost one list. It refuses to judge: states and the root cause come from the verdict.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Literal, get_args

from inspector.presentation.filter_query import FilterQuery, exactly
from inspector.presentation.times import format_offset
from inspector.presentation.words import exit_words, title_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from errors_core.job import Attempt
    from errors_core.verdict import Verdict

__all__ = ["SORT_KEYS", "STATE_WORDS", "RankTable", "RowState", "SortKey"]

SortKey = Literal["cause", "rank", "where", "time", "exit", "state", "message"]
SORT_KEYS: tuple[SortKey, ...] = get_args(SortKey)

RowState = Literal["root", "origin", "echo", "ended_by_launcher", "silent", "ok", "unknown"]
# In the order in which rows deserve a look; short enough for a column, the full words are in `words.STATES`.
STATE_WORDS: dict[RowState, str] = {
    "root": "root cause",
    "origin": "origin",
    "silent": "silent",
    "unknown": "unknown",
    "echo": "echo",
    "ended_by_launcher": "ended",
    "ok": "ok",
}
_IMPORTANCE = {state: number for number, state in enumerate(STATE_WORDS)}
_LAST = float("inf")


class RankTable:
    """The rows of one attempt. Without a verdict (still reading) no row has a state but `ok` or `unknown`."""

    def __init__(self, attempt: Attempt, verdict: Verdict | None = None) -> None:
        self.attempt = attempt
        self.workers = attempt.workers
        self.verdict = verdict
        first = verdict.first_failure if verdict else None
        self._first = self.workers[first.worker] if first else None
        self._orders: dict[tuple[SortKey, bool], list[int]] = {}
        candidates = verdict.candidates if verdict and verdict.confidence == "unsure" else ()
        self._candidates = {index: place for place, index in enumerate(candidates)}

    def __len__(self) -> int:
        return len(self.workers)

    @property
    def root(self) -> int | None:
        """The row to jump to: the worker to blame, the best candidate or the example; else the first failure."""
        if self.verdict is None:
            return None
        if self.verdict.worker is not None:
            return self.verdict.worker
        return self.verdict.first_failure.worker if self.verdict.first_failure else None

    def state(self, index: int) -> RowState:
        """Return what part the worker played; `root` only where the verdict blames this one alone."""
        verdict = self.verdict
        if verdict is None or index >= len(verdict.states):
            return "ok" if self.workers[index].exitcode == 0 else "unknown"
        if index == verdict.worker and verdict.kind == "worker" and verdict.confidence != "unsure":
            return "root"
        return verdict.states[index].state

    def state_word(self, index: int) -> str:
        """Return the state in one or two words; a candidate of an unsure verdict is called one."""
        return "candidate" if index in self._candidates else STATE_WORDS[self.state(index)]

    def where(self, index: int) -> str | None:
        """Return `host/local rank` as far as it is known, else the process id; `None`: nothing is known."""
        worker = self.workers[index]
        name, local = worker.host or worker.node, worker.local_rank
        if name is None and local is None:
            return None if worker.pid is None or worker.rank is not None else f"pid {worker.pid}"
        if name is None:
            return f"local {local}"
        return name if local is None else f"{name}/{local}"

    def delay(self, index: int) -> float | None:
        """Return seconds after the first failure, as exactly as both times tell."""
        worker, first = self.workers[index], self._first
        if first is None or first.timestamp is None or worker.timestamp is None:
            return None
        if worker.timestamp_ns is not None and first.timestamp_ns is not None:
            return (worker.timestamp_ns - first.timestamp_ns) / 1e9
        return worker.timestamp - first.timestamp

    def exit_text(self, index: int) -> str | None:
        """Return the exit code, or the signal's name where one ended the worker."""
        exitcode = self.workers[index].exitcode
        return None if exitcode is None else exit_words(exitcode) if exitcode < 0 else str(exitcode)

    def title(self, index: int) -> str | None:
        """Return the line that tells most about the failure."""
        return title_of(self.workers[index])

    @cached_property
    def widths(self) -> dict[str, int]:
        """The longest text of the columns whose width follows the data; 0: no row knows a value."""
        rows = range(len(self.workers))
        return {
            "rank": max((len(str(worker.rank)) for worker in self.workers if worker.rank is not None), default=0),
            "where": max((len(self.where(index) or "") for index in rows), default=0),
            "time": max((len(format_offset(delay)) for delay in set(map(self.delay, rows)) if delay), default=0),
            "exit": 7 if any(worker.exitcode is not None for worker in self.workers) else 0,
            "state": 10 if self.verdict is not None else 0,
        }

    @cached_property
    def failed(self) -> int:
        """How many workers ended badly."""
        return sum(worker.failed for worker in self.workers)

    def prepare(self) -> None:
        """Do now, in a thread, what the first look would have to wait for."""
        _ = self.widths, self.failed
        self.rows("cause", FilterQuery())

    def sort(self, by: SortKey, indices: Iterable[int], *, reverse: bool = False) -> list[int]:
        """Return the rows in order; equal ones by importance, rows without a value last either way."""
        key = self._keys[by]
        by_importance = sorted(indices, key=self._importances.__getitem__)
        if by == "cause":
            return by_importance[::-1] if reverse else by_importance
        known: list[int] = []
        unknown: list[int] = []
        for index in by_importance:
            (unknown if key(index) is None else known).append(index)
        known.sort(key=key, reverse=reverse)
        return known + unknown

    def rows(self, by: SortKey, query: FilterQuery, *, reverse: bool = False) -> list[int]:
        """Return the rows that the query lets through, in order; each order of all rows is made once."""
        if (by, reverse) not in self._orders:
            self._orders[by, reverse] = self.sort(by, range(len(self)), reverse=reverse)
        order = self._orders[by, reverse]
        if not query:
            return order
        texts, matches = self._texts, query.matches
        return [index for index in order if matches(texts[index])]

    @cached_property
    def _keys(self) -> dict[SortKey, Callable[[int], Any]]:
        workers = self.workers
        return {
            "cause": self._importances.__getitem__,
            "rank": lambda index: workers[index].rank,
            "where": self._where_key,
            "time": self.delay,
            "exit": lambda index: workers[index].exitcode,
            "state": lambda index: _IMPORTANCE[self.state(index)],
            "message": lambda index: title.casefold() if (title := self.title(index)) else None,
        }

    def _where_key(self, index: int) -> tuple[tuple[tuple[str, int], ...], int] | None:
        worker = self.workers[index]
        name = worker.host or worker.node
        local = -1 if worker.local_rank is None else worker.local_rank
        return (_natural(name or ""), local) if name or local >= 0 else None

    @cached_property
    def _importances(self) -> list[tuple[float, int, float, float]]:
        return list(map(self._importance, range(len(self))))

    def _importance(self, index: int) -> tuple[float, int, float, float]:
        worker = self.workers[index]
        time = _LAST if worker.timestamp is None else worker.timestamp
        rank = _LAST if worker.rank is None else worker.rank
        return (self._candidates.get(index, _LAST), _IMPORTANCE[self.state(index)], time, rank)

    @cached_property
    def _texts(self) -> list[str]:
        return [self._text(index).casefold() for index in range(len(self.workers))]

    def _text(self, index: int) -> str:
        worker = self.workers[index]
        known = (
            None if worker.rank is None else exactly(worker.rank),
            worker.node,
            self.where(index),
            worker.role,
            self.exit_text(index),
            self.state_word(index),
            self.title(index),
        )
        return "\n".join(filter(None, known))


@lru_cache(maxsize=1 << 17)
def _natural(text: str) -> tuple[tuple[str, int], ...]:
    """Return a key that puts node10 after node9."""
    parts = re.split(r"([0-9]+)", text)
    return tuple((words, int(digits or -1)) for words, digits in zip(parts[::2], [*parts[1::2], ""], strict=True))
