"""Contract events: the log of transactions and of given blocks, in the words of seed 002.

    a transaction's events  ->  memory_write; then of each candidate: check, denied | conflict,
                                deleted
    a given block           ->  memory_recall, and the check of each space, read or not
    a difference of phases  ->  its check, and memory_phase_diff

A projection, and nothing more: what is implied is not stored. An item that was judged implies its
border check, the first of a store its first phase, one that was admitted the tags of the policy
that held. Items, words, phases and questions come in through `Known`, and are those of the moment
of asking. Events of the vault that the contract does not know (`consolidated`, `extracted`,
`hand_edit`) keep their names and details. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from engram.model import phase_event
from engram.model.change import Event
from engram.model.given import BY_HAND, IMPORT, NIGHT, PERSON, GivenBlock
from engram.model.instant import Instant
from engram.model.item import event_type_of, item_id
from engram.model.memory import SESSION, SPACES
from engram.model.numbering import NUMBERED
from engram.model.phase_diff import AskedDiff
from engram.model.trace import (
    BORDER_CHECK,
    CONFLICT,
    DELETED,
    DENIED,
    FORGET,
    FROM,
    HAND_EDIT,
    ITEM,
    PHASE_STARTED,
    PROMOTED,
    PROMOTED_AS,
    PROMOTION_DENIED,
    RECALL,
    TICK,
    WRITE,
)  # fmt: skip
from engram.model.write_rules import Attempt

Fields = Mapping[str, object]
#: names that a transaction's event has of the contract's; `memory_restored` returns as a write
_RETURNED = "memory_restored"
#: the events of a transaction that are told under other names, beside what they imply
SOURCES: Mapping[str, tuple[str, ...]] = {
    WRITE: (WRITE, _RETURNED), DENIED: (DENIED,), CONFLICT: (CONFLICT,), FORGET: (FORGET,),
    DELETED: (DELETED, PROMOTED),
    PHASE_STARTED: (PHASE_STARTED, WRITE, DENIED, HAND_EDIT, NUMBERED),
}  # fmt: skip
#: refusals at the border of a space: the check says it, and nothing was denied by a rule
_BORDER_CODES = frozenset({"write_space_disallowed", "space_disabled"})
#: of events that number a file, and whose border check, if any, is told apart
_NOT_JUDGED = frozenset({HAND_EDIT, NUMBERED, PROMOTED})
#: who acts where no conversation tells it, by the kind of the transaction
_ACTORS: Mapping[str, str] = {"consolidate": NIGHT, "expire": NIGHT, "import": IMPORT}
#: the name of a conversation's transcript: who spoke with the person, and a digest
_TRANSCRIPT = re.compile(r"[a-z0-9][a-z0-9_.-]*-[0-9a-f]{12}")
#: the source of transcripts of what a person typed
TYPED = "remember"
_INTERACTION = "interaction_recorded"


class LoggedTransaction(NamedTuple):
    """A transaction without its files; `tick` is the last that was used, `policy` a digest."""

    number: int
    time: Instant
    kind: str
    policy: str
    tick: int
    events: tuple[Event, ...]


class ContractEvent(NamedTuple):
    """One event; `fields` are those of its type, in their order.

    `number` is that of its transaction, or of the last one before a block was given. `session` is
    the name of a conversation's transcript, or `by-hand`.
    """

    type: str
    number: int
    tick: int
    time: Instant
    ai_profile: str
    session: str
    fields: Fields

    @property
    def row(self) -> dict[str, object]:
        """The event as JSON has it."""
        head: dict[str, object] = {
            "type": self.type, "n": self.number, "tick": self.tick, "at": self.time,
            "ai_profile": self.ai_profile, "session": self.session,
        }  # fmt: skip
        return head | dict(self.fields)

    @property
    def spaces(self) -> frozenset[str]:
        """The spaces that it concerns."""
        named = (self.fields.get(name) for name in ("space", "from_space", "to_space"))
        found = {name for name in named if isinstance(name, str)}
        ids = [self.fields.get(name) for name in _IDS]
        for name in ("attempted", "written", "recalled"):
            value = self.fields.get(name)
            rows = value if isinstance(value, list) else [value]
            ids += [row.get("id") for row in rows if isinstance(row, dict)]
        items = (item_id(name) for name in ids if isinstance(name, str))
        return frozenset(found.union(item.store.space for item in items if item is not None))


_IDS = ("memory_id", "winner_id", "loser_id", "subject_id", "item", "from_id", "to_id")


class Known(phase_event.KnownPhases, Protocol):
    """What is known of items and words at the moment of asking."""

    def item(self, file: str, number: int) -> str:
        """The item of a memory as of a transaction; its file's id where it has none."""
        ...

    def view(self, file: str, item: str, meta: Fields) -> dict[str, object]:
        """An item of eight fields; the text is "(purged)" or "(gone)" where there is none."""
        ...

    def tags(self, policy: str, attempt: Attempt) -> Sequence[str]:
        """The tags of what was admitted under the policy of a digest."""
        ...

    def question(self, block: GivenBlock) -> str:
        """What a block was given for, as far as that may still be told."""
        ...


