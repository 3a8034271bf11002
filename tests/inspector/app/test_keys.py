"""Every key does what the help says."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from errors_core.job import Job
from inspector.screens.choice_screen import ChoiceScreen
from inspector.widgets.pane_panel import PanePanel
from inspector.widgets.rank_list import RankList
from inspector.widgets.text_view import TextView
from tests.builders import make_attempt, make_job, make_run, make_worker, many_ranks, two_node
from tests.inspector.app.pictures import PictureSource, app_of, opened, press, screen_lines, screen_text


def ranks_of(pilot: Pilot[None]) -> RankList:
    return app_of(pilot).job_screen.query_one(RankList)


def view_of(pilot: Pilot[None]) -> TextView:
    return app_of(pilot).job_screen.query_one(TextView)


def shown_ranks(pilot: Pilot[None]) -> list[int | None]:
    ranks = ranks_of(pilot)
    return [ranks.table.workers[index].rank for index in ranks.order]


def rank_under_cursor(pilot: Pilot[None]) -> int | None:
    ranks = ranks_of(pilot)
    assert ranks.selected is not None
    return ranks.table.workers[ranks.selected].rank


def long_job() -> PictureSource:
    return PictureSource(many_ranks(340))


async def test_the_first_screen_shows_verdict_ranks_and_traceback() -> None:
    async with opened() as pilot:
        text = screen_text(pilot)
        assert "ROOT CAUSE (sure)  Rank 3 broke the job" in text
        assert 'at        train.py:26 parse_shard: return shard["tokens"][7]' in text
        assert "check     Look at parse_shard" in text
        assert "names rank 0" in text
        assert 'File "/workspace/train.py", line 26, in parse_shard' in text
        assert rank_under_cursor(pilot) == 3


@pytest.mark.parametrize("keys", [("j",), ("down",), ("j", "j", "k"), ("down", "down", "up")])
async def test_letters_and_arrows_move_the_cursor(keys: tuple[str, ...]) -> None:
    async with opened(long_job()) as pilot:
        await press(pilot, *keys)
        assert ranks_of(pilot).cursor == 1


@pytest.mark.parametrize(("key", "row"), [("G", 339), ("end", 339), ("pagedown", 8), ("space", 8), ("ctrl+d", 4)])
async def test_pages_and_ends_are_one_key_away(key: str, row: int) -> None:
    async with opened(long_job()) as pilot:
        await press(pilot, key)
        assert ranks_of(pilot).cursor == row
        await press(pilot, "g")
        assert ranks_of(pilot).cursor == 0


@pytest.mark.parametrize(("key", "row"), [("pageup", 331), ("ctrl+u", 335), ("g", 0), ("home", 0)])
async def test_pages_and_ends_work_upwards(key: str, row: int) -> None:
    async with opened(long_job()) as pilot:
        await press(pilot, "G", key)
        assert ranks_of(pilot).cursor == row


async def test_the_cursor_stays_on_the_list_and_in_view() -> None:
    async with opened(long_job()) as pilot:
        await press(pilot, "k", "k")
        assert ranks_of(pilot).cursor == 0
        text = await press(pilot, "G", "j", "j")
        assert ranks_of(pilot).cursor == 339
        assert any(line.startswith("▸") for line in text.splitlines())


@pytest.mark.parametrize(
    ("key", "name", "words"),
    [
        ("1", "traceback", "IndexError: list index out of range"),
        ("2", "signal", "exit code 1"),
        ("3", "extra", "local rank  1"),
        ("4", "log", "the last words"),
        ("5", "evidence", "Rank 3 raised an error of its own."),
    ],
)
async def test_a_digit_opens_its_pane(key: str, name: str, words: str) -> None:
    async with opened() as pilot:
        text = await press(pilot, key)
        assert app_of(pilot).job_screen.query_one(PanePanel).active == name
        assert words in text


async def test_tab_goes_round_the_panes_in_both_directions() -> None:
    async with opened() as pilot:
        panes = app_of(pilot).job_screen.query_one(PanePanel)
        seen = []
        for _ in range(5):
            await press(pilot, "tab")
            seen.append(panes.active)
        assert seen == ["signal", "extra", "log", "evidence", "traceback"]
        await press(pilot, "shift+tab")
        assert panes.active == "evidence"


async def test_enter_goes_to_the_pane_and_escape_comes_back() -> None:
    async with opened() as pilot:
        await press(pilot, "enter")
        assert isinstance(pilot.app.focused, TextView)
        await press(pilot, "escape")
        assert isinstance(pilot.app.focused, RankList)


async def test_a_pane_scrolls_with_the_keys_of_the_list() -> None:
    async with opened() as pilot:
        await press(pilot, "4", "enter", "g")
        view = view_of(pilot)
        assert view.scroll_offset.y == 0
        await press(pilot, "j", "j", "k")
        assert view.scroll_offset.y == 1
        await press(pilot, "G")
        end = view.scroll_offset.y
        assert end > 20
        await press(pilot, "pageup", "ctrl+u")
        assert 0 < view.scroll_offset.y < end
        await press(pilot, "pagedown", "ctrl+d")
        assert view.scroll_offset.y == end


async def test_the_log_opens_at_its_end() -> None:
    async with opened() as pilot:
        text = await press(pilot, "4")
        assert "the last words" in text
        assert "step 0 " not in text


async def test_s_goes_through_the_columns_and_shift_s_turns_the_order_around() -> None:
    async with opened() as pilot:
        assert shown_ranks(pilot) == [3, 0, 2, 1]
        text = await press(pilot, "s")
        assert shown_ranks(pilot) == [0, 1, 2, 3]
        assert "sorted by rank" in text
        assert "rank▴" in text
        text = await press(pilot, "S")
        assert shown_ranks(pilot) == [3, 2, 1, 0]
        assert "rank▾" in text
        assert rank_under_cursor(pilot) == 3


async def test_seven_times_s_comes_back_to_the_first_order() -> None:
    async with opened() as pilot:
        before = shown_ranks(pilot)
        await press(pilot, *"sssssss")
        assert shown_ranks(pilot) == before


async def test_the_filter_acts_while_it_is_typed_and_says_how_much_it_shows() -> None:
    async with opened(long_job()) as pilot:
        text = await press(pilot, "slash", *"gpu-node-0012")
        assert "8 of 340" in text
        text = await press(pilot, "enter")
        assert "/gpu-node-0012  8 of 340" in text
        assert pilot.app.focused is ranks_of(pilot)
        assert len(shown_ranks(pilot)) == 8


async def test_words_of_the_filter_add_up_and_an_exclamation_mark_excludes() -> None:
    async with opened() as pilot:
        await press(pilot, "slash", *"gpu-node-02", "space", *"!indexerror", "enter")
        assert shown_ranks(pilot) == [2]


async def test_escape_clears_the_filter_while_typing_and_afterwards() -> None:
    async with opened() as pilot:
        await press(pilot, "slash", *"indexerror")
        assert shown_ranks(pilot) == [3]
        await press(pilot, "escape")
        assert len(shown_ranks(pilot)) == 4
        await press(pilot, "slash", *"indexerror", "enter", "escape")
        assert len(shown_ranks(pilot)) == 4


async def test_a_filter_that_lets_nothing_through_can_be_left_again() -> None:
    async with opened() as pilot:
        text = await press(pilot, "slash", *"no such thing", "enter")
        assert "0 of 4" in text
        assert "No worker is selected" in text
        await press(pilot, "j", "G", "enter", "escape", "escape")
        assert len(shown_ranks(pilot)) == 4


async def test_letters_typed_into_the_filter_are_no_commands() -> None:
    async with opened() as pilot:
        text = await press(pilot, "slash", *"qrs?b1")
        assert "/qrs?b1" in text
        assert pilot.app.is_running


async def test_the_cursor_stays_on_its_worker_when_order_and_filter_change() -> None:
    async with opened(long_job()) as pilot:
        await press(pilot, *"jjjjj")
        rank = rank_under_cursor(pilot)
        await press(pilot, "s")
        assert rank_under_cursor(pilot) == rank
        await press(pilot, "slash", *"connection", "enter")
        assert rank_under_cursor(pilot) == rank


async def test_r_jumps_to_the_root_cause_even_past_the_filter() -> None:
    async with opened() as pilot:
        await press(pilot, "G")
        assert rank_under_cursor(pilot) != 3
        await press(pilot, "r")
        assert rank_under_cursor(pilot) == 3
        await press(pilot, "slash", *"sigterm", "enter")
        assert shown_ranks(pilot) == [1]
        await press(pilot, "r")
        assert rank_under_cursor(pilot) == 3
        assert len(shown_ranks(pilot)) == 4


async def test_r_says_so_when_nobody_is_to_blame() -> None:
    job = make_job(make_run(make_attempt(make_worker(exitcode=0))))
    async with opened(PictureSource(job)) as pilot:
        assert "no worker is to blame" in await press(pilot, "r")


def several_runs() -> Job:
    attempts = [make_attempt(make_worker(f"ValueError: try {n}", attempt=n), number=n) for n in range(3)]
    old = make_run(make_attempt(make_worker("KeyError: 'old'")), run_id="job-1")
    return make_job(old, make_run(*attempts, run_id="job-2"))


async def test_brackets_go_to_the_other_attempts_and_say_when_there_is_none() -> None:
    async with opened(PictureSource(several_runs())) as pilot:
        assert "attempt 2 (3 of 3)" in screen_text(pilot)
        assert "attempt 1 (2 of 3)" in await press(pilot, "[")
        assert "ValueError: try 1" in screen_text(pilot)
        assert "attempt 2 (3 of 3)" in await press(pilot, "]")
        assert "no later attempt in this run" in await press(pilot, "]")


async def test_braces_go_to_the_other_runs_and_say_when_there_is_none() -> None:
    async with opened(PictureSource(several_runs())) as pilot:
        assert "run job-2 (2 of 2)" in screen_text(pilot)
        assert "run job-1 (1 of 2)" in await press(pilot, "{")
        assert "no earlier run" in await press(pilot, "{")
        assert "run job-2 (2 of 2)" in await press(pilot, "}")


async def test_a_lists_all_attempts_so_that_no_bracket_is_needed() -> None:
    async with opened(PictureSource(several_runs())) as pilot:
        text = await press(pilot, "a")
        assert "▸  attempt 2" in text
        assert "run job-1" in text
        assert "run job-1 (1 of 2)" in await press(pilot, "G", "enter")


async def test_z_gives_the_whole_screen_to_what_has_the_focus_and_back() -> None:
    async with opened() as pilot:
        before = screen_lines(pilot)
        await press(pilot, "z")
        assert not app_of(pilot).job_screen.query_one(PanePanel).display
        await press(pilot, "z")
        assert screen_lines(pilot) == before
        await press(pilot, "enter", "z")
        assert view_of(pilot).size.height == 21
        await press(pilot, "escape")
        assert pilot.app.focused is view_of(pilot)
        await press(pilot, "escape")
        assert screen_lines(pilot) == before


async def test_w_lets_long_lines_run_on_and_wraps_them_again() -> None:
    async with opened() as pilot:
        await press(pilot, "f", "enter", "w")
        view = view_of(pilot)
        assert view.virtual_size.width > 80
        await press(pilot, "l")
        assert view.scroll_offset.x == 8
        await press(pilot, "h", "w")
        assert view.virtual_size.width == 0


async def test_f_unfolds_library_frames_and_stays_so_for_the_next_worker() -> None:
    async with opened() as pilot:
        assert "[3 library frames: torch]" in screen_text(pilot)
        text = await press(pilot, "f", "z")
        assert "[3 library frames" not in text
        text = await press(pilot, "j", "enter")
        assert "_wrapped_call_impl" in text


async def test_question_mark_lists_every_key_and_enter_runs_one() -> None:
    async with opened(size=(80, 60)) as pilot:
        text = await press(pilot, "question_mark")
        for words in ("everywhere", "in the list", "in a pane", "jump to the root cause", "Ctrl+d", "PgDn", "[", "{"):
            assert words in text
        await press(pilot, "slash", *"log tail", "enter", "enter")
        assert not isinstance(pilot.app.screen, ChoiceScreen)
        assert app_of(pilot).job_screen.query_one(PanePanel).active == "log"


@pytest.mark.parametrize("key", ["escape", "q", "question_mark"])
async def test_the_help_is_left_without_leaving_the_app(key: str) -> None:
    async with opened() as pilot:
        await press(pilot, "question_mark", key)
        assert pilot.app.screen is app_of(pilot).job_screen


async def test_shift_r_reads_again_and_keeps_attempt_and_worker() -> None:
    source = PictureSource(several_runs())
    async with opened(source) as pilot:
        await press(pilot, "[")
        assert "attempt 1 (2 of 3)" in await press(pilot, "R")
        assert source.loads == 2
    async with opened() as pilot:
        await press(pilot, "G")
        rank = rank_under_cursor(pilot)
        await press(pilot, "R")
        assert rank_under_cursor(pilot) == rank


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
async def test_q_and_ctrl_c_leave_with_0_when_a_failure_was_shown(key: str) -> None:
    async with opened() as pilot:
        await pilot.press(key)
        await pilot.pause()
        assert pilot.app.return_code == 0


async def test_leaving_says_1_when_nothing_failed() -> None:
    job = make_job(make_run(make_attempt(make_worker(exitcode=0))))
    async with opened(PictureSource(job)) as pilot:
        await pilot.press("q")
        await pilot.pause()
        assert pilot.app.return_code == 1


async def test_a_key_of_a_list_works_on_every_row_count() -> None:
    for job in (two_node(), many_ranks(1)):
        async with opened(PictureSource(job)) as pilot:
            await press(pilot, "pagedown", "pageup", "G", "g", "ctrl+d", "ctrl+u", "j", "k")
            assert ranks_of(pilot).cursor == 0
