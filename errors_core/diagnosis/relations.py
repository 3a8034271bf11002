"""What workers and schedulers say about each other: blame, confirmations, relays and hosts.

Owns the rules that move weight from those who complain to those whom they name. It refuses to decide.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from errors_core.diagnosis.roles import signal_of
from errors_core.diagnosis.signatures import signature
from errors_core.diagnosis.wording import clip, evidence, name_of, names_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from errors_core.diagnosis.picture import Picture
    from errors_core.job import Place, Worker

__all__ = ["relate"]

_STRONG = ("mon_barrier", "nccl_desync", "nccl_remote_err")
_RELAYS = ("nccl_id", "mon_barrier_back")
_PICKS = ("mpirun", "lightning")
_HOST_FIELDS = ("peer", "peer2", "host")
_HOST_SPEAKERS = frozenset(
    {"nccl_sock", "gloo_closed", "gloo_read", "store_recv", "nccl_ib", "nccl_remote", "store_connect"}
)
_NAMING = frozenset({*_STRONG, *_RELAYS, *_PICKS, *_HOST_SPEAKERS, "pg_mismatch"})
_WITNESSES, _ALL_WITNESSES = 2, 4096  # of lost connections: for each host and kind, and for all hosts
_NUMBER = re.compile(r"\d+")
_DRIVER_NUMBERS = frozenset({"48", "62", "63", "64", "74", "79", "92", "94", "95", "119", "120", "140"})


@dataclass(frozen=True, slots=True)
class Statement:
    """One worker names somebody. `speaker` is `None` for an event of the attempt."""

    speaker: int | None
    signature: str
    fields: dict[str, str]
    text: str
    place: Place


def relate(picture: Picture) -> None:
    """Add to the picture what its workers and events say about each other."""
    statements = list(_statements(picture))
    _confirm(picture)
    _strong_blame(picture, statements)
    _mismatch(picture, [said for said in statements if said.signature == "pg_mismatch"])
    _relays(picture, statements)
    _hosts(picture, statements)
    _picks(picture, statements)


def _statements(picture: Picture) -> Iterator[Statement]:
    """Yield who names whom; of one host's workers that lost the same kind of connection a few are enough."""
    heard: Counter[tuple[str | None, str]] = Counter()
    for profile, worker in zip(picture.profiles, picture.workers, strict=True):
        if profile.cause not in _NAMING and not worker.hits:
            continue
        for name, text, place, fields in _namings(worker, profile.cause):
            heard[worker.host, name] += 1
            known = heard[worker.host, name] > _WITNESSES or len(heard) > _ALL_WITNESSES
            if name not in _HOST_SPEAKERS or not known:
                yield Statement(profile.index, name, fields or _fields(name, text), text, place)
    for event in picture.attempt.events:
        if event.signature in _NAMING:
            fields = dict(event.fields) or _fields(event.signature, event.text)
            yield Statement(None, event.signature, fields, event.text, event.place)


def _namings(worker: Worker, cause: str | None) -> Iterator[tuple[str, str, Place, dict[str, str]]]:
    """Yield the lines of one worker that may name somebody: signature, text, place and the fields that are known."""
    for hit in worker.hits:
        if hit.signature in _NAMING:
            yield hit.signature, hit.text, hit.place, dict(hit.fields)
    if worker.error is not None and cause in _NAMING:
        for link in worker.error.links:
            yield cause or "", f"{link.type}: {link.message}", worker.error.place, {}


def _fields(identifier: str, text: str) -> dict[str, str]:
    found = signature(identifier)
    matched = found.regex.search(text) if found else None
    return {name: value for name, value in matched.groupdict().items() if value} if matched else {}


def _confirm(picture: Picture) -> None:
    """Raise a hard death that the kernel or the scheduler confirms."""
    for event in picture.events("kernel", "scheduler", "note"):
        fields = dict(event.fields) or _fields(event.signature or "", event.text)
        pid = fields.get("pid") or fields.get("pid2")
        if event.signature in ("kernel_oom", "shell_killed") and pid and pid.isdigit():
            members = [
                i for i in picture.by_pid.get(int(pid), []) if not event.node or event.node in _homes(picture, i)
            ]
            _confirm_death(picture, members, event.signature, event.text, event.place)
        elif event.signature in ("slurm_oom", "k8s_oom", "batch_memory") or fields.get("why") == "Out Of Memory":
            host = fields.get("host") or event.node
            members = picture.on_host(host) if host else list(range(len(picture.workers)))
            killed = [i for i in members if _killed(picture, i)]
            _confirm_death(picture, killed, "slurm_oom", event.text, event.place)
        elif event.signature == "xid":
            _confirm_gpu(picture, fields.get("xid", ""), event.node, event.text, event.place)


