"""What flight recorder dumps tell together: who never joined a collective, who did not finish what others finished.

Owns the comparison of dumps group by group. Sends and receives are left out: every worker counts them for itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from errors_core.diagnosis.wording import evidence, names_of

if TYPE_CHECKING:
    from errors_core.diagnosis.picture import Picture
    from errors_core.job import CollectiveProgress

__all__ = ["any_stuck", "compare_recorders"]

_Group = dict[int, "CollectiveProgress"]


def any_stuck(picture: Picture) -> bool:
    """Tell whether a dump shows a collective that was asked for and never completed."""
    return any(c.op is not None and c.p2p is False for worker in picture.workers for c in worker.collectives)


def compare_recorders(picture: Picture) -> None:
    """Add to the picture what the dumps of a process group tell about its members."""
    groups: dict[tuple[str, tuple[int, ...]], _Group] = {}
    for index, worker in enumerate(picture.workers):
        for progress in worker.collectives:
            if progress.p2p is False and progress.ranks:
                groups.setdefault((progress.group, progress.ranks), {})[index] = progress
    for (_, ranks), members in groups.items():
        if len(ranks) > 1:
            _compare(picture, ranks, members)


def _compare(picture: Picture, ranks: tuple[int, ...], members: _Group) -> None:
    """Compare the members of one group at the first collective that somebody waits in."""
    waiting = {index: found for index, found in members.items() if found.op is not None and found.seq is not None}
    if not waiting:
        return
    furthest = max(found.last_completed or 0 for found in members.values())
    for index, found in waiting.items():
        if (found.last_completed or 0) < furthest and (found.seq or 0) <= furthest:
            text = f"it did not finish {_named(found)}, which others of its group finished"
            picture.add(index, "recorder", 3, text, found.place)
    number = min(found.seq or 0 for found in waiting.values())
    example = next(found for found in waiting.values() if found.seq == number)
    absent = _never_joined(picture, ranks, members, number)
    for index in absent[: len(waiting)]:
        who = names_of(picture.workers[i] for i in waiting)
        text = f"it never joined {_named(example)}, in which {who} waited"
        picture.add(index, "recorder", 3, text, example.place)


def _never_joined(picture: Picture, ranks: tuple[int, ...], members: _Group, number: int) -> list[int]:
    """Return the members of a group that did not start a collective, or whose dump does not know the group."""
    found: list[int] = []
    for rank in ranks:
        index = picture.by_rank.get(rank)
        if index is None:
            text = f"rank {rank} left no flight recorder dump, and others of its group waited in collective {number}"
            picture.absent.setdefault(rank, evidence(text, next(iter(members.values())).place))
        elif index not in members or (members[index].last_enqueued or number) < number:
            found.append(index)
    return found


def _named(found: CollectiveProgress) -> str:
    kind = (found.op or "a collective").removeprefix("nccl:")
    where = f" of {found.description}" if found.description else ""
    return f"{kind} number {found.seq}{where}"
