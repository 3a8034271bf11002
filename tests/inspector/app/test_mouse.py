"""Where the mouse is on, it does what one expects; nothing needs it."""

from __future__ import annotations

import pytest

from inspector.widgets.pane_panel import PanePanel
from inspector.widgets.rank_list import RankList
from tests.builders import many_ranks
from tests.inspector.app.pictures import PictureSource, app_of, opened, screen_text, settle


async def test_a_click_moves_the_cursor_to_the_row() -> None:
    async with opened() as pilot:
        await pilot.click("#rank-list", offset=(20, 2))
        await settle(pilot)
        assert app_of(pilot).job_screen.query_one(RankList).cursor == 2


async def test_a_click_below_the_last_row_goes_to_the_last_row() -> None:
    async with opened(size=(200, 50)) as pilot:
        await pilot.click("#rank-list", offset=(20, 30))
        await settle(pilot)
        assert app_of(pilot).job_screen.query_one(RankList).cursor == 3


TABS = [(3, "traceback"), (14, "signal"), (30, "extra"), (44, "log"), (58, "evidence")]


@pytest.mark.parametrize(("column", "name"), TABS)
async def test_a_click_on_a_tab_opens_its_pane(column: int, name: str) -> None:
    async with opened() as pilot:
        await pilot.click("PaneTabs", offset=(column, 0))
        await settle(pilot)
        assert app_of(pilot).job_screen.query_one(PanePanel).active == name


async def test_dragging_over_the_screen_does_no_harm() -> None:
    async with opened(PictureSource(many_ranks(40))) as pilot:
        before = screen_text(pilot)
        await pilot.mouse_down("#pane-text", offset=(5, 1))
        await pilot.hover("#pane-text", offset=(30, 4))
        await pilot.mouse_up("#pane-text", offset=(30, 4))
        await settle(pilot)
        assert screen_text(pilot).splitlines()[:-1] == before.splitlines()[:-1]
