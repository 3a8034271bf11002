from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errors_core.diagnosis.signatures import builtin_signatures
from errors_core.readers.literals import required_literals


@pytest.mark.parametrize(
    ("pattern", "literals"),
    [
        ("CUDA out of memory", {"CUDA out of memory"}),
        (r"exit(?:code|status) \d+", {"exitcode ", "exitstatus "}),
        (r"(?P<a>foo|barbar)\s+x", {"foo", "barbar"}),
        (r"(?:optional words)?needed", {"needed"}),
        (
            r"^(?:got |caught )(?:a |the )?SIG(?:TERM|INT)\b.*",
            {
                f"{got} {a}SIG{name}"
                for got in ("got", "caught")
                for a in ("", "a ", "the ")
                for name in ("TERM", "INT")
            },
        ),
        (r"\d+ (?:foo|foobar)", {" foo"}),
        (r"\[rank(?P<r>\d+)\]: failed", {"]: failed"}),
        (r"[Aa]ddress in use", {"Address in use", "address in use"}),
        (r"(?:words)+ end", {"words"}),
    ],
)
def test_every_match_holds_one_of_the_texts(pattern: str, literals: set[str]) -> None:
    assert required_literals(pattern) == frozenset(literals)


@pytest.mark.parametrize("pattern", [r"\d+", "ab", r"(?i)error", r"foo|\d+", r"(?:abc)*", "", r"[^a]de?"])
def test_a_pattern_without_usable_text_has_none(pattern: str) -> None:
    assert required_literals(pattern) is None


def test_every_sample_of_a_signature_holds_one_of_its_texts() -> None:
    for signature in builtin_signatures():
        literals = required_literals(signature.pattern)
        for sample in signature.samples:
            assert literals is None or any(literal in sample for literal in literals)


@given(st.from_regex(r"(?:foo|barr+)(?:[xy]tail)? (?P<n>\d+)|end of .* run", fullmatch=True))
def test_no_match_is_without_one_of_the_texts(text: str) -> None:
    pattern = r"(?:foo|barr+)(?:[xy]tail)? (?P<n>\d+)|end of .* run"
    assert re.search(pattern, text)
    literals = required_literals(pattern)
    assert literals is not None
    assert any(literal in text for literal in literals)
