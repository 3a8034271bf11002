from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from errors_core.job import Job, Problem
from errors_core.verdict import Evidence, Verdict
from inspector.presentation.choice import Choice
from inspector.presentation.markdown_text import code, fence, prose
from inspector.reports.markdown import format_markdown
from tests.builders import (
    LOST_PEER,
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

NASTY = [
    "<script>alert(1)</script>",
    "[click](https://evil.example)",
    "![pixel](https://evil.example/p.png)",
    "@team please run",
    "https://evil.example www.evil.example",
    "fixes #12 and GH-7 0123abcdef0123abcdef0123abcdef0123abcdef",
    "a | b \\| c \\",
    "`one` ``two`` ```three``` ~~~",
    "# heading",
    "- item",
    "1. item",
    "> quote",
    "---",
    "*bold* _it_ ~~gone~~ $x$ :smile: &lt; <!-- x -->",
    "line\n```\n# out of the fence",
    "    indented",
]


def parse(text: str) -> list[Token]:
    """All tokens, nested ones as well, as GitHub's dialect has them."""
    tokens = MarkdownIt("gfm-like").parse(text)
    return [inner for token in tokens for inner in (token, *(token.children or ()))]


def report(job: Job, verdicts: list[list[Verdict]] | None = None, **options: Any) -> str:
    if verdicts is None:
        verdicts = [[make_verdict(attempt) for attempt in run.attempts] for run in job.runs]
    last = Choice(len(job.runs) - 1, len(job.runs[-1].attempts) - 1) if job.runs else None
    return "\n".join(format_markdown(job, verdicts, **({"choice": last, "details": RecordedDetails()} | options)))


def nasty_job(text: str) -> str:
    worker = make_worker(f"ValueError: {text}", host=text, node=text, error_file=text)
    job = make_job(make_run(make_attempt(worker), run_id=text), inputs=(text,), problems=(Problem(text, text),))
    verdict = make_verdict(
        job.runs[0].attempts[0], summary=text, broke_at=text, advice=(text,), evidence=(Evidence(text, text, 1),)
    )
    return report(job, [[verdict]], details=RecordedDetails({0: text}))


def check_harmless(text: str) -> None:
    kinds = {token.type for token in parse(text)}
    assert not kinds & {"html_block", "html_inline", "link_open", "image", "em_open", "s_open", "blockquote_open"}
    assert not kinds & {"code_block", "lheading_open"}


def test_the_verdict_stands_first_and_the_tables_have_their_rows() -> None:
    text = report(two_node(), [[two_node_verdict()]])
    assert text.startswith("**Verdict:** Rank 3 broke the job: IndexError: list index out of range.")
    assert "| 3 | node1 (gpu-node-02) | 1 | +0 s | exit 1 | root cause |" in text
    assert sum(token.type == "table_open" for token in parse(text)) == 3


def test_every_failed_worker_is_a_row() -> None:
    text = report(many_ranks(50))
    for rank in range(50):
        assert f"\n| {rank} | node{rank // 8} (gpu-node-{rank // 8:04}) |" in text


def test_the_job_cannot_make_html_links_images_or_emphasis() -> None:
    for nasty in NASTY:
        check_harmless(nasty_job(nasty))


@given(st.text(st.sampled_from("ab1@#<>[](){}|\\`*_~!-+=.:/$& \n\t\x1b\u202e"), max_size=30))
def test_no_text_of_the_job_acts_as_markdown(nasty: str) -> None:
    check_harmless(nasty_job(nasty))


@given(st.text(st.sampled_from("ab1|\\`*_ .-"), max_size=20))
def test_a_table_keeps_its_cells_whatever_they_hold(nasty: str) -> None:
    worker = make_worker(f"ValueError: {nasty}", host=nasty)
    attempt = make_attempt(worker)
    text = report(make_job(make_run(attempt)))
    rows = [token for token in parse(text) if token.type == "td_open"]
    facts, groups, workers = 5, 5, 8
    assert len(rows) == facts * 2 + groups + workers


def test_mentions_and_references_stand_in_code_where_no_dialect_acts_on_them() -> None:
    assert prose("ask @team about #12 at https://x.example now") == "ask `@team` about `#12` at `https://x.example` now"
    assert prose("see GH-7, or 0123abcdef") == "see `GH-7`, or `0123abcdef`"
    assert prose("Rank 3 broke it at 12:00:00, ranks 0-2 (4 workers) followed.").count("`") == 0


def test_a_sentence_cannot_begin_a_list() -> None:
    assert prose("1. item") == "`1. item`"
    assert prose("- item") == "`-` item"


def test_a_code_span_is_longer_than_any_run_of_backticks_in_it() -> None:
    assert code("a `b` ``c``") == "``` a `b` ``c`` ```"
    assert code("") == "—"


def test_a_pipe_in_a_table_is_escaped_also_behind_a_backslash() -> None:
    assert code("a|b", in_table=True) == "`a\\|b`"
    assert code("a\\|b", in_table=True) == "`a\\\\x7cb`"


def test_a_fence_is_longer_than_any_inside() -> None:
    assert list(fence("a\n````\nb")) == ["`````text", "a", "````", "b", "`````"]


def test_a_folded_traceback_keeps_what_differs() -> None:
    said = {0: "Traceback\n  File a\nE: port 1\n", 1: "Traceback\n  File a\nE: port 2\n"}
    job = make_job(make_run(make_attempt(make_worker("E: port 1", rank=0), make_worker("E: port 2", rank=1))))
    text = report(job, details=RecordedDetails(said))
    assert "The same on rank 1 but for:\n\n```text\nE: port 2\n```" in text


def test_every_attempt_and_every_problem_is_there() -> None:
    first, last = make_attempt(make_worker(LOST_PEER), number=0), make_attempt(number=1)
    text = report(make_job(make_run(first, last), problems=(Problem("a/error.json", "not JSON", 3),)))
    assert "# Also there: run `job-4471`, attempt 0" in text
    assert LOST_PEER in text
    assert "- not JSON (`a/error.json:3`)" in text
    assert report(make_job(runs=())).startswith("Nothing was found")
