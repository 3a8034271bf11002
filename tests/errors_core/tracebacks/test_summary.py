from __future__ import annotations

import pytest

from errors_core.job import ErrorSummary, Place
from errors_core.tracebacks import summarise
from errors_core.tracebacks.summary import CUT
from tests.errors_core.tracebacks import samples

HERE = Place("error.json", 3)
JOINED = "\n\nDuring handling of the above exception, another exception occurred:\n\n"


def summary(text: str, message: str | None = None) -> ErrorSummary:
    found = summarise(text, HERE, message=message)
    assert found is not None
    return found


def raised(name: str, words: str, path: str = "/job/train.py", function: str = "f") -> str:
    return f'Traceback (most recent call last):\n  File "{path}", line 3, in {function}\n    go()\n{name}: {words}'


def test_the_frame_of_a_link_is_the_innermost_of_own_code() -> None:
    frame = summary(samples.PLAIN).link.frame
    assert frame is not None
    assert (frame.path, frame.function) == ("/job/train.py", "main")


def test_the_frame_is_the_innermost_at_all_where_no_code_is_own() -> None:
    frame = summary(raised("OSError", "x", "/usr/lib/python3.11/runpy.py")).link.frame
    assert frame is not None
    assert not frame.own


def test_the_cause_is_the_headline_and_the_rest_stays_as_links() -> None:
    found = summary(samples.CHAIN)
    assert [link.type for link in found.links] == ["FileNotFoundError", "ValueError", "RuntimeError"]
    assert found.headline == 0


def test_what_broke_deep_in_a_library_is_not_the_headline_when_own_code_broke_on_it() -> None:
    library = raised("KeyError", "'x'", "/env/lib/python3.11/site-packages/urllib3/pool.py")
    own = raised("ConnectionError", "no route")
    assert summary(library + JOINED + own).link.type == "ConnectionError"


def test_a_cause_in_a_library_is_the_headline_when_own_code_broke_on_it() -> None:
    library = raised("ModuleNotFoundError", "No module named 'flash_attn'", "/env/lib/python3.11/site-packages/hf/a.py")
    joined = "\n\nThe above exception was the direct cause of the following exception:\n\n"
    assert summary(library + joined + raised("RuntimeError", "import failed")).link.type == "ModuleNotFoundError"


def test_an_echo_at_the_start_is_the_headline_whatever_its_handler_raised() -> None:
    text = raised("RuntimeError", "Connection closed by peer", "/usr/lib/python3/dist-packages/c10d.py")
    text += JOINED + raised("KeyError", "'state'")
    plain = summary(text)
    told = summarise(text, HERE, is_echo=lambda words: "closed by peer" in words)
    assert told is not None
    assert (plain.link.type, told.link.type) == ("KeyError", "RuntimeError")
    assert plain.exact == told.exact
    assert plain.frames_key != told.frames_key


def test_an_echo_during_the_clean_up_is_not_the_headline() -> None:
    text = raised("ValueError", "bad sample") + JOINED + raised("RuntimeError", "Connection closed by peer")
    found = summarise(text, HERE, is_echo=lambda words: "closed by peer" in words)
    assert found is not None
    assert found.link.type == "ValueError"


def test_the_end_of_a_loop_is_not_the_headline() -> None:
    assert summary(raised("StopIteration", "x") + JOINED + raised("OSError", "disk")).link.type == "OSError"


def test_wrappers_give_way_to_their_originals() -> None:
    assert summary(samples.DATA_LOADER).link.title == "KeyError: 'size'"
    assert summary(samples.SPAWN).link.title == "ValueError: negative rate"


def test_different_leaves_of_a_group_stand_before_it() -> None:
    assert [link.type for link in summary(samples.GROUP).links] == ["ValueError", "TypeError", "ExceptionGroup"]


def test_a_group_of_equal_leaves_is_that_leaf() -> None:
    leaf = "    | ValueError: bad sample {}"
    group = (
        "  + Exception Group Traceback (most recent call last):\n  | ExceptionGroup: two (2 sub-exceptions)\n"
        f"  +-+---------------- 1 ----------------\n{leaf.format(3)}\n"
        f"    +---------------- 2 ----------------\n{leaf.format(77)}\n    +------------------------------------"
    )
    assert [link.title for link in summary(group).links] == ["ValueError: bad sample 3"]


def test_the_message_of_the_file_completes_a_traceback_that_was_cut() -> None:
    cut = samples.PLAIN.rpartition("\n")[0]
    assert summary(cut, "IndexError: list index out of range") == summary(samples.PLAIN)
    assert summary(cut).link.type == CUT


def test_the_frames_of_the_recorder_itself_say_nothing_about_the_error() -> None:
    recorder = "/env/lib/python3.8/site-packages/torch/distributed/elastic/multiprocessing/errors/error_handler.py"
    frames = f'  File "job.py", line 4, in <module>\n    main()\n  File "{recorder}", line 26, in _write_error\n    x\n'
    link = summary(frames, "KeyError: 'mask'").link
    assert (link.title, link.frame) == ("KeyError: 'mask'", None)


@pytest.mark.parametrize(
    ("message", "title"),
    [
        ("ValueError: bad", "ValueError: bad"),
        ("ValueError('bad')", "ValueError: bad"),
        ('ValueError("it\'s bad",)', "ValueError: it's bad"),
        ("OSError(2, 'No such file')", "OSError: 2, 'No such file'"),
        ("KeyboardInterrupt", "KeyboardInterrupt"),
        ("torch.cuda.OutOfMemoryError: full\nsecond line", "torch.cuda.OutOfMemoryError: full"),
    ],
)
def test_a_message_alone_gives_type_and_words(message: str, title: str) -> None:
    assert summary("", message).link.title == title


@pytest.mark.parametrize("message", [None, "", "something went wrong", "f(x)", "INFO: starting", "\n"])
def test_words_that_name_no_exception_give_none(message: str | None) -> None:
    assert summarise("", HERE, message=message) is None


def test_place_and_text_are_kept_as_asked() -> None:
    assert summary(samples.PLAIN).place == HERE
    assert summary(samples.PLAIN).text is None
    kept = summarise(samples.PLAIN, HERE, keep_text=True)
    assert kept is not None
    assert kept.text == samples.PLAIN


def test_long_messages_are_cut_in_links() -> None:
    assert len(summary(raised("ValueError", "x" * 2000)).link.message) == 500
