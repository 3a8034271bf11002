from __future__ import annotations

from collections.abc import Callable

import pytest

from errors_core.tracebacks import Traceback, parse_traceback
from tests.errors_core.tracebacks import samples


def parsed(text: str) -> Traceback:
    traceback = parse_traceback(text)
    assert traceback is not None
    return traceback


def places(traceback: Traceback) -> list[tuple[str, int | None, str]]:
    return [(frame.path, frame.line, frame.function) for block in traceback.chain for frame in block.frames]


def test_type_message_and_frames_of_one_exception() -> None:
    (block,) = parsed(samples.PLAIN).chain
    assert (block.type, block.message) == ("IndexError", "list index out of range")
    assert [(frame.function, frame.line, frame.source) for frame in block.frames] == [
        ("<module>", 12, "main()"),
        ("main", 9, "load(3)"),
        ("load", 40, "return rows[index]"),
    ]
    assert [frame.own for frame in block.frames] == [True, True, False]


def test_a_chain_is_oldest_first_and_says_how_its_links_are_joined() -> None:
    chain = parsed(samples.CHAIN).chain
    assert [block.type for block in chain] == ["FileNotFoundError", "ValueError", "RuntimeError"]
    assert [block.joined for block in chain] == ["cause", "context", None]


def test_a_group_keeps_its_members_and_their_members() -> None:
    (group,) = parsed(samples.GROUP).chain
    assert (group.type, group.message) == ("ExceptionGroup", "two (2 sub-exceptions)")
    first, second = group.members
    assert first.chain[0].title == "ValueError: first"
    assert first.chain[0].frames[0].source == 'raise ValueError("first")'
    assert second.chain[0].members[0].chain[0].title == "TypeError: second"


def test_a_group_whose_indentation_was_lost_reads_the_same() -> None:
    lost = parsed("\n".join(line.lstrip() for line in samples.GROUP.splitlines()))
    assert lost == parsed(samples.GROUP)


def test_a_group_may_be_a_link_of_a_chain() -> None:
    after = f"{samples.GROUP}\n\nDuring handling of the above exception, another exception occurred:\n\n{samples.PLAIN}"
    assert [block.type for block in parsed(after).chain] == ["ExceptionGroup", "IndexError"]
    before = (
        f"{samples.PLAIN}\n\nThe above exception was the direct cause of the following exception:\n\n{samples.GROUP}"
    )
    assert [(block.type, len(block.members)) for block in parsed(before).chain] == [
        ("IndexError", 0),
        ("ExceptionGroup", 2),
    ]


def test_a_message_keeps_all_its_lines_and_notes() -> None:
    (block,) = parsed(f"{samples.PLAIN}\nsecond line\n\n  indented\na note").chain
    assert block.message == "list index out of range\nsecond line\n\n  indented\na note"


def test_the_place_of_a_syntax_error_is_a_frame_without_function() -> None:
    (block,) = parsed(samples.SYNTAX).chain
    last = block.frames[-1]
    assert (last.path, last.line, last.function, last.source) == ("/job/config.py", 1, "", "def x(:")
    assert block.title == "SyntaxError: invalid syntax"


def test_repeated_frames_are_counted() -> None:
    (block,) = parsed(samples.RECURSION).chain
    assert len(block.frames) == 4
    assert block.repeats == ((3, 996),)


def test_carets_are_no_code() -> None:
    without = "\n".join(line for line in samples.PLAIN.splitlines() if "~~~" not in line)
    assert parsed(without) == parsed(samples.PLAIN)


def test_code_of_several_lines_counts_by_its_first() -> None:
    text = """\
Traceback (most recent call last):
  File "/job/g.py", line 3, in g
    return sum(
        [rows["a"][0],
        ...<3 lines>...
        ])
KeyError: 'b'"""
    (block,) = parsed(text).chain
    assert block.frames[0].source == "return sum("
    assert block.title == "KeyError: 'b'"


def test_frames_without_code_are_read() -> None:
    text = """\
Traceback (most recent call last):
  File "<frozen runpy>", line 198, in _run_module_as_main
  File "<stdin>", line 3, in f
ZeroDivisionError: division by zero"""
    (block,) = parsed(text).chain
    assert [(frame.function, frame.source, frame.own) for frame in block.frames] == [
        ("_run_module_as_main", None, False),
        ("f", None, True),
    ]


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\n".join(f"\x1b[31m{line}\x1b[0m" for line in text.split("\n")),
        lambda text: "\n".join(f"    {line}" for line in text.split("\n")),
        lambda text: "\n".join(f"> {line}" for line in text.split("\n")),
        lambda text: f"some log line\nanother one: 3\n{text}",
    ],
    ids=["crlf", "colours", "indented", "quoted", "text in front"],
)
@pytest.mark.parametrize("text", [samples.PLAIN, samples.CHAIN, samples.SYNTAX, samples.RECURSION])
def test_what_copying_does_to_a_text_changes_nothing(damage: Callable[[str], str], text: str) -> None:
    assert parsed(damage(text)) == parsed(text)


