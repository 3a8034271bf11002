from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errors_core.diagnosis.signatures import builtin_signatures
from errors_core.readers.worker_log import read_worker_log
from errors_core.sightings import Sighting
from tests.errors_core.tracebacks import samples

DATA = Path(__file__).parents[2] / "data"
SIGNATURES = builtin_signatures()
RECORDED = sorted(path for path in DATA.rglob("std*.log") if path.stat().st_size)


def sightings(data: bytes | str, path: str = "0/stderr.log") -> list[Sighting]:
    stream = io.BytesIO(data.encode() if isinstance(data, str) else data)
    reading = read_worker_log(stream, path, SIGNATURES)
    assert reading.problems == []
    return reading.sightings


def only(data: bytes | str, path: str = "0/stderr.log") -> Sighting:
    (sighting,) = sightings(data, path)
    return sighting


def title(sighting: Sighting) -> str | None:
    return None if sighting.error is None else sighting.error.link.title


def prefixed(text: str, prefix: str) -> str:
    return "\n".join(f"{prefix}{line}" if line else "" for line in text.split("\n"))


def test_the_traceback_is_kept_without_prefixes_and_with_its_place() -> None:
    text = samples.PLAIN.replace("           ~~~~^^^^^^^\n", "")
    sighting = only(f"loading\n{prefixed(text, '[rank7]: ')}\n")
    assert (sighting.source, sighting.rank) == ("worker_log", 7)
    assert sighting.error is not None
    assert sighting.error.text == text
    assert (sighting.place.path, sighting.place.line) == ("0/stderr.log", 2)


@pytest.mark.parametrize("prefix", ["", "[rank3]: ", "[default3]:", "[default3]:[rank3]: ", "2024-01-02 03:04:05,678 "])
@pytest.mark.parametrize("text", [samples.PLAIN, samples.CHAIN, samples.GROUP, samples.DATA_LOADER, samples.SPAWN])
def test_prefixes_change_nothing_about_the_error(prefix: str, text: str) -> None:
    bare, marked = only(text).error, only(prefixed(text.rstrip("\n"), prefix)).error
    assert bare is not None
    assert marked is not None
    assert (marked.links, marked.exact) == (bare.links, bare.exact)


def test_the_last_traceback_counts() -> None:
    other = samples.PLAIN.replace("IndexError", "OSError")
    assert title(only(f"{other}\n{samples.PLAIN}")) == "IndexError: list index out of range"


def test_a_traceback_that_training_survived_is_no_error() -> None:
    sighting = only(f"{samples.PLAIN}\nstep 7 loss 0.5\nstep 8 loss 0.4\n")
    assert sighting.error is None
    assert "py_exception" in {hit.signature for hit in sighting.hits}


def test_what_python_ignored_is_no_error() -> None:
    ignored = f"Exception ignored in: <function f at 0x7f>\n{samples.PLAIN}"
    assert only(ignored).error is None
    assert title(only(f"{samples.CHAIN}\n{ignored}")) == title(only(samples.CHAIN))


def test_the_error_of_a_thread_counts_only_without_one_of_the_main_thread() -> None:
    thread = f"Exception in thread Thread-3:\n{samples.PLAIN}"
    assert title(only(thread)) == "IndexError: list index out of range"
    assert title(only(f"{samples.CHAIN}\n{thread}")) == title(only(samples.CHAIN))


def test_a_crash_counts_without_a_traceback() -> None:
    assert title(only(f"step 3\n{samples.SEGFAULT}\n")) == "Fatal Python error: Segmentation fault"


def test_an_exception_counts_more_than_the_abort_that_follows_it() -> None:
    assert title(only(f"{samples.PLAIN}\n{samples.SEGFAULT}\n")) == "IndexError: list index out of range"


def test_a_crash_long_after_an_exception_counts_more() -> None:
    talk = "evaluating the model once more\n" * 200
    assert title(only(f"{samples.PLAIN}\n\n{talk}{samples.SEGFAULT}\n")) == "Fatal Python error: Segmentation fault"


def test_hits_step_and_time_are_read() -> None:
    sighting = only(
        "2024-01-02 03:04:05,000 - INFO - step 12 loss 0.1\n"
        "2024-01-02 03:04:09,500 - ERROR - CUDA out of memory. Tried to allocate 2.00 GiB\n",
        "3/stdout.log",
    )
    assert sighting.last_step == 12
    assert sighting.last_log_time == 1704164649.5
    (hit,) = [hit for hit in sighting.hits if hit.signature == "cuda_oom"]
    assert (hit.place.line, hit.time) == (2, 1704164649.5)
    assert (sighting.stdout_log, sighting.stderr_log) == ("3/stdout.log", None)