def _homes(picture: Picture, index: int) -> tuple[str | None, ...]:
    worker = picture.workers[index]
    return (worker.node, worker.host, (worker.host or "").split(".", 1)[0])


def _killed(picture: Picture, index: int) -> bool:
    profile = picture.profiles[index]
    return not profile.sent and signal_of(picture.workers[index].exitcode) == 9


def _confirm_death(picture: Picture, members: list[int], cause: str, text: str, place: Place) -> None:
    for index in members:
        profile = picture.profiles[index]
        if cause == "shell_killed":
            picture.add(index, "confirmed", 2, f"the shell says how it ended: {clip(text)}", place)
            continue
        profile.standing, profile.weight, profile.cause = "confirmed", 6, cause
        profile.echo, profile.family = False, None
        picture.add(index, "confirmed", 0, f"the system confirms that memory ran out: {clip(text)}", place)


def _confirm_gpu(picture: Picture, number: str, node: str | None, text: str, place: Place) -> None:
    """Support workers of that host whose own GPU error the driver's log confirms."""
    members = picture.on_host(node) if node else range(len(picture.workers))
    for index in members:
        profile = picture.profiles[index]
        if profile.standing == "own" and (profile.cause or "").startswith(("cuda_", "gpu_lost", "nccl_cuda", "cublas")):
            extra = 1 if number in _DRIVER_NUMBERS else 0.5
            picture.add(index, "confirmed", extra, f"the GPU driver of its host logged a fault: {clip(text)}", place)


def _strong_blame(picture: Picture, statements: list[Statement]) -> None:
    """Move weight to workers that a report names outright; two that name each other cancel out."""
    blamed: dict[int, Statement] = {}
    for said in statements:
        if said.signature in ("mon_barrier", "nccl_remote_err"):
            for rank in _numbers(said.fields.get("r")):
                blamed.setdefault(rank, said)
    for rank, said in _out_of_step([said for said in statements if said.signature == "nccl_desync"]).items():
        blamed.setdefault(rank, said)
    named_ranks = _relayed_ranks(picture, statements)
    for rank, said in blamed.items():
        target = picture.by_rank.get(rank)
        if target is None:
            picture.absent.setdefault(rank, evidence(f"rank {rank} is named: {clip(said.text)}", said.place))
            continue
        if said.speaker == target or (rank, said.speaker) in named_ranks:
            picture.doubts.append(evidence("the workers blame each other", said.place))
            continue
        who = "a report" if said.speaker is None else name_of(picture.workers[said.speaker])
        picture.add(target, "blame", 4, f"{who} names it: {clip(said.text)}", said.place)
        if said.speaker is not None:
            picture.add(said.speaker, "speaker", -3, "it only names another worker", said.place)


def _relayed_ranks(picture: Picture, statements: list[Statement]) -> set[tuple[int, int | None]]:
    """Return pairs (rank that complains about rank 0, index of rank 0), to find blame that goes in a circle."""
    pairs: set[tuple[int, int | None]] = set()
    first = picture.by_rank.get(0)
    for said in statements:
        if said.signature == "mon_barrier_back" and said.speaker is not None:
            worker = picture.workers[said.speaker]
            if worker.rank is not None:
                pairs.add((worker.rank, first))
    return pairs


def _numbers(text: str | None) -> list[int]:
    return [int(number) for number in _NUMBER.findall(text or "")]


def _out_of_step(statements: list[Statement]) -> dict[int, Statement]:
    """Return the ranks that a desync report shows behind all others."""
    behind: dict[int, Statement] = {}
    reached: dict[int, tuple[int, Statement]] = {}
    for said in statements:
        for rank in _numbers(said.fields.get("r2")):
            behind.setdefault(rank, said)
        number = said.fields.get("a") or said.fields.get("c")
        for rank in _numbers(said.fields.get("r")) if number else ():
            reached[rank] = (int(number or 0), said)
    if behind or len(reached) < 2:
        return behind
    lowest = min(number for number, _ in reached.values())
    late = {rank: said for rank, (number, said) in reached.items() if number == lowest}
    return late if len(late) < len(reached) else {}


