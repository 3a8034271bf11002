from errors_core.job import Attempt, Run
from errors_core.verdict import Evidence, LauncherSays, Verdict
from inspector.presentation.answer import answer_of, attempts_in_short, blamed_words
from tests.builders import make_attempt, make_run, make_verdict, make_worker, two_node, two_node_verdict


def facts_of(run: Run, attempt: Attempt, verdict: Verdict) -> dict[str, str]:
    return {fact.label: fact.value for fact in answer_of(run, attempt, verdict).facts}


def test_the_answer_says_how_sure_who_where_and_when() -> None:
    run = two_node().runs[0]
    assert facts_of(run, run.attempts[0], two_node_verdict()) == {
        "Confidence": "sure",
        "Worker": "rank 3 on node1 (gpu-node-02), pid 5003, exit 1",
        "Broke at": 'train.py:26 parse_shard: return shard["tokens"][7]',
        "First failure": "rank 3, 2026-12-01 12:00:00 UTC (from the error file)",
        "Job": "run job-4471, attempt 0: 4 workers on 2 nodes, 4 failed",
    }


def test_sections_without_a_sentence_are_left_out() -> None:
    run = make_run()
    assert answer_of(run, run.attempts[0], make_verdict(run.attempts[0])).sections == ()
    run = two_node().runs[0]
    titles = [section.title for section in answer_of(run, run.attempts[0], two_node_verdict()).sections]
    assert titles == ["Check first", "Why", "Against it", "Missing", "The launcher says"]


def test_an_unsure_verdict_names_its_candidates() -> None:
    attempt = make_attempt(*(make_worker(rank=rank) for rank in range(4)))
    verdict = make_verdict(attempt, confidence="unsure", candidates=(1, 2))
    facts = facts_of(make_run(attempt), attempt, verdict)
    assert facts["Candidates"] == "ranks 1, 2"
    assert facts["Confidence"].startswith("unsure")
    assert "Worker" not in facts
    assert blamed_words(attempt, verdict) == "ranks 1, 2?"


def test_a_common_cause_names_all_workers_and_how_many() -> None:
    attempt = make_attempt(*(make_worker(rank=rank) for rank in range(8)))
    verdict = make_verdict(attempt, kind="common", candidates=tuple(range(8)))
    assert facts_of(make_run(attempt), attempt, verdict)["Workers"] == "ranks 0-7 (8)"
    assert blamed_words(attempt, verdict) == "ranks 0-7"


def test_a_difference_from_the_launcher_is_explained() -> None:
    run = make_run()
    verdict = make_verdict(run.attempts[0], launcher_says=LauncherSays(0, 0, "node0", "It saw one node."))
    (section,) = answer_of(run, run.attempts[0], verdict).sections
    assert section.points == (Evidence("rank 0 on node0. Why this differs: It saw one node."),)


def test_a_launcher_that_agrees_is_quoted_as_agreeing() -> None:
    run = make_run()
    verdict = make_verdict(run.attempts[0], launcher_says=LauncherSays(None, 1, "node0"))
    (section,) = answer_of(run, run.attempts[0], verdict).sections
    assert section.points[0].text == "local rank 1 on node0, as this report does"


def test_missing_workers_show_in_the_world_size() -> None:
    run = make_run(make_attempt(make_worker()), world_size=16, nodes=())
    facts = facts_of(run, run.attempts[0], make_verdict(run.attempts[0]))
    assert facts["Job"] == "run job-4471, attempt 0: 1 worker, 1 failed (world size 16)"


def test_every_attempt_is_named_with_its_verdict() -> None:
    attempts = [make_attempt(make_worker(rank=rank), number=number) for number, rank in enumerate((1, 0, 3))]
    verdicts = [make_verdict(attempt) for attempt in attempts]
    said = attempts_in_short(make_run(*attempts), verdicts, 2)
    assert said == "0: rank 1; 1: rank 0; 2: rank 3 (this one)"


def test_of_many_attempts_the_last_are_named() -> None:
    attempts = [make_attempt(number=number) for number in range(30)]
    said = attempts_in_short(make_run(*attempts), [make_verdict(attempt) for attempt in attempts], 29)
    assert said.startswith("22: rank 0; 23: rank 0")
    assert said.endswith("29: rank 0 (this one); the last 8 of 30")


def test_an_attempt_without_a_failure_blames_nobody() -> None:
    attempt = make_attempt(make_worker(exitcode=0))
    assert blamed_words(attempt, make_verdict(attempt)) == "no failure"
    assert blamed_words(attempt, make_verdict(attempt, kind="external")) == "stopped from outside"


def test_an_answer_that_cannot_decide_says_first_what_is_not_in_the_data() -> None:
    run = make_run()
    missing = (Evidence("The output of rank 0: torchrun --log-dir DIR keeps it"),)
    unsure = make_verdict(run.attempts[0], confidence="unsure", summary="Nobody knows.", missing=missing)
    said = "Nobody knows. Not in the data: the output of rank 0: torchrun --log-dir DIR keeps it."
    assert answer_of(run, run.attempts[0], unsure).sentence == said
    sure = make_verdict(run.attempts[0], summary="Rank 0.", missing=missing)
    assert answer_of(run, run.attempts[0], sure).sentence == "Rank 0."
