from __future__ import annotations

from pathlib import Path

import pytest

from errors_core.diagnosis.signatures import (
    Signature,
    SignatureError,
    builtin_signatures,
    match,
    matches,
    read_signatures,
    signature,
)

PREFIXES = [
    "",
    "[rank3]: ",
    "[rank3]:",
    "[default2]:[rank2]: ",
    "2026-12-01 05:54:15 ",
    "12: ",
    "(Actor pid=3, ip=10.0.0.4) ",
    "        | ",
    "[1,3]<stderr>:",
]
PAIRS = [
    pytest.param(entry, sample, id=f"{entry.id}-{n}")
    for entry in builtin_signatures()
    for n, sample in enumerate(entry.samples)
]


@pytest.mark.parametrize(("entry", "sample"), PAIRS)
def test_every_pattern_matches_its_own_samples_behind_any_prefix(entry: Signature, sample: str) -> None:
    for prefix in PREFIXES:
        assert entry.regex.search(prefix + sample), prefix


@pytest.mark.parametrize(("entry", "sample"), PAIRS)
def test_the_best_signature_of_a_sample_is_its_own(entry: Signature, sample: str) -> None:
    best = match(sample)
    assert best is not None
    assert best.id == entry.id


def test_every_pattern_compiles_in_a_linear_time_engine() -> None:
    hyperscan = pytest.importorskip("hyperscan")
    for entry in builtin_signatures():
        database = hyperscan.Database()
        database.compile(expressions=[entry.pattern.encode()], flags=hyperscan.HS_FLAG_MULTILINE)


def test_ids_are_unique_and_every_entry_says_why_and_what_to_check() -> None:
    table = builtin_signatures()
    assert len({entry.id for entry in table}) == len(table)
    for entry in table:
        assert entry.why
        assert all(entry.checks)
        assert entry.reference
        assert 0 <= entry.prior <= 1


def test_a_cause_wins_over_the_echo_that_quotes_it() -> None:
    text = "NCCL watchdog thread terminated with exception: CUDA error: an illegal memory access was encountered"
    best = match(f"[Rank 2] Watchdog caught collective operation timeout: x. {text}")
    assert best is not None
    assert best.id == "cuda_illegal"


def test_a_lost_peer_wins_over_the_exception_that_carries_it() -> None:
    found = matches("RuntimeError: Connection closed by peer [127.0.0.1]:27293")
    assert [entry.id for entry in found] == ["gloo_closed", "py_exception"]


def test_text_without_meaning_matches_nothing() -> None:
    assert match("step 12 loss 0.3") is None
    assert signature("no such id") is None


@pytest.mark.parametrize("text", ["got 15 shards in 0.3 s", "Received 15 of 200 chunks", "ProcessGroup: ready"])
def test_everyday_words_are_no_failure(text: str) -> None:
    assert match(text) is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Received signal 15, saving", "told_to_stop"),
        ("caught SIGTERM", "told_to_stop"),
        ("ExceptionGroup: 2 shards failed (2 sub-exceptions)", "py_exception"),
    ],
)
def test_what_only_looks_like_everyday_words_is_known(text: str, name: str) -> None:
    found = match(text)
    assert found is not None
    assert found.id == name


GOOD = """
[[signature]]
id = "my_storage"
role = "primary"
title = "storage failed"
pattern = 'storage \\d+ failed'
samples = ["storage 12 failed"]
why = "The storage failed."
checks = ["Look at it."]
"""


def test_a_user_file_has_the_same_form(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(GOOD)
    (entry,) = read_signatures(path)
    assert (entry.id, entry.prior) == ("my_storage", 0.5)
    best = match("[rank1]: storage 7 failed", (entry, *builtin_signatures()))
    assert best == entry


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (GOOD.replace("storage 12 failed", "something else"), "does not match its own sample"),
        (GOOD.replace(r"storage \d+ failed", "storage ("), "not a regular expression"),
        (GOOD.replace('why = "The storage failed."', ""), "fields are missing: why"),
        (GOOD.replace('"primary"', '"P"'), "role must be one of"),
        (GOOD + 'colour = "red"', "unknown fields: colour"),
        (GOOD.replace('checks = ["Look at it."]', "checks = []"), "checks must be a list"),
        (GOOD.replace('title = "storage failed"', "title = 3"), "must be texts: title"),
    ],
)
def test_a_bad_user_signature_is_named_with_its_file(tmp_path: Path, broken: str, complaint: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(broken)
    with pytest.raises(SignatureError, match=complaint) as caught:
        read_signatures(path)
    assert str(path) in str(caught.value)
    assert "my_storage" in str(caught.value)


@pytest.mark.parametrize("broken", ["not toml", "x = 1", GOOD + GOOD])
def test_a_file_that_is_no_table_of_signatures_is_refused(tmp_path: Path, broken: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(broken)
    with pytest.raises(SignatureError, match=r"mine\.toml"):
        read_signatures(path)
