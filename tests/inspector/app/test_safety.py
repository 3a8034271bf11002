"""Text of a dead job is shown letter by letter: it is no markup, and nothing in it acts on the terminal."""

from __future__ import annotations

import dataclasses

import pytest
from textual.pilot import Pilot

from errors_core.details import LogTail
from errors_core.job import Closing, Fact, Hit, Job, Place, Problem, Worker
from errors_core.verdict import Evidence, Group, LauncherSays, Verdict, WorkerState
from inspector.presentation.glyphs import ASCII, UNICODE
from inspector.presentation.worker_details import WorkerDetails
from inspector.terminal import Terminal
from tests.builders import make_attempt, make_error, make_failure, make_job, make_run, make_verdict, make_worker
from tests.inspector.app.pictures import PictureSource, app_of, opened, press, screen_text

MARKUP = "[/ [b] [#888 [@click=app.quit]x[/]"
ACTING = "\x1b]52;c;cm0gLXJm\x07 \x9b31m \x1b[31m \u202eevil \x00 \u2066 \x1b]0;title\x1b\\ \r\x08"
HOSTILE = f"{MARKUP} {ACTING}"


def hostile_worker(rank: int) -> Worker:
    place = Place(HOSTILE, 7)
    return make_worker(
        f"ValueError: {HOSTILE}",
        rank=rank,
        node=HOSTILE,
        host=HOSTILE,
        role=HOSTILE,
        run_id=HOSTILE,
        exitcode=-15,
        error=make_error(f"ValueError: {HOSTILE}"),
        failure=make_failure(HOSTILE, exitcode=-15),
        closings=(Closing(15, place),),
        hits=(Hit("x", HOSTILE, place),),
        facts=(Fact("host", HOSTILE, HOSTILE, place), Fact("host", "other", "launcher_log", place)),
        sources=(place,),
        stdout_log=HOSTILE,
        error_file=HOSTILE,
    )


def hostile_verdict(job: Job) -> Verdict:
    attempt = job.runs[0].attempts[0]
    said = (Evidence(HOSTILE, HOSTILE, 3),)
    return make_verdict(
        attempt,
        summary=HOSTILE,
        broke_at=HOSTILE,
        evidence=said,
        against=said,
        missing=said,
        advice=(HOSTILE,),
        launcher_says=LauncherSays(0, 0, HOSTILE, HOSTILE),
        states=tuple(WorkerState("origin", said) for _ in attempt.workers),
        groups=(Group(1, HOSTILE, (0, 1)),),
    )


def hostile_source() -> PictureSource:
    workers = (hostile_worker(0), hostile_worker(1))
    attempts = (make_attempt(*workers), make_attempt(*workers, number=1))
    job = make_job(
        make_run(*attempts, run_id=HOSTILE, nodes=(HOSTILE,)),
        inputs=(HOSTILE,),
        problems=(Problem(HOSTILE, HOSTILE, 3),),
    )
    lines = tuple(f"{HOSTILE} {number}" for number in range(4))
    details = WorkerDetails(
        f'Traceback (most recent call last):\n  File "{HOSTILE}", line 3, in {HOSTILE}\n    {HOSTILE}\nE: {HOSTILE}\n',
        {HOSTILE: HOSTILE, "map": {HOSTILE: HOSTILE}, "lines": f"{HOSTILE}\n{HOSTILE}"},
        Problem(HOSTILE, HOSTILE),
        ((HOSTILE, LogTail(HOSTILE, lines, first_line=1, problem=HOSTILE)),),
    )
    source = PictureSource(job, hostile_verdict(job), details)
    source.paths = (HOSTILE,)
    return source


def assert_harmless(text: str) -> None:
    acting = [char for char in text if char != "\n" and not char.isprintable()]
    assert acting == []


def assert_screen_is_harmless(pilot: Pilot[None]) -> None:
    text = screen_text(pilot)
    assert_harmless(text)
    assert "evil" not in text or "\\u202eevil" in text


@pytest.mark.parametrize("size", [(80, 24), (200, 50), (60, 20)])
async def test_no_pane_lets_anything_act(size: tuple[int, int]) -> None:
    async with opened(hostile_source(), size=size) as pilot:
        for key in ("1", "2", "3", "4", "5"):
            await press(pilot, key, "enter", "z")
            assert_screen_is_harmless(pilot)
            await press(pilot, "w", "f", "l", "z", "escape")
            assert_screen_is_harmless(pilot)


async def test_markup_is_shown_as_it_is_written() -> None:
    async with opened(hostile_source(), size=(200, 50)) as pilot:
        text = screen_text(pilot)
        assert text.count("[/ [b] [#888") >= 4
        for key in ("2", "3", "4", "5"):
            assert "[/ [b] [#888" in await press(pilot, key)


async def test_lists_prompts_and_messages_let_nothing_act() -> None:
    async with opened(hostile_source()) as pilot:
        await press(pilot, "a")
        assert_screen_is_harmless(pilot)
        await press(pilot, "escape", "question_mark", "escape")
        app_of(pilot).job_screen.say(HOSTILE)
        await pilot.pause()
        assert_screen_is_harmless(pilot)
        for _ in range(7):
            await press(pilot, "s")
            assert_screen_is_harmless(pilot)


async def test_what_is_taken_along_is_as_harmless_as_what_is_shown() -> None:
    async with opened(hostile_source()) as pilot:
        for key in ("1", "2", "3", "4", "5"):
            await press(pilot, key)
            assert_harmless(app_of(pilot).job_screen.pane_text)
        assert_harmless(app_of(pilot).job_screen.verdict_text)


async def test_a_terminal_without_unicode_gets_ascii_alone() -> None:
    plain = Terminal(ansi=True, glyphs=ASCII, mouse=False)
    async with opened(hostile_source(), terminal=plain) as pilot:
        for key in ("1", "2", "3", "4", "5"):
            text = await press(pilot, key)
            assert text.isascii()
        assert (await press(pilot, "a")).isascii()
        assert (await press(pilot, "escape", "question_mark")).isascii()


def test_both_sets_of_glyphs_say_the_same_things() -> None:
    assert UNICODE.marks.keys() == ASCII.marks.keys()
    for glyphs in (UNICODE, ASCII):
        assert len(set(glyphs.marks.values())) == len(glyphs.marks)
    values = dataclasses.asdict(ASCII)
    assert all(str(value).isascii() for value in values.values())
