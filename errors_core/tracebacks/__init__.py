"""Traceback text → chains of exceptions, groups, frames (own code or library) and the originals inside wrappers.

Owns what Python prints when something was raised or crashed. It refuses to read files and to strip line prefixes:
the text that it gets has none. Nothing in here raises for any text.
"""

from errors_core.own_code import is_own_code
from errors_core.tracebacks.fault_stacks import parse_faulthandler
from errors_core.tracebacks.model import ExceptionBlock, ThreadStack, Traceback, TracebackSpan
from errors_core.tracebacks.parse import parse_traceback
from errors_core.tracebacks.spans import find_tracebacks
from errors_core.tracebacks.summary import summarise
from errors_core.tracebacks.unwrap import unwrap

__all__ = [
    "ExceptionBlock",
    "ThreadStack",
    "Traceback",
    "TracebackSpan",
    "find_tracebacks",
    "is_own_code",
    "parse_faulthandler",
    "parse_traceback",
    "summarise",
    "unwrap",
]
