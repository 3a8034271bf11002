"""Run the test suite on every Python from 3.11 up that this machine has, one virtual environment each.

`make test-all` calls it from the development environment, whose own Python is left out: `make test` covers it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST = (3, 11)


def find_candidates() -> Iterator[Path]:
    """Every `python3.N` on PATH, and those that pyenv holds without offering them on PATH."""
    for directory in os.get_exec_path():
        yield from sorted(Path(directory).glob("python3.[0-9]*"))
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    yield from sorted(pyenv.glob("versions/*/bin/python3.[0-9]*"))


def read_version(python: Path) -> tuple[int, int] | None:
    """The version an interpreter answers with; `None` when it does not run."""
    code = "import sys, venv; print(*sys.version_info[:2])"
    try:
        answer = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=60, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    major, minor = answer.split()
    return int(major), int(minor)


def find_pythons() -> dict[tuple[int, int], Path]:
    """One working interpreter for each version, the one on PATH first."""
    found: dict[tuple[int, int], Path] = {}
    for candidate in find_candidates():
        if re.fullmatch(r"python3\.\d+", candidate.name) and (version := read_version(candidate)):
            found.setdefault(version, candidate)
    return {version: path for version, path in sorted(found.items()) if version >= OLDEST}


def run_suite(version: tuple[int, int], python: Path) -> int:
    """Set up the environment of one Python and run the tests in it; the exit code of the first step that fails."""
    venv = ROOT / f".venv-py{version[0]}.{version[1]}"
    own = venv / "bin" / "python"
    pip: list[str | Path] = [
        own,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--constraint",
        "constraints.txt",
    ]
    steps: tuple[list[str | Path], ...] = (
        [python, "-m", "venv", venv],
        [*pip, "--editable", ".[dev]"],
        [own, "-m", "pytest", "--numprocesses", "auto", "-m", "not torch", "-q", "-p", "no:cacheprovider"],
    )
    for step in steps:
        print(f"[{version[0]}.{version[1]}]", *map(str, step), flush=True)
        if code := subprocess.run(step, cwd=ROOT, check=False).returncode:
            return code
    return 0


def main() -> int:
    """Run every suite, say what was run, and return how many failed."""
    pythons = {version: path for version, path in find_pythons().items() if version != sys.version_info[:2]}
    failed = [version for version, python in pythons.items() if run_suite(version, python)]
    print("also tested on:", ", ".join(f"{a}.{b}" for a, b in pythons) or "no other Python found")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
