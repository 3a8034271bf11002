"""Points in time as log lines write them."""

from __future__ import annotations

import re

import pytest

from errors_core.log_times import DATE, DAY_FIRST, SYSLOG_DATE, YearlessTime, parse_date, parse_syslog_date


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2024-01-02 03:04:05", 1704164645.0),
        ("2024-01-02_03:04:05", 1704164645.0),
        ("2024/01/02 03:04:05.250", 1704164645.25),
        ("2024-01-02T03:04:05,678Z", 1704164645.678),
        ("2024-01-02T03:04:05+01:00", 1704161045.0),
        ("2024-01-02 03:04:05 -0130", 1704170045.0),
        ("2024-02-30 03:04:05", None),
        ("2024-01-02 25:04:05", None),
        ("0000-01-02 03:04:05", None),
    ],
)
def test_a_date_is_seconds_since_the_epoch_and_without_a_zone_it_is_utc(text: str, seconds: float | None) -> None:
    match = re.match(DATE, text)
    assert match is not None
    assert parse_date(match.groupdict()) == seconds


@pytest.mark.parametrize("text", ["01/02/2024 03:04:05", "01/02/24 03:04:05"])
def test_an_american_date_may_have_a_year_of_two_digits(text: str) -> None:
    match = re.match(DAY_FIRST, text)
    assert match is not None
    assert parse_date(match.groupdict()) == 1704164645.0


def test_a_syslog_date_has_a_year_or_waits_for_one() -> None:
    with_year, without = (re.match(SYSLOG_DATE, text) for text in ("Tue Jan  2 03:04:05 2024", "Jan  2 03:04:05"))
    assert with_year is not None
    assert without is not None
    assert parse_syslog_date(with_year.groupdict()) == 1704164645.0
    waiting = parse_syslog_date(without.groupdict())
    assert waiting == YearlessTime(1, 2, 3, 4, 5.0)
    assert isinstance(waiting, YearlessTime)
    assert waiting.in_year(2024) == 1704164645.0


def test_a_day_that_a_year_does_not_have_is_unknown() -> None:
    assert YearlessTime(2, 29, 0, 0, 0).in_year(2023) is None
    assert YearlessTime(2, 29, 0, 0, 0).in_year(2024) is not None
    assert YearlessTime(13, 1, 0, 0, 0).in_year(2024) is None
