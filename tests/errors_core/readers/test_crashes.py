from __future__ import annotations

from errors_core.job import Frame
from errors_core.readers.crashes import Crash, CrashFinder
from tests.errors_core.tracebacks import samples

TERMINATE = """\
terminate called after throwing an instance of 'c10::DistBackendError'
  what():  [PG ID 0 Rank 2] Process group watchdog thread terminated with exception: CUDA error: unspecified
CUDA kernel errors might be asynchronously reported
Exception raised from c10_cuda_check_implementation at ../CUDAException.cpp:43 (most recent call first):
frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x98 (0x7f)
"""
ABORTED = """\
Fatal Python error: Aborted

Thread 0x00007eff6f28b740 (most recent call first):
  <no Python frame>

Thread 0x00007eff70000000 (most recent call first):
  File "/job/train.py", line 30 in step
  File "/job/train.py", line 12 in <module>
"""


def crash_in(text: str) -> Crash | None:
    finder = CrashFinder()
    for number, line in enumerate(text.split("\n"), 1):
        finder.feed(number, line)
    finder.close()
    return finder.last


def test_a_dump_becomes_an_error_at_the_place_of_the_crash() -> None:
    crash = crash_in(f"step 1\n{samples.SEGFAULT}\nstep 2")
    assert crash is not None
    error = crash.summary("stderr.log")
    assert error.link.title == "Fatal Python error: Segmentation fault"
    assert error.link.frame == Frame("/job/train.py", 57, "body")
    assert (error.place.path, error.place.line) == ("stderr.log", 2)
    assert error.text == samples.SEGFAULT.partition("\n\nExtension")[0]


def test_what_cpp_said_and_the_stack_of_the_main_thread_are_put_together() -> None:
    crash = crash_in(TERMINATE + ABORTED)
    assert crash is not None
    error = crash.summary("stderr.log")
    assert error.link.type == "c10::DistBackendError"
    assert error.link.message.startswith("[PG ID 0 Rank 2] Process group watchdog thread terminated")
    assert error.link.frame is not None
    assert error.link.frame.function == "step"
    assert error.place.line == 1


def test_a_termination_without_a_dump_is_an_error_as_well() -> None:
    crash = crash_in(TERMINATE)
    assert crash is not None
    assert crash.summary("a.log").link.frame is None


def test_no_active_exception_is_no_crash() -> None:
    assert crash_in("terminate called without an active exception\nAborted") is None


def test_the_last_crash_counts() -> None:
    crash = crash_in(f"{samples.SEGFAULT}\nstep 1\n{ABORTED}")
    assert crash is not None
    assert crash.summary("a.log").link.message == "Aborted"


def test_equal_crashes_have_equal_fingerprints() -> None:
    other = samples.SEGFAULT.replace("0x00007fa968a7bb80", "0x00007fb111111111").replace("line 57", "line 58")
    first, second = crash_in(samples.SEGFAULT), crash_in(other)
    assert first is not None
    assert second is not None
    assert first.summary("a").exact == second.summary("b").exact
