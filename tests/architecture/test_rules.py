"""The rules of ARCHITECTURE.md that a machine can check."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("errors_core", "inspector")
LONGEST_FILE = 500
LONGEST_FUNCTION = 60


def sources() -> Iterator[Path]:
    for package in PACKAGES:
        yield from sorted((ROOT / package).rglob("*.py"))


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def modules_after(code: str) -> set[str]:
    """Top-level packages that a fresh interpreter holds after running the code."""
    probe = f"{code}\nimport sys\nprint('\\n--', *sorted({{name.split('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, cwd=ROOT, check=True)
    return set(done.stdout.rsplit("\n--", 1)[1].split())


def test_no_source_file_is_longer_than_anybody_reads() -> None:
    too_long = {str(p): n for p in sources() if (n := len(p.read_text(encoding="utf-8").splitlines())) > LONGEST_FILE}
    assert too_long == {}


def test_no_function_is_longer_than_a_screen_and_a_half() -> None:
    too_long = [
        f"{path.name}:{node.lineno} {node.name}"
        for path in sources()
        for node in functions(path)
        if node.end_lineno is not None and node.end_lineno - node.lineno >= LONGEST_FUNCTION
    ]
    assert too_long == []


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_module_says_what_it_owns_and_names_what_is_public(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree), "a module starts with what it owns"
    public = [n for n in tree.body if isinstance(n, ast.ClassDef | ast.FunctionDef) and not n.name.startswith("_")]
    assigned = {t.id for n in tree.body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}
    assert not public or "__all__" in assigned, "a module with public names lists them in __all__"


def test_readers_and_the_diagnosis_print_nothing() -> None:
    printing = [
        f"{path.name}:{node.lineno}"
        for path in sorted((ROOT / "errors_core").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]
    assert printing == []


def test_widgets_open_no_files() -> None:
    opening = [
        f"{path.name}:{node.lineno}"
        for path in sorted((ROOT / "inspector" / "widgets").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and (
            (isinstance(node.func, ast.Name) and node.func.id == "open")
            or (isinstance(node.func, ast.Attribute) and node.func.attr in {"open", "read_text", "read_bytes"})
        )
    ]
    assert opening == []


@pytest.mark.parametrize("code", ["import errors_core", "from errors_core import record, ErrorHandler, ProcessFailure"])
def test_the_core_loads_nothing_outside_the_standard_library(code: str) -> None:
    outside = {m for m in modules_after(code) if m not in sys.stdlib_module_names} - modules_after("pass")
    assert outside == {"errors_core"}


def test_the_text_report_never_imports_textual() -> None:
    job = ROOT / "tests" / "data" / "torchrun" / "exc_one"
    code = (
        f"from inspector.cli import main\nimport sys\nsys.argv = ['elastic-inspect', {str(job)!r}, '--format', 'text']"
    )
    loaded = modules_after(f"{code}\ntry:\n    main()\nexcept SystemExit as e:\n    assert e.code in (0, None), e.code")
    assert "errors_core" in loaded
    assert "textual" not in loaded


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_import_neither_textual_nor_the_readers(option: str) -> None:
    code = (
        f"from inspector.cli import main\nimport sys\nsys.argv = ['elastic-inspect', {option!r}]\n"
        "try:\n    main()\nexcept SystemExit as e:\n    assert e.code in (0, None), e.code\n"
        "assert not [m for m in sys.modules if m.startswith(('errors_core.readers', 'errors_core.load'))]"
    )
    assert "textual" not in modules_after(code)
