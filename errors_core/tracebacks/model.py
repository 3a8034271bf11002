"""What a traceback is once it was read: a chain of exceptions with frames, and the stacks of a crash dump.

Owns the shapes alone. It refuses to parse text (that is `parse`, `spans` and `fault_stacks` beside it).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from errors_core.job import Frame

__all__ = ["ExceptionBlock", "Joined", "ThreadStack", "Traceback", "TracebackSpan"]

Joined = Literal["cause", "context"]


@dataclass(frozen=True, slots=True)
class ExceptionBlock:
    """One exception of a chain: what was raised, with which words, and where.

    `type` is `None` when the text ends before the line that names it. `message` holds all its lines, notes included.
    `frames` run from the outermost call to where it was raised. `joined` says how it leads to the next block: it is
    its `cause` (`raise … from`) or its `context` (raised while handling it). `members` are the exceptions of a group.
    `wrapper` names what carried it here from elsewhere (`DataLoader worker 1`). `repeats` are pairs of the index of a
    frame and how many times more Python says that it was repeated.
    """

    type: str | None
    message: str = ""
    frames: tuple[Frame, ...] = ()
    joined: Joined | None = None
    members: tuple[Traceback, ...] = ()
    wrapper: str | None = None
    repeats: tuple[tuple[int, int], ...] = ()

    @property
    def name(self) -> str | None:
        """The type without its module; of `RayTaskError(ValueError)` only what stands in front."""
        return self.type and self.type.partition("(")[0].rpartition(".")[2]

    @property
    def title(self) -> str:
        """The final line as Python prints it: `Type: message`, with all lines of the message."""
        return ": ".join(part for part in (self.type, self.message) if part)


@dataclass(frozen=True, slots=True)
class Traceback:
    """A chain of exceptions in the order of the printout: the first cause first."""

    chain: tuple[ExceptionBlock, ...]


@dataclass(frozen=True, slots=True)
class TracebackSpan:
    """A traceback found among other lines. Line numbers count from 1 and include both ends.

    `text` is the traceback alone. `leading` is the line in front of it when that line belongs to it, such as
    `Exception in thread Thread-1:`. `ended` is false when it stops before the line that names the exception.
    """

    first_line: int
    last_line: int
    text: str
    leading: str | None = None
    ended: bool = True

    @property
    def ignored(self) -> bool:
        """Whether Python says that it went on after this exception (`Exception ignored in`, logging errors)."""
        return self.leading is not None and self.leading.startswith(("Exception ignored", "--- Logging error"))


@dataclass(frozen=True, slots=True)
class ThreadStack:
    """The Python stack of one thread in a dump of faulthandler.

    `reason` is why Python wrote the dump (`Segmentation fault`). `current` marks the thread that it happened in.
    `frames` run from the outermost call inwards, against the order of the dump.
    """

    thread: str | None
    frames: tuple[Frame, ...]
    current: bool = False
    reason: str | None = None
