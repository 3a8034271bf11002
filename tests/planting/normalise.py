"""Take this machine out of what a job left: paths, host names, addresses.

Works on bytes, because a dead job's logs need not be text. It keeps everything else as it was written.
"""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Names", "find_leftovers", "normalise"]

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Names:
    """What to replace in one node's files: pairs of old and new text, longest first, and the node's new name."""

    pairs: tuple[tuple[bytes, bytes], ...]
    host: bytes

    @classmethod
    def of(cls, *, venv: Path, scratch: Path, case: str, node: int | None) -> Names:
        """Collect the names of one run; `node` is its number, `None` when there is only one."""
        home = _python_home(venv)
        pairs = {
            f"{REPOSITORY}/tests/planting/worker/": "/workspace/",
            f"{REPOSITORY}/": "/workspace/",
            str(REPOSITORY): "/workspace",
            str(venv): "/opt/venv",
            str(scratch / "tmp"): "/tmp",
            str(scratch): f"/scratch/jobs/{case}",
            home: "/usr",
            "tests.planting.worker.": "",
        }
        for site in venv.glob("lib/python*/site-packages"):  # as torch's log lines show it: below the import path
            pairs[
                f" {site.relative_to(REPOSITORY)}/torch/" if site.is_relative_to(REPOSITORY) else f" {site}/torch/"
            ] = " torch/"
        if node is None:
            pairs[str(scratch / "node0")] = f"/scratch/jobs/{case}"
        ordered = sorted(pairs.items(), key=lambda pair: -len(pair[0]))
        return cls(
            tuple((old.encode(), new.encode()) for old, new in ordered), f"gpu-node-{(node or 0) + 1:02}".encode()
        )


def normalise(data: bytes, names: Names) -> bytes:
    """Return the text with every name of this machine replaced."""
    for old, new in names.pairs:
        data = data.replace(old, new)
    data = re.sub(rb"(?m)^(  host +: )\S+", rb"\g<1>" + names.host, data)
    for host in _own_hosts():
        data = re.sub(rb"(?<![\w./-])" + re.escape(host) + rb"(?![\w/-])", names.host, data)
    for address in _own_addresses():
        data = data.replace(address, b"10.0.0.1")
    return data


def find_leftovers(data: bytes, names: Names) -> list[bytes]:
    """Return what still names this machine."""
    wanted = [old for old, _ in names.pairs if old.startswith(b"/") and old not in (b"/usr", b"/opt/venv")]
    return [old for old in wanted if old in data]


def _own_hosts() -> set[bytes]:
    return {name.encode() for name in (socket.gethostname(), socket.getfqdn())} - {b"localhost"}


def _own_addresses() -> set[bytes]:
    infos = socket.getaddrinfo(socket.gethostname(), None)
    return {str(info[4][0]).encode() for info in infos if not str(info[4][0]).startswith(("127.", "::1"))}


def _python_home(venv: Path) -> str:
    for line in (venv / "pyvenv.cfg").read_text("utf-8").splitlines():
        if line.startswith("home ="):
            return str(Path(line.partition("=")[2].strip()).parent)
    return "/usr"
