"""An app on pictures instead of files, and how a test waits for it and reads its screen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from time import monotonic

from textual.pilot import Pilot

from errors_core.details import LogTail
from errors_core.job import Attempt, Job, Worker
from errors_core.load import Progress
from errors_core.verdict import Verdict
from inspector.app import InspectorApp
from inspector.job_source import JobSource
from inspector.presentation.glyphs import ASCII, UNICODE
from inspector.presentation.worker_details import WorkerDetails
from inspector.terminal import Terminal
from tests.builders import make_verdict, two_node, two_node_verdict

__all__ = [
    "COLOURS",
    "PLAIN",
    "TRACEBACK",
    "PictureSource",
    "app_of",
    "has_settled",
    "opened",
    "press",
    "screen_lines",
    "screen_text",
    "settle",
    "with_logs",
]

LIBRARY = "/opt/venv/lib/python3.11/site-packages"
TRACEBACK = f"""\
Traceback (most recent call last):
  File "/workspace/train.py", line 61, in <module>
    main()
  File "{LIBRARY}/torch/distributed/elastic/multiprocessing/errors/__init__.py", line 355, in wrapper
    return f(*args, **kwargs)
  File "{LIBRARY}/torch/nn/modules/module.py", line 1751, in _wrapped_call_impl
    return self._call_impl(*args, **kwargs)
  File "{LIBRARY}/torch/nn/modules/module.py", line 1762, in _call_impl
    return forward_call(*args, **kwargs)
  File "/workspace/train.py", line 26, in parse_shard
    return shard["tokens"][7]
           ~~~~~~~~~~~~~~~^^^
IndexError: list index out of range
"""
DEADLINE = 20.0
COLOURS = Terminal(ansi=False, glyphs=UNICODE, mouse=False)
PLAIN = Terminal(ansi=True, glyphs=ASCII, mouse=False)


class PictureSource(JobSource):
    """Gives what a test has built."""

    def __init__(
        self,
        job: Job | None = None,
        verdict: Verdict | Callable[[Attempt], Verdict] | None = None,
        details: WorkerDetails | Mapping[int | None, WorkerDetails] | None = None,
    ) -> None:
        super().__init__(("errors/",))
        self.job = job or two_node()
        self.verdict = verdict or (two_node_verdict() if job is None else make_verdict)
        self.details = details if details is not None else with_logs(TRACEBACK)
        self.loads = 0

    def load(self, progress: Callable[[Progress], None]) -> Job:
        self.loads += 1
        progress(Progress(self.job.files_read, self.job.files_read, "reading"))
        return self.job

    def diagnose(self, attempt: Attempt) -> Verdict:
        return self.verdict if isinstance(self.verdict, Verdict) else self.verdict(attempt)

    def read_details(self, worker: Worker) -> WorkerDetails:
        if isinstance(self.details, WorkerDetails):
            return self.details
        return self.details.get(worker.rank, WorkerDetails())


def with_logs(traceback: str | None) -> WorkerDetails:
    """Details with a traceback, some keys of an error file, and two logs."""
    lines = tuple(f"step {number} loss {3 - number / 100:.2f}" for number in range(60))
    logs = (
        ("stdout", LogTail("errors/node1/attempt_0/1/stdout.log", lines, first_line=141, truncated=True)),
        ("stderr", LogTail("errors/node1/attempt_0/1/stderr.log", ("the last words",), first_line=1)),
    )
    extra = {"hostname": "gpu-node-02", "py_callstack": traceback, "errorTraits": {"category": "USER"}}
    return WorkerDetails(traceback, extra, None, logs)


@asynccontextmanager
async def opened(
    source: JobSource | None = None,
    *,
    size: tuple[int, int] = (80, 24),
    terminal: Terminal = COLOURS,
    run: str | None = None,
    attempt: int | None = None,
    settled: bool = True,
) -> AsyncIterator[Pilot[None]]:
    """Run the app without a terminal, ready for keys."""
    app = InspectorApp(["errors/"], run=run, attempt=attempt, terminal=terminal, source=source or PictureSource())
    async with app.run_test(size=size) as pilot:
        if settled:
            await settle(pilot)
        yield pilot


def app_of(pilot: Pilot[None]) -> InspectorApp:
    assert isinstance(pilot.app, InspectorApp)
    return pilot.app


def has_settled(app: InspectorApp) -> bool:
    """Whether nothing is read, judged or about to be looked at, and the panes are those of the cursor's row."""
    screen = app.job_screen
    if any(not thread.is_finished for thread in app.workers):
        return False
    return screen.is_at_rest


async def settle(pilot: Pilot[None]) -> None:
    end = monotonic() + DEADLINE
    await pilot.pause()
    while not has_settled(app_of(pilot)):
        assert monotonic() < end, "the app does not come to rest"
        await asyncio.sleep(0.01)
        await pilot.pause()
    await pilot.pause()


async def press(pilot: Pilot[None], *keys: str) -> str:
    """Press keys, wait for everything that follows from them, and return what the screen shows."""
    await pilot.press(*keys)
    await settle(pilot)
    return screen_text(pilot)


def screen_lines(pilot: Pilot[None]) -> list[str]:
    """What stands on the screen, line by line."""
    strips = pilot.app.screen._compositor.render_strips()
    return ["".join(segment.text for segment in strip).rstrip() for strip in strips]


def screen_text(pilot: Pilot[None]) -> str:
    return "\n".join(screen_lines(pilot))
