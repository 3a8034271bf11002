"""What goes wrong in computing, in building the model and in starting helpers."""

from __future__ import annotations

import importlib
import math

import torch
import torch.distributed as dist

from tests.planting.worker.hooks import training_groups

__all__ = [
    "allocate_bytes",
    "allocate_tensor",
    "check_loss",
    "import_kernels",
    "multiply_wrong_shapes",
    "reduce_wrong_shape",
    "validate_config",
]


def import_kernels() -> None:
    """Import what is not installed."""
    importlib.import_module("fused_kernels")


def check_loss() -> None:
    """Check what must hold, and fail."""
    loss = float("nan")
    assert math.isfinite(loss), f"loss is {loss} at step 4"


def multiply_wrong_shapes() -> torch.Tensor:
    """Multiply what cannot be multiplied."""
    return torch.ones(8, 16) @ torch.ones(32, 4)


def reduce_wrong_shape() -> None:
    """Take part in the next all_reduce with more elements than the others."""
    dist.all_reduce(torch.ones(4096), group=training_groups[-1])


def allocate_bytes() -> bytearray:
    """Ask Python for more than there is."""
    return bytearray(1 << 60)


def allocate_tensor() -> torch.Tensor:
    """Ask torch for more than there is."""
    return torch.empty(1 << 50)


def validate_config() -> None:
    """Report two faults at once."""
    raise ExceptionGroup(
        "the configuration has 2 faults",
        [ValueError("learning_rate must be positive, got -0.1"), KeyError("scheduler")],
    )