def events_of(one: LoggedTransaction, known: Known) -> Iterator[ContractEvent]:
    """The events of a transaction, in the order of the contract."""
    yield from _written(one, known)
    before = Event("")
    for event in one.events:
        details = dict(event.details)
        for name, fields in phase_event.phases_begun(
            event.name, details, known, one.policy, one.time
        ):
            yield _event(one, name, details, fields)
        judged = event.name not in _NOT_JUDGED and details.get(ITEM, "")
        if judged and judged != dict(before.details).get(ITEM, ""):
            yield _checked(one, event, details)
        if event.name == BORDER_CHECK and details.get("action") == phase_event.START:
            fields = phase_event.refused_start(details, one.policy)
            yield _event(one, BORDER_CHECK, details, fields)
        elif event.name in _OF_PROMOTION:
            yield from _promotion(one, event, details, known)
        elif event.name not in (WRITE, _RETURNED, PHASE_STARTED) and not _is_border(event, details):
            yield _told(one, event, details, known)
        before = event


def events_of_block(block: GivenBlock, tick: int, known: Known) -> Iterator[ContractEvent]:
    """What was given; then a check of each space: in the order read, the closed ones behind."""
    policy = {"ref": block.policy}
    head = (block.last, tick, block.time, block.by, block.session)
    recalled = [
        known.view(one.id, one.item, {"recall_reason": one.codes, "tells": one.tells})
        for one in block.items
    ]
    fields: dict[str, object] = {
        "how": block.how, "query": known.question(block), "recalled": recalled, "policy": policy,
        "deterministic_hash": block.deterministic_hash, "content_hash": block.content_hash,
        "spaces_consulted": list(block.spaces), "recall_counts": block.counts,
        "phase_counts": known.phase_counts(block), "current_phase": known.current_phase(block),
    }  # fmt: skip
    yield ContractEvent(RECALL, *head, fields)
    for space in (*block.spaces, *(one for one in SPACES if one not in block.spaces)):
        allowed = space in block.spaces
        check = {
            "action": "read", "from_space": space, "allowed": allowed,
            "reason": "allowed" if allowed else "space_disabled", "policy_snapshot": policy,
        }  # fmt: skip
        yield ContractEvent(BORDER_CHECK, *head, check)


def events_of_diff(asked: AskedDiff, tick: int) -> Iterator[ContractEvent]:
    """The check of the space; then what changed from one phase to another, if it was told."""
    head = (asked.last, tick, asked.time, asked.by, asked.session)
    for name, fields in phase_event.diff_asked(asked):
        yield ContractEvent(name, *head, fields)


# -- one transaction ------------------------------------------------------------------------------


