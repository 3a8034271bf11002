from __future__ import annotations

import io
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errors_core.diagnosis.signatures import builtin_signatures
from errors_core.readers.blocks import read_blocks
from errors_core.readers.engines import PlainEngine, hyperscan_engine
from errors_core.readers.literals import required_literals
from errors_core.readers.scan import Pattern, Patterned, find_hits, scan
from errors_core.readers.scanner import LineHit, Scanner, scanner_for

DATA = Path(__file__).parents[2] / "data"
SIGNATURES = builtin_signatures()
PAIRS = tuple((signature.id, signature.pattern) for signature in SIGNATURES)
SAMPLES = [sample for signature in SIGNATURES for sample in signature.samples]
FIRST = SAMPLES[0]

without_hyperscan = pytest.mark.skipif(hyperscan_engine([b"x"]) is None, reason="hyperscan is not installed")


def fast_scanner() -> Scanner:
    return Scanner(PAIRS, hyperscan_engine(Scanner(PAIRS).texts))


def by_hand(data: bytes) -> list[LineHit]:
    """What each expression says about each line, tried one after the other."""
    found, start = [], 0
    for line in data.split(b"\n"):
        text = line.removesuffix(b"\r").decode("latin-1")
        found += [
            LineHit(start, start + len(line), signature.id)
            for signature in SIGNATURES
            if re.search(signature.pattern, text, re.ASCII)
        ]
        start += len(line) + 1
    return found


def test_every_sample_is_found_by_its_signature() -> None:
    for signature in SIGNATURES:
        for sample in signature.samples:
            for line in sample.splitlines()[:1] if "\n" in sample else [sample]:
                hits = PLAIN.lines(line.encode())
                assert signature.id in {hit.id for hit in hits}, line


@without_hyperscan
@pytest.mark.parametrize(
    "path", [p for p in sorted(DATA.rglob("*")) if p.is_file()], ids=lambda p: str(p.relative_to(DATA))
)
def test_both_engines_answer_alike_on_every_recorded_file(path: Path) -> None:
    for block in read_blocks(io.BytesIO(path.read_bytes())):
        slow = PLAIN.lines(block.data)
        assert slow == FAST.lines(block.data)


PLAIN = Scanner(PAIRS, PlainEngine(Scanner(PAIRS).texts))
FAST = fast_scanner()
WORDS = st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), min_size=3, max_size=8).map(str.encode)
noise = st.binary(max_size=30) | st.sampled_from([b"", b"\r", b"step 12 loss 0.5", b"\xff\xfe", b"[rank3]: "])
log_lines = st.lists(st.sampled_from([sample.encode() for sample in SAMPLES]) | noise, max_size=12)


@given(log_lines, st.sampled_from([b"\n", b"\r\n"]))
@settings(deadline=None, max_examples=150)
def test_both_engines_find_what_each_expression_finds_on_each_line(parts: list[bytes], end: bytes) -> None:
    data = end.join(parts)
    assert PLAIN.lines(data) == FAST.lines(data) == by_hand(data)


@given(log_lines)
@settings(deadline=None, max_examples=50)
def test_colours_around_every_line_change_nothing(parts: list[bytes]) -> None:
    clean = [part for part in parts if part.isascii() and part.decode().isprintable()]
    coloured = [b"\x1b[31m" + part + b"\x1b[0m\r" for part in clean]
    assert [hit.id for hit in FAST.lines(b"\n".join(coloured))] == [hit.id for hit in FAST.lines(b"\n".join(clean))]


@pytest.mark.parametrize("scanner", [PLAIN, FAST])
def test_a_coloured_line_that_a_pattern_is_anchored_to_is_found(scanner: Scanner) -> None:
    plain = scanner.lines(b"x\nMemoryError\ny")
    coloured = scanner.lines(b"x\n\x1b[1;31mMemoryError\x1b[0m\r\ny")
    assert plain
    assert [hit.id for hit in coloured] == [hit.id for hit in plain]


def test_offsets_numbers_and_lines_point_into_the_stream() -> None:
    filler = b"".join(b"step %d loss 0.5\n" % i for i in range(30_000))
    data = (
        filler
        + b"CUDA out of memory. Tried to allocate 2 GiB\r\n"
        + filler
        + b"last: CUDA out of memory. Tried to allocate 1 GiB"
    )
    hits = [hit for hit in scan(io.BytesIO(data), SIGNATURES) if hit.id == "cuda_oom"]
    assert [hit.number for hit in hits] == [30_001, 60_002]
    for hit in hits:
        assert data[hit.offset : hit.offset + len(hit.line)] == hit.line
        assert b"CUDA out of memory" in hit.line


