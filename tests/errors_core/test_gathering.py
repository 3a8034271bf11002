"""From readings to the picture: the order in which files are read does not matter."""

from __future__ import annotations

import random

import pytest

from errors_core.finding import find_evidence
from errors_core.gathering import Gathered
from errors_core.reading import read_file, read_ranks
from tests.conftest import DATA


@pytest.mark.parametrize("name", ["torchrun", "versions", "reports", "flight_recorder", "torchrun/two_node"])
def test_the_order_of_reading_changes_nothing(name: str) -> None:
    found = find_evidence([str(DATA / name)])
    readings = [read_ranks(ranks, [rank], None) for ranks in found.ranks for rank in ranks.names]
    readings += [read_file(file, None) for file in found.files]
    pictures = []
    for seed in range(4):
        random.Random(seed).shuffle(readings)
        gathered = Gathered(found)
        for reading in readings:
            gathered.add(reading)
        pictures.append(repr(gathered.job((name,)).runs))
    assert pictures[1:] == pictures[:-1]


def test_a_picture_drawn_early_does_not_change_the_later_one() -> None:
    found = find_evidence([str(DATA / "torchrun" / "restart")])
    readings = [read_file(file, None) for file in found.files]
    readings += [read_ranks(ranks, ranks.names, None) for ranks in found.ranks]
    once, often = Gathered(found), Gathered(found)
    for reading in readings:
        once.add(reading)
        often.add(reading)
        often.job(())
    assert repr(often.job(())) == repr(once.job(()))
