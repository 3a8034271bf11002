"""Draw screenshots/ from tests/data: `python tests/make_screenshots.py`; `--check` only says whether they are stale.

Owns which screens are shown in the README. The drawings are the same on every machine: no clock, no fonts of its own,
paths relative to tests/data.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from inspector.app import InspectorApp  # noqa: E402 - this is a script, and the package need not be installed for it
from inspector.presentation.glyphs import UNICODE  # noqa: E402 - see above
from inspector.terminal import Terminal  # noqa: E402 - see above
from tests.inspector.app.pictures import press, settle  # noqa: E402 - see above

TARGET = ROOT / "screenshots"
FONTS = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', "
DATA = ROOT / "tests" / "data" / "torchrun"


@dataclass(frozen=True, slots=True)
class Shot:
    """One drawing: a job below tests/data/torchrun, the size of the terminal, the keys pressed before."""

    name: str
    job: str
    size: tuple[int, int]
    keys: tuple[str, ...] = ()


SHOTS = (
    Shot("first-screen", "two_node", (80, 24)),
    Shot("wide", "two_node", (200, 50), ("5",)),
    Shot("signal", "oomkill", (80, 24), ("2",)),
    Shot("filter", "two_node", (80, 24), ("slash", *"echo !node-02")),
    Shot("keys", "two_node", (80, 40), ("question_mark",)),
)


def main() -> int:
    """Draw, or compare; 1 when a drawing is stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a drawing is stale")
    check = parser.parse_args().check
    os.environ.pop("NO_COLOR", None)
    os.chdir(DATA)
    drawings = dict(asyncio.run(draw_all()))
    stale = [name for name, svg in drawings.items() if read(TARGET / name) != svg]
    left_over = [path.name for path in TARGET.glob("*.svg") if path.name not in drawings]
    if check:
        for name in stale + left_over:
            print(f"stale: screenshots/{name} (make screenshots draws it again)", file=sys.stderr)
        return 1 if stale or left_over else 0
    for name in stale:
        (TARGET / name).write_text(drawings[name], encoding="utf-8")
    for name in left_over:
        (TARGET / name).unlink()
    print(f"{len(drawings)} drawings, {len(stale)} of them new")
    return 0


def read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


async def draw_all() -> list[tuple[str, str]]:
    return [(f"{shot.name}.svg", await draw(shot)) for shot in SHOTS]


async def draw(shot: Shot) -> str:
    terminal = Terminal(ansi=False, glyphs=UNICODE, mouse=False)
    app = InspectorApp([shot.job], terminal=terminal)
    async with app.run_test(size=shot.size) as pilot:
        await settle(pilot)
        await press(pilot, *shot.keys)
        return "\n".join(tidy(app.export_screenshot()))


def tidy(svg: str) -> Iterator[str]:
    """Leave out fonts from the net: the drawing is to look the same without one."""
    svg = re.sub(r"\s*@font-face \{.*?\n    \}", "", svg, flags=re.DOTALL).replace("Fira Code, ", FONTS)
    for line in svg.splitlines():
        if line.strip():
            yield line.rstrip()


if __name__ == "__main__":
    raise SystemExit(main())
