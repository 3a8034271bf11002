"""The screens as plain text, at the sizes that people have; `pytest --snapshot-update` takes new ones."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from inspector.terminal import Terminal
from tests.builders import many_ranks
from tests.inspector.app.pictures import COLOURS, PLAIN, PictureSource, opened, press, screen_lines, screen_text

SIZES = [(60, 20), (80, 24), (120, 40), (200, 50)]


def drawn(text: str) -> str:
    """The screen with a frame, so that blanks at its end count."""
    return "\n".join(f"|{line}" for line in text.splitlines())


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_first_screen(size: tuple[int, int], snapshot: SnapshotAssertion) -> None:
    async with opened(size=size) as pilot:
        assert drawn(screen_text(pilot)) == snapshot


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_many_ranks_with_a_filter(size: tuple[int, int], snapshot: SnapshotAssertion) -> None:
    async with opened(PictureSource(many_ranks(340)), size=size) as pilot:
        assert drawn(await press(pilot, "slash", *"gpu-node-000 !=5", "enter", "j", "2")) == snapshot


@pytest.mark.parametrize("key", ["2", "3", "4", "5"])
async def test_the_panes(key: str, snapshot: SnapshotAssertion) -> None:
    async with opened(size=(80, 40)) as pilot:
        assert drawn(await press(pilot, key)) == snapshot


async def test_the_help(snapshot: SnapshotAssertion) -> None:
    async with opened(size=(80, 60)) as pilot:
        assert drawn(await press(pilot, "question_mark")) == snapshot


async def test_a_screen_in_ascii(snapshot: SnapshotAssertion) -> None:
    async with opened(terminal=PLAIN) as pilot:
        text = screen_text(pilot)
        assert text.isascii()
        assert drawn(text) == snapshot


@pytest.mark.parametrize("size", [(20, 6), (1, 1), (300, 10)], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("terminal", [COLOURS, PLAIN], ids=["unicode", "ascii"])
async def test_no_line_is_wider_than_the_screen_and_no_key_breaks_it(size: tuple[int, int], terminal: Terminal) -> None:
    async with opened(size=size, terminal=terminal) as pilot:
        for key in ("1", "2", "3", "4", "5", "z", "enter", "z", "escape", "slash", "escape", "question_mark", "q"):
            await press(pilot, key)
            lines = screen_lines(pilot)
            assert len(lines) <= size[1]
            assert all(len(line) <= size[0] for line in lines)


@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
async def test_six_hints_fit_into_the_last_row(size: tuple[int, int]) -> None:
    async with opened(size=size) as pilot:
        assert screen_lines(pilot)[-1] == " / filter  s sort  r root cause  y copy  ? keys  q quit"
        assert (await press(pilot, "enter")).splitlines()[-1] == " esc ranks  w wrap  f fold  z zoom  ? keys  q quit"


async def test_a_resize_lays_everything_out_again() -> None:
    async with opened() as pilot:
        before = screen_text(pilot)
        for size in ((200, 50), (60, 20), (80, 24)):
            await pilot.resize_terminal(*size)
            await press(pilot, "shift+f11")
            assert all(len(line) <= size[0] for line in screen_lines(pilot))
        assert screen_text(pilot) == before