def _mismatch(picture: Picture, statements: list[Statement]) -> None:
    """Name the odd one out where workers were in different collectives; of two, neither."""
    running: dict[int, tuple[str, Statement]] = {}
    for said in statements:
        for name, text in (("a", "ca"), ("b", "cb")):
            if said.fields.get(name, "").isdigit():
                running[int(said.fields[name])] = (_collective(said.fields.get(text, "")), said)
    sides: dict[str, list[int]] = {}
    for rank, (collective, _) in running.items():
        sides.setdefault(collective, []).append(rank)
    if not sides:
        return
    for members in sides.values():
        for rank in members:
            index = picture.by_rank.get(rank)
            if index is not None:  # saying so is no cause: the two sides differ, and either may be wrong
                picture.profiles[index].weight = min(picture.profiles[index].weight, 2)
    smallest = min(sides.values(), key=len)
    if len(sides) == 2 and 2 * len(smallest) < len(running):
        _odd_ones(picture, smallest, running)
    else:
        said = next(iter(running.values()))[1]
        picture.doubts.append(
            evidence(
                f"the workers called different collectives; either side may be wrong: {clip(said.text)}", said.place
            )
        )


def _odd_ones(picture: Picture, ranks: list[int], running: dict[int, tuple[str, Statement]]) -> None:
    for rank in ranks:
        index = picture.by_rank.get(rank)
        if index is not None:
            collective, said = running[rank]
            picture.add(
                index, "mismatch", 2, f"it called {collective} where most others called something else", said.place
            )


def _collective(text: str) -> str:
    """Return what makes two collectives the same: kind and shape, not the number."""
    kind = re.search(r"OpType=(\w+)", text)
    shape = re.search(r"TensorShape=\[([\d, ]*)\]", text)
    return f"{kind[1] if kind else text[:40]}{f' of shape [{shape[1]}]' if shape else ''}"


def _relays(picture: Picture, statements: list[Statement]) -> None:
    """Follow messages that point at rank 0 once; a rank 0 that is a victim itself is no suspect."""
    said = next((said for said in statements if said.signature in _RELAYS), None)
    if said is None:
        return
    target = picture.by_rank.get(0)
    if target is None:
        picture.absent.setdefault(0, evidence(f"rank 0 is pointed at: {clip(said.text)}", said.place))
    elif picture.profiles[target].standing not in ("victim", "ambiguous") and said.speaker != target:
        picture.add(target, "relay", 2, f"others point at it: {clip(said.text)}", said.place)


def _picks(picture: Picture, statements: list[Statement]) -> None:
    """Count a launcher that names the first process it found dead a little; text decides."""
    for said in statements:
        if said.signature in _PICKS:
            target = picture.by_rank.get(int(said.fields.get("r", "-1")))
            if target is not None and picture.profiles[target].standing not in ("victim", "own"):
                picture.add(target, "pick", 2, f"the launcher names it: {clip(said.text)}", said.place)


def _hosts(picture: Picture, statements: list[Statement]) -> None:
    """Follow complaints from host to host; the end of the chain is where to look."""
    if len(picture.by_home) < 2:
        return
    edges: dict[str, set[str]] = {}
    example: dict[str, Statement] = {}
    for said in statements:
        if said.signature not in _HOST_SPEAKERS or said.speaker is None:
            continue
        peer = next((said.fields[name] for name in _HOST_FIELDS if said.fields.get(name)), "")
        members = picture.on_host(re.split(r"[<:\[]", peer, maxsplit=1)[0] if not peer.startswith("[") else peer)
        if not members or said.speaker in members:
            continue
        home = picture.workers[members[0]].host or picture.workers[members[0]].node or peer
        edges.setdefault(picture.workers[said.speaker].host or picture.workers[said.speaker].node or "", set()).add(
            home
        )
        example.setdefault(home, said)
    for home in {target for targets in edges.values() for target in targets} - set(edges):
        _suspect_host(picture, home, example[home])


def _suspect_host(picture: Picture, home: str, said: Statement) -> None:
    members = [i for i in picture.on_host(home) if not picture.profiles[i].echo]
    for index in members:
        what = f"the others lost their connection to its host, {home}: {clip(said.text)}"
        picture.add(index, "host", 2 / len(members), what, said.place)
    if not members:
        others = names_of(picture.workers[i] for i in picture.on_host(home))
        picture.doubts.append(
            evidence(f"the trail ends at host {home}, where {others} only report others too", said.place)
        )
