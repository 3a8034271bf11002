"""The case table agrees with itself and with the worker's faults; what labels depend on is read rightly. No torch."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from tests.planting.case import EVERY, PlantedCase, at, rotated
from tests.planting.cases import CASES
from tests.planting.evaluate import judge
from tests.planting.labels import label_case, missing_faults
from tests.planting.launch import Ran
from tests.planting.left_behind import Listed, listed_ranks, reports_lost_peer, torch_root
from tests.planting.normalise import Names, find_leftovers, normalise

HERE = Path(__file__).parent
KEPT = HERE.parent / "data" / "planted"
SUMMARY = """\
W1201 14:38:06.1 9 torch/api.py:1028] Sending process 71 closing signal SIGTERM
Failures:
[1]:
  time      : 2026-12-01_14:38:06
  host      : gpu-node-01
  rank      : 1 (local_rank: 1)
  exitcode  : -15 (pid: 71)  (SIGTERM)
Root Cause (first observed failure):
[0]:
  time      : 2026-12-01_14:38:06
  host      : gpu-node-01
  rank      : 0 (local_rank: 0)
  exitcode  : 7 (pid: 70)
"""


def fault_places() -> dict[str, str]:
    """Read the worker's table as text, because importing it needs torch."""
    tree = ast.parse((HERE / "worker" / "faults.py").read_text("utf-8"))
    table = next(node.value for node in tree.body if isinstance(node, ast.AnnAssign))
    assert isinstance(table, ast.Dict)
    calls = [value for value in table.values if isinstance(value, ast.Call)]
    return {
        ast.literal_eval(key): ast.literal_eval(call.args[0])
        for key, call in zip(table.keys, calls, strict=True)
        if key is not None
    }


def ran(tmp_path: Path, *marks: str) -> Ran:
    error_file = str(tmp_path / "node0" / "logs" / "run_x" / "attempt_0" / "0" / "error.json")
    return Ran(nodes=[tmp_path / "node0"], marks={name: {"TORCHELASTIC_ERROR_FILE": error_file} for name in marks})


def test_every_case_has_a_name_of_its_own() -> None:
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_case_plants_known_faults_on_ranks_that_exist(case: PlantedCase) -> None:
    places = fault_places()
    for attempt, rank, step, fault in case.plan:
        assert fault in places
        assert rank is EVERY or rank < case.world_size
        assert attempt is None or attempt <= case.restarts
        if step is not None:
            assert step < case.steps
            assert places[fault] in ("load", "compute")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_label_fits_its_kind(case: PlantedCase) -> None:
    assert set(case.root) <= set(range(case.world_size))
    assert case.kind == "unknown" or bool(case.root) == (case.kind in ("worker", "common"))
    assert len(case.attempts) in (0, case.restarts + 1)
    assert not case.attempts or case.whole == "unknown" or case.attempts[-1] == case.root
    planted = {rank for _, rank, _, _ in case.plan}
    assert EVERY in planted or set(case.root) <= planted


def test_kept_jobs_are_small_and_labelled() -> None:
    kept = json.loads((KEPT / "labels.json").read_text("utf-8"))
    kept.pop("_about")
    assert set(kept) == {path.name for path in KEPT.iterdir() if path.is_dir()}
    assert {name: label["kind"] for name, label in kept.items()}.items() <= {c.name: c.kind for c in CASES}.items()
    for name in kept:
        assert sum(path.stat().st_size for path in (KEPT / name).rglob("*") if path.is_file()) < 40_000


def test_every_fault_is_used() -> None:
    assert set(fault_places()) == {fault for case in CASES for *_, fault in case.plan}


def test_rotation_moves_plan_and_label_alike() -> None:
    case = PlantedCase(name="x", family="x", cause="x", plan=(at(2, "abort"), at(EVERY, "warn_loudly")), root=(2,))
    moved = rotated(case, 2)
    assert moved.plan == (at(1, "abort"), at(EVERY, "warn_loudly"))
    assert moved.root == (1,)


def test_a_summary_tells_who_was_signalled_and_whom_the_launcher_names() -> None:
    assert listed_ranks(SUMMARY) == [Listed(1, -15, True), Listed(0, 7, False)]
    assert torch_root(SUMMARY) == 0
    assert torch_root("nothing failed") is None


@pytest.mark.parametrize(("root", "launcher"), [((0,), [0]), ((1,), None)])
def test_a_launcher_log_without_texts_tells_only_the_lone_failure(
    root: tuple[int, ...], launcher: list[int] | None, tmp_path: Path
) -> None:
    (tmp_path / "launcher.log").write_text(SUMMARY, "utf-8")
    case = PlantedCase(name="x", family="x", cause="x", root=root, launcher="exits")
    label = label_case(case, ran(tmp_path), tmp_path)
    assert (label["whole"], label["logs"], label["launcher"]) == (list(root), None, launcher)


def test_a_case_whose_fault_left_no_mark_is_complained_about(tmp_path: Path) -> None:
    case = PlantedCase(
        name="x", family="x", cause="x", plan=(at(1, "abort"),), root=(1,), restarts=1, attempts=((1,), (1,))
    )
    complaints = missing_faults(case, ran(tmp_path, "fired-abort.0.1"))
    assert complaints == ["abort on rank 1 in attempt 1"]


def test_a_lost_peer_is_found_in_any_of_a_workers_files(tmp_path: Path) -> None:
    assert not reports_lost_peer(tmp_path)
    (tmp_path / "stderr.log").write_text("RuntimeError: Connection closed by peer [127.0.0.1]:1", "utf-8")
    assert reports_lost_peer(tmp_path)


def test_nothing_of_the_machine_is_left() -> None:
    names = Names(pairs=((b"/home/me/venv", b"/opt/venv"),), host=b"gpu-node-02")
    text = b"  host      : workstation\n  File /home/me/venv/bin/torchrun\xff"
    assert find_leftovers(text, names) == [b"/home/me/venv"]
    assert normalise(text, names) == b"  host      : gpu-node-02\n  File /opt/venv/bin/torchrun\xff"


@pytest.mark.parametrize(
    ("kind", "confidence", "rank", "right", "outcome"),
    [
        ("worker", "sure", 1, [1, 2], "right"),
        ("worker", "sure", 0, [1], "falsely sure"),
        ("worker", "probable", 0, [1], "wrong"),
        ("worker", "unsure", 0, [1], "unsure"),
        ("worker", "unsure", 1, [1], "right"),
        ("worker", "unsure", 0, None, "right"),
        ("worker", "probable", 0, None, "wrong"),
        ("external", "sure", None, [], "right"),
        ("worker", "probable", 0, [], "wrong"),
    ],
)
def test_a_verdict_is_scored_by_rank_and_confidence(
    kind: str, confidence: str, rank: int | None, right: list[int] | None, outcome: str
) -> None:
    verdict = {"kind": kind, "confidence": confidence, "rank": rank, "local_rank": None, "node": None}
    assert judge(verdict, right, {"kind": "worker"}) == outcome
