"""Damaged and hostile bytes: read tolerantly, or refused with one clear sentence."""

from __future__ import annotations

import json
import pickle
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errors_core.error_file import looks_like_error_file, parse_error_file
from errors_core.error_json import MAX_DEPTH, parse_json_object, salvage_json_object
from errors_core.exceptions import ErrorFileError

REPORT = {
    "message": {"message": "ValueError: x\u00fc\U0001f3d6", "extraInfo": {"timestamp": "1796102978", "n": [1, {}]}}
}
TEXT = json.dumps(REPORT)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_every_unicode_encoding_is_read(encoding: str) -> None:
    data = json.dumps(REPORT, ensure_ascii=False).encode(encoding)
    assert parse_json_object(data) == (REPORT, ())


@pytest.mark.parametrize("padding", [b"\0\0\0", b"\n\n", b" \0\n"])
def test_padding_behind_the_report_is_no_damage(padding: bytes) -> None:
    assert parse_json_object(TEXT.encode() + padding) == (REPORT, ())


def test_bytes_that_are_no_text_are_replaced_and_remarked() -> None:
    value, remarks = parse_json_object(b'{"message": "caf\xe9"}')
    assert value == {"message": "caf\ufffd"}
    assert remarks == ("bytes that are no text were replaced",)


def test_a_replacement_character_in_the_file_itself_is_no_damage() -> None:
    assert parse_json_object('{"message": "caf\ufffd"}'.encode()) == ({"message": "caf\ufffd"}, ())


def test_text_behind_the_report_is_remarked_and_the_report_counts() -> None:
    value, remarks = parse_json_object(b'{"message": "one"}{"message": "two"}')
    assert value == {"message": "one"}
    assert remarks == ("more text follows the report at byte 18",)


@pytest.mark.parametrize(
    ("escaped", "text"),
    [
        (r"\ud800", "\ufffd"),
        (r"\udc00\ud83c", "\ufffd\ufffd"),
        (r"\ud83c\udfd6", "\U0001f3d6"),
        (r"\\ud800", r"\ud800"),
        (r"\\\ud800", "\\\ufffd"),
        (r"\ud83cx", "\ufffdx"),
        (r"\u00e9", "é"),
        (r"\u0000", "\0"),
    ],
)
def test_lone_surrogates_are_replaced_and_pairs_stay(escaped: str, text: str) -> None:
    value, _ = parse_json_object(f'{{"message": "{escaped}"}}'.encode())
    assert value["message"] == text
    value["message"].encode()


def test_numbers_that_json_does_not_have_stay_text() -> None:
    digits = "9" * 5000
    value, _ = parse_json_object(f'{{"a": NaN, "b": -Infinity, "c": 1e999, "d": {digits}, "e": 12, "f": 1.5}}'.encode())
    assert value == {"a": "NaN", "b": "-Infinity", "c": "1e999", "d": digits, "e": 12, "f": 1.5}
    json.dumps(value, allow_nan=False)


def test_of_two_values_for_one_key_the_last_counts() -> None:
    assert parse_error_file(b'{"message": "one", "message": "two"}').message == "two"


def test_control_characters_in_a_string_are_read() -> None:
    assert parse_error_file(b'{"message": "line 1\nline 2\t\x1b[31m\x00"}').message == "line 1\nline 2\t\x1b[31m\x00"


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "empty file"),
        (b" \n", "empty file"),
        (b"\0" * 4096, "holds only NUL bytes"),
        (b"[1, 2]", "the top level is a list, not an object"),
        (b'"text"', "the top level is a text, not an object"),
        (b"12.5", "the top level is a number, not an object"),
        (b"true", "the top level is true or false, not an object"),
        (b"null", "the top level is null, not an object"),
        (b"Traceback", "not JSON at byte 0: Expecting value"),
        (b'{"message": oops}', "not JSON at byte 12: Expecting value"),
        (b"{'message': 'x'}", "not JSON at byte 1: Expecting property name enclosed in double quotes"),
        ('{"ü": oops}'.encode(), "not JSON at byte 7: Expecting value"),
        (b'\n\n{"a": oops}', "not JSON at byte 8: Expecting value"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(data: bytes, problem: str) -> None:
    with pytest.raises(ErrorFileError) as caught:
        parse_json_object(data)
    assert caught.value.problem == problem


@pytest.mark.parametrize("brackets", ["[]", '{"a":}'])
@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 900, 200_000])
def test_deep_nesting_is_refused_and_does_not_overflow(brackets: str, depth: int) -> None:
    data = '{"message":' + brackets[:-1] * depth + "1" + brackets[-1] * depth + "}"
    with pytest.raises(ErrorFileError, match="nested deeper than 64 levels"):
        parse_json_object(data.encode())


