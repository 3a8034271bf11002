import pytest

from inspector.presentation.choice import Choice, ChoiceError, choose
from tests.builders import make_attempt, make_job, make_run

JOB = make_job(
    make_run(make_attempt(number=0), make_attempt(number=2), run_id="alpha-1"),
    make_run(run_id="alpha-2"),
    make_run(make_attempt(number=0), make_attempt(number=1), run_id="beta"),
)


def test_the_newest_run_and_its_last_attempt_are_the_default() -> None:
    assert choose(JOB) == Choice(2, 1)


def test_a_run_is_found_by_its_id_or_by_a_start_that_fits_one_alone() -> None:
    assert choose(JOB, "alpha-1") == Choice(0, 1)
    assert choose(JOB, "be") == Choice(2, 1)
    assert choose(JOB, "alpha-1", 0) == Choice(0, 0)


def test_an_attempt_is_found_by_its_number_not_by_its_place() -> None:
    assert choose(JOB, "alpha-1", 2) == Choice(0, 1)


@pytest.mark.parametrize(
    ("run", "attempt", "said"),
    [
        ("gamma", None, "no run 'gamma'; there is alpha-1, alpha-2, beta"),
        ("alpha", None, "2 runs start with 'alpha'; there are alpha-1, alpha-2, beta"),
        ("alpha-1", 1, "run alpha-1 has no attempt 1; it has 0, 2"),
        (None, 7, "run beta has no attempt 7; it has 0, 1"),
    ],
)
def test_a_wish_that_cannot_be_met_lists_what_there_is(run: str | None, attempt: int | None, said: str) -> None:
    with pytest.raises(ChoiceError) as caught:
        choose(JOB, run, attempt)
    assert str(caught.value) == said


def test_a_job_without_runs_has_no_choice() -> None:
    empty = make_job(runs=())
    assert choose(empty) is None
    with pytest.raises(ChoiceError, match="no run was found"):
        choose(empty, "alpha")


def test_a_run_without_attempts_is_never_the_default() -> None:
    assert choose(make_job(make_run(run_id="tried"), make_run(run_id="empty", attempts=()))) == Choice(0, 0)


def test_many_runs_are_not_all_listed() -> None:
    job = make_job(*(make_run(run_id=f"run{number}") for number in range(20)))
    with pytest.raises(ChoiceError, match=r"run12, .*run19 and 12 more$"):
        choose(job, "x")
