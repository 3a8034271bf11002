"""The case table: every family with its variants. Data only."""

from __future__ import annotations

from tests.planting.case import PlantedCase
from tests.planting.cases import deaths, exceptions, misleading, outside, resources, shared, stalls, texts, traps

__all__ = ["CASES"]

CASES: tuple[PlantedCase, ...] = (
    *stalls.CASES,  # the longest ones first
    *exceptions.CASES,
    *deaths.CASES,
    *misleading.CASES,
    *shared.CASES,
    *resources.CASES,
    *texts.CASES,
    *traps.CASES,
    *outside.CASES,
)
