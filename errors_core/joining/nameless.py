"""Texts that no worker signed → the only worker that they fit, or a worker of which nothing else is known.

Owns that choice. A text that fits several workers is given to none of them.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from errors_core.job import Event
from errors_core.joining.drafts import Draft
from errors_core.tracebacks.summary import CUT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from errors_core.job import ErrorSummary
    from errors_core.joining.agents import Agent
    from errors_core.joining.drafts import Drafts, Seen
    from errors_core.sightings import Sighting

__all__ = ["place_nameless"]


def place_nameless(drafts: Drafts, nameless: Iterable[Seen]) -> list[Event]:
    """Add the nameless sightings to the drafts; return as events those that are no worker's."""
    events: list[Event] = []
    waiting: dict[Agent, list[Seen]] = defaultdict(list)
    has_launcher = any(draft.agent is not None and not draft.agent.floating for draft in drafts.all)
    for seen in nameless:
        sighting = seen.sighting
        known = [draft for draft in drafts.all if _left(draft, sighting)]
        if known:
            _add_to_known(known, seen)
        elif sighting.source == "error_file":
            drafts.all.append(_anonymous([seen]))
        elif sighting.error is None:
            is_new_end = sighting.exitcode and all(draft.exitcode != sighting.exitcode for draft in drafts.all)
            if is_new_end or sighting.collectives:
                drafts.all.append(_anonymous([seen]))
        elif seen.agent.floating and has_launcher:
            events += _notes(seen)
        else:
            waiting[seen.agent].append(seen)
    for agent, texts in waiting.items():
        _place(drafts, agent, texts)
    return events


def _left(draft: Draft, sighting: Sighting) -> bool:
    """Tell whether a worker is known to have left this text: by its fingerprint, or word for word."""
    error = sighting.error
    if error is None:
        return False
    words = _words(error)
    return error.exact in draft.errors or any(
        other.message == words or (other.error is not None and _words(other.error) == words)
        for other in draft.sightings
    )


def _words(error: ErrorSummary) -> str:
    last = error.links[-1]
    return f"{last.type}: {last.message}"


def _add_to_known(known: list[Draft], seen: Seen) -> None:
    """Give a text that workers are known to have left to the one of them that it can be told for."""
    root = [draft for draft in known if any(sighting.launcher_root for sighting in draft.sightings)]
    if len(known) == 1:
        known[0].add(seen)
    elif len(root) == 1 and seen.sighting.source == "error_file":
        root[0].add(seen)  # the launcher's own error file is a copy of its pick's


def _place(drafts: Drafts, agent: Agent, texts: list[Seen]) -> None:
    """Give one launcher's unsigned tracebacks to its workers that an exception ended and that left no other text."""
    by_text: dict[str, list[Seen]] = defaultdict(list)
    for seen in texts:
        if seen.sighting.error is not None:
            by_text[seen.sighting.error.exact].append(seen)
    free = [draft for draft in drafts.all if draft.agent is agent and not draft.errors and _raised(draft)]
    count = sum(len(same) for same in by_text.values())
    if len(by_text) == 1 and count == len(free):
        for draft, seen in zip(free, texts, strict=True):
            draft.add(seen)
        return
    for same in by_text.values():
        if any(not _is_cut(seen) for seen in same):
            drafts.all.append(_anonymous(same))


def _raised(draft: Draft) -> bool:
    """Tell whether an exception may have ended a worker: one ends Python with exit code 1."""
    return draft.exitcode == 1 or (draft.exitcode is None and not draft.stopped)


def _is_cut(seen: Seen) -> bool:
    error = seen.sighting.error
    return error is None or all(link.type == CUT for link in error.links)


def _anonymous(same: list[Seen]) -> Draft:
    draft = Draft(None)
    for seen in same:
        draft.add(seen)
    return draft


def _notes(seen: Seen) -> list[Event]:
    error = seen.sighting.error
    return [] if error is None else [Event("note", error.link.title[:500], error.place)]
