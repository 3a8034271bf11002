"""Bytes of an error file → a JSON object, whatever a dying process left in them.

Owns encodings, damage and the limits that keep hostile content from hurting the reader. It knows nothing about
what the keys mean (that is `errors_core.error_report`) and opens no file.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from errors_core.error_salvage import completions
from errors_core.exceptions import ErrorFileError

__all__ = ["MAX_DEPTH", "decode_text", "parse_json_object", "salvage_json_object"]

MAX_DEPTH = 64
_MAX_DIGITS = 40
_PADDING = "\0 \t\r\n"
_LITERALS = ("true", "false", "null", "NaN", "Infinity", "-Infinity")
# A pair of surrogate escapes, a lone one (group 1), or any other escape: so that `\\ud800` stays what it is.
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)


def decode_text(data: bytes) -> tuple[str, str, bool]:
    """Return the text, its encoding, and whether it is intact: bytes that are no text become U+FFFD."""
    encoding = json.detect_encoding(data)
    try:
        return data.decode(encoding), encoding, True
    except UnicodeDecodeError:
        return data.decode(encoding, errors="replace"), encoding, False


def parse_json_object(data: bytes) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the object and remarks on what was odd but could be read.

    Numbers that JSON does not have (NaN, Infinity) and integers of more than 40 digits stay text; lone surrogates
    become U+FFFD; of several values for one key the last one counts. Raises `ErrorFileError`.
    """
    if not data.strip(b" \t\r\n\0"):
        raise ErrorFileError("holds only NUL bytes" if b"\0" in data else "empty file")
    text, encoding, is_intact = decode_text(data)
    remarks = [] if is_intact else ["bytes that are no text were replaced"]
    text = _cleaned(text)
    value, end = _decode(text, encoding, len(data))
    if end < len(text):
        remarks.append(f"more text follows the report at byte {_byte(text, end, encoding)}")
    if not isinstance(value, dict):
        raise ErrorFileError(f"the top level is {_kind(value)}, not an object")
    if _deeper_than(value, MAX_DEPTH):
        raise ErrorFileError(f"nested deeper than {MAX_DEPTH} levels")
    return value, tuple(remarks)


def salvage_json_object(data: bytes) -> dict[str, Any] | None:
    """Return what a truncated object held before its end, `None` when that is nothing or something else is wrong."""
    for text in completions(_cleaned(decode_text(data)[0])):
        try:
            value, _ = parse_json_object(text.encode())
        except ErrorFileError:
            continue
        return value
    return None


def _cleaned(text: str) -> str:
    text = text.rstrip(_PADDING)
    return _ESCAPE.sub(lambda match: r"\ufffd" if match[1] else match[0], text) if "\\u" in text else text


def _decode(text: str, encoding: str, size: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, len(text) - len(text.lstrip(_PADDING)))
    except json.JSONDecodeError as error:
        if _is_cut_off(text, error):
            raise ErrorFileError(f"truncated JSON at byte {size}") from error
        raise ErrorFileError(f"not JSON at byte {_byte(text, error.pos, encoding)}: {error.msg}") from error
    except RecursionError as error:
        raise ErrorFileError(f"nested deeper than {MAX_DEPTH} levels") from error


def _is_cut_off(text: str, error: json.JSONDecodeError) -> bool:
    """Whether the text is the beginning of a JSON document and nothing else is wrong with it."""
    rest = text[error.pos :]
    if not text.lstrip(_PADDING).startswith(("{", "[")):
        return False
    if not rest or error.msg.startswith("Unterminated string"):
        return True
    return (len(rest) <= 6 and "escape" in error.msg) or any(word.startswith(rest) for word in _LITERALS)


def _byte(text: str, position: int, encoding: str) -> int:
    return len(text[:position].encode(encoding, errors="replace"))


def _to_float(digits: str) -> float | str:
    value = float(digits)
    return value if math.isfinite(value) else digits


def _to_int(digits: str) -> int | str:
    return int(digits) if len(digits) <= _MAX_DIGITS else digits


_DECODER = json.JSONDecoder(strict=False, parse_constant=str, parse_float=_to_float, parse_int=_to_int)


def _kind(value: object) -> str:
    kinds = {list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number"}
    return kinds.get(type(value), "null")


def _deeper_than(value: object, limit: int) -> bool:
    level = [value]
    for _ in range(limit):
        level = [child for node in level for child in _children(node)]
        if not level:
            return False
    return True


def _children(node: object) -> list[Any]:
    if isinstance(node, dict):
        return list(node.values())
    return node if isinstance(node, list) else []