@pytest.mark.parametrize("text", [samples.PLAIN, samples.CHAIN, samples.DATA_LOADER])
def test_lost_indentation_loses_no_frame(text: str) -> None:
    lost = parsed("\n".join(line.lstrip() for line in text.splitlines()))
    assert places(lost)[:3] == places(parsed(text))[:3]
    assert [block.type for block in lost.chain] == [block.type for block in parsed(text).chain]


def test_a_function_name_lost_on_a_web_page_loses_only_itself() -> None:
    text = """\
Traceback (most recent call last):
File "/job/chat.py", line 104, in
fire.Fire(main)
File "/env/lib/python3.10/site-packages/fire/core.py", line 141, in Fire
trace = _Fire(component)
AssertionError: Loading a checkpoint for MP=2 but world size is 8"""
    (block,) = parsed(text).chain
    assert block.title == "AssertionError: Loading a checkpoint for MP=2 but world size is 8"
    assert [frame.source for frame in block.frames] == ["fire.Fire(main)", "trace = _Fire(component)"]


def test_a_traceback_that_ends_early_has_no_type() -> None:
    (block,) = parsed("\n".join(samples.PLAIN.splitlines()[:5])).chain
    assert block.type is None
    assert len(block.frames) == 2


def test_a_list_of_frames_without_header_is_read() -> None:
    text = '  File "job.py", line 48, in <module>\n    main()\n  File "x.py", line 3, in main\n    y()\n'
    (block,) = parsed(text).chain
    assert (block.type, len(block.frames)) == (None, 2)


def test_lines_of_others_between_the_frames_are_passed_over() -> None:
    lines = samples.PLAIN.splitlines()
    lines[3:3] = ["rank 0 step 1 loss 0.5", "Epoch: 3"]
    assert parsed("\n".join(lines)) == parsed(samples.PLAIN)


def test_a_line_of_others_before_the_exception_is_passed_over() -> None:
    lines = samples.PLAIN.splitlines()
    lines[-1:-1] = ["rank 0 step 1 loss 0.5"]
    assert parsed("\n".join(lines)) == parsed(samples.PLAIN)


def test_the_stack_that_cpp_appends_is_not_part_of_the_message() -> None:
    (block,) = parsed(samples.NCCL).chain
    assert block.type == "torch.distributed.DistBackendError"
    assert block.message.endswith("node-b<51017>")


def test_the_box_of_rich_is_read_like_a_plain_traceback() -> None:
    (block,) = parsed(samples.RICH).chain
    assert block.title == "IndexError: list index out of range"
    assert [(frame.path, frame.line, frame.source) for frame in block.frames] == [
        ("/job/train.py", 12, "main()"),
        ("/env/lib/python3.11/site-packages/reader/core.py", 40, "return rows[index]"),
    ]


def test_types_may_be_local_classes_and_carry_arguments() -> None:
    text = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\n{}'
    assert parsed(text.format("job.make.<locals>.Broken: x")).chain[0].type == "job.make.<locals>.Broken"
    assert parsed(text.format("ray.exceptions.RayTaskError(ValueError): x")).chain[0].name == "RayTaskError"


def test_a_windows_path_is_kept_whole() -> None:
    text = 'Traceback (most recent call last):\n  File "C:\\job dir\\train.py", line 1, in f\n    g()\nOSError: x'
    assert parsed(text).chain[0].frames[0].path == "C:\\job dir\\train.py"


@pytest.mark.parametrize("text", ["", "ValueError: x", "step 12 loss 0.1", "Traceback (most recent call last):", "\n"])
def test_a_text_without_a_traceback_gives_none(text: str) -> None:
    assert parse_traceback(text) is None


def test_format_exc_without_an_exception_gives_none() -> None:
    assert parse_traceback("NoneType: None\n") is None


def test_a_traceback_whose_line_ends_were_lost_is_cut_up_again() -> None:
    without_carets = samples.PLAIN.replace("           ~~~~^^^^^^^\n", "")
    one_line = " ".join(line.strip() for line in without_carets.split("\n"))
    assert parsed(f"[ERROR] {one_line}") == parsed(samples.PLAIN)
    assert parsed(one_line.replace('"', "")) == parsed(samples.PLAIN)
