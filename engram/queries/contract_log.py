"""Log of a vault -> the events of the memory contract that a person asks for.

Transactions come from the catalog, given blocks from the access log, words from the files as they
are now: "(purged)" where they were destroyed, "(gone)" where there is no file. Read from the end,
so that the last few of very many cost no more than they are. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from engram.model.contract_event import (
    SOURCES,
    TYPED,
    ContractEvent,
    LoggedTransaction,
    events_of,
    events_of_block,
    events_of_diff,
)  # fmt: skip
from engram.model.errors import BadInput
from engram.model.given import BY_HAND
from engram.model.item import item_id, store_of_memory
from engram.model.item_view import dedup_key, item_row, listed, memory_item
from engram.model.phase import NO_PHASE, phase_at
from engram.model.phase_diff import AskedDiff
from engram.model.phase_event import store_of_text
from engram.model.policy import policy_of_snapshot
from engram.model.promotion import PROMOTED_FROM, PROMOTION_REASON
from engram.model.trace import BORDER_CHECK, CONTRACT_EVENTS, PHASE_DIFF, RECALL
from engram.model.traced_text import traced_text
from engram.model.vault_label import split_id
from engram.model.write_rules import Attempt, tags_of
from engram.store.catalog.given_rows import newest_asked
from engram.store.catalog.log_rows import LogFilter

if TYPE_CHECKING:
    from engram.model.given import GivenBlock
    from engram.model.instant import Instant
    from engram.model.item import Store
    from engram.model.memory import Memory
    from engram.model.phase import Phase
    from engram.queries.given_queries import GivenQueries
    from engram.queries.memories import Memories
    from engram.queries.phase_queries import PhaseQueries
    from engram.store.catalog.access_log import AccessLog
    from engram.store.catalog.catalog import Catalog

PURGED, GONE = "(purged)", "(gone)"


class EventFilter(NamedTuple):
    """Which events are wanted; what is empty does not count. `since` is a day or an instant."""

    type: str = ""
    since: str = ""
    space: str = ""
    session: str = ""


class ContractLog:
    """The events of one vault."""

    def __init__(
        self, catalog: Catalog, givens: GivenQueries, log: AccessLog,
        policy: Callable[[str], Mapping[str, object]], phases: PhaseQueries, memories: Memories,
    ) -> None:  # fmt: skip
        """`policy` gives the snapshot of a digest, empty where there is none."""
        self._known = _CatalogKnown(catalog, givens, policy, phases, memories.memory)
        self._catalog = catalog
        self._log = log
        self._policy = policy

    def last(self, limit: int, wanted: EventFilter = EventFilter()) -> list[ContractEvent]:
        """The last events, at most so many, in the order in which they happened.

        Raises BadInput for a type that neither the contract nor the log has.
        """
        if wanted.type and wanted.type not in CONTRACT_EVENTS:
            known = self._catalog.log.names()
            if wanted.type not in known:
                raise BadInput(
                    f"there is no event {wanted.type!r}",
                    f"the events are {', '.join((*CONTRACT_EVENTS, *known))}",
                )
        found: list[list[ContractEvent]] = []
        count = 0
        for one in ordered(self._transactions(wanted), self._blocks(wanted)):
            events = [event for event in self._events(one) if _is_wanted(event, wanted)]
            if events:
                found.append(events)
                count += len(events)
            if count >= limit:
                break
        told = [event for events in reversed(found) for event in events]
        return told[max(0, len(told) - limit) :]

    def expanded(self, event: ContractEvent) -> ContractEvent:
        """An event with the policy itself in place of its digest, where it is kept."""
        fields = dict(event.fields)
        for name in ("policy", "policy_snapshot"):
            ref = fields.get(name)
            if isinstance(ref, dict) and (whole := self._policy(str(ref.get("ref", "")))):
                fields[name] = dict(whole)
        return event._replace(fields=fields)

    def _events(
        self, one: LoggedTransaction | GivenBlock | AskedDiff
    ) -> Iterator[ContractEvent]:  # fmt: skip
        if isinstance(one, LoggedTransaction):
            return events_of(one, self._known)
        if isinstance(one, AskedDiff):
            return events_of_diff(one, self._catalog.log.tick_at(one.last))
        return events_of_block(one, self._catalog.log.tick_at(one.last), self._known)

    def _transactions(self, wanted: EventFilter) -> Iterator[LoggedTransaction]:
        if wanted.type in (RECALL, PHASE_DIFF):
            return iter(())
        names = () if wanted.type == BORDER_CHECK else SOURCES.get(wanted.type, (wanted.type,))
        session = "" if wanted.session == BY_HAND else wanted.session
        return self._catalog.log.newest(
            LogFilter(tuple(filter(None, names)), wanted.since, wanted.space, session)
        )

    def _blocks(self, wanted: EventFilter) -> Iterator[GivenBlock | AskedDiff]:
        if wanted.type not in ("", RECALL, PHASE_DIFF, BORDER_CHECK):
            return iter(())
        session = wanted.session
        return (one for one in newest_asked(self._log) if session in ("", one.session))


def _is_by_hand(wanted: EventFilter, event: ContractEvent) -> bool:
    """Whether an event is of what the person typed, which has a transcript but no conversation."""
    return wanted.session == BY_HAND and event.session.rpartition("-")[0] == TYPED


def _is_wanted(event: ContractEvent, wanted: EventFilter) -> bool:
    return (
        wanted.type in ("", event.type)
        and event.time >= wanted.since
        and (wanted.session in ("", event.session) or _is_by_hand(wanted, event))
        and (not wanted.space or wanted.space in event.spaces)
    )


class _CatalogKnown:
    """What the catalog and the files know of items."""

    def __init__(
        self, catalog: Catalog, givens: GivenQueries,
        policy: Callable[[str], Mapping[str, object]], phases: PhaseQueries,
        memory: Callable[[str], Memory | None],
    ) -> None:  # fmt: skip
        self._memory = memory
        self._phases = phases
        self._catalog = catalog
        self._givens = givens
        self._policy = policy
        self._tags: dict[tuple[str, Attempt], tuple[str, ...]] = {}

    def item(self, file: str, number: int) -> str:
        found = self._catalog.items.of_then(file, number)
        return str(found) if found is not None else file

    def view(self, file: str, item: str, meta: Mapping[str, object]) -> dict[str, object]:
        known = item_id(item)
        tick = self._catalog.items.tick_of(known) if known is not None else 0
        told = {name: value for name, value in meta.items() if value}
        place = {} if known is None else {"space": known.store.space, "owner": known.store.owner}
        memory, (label, _) = self._memory(file), split_id(file)
        if memory is not None:
            told |= (
                {"vault": label}
                if label
                else self._phases.meta(
                    known.store if known else store_of_memory(memory), memory.created
                )
            )
            seen = memory_item(memory, item, tick, told)
            row = item_row(seen)
            row["text"] = traced_text(memory.text)
            described = dict(seen.meta)
            event_type = str(described.get("event_type", ""))
            key = dedup_key(event_type, memory.text, memory.key, logged=True)
            if place and place["space"] != described.get("space"):
                # what it was before it left that space
                for name in (PROMOTED_FROM, PROMOTION_REASON):
                    described.pop(name, None)
            row["meta"] = listed(described | place | {"dedup_key": key})
            return row
        return {
            "id": item or file, "kind": "semantic" if known is None else known.kind,
            "text": PURGED if self._catalog.log.is_purged(file) else GONE, "source": "unknown",
            "created_at": tick, "importance": 0.0, "scope": "session",
            "meta": listed({"file": file, **place, **told}),
        }  # fmt: skip

    def tags(self, policy: str, attempt: Attempt) -> Sequence[str]:
        """Of what is admitted every step was passed: the tags follow from the policy."""
        if (policy, attempt) not in self._tags:
            whole = self._policy(policy)
            found = tags_of(policy_of_snapshot(whole), attempt) if whole else ()
            self._tags[policy, attempt] = found
        return self._tags[policy, attempt]

    def is_first(self, item: str, time: Instant) -> bool:
        known = item_id(item)
        if known is None or not self._phases.is_first(known):
            return False
        memory = self._catalog.memory(self._catalog.items.file_of(known) or "")
        moment = time if memory is None else memory.created
        return phase_at(self._phases.phases(known.store), moment).number == 1

    def phase_id(self, store: str, time: Instant) -> str:
        found = store_of_text(store)
        return NO_PHASE if found is None else phase_at(self._phases.phases(found), time).id

    def page_phase(self, store: Store, start: Instant) -> Phase | None:
        found = (one for one in self._phases.phases(store) if one.start == start)
        return next(found, None)

    def phase_counts(self, block: GivenBlock) -> Mapping[str, Mapping[str, int]]:
        found: dict[str, dict[str, int]] = {space: {} for space in block.spaces}
        for one in block.items:
            memory = self._catalog.memory(one.id)
            name = NO_PHASE
            if memory is not None:
                store = store_of_memory(memory)
                name = phase_at(self._phases.phases(store), memory.created).id
            counts = found.setdefault(one.space, {})
            counts[name] = counts.get(name, 0) + 1
        return found

    def current_phase(self, block: GivenBlock) -> Mapping[str, object] | None:
        store = self._phases.store_of_block(block)
        tick = self._catalog.log.tick_at(block.last)
        if phase_at(self._phases.phases(store), block.time).start or (
            0 < self._catalog.phases.first_tick(str(store)) <= tick
        ):
            return self._phases.meta(store, block.time)
        return None

    def question(self, block: GivenBlock) -> str:
        return traced_text(self._givens.question(block)[1])


def ordered(
    transactions: Iterable[LoggedTransaction], blocks: Iterable[GivenBlock | AskedDiff]
) -> Iterator[LoggedTransaction | GivenBlock | AskedDiff]:
    """All, newest first: a block comes after the last transaction that was seen, by its number.

    So does a difference that was asked for. Times do not count: a clock may go back.
    """
    waiting = iter(blocks)
    block = next(waiting, None)
    for one in transactions:
        while block is not None and block.last >= one.number:
            yield block
            block = next(waiting, None)
        yield one
    while block is not None:
        yield block
        block = next(waiting, None)
