"""Pickles: plain values are read as Python reads them, anything else is refused, and nothing ever runs."""

from __future__ import annotations

import copyreg
import os
import pickle
import pickletools
import struct
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errors_core.readers.pickle_machine import MAX_CONTAINERS
from errors_core.readers.restricted_pickle import MAX_DEPTH, PickleRefusedError, parse_plain_pickle

ODDITIES = {
    "texts": ["", "ü", "🏖", "x" * 300, "y" * 70_000],
    "numbers": [0, 1, 255, 256, 65_535, 65_536, -1, -(2**31), 2**31, 2**63, -(2**63), 2**100],
    "floats": [0.0, -1.5, 1e300, float("inf")],
    "others": [None, True, False, (), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), {}, [], {1: 2}],
    "many": list(range(3000)),
    "names": [f"n{index}" for index in range(300)] * 2,
}
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**100), 2**100) | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=6)
        | st.dictionaries(st.text(max_size=5), inner, max_size=6)
        | st.lists(inner, max_size=5).map(tuple)
    ),
    max_leaves=30,
)


class Asks:
    """Pickled, it asks to call a function with arguments."""

    def __init__(self, *reduced: Any) -> None:
        self.reduced = reduced

    def __reduce__(self) -> Any:
        return self.reduced


class Plain:
    """A class of the caller: unpickling it would need a name to be looked up."""

    def __init__(self) -> None:
        self.value = 1


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_every_plain_value_is_read_as_python_reads_it(protocol: int) -> None:
    assert parse_plain_pickle(pickle.dumps(ODDITIES, protocol)) == (ODDITIES, ())


@given(value=PLAIN, protocol=st.integers(2, 5))
def test_any_plain_value_survives(value: object, protocol: int) -> None:
    assert parse_plain_pickle(pickle.dumps(value, protocol)) == (value, ())


def test_a_container_that_stands_in_two_places_stays_one() -> None:
    shared = {"line": 26}
    value, _ = parse_plain_pickle(pickle.dumps([shared, shared], 2))
    assert isinstance(value, list)
    assert value[0] is value[1]
    assert value[0] == shared


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize("wrap", [lambda x: x, lambda x: [x], lambda x: {"entries": [x]}])
def test_a_pickle_that_asks_for_a_call_is_refused_and_nothing_runs(protocol: int, wrap: Any, tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    data = pickle.dumps(wrap(Asks(os.system, (f"touch {witness}",))), protocol)
    with pytest.raises(PickleRefusedError, match=r"GLOBAL at byte \d+ asks for posix.system; nothing was run"):
        parse_plain_pickle(data)
    assert not witness.exists()
    pickle.loads(data)
    assert witness.exists(), "the pickle was not hostile at all"


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"cos\nsystem\n(S'true'\ntR.", "GLOBAL at byte 0 asks for os.system"),
        (b"\x80\x02cbuiltins\neval\nX\x03\0\0\x001+1\x85R.", "GLOBAL at byte 2 asks for builtins.eval"),
        (b"\x80\x02(ios\nsystem\n.", "INST at byte 3 asks for os.system"),
        (b"\x80\x02(X\x01\0\0\0ao.", "OBJ"),
        (b"\x80\x04\x8c\x02os\x8c\x06system\x93.", "STACK_GLOBAL at byte 14 asks for os.system"),
        (b"\x80\x02})R.", "REDUCE"),
        (b"\x80\x02})\x81.", "NEWOBJ"),
        (b"\x80\x04})}\x92.", "NEWOBJ_EX"),
        (b"\x80\x02}}b.", "BUILD"),
        (b"Pid\n.", "PERSID"),
        (b"\x80\x02K\x01Q.", "BINPERSID"),
        (b"\x80\x02\x82\x01.", "EXT1"),
        (b"\x80\x02\x83\x01\0.", "EXT2"),
        (b"\x80\x02\x84\x01\0\0\0.", "EXT4"),
        (b"\x80\x05\x97.", "NEXT_BUFFER"),
        (b"\x80\x05\x96\xff\xff\xff\xff\xff\xff\xff\x7f", "BYTEARRAY8"),
        (b"\x80\x04\x8f.", "EMPTY_SET"),
        (b"\x80\x03C\x01a.", "SHORT_BINBYTES"),
        (b"\x80\x02K\x012.", "DUP"),
        (b"\x80\x02K\x010.", "POP"),
        (b"I1\n.", "INT"),
        (b"\x80\x02\x8b\xff\xff\xff\x7f", "LONG4"),
    ],
)
def test_every_other_operation_is_refused_by_its_name(data: bytes, told: str) -> None:
    with pytest.raises(PickleRefusedError, match=f"not a plain pickle: {told}"):
        parse_plain_pickle(data)


