from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st

from errors_core.readers import blocks
from errors_core.readers.blocks import CUT_MARK, count_lines, read_blocks

SIZE = 256 * 1024
lines = st.lists(st.binary(max_size=40).filter(lambda line: b"\n" not in line), max_size=40)


@given(lines, st.booleans(), st.integers(1, 50))
def test_blocks_put_together_are_the_stream(parts: list[bytes], ended: bool, size: int) -> None:
    data = b"\n".join(parts) + (b"\n" if ended else b"")
    found = list(read_blocks(io.BytesIO(data), size))
    assert b"".join(block.data for block in found) == data
    for block in found:
        assert data[block.offset : block.offset + len(block.data)] == block.data
        assert block.number == data.count(b"\n", 0, block.offset) + 1


@given(lines, st.integers(50, 120))
def test_all_blocks_but_the_last_end_with_a_line(parts: list[bytes], size: int) -> None:
    found = list(read_blocks(io.BytesIO(b"\n".join(parts)), size))
    assert all(block.data.endswith(b"\n") for block in found[:-1])


@given(st.lists(st.sampled_from([b"", b"x" * 20, b"y" * 200]), max_size=60), st.integers(0, 9000), st.integers(0, 9000))
def test_lines_are_counted_wherever_they_are_short_or_long(parts: list[bytes], start: int, end: int) -> None:
    data = b"\n".join(parts)
    assert count_lines(data) == data.count(b"\n")
    assert count_lines(data, start, end) == data.count(b"\n", start, end)


def test_the_middle_of_a_line_longer_than_a_block_is_dropped() -> None:
    line = b"head" + b"x" * (4 * SIZE) + b"tail"
    first, second, third = read_blocks(io.BytesIO(b"before\n" + line + b"\nafter\n"))
    assert first == blocks.Block(0, 1, b"before\n")
    assert second.data.startswith(b"head")
    assert second.data.endswith(b"tail\n")
    assert CUT_MARK in second.data
    assert len(second.data) < SIZE
    assert third == blocks.Block(len(b"before\n" + line) + 1, 3, b"after\n")


def test_an_endless_line_is_kept_small_and_counted() -> None:
    (block,) = read_blocks(io.BytesIO(b"y" * (20 * SIZE)))
    assert (block.offset, block.number) == (0, 1)
    assert len(block.data) < SIZE


def test_memory_does_not_grow_with_the_length_of_a_line() -> None:
    class Endless(io.RawIOBase):
        def __init__(self) -> None:
            self.left = 400

        def read(self, size: int = -1) -> bytes:
            self.left -= 1
            return b"z" * size if self.left > 0 else b""

    (block,) = read_blocks(Endless())  # type: ignore[arg-type]  # all that is used of a stream is `read`
    assert len(block.data) < SIZE


def test_an_empty_stream_has_no_blocks() -> None:
    assert list(read_blocks(io.BytesIO(b""))) == []
