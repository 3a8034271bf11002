"""Which signature says most about a text: asked once for each text.

Owns the cache around `errors_core.diagnosis.signatures.match`. It refuses to know what a signature means for a worker.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from errors_core.diagnosis.signatures import match

if TYPE_CHECKING:
    from collections.abc import Sequence

    from errors_core.diagnosis.signatures import Signature

__all__ = ["Judge"]


class Judge:
    """Answers for one table of signatures."""

    def __init__(self, signatures: Sequence[Signature]) -> None:
        self._match = lru_cache(maxsize=4096)(lambda text: match(text, signatures))

    def name(self, text: str) -> str | None:
        """Return the id of the signature that says most about a text."""
        found = self._match(text)
        return found.id if found is not None else None

    def is_echo(self, title: str) -> bool:
        """Tell whether `Type: message` only reports a lost or late peer."""
        found = self._match(title)
        return found is not None and found.role == "echo"