def _written(one: LoggedTransaction, known: Known) -> Iterator[ContractEvent]:
    """What was written, by who wrote it in which session, and why."""
    found: dict[tuple[str, str, str], list[dict[str, object]]] = {}
    ticks: dict[tuple[str, str, str], int] = {}
    for event in one.events:
        if event.name not in (WRITE, _RETURNED):
            continue
        details = dict(event.details)
        why = _INTERACTION if event.name == WRITE else "restored"
        group = (*_actor(one, "", details), details.get("reason", "") or why)
        item = details.get(ITEM, "") or known.item(event.subject, one.number)
        attempt = _admitted(item, details)
        tags = () if attempt is None else known.tags(one.policy, attempt)
        found.setdefault(group, []).append(known.view(event.subject, item, {"policy_tags": tags}))
        ticks[group] = max(ticks.get(group, 0), _tick(details, one))
    for group, items in found.items():
        actor, session, reason = group
        fields = {"written": items, "reason": reason}
        yield ContractEvent(WRITE, one.number, ticks[group], one.time, actor, session, fields)


def _admitted(item: str, details: Mapping[str, str]) -> Attempt | None:
    """What the policy was asked, by the event of a write; None where nobody asked it."""
    known, category = item_id(item), details.get("category", "")
    if known is None or not category or details.get("origin") == "consolidation":
        return None
    record = SESSION in (details.get("schema"), details.get("code"))
    return Attempt(
        known.store.space, known.kind, event_type_of(category, SESSION if record else ""),
        by_hand=details.get("origin") == "person", session_record=record,
    )  # fmt: skip


def _checked(one: LoggedTransaction, event: Event, details: Mapping[str, str]) -> ContractEvent:
    """The check of a judged candidate at the border of its space."""
    item, refused = details[ITEM], _is_border(event, details)
    return _event(one, BORDER_CHECK, details, {
        "action": "write", "from_space": "session", "to_space": item.partition(":")[0],
        "allowed": not refused, "reason": details["code"] if refused else "allowed",
        "subject_id": item, "policy_snapshot": {"ref": one.policy},
    })  # fmt: skip


_OF_PROMOTION = frozenset({BORDER_CHECK, PROMOTED, PROMOTION_DENIED})


def _promotion(
    one: LoggedTransaction, event: Event, details: Mapping[str, str], known: Known
) -> Iterator[ContractEvent]:
    """What was said of a memory that was to leave its space; one that left it is deleted there."""
    policy = {"ref": one.policy}
    left = details.get(FROM) or event.subject
    spaces = {name: details.get(name, "") for name in ("from_space", "to_space")}
    code = details.get("code", "")
    if event.name == BORDER_CHECK:
        check = {"action": "promote", **spaces, "allowed": code == "allowed", "reason": code}
        more = {"subject_id": left, "policy_snapshot": policy}
        yield _event(one, BORDER_CHECK, details, check | more)
        return
    if event.name == PROMOTION_DENIED:
        denied = {"memory_id": left, "allowed": False, "reason": code, "policy_snapshot": policy}
        yield _event(one, PROMOTION_DENIED, details, spaces | denied)
        return
    into = details.get("into", "")
    here = details.get(ITEM, "") or details.get("to_item", "")
    now = known.item(into, one.number) if into else here
    vault = {"to_vault": details["to_vault"]} if "to_vault" in details else {}
    yield _event(one, PROMOTED, details, {
        **spaces, "from_id": left, "to_id": now, **vault,
        "authority_used": details.get("authority", ""), "reason": details.get("by", ""),
        "policy_snapshot": policy,
    })  # fmt: skip
    yield _deleted(one, details, left, PROMOTED_AS, now, known)


def _deleted(
    one: LoggedTransaction, details: Mapping[str, str], item: str, reason: str, by: str,
    known: Known,
) -> ContractEvent:  # fmt: skip
    """An item that left the active set of its store."""
    space, owner, *_ = (*item.split(":"), "")
    named = item_id(item) is not None
    return _event(one, DELETED, details, {
        "space": space if named else "", "owner": owner if named else "",
        "phase_id": known.phase_id(f"{space}:{owner}" if named else "", one.time),
        "memory_id": item, "reason": reason,
        **({"replaced_by": by} if by else {}), "policy_snapshot": {"ref": one.policy},
    })  # fmt: skip


def _is_border(event: Event, details: Mapping[str, str]) -> bool:
    return event.name == DENIED and details.get("code", "") in _BORDER_CODES


