"""A recorded example that comes with the program: two nodes, four workers, one of them broke the job.

Owns the data in this directory. It refuses to describe it: what is shown is what the inspector finds.
"""

from __future__ import annotations

from contextlib import contextmanager
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["demo_directory"]


@contextmanager
def demo_directory() -> Iterator[str]:
    """Give the path of the example's directory for as long as the context lasts."""
    with as_file(files("inspector.demo") / "two_node") as directory:
        yield str(directory)