def test_each_operation_of_python_is_either_plain_or_refused() -> None:
    refused = set()
    for operation in pickletools.opcodes:
        try:
            parse_plain_pickle(b"\x80\x02" + operation.code.encode("latin-1") + b"\0" * 16)
        except PickleRefusedError as error:
            if "not a plain pickle" in str(error):
                refused.add(operation.name)
    looked_up = {"GLOBAL", "STACK_GLOBAL", "INST", "OBJ", "REDUCE", "NEWOBJ", "NEWOBJ_EX", "BUILD"}
    assert looked_up | {"PERSID", "BINPERSID", "EXT1", "EXT2", "EXT4", "NEXT_BUFFER"} <= refused
    assert "BINUNICODE" not in refused


def test_an_extension_that_is_registered_is_not_looked_up() -> None:
    copyreg.add_extension("builtins", "print", 77)
    try:
        with pytest.raises(PickleRefusedError, match="EXT1"):
            parse_plain_pickle(b"\x80\x02\x82\x4d.")
    finally:
        copyreg.remove_extension("builtins", "print", 77)


@pytest.mark.parametrize("value", [Plain(), OrderedDict(a=1), {1, 2}, frozenset(), Path("x"), 1j, b"bytes"])
def test_a_value_of_another_type_is_refused(value: object) -> None:
    with pytest.raises(PickleRefusedError, match="not a plain pickle"):
        parse_plain_pickle(pickle.dumps({"version": value}, 4))


def test_a_name_that_a_pickle_asks_for_is_quoted_without_control_characters() -> None:
    with pytest.raises(PickleRefusedError, match=r"asks for \\x1b\[31mos\.sys\\x07tem;"):
        parse_plain_pickle(b"c\x1b[31mos\nsys\x07tem\n.")


@pytest.mark.parametrize("data", [b"garbage", b"\xff\xfe\0\0", b"\x80\x09}.", b"\x7fELF", b"{}", b"\x80\x02h\x07."])
def test_what_is_no_pickle_is_refused(data: bytes) -> None:
    with pytest.raises(PickleRefusedError, match=r"not a|malformed"):
        parse_plain_pickle(data)


@pytest.mark.parametrize(
    "body",
    [
        b".",
        b"a.",
        b"e.",
        b"u.",
        b"s.",
        b"t.",
        b"]].",
        b"](K\x01a.",
        b"}(K\x01u.",
        b"}NK\x01s.",
        b"K\x01K\x02a.",
        b"q\0.",
    ],
)
def test_operations_in_a_wrong_order_are_refused(body: bytes) -> None:
    with pytest.raises(PickleRefusedError, match="malformed pickle"):
        parse_plain_pickle(b"\x80\x02" + body)


def test_a_tuple_as_a_key_is_refused_since_hashing_shared_tuples_may_never_end() -> None:
    doubled = b")" + b"".join(b"q%ch%c\x86" % (index, index) for index in range(60))
    with pytest.raises(PickleRefusedError, match="malformed pickle"):
        parse_plain_pickle(b"\x80\x02}" + doubled + b"Ns.")


