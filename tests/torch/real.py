"""The real torch.distributed.elastic.multiprocessing.errors, or a reason to skip; and what both sides are shown."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

__all__ = ["DATA", "SHAPES", "elastic"]


def _import_elastic() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns that NumPy is missing
        return pytest.importorskip(
            "torch.distributed.elastic.multiprocessing.errors",
            reason="torch is not installed here; `make test-torch` compares with it",
        )


elastic = _import_elastic()
DATA = Path(__file__).parents[1] / "data"

_STACK = 'Traceback (most recent call last):\n  File "train.py", line 26, in main\nValueError: x\n'
SHAPES: dict[str, Any] = {
    "A": {"message": {"message": "ValueError: x", "extraInfo": {"py_callstack": _STACK, "timestamp": "1796102978"}}},
    "A with a number": {"message": {"message": "ValueError: x", "extraInfo": {"timestamp": 1796102978}}},
    "A passed on": {"message": {"message": "x", "extraInfo": {"timestamp": "1796102978"}, "errorCode": 1}},
    "B": {"message": "disk is full", "timestamp": 1796102978},
    "B with text": {"message": "disk is full", "timestamp": "1796102978"},
    "B without a time": {"message": "disk is full"},
    "C": {"message": "ValueError('x')", "extraInfo": {"traceback": _STACK, "signal": None}},
    "E": {"message": "killed", "timestamp": 1796102978, "errorTraits": {"category": "x"}, "errorCode": 137},
    "F": {
        "message": {"message": "KeyError: 'a'", "extraInfo": {"py_callstack": ["  File\n"], "timestamp": "1796102978"}}
    },
}
