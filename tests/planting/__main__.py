"""Run the case table, two jobs at a time: `python -m tests.planting --out DIR [--only FAMILY] [--seed N]`.

Needs a virtual environment with torch 2.13 (`make .venv-torch/.ready`).
Exit code 1 when a case did not break as planned.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.planting.case import PlantedCase, rotated
from tests.planting.cases import CASES
from tests.planting.labels import label_case, missing_faults, write_labels
from tests.planting.launch import Ran, launch
from tests.planting.normalise import REPOSITORY, Names, find_leftovers, normalise

__all__ = ["main"]


def main(arguments: list[str]) -> int:
    """Run the chosen cases and write their directories and labels.json."""
    options = _parse(arguments)
    chosen = [case for case in CASES if not options.only or any(w in (case.family, case.name) for w in options.only)]
    if options.seed:
        dice = random.Random(options.seed)
        chosen = [rotated(case, dice.randrange(case.world_size)) for case in chosen]
    options.out.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda case: _plant(case, options.out, options.venv), chosen))
    write_labels(
        options.out / "labels.json", {case.name: label for case, (label, _) in zip(chosen, results, strict=True)}
    )
    return 1 if any(complaints for _, complaints in results) else 0


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.planting", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="where the job directories go")
    parser.add_argument("--only", action="append", help="a family or a case; may be given several times")
    parser.add_argument("--seed", type=int, default=0, help="move the faults to other ranks; 0: as in the table")
    parser.add_argument("--jobs", type=int, default=2, help="how many jobs run at a time")
    parser.add_argument("--venv", type=Path, default=REPOSITORY / ".venv-torch", help="where torch is installed")
    return parser.parse_args(arguments)


def _plant(case: PlantedCase, out: Path, venv: Path) -> tuple[dict[str, Any], list[str]]:
    begin = time.monotonic()
    scratch = Path(tempfile.mkdtemp(prefix="planting-"))
    directory = out / case.name
    shutil.rmtree(directory, ignore_errors=True)
    try:
        ran = launch(case, scratch, venv)
        complaints = [*_collect(case, ran, scratch, venv, directory), *missing_faults(case, ran)]
        label = label_case(case, ran, directory)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    complaints += ["took too long"] * ran.too_long
    seconds = time.monotonic() - begin
    print(f"{case.name:32} exit {ran.exits} {seconds:5.1f} s  {'; '.join(complaints) or 'as planned'}", flush=True)
    return label, complaints


def _collect(case: PlantedCase, ran: Ran, scratch: Path, venv: Path, directory: Path) -> list[str]:
    """Copy what a person would find, under neutral names; return what still names this machine."""
    complaints = []
    for number, node in enumerate(ran.nodes):
        several = len(ran.nodes) > 1
        names = Names.of(venv=venv, scratch=scratch, case=case.name, node=number if several else None)
        target = directory / node.name if several else directory
        for source in sorted(node.rglob("*")):
            if not source.is_file():
                continue
            data = normalise(source.read_bytes(), names)
            complaints += [f"{old!r} left in {source.name}" for old in find_leftovers(data, names)]
            copy = target / source.relative_to(node)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(data)
    return complaints


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