def _told(
    one: LoggedTransaction, event: Event, details: Mapping[str, str], known: Known
) -> ContractEvent:
    """An event by itself; one that the contract does not know has its subject and details."""
    policy = {"ref": one.policy}

    def item_of(file: str) -> str:
        return known.item(file, one.number) if file else details.get(ITEM, "")

    if event.name == DENIED:
        fields: Fields = {
            "attempted": _attempted(details), "reason": details.get("code", ""),
            "policy_snapshot": policy,
        }  # fmt: skip
    elif event.name == CONFLICT:
        winner, loser = details.get("winner", ""), event.subject
        sides = (winner, item_of(winner)), (loser, item_of(loser))
        fields = _conflict(sides, details.get("rule", ""), known)
    elif event.name == FORGET:
        fields = {
            "memory_id": item_of(event.subject), "reason": details.get("reason", ""),
            "policy_snapshot": policy,
        }  # fmt: skip
    elif event.name == DELETED:
        by = details.get("replaced_by", "")
        gone = item_of(event.subject), details.get("reason", ""), item_of(by) if by else ""
        return _deleted(one, details, *gone, known)
    else:
        fields = {"subject": event.subject, "details": dict(sorted(details.items()))}
    return _event(one, event.name, details, fields)


def _attempted(details: Mapping[str, str]) -> Fields:
    """A refused candidate: nothing of its words, and nothing that is made of them."""
    item = item_id(details.get(ITEM, ""))
    meta: dict[str, object] = {}
    if details.get("type"):
        meta["event_type"] = details["type"]
    if item is not None:
        meta |= {"space": item.store.space, "owner": item.store.owner}
    if details.get("length", "").isdecimal():
        meta["length"] = int(details["length"])
    if details.get("rule"):
        meta["rule"] = details["rule"]
    known = {} if item is None else {"id": str(item), "kind": item.kind}
    return known | {"source": _SOURCES.get(details.get("origin", ""), "user"), "meta": meta}


#: who a candidate is of, by what proposed it: rules and a model read what was said
_SOURCES: Mapping[str, str] = {"model": "ai", "consolidation": "system"}


def _conflict(sides: tuple[tuple[str, str], tuple[str, str]], rule: str, known: Known) -> Fields:
    """Who stands, and what each rung of the ladder saw of the two."""
    (_, winner_id), (_, loser_id) = sides
    views = [known.view(file, item, {}) if file else {} for file, item in sides]
    metas = [view.get("meta") for view in views]
    told = [meta if isinstance(meta, dict) else {} for meta in metas]

    def both(name: str) -> dict[str, object]:
        pairs = zip(("winner", "loser"), told, strict=True)
        return {side: meta[name] for side, meta in pairs if name in meta}

    ticks = zip(("winner_created_at", "loser_created_at"), views, strict=True)
    return {
        "winner_id": winner_id, "loser_id": loser_id, "rule": rule,
        "dedup_key": told[0].get("dedup_key", "unknown"),
        "explanation": {
            "authority": both("authority"), "event_type": both("event_type"),
            "recency": {name: view["created_at"] for name, view in ticks if "created_at" in view},
        },
    }  # fmt: skip


def _event(
    one: LoggedTransaction, name: str, details: Mapping[str, str], fields: Fields
) -> ContractEvent:  # fmt: skip
    head = (name, one.number, _tick(details, one), one.time)
    return ContractEvent(*head, *_actor(one, str(fields.get("subject", "")), details), fields)


def _tick(details: Mapping[str, str], one: LoggedTransaction) -> int:
    tick = details.get(TICK, "")
    return int(tick) if tick.isascii() and tick.isdecimal() and len(tick) < 16 else one.tick


def _actor(
    one: LoggedTransaction, subject: str, details: Mapping[str, str]
) -> tuple[str, str]:  # fmt: skip
    """Who acted, and in which session: by the turn that was read, else by the transaction."""
    named = details.get("source", "").partition("#")[0], subject
    session = next(filter(_TRANSCRIPT.fullmatch, named), "")
    if details.get("agent"):
        return details["agent"], session or BY_HAND
    if not session:
        return _ACTORS.get(one.kind, PERSON), BY_HAND
    profile = session.rpartition("-")[0]
    return PERSON if profile == TYPED else profile, session
