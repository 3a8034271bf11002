"""Reading happens beside the screen: it can be watched, left and done again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from errors_core.exceptions import InputError
from errors_core.job import Attempt, Job, Worker
from errors_core.load import Progress
from errors_core.verdict import Verdict
from inspector.presentation.worker_details import WorkerDetails
from inspector.widgets.rank_list import RankList
from tests.builders import make_attempt, make_job, make_run, make_worker, many_ranks
from tests.inspector.app.pictures import PictureSource, app_of, opened, press, screen_text, settle


class SlowSource(PictureSource):
    """Reports what it is told to, and waits for the test between its steps."""

    def __init__(self, steps: list[Progress], job: Job) -> None:
        super().__init__(job)
        self.steps = steps
        self.may_go_on = threading.Event()
        self.stopped = False

    def load(self, progress: Callable[[Progress], None]) -> Job:
        for step in self.steps:
            progress(step)
        try:
            while not self.may_go_on.wait(0.005):
                progress(self.steps[-1])
        except BaseException:
            self.stopped = True
            raise
        return self.job


@contextmanager
def let_go(source: SlowSource) -> Iterator[SlowSource]:
    """Let the thread end, whatever the test does."""
    try:
        yield source
    finally:
        source.may_go_on.set()


async def test_the_first_frame_is_painted_before_any_file_is_read() -> None:
    with let_go(SlowSource([Progress(0, None, "finding files")], many_ranks(4))) as source:
        async with opened(source, settled=False) as pilot:
            await pilot.pause()
            text = screen_text(pilot)
            assert "READING  errors/" in text
            assert "q quit" in text
            source.may_go_on.set()


async def test_progress_is_a_bar_with_its_numbers() -> None:
    with let_go(SlowSource([Progress(1200, 4800, "reading logs")], many_ranks(4))) as source:
        async with opened(source, settled=False) as pilot:
            while "25 %" not in screen_text(pilot):
                await pilot.pause(0.01)
            assert "1,200 of 4,800  25 %  reading logs" in screen_text(pilot)
            assert "███████░" in screen_text(pilot)
            source.may_go_on.set()


async def test_the_list_fills_while_reading_goes_on() -> None:
    step = Progress(10, 20, "reading", many_ranks(12))
    with let_go(SlowSource([step], many_ranks(340))) as source:
        async with opened(source, settled=False) as pilot:
            ranks = app_of(pilot).job_screen.query_one(RankList)
            while ranks.row_count() != 12:
                await pilot.pause(0.01)
            assert "12 workers" in screen_text(pilot)
            assert "READING" in screen_text(pilot)
            source.may_go_on.set()
            await settle(pilot)
            assert ranks.row_count() == 340
            assert "READING" not in screen_text(pilot)


async def test_the_cursor_stays_on_its_worker_while_the_list_grows_and_the_newest_attempt_is_shown_in_the_end() -> None:
    old = make_attempt(*[make_worker(rank=rank) for rank in range(4)])
    newer = make_attempt(make_worker(rank=7), number=1)
    steps = [Progress(1, 9, "reading", make_job(make_run(old)))]
    with let_go(SlowSource(steps, make_job(make_run(old, newer)))) as source:
        async with opened(source, settled=False) as pilot:
            ranks = app_of(pilot).job_screen.query_one(RankList)
            while ranks.row_count() != 4:
                await pilot.pause(0.01)
            await pilot.press("j", "j")
            source.steps.append(Progress(2, 9, "reading", make_job(make_run(make_attempt(*old.workers[1:])))))
            while ranks.row_count() != 3:
                await pilot.pause(0.01)
            assert ranks.selected is not None
            assert ranks.table.workers[ranks.selected].rank == 2
            source.may_go_on.set()
            await settle(pilot)
            assert "attempt 1 (2 of 2)" in screen_text(pilot)


async def test_leaving_while_reading_stops_the_reader_and_says_130() -> None:
    source = SlowSource([Progress(1, None, "reading")], many_ranks(4))
    with let_go(source):
        async with opened(source, settled=False) as pilot:
            await pilot.pause()
            await pilot.press("q")
            await pilot.pause()
            assert pilot.app.return_code == 130
            await pilot.app.workers.wait_for_complete()
    assert source.stopped


async def test_a_job_without_any_run_says_what_was_looked_at_and_what_would_help() -> None:
    source = PictureSource(make_job(runs=(), files_read=14))
    async with opened(source) as pilot:
        text = screen_text(pilot)
        assert "NOTHING FOUND" in text
        assert "14 files read" in text
        assert "--log-dir" in text
        await press(pilot, "j", "enter", "1", "s", "r", "y", "f", "a", "[", "{", "escape", "slash", "x", "escape")
        await pilot.press("q")
        await pilot.pause()
        assert pilot.app.return_code == 1


async def test_an_attempt_without_any_worker_opens_with_its_evidence() -> None:
    verdict = Verdict(kind="external", confidence="sure", summary="The launcher could not start.")
    job = make_job(make_run(Attempt()))
    async with opened(PictureSource(job, verdict)) as pilot:
        text = screen_text(pilot)
        assert "STOPPED FROM OUTSIDE (sure)" in text
        assert "Confidence     sure" in text
        await press(pilot, *"12345jkGgsSrRzzwf", "enter", "escape", "slash", "x", "enter")
        await pilot.press("q")
        await pilot.pause()
        assert pilot.app.return_code == 0


class BrokenSource(PictureSource):
    """Fails as it is told."""

    def __init__(self, error: Exception, *, when: str) -> None:
        super().__init__()
        self.error = error
        self.when = when

    def load(self, progress: Callable[[Progress], None]) -> Job:
        if self.when == "load":
            raise self.error
        return super().load(progress)

    def read_details(self, worker: Worker) -> WorkerDetails:
        assert worker is not None
        raise self.error


async def test_a_path_that_cannot_be_read_ends_the_app_with_2() -> None:
    source = BrokenSource(InputError(2, "no such file", "errors/"), when="load")
    async with opened(source, settled=False) as pilot:
        while pilot.app.return_code is None:
            await pilot.pause(0.01)
        assert pilot.app.return_code == 2


@pytest.mark.parametrize(("run", "attempt"), [("job-9", None), (None, 7)])
async def test_a_run_or_attempt_that_is_not_there_ends_the_app_with_2(run: str | None, attempt: int | None) -> None:
    async with opened(run=run, attempt=attempt, settled=False) as pilot:
        while pilot.app.return_code is None:
            await pilot.pause(0.01)
        assert pilot.app.return_code == 2


async def test_the_wanted_attempt_is_shown() -> None:
    attempts = [make_attempt(make_worker(f"ValueError: try {n}"), number=n) for n in range(3)]
    async with opened(PictureSource(make_job(make_run(*attempts))), attempt=1) as pilot:
        assert "attempt 1 (2 of 3)" in screen_text(pilot)
        assert "ValueError: try 1" in screen_text(pilot)


async def test_a_mistake_in_a_thread_is_told_and_the_app_goes_on() -> None:
    source = BrokenSource(RuntimeError("[/ a bug"), when="look")
    async with opened(source, settled=False) as pilot:
        while "could not look: RuntimeError: [/ a bug" not in screen_text(pilot):
            await pilot.pause(0.01)
        await pilot.press("j", "s")
        assert app_of(pilot).is_running


async def test_100_000_ranks_can_be_sorted_and_filtered() -> None:
    async with opened(PictureSource(many_ranks(100_000))) as pilot:
        ranks = app_of(pilot).job_screen.query_one(RankList)
        await press(pilot, "G")
        assert ranks.cursor == 99_999
        await press(pilot, "s", "g")
        assert ranks.selected == 0
        text = await press(pilot, "slash", *"gpu-node-0999", "enter")
        assert "8 of 100,000" in text
