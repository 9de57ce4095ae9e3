"""Session record: what was found in a conversation -> its memory, new or gone on.

Guarantees: what gives an agent orders, tells a secret or what is somebody else's own does not get
into a record, and where that is the goal there is none; of a record that goes on statement, title
and id stay, `Completed` and `Key changes` grow, the other lists say where it stands now. A list,
an outcome or a title that is not as it was last written is a person's, and stays. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

from engram.admit.change_lines import differences, with_changes
from engram.admit.gate.secure import read_by_privacy
from engram.admit.gate.sensitivity import sensitivity_of, tells_of_another
from engram.admit.gate.write_policy import attempt_of, evaluate_write
from engram.admit.grown_fields import placed, same_item
from engram.admit.secret_rule import secret_rule
from engram.language.agent_orders import injection
from engram.language.hidden_text import without_hidden_signs
from engram.model.candidate import Candidate, Receipt
from engram.model.ids import memory_id
from engram.model.instant import Instant, day_of
from engram.model.memory import SESSION, Memory, dating
from engram.model.policy import Policy
from engram.model.record import (
    FieldValue,
    Record,
    items_in,
    parts_of,
    section_text,
    sections_by_name,
    without_receipt,
)
from engram.model.record_words import record_alias
from engram.model.retention import Terms, expiry, renewed
from engram.model.schemas import (
    ITEMS_MOST,
    SCHEMA_TABLE,
    TAGS_MOST,
    TITLE_MOST,
    SchemaField,
)
from engram.model.text import first_line
from engram.model.verdict import Verdict

#: what nobody confirmed is no more than implied (records-on-a-vault 1.10)
CONFIDENCE, IMPORTANCE = 0.69, 0.6
_FORM = SCHEMA_TABLE[SESSION]
#: lists that grow: of the first, what is no longer told was taken back, where a shorter list tells
#: the whole conversation (`extract.session` tells the last so many)
_COMPLETED, _CHANGED, _LAST_TOLD = "completed", "key_changes", 8
_OUTCOME = "outcome"
_WHY = "the conversation went on"
#: why newer sessions retired it: no person did, and the conversation that goes on is a newer one
_LEFT_WINDOW = "session_window"


class SessionFacts(NamedTuple):
    """What was found in a conversation: fields, the goal as it was said, and where.

    `created` is when the goal was said, `last` when the last turn was; `guessed` as in `Turn`.
    """

    record: Record
    quote: str
    sources: tuple[str, ...]
    project: str
    created: Instant
    last: Instant
    guessed: bool = False


def refusal(memory: Memory, policy: Policy) -> Verdict | None:
    """The refusal of a conversation's record by the policy; None where it may be written."""
    receipt = Receipt("", memory.sources[0], memory.quote, "user", memory.created)
    candidate = Candidate(
        memory.category, memory.text, receipt, memory.confidence,
        kind="episode", schema=memory.schema, title=memory.title, tags=memory.tags,
        project=memory.project, space=memory.space, fields=memory.sections, rule="record_session",
    )  # fmt: skip
    # `fit` has left out what tells a secret: the rest of the record stays
    own = replace(policy.of_space(memory.space), deny_sensitive=False)
    policy = replace(own, write_spaces=policy.write_spaces, spaces={})
    texts = read_by_privacy(candidate)
    found = evaluate_write(policy, attempt_of(candidate), texts, lambda _: True)
    if found.allowed:
        return None
    return Verdict("refuse", found.reason, candidate, denied_by=found.rule)


def fit(record: Record, clean: Callable[[str], bool]) -> Record | None:
    """A record without what may not be stored; None where that is what was to be reached.

    `clean` tells whether the redactor would leave a text.
    """

    def may(text: str, *, own: bool = False) -> bool:
        words = without_hidden_signs(without_receipt(text))
        private = tells_of_another(words) or secret_rule(words, clean)
        return not private and not injection(words, own=own)

    if not record.statement or not may(record.statement, own=True):
        return None
    values: list[tuple[str, FieldValue]] = []
    for name, value in record.values:
        if name == _FORM.statement.name:
            kept: FieldValue = without_hidden_signs(record.statement)
        elif isinstance(value, str):
            kept = value if may(value) else ""
        else:
            kept = tuple(filter(may, value))
        if kept:
            values.append((name, kept))
    title = record.title if record.title and may(record.title, own=True) else ""
    title = without_hidden_signs(title)
    return replace(
        record,
        title=title or first_line(without_hidden_signs(record.statement), TITLE_MOST),
        values=tuple(values),
        tags=tuple(filter(may, record.tags)),
        related_files=tuple(filter(may, record.related_files)),
    )


