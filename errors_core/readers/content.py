"""What a file is by its first bytes, where its name does not tell.

Owns the signs. It refuses to read on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from errors_core.readers.flight_recorder import looks_like_flight_recorder

if TYPE_CHECKING:
    from errors_core.readers.tree import Kind

__all__ = ["kind_of_content", "packed_with"]

_UNREAD = ((b"\xfd7zXZ", "xz"), (b"BZh", "bzip2"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"7z\xbc\xaf", "7z"))


def packed_with(head: bytes) -> str | None:
    """Return the name of a packer whose files are not read, `None`: none of them."""
    return next((name for magic, name in _UNREAD if head.startswith(magic)), None)


def kind_of_content(name: str, head: bytes) -> Kind | None:
    """Return what a file is that somebody named: a dump, an error file, else a log if it is text."""
    if looks_like_flight_recorder(name, head):
        return "flight_recorder"
    if head.lstrip().startswith(b"{") and b'"message"' in head:
        return "error_file"
    return "log" if _is_text(head) else None


def _is_text(head: bytes) -> bool:
    """Tell whether hardly anything is no text: a dead disk may well have left some of it."""
    strange = head.count(b"\0") + head.decode("utf-8", "replace").count("\ufffd")
    return bool(head) and strange * 10 <= len(head)
