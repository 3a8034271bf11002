"""Which frames are the job's own code, and which only pass a call on: pure questions about a path and a function.

Owns the layout of Python installations (virtual environments, conda, Debian, Windows, zip files, eggs, wheels). It
refuses to look at the disk: the paths are those of the machine where the job ran.
"""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["is_entry", "is_own_code", "is_plumbing", "relative_path"]

_INSTALLED = re.compile(
    r"(?:^|/)(?:site-packages|dist-packages|installed_wheels)/"
    r"|\.(?:egg|whl)/|(?:^|/)python\d+\.zip/"
    r"|(?:^|/)lib(?:64|32)?/(?:python|pypy)\d[\d.]*t?/"
    r"|^[A-Za-z]:/.*(?:python|conda|miniforge|mambaforge|/envs/|venv)[^/]*/lib/"  # Windows has no lib/python3.x
    r"|(?:^|/)(?:bin|Scripts)/[^/.]+(?:\.exe/__main__\.py)?$"  # the scripts that pip writes, such as torchrun
    r"|(?:^|/)torch/(?:distributed|multiprocessing|nn|autograd|utils|optim|cuda|fx|_\w+)/|(?:^|/)torch/_\w+\.py$"
    r"|(?:^|/)torchinductor_[^/]*/|/\.triton/cache/"  # compiled at run time
    r"|(?:^|/)errors_core/(?:recorder|error_handler)\.py$",
    re.IGNORECASE,
)
_TYPED = re.compile(r"<(?:stdin|string|ipython-input|cell line|console)")
_RELATIVE = re.compile(
    r".*(?:(?:site|dist)-packages|lib(?:64)?/(?:python|pypy)\d[\d.]*t?|python\d+\.zip|/lib(?=/[^/]*\.py$))/",
    re.IGNORECASE,
)
_PLUMBING = re.compile(
    r"^(?:runpy|contextlib|functools)\.py:"
    r"|^<frozen runpy>:"
    r"|:(?:_wrapped_call_impl|_call_impl|_call_and_handle_interrupt|decorate_context)$"
    r"|(?:^|/)torch/_dynamo/eval_frame\.py:"
    r"|(?:^|/)c10d_logger\.py:"
    r"|(?:^|/)elastic/multiprocessing/errors/__init__\.py:"
    r"|(?:^|/)errors_core/(?:recorder|error_handler)\.py:"
    r"|:<(?:list|dict|set)comp>$"  # Python 3.12 has no frame of its own for these
)
_ENTRY = re.compile(
    r"(?:^|/)elastic/multiprocessing/errors/__init__\.py:wrapper$|(?:^|/)errors_core/recorder\.py:"
    r"|^runpy\.py:|^<frozen runpy>:"
)


@lru_cache(maxsize=8192)
def is_own_code(path: str) -> bool:
    """Tell whether a frame's file is the job's own: not the standard library, not an installed package."""
    if path.startswith("<"):
        return _TYPED.match(path) is not None
    return _INSTALLED.search(path.replace("\\", "/")) is None


@lru_cache(maxsize=8192)
def relative_path(path: str) -> str:
    """Return an installed file's path below its packages, and the bare name of any other file."""
    slashed = path.replace("\\", "/")
    match = _RELATIVE.match(slashed)
    return slashed[match.end() :] if match is not None else slashed.rpartition("/")[2]


@lru_cache(maxsize=8192)
def is_plumbing(path: str, function: str) -> bool:
    """Tell whether a frame only passes a call on, so that it says nothing about an error."""
    return _PLUMBING.search(f"{relative_path(path)}:{function}") is not None


@lru_cache(maxsize=8192)
def is_entry(path: str, function: str) -> bool:
    """Tell whether the frames up to this one only started the program: a recorder inside it does not see them."""
    return _ENTRY.search(f"{relative_path(path)}:{function}") is not None
