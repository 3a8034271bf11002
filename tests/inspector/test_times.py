import pytest

from inspector.presentation.times import format_offset, format_time
from tests.builders import NOON


def test_a_time_is_shown_in_utc_and_says_so() -> None:
    assert format_time(NOON) == "2026-12-01 12:00:00 UTC"
    assert format_time(None) == "—"


@pytest.mark.parametrize("seconds", [1e300, float("inf"), float("nan"), -(10**30), 10**400])
def test_a_time_that_no_calendar_has_is_shown_as_a_number(seconds: float) -> None:
    assert format_time(seconds).endswith(" s")


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (None, "—"),
        (0, "+0 s"),
        (1, "+1 s"),
        (-3, "-3 s"),
        (0.25, "+0.25 s"),
        (119, "+119 s"),
        (180, "+3 min"),
        (-7200, "-2 h"),
        (400000, "+4 d"),
    ],
)
def test_a_distance_has_a_sign_and_a_unit(seconds: float | None, said: str) -> None:
    assert format_offset(seconds) == said
