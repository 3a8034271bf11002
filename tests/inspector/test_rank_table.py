"""The table of ranks: sorting by value, filtering by text, columns that fit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from errors_core.job import Attempt, Worker
from errors_core.verdict import FirstFailure, Verdict
from inspector.presentation.filter_query import FilterQuery, parse_filter
from inspector.presentation.glyphs import ASCII, UNICODE
from inspector.presentation.lines import plain
from inspector.presentation.rank_columns import format_header, format_row, plan_columns
from inspector.presentation.rank_table import SORT_KEYS, RankTable
from inspector.presentation.safe_text import cell_width
from tests.builders import NOON, make_attempt, make_verdict, make_worker, many_ranks, two_node, two_node_verdict


def table_of(*workers: Worker, verdict: Verdict | None = None) -> RankTable:
    attempt = make_attempt(*workers)
    return RankTable(attempt, verdict or make_verdict(attempt))


def two_node_table() -> RankTable:
    return RankTable(two_node().runs[0].attempts[0], two_node_verdict())


def everything(table: RankTable) -> range:
    return range(len(table))


def test_the_root_cause_comes_first_then_echoes_then_what_the_launcher_ended() -> None:
    table = two_node_table()
    assert table.sort("cause", everything(table)) == [3, 0, 2, 1]
    assert [table.state_word(index) for index in (3, 0, 1)] == ["root cause", "echo", "ended"]


def test_candidates_of_an_unsure_verdict_are_called_so_and_nobody_is_the_root_cause() -> None:
    attempt = two_node().runs[0].attempts[0]
    verdict = make_verdict(attempt, confidence="unsure", worker=2, candidates=(2, 0))
    table = RankTable(attempt, verdict)
    assert table.sort("cause", everything(table))[:2] == [2, 0]
    assert [table.state_word(index) for index in (0, 2)] == ["candidate", "candidate"]
    assert "root cause" not in {table.state_word(index) for index in everything(table)}


def test_ranks_and_nodes_sort_by_number() -> None:
    workers = [make_worker(rank=rank, host=f"node{rank}", local_rank=0) for rank in (10, 9, 100, 2)]
    table = table_of(*workers)
    for key in ("rank", "where"):
        assert [table.workers[i].rank for i in table.sort(key, everything(table))] == [2, 9, 10, 100]


def test_a_row_without_the_value_comes_last_whichever_way_the_order_runs() -> None:
    table = table_of(make_worker(rank=None, local_rank=5), make_worker(rank=1), make_worker(rank=0))
    assert table.sort("rank", everything(table)) == [2, 1, 0]
    assert table.sort("rank", everything(table), reverse=True) == [1, 2, 0]


def test_time_is_the_distance_to_the_first_failure_as_exactly_as_both_tell() -> None:
    first = make_worker(rank=0, timestamp=NOON, timestamp_ns=NOON * 10**9)
    exact = make_worker(rank=1, timestamp=NOON, timestamp_ns=NOON * 10**9 + 250_000_000)
    whole = make_worker(rank=2, timestamp=NOON + 3)
    unknown = make_worker(rank=3, timestamp=None)
    attempt = make_attempt(first, exact, whole, unknown)
    table = RankTable(attempt, make_verdict(attempt, first_failure=FirstFailure(0)))
    assert [table.delay(index) for index in range(4)] == [0, 0.25, 3, None]


def test_without_a_verdict_no_row_has_a_part_in_the_story() -> None:
    table = RankTable(make_attempt(make_worker(rank=0), make_worker(rank=1, exitcode=0)))
    assert [table.state(0), table.state(1)] == ["unknown", "ok"]
    assert table.root is None
    assert table.delay(0) is None


def test_the_filter_looks_at_every_column() -> None:
    table = two_node_table()
    for text, rows in {
        "gpu-node-02": [3, 2],
        "sigterm": [1],
        "root cause": [3],
        "IndexError": [3],
        "=2": [2],
        "!=2": [3, 0, 1],
        "=": [3, 0, 2, 1],
        "peer !gpu-node-01": [2],
        "!peer": [3],
        "peer index": [],
        "": [3, 0, 2, 1],
        "!": [3, 0, 2, 1],
    }.items():
        assert table.rows("cause", parse_filter(text)) == rows, text


def test_a_filter_reads_back_as_it_was_typed() -> None:
    query = parse_filter("  Peer !SIGTERM  ! =3 ")
    assert query == FilterQuery(("peer", "\n=3\n"), ("sigterm",))
    assert str(query) == "peer =3 !sigterm"
    assert bool(query)
    assert not parse_filter(" ! ")


@given(st.sampled_from(SORT_KEYS), st.booleans())
def test_every_order_holds_every_row_once(key: str, reverse: bool) -> None:
    table = two_node_table()
    assert sorted(table.sort(key, everything(table), reverse=reverse)) == [0, 1, 2, 3]  # type: ignore[arg-type]  # drawn


@given(st.integers(min_value=24, max_value=220), st.integers(min_value=0, max_value=3), st.booleans())
def test_a_row_is_exactly_as_wide_as_the_list(width: int, index: int, cursor: bool) -> None:
    table = two_node_table()
    plan = plan_columns(table, width)
    row = plain(format_row(table, index, plan, UNICODE, cursor=cursor))
    assert cell_width(row) == width or dict(plan.columns)["message"] == 0
    assert cell_width(plain(format_header(plan, "rank", UNICODE))) == cell_width(row)


def test_a_narrow_list_says_which_columns_it_hides() -> None:
    assert plan_columns(two_node_table(), 79).hidden == ()
    plan = plan_columns(two_node_table(), 50)
    assert plan.hidden == ("after", "state")
    assert dict(plan.columns).keys() == {"rank", "where", "exit", "message"}


def test_a_column_that_no_row_knows_takes_no_room_and_is_not_called_hidden() -> None:
    table = table_of(make_worker(rank=0, host=None, node=None, local_rank=None, timestamp=None))
    plan = plan_columns(table, 79)
    assert dict(plan.columns).keys() == {"rank", "exit", "state", "message"}
    assert plan.hidden == ()


def test_a_worker_of_which_only_the_process_id_is_known_is_named_by_it() -> None:
    table = table_of(make_worker(rank=None, local_rank=None, node=None, host=None, pid=4711))
    assert table.where(0) == "pid 4711"


def test_unknown_values_are_shown_as_unknown() -> None:
    table = table_of(make_worker(rank=None, local_rank=1), make_worker(rank=4, exitcode=None, node=None, host=None))
    plan = plan_columns(table, 79)
    assert plain(format_row(table, 0, plan, UNICODE)).split()[1] == "—"
    assert plain(format_row(table, 0, plan, ASCII)).isascii()


def test_the_sorted_column_carries_an_arrow() -> None:
    plan = plan_columns(two_node_table(), 79)
    assert "state▴" in plain(format_header(plan, "state", UNICODE))
    assert "rankv" in plain(format_header(plan, "rank", ASCII, reverse=True))
    assert "▴" not in plain(format_header(plan, "cause", UNICODE))


def test_every_state_has_a_mark_and_a_word_of_its_own() -> None:
    job = two_node()
    for glyphs in (UNICODE, ASCII):
        table = RankTable(job.runs[0].attempts[0], two_node_verdict())
        rows = [plain(format_row(table, index, plan_columns(table, 79), glyphs)) for index in (3, 0, 1)]
        assert len({row[1] for row in rows}) == 3


def test_an_attempt_without_workers_has_an_empty_table() -> None:
    table = RankTable(Attempt())
    assert table.rows("cause", FilterQuery()) == []
    assert plan_columns(table, 79).hidden == ()


def test_orders_of_many_ranks_are_kept() -> None:
    table = RankTable(many_ranks(100).runs[0].attempts[0])
    assert table.rows("rank", FilterQuery()) is table.rows("rank", FilterQuery())
    assert table.rows("rank", parse_filter("=9")) == [9]
