from typing import Any

import pytest

from inspector.presentation import words
from tests.builders import LOST_PEER, make_attempt, make_error, make_failure, make_worker


@pytest.mark.parametrize(
    ("marks", "said"),
    [
        ({"rank": 3}, "rank 3"),
        ({"rank": None, "local_rank": 1}, "local rank 1 on node0"),
        ({"rank": None, "local_rank": 1, "node": None, "host": None}, "local rank 1"),
        ({"rank": None, "local_rank": None, "pid": 77}, "pid 77"),
        ({"rank": None, "local_rank": None, "pid": None}, "a worker of unknown rank"),
    ],
)
def test_a_worker_is_named_by_what_its_data_tells(marks: dict[str, Any], said: str) -> None:
    assert words.worker_words(make_worker(**marks)) == said


@pytest.mark.parametrize(
    ("numbers", "said"),
    [([], ""), ([3], "3"), ([1, 0], "0, 1"), ([7, 5, 6, 6, 0], "0, 5-7"), (range(1024), "0-1023")],
)
def test_runs_of_three_numbers_and_more_are_joined(numbers: list[int], said: str) -> None:
    assert words.ranges(numbers) == said


def test_workers_without_a_rank_are_named_node_by_node() -> None:
    workers = [make_worker(rank=0), make_worker(rank=1)]
    workers += [make_worker(rank=None, local_rank=local, node=f"node{n}") for n in (3, 4) for local in range(4)]
    workers += [make_worker(rank=None, local_rank=None, pid=77)]
    attempt = make_attempt(*workers)
    said = words.ranks_words(attempt, range(11))
    assert said == "ranks 0, 1, local ranks 0-3 on node3, local ranks 0-3 on node4, pid 77"
    assert words.ranks_words(attempt, [1]) == "rank 1"
    assert words.ranks_words(attempt, [2]) == "local rank 0 on node3"


def test_more_workers_than_a_sentence_can_name_are_counted() -> None:
    attempt = make_attempt(*(make_worker(rank=2 * number) for number in range(100)))
    assert words.ranks_words(attempt, range(100), parts=3) == "ranks 0, 2, 4 and 97 more"


def test_exit_codes_read_as_signal_names_or_numbers() -> None:
    assert [words.exit_words(code) for code in (None, 0, 1, -9, -100)] == [
        "—",
        "exit 0",
        "exit 1",
        "SIGKILL",
        "exit -100",
    ]


def test_a_host_stands_beside_the_node_only_where_it_has_another_name() -> None:
    assert words.where_words(make_worker()) == "node0 (gpu-node-01)"
    assert words.where_words(make_worker(host="node0")) == "node0"
    assert words.where_words(make_worker(node=None)) == "gpu-node-01"
    assert words.where_words(make_worker(node=None, host=None)) == "—"


def test_the_message_is_found_in_every_shape_of_a_failure() -> None:
    nested = make_failure()
    nested.message = {"message": "ValueError: x", "extraInfo": {}}
    assert words.message_of(make_worker(failure=nested)) == "ValueError: x"
    assert words.message_of(make_worker(LOST_PEER)) == LOST_PEER
    assert words.message_of(make_worker(exitcode=0)) is None


def test_the_title_is_one_line() -> None:
    assert words.title_of(make_worker("first\nsecond", error=None)) == "first"
    assert words.title_of(make_worker(error=make_error("KeyError: 'a'\nmore"))) == "KeyError: 'a'"
    assert words.title_of(make_worker(exitcode=None, failure=None)) is None
