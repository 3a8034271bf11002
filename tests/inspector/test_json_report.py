import json
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from errors_core.job import Job, Problem
from errors_core.verdict import Evidence, LauncherSays, Verdict, WorkerState
from inspector.presentation.choice import Choice
from inspector.reports.json import format_json
from tests.builders import (
    NOON,
    RecordedDetails,
    make_attempt,
    make_job,
    make_run,
    make_verdict,
    make_worker,
    many_ranks,
    two_node,
    two_node_verdict,
)

SCHEMA = json.loads((files("inspector.reports") / "report.schema.json").read_text())
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def text_of(job: Job, verdicts: list[list[Verdict]] | None = None, **options: Any) -> str:
    if verdicts is None:
        verdicts = [[make_verdict(attempt) for attempt in run.attempts] for run in job.runs]
    last = Choice(len(job.runs) - 1, len(job.runs[-1].attempts) - 1) if job.runs else None
    defaults: dict[str, Any] = {"choice": last, "details": RecordedDetails(), "version": "0.1.0"}
    return "\n".join(format_json(job, verdicts, **(defaults | options)))


def report(job: Job, verdicts: list[list[Verdict]] | None = None, **options: Any) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(text_of(job, verdicts, **options), parse_constant=pytest.fail)
    Draft202012Validator(SCHEMA).validate(data)
    return data


def test_the_published_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_the_shape_is_the_contracts() -> None:
    data = report(two_node(), [[two_node_verdict()]])
    assert list(data) == ["schema_version", "tool", "inputs", "verdict", "runs", "problems"]
    assert data["schema_version"] == 1
    assert data["tool"] == {"name": "elastic-inspect", "version": "0.1.0"}
    (run,) = data["runs"]
    assert {key: run[key] for key in ("run_id", "nodes", "world_size")} == {
        "run_id": "job-4471",
        "nodes": ["node0", "node1"],
        "world_size": 4,
    }
    (attempt,) = run["attempts"]
    assert attempt["verdict"] == data["verdict"]
    assert attempt["first_failure"] == {
        "rank": 3,
        "node": "node1",
        "local_rank": 1,
        "timestamp": NOON,
        "tied_with": [],
    }
    assert attempt["groups"][1] == {
        "group": 2,
        "count": 1,
        "title": "IndexError: list index out of range",
        "ranks": [3],
    }


def test_the_verdict_names_worker_cause_and_evidence() -> None:
    assert report(two_node(), [[two_node_verdict()]])["verdict"] == {
        "kind": "worker",
        "confidence": "sure",
        "rank": 3,
        "local_rank": 1,
        "node": "node1",
        "host": "gpu-node-02",
        "ranks": [3],
        "workers": [{"rank": 3, "node": "node1", "local_rank": 1}],
        "cause": "py_exception",
        "summary": "Rank 3 broke the job: IndexError: list index out of range.",
        "broke_at": 'train.py:26 parse_shard: return shard["tokens"][7]',
        "evidence": [
            {"text": "Rank 3 raised an error of its own.", "path": "errors/node1/attempt_0/1/error.json", "line": 1}
        ],
        "against": [{"text": "The clocks of two hosts were compared.", "path": None, "line": None}],
        "missing": [{"text": "The worker logs of node1.", "path": None, "line": None}],
        "advice": ["Look at parse_shard in train.py, line 26."],
        "launcher_says": {"rank": 0, "why_different": "That launcher saw only the workers of its own node."},
    }


def test_a_worker_has_every_key() -> None:
    data = report(two_node(), [[two_node_verdict()]], details=RecordedDetails({3: "Traceback…"}, {3: {"step": 7}}))
    assert data["runs"][0]["attempts"][0]["workers"][3] == {
        "rank": 3,
        "local_rank": 1,
        "node": "node1",
        "host": "gpu-node-02",
        "role": None,
        "pid": 5003,
        "exitcode": 1,
        "signal": None,
        "timestamp": NOON,
        "timestamp_source": "error_file",
        "state": "origin",
        "error_type": "IndexError",
        "message": "IndexError: list index out of range",
        "traceback": "Traceback…",
        "error_file": "errors/node1/attempt_0/1/error.json",
        "extra_info": {"step": 7},
        "group": 2,
    }


def test_what_is_not_known_is_null() -> None:
    nobody = make_worker(run_id=None, node=None, host=None, rank=None, local_rank=None, pid=None, exitcode=None)
    attempt = make_attempt(nobody)
    verdict = make_verdict(attempt, kind="unknown", states=(WorkerState("unknown"),))
    data = report(make_job(make_run(attempt, run_id=None, world_size=None)), [[verdict]])
    (worker,) = data["runs"][0]["attempts"][0]["workers"]
    assert {key for key, value in worker.items() if value is not None} == {"state", "extra_info"}
    assert data["runs"][0]["run_id"] is None
    assert data["runs"][0]["world_size"] is None