def test_lines_of_several_ranks_give_one_sighting_each() -> None:
    first = prefixed(samples.PLAIN, "[rank0]: ").split("\n")
    second = prefixed(samples.SYNTAX, "[rank1]: ").split("\n")
    mixed = [line for pair in zip(first, second, strict=False) for line in pair] + first[len(second) :]
    found = {sighting.rank: title(sighting) for sighting in sightings("\n".join(mixed))}
    assert found == {0: "IndexError: list index out of range", 1: "SyntaxError: invalid syntax"}


def test_blank_lines_without_prefix_stay_in_the_chain_of_their_rank() -> None:
    found = {s.rank: s.error for s in sightings(f"[rank1]: hello\n{prefixed(samples.CHAIN, '[rank0]: ')}")}
    assert found[0] is not None
    assert len(found[0].links) == 3


def test_lines_without_rank_belong_to_the_only_rank_of_a_log() -> None:
    sighting = only(f"{samples.PLAIN}\n[rank2]: CUDA out of memory. Tried to allocate 1 GiB\n")
    assert sighting.rank == 2
    assert title(sighting) == "IndexError: list index out of range"
    assert "cuda_oom" in {hit.signature for hit in sighting.hits}


def test_lines_without_rank_belong_to_nobody_when_there_are_several() -> None:
    text = f"[rank0]: step 1\n[rank1]: step 1\n{samples.PLAIN}\n"
    assert {s.rank: title(s) for s in sightings(text)} == {
        0: None,
        1: None,
        None: "IndexError: list index out of range",
    }


def test_an_empty_log_is_a_sighting_of_its_path() -> None:
    sighting = only(b"", "5/stderr.log")
    assert (sighting.stderr_log, sighting.error, sighting.hits, sighting.last_step) == ("5/stderr.log", None, (), None)


def test_marks_that_disagree_are_left_unknown() -> None:
    sighting = only("(Worker pid=12) x\n(Worker pid=13) y\n")
    assert sighting.pid is None


def test_a_traceback_in_the_middle_of_a_huge_log_is_found_with_its_line() -> None:
    filler = "a line of which there are very many indeed\n" * 30_000
    sighting = only(f"{filler}{prefixed(samples.CHAIN, '[rank4]: ')}\n\n{filler}step 9\n{filler}"[: -len("step 9\n")])
    assert sighting.rank == 4
    assert sighting.hits[0].place.line is not None
    assert sighting.hits[0].place.line > 30_000


def test_a_line_of_many_megabytes_hides_nothing() -> None:
    assert title(only(b"x" * 3_000_000 + b"\n" + samples.PLAIN.encode())) == "IndexError: list index out of range"
    glued = b"\r".join(b" 50%%|##### | %d/100 [00:01<00:01, 9.1it/s]" % i for i in range(30_000))
    assert title(only(glued + b"\n" + samples.PLAIN.encode())) == "IndexError: list index out of range"


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: str(path.relative_to(DATA)))
def test_line_ends_and_colours_change_nothing_in_recorded_logs(path: Path) -> None:
    def facts(data: bytes) -> list[object]:
        return [
            (s.rank, s.last_step, s.error and (s.error.links, s.error.exact), [(h.signature, h.text) for h in s.hits])
            for s in sightings(data, str(path))
        ]

    data = path.read_bytes()
    assert facts(data.replace(b"\n", b"\r\n")) == facts(data)
    coloured = b"\n".join(b"\x1b[31m" + line + b"\x1b[0m" if line else b"" for line in data.split(b"\n"))
    assert facts(coloured) == facts(data)


@given(
    st.binary(max_size=400)
    | st.lists(st.sampled_from([line.encode() for line in samples.LINES]) | st.binary(max_size=20)).map(b"\n".join)
)
@settings(deadline=None, max_examples=150)
def test_any_bytes_give_sightings(data: bytes) -> None:
    assert sightings(data)


@given(st.sampled_from(RECORDED), st.integers(0, 3000))
@settings(deadline=None, max_examples=60)
def test_cutting_a_log_loses_no_hit_before_the_cut(path: Path, end: int) -> None:
    data = path.read_bytes()
    kept = data[:end].rpartition(b"\n")[0]
    count = kept.count(b"\n") + 1 if kept else 0
    whole = {(h.signature, h.place.line) for s in sightings(data) for h in s.hits if (h.place.line or 0) <= count}
    part = {(h.signature, h.place.line) for s in sightings(kept) for h in s.hits}
    assert part >= whole
