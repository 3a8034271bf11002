"""The labelled jobs of tests/data as cases: which paths to load, and which answers are right."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

__all__ = ["DATA", "Case", "all_cases", "report_cases", "torchrun_cases", "version_cases"]

DATA = Path(__file__).resolve().parents[1] / "data"

Expected = Literal["ranks", "nobody", "all", "unknown"]


@dataclass(frozen=True)
class Case:
    """One job and its right answer.

    `expected`: `ranks` (any one of `ranks`), `nobody` (no worker is to blame), `all` (a common cause), `unknown` (the
    evidence cannot tell, so a sure answer is wrong). `attempt` is `None` for the last one.
    """

    collection: str
    name: str
    paths: tuple[Path, ...]
    expected: Expected
    ranks: frozenset[int] = frozenset()
    attempt: int | None = None

    @property
    def title(self) -> str:
        """`torchrun/hang/logs`."""
        return f"{self.collection}/{self.name}"


def all_cases() -> list[Case]:
    """Return every labelled case."""
    return [*torchrun_cases(), *version_cases(), *report_cases()]


def torchrun_cases() -> Iterator[Case]:
    """Whole directories of torchrun 2.13, their logs alone, and their launcher logs alone."""
    root = DATA / "torchrun"
    for name, label in _labels(root).items():
        directory = root / name
        inputs = {
            "whole": (directory,),
            "logs": tuple(sorted(directory.rglob("logs"))),
            "launcher": tuple(sorted(directory.rglob("launcher*.log"))),
        }
        for kind, paths in inputs.items():
            yield _torchrun_case(f"{name}/{kind}", paths, label[kind])
        for number, ranks in label.get("attempts", {}).items():
            yield _torchrun_case(f"{name}/attempt {number}", inputs["whole"], ranks, int(number))


def _torchrun_case(name: str, paths: tuple[Path, ...], ranks: list[int] | None, attempt: int | None = None) -> Case:
    if ranks is None:
        return Case("torchrun", name, paths, "unknown", attempt=attempt)
    expected: Expected = "nobody" if not ranks else "ranks"
    return Case("torchrun", name, paths, expected, frozenset(ranks), attempt)


def version_cases() -> Iterator[Case]:
    """Launcher logs of torch 1.9, 1.12 and 2.13, alone and with the log directory where there is one."""
    root = DATA / "versions"
    for name, label in _labels(root).items():
        log = root / name
        true = label["true"]
        ranks = frozenset({true}) if isinstance(true, int) else frozenset()
        expected: Expected = "ranks" if ranks else "all" if true == "all" else "nobody"
        yield Case("versions", name, (log,), expected, ranks)
        directory = log.with_suffix(".d")
        if directory.is_dir():
            yield Case("versions", f"{name} and logs", (log, directory), expected, ranks)


def report_cases() -> Iterator[Case]:
    """Logs rebuilt from public reports; where nobody knows the cause, only a sure answer is wrong."""
    root = DATA / "reports"
    kinds: dict[str, Expected] = {"rank": "ranks", "all": "all", "launcher": "nobody", "none": "nobody"}
    for name, label in _labels(root).items():
        rank = label["true_root_rank"]
        ranks = frozenset({rank}) if rank is not None else frozenset()
        expected = kinds.get(label["true_root_scope"], "unknown")
        yield Case("reports", name, (root / f"{name}.log",), expected, ranks)


def _labels(root: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((root / "labels.json").read_text("utf-8"))
    return {name: label for name, label in found.items() if not name.startswith("_")}
