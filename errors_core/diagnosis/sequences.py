"""How far each worker got in each process group: who never joined a collective, who is the odd one out.

Owns the comparison of sequence numbers, of training steps and of who did not complain. It refuses to decide.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from errors_core.diagnosis.signatures import signature
from errors_core.diagnosis.wording import evidence, names_of, place_of_end, place_of_silence

if TYPE_CHECKING:
    from errors_core.diagnosis.picture import Picture
    from errors_core.job import Place, Worker

__all__ = ["compare_progress"]

_GROUP = re.compile(r"\[PG (?:ID )?(?P<id>\S+)(?: PG GUID (?P<guid>[^\s\]]+))?")
_NOT_MET = frozenset({"gloo_connect", "store_connect"})
_PROGRESS = frozenset({"nccl_timeout", "nccl_progress", "nccl_dump_from", "nccl_aborted"})


@dataclass(slots=True)
class _Reached:
    """How far one worker got in one group: last started, last finished, the number and kind it gave up on."""

    place: Place
    enqueued: int | None = None
    completed: int | None = None
    gave_up: int | None = None
    operation: str | None = None


def compare_progress(picture: Picture) -> None:
    """Add to the picture what sequence numbers, silence and training steps tell."""
    groups: dict[str, dict[int, _Reached]] = {}
    for index, worker in enumerate(picture.workers):
        _collect(groups, index, worker)
    for reached in groups.values():
        _compare_group(picture, reached)
    _odd_call_site(picture)
    _quiet_ones(picture)
    _early_leavers(picture)
    _compare_steps(picture)


def _collect(groups: dict[str, dict[int, _Reached]], index: int, worker: Worker) -> None:
    texts = [(hit.signature, hit.text, hit.place) for hit in worker.hits if hit.signature in _PROGRESS]
    if worker.error is not None and "SeqNum=" in worker.error.link.message:
        texts.append(("nccl_timeout", worker.error.link.message, worker.error.place))
    group = "default"
    for identifier, text, place in texts:
        named = _GROUP.search(text)
        group = (named["guid"] or named["id"]) if named else group
        _note(groups.setdefault(group, {}), index, identifier, text, place)
    if len(texts) > 1 and "default" in groups:
        _merge_unnamed(groups, index)


def _merge_unnamed(groups: dict[str, dict[int, _Reached]], index: int) -> None:
    """Take lines that name no group for the one group that the same worker names elsewhere."""
    named = [name for name, members in groups.items() if name != "default" and index in members]
    loose = groups["default"].get(index)
    if loose is None or len(named) != 1:
        return
    known = groups[named[0]][index]
    for name in ("enqueued", "completed", "gave_up", "operation"):
        if getattr(known, name) is None:
            setattr(known, name, getattr(loose, name))
    del groups["default"][index]


def _note(members: dict[int, _Reached], index: int, identifier: str, text: str, place: Place) -> None:
    reached = members.setdefault(index, _Reached(place))
    for name in (identifier, "nccl_progress", "nccl_timeout"):
        found = signature(name)
        matched = found.regex.search(text) if found else None
        fields = matched.groupdict() if matched else {}
        if fields.get("seq") and reached.gave_up is None:
            reached.gave_up, reached.operation, reached.place = int(fields["seq"]), fields.get("op"), place
        if fields.get("enq"):
            reached.enqueued = max(int(fields["enq"]), reached.enqueued or -1)
            reached.completed = max(int(fields.get("comp") or -1), reached.completed or -1)


def _compare_group(picture: Picture, members: dict[int, _Reached]) -> None:
    """Compare the members of one group: never joined, behind, or in another collective."""
    waiting = {index: reached for index, reached in members.items() if reached.gave_up is not None}
    if not waiting:
        return
    lowest = min(reached.gave_up for reached in waiting.values() if reached.gave_up is not None)
    late = [i for i, r in members.items() if r.enqueued is not None and r.enqueued < lowest]
    for index in late:
        text = f"it never joined collective {lowest}: the last one that it started was {members[index].enqueued}"
        picture.add(index, "sequence", 3, text, members[index].place)
    behind = [i for i, r in waiting.items() if r.gave_up == lowest]
    if not late and 2 * len(behind) < len(waiting):
        for index in behind:
            text = f"it is behind: it gave up in collective {lowest}, the others in a later one"
            picture.add(index, "sequence", 2, text, members[index].place)
    elif not late and len(waiting) > 1:
        _odd_operation(picture, waiting)
    if not late and len(waiting) == len(picture.workers) and len({r.gave_up for r in waiting.values()}) == 1:
        text = f"all {len(waiting)} workers joined collective {lowest} and none finished it: a link or a GPU may hang"
        picture.doubts.append(evidence(text, next(iter(waiting.values())).place))


def _odd_operation(picture: Picture, waiting: dict[int, _Reached]) -> None:
    kinds = Counter(reached.operation for reached in waiting.values())
    if len(kinds) != 2:
        return
    rare = min(kinds, key=lambda kind: kinds[kind])
    odd = [i for i, reached in waiting.items() if reached.operation == rare]
    where = waiting[odd[0]].place
    text = f"{names_of(picture.workers[i] for i in odd)} waited in {rare}, the others in another collective"
    if 2 * len(odd) < len(waiting):
        for index in odd:
            picture.add(index, "mismatch", 2, f"it waited in {rare} where the others were in another one", where)
    picture.doubts.append(evidence(f"{text}: a mismatch, in which either side may be wrong", where))


def _odd_call_site(picture: Picture) -> None:
    """Suspect the one worker that waited at another place of the code than all the others."""
    sites: dict[tuple[str, str, int | None], list[int]] = {}
    for profile, worker in zip(picture.profiles, picture.workers, strict=True):
        frame = worker.error.link.frame if profile.waiting and worker.error is not None else None
        if frame is not None and frame.own:
            sites.setdefault((frame.path, frame.function, frame.line), []).append(profile.index)
    if len(sites) != 2:
        return
    few, many = sorted(sites.items(), key=lambda item: len(item[1]))
    if len(few[1]) > 1 or len(many[1]) < 2 or len(many[1]) + 1 < len(picture.workers):
        return
    (_, function, line), (index,) = few[0], few[1]
    text = f"it waited in {function}, line {line}, where all the others waited in {many[0][1]}, line {many[0][2]}"
    place = picture.profiles[index].place
    picture.add(index, "mismatch", 2, text, place)
    picture.doubts.append(evidence("they may have called different collectives, and either side may be wrong", place))


def _quiet_ones(picture: Picture) -> None:
    """Suspect the one worker that says nothing where all the others complain about a lost or late peer."""
    quiet = [profile for profile in picture.profiles if not profile.echo and profile.standing != "ok"]
    complaining = sum(profile.echo for profile in picture.profiles)
    if len(quiet) != 1 or not complaining or picture.missing:
        return
    profile, place = quiet[0], place_of_silence(picture.workers[quiet[0].index])
    elsewhere = profile.cause == "nccl_observed_dump"
    if profile.standing not in ("stopped", "silent", "unknown", "stuck") and not elsewhere:
        return
    waiting = any(other.waiting for other in picture.profiles)
    if all(other.cause in _NOT_MET for other in picture.profiles if other.echo):
        return  # they never met: that says nothing about the one that still tried
    picture.add(profile.index, "silent", 1, f"it is the only one of {complaining + 1} that does not complain", place)
    if profile.heard and (waiting or not profile.sent):
        text = "the others waited for it" if waiting else "the others lost their connection to somebody"
        picture.add(profile.index, "quiet", 2, f"{text}, and it is the only one that left no message", place)


def _early_leavers(picture: Picture) -> None:
    """Suspect workers that ended well while the others still needed them."""
    if not any(profile.echo for profile in picture.profiles):
        return
    if any(profile.standing in ("own", "hard", "confirmed", "self_exit") for profile in picture.profiles):
        return
    watched = {w.node for w in picture.workers if w.closings or w.summary_index is not None}
    for profile, worker in zip(picture.profiles, picture.workers, strict=True):
        if profile.standing == "ok":
            text = "it ended with exit code 0 while the others were still communicating"
            picture.add(profile.index, "early", 4, text, place_of_end(worker))
        elif profile.standing == "silent" and worker.node in watched and worker.local_rank is not None:
            text = "it was gone before the others failed: the launcher neither stopped it nor lists it as failed"
            picture.add(profile.index, "early", 2, text, place_of_end(worker))


def _compare_steps(picture: Picture) -> None:
    """Suspect a worker whose last training step is before the last step that all the others reached."""
    steps = {i: w.last_step for i, w in enumerate(picture.workers) if w.last_step is not None}
    if len(steps) < 3 or len(steps) < len(picture.workers):
        return
    lowest = min(steps.values())
    behind = [index for index, step in steps.items() if step == lowest]
    if len(behind) == 1 and min(step for step in steps.values() if step != lowest) > lowest:
        picture.add(behind[0], "progress", 1, f"its last training step is {lowest}; all the others got further")