def test_a_signal_has_its_name() -> None:
    data = report(make_job(make_run(make_attempt(make_worker(exitcode=-9)))))
    assert data["runs"][0]["attempts"][0]["workers"][0]["signal"] == "SIGKILL"


def test_ranks_are_the_candidates_when_unsure_and_all_concerned_when_common() -> None:
    attempt = make_attempt(*(make_worker(rank=rank) for rank in range(4)))
    job = make_job(make_run(attempt))
    unsure = make_verdict(attempt, confidence="unsure", candidates=(1, 2), worker=1)
    assert report(job, [[unsure]])["verdict"]["ranks"] == [1, 2]
    common = make_verdict(attempt, kind="common", candidates=(0, 1, 2, 3))
    assert report(job, [[common]])["verdict"]["ranks"] == [0, 1, 2, 3]


def test_the_chosen_attempts_verdict_stands_at_the_top() -> None:
    first, last = make_attempt(number=0), make_attempt(number=1)
    verdicts = [[make_verdict(first, summary="one"), make_verdict(last, summary="two")]]
    job = make_job(make_run(first, last))
    assert report(job, verdicts)["verdict"]["summary"] == "two"
    assert report(job, verdicts, choice=Choice(0, 0))["verdict"]["summary"] == "one"


def test_a_job_without_runs_is_a_report_too() -> None:
    data = report(make_job(runs=(), problems=(Problem("a", "not JSON", 3), Problem("b", "empty"))))
    assert (data["verdict"]["kind"], data["verdict"]["confidence"]) == ("unknown", "unsure")
    assert data["verdict"]["missing"][0] == {"text": "a: not JSON", "path": "a", "line": 3}
    assert report(make_job(runs=()))["verdict"]["kind"] == "none"
    assert data["problems"] == [
        {"path": "a", "problem": "not JSON (line 3)"},
        {"path": "b", "problem": "empty"},
    ]


def test_many_workers_are_one_line_each() -> None:
    text = text_of(many_ranks(300))
    assert sum(line.startswith('     {"rank"') for line in text.splitlines()) == 300


@given(st.text(st.characters(exclude_categories=()), max_size=20), st.dictionaries(st.text(), json_values, max_size=3))
def test_any_text_and_any_extra_info_give_valid_plain_ascii_json(text: str, extra: dict[str, Any]) -> None:
    worker = make_worker(f"E: {text}", host=text, role=text)
    job = make_job(make_run(make_attempt(worker), run_id=text), inputs=(text,), problems=(Problem(text, text),))
    verdict = make_verdict(
        job.runs[0].attempts[0],
        summary=text,
        evidence=(Evidence(text, text, 1),),
        launcher_says=LauncherSays(0, why_different=text),
    )
    written = text_of(job, [[verdict]], details=RecordedDetails({0: text}, {0: extra}))
    assert written.isascii()
    assert not any(ord(char) < 32 or ord(char) == 127 for char in written.replace("\n", ""))
    data = json.loads(written, parse_constant=pytest.fail)
    Draft202012Validator(SCHEMA).validate(data)
    json.dumps(data, ensure_ascii=False).encode()


def test_not_a_number_and_infinity_are_null_and_lone_surrogates_are_spelled_out() -> None:
    extra = {"loss": float("nan"), "steps": [float("inf"), 1.5], "name": "a\ud800b"}
    data = report(make_job(), details=RecordedDetails(extra={0: extra}))
    (worker,) = data["runs"][0]["attempts"][0]["workers"]
    assert worker["extra_info"] == {"loss": None, "steps": [None, 1.5], "name": "a\\ud800b"}


def test_endless_nesting_ends() -> None:
    deep: Any = []
    for _ in range(5000):
        deep = [deep]
    text = text_of(make_job(), details=RecordedDetails(extra={0: {"deep": deep}}))
    assert "nested deeper" in json.dumps(json.loads(text))


def test_a_worker_of_unknown_rank_is_told_by_node_and_local_rank() -> None:
    workers = [make_worker(rank=None, local_rank=n, node=None) for n in (0, 1)]
    attempt = make_attempt(*workers)
    data = report(make_job(make_run(attempt)), [[make_verdict(attempt, kind="common", candidates=(0, 1))]])
    assert data["verdict"]["ranks"] == []
    assert [worker["local_rank"] for worker in data["verdict"]["workers"]] == [0, 1]
