from __future__ import annotations

import json

import pytest

from errors_core.tracebacks import TracebackSpan, find_tracebacks, parse_traceback
from errors_core.tracebacks.spans import TracebackFinder
from tests.errors_core.tracebacks import samples

WHOLE = [
    samples.PLAIN,
    samples.CHAIN,
    samples.GROUP,
    samples.DATA_LOADER,
    samples.SPAWN,
    samples.RAY,
    samples.POOL,
    samples.SYNTAX,
    samples.RECURSION,
]


def found(text: str) -> list[TracebackSpan]:
    return list(find_tracebacks(enumerate(text.split("\n"), 1)))


def titles(text: str) -> list[str | None]:
    return [traceback.chain[-1].title for span in found(text) if (traceback := parse_traceback(span.text))]


@pytest.mark.parametrize("text", WHOLE)
def test_a_traceback_is_cut_out_whole_with_its_line_numbers(text: str) -> None:
    text = text.rstrip("\n")
    (span,) = found(f"epoch 1\nloading\n{text}\n\nstep 3 loss 0.5\n")
    assert span.text == text
    assert (span.first_line, span.last_line) == (3, 2 + len(text.split("\n")))
    assert span.ended


@pytest.mark.parametrize(
    "behind",
    [
        "INFO: shutting down",
        "step 12 loss 0.1",
        "E1201 05:37:08.894000 5389 api.py:1002] failed",
        "srun: error: node-a: task 1: Exited with exit code 1",
        "terminate called without an active exception",
        "Exception ignored in: <function f at 0x7f>",
        " 37%|███▋      | 37/100 [00:10<00:17,  3.6it/s]",
        "node-a:123:456 [0] NCCL INFO comm 0x7f destroyed",
        "============================================================",
        "frame #0: c10::Error::Error() + 0x98",
        "Traceback (most recent call last):",
    ],
)
def test_a_message_ends_where_somebody_else_speaks(behind: str) -> None:
    assert titles(f"{samples.PLAIN}\nmore of it\n{behind}\nand so on") == [
        "IndexError: list index out of range\nmore of it"
    ]


def test_a_message_ends_at_a_blank_line_that_nothing_indented_follows() -> None:
    assert titles(f"{samples.PLAIN}\n\n  indented\n\nunrelated") == [
        "IndexError: list index out of range\n\n  indented"
    ]


def test_a_message_goes_on_behind_a_blank_line_when_a_joining_sentence_follows() -> None:
    first = samples.PLAIN.replace("list index", "\n\nlist index")
    text = f"{first}\n\nThe above exception was the direct cause of the following exception:\n\n{samples.PLAIN}"
    (span,) = found(text)
    assert span.text == text


def test_two_tracebacks_in_a_row_are_two() -> None:
    assert titles(f"{samples.PLAIN}\n{samples.CHAIN}") == [
        "IndexError: list index out of range",
        "RuntimeError: cannot go on",
    ]


def test_one_that_stops_in_the_middle_does_not_swallow_the_next() -> None:
    cut = "\n".join(samples.PLAIN.split("\n")[:4])
    first, second = found(f"{cut}\n{samples.PLAIN}")
    assert (first.ended, second.ended) == (False, True)
    assert second.text == samples.PLAIN


def test_lines_of_other_processes_in_between_are_left_out() -> None:
    lines = samples.PLAIN.split("\n")
    lines[3:3] = ["rank 1 step 7 loss 0.5", "Saving: done"]
    lines[-1:-1] = ["WARNING: slow"]
    (span,) = found("\n".join(lines))
    assert span.text == samples.PLAIN


def test_lines_of_another_logger_do_not_end_up_in_the_message() -> None:
    finder = TracebackFinder()
    lines: list[tuple[str, str | None]] = [(line, "api.py") for line in samples.PLAIN.split("\n")]
    lines[4:4] = [("Sending process 7 closing signal", "other.py")]
    lines.append(("plain words", None))
    spans = [span for number, (text, logger) in enumerate(lines, 1) for span in finder.feed(number, text, logger)]
    (span,) = [*spans, *finder.close()]
    assert span.text == samples.PLAIN


def test_what_python_goes_on_after_is_marked_as_ignored() -> None:
    ignored, logged, thread = found(
        f"Exception ignored in: <function f at 0x7f>\n{samples.PLAIN}\n"
        f"--- Logging error ---\n{samples.PLAIN}\nException in thread Thread-3:\n{samples.PLAIN}"
    )
    assert (ignored.ignored, logged.ignored, thread.ignored) == (True, True, False)
    assert thread.leading == "Exception in thread Thread-3:"


def test_a_header_glued_to_other_text_begins_a_traceback() -> None:
    (span,) = found(f"  traceback : {samples.PLAIN}")
    assert span.text == samples.PLAIN


def test_a_block_indented_by_a_launcher_ends_at_its_rule() -> None:
    body = "\n".join(f"  {line}" for line in samples.PLAIN.split("\n")[1:])
    text = f"  exitcode  : 1 (pid: 7)\n  traceback : Traceback (most recent call last):\n{body}\n{'-' * 40}\n[1]:"
    assert titles(text) == ["IndexError: list index out of range"]


def test_a_traceback_inside_one_line_of_json_is_found() -> None:
    line = json.dumps({"level": "error", "exc_info": samples.PLAIN, "rank": 3})
    (span,) = found(f"start\n{line}\nend")
    assert (span.first_line, span.last_line, span.text) == (2, 2, samples.PLAIN)


def test_the_box_of_rich_is_found() -> None:
    assert titles(f"x\n{samples.RICH}\nstep 4") == ["IndexError: list index out of range"]


def test_frames_whose_header_was_lost_are_found() -> None:
    assert titles("\n".join(samples.PLAIN.split("\n")[1:])) == ["IndexError: list index out of range"]


def test_a_stack_that_a_logger_prints_is_no_traceback() -> None:
    text = 'saving\nStack (most recent call last):\n  File "/job/a.py", line 3, in f\n    log()\nsaved'
    assert found(text) == []


def test_a_header_alone_is_no_traceback() -> None:
    assert found("Traceback (most recent call last):\nstep 1") == []


def test_a_group_ends_at_its_last_rule() -> None:
    assert [span.text for span in found(f"{samples.GROUP}\nnot of it\n{samples.PLAIN}")] == [
        samples.GROUP,
        samples.PLAIN,
    ]


def test_the_length_of_one_traceback_is_bounded() -> None:
    frames = "\n".join(f'  File "/job/a.py", line {i}, in f\n    g()' for i in range(9000))
    spans = found(f"Traceback (most recent call last):\n{frames}\nValueError: x")
    assert max(span.text.count("\n") for span in spans) < 5000


def test_a_traceback_whose_line_ends_were_lost_is_found() -> None:
    one_line = " ".join(line.strip() for line in samples.PLAIN.split("\n"))
    assert titles(f"x\n{one_line}\ny") == ["IndexError: list index out of range"]
