"""What every test shares: a fixed time zone, no colour settings of the caller, and where the job directories are."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

DATA = Path(__file__).parent / "data"

settings.register_profile(
    "ci", deadline=None, derandomize=True, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ci")

for name in (
    "NO_COLOR",
    "FORCE_COLOR",
    "COLORTERM",
    "TMUX",
    "STY",
    "SSH_CONNECTION",
    "SSH_TTY",
    "TORCHELASTIC_ERROR_FILE",
):
    os.environ.pop(name, None)
os.environ["TZ"] = "UTC"
time.tzset()


@pytest.fixture(scope="session")
def data() -> Path:
    """The directory of recorded jobs."""
    return DATA
