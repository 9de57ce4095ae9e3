"""Session record: what was found in a conversation -> its memory, new or gone on.

Guarantees: what gives an agent orders, tells a secret or what is somebody else's own does not get
into a record, and where that is the goal there is none; of a record that goes on statement, title
and id stay, `Completed` and `Key changes` grow, the other lists say where it stands now. A list,
an outcome or a title that is not as it was last written is a person's, and stays. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from engram.admit.gate.secure import tells_secret
from engram.admit.gate.sensitivity import sensitivity_of, tells_of_another
from engram.language.agent_orders import injection
from engram.language.hidden_text import without_hidden_signs
from engram.model.ids import memory_id, slug
from engram.model.instant import Day, Instant, day_of
from engram.model.memory import SESSION, Memory
from engram.model.record import FieldValue, Record, item_line, items_in, parts_of, without_receipt
from engram.model.record_changes import RecordChange, changes_text
from engram.model.retention import expiry, renewed
from engram.model.schemas import (
    CHANGES,
    CHANGES_MOST,
    ITEMS_MOST,
    SCHEMA_TABLE,
    TAGS_MOST,
    TITLE_MOST,
    SchemaField,
)
from engram.model.settings import RetentionSettings
from engram.model.text import first_line

#: what nobody confirmed is no more than implied (records-on-a-vault 1.10)
CONFIDENCE, IMPORTANCE = 0.69, 0.6
_FORM = SCHEMA_TABLE[SESSION]
#: lists that grow: of the first, what is no longer told was taken back, where a shorter list tells
#: the whole conversation (`extract.session` tells the last so many)
_COMPLETED, _CHANGED, _LAST_TOLD = "completed", "key_changes", 8
_OUTCOME = "outcome"
#: a value in a line of `## Changes`, characters
_TOLD = 80
_WHY = "the conversation went on"
#: why newer sessions retired it: no person did, and the conversation that goes on is a newer one
_LEFT_WINDOW = "session_window"


class SessionFacts(NamedTuple):
    """What was found in a conversation: fields, the goal as it was said, and where.

    `created` is when the goal was said, `last` when the last turn was.
    """

    record: Record
    quote: str
    sources: tuple[str, ...]
    project: str
    created: Instant
    last: Instant


def fit(record: Record, clean: Callable[[str], bool]) -> Record | None:
    """A record without what may not be stored; None where that is what was to be reached.

    `clean` tells whether the redactor would leave a text.
    """

    def may(text: str, *, own: bool = False) -> bool:
        words = without_hidden_signs(without_receipt(text))
        private = tells_of_another(words) or tells_secret(words) or not clean(words)
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


def made(
    found: SessionFacts, taken: Callable[[str], bool], now: Instant, retention: RetentionSettings
) -> Memory:
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
        aliases=(slug(parts.title),),
        tags=parts.tags,
        related_files=parts.related_files,
        sources=found.sources,
        extra=parts.extra,
        sections=parts.sections,
    )
    return replace(memory, expires=expiry(memory, now, retention))


def can_go_on(memory: Memory) -> bool:
    """Whether a record may be written on: nobody ended it but time."""
    by_time = memory.status == "expired" or memory.status_reason == _LEFT_WINDOW
    return memory.live or by_time


def gone_on(
    memory: Memory, written: Memory | None, found: SessionFacts, now: Instant,
    retention: RetentionSettings,
) -> Memory:  # fmt: skip
    """The record of a conversation that went on; `written` is how engram last wrote it, if known.

    It is the same where nothing is new.
    """
    changes: list[RecordChange] = []
    day = day_of(found.last)
    sections, twice = dict(memory.sections), _twice(memory)
    known = dict(written.sections) if written is not None else {}
    for one in _FORM.sections:
        before = sections.get(one.place, "")
        if before != known.get(one.place, "") or one.place in twice:
            continue  # a person's
        old, new = items_in(before), _items(one, before, found.record)
        if [*map(without_receipt, old)] == [*map(without_receipt, new)]:
            continue
        text = "\n".join(item_line(one, item, number) for number, item in enumerate(new, 1))
        if text:
            sections[one.place] = text
        else:
            sections.pop(one.place, None)
        changes.append(_change(one, day, old, new))
    extras, base = memory.extras, written or memory
    held, outcome = extras.get(_OUTCOME, ""), found.record.text(_OUTCOME)
    if outcome not in ("", held) and held == base.extras.get(_OUTCOME, ""):
        extras[_OUTCOME] = outcome
        changes.append(RecordChange(day, _OUTCOME, held, outcome, _WHY))
    after = replace(
        memory,
        tags=_grown(memory.tags, base.tags, found.record.tags, TAGS_MOST),
        related_files=_grown(
            memory.related_files, base.related_files, found.record.related_files, ITEMS_MOST
        ),
        sources=_grown(memory.sources, base.sources, found.sources, None),
        extra=tuple(extras.items()),
        sections=_in_order(memory, sections, changes),
    )
    if not after.live:
        after = replace(after, status="active", status_since="", status_reason="")
    if after == memory:
        return memory
    return replace(after, expires=renewed(memory, after, now, retention))


def _twice(memory: Memory) -> set[str]:
    headings = [heading for heading, _ in memory.sections]
    return {heading for heading in headings if headings.count(heading) > 1}


def _items(field: SchemaField, before: str, record: Record) -> list[str]:
    """The items of a list now: of a growing one those before, and what is new."""
    now = list(record.items(field.name))
    grows = field.name == _COMPLETED and len(now) >= _LAST_TOLD
    if not (grows or field.name == _CHANGED):
        return now[:ITEMS_MOST]
    held = items_in(before)
    said = {_words(item) for item in held}
    return [*held, *(item for item in now if _words(item) not in said)][:ITEMS_MOST]


def _words(item: str) -> str:
    return " ".join(without_receipt(item).split()).casefold()


def _change(field: SchemaField, day: Day, old: Sequence[str], new: Sequence[str]) -> RecordChange:
    before, after = ({_words(item): item for item in items} for items in (old, new))
    came = [item for name, item in after.items() if name not in before]
    if before.keys() <= after.keys():
        return RecordChange(day, field.name, reason=f"added: {_told(came)}")
    return RecordChange(day, field.name, _told(old), _told(new) or "none", _WHY)


def _told(items: Iterable[str]) -> str:
    return first_line("; ".join(map(without_receipt, items)), _TOLD)


def _grown(
    here: tuple[str, ...], base: tuple[str, ...], found: Iterable[str], most: int | None
) -> tuple[str, ...]:
    """A list with what was found since it was written: what a person took out stays out."""
    new = (one for one in found if one not in base)
    return tuple(dict.fromkeys((*here, *new)))[: most if most is None else max(most, len(here))]


def _in_order(
    memory: Memory, sections: dict[str, str], changes: Sequence[RecordChange]
) -> tuple[tuple[str, str], ...]:
    """The sections as they stood, new ones behind those that go before them in the schema."""
    order = [one.place for one in _FORM.sections]
    seen: set[str] = set()
    result: list[tuple[str, str]] = []
    for heading, text in memory.sections:
        if heading in seen or heading not in order or heading == CHANGES:
            result.append((heading, text))  # a second one of a name is a person's
        elif heading in sections:
            result.append((heading, sections[heading]))
        seen.add(heading)
    for rank, heading in enumerate(order):
        if heading in seen or heading not in sections:
            continue
        before = [at for at, (name, _) in enumerate(result) if name in order[:rank]]
        result.insert(before[-1] + 1 if before else 0, (heading, sections[heading]))
    if not changes:
        return tuple(result)
    told = changes_text(changes)
    for at, (heading, text) in enumerate(result):
        if heading == CHANGES:
            result[at] = (CHANGES, _newest(f"{text}\n{told}"))
            return tuple(result)
    return (*result, (CHANGES, told))


def _newest(text: str) -> str:
    """A list of changes without the oldest beyond the limit."""
    lines = text.split("\n")
    bullets = [at for at, line in enumerate(lines) if line.startswith("- ")]
    gone = set(bullets[: max(len(bullets) - CHANGES_MOST, 0)])
    return "\n".join(line for at, line in enumerate(lines) if at not in gone)
