import io

from errors_core.load import Progress
from inspector.progress_line import ProgressLine


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_quick_load_writes_nothing() -> None:
    stream, clock = Terminal(), Clock()
    line = ProgressLine(stream, clock)
    clock.now = 0.9
    line(Progress(10, 20, "reading"))
    line.clear()
    assert stream.getvalue() == ""


def test_a_long_load_writes_one_line_that_disappears() -> None:
    stream, clock = Terminal(), Clock()
    line = ProgressLine(stream, clock)
    clock.now = 2
    line(Progress(12_000, 100_000, "reading"))
    line(Progress(12_001, 100_000, "reading"))
    clock.now = 3
    line(Progress(5, None, "joining"))
    line.clear()
    first, second = "reading: 12,000 of 100,000 files", "joining: 5 files"
    blank = " " * len(second)
    assert stream.getvalue() == f"\r{first}\r{second.ljust(len(first))}\r{blank}\r"


def test_a_pipe_gets_nothing() -> None:
    stream, clock = io.StringIO(), Clock()
    line = ProgressLine(stream, clock)
    clock.now = 9
    line(Progress(1, 2, "reading"))
    line.clear()
    assert stream.getvalue() == ""