def test_further_patterns_are_found_beside_signatures() -> None:
    patterns: list[Patterned] = [*SIGNATURES, Pattern("started", r"starting workers for entrypoint: (?P<what>\w+)")]
    hits = list(scan(io.BytesIO(b"x\nstarting workers for entrypoint: train\n"), patterns))
    assert [(hit.number, hit.id) for hit in hits] == [(2, "started")]


def test_all_lines_of_a_signature_are_found_not_only_the_first_of_a_block() -> None:
    data = b"\n".join(b"Sending process %d closing signal SIGTERM" % i for i in range(500))
    hits = [hit for hit in scan(io.BytesIO(data), SIGNATURES) if hit.id == "launcher_sigterm"]
    assert [hit.number for hit in hits] == list(range(1, 501))


def test_a_line_of_many_megabytes_is_survived_and_hides_nothing() -> None:
    data = (
        b"x" * 5_000_000
        + b" CUDA out of memory. Tried to allocate 2 GiB\nCUDA out of memory. Tried to allocate 1 GiB\n"
    )
    numbers = [hit.number for hit in scan(io.BytesIO(data), SIGNATURES) if hit.id == "cuda_oom"]
    assert numbers == [1, 2]


def test_a_long_word_does_not_make_an_expression_explode() -> None:
    data = (b"A" * 200_000 + b"Error\n") * 3
    assert len(list(scan(io.BytesIO(data), [Pattern("ends", r"Error$")]))) == 3


@without_hyperscan
@given(st.lists(WORDS, min_size=1, max_size=30, unique=True), st.binary(max_size=300))
@settings(deadline=None, max_examples=100)
def test_both_engines_find_the_same_texts(texts: list[bytes], data: bytes) -> None:
    data += b"".join(texts[::2])
    engine = hyperscan_engine(texts)
    assert engine is not None
    expected = {number for number, text in enumerate(texts) if text in data}
    for found in (engine.find(data), PlainEngine(texts).find(data)):
        assert {number for _, number in found} == expected
        assert all(data[:end].endswith(texts[number]) for end, number in found)


def test_a_pattern_without_any_literal_text_is_tried_on_every_line() -> None:
    assert [hit.start for hit in Scanner((("numbers", r"^\d+$"),)).lines(b"x\n12\r\n\x1b[1m34\x1b[0m\n5x")] == [2, 6]


def test_one_scanner_serves_equal_patterns() -> None:
    assert scanner_for(SIGNATURES) is scanner_for(list(SIGNATURES))


def test_one_scanner_serves_several_threads() -> None:
    data = [b"\n".join([b"step 1"] * i + [FIRST.encode()] * 3) for i in range(40)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(FAST.lines, data)) == list(map(PLAIN.lines, data))


def test_importing_the_scanner_needs_no_hyperscan() -> None:
    code = (
        "import sys; sys.modules['hyperscan'] = None\n"
        "import io; from errors_core.readers.scan import Pattern, scan\n"
        "hits = list(scan(io.BytesIO(b'a needle\\n' * 200000), [Pattern('n', 'needle')]))\n"
        "print(len(hits))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "200000"


def test_hits_have_fields_place_and_the_line_cut_short() -> None:
    text = "CUDA out of memory. Tried to allocate 2.00 GiB" + "." * 1000
    hit, *_ = [hit for hit in find_hits([(1, "x"), (7, text)], "a.log", SIGNATURES) if hit.signature == "cuda_oom"]
    assert (hit.place.path, hit.place.line) == ("a.log", 7)
    assert dict(hit.fields)["sz"] == "2.00 GiB"
    assert len(hit.text) == 500


def test_of_many_hits_the_first_and_the_last_are_kept() -> None:
    lines = [(i, f"MemoryError: block {i}") for i in range(1, 2001)]
    numbers = [hit.place.line for hit in find_hits(lines, "a.log", [Pattern("memory", "MemoryError")])]
    assert numbers == [1, 2, 3, 4, 5, 1996, 1997, 1998, 1999, 2000]


@given(st.lists(st.sampled_from(SAMPLES) | st.text(max_size=20), max_size=20))
@settings(deadline=None, max_examples=60)
def test_hits_of_lines_are_those_of_the_expressions(parts: list[str]) -> None:
    lines = [(i, part.replace("\n", " ")) for i, part in enumerate(parts, 1)]
    found = {(hit.place.line, hit.signature) for hit in find_hits(lines, "a.log", SIGNATURES)}
    for number, text in lines:
        for signature in SIGNATURES:
            if text.isascii() and (number, signature.id) in found:
                assert signature.regex.search(text)


def test_no_signature_has_to_be_tried_on_every_line() -> None:
    assert [signature.id for signature in SIGNATURES if required_literals(signature.pattern) is None] == []
