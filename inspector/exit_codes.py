"""What the exit status of `elastic-inspect` means; part of the contract with scripts."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["ExitCode"]


class ExitCode(IntEnum):
    """The statuses that the command ends with on its own."""

    FOUND = 0
    """A failure was found and shown."""
    NOTHING_FAILED = 1
    """Nothing failed below the path; one line on stderr says what was looked at."""
    USAGE = 2
    """Wrong usage, or a path that does not exist or cannot be read; one line on stderr."""
    INTERRUPTED = 130
    """Interrupted, as by Ctrl+C."""
