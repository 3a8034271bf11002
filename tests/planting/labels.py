"""The right answers of a case that ran: what was planted, cut down to what each input can tell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.planting.case import PlantedCase, Rule
from tests.planting.launch import Ran
from tests.planting.left_behind import listed_ranks, reports_lost_peer, torch_root

__all__ = ["ABOUT", "label_case", "missing_faults", "write_labels"]

ABOUT = (
    "One entry per directory beside this file, as in torchrun/labels.json: 'whole' = the directory, 'logs' = only the "
    "log directories, 'launcher' = only launcher.log (several for several nodes). Any one of the ranks is right; [] = "
    "no worker is to blame; null = that input cannot tell, so that only 'unsure' is right. 'kind' is the kind of the "
    "right verdict, 'torch_root' what each launcher names. Made by `python -m tests.planting`."
)


def label_case(case: PlantedCase, ran: Ran, directory: Path) -> dict[str, Any]:
    """Return the label of a case whose files are in `directory`."""
    logs = [path.read_text("utf-8", "replace") for path in sorted(directory.rglob("launcher.log"))]
    root = _killed_ranks(case, ran) or list(case.root)
    roots = [torch_root(text) for text in logs]
    kept = _worker_directories(ran, directory) if any(directory.rglob("logs")) else None
    label: dict[str, Any] = {
        "whole": _told(case.whole, root, logs, {}),
        "logs": None if kept is None else _told(case.logs, root, logs, kept),
        "launcher": _told(case.launcher, root, logs, {}),
        "cause": case.cause,
        "torch_root": roots if any(found is not None for found in roots) else None,
        "family": case.family,
        "kind": case.kind,
    }
    if len(ran.nodes) > 1:
        label["at"] = {str(rank): _home(ran, rank) for rank in root}
    if case.kind == "node":
        label["node"] = f"node{str(case.act)[-1]}"
    if case.attempts:
        label["attempts"] = {str(number): ranks and list(ranks) for number, ranks in enumerate(case.attempts)}
    return label


def _killed_ranks(case: PlantedCase, ran: Ran) -> list[int]:
    """Return the ranks of a node that was killed; which node got which ranks is the rendezvous' choice."""
    if case.act is None or not case.act.startswith("kill node"):
        return []
    node = f"/node{case.act[-1]}/"
    return sorted(
        int(name.rpartition(".")[2])
        for name, mark in ran.marks.items()
        if name.startswith("started.") and node in str(mark["TORCHELASTIC_ERROR_FILE"])
    )


def _told(rule: Rule, root: list[int], logs: list[str], directories: dict[int, Path]) -> list[int] | None:
    """Apply a rule of the table to what is really there."""
    listed = [entry for text in logs for entry in listed_ranks(text)]
    if rule == "exits":
        return root if {entry.rank for entry in listed if not entry.signalled} <= set(root) and listed else None
    if rule == "listed":
        ranks = {entry.rank for entry in listed}
        return root if set(root).isdisjoint(ranks) and max(ranks, default=0) > max(root) else None
    if rule == "alone":
        others = [path for rank, path in directories.items() if rank not in root]
        seen = all(rank in directories and directories[rank].is_dir() for rank in root)
        return root if seen and others and all(reports_lost_peer(path) for path in others) else None
    return None if rule == "unknown" else root


def _worker_directories(ran: Ran, directory: Path) -> dict[int, Path]:
    """Return each rank's directory of the last attempt among the collected files."""
    found: dict[int, Path] = {}
    last = max((name.split(".")[1] for name in ran.marks if name.startswith("started.")), default="0")
    for name, mark in ran.marks.items():
        if name.startswith(f"started.{last}."):
            parts = Path(str(mark["TORCHELASTIC_ERROR_FILE"])).parent.parts
            start = parts.index("logs") - 1
            kept = parts[start:] if len(ran.nodes) > 1 else parts[start + 1 :]
            found[int(name.rpartition(".")[2])] = directory.joinpath(*kept)
    return found


def _home(ran: Ran, rank: int) -> str | None:
    """Return `node1/0`: the directory of the node, and the local rank, of a rank in the last attempt."""
    marks = sorted(name for name in ran.marks if name.startswith("started.") and name.endswith(f".{rank}"))
    if not marks:
        return None
    parts = Path(str(ran.marks[marks[-1]]["TORCHELASTIC_ERROR_FILE"])).parent.parts
    return f"{parts[parts.index('logs') - 1]}/{parts[-1]}"


def missing_faults(case: PlantedCase, ran: Ran) -> list[str]:
    """Return what was planted and left no mark: such a case shows something else than its label says."""
    missing = []
    for attempt, rank, _, fault in case.plan:
        if fault == "reuse_store":
            continue
        every = range(len(case.attempts)) if case.attempts else [""]
        for number in every if attempt is None else [attempt]:
            fired = [name for name in ran.marks if name.startswith(f"fired-{fault}.{number}")]
            if not any(rank is None or name.endswith(f".{rank}") for name in fired):
                missing.append(f"{fault} on rank {rank} in attempt {number}")
    return missing


def write_labels(path: Path, labels: dict[str, dict[str, Any]]) -> None:
    """Write the labels, one case a line."""
    entries = [f"  {json.dumps('_about')}: {json.dumps(ABOUT)}"]
    entries += [f"  {json.dumps(name)}: {json.dumps(label)}" for name, label in sorted(labels.items())]
    path.write_text("{\n" + ",\n".join(entries) + "\n}\n", "utf-8")
