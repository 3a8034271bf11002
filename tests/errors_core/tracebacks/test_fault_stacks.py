from __future__ import annotations

from errors_core.tracebacks import parse_faulthandler
from errors_core.tracebacks.fault_stacks import is_fault_header, is_fault_line
from tests.errors_core.tracebacks import samples


def test_frames_run_from_the_outermost_call_inwards() -> None:
    _, current = parse_faulthandler(samples.SEGFAULT)
    assert [(frame.line, frame.function) for frame in current.frames] == [
        (159, "<module>"),
        (57, "body"),
        (519, "string_at"),
    ]
    assert [frame.own for frame in current.frames] == [True, True, False]


def test_threads_reason_and_the_current_thread_are_told() -> None:
    other, current = parse_faulthandler(f"step 3\n{samples.SEGFAULT}\nlater")
    assert (other.thread, other.current, other.reason) == ("0x00007fa968000000", False, "Segmentation fault")
    assert (current.thread, current.current) == ("0x00007fa968a7bb80", True)


def test_a_thread_without_python_has_no_frames() -> None:
    text = "Fatal Python error: Aborted\n\nThread 0x00007eff6f28b740 (most recent call first):\n  <no Python frame>"
    assert [stack.frames for stack in parse_faulthandler(text)] == [()]


def test_a_dump_without_threads_still_gives_its_reason() -> None:
    (stack,) = parse_faulthandler(
        "Fatal Python error: init_fs_encoding: failed\nPython runtime state: core initialized"
    )
    assert (stack.thread, stack.frames, stack.reason) == (None, (), "init_fs_encoding: failed")


def test_a_dump_on_request_has_no_reason() -> None:
    text = 'Timeout (0:00:10)!\nThread 0x01 (most recent call first):\n  File "/job/a.py", line 3 in f\n'
    (stack,) = parse_faulthandler(text)
    assert (stack.reason, stack.frames[0].function) == (None, "f")


def test_only_the_first_of_two_dumps_is_read() -> None:
    assert len(parse_faulthandler(f"{samples.SEGFAULT}\n{samples.SEGFAULT}")) == 2


def test_a_text_without_a_dump_gives_nothing() -> None:
    assert parse_faulthandler(samples.PLAIN) == ()


def test_lines_of_a_dump_are_told_from_others() -> None:
    head, *rest = samples.SEGFAULT.split("\n\nExtension")[0].split("\n")
    assert is_fault_header(head)
    assert all(is_fault_line(line) for line in rest)
    assert not is_fault_line("step 12 loss 0.1")
    assert not is_fault_header("Timeout (0:00:10)!")