def test_nesting_up_to_the_limit_is_read() -> None:
    depth = MAX_DEPTH - 1
    assert parse_json_object(('{"message":' + "[" * depth + "]" * depth + "}").encode())


@pytest.mark.parametrize("end", range(1, len(TEXT)))
def test_wherever_a_report_is_cut_that_is_what_is_said(end: int) -> None:
    with pytest.raises(ErrorFileError) as caught:
        parse_error_file(TEXT[:end].encode())
    assert caught.value.problem == f"truncated JSON at byte {end}"


@pytest.mark.parametrize("end", range(1, len(TEXT)))
def test_what_a_cut_report_held_is_a_part_of_the_whole_one(end: int) -> None:
    value = salvage_json_object(TEXT[:end].encode())
    assert value is not None
    assert is_part(value, REPORT)


def is_part(part: Any, whole: Any) -> bool:
    """Whether the part is what was written of the whole: a cut text ends with …, a cut number or word is null."""
    if isinstance(part, dict):
        return all(is_part(part[key], whole[key]) for key in part if not key.endswith("…"))
    if isinstance(part, list):
        return len(part) <= len(whole) and all(map(is_part, part, whole))
    if isinstance(part, str) and part.endswith("…"):
        return str(whole).startswith(part.removesuffix("…").removesuffix("\ufffd"))
    return part is None or part == whole


def test_a_cut_time_is_never_taken_for_a_whole_one() -> None:
    text = '{"message": {"message": "ValueError: x", "extraInfo": {"timestamp": "17961'
    for cut in (text, '{"timestamp": 17961', '{"message": "x", "timestamp": 17961'):
        with pytest.raises(ErrorFileError) as caught:
            parse_error_file(cut.encode())
        assert caught.value.partial is None or caught.value.partial.timestamp is None


def test_a_backslash_at_the_cut_does_not_lose_the_text_before_it() -> None:
    for end, text in (("\\", "C:"), ("\\\\", "C:\\"), ("\\\\\\", "C:\\"), ("\\u00", "C:"), ("\\\\u00", "C:\\u00")):
        assert salvage_json_object(b'{"message": "C:' + end.encode()) == {"message": text + "…"}


def test_the_error_survives_the_way_from_another_process() -> None:
    with pytest.raises(ErrorFileError) as caught:
        parse_error_file(TEXT[:40].encode())
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (copy.problem, copy.path, copy.partial) == (caught.value.problem, None, caught.value.partial)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
KEYS = st.sampled_from(
    ["message", "extraInfo", "timestamp", "errorCode", "py_callstack", "signal", "rank", "errorTraits"]
)


@given(st.dictionaries(KEYS, JSON | st.dictionaries(KEYS, JSON | st.dictionaries(KEYS, JSON))))
def test_json_of_any_content_is_read_or_refused_and_nothing_else(value: dict[str, Any]) -> None:
    data = json.dumps(value).encode()
    looks_like_error_file(data)
    if "message" not in value:
        with pytest.raises(ErrorFileError):
            parse_error_file(data)
        return
    report = parse_error_file(data)
    json.dumps(report.data, allow_nan=False, ensure_ascii=False).encode()
    assert isinstance(report.message, str)


@given(st.binary(max_size=200) | st.binary(max_size=60).map(lambda tail: b'{"message": "' + tail))
def test_bytes_of_any_kind_are_read_or_refused_and_nothing_else(data: bytes) -> None:
    looks_like_error_file(data)
    with suppress(ErrorFileError):
        assert parse_error_file(data).shape in "ABCDEF"
