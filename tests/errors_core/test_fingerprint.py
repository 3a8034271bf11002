from __future__ import annotations

import pytest

from errors_core.fingerprint import fingerprint_exact, fingerprint_frames, frame_keys
from errors_core.job import Frame, Place
from errors_core.tracebacks import ExceptionBlock, Traceback, parse_traceback, summarise

WRAPPER = (
    '  File "/env/lib/python3.11/site-packages/torch/distributed/elastic/multiprocessing/errors/__init__.py", line 367'
)


def raised(words: str, *, name: str = "ValueError", root: str = "/job", line: int = 7, function: str = "decode") -> str:
    return (
        f'Traceback (most recent call last):\n  File "{root}/train.py", line {line}, in main\n    decode()\n'
        f'  File "{root}/data.py", line {line + 2}, in {function}\n    raise it\n{name}: {words}'
    )


def prints(text: str) -> tuple[str, str]:
    traceback = parse_traceback(text)
    assert traceback is not None
    return fingerprint_exact(traceback), fingerprint_frames(traceback)


def test_fingerprints_name_the_version_of_the_recipe() -> None:
    assert all(value.startswith("fp1:") for value in prints(raised("x")))


def test_one_error_on_many_ranks_is_one() -> None:
    texts = [raised(f"rank {i}: bad sample {i * 37} in /data/shard_{i:05}.tar at 0x7f{i:04x}") for i in range(127)]
    assert len({prints(text) for text in texts}) == 1


def test_two_messages_in_one_function_are_two_errors_at_one_place() -> None:
    (first, place), (second, same) = prints(raised("corrupt header")), prints(raised("too short"))
    assert first != second
    assert place == same


@pytest.mark.parametrize("other", [raised("x", name="KeyError"), raised("x", function="load")])
def test_another_type_or_function_is_another_error_and_place(other: str) -> None:
    assert not set(prints(raised("x"))) & set(prints(other))


def test_line_numbers_and_where_the_program_lies_do_not_matter() -> None:
    assert prints(raised("x")) == prints(raised("x", root="/scratch/of/another/node", line=400))


def test_carets_and_the_frames_of_comprehensions_do_not_matter() -> None:
    """Python 3.11 marks the code with carets, Python 3.12 has no frame for a comprehension."""
    old = raised("x").replace(
        '  File "/job/data.py"', '  File "/job/train.py", line 7, in <listcomp>\n    decode()\n  File "/job/data.py"'
    )
    new = raised("x").replace("    raise it", "    raise it\n    ^^^^^^^^")
    assert prints(old) == prints(new)


def test_frames_outside_the_recorder_do_not_matter() -> None:
    head, _, body = raised("x").partition("\n")
    inside = f"{head}\n{WRAPPER}, in wrapper\n    return f()\n{body}"
    outside = inside.replace(head, f'{head}\n  File "/job/start.py", line 3, in <module>\n    main()')
    assert prints(inside) == prints(outside) == prints(raised("x"))


@pytest.mark.parametrize(
    ("path", "function"),
    [
        ("/env/lib/python3.11/site-packages/torch/nn/modules/module.py", "_call_impl"),
        ("/env/lib/python3.11/site-packages/torch/nn/modules/module.py", "_wrapped_call_impl"),
        ("/env/lib/python3.11/site-packages/torch/distributed/c10d_logger.py", "wrapper"),
        ("/env/lib/python3.11/site-packages/torch/_dynamo/eval_frame.py", "_fn"),
        ("/usr/lib/python3.11/contextlib.py", "__exit__"),
        ("C:\\Python311\\Lib\\contextlib.py", "inner"),
        ("/env/lib/python3.11/site-packages/torch/utils/_contextlib.py", "decorate_context"),
    ],
)
def test_frames_that_only_pass_calls_on_do_not_matter(path: str, function: str) -> None:
    with_it = raised("x").replace(
        '  File "/job/data.py"', f'  File "{path}", line 7, in {function}\n    f()\n  File "/job/data.py"'
    )
    assert prints(with_it) == prints(raised("x"))


def test_repeats_are_folded() -> None:
    frame = Frame("/job/a.py", 3, "walk")
    assert frame_keys((frame, frame, Frame("/job/a.py", 9, "walk"))) == ("a.py:walk",)


def test_generated_names_do_not_matter() -> None:
    first = Frame("/tmp/torchinductor_ann/ab/cabcdefgh.py", 3, "__compiled_fn_7_abc", own=False)
    second = Frame("/tmp/torchinductor_bob/zz/cxyzxyzxy.py", 4, "__compiled_fn_9", own=False)
    assert frame_keys((first,)) == frame_keys((second,))
    resumed = [Frame("/job/a.py", 3, f"torch_dynamo_resume_in_step_at_{line}") for line in (12, 99)]
    assert frame_keys((resumed[0],)) == frame_keys((resumed[1],))


def test_the_place_is_where_own_code_broke_whatever_library_it_broke_in() -> None:
    def inside(module: str) -> str:
        frame = f'  File "/env/lib/python3.11/site-packages/{module}.py", line 3, in run\n    x\n'
        return raised("x").replace("ValueError:", f"{frame}ValueError:")

    (first, place), (second, same) = prints(inside("torch/_ops")), prints(inside("numpy/core"))
    assert first != second
    assert place == same


def test_an_error_without_frames_is_placed_by_its_words() -> None:
    def place(words: str) -> str:
        found = summarise("", Place("x"), message=f"ValueError: {words}")
        assert found is not None
        return found.frames_key

    assert place("bad sample 3") == place("bad sample 4")
    assert place("bad sample 3") != place("bad header 3")


def test_what_follows_the_first_line_of_a_message_does_not_matter() -> None:
    """A log does not show where a message ends, an error file does: both must tell the same error."""
    assert prints(raised("bad sample\nstep 3 loss 0.1")) == prints(raised("bad sample"))


def test_neighbouring_parts_are_kept_apart() -> None:
    first, second = (Traceback((ExceptionBlock(*parts),)) for parts in (("ab", "c"), ("a", "bc")))
    assert fingerprint_exact(first) != fingerprint_exact(second)
