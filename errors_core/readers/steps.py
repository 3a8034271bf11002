"""Training progress in log lines: the number of the step.

Owns the spellings of progress (`step 12`, `iter 3/100`, `iteration 100/ 5000`, `global_step=7`, progress bars). It
refuses to take settings (`max steps: 1000`) and timings for progress.
"""

from __future__ import annotations

import re

__all__ = ["parse_step"]

_STEP = re.compile(
    r"\b(?:global[ _-]?)?(?:step|iter|iteration|batch)s?\b[\s:=#\[(/'\"-]{0,24}(?P<step>\d{1,12})(?![\d.]*(?:ms|s)\b)",
    re.IGNORECASE,
)
_WORD_BEFORE = re.compile(r"([A-Za-z]+)[ _-]{0,2}$")
_SETTINGS = frozenset(
    ("max", "total", "num", "number", "warmup", "every", "per", "save", "log", "logging", "eval", "of", "micro", "n")
)
_BAR = re.compile(
    r"\W{0,3}(?:(?:epoch|train|step|iter)[^%|]{0,60}?)?\s*\d{1,3}%\|[^|]{0,300}\|\s*(?P<step>\d{1,12})/\d+ \[",
    re.IGNORECASE,
)
_LONGEST = 4096
_FOREIGN = ("wandb:",)  # its summary at the end is no progress


def parse_step(line: str) -> int | None:
    """Return the step that a log line tells, or `None`."""
    if line.startswith(_FOREIGN):
        return None
    line = line[:_LONGEST]
    for match in _STEP.finditer(line):
        before = _WORD_BEFORE.search(line[max(0, match.start() - 16) : match.start()])
        if before is None or before[1].lower() not in _SETTINGS:
            return int(match["step"])
    bar = _BAR.match(line)
    return int(bar["step"]) if bar is not None else None
