"""Phase events: a phase that began, and a difference that was asked for -> fields (seed 002).

    phase_started: its store, its time, a tick  ->  memory_phase_started, and the check before it
    a difference of the access log              ->  memory_phase_diff, and the check before it

The first item of a store implies its first phase. Names and reasons are not in the log: they are
those of `phases.md` at the moment of asking. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from engram.model.given import GivenBlock
from engram.model.instant import Instant
from engram.model.item import Store, item_id
from engram.model.phase import DISABLED, NO_PHASE, Phase
from engram.model.phase_diff import AskedDiff, lines_of
from engram.model.trace import BORDER_CHECK, ITEM, PHASE_DIFF, PHASE_STARTED, STORE

Fields = Mapping[str, object]
#: the checks, as their events have them in `action`
START, DIFF = "phase_start", "phase_diff"


def store_of_text(text: str) -> Store | None:
    """The store that `<space>:<owner>` names."""
    space, colon, owner = text.partition(":")
    return Store(space, owner) if colon and space and owner else None


class KnownPhases(Protocol):
    """What is known of phases at the moment of asking."""

    def page_phase(self, store: Store, start: Instant) -> Phase | None:
        """The phase of a store that began at a moment, or with its first item where that is ''."""
        ...

    def is_first(self, item: str, time: Instant) -> bool:
        """Whether an item, judged at a moment, is the first of its store and in its first phase."""
        ...

    def phase_id(self, store: str, time: Instant) -> str:
        """The phase of a store (`<space>:<owner>`) at a moment; `phase-unknown` of no store."""
        ...

    def phase_counts(self, block: GivenBlock) -> Mapping[str, Mapping[str, int]]:
        """How many items of a block came from which phase, by space."""
        ...

    def current_phase(self, block: GivenBlock) -> Fields | None:
        """The phase that a block was given in; None before the first memory of its store."""
        ...


def phases_begun(
    name: str, details: Mapping[str, str], known: KnownPhases, policy: str, time: Instant
) -> Iterator[tuple[str, Fields]]:
    """The phase that an event of a transaction began, or implies: its check, then itself."""
    item = item_id(details.get(ITEM, ""))
    store, phase_id = None, "phase-1"
    if name == PHASE_STARTED:
        store = store_of_text(details.get(STORE, ""))
        phase_id = details.get("phase", "") or NO_PHASE
    elif item is not None and known.is_first(str(item), time):
        store = item.store
    if store is not None:
        start = details.get("at", "") or "-" if name == PHASE_STARTED else ""
        yield BORDER_CHECK, _check(START, store.space, policy)
        yield PHASE_STARTED, _started(store, phase_id, known.page_phase(store, start), policy)


def diff_asked(asked: AskedDiff) -> Iterator[tuple[str, Fields]]:
    """The check of a difference that was asked for; then itself, if it was told."""
    space = asked.store.partition(":")[0]
    yield BORDER_CHECK, _check(DIFF, space, asked.policy, asked.refused)
    if not asked.refused:
        yield PHASE_DIFF, _told(asked)


def _check(action: str, space: str, policy: str, refused: str = "") -> Fields:
    """The check at the border of a space."""
    return {
        "action": action, "from_space": space, "allowed": not refused,
        "reason": refused or "allowed", "policy_snapshot": {"ref": policy},
    }  # fmt: skip


def refused_start(details: Mapping[str, str], policy: str) -> Fields:
    """The check of a phase that the policy did not let begin, by its event."""
    space = details.get("store", "").partition(":")[0]
    return _check(details.get("action", ""), space, policy, details.get("code", "") or DISABLED)


def _started(store: Store, phase_id: str, phase: Phase | None, policy: str) -> Fields:
    """A phase that began; `phase` is what the page says of it, None where it says nothing."""
    name = {"phase_name": phase.name} if phase is not None and phase.name else {}
    return {
        "space": store.space, "owner": store.owner, "phase_id": phase_id, **name,
        "reason": phase.reason if phase is not None else "(gone)",
        "policy_snapshot": {"ref": policy},
    }  # fmt: skip


def _told(asked: AskedDiff) -> Fields:
    """A difference as it was told."""
    space, _, owner = asked.store.partition(":")
    added, deleted, replaced = asked.counts
    return {
        "space": space, "owner": owner, "from_phase_id": asked.from_id,
        "to_phase_id": asked.to_id, "added_count": added, "deleted_count": deleted,
        "replaced_count": replaced, "top_changes": [dict(one) for one in asked.changes],
        "summary_lines": lines_of(*asked.counts),
    }  # fmt: skip