def test_lists_that_double_at_every_level_stay_small() -> None:
    doubled = b"]" + b"".join(b"q%c]h%cah%ca" % (index, index, index) for index in range(MAX_DEPTH - 8))
    value, _ = parse_plain_pickle(b"\x80\x02(" + doubled + b"t.")
    assert isinstance(value, tuple)
    assert len(value) == MAX_DEPTH - 7


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"\x80\x02" + b"]" * 100 + b"a" * 99 + b".", "nested deeper"),
        (b"\x80\x02)" + b"\x85" * 100_000 + b".", "nested deeper"),
        (b"\x80\x02]q\0h\0a.", "nested deeper"),
        (b"\x80\x02}q\0K\x01h\0s.", "nested deeper"),
        (b"\x80\x02(" + b"}" * (MAX_CONTAINERS + 1) + b"t.", f"more than {MAX_CONTAINERS} containers"),
        (b"\x80\x02\x8a\x20" + b"\x7f" * 32 + b".", "an integer of 32 bytes"),
        (b"\x80\x02X\xff\xff\xff\xffa.", "truncated"),
    ],
    ids=["lists", "tuples", "own-member", "own-value", "containers", "integer", "text"],
)
def test_what_is_too_deep_or_too_much_is_refused(data: bytes, told: str) -> None:
    with pytest.raises(PickleRefusedError, match=told):
        parse_plain_pickle(data)


def test_a_huge_memo_index_costs_nothing() -> None:
    assert parse_plain_pickle(b"\x80\x02]r\xff\xff\xff\xff.") == ([], ())


def test_a_frame_of_any_claimed_size_costs_nothing() -> None:
    assert parse_plain_pickle(b"\x80\x04\x95" + struct.pack("<Q", 2**62) + b"N.") == (None, ())


def test_bytes_that_are_no_text_are_replaced() -> None:
    assert parse_plain_pickle(b"\x80\x02X\x02\0\0\0a\xff.") == ("a\ufffd", ())


def test_data_behind_the_pickle_is_remarked_and_the_pickle_counts() -> None:
    assert parse_plain_pickle(b"\x80\x02].cos\nsystem\n.") == ([], ("more data follows the pickle at byte 4",))


@pytest.mark.parametrize("protocol", [2, 4])
def test_of_a_truncated_pickle_what_was_whole_is_kept(protocol: int) -> None:
    whole = {"version": "2.9", "entries": [{"op": "a", "n": 1}, {"op": "b", "n": 2}, {"op": "c", "n": 3}]}
    data = pickle.dumps(whole, protocol)
    value, remarks = parse_plain_pickle(data[: data.rindex(b"c", 0, -4)])
    assert isinstance(value, dict)
    assert value["entries"][:2] == whole["entries"][:2]
    assert value["version"] == "2.9"
    assert remarks[0].startswith("truncated pickle at byte ")


def test_a_pickle_that_was_cut_anywhere_is_remarked_or_refused() -> None:
    data = pickle.dumps(ODDITIES | {"texts": []}, 4)
    for end in range(0, len(data), 7):
        try:
            _, remarks = parse_plain_pickle(data[:end])
        except PickleRefusedError as error:
            remarks = (str(error),)
        assert remarks == (f"truncated pickle at byte {end}",)


@given(st.binary(max_size=200) | st.binary(max_size=200).map(b"\x80\x02}q\0(".__add__))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with suppress(PickleRefusedError):
        value, _ = parse_plain_pickle(data)
        assert isinstance(value, dict | list | tuple | str | int | float | None)


@given(data=st.data(), value=PLAIN)
def test_no_changed_byte_makes_it_run_or_raise(data: st.DataObject, value: object) -> None:
    pickled = bytearray(pickle.dumps(value, 4))
    for _ in range(3):
        pickled[data.draw(st.integers(0, len(pickled) - 1))] = data.draw(st.integers(0, 255))
    with suppress(PickleRefusedError):
        parse_plain_pickle(bytes(pickled))