def made(found: SessionFacts, taken: Callable[[str], bool], now: Instant, terms: Terms) -> Memory:
    """The record of a conversation that has none; `taken` tells whether an id is."""
    parts = parts_of(found.record)
    name = base = memory_id(parts.category, found.created, parts.text)
    number = 1
    while taken(name):
        number += 1
        name = f"{base}-{number}"
    memory = Memory(
        id=name,
        category=parts.category,
        text=parts.text,
        kind="episode",
        schema=parts.schema,
        title=parts.title,
        created=found.created,
        confidence=CONFIDENCE,
        importance=IMPORTANCE,
        sensitivity=sensitivity_of("\n".join((parts.text, *(text for _, text in parts.sections)))),
        project=found.project,
        quote=found.quote,
        aliases=(record_alias(parts.title, SESSION),),
        tags=parts.tags,
        related_files=parts.related_files,
        sources=found.sources,
        extra=(*parts.extra, *dating(guessed=found.guessed)),
        sections=parts.sections,
    )
    return replace(memory, expires=expiry(memory, now, terms))


def can_go_on(memory: Memory) -> bool:
    """Whether a record may be written on: nobody ended it but time."""
    by_time = memory.status == "expired" or memory.status_reason == _LEFT_WINDOW
    return memory.live or by_time


def gone_on(
    memory: Memory, written: Memory | None, found: SessionFacts, now: Instant,
    terms: Terms,
) -> Memory:  # fmt: skip
    """The record of a conversation that went on; `written` is how engram last wrote it, if known.

    It is the same where nothing is new.
    """
    sections, named = memory.sections, sections_by_name(memory.sections)
    known = dict(written.sections) if written is not None else {}
    for one in _FORM.sections:
        texts = named.get(one.place.casefold(), [])
        before = texts[0] if texts else ""
        if len(texts) > 1 or before != known.get(one.place, ""):
            continue  # a person's
        old, new = items_in(before), _items(one, before, found.record)
        if [*map(without_receipt, old)] != [*map(without_receipt, new)]:
            sections = placed(sections, _FORM, one, section_text(one, tuple(new)))
    extras, base = memory.extras, written or memory
    held, outcome = extras.get(_OUTCOME, ""), found.record.text(_OUTCOME)
    if outcome not in ("", held) and held == base.extras.get(_OUTCOME, ""):
        extras[_OUTCOME] = outcome
    after = replace(
        memory,
        tags=_grown(memory.tags, base.tags, found.record.tags, TAGS_MOST),
        related_files=_grown(
            memory.related_files, base.related_files, found.record.related_files, ITEMS_MOST
        ),
        sources=_grown(memory.sources, base.sources, found.sources, None),
        extra=tuple(extras.items()),
        sections=sections,
    )
    told = differences(memory, after, day_of(found.last), _WHY)
    # which files changed is said in a section of its own
    told = [one for one in told if _FORM.field(one.field) is not None]
    after = replace(after, sections=with_changes(after.sections, told))
    if not after.live:
        after = replace(after, status="active", status_since="", status_reason="")
    if after == memory:
        return memory
    return replace(after, expires=renewed(memory, after, now, terms))


def _items(field: SchemaField, before: str, record: Record) -> list[str]:
    """The items of a list now: of a growing one those before, and what is new."""
    now = list(record.items(field.name))
    grows = field.name == _COMPLETED and len(now) >= _LAST_TOLD
    if not (grows or field.name == _CHANGED):
        return now[:ITEMS_MOST]
    held = items_in(before)
    said = {same_item(field, item) for item in held}
    return [*held, *(item for item in now if same_item(field, item) not in said)][:ITEMS_MOST]


def _grown(
    here: tuple[str, ...], base: tuple[str, ...], found: Iterable[str], most: int | None
) -> tuple[str, ...]:
    """A list with what was found since it was written: what a person took out stays out."""
    new = (one for one in found if one not in base)
    return tuple(dict.fromkeys((*here, *new)))[: most if most is None else max(most, len(here))]
