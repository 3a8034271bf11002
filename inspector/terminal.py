"""What the terminal said about itself: colours, glyphs, mouse.

Owns the choices that follow from the environment. It asks the terminal nothing: an answer that comes late would be
taken for typed text.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console

from inspector.presentation.glyphs import ASCII, UNICODE, Glyphs

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Terminal", "describe_terminal"]

# The Linux console has room for 256 to 512 glyphs; marks and blocks are not among them.
_FEW_GLYPHS = ("linux", "vt", "dumb")


@dataclass(frozen=True, slots=True)
class Terminal:
    """`ansi`: only the terminal's own 16 colours, or none, may be used. `mouse`: clicks may be asked for.

    `light`: it is known to have a light background.
    """

    ansi: bool
    glyphs: Glyphs
    mouse: bool
    light: bool = False


def describe_terminal(environ: Mapping[str, str] = os.environ) -> Terminal:
    """Return what the environment allows.

    The mouse stays off over SSH: a dropped line can never switch it off again, and the person's own terminal would
    print rubbish at every movement.
    """
    colours = Console(force_terminal=True, legacy_windows=False, _environ=environ).color_system
    few_glyphs = environ.get("TERM", "").startswith(_FEW_GLYPHS)
    return Terminal(
        ansi="NO_COLOR" in environ or colours not in {"256", "truecolor"},
        glyphs=UNICODE if _is_utf8(environ) and not few_glyphs else ASCII,
        mouse=not (environ.get("SSH_CONNECTION") or environ.get("SSH_TTY")),
        light=environ.get("COLORFGBG", "").rpartition(";")[2] in {"7", "15"},
    )


def _is_utf8(environ: Mapping[str, str]) -> bool:
    """Tell whether the locale's encoding is UTF-8; Python changes LC_CTYPE itself where no locale was set at all."""
    chosen = environ.get("LC_ALL") or environ.get("LC_CTYPE") or environ.get("LANG") or ""
    made_up = chosen == "C.UTF-8" and not environ.get("LC_ALL") and environ.get("LANG", "C") in {"", "C", "POSIX"}
    return "utf8" in chosen.lower().replace("-", "") and not made_up
