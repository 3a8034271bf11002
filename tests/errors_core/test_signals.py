"""Exit codes and signals in names and plain words."""

from __future__ import annotations

import pickle
import signal
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errors_core.exit_table import CODES, SIGNALS
from errors_core.signals import SignalException, exit_status, explain_exitcode, signal_name


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the table holds the numbers of Linux")
def test_every_signal_that_python_knows_has_its_name() -> None:
    for number in signal.Signals:
        assert signal_name(-number) == number.name


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (34, "SIGRTMIN"),
        (35, "SIGRTMIN+1"),
        (49, "SIGRTMIN+15"),
        (50, "SIGRTMAX-14"),
        (63, "SIGRTMAX-1"),
        (64, "SIGRTMAX"),
    ],
)
def test_real_time_signals_are_counted_from_the_nearer_end(number: int, name: str) -> None:
    assert signal_name(-number) == name


@pytest.mark.parametrize("exitcode", [0, 1, 9, 137, -32, -33, -65, -1000])
def test_other_numbers_have_no_name(exitcode: int) -> None:
    assert signal_name(exitcode) is None


@pytest.mark.parametrize(("exitcode", "number"), [(-9, 9), (137, 9), (-7, 7), (135, 7), (-15, 15), (143, 15), (130, 2)])
def test_a_signal_is_explained_whether_a_shell_stood_between_or_not(exitcode: int, number: int) -> None:
    meaning = explain_exitcode(exitcode)
    assert (meaning.exitcode, meaning.signal, meaning.name) == (exitcode, number, signal_name(-number))
    assert f"signal {number} ({meaning.name})" in meaning.words
    assert ("shell or a container" in meaning.words) == (exitcode > 0)
    assert meaning.usual_causes == explain_exitcode(-number).usual_causes
    assert meaning.checks


def test_a_kill_names_memory_first_and_fills_the_pid_into_its_checks() -> None:
    meaning = explain_exitcode(-9)
    assert "out-of-memory" in meaning.usual_causes[0]
    assert any("process 4654" in check for check in meaning.checks_for(4654))
    assert any("process <pid>" in check for check in meaning.checks_for(None))


@pytest.mark.parametrize(
    ("exitcode", "words"),
    [(0, "ended well"), (1, "exception"), (2, "called wrongly"), (127, "not found"), (255, "-1"), (3, "exit code 3")],
)
def test_exit_codes_are_explained_and_are_no_signals(exitcode: int, words: str) -> None:
    meaning = explain_exitcode(exitcode)
    assert (meaning.signal, meaning.name) == (None, None)
    assert words in meaning.words


@pytest.mark.parametrize("exitcode", [128, 160, 161, 193, 200, 256, 3221225477, -33, -99])
def test_unknown_numbers_are_called_unknown(exitcode: int) -> None:
    meaning = explain_exitcode(exitcode)
    assert (meaning.signal, meaning.name, meaning.usual_causes) == (None, None, ())
    assert "no common meaning" in meaning.words or "no name" in meaning.words


@given(st.integers())
def test_every_number_gets_one_sentence(exitcode: int) -> None:
    meaning = explain_exitcode(exitcode)
    assert meaning.words.endswith(".")
    assert "\n" not in meaning.words
    assert not any("{pid}" in check for check in meaning.checks_for(1))


def test_the_table_has_only_names_and_numbers_that_can_be_reached() -> None:
    reachable = {signal_name(-number) for number in range(1, 65)}
    assert SIGNALS.keys() <= reachable
    for code in CODES:
        assert explain_exitcode(code).words == CODES[code].words


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (None, 0),
        (0, 0),
        (False, 0),
        (True, 1),
        (3, 3),
        (-1, 255),
        (256, 0),
        ("usage: …", 1),
        ("", 1),
        (0.0, 1),
        ([], 1),
    ],
)
def test_the_exit_status_follows_the_rules_of_python(code: object, status: int) -> None:
    assert exit_status(SystemExit(code)) == status


def test_other_exceptions_have_no_exit_status() -> None:
    assert exit_status(ValueError(3)) is None
    assert exit_status(SystemExit()) == 0
    assert exit_status(SystemExit(1, 2)) == 1


def test_a_signal_exception_keeps_its_signal_on_the_way_to_another_process() -> None:
    error = SignalException("Process 77 got signal: 15", signal.SIGTERM)
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.sigval) == ("Process 77 got signal: 15", signal.SIGTERM)
