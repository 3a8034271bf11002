"""Compare what the program says with the labels: `python -m tests.planting.evaluate DIR`.

Runs the program as a user does and reads its JSON, so that it holds whatever the inside looks like. Exit code 1 when
an answer is wrong or falsely sure.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

__all__ = ["Outcome", "agrees", "judge", "main"]

Outcome = Literal["right", "unsure", "wrong", "falsely sure"]
COLUMNS: tuple[Outcome, ...] = ("right", "unsure", "wrong", "falsely sure")


@dataclass(frozen=True)
class Question:
    """One input of one case and its label; `attempt` is `None` for the verdict of the whole job."""

    title: str
    name: str
    paths: tuple[Path, ...]
    right: list[int] | None
    label: dict[str, Any]
    attempt: int | None = None


def main(arguments: list[str]) -> int:
    """Ask about every input of every case, print what differs and a table."""
    questions = list(_questions(Path(arguments[0])))
    with ThreadPoolExecutor(2) as pool:
        verdicts = list(pool.map(_ask, questions))
    counts: dict[str, Counter[str]] = {}
    for question, verdict in zip(questions, verdicts, strict=True):
        outcome = judge(verdict, question.right, question.label)
        counts.setdefault(question.name, Counter())[outcome] += 1
        remark = "" if verdict["kind"] == question.label["kind"] else f" [kind: {question.label['kind']}]"
        said = f"{verdict['kind']}/{verdict['confidence']}"
        right = "unknown" if question.right is None else question.right
        print(f"{outcome:13}{question.title:36}{right!s:14}{said:20}{verdict['summary'][:150]}{remark}")
    print(f"\n{'':12}" + "".join(f"{column:>14}" for column in COLUMNS))
    for name, found in counts.items():
        print(f"{name:12}" + "".join(f"{found[column]:>14}" for column in COLUMNS))
    return 1 if any(found["wrong"] + found["falsely sure"] for found in counts.values()) else 0


def _questions(root: Path) -> Iterator[Question]:
    labels: dict[str, dict[str, Any]] = json.loads((root / "labels.json").read_text("utf-8"))
    for name, label in labels.items():
        if name.startswith("_"):
            continue
        inputs = {
            "whole": (root / name,),
            "logs": tuple(sorted((root / name).rglob("logs"))),
            "launcher": tuple(sorted((root / name).rglob("launcher.log"))),
        }
        for kind, paths in inputs.items():
            if paths:
                yield Question(f"{name}/{kind}", kind, paths, label[kind], label)
        for number, ranks in label.get("attempts", {}).items():
            yield Question(f"{name}/attempt {number}", "attempts", inputs["whole"], ranks, label, int(number))


def _ask(question: Question) -> dict[str, Any]:
    """Run the program; when it says that nothing failed it writes its report all the same or nothing at all."""
    command = [sys.executable, "-m", "inspector", "--json", *map(str, question.paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not done.stdout.strip():
        return {
            "kind": "none" if done.returncode == 1 else "crash",
            "confidence": "sure",
            "summary": done.stderr.strip(),
        }
    report = json.loads(done.stdout)
    verdict: dict[str, Any] = report["verdict"]
    if question.attempt is not None:
        attempts = {attempt["attempt"]: attempt["verdict"] for attempt in report["runs"][-1]["attempts"]}
        verdict = attempts[question.attempt]
    return verdict


def judge(verdict: dict[str, Any], right: list[int] | None, label: dict[str, Any]) -> Outcome:
    """Score a verdict of the JSON report against one label."""
    if right is not None and agrees(verdict, right, label):
        return "right"
    if verdict["confidence"] == "unsure":
        return "right" if right is None else "unsure"
    if right is None and label["kind"] == "node" and _names_node(verdict, label):
        return "right"
    return "falsely sure" if verdict["confidence"] == "sure" else "wrong"


def agrees(verdict: dict[str, Any], right: list[int], label: dict[str, Any]) -> bool:
    """Tell whether a verdict blames one of the right ranks, or nobody where nobody is to blame."""
    if label["kind"] == "none":
        return bool(verdict["kind"] == "none")
    if not right:
        return verdict["kind"] in ("external", "none") or (verdict["kind"] == "unknown" and verdict["rank"] is None)
    if label["kind"] == "node" and _names_node(verdict, label):
        return True
    if verdict.get("rank") is not None:
        return verdict["rank"] in right
    if "at" in label:
        return f"{verdict.get('node')}/{verdict.get('local_rank')}" in label["at"].values()
    return verdict.get("local_rank") in right


def _names_node(verdict: dict[str, Any], label: dict[str, Any]) -> bool:
    return bool(verdict["kind"] == "node" and verdict.get("node") == label.get("node"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
