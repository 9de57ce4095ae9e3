"""Stored records: a record of another store, and what the vault knows of it -> what becomes of it.

A record is known again by its slug within its project and schema, else by its words. Of one that is
known, what is true stays and what is known of it grows (design 5.28): lists gain items, tags and
files are joined, scalars and texts follow the store, each with a line in `## Changes`; another
statement supersedes. What a person vouches for here keeps its words, and what is out of use here
stays so. Header fields are claims: nothing is believed beyond what another store may say. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from engram.admit.change_lines import differences, with_changes
from engram.admit.confidence import SECOND_HAND
from engram.admit.gate.secure import ordered, personal, read_by_privacy
from engram.admit.gate.sensitivity import sensitivity_of
from engram.admit.gate.write_policy import attempt_of, evaluate_write
from engram.admit.grown_fields import placed, with_items, with_scalar
from engram.admit.same import standing
from engram.language.keywords import entities_of
from engram.model.authority import AUTHORITIES, authority_rank
from engram.model.candidate import Candidate, Receipt
from engram.model.ids import memory_id
from engram.model.instant import Instant, day_of
from engram.model.memory import SESSION, Memory
from engram.model.policy import Policy
from engram.model.record import (
    FieldValue,
    Record,
    parts_of,
    record_of,
    section_text,
)
from engram.model.record_changes import change_line, changes_of, changes_text
from engram.model.record_note import RecordNote, telling_fields
from engram.model.retention import Terms, expiry
from engram.model.schemas import (
    CHANGES,
    CHANGES_MOST,
    ITEMS_MOST,
    TAGS_MOST,
    Schema,
    SchemaField,
    categories_of,
)
from engram.model.settings import RetentionSettings
from engram.model.succession import superseded
from engram.model.text import content_hash
from engram.model.verdict import Verdict
from engram.model.view import VaultView

#: why a record was written, and why it replaced one
IMPORTED, RESTATED = "imported", "restated"
#: how much a record matters by its severity or priority (records 9); others by default
_IMPORTANCE = {"critical": 0.9, "high": 0.9, "medium": 0.7, "low": 0.5}
_USUAL = 0.6
#: what the person took out of use does not come back by an import
_RETIRED = "retired_recently"
#: how a command of a runbook begins that an administrator runs: alone it does no harm
_AS_ROOT = re.compile(r"\bsudo (?!-)")


class RecordFate(NamedTuple):
    """What becomes of one record: `born` is written, each of `amended` is `(before, after)`.

    `refused` is the verdict about a record that the gate refuses.
    """

    decision: Literal["new", "update", "same", "supersede", "refuse"]
    code: str
    born: Memory | None = None
    amended: tuple[tuple[Memory, Memory], ...] = ()
    fields: tuple[str, ...] = ()
    refused: Verdict | None = None


class RecordRules(NamedTuple):
    """What deciding needs to know beside the view."""

    clean: Callable[[str], bool]
    retention: RetentionSettings
    now: Instant
    policy: Policy


def fate_of(
    note: RecordNote, receipt: Receipt, project: str, view: VaultView, rules: RecordRules
) -> RecordFate:
    """What becomes of a record, whose turn is that of the receipt."""
    candidate = _candidate(note, receipt, project)
    if refused := _refused(candidate, rules):
        return RecordFate("refuse", refused.code, refused=refused)
    memory = _memory(note, candidate)
    ours = _known(memory, note, view)
    if ours is None:
        owners = view.owners(content_hash(memory.text, memory.scope))
        state, owner = standing(owners, rules.now, rules.retention.resurrection_hours)
        if memory.live and owner is not None and note.record.schema != SESSION:
            if state in ("retired", "unwanted"):
                return RecordFate("refuse", "unwanted" if state == "unwanted" else _RETIRED)
            if not _same_form(owner, note.record):
                return RecordFate("same", "low_trust", amended=((owner, owner),))
            ours = owner
    if ours is None:
        return RecordFate("new", IMPORTED, _named(memory, view, rules))
    if content_hash(ours.text) == content_hash(memory.text):
        return _grown(ours, memory, note, rules.now)
    if not ours.live:
        return RecordFate("refuse", _RETIRED)
    if authority_rank(ours.authority) > authority_rank(AUTHORITIES[0]):
        return RecordFate("refuse", "low_trust")
    born = replace(_named(memory, view, rules), supersedes=(ours.id,))
    return RecordFate(
        "supersede", RESTATED, born, ((ours, superseded(ours, born, RESTATED, rules.now)),)
    )


def _refused(candidate: Candidate, rules: RecordRules) -> Verdict | None:
    """The refusal of a record that gives orders, or that privacy or the policy keeps out."""
    if code := ordered(candidate) or personal(candidate):
        return Verdict("refuse", code, candidate)
    texts = read_by_privacy(candidate)
    found = evaluate_write(rules.policy, attempt_of(candidate), texts, rules.clean)
    if found.allowed:
        return None
    return Verdict("refuse", found.reason, candidate, denied_by=found.rule)


def _candidate(note: RecordNote, receipt: Receipt, project: str) -> Candidate:
    """All that the record says, as the security checks read it."""
    record, common = note
    texts = [(one.name, value) for one, many in telling_fields(record) for value in _each(many)]
    if record.schema == "runbook":
        texts = [(name, _AS_ROOT.sub("", value)) for name, value in texts]
    texts += [("files", one) for one in record.related_files]
    texts += [("reason", common.reason), ("tags", "; ".join(record.tags))]
    texts += [("change", change_line(one)) for one in common.changes]
    parts = parts_of(record)
    return Candidate(
        parts.category, record.statement, receipt, SECOND_HAND,
        kind="episode" if record.schema == SESSION else "note",
        title=record.title, tags=record.tags, entities=entities_of(record.statement),
        project=project, space="project" if project else "user",
        fields=tuple(texts), voice="stored", rule="record",
    )  # fmt: skip


def _each(value: FieldValue) -> Sequence[str]:
    return (value,) if isinstance(value, str) else value


def _memory(note: RecordNote, candidate: Candidate) -> Memory:
    """The memory of a record, as yet without a name and an end of its life."""
    record, common = note
    parts = parts_of(record)
    sections = parts.sections
    if common.changes:
        sections = (*sections, (CHANGES, changes_text(common.changes[-CHANGES_MOST:])))
    active = common.status == "active"
    level = record.text("severity") or record.text("priority")
    return Memory(
        id="",
        category=parts.category,
        text=section_text(record.form.statement, record.statement),
        status=common.status,
        kind=candidate.kind,
        schema=parts.schema,
        title=parts.title,
        created=common.created,
        status_since="" if active else common.since,
        status_reason="" if active else common.reason or common.status,
        confidence=min(record.confidence or SECOND_HAND, SECOND_HAND),
        importance=_IMPORTANCE.get(level, _USUAL),
        sensitivity=sensitivity_of(record.statement) if candidate.project else "internal",
        project=candidate.project,
        space=candidate.space,
        quote=candidate.receipt.quote,
        aliases=(common.id,) if common.id else (),
        tags=parts.tags,
        related_files=parts.related_files,
        entities=candidate.entities,
        sources=(candidate.receipt.link,),
        extra=parts.extra,
        sections=sections,
    )


def _named(memory: Memory, view: VaultView, rules: RecordRules) -> Memory:
    name = base = memory_id(memory.category, memory.created, memory.text)
    number = 1
    while view.taken([name]):
        number += 1
        name = f"{base}-{number}"
    # a record without a slug travels under its id
    aliases = tuple(one for one in memory.aliases if one != name)
    expires = expiry(memory, rules.now, Terms(rules.retention, rules.policy))
    return replace(memory, id=name, aliases=aliases, expires=expires)


def _known(memory: Memory, note: RecordNote, view: VaultView) -> Memory | None:
    """The memory of the same slug or id, a live one before others, the newest of them."""
    name = note.common.id
    called = [*view.called(name), *filter(None, [view.memory(name)])] if name else []
    ours = [
        one
        for one in called
        if (one.space, one.project) == (memory.space, memory.project)
        and _same_form(one, note.record)
    ]
    return max(ours, key=lambda one: (one.live, one.created, one.id), default=None)


def _same_form(memory: Memory, record: Record) -> bool:
    found = record_of(memory)
    if found is not None:
        return found.schema == record.schema
    return memory.category in categories_of(record.form) and not memory.schema


# -- a record that is known -----------------------------------------------------------------------


def _grown(ours: Memory, theirs: Memory, note: RecordNote, now: Instant) -> RecordFate:
    """A memory with what its store knows of it meanwhile."""
    vouched = authority_rank(ours.authority) > authority_rank(AUTHORITIES[0])
    day = day_of(note.common.updated or now)
    base = replace(ours, schema=theirs.schema)
    after = replace(
        base,
        title=ours.title or theirs.title,
        aliases=tuple(one for one in _joined(ours.aliases, theirs.aliases) if one != ours.id),
        tags=_joined(ours.tags, theirs.tags)[: max(TAGS_MOST, len(ours.tags))],
        related_files=_joined(ours.related_files, theirs.related_files)[:ITEMS_MOST],
    )
    for field, value in telling_fields(note.record):
        if field.name != "trigger" or value != note.record.statement:
            after = _with_field(after, note.record.form, field, value, vouched=vouched)
    listed = changes_of(ours)
    fresh = [one for one in note.common.changes if one not in listed]
    said = {one.field for one in fresh}
    fresh += [one for one in differences(base, after, day) if one.field not in said]
    after = replace(after, sections=with_changes(after.sections, fresh))
    # what a person vouches for is not over because a store says so that programs write
    if ours.live and not theirs.live and not vouched:
        after = replace(
            after, status=theirs.status, status_since=theirs.status_since,
            status_reason=theirs.status_reason,
        )  # fmt: skip
    if after == ours:
        return RecordFate("same", "low_trust", amended=((ours, ours),))
    after = replace(after, sources=_joined(ours.sources, theirs.sources))
    names = tuple(dict.fromkeys(one.field for one in fresh if one.field))
    return RecordFate("update", IMPORTED, None, ((ours, after),), names)


def _joined(ours: Iterable[str], theirs: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*ours, *theirs)))


def _with_field(
    memory: Memory, form: Schema, field: SchemaField, value: FieldValue, *, vouched: bool
) -> Memory:
    """A memory with what its store says of a field; what a person vouches for keeps its words."""
    if field.in_header:
        text = value if isinstance(value, str) else "; ".join(value)
        return with_scalar(memory, field, text, outranked=vouched)
    if field.is_list:
        return with_items(memory, form, field, _each(value))
    text, held = section_text(field, value), record_of(memory)
    old = held.text(field.name) if held is not None else ""
    if section_text(field, old) == text or (old and vouched):
        return memory
    return replace(memory, sections=placed(memory.sections, form, field, text))
