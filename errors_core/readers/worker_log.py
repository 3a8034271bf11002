"""A worker's stdout.log or stderr.log → sightings."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Sequence

    from errors_core.diagnosis.signatures import Signature
    from errors_core.sightings import Reading

__all__ = ["read_worker_log"]


def read_worker_log(stream: BinaryIO, path: str, signatures: Sequence[Signature]) -> Reading:
    """Read one worker's log: one sighting a rank."""
    raise NotImplementedError
