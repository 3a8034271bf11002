"""What importing the recording side brings into somebody's training process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = {"asyncio", "ctypes", "email", "http", "multiprocessing", "socket", "ssl", "subprocess", "tomllib", "unittest"}
SCRIPT = """
import json, sys
sys.path.insert(0, sys.argv[1])
before = set(sys.modules)
{statement}
print(json.dumps({{name: getattr(sys.modules[name], "__file__", None) for name in set(sys.modules) - before}}))
"""


def loaded_by(statement: str) -> dict[str, str | None]:
    """Return what a fresh interpreter loads; -S keeps .pth files from loading anything before."""
    command = [sys.executable, "-S", "-c", SCRIPT.format(statement=statement), str(ROOT)]
    modules: dict[str, str | None] = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return modules


@pytest.mark.parametrize(
    "statement",
    ["import errors_core.recorder", "import errors_core; errors_core.record", "from errors_core import record"],
)
def test_record_costs_the_standard_library_alone(statement: str) -> None:
    modules = loaded_by(statement)
    assert "errors_core.recorder" in modules
    roots = {name.partition(".")[0] for name in modules}
    assert roots - set(sys.stdlib_module_names) == {"errors_core"}
    assert HEAVY & roots == set()
    reading = (
        "errors_core.load",
        "errors_core.diagnosis",
        "errors_core.readers",
        "errors_core.job",
        "errors_core.joining",
    )
    assert not [name for name in modules if name.startswith(reading)]


def test_names_of_the_reading_side_are_loaded_when_they_are_asked_for() -> None:
    assert "errors_core.job" in loaded_by("from errors_core import Job")


def test_an_unknown_name_is_no_name() -> None:
    import errors_core

    with pytest.raises(AttributeError, match="module 'errors_core' has no attribute 'recod'"):
        _ = errors_core.recod


def test_every_public_name_can_be_imported() -> None:
    import errors_core

    for name in errors_core.__all__:
        assert getattr(errors_core, name) is not None


def test_the_modules_have_the_names_that_code_for_torch_imports() -> None:
    from errors_core.error_handler import ErrorHandler, logger
    from errors_core.handlers import get_error_handler

    assert isinstance(get_error_handler(), ErrorHandler)
    assert logger.name == "errors_core.error_handler"
