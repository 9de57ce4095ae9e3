"""Merging: a memory and what a draft knows of its record -> the memory with what is new in it.

What is known of a record grows, and what it says stays: lists are appended to, tags and files
joined, scalars set, texts set where there was none or where the draft says all of the old one and
more. Each changed field gets a line under `## Changes` (date, field, old -> new, why), the oldest
of `CHANGES_MOST` goes first. `protected` holds a change by an agent to the rules of seed 001 and
refuses with the rule's name; a person's hand is bound by none of them. Sections and keys that are
no field of the schema keep their bytes, the statement and the id always. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from engram.admit.change_lines import differences, with_changes
from engram.admit.grown_fields import is_of, items_of, placed, same_item, with_items, with_scalar
from engram.language.tokens import telling_terms
from engram.model.errors import BadInput
from engram.model.instant import Day
from engram.model.markdown import inert_line, inert_value
from engram.model.memory import SESSION, Memory
from engram.model.record import (
    Record,
    faults_of,
    other_sections,
    receipt_in,
    record_of,
    section_text,
)
from engram.model.record_changes import RecordChange, changes_of
from engram.model.record_words import brief, clean_title, joined_tags, record_alias
from engram.model.schemas import (
    CHANGES_MOST,
    ITEMS_MOST,
    RECORD_MOST,
    TAGS_MOST,
    Schema,
    SchemaField,
    schema_of,
)
from engram.model.text import jaccard
from engram.model.verdict import MemoryPatch

#: whether a path of `related_files` is there, in the project of the record
Exists = Callable[[str], bool]
#: from here on a title is another one, and gets a name of its own (seed 001)
_ANOTHER_TITLE = 0.5
#: of a session, what stands at its end: a later draft has seen all that an earlier one saw
_STANDING = frozenset(["in_progress", "blockers", "next_actions"])
_IMMUTABLE = ("id", "created", "category", "schema", "text", "quote")


class MergeError(BadInput):
    """A change of a record that its protections refuse; `rule` names the one (seed 001)."""

    default_hint = "read the record again and add to it; `engram edit ID` changes it by hand"

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(f"{message} ({rule})")
        self.rule = rule

    @property
    def code(self) -> str:
        """The stable name of seed 001."""
        return "MERGE_ERROR"


def merged(
    memory: Memory, record: Record, *, day: Day, why: str = "", named: bool = True,
    outranked: bool = False, exists: Exists = lambda path: True,
) -> MemoryPatch:  # fmt: skip
    """What a draft adds to a record. Raises MergeError when that is nothing, or too much.

    `named`: the draft means this record, and may give it another title. `outranked`: the memory
    stands above the draft's words, which then set nothing that is set already.
    """
    form, held = schema_of(memory.category, memory.schema), record_of(memory)
    if form is None or held is None or form.name != record.schema:
        raise MergeError("immutable", f"{memory.id} is no {record.schema}")
    after = memory
    for field in form.fields[1:]:
        if not (value := record.fields.get(field.name)):
            continue
        if field.in_header:
            after = with_scalar(after, field, record.text(field.name), outranked=outranked)
        elif isinstance(value, str) and value != record.statement:
            after = _with_text(after, form, field, value, outranked)
        elif not isinstance(value, str):
            over = _over(after, field, value) if form.name == SESSION else ()
            after = with_items(after, form, field, value, over)
    title = clean_title(record.title)
    if title and title != memory.title and (not memory.title or (named and not outranked)):
        after = _titled(after, title)
    files = _joined_files(memory.related_files, map(inert_value, record.related_files), exists)
    tags = joined_tags(memory.tags, record.tags)
    after = replace(after, tags=tags, related_files=files)
    return protected(memory, after, day=day, why=why, exists=exists)


def protected(
    before: Memory, after: Memory, *, day: Day, why: str = "",
    exists: Exists = lambda path: True,
) -> MemoryPatch:  # fmt: skip
    """A change of a record as an agent may make it, with its lines of change. Raises MergeError."""
    for name in _IMMUTABLE:
        if getattr(before, name) != getattr(after, name):
            raise MergeError("immutable", f"{name} of {before.id} cannot change")
    if (before.status, before.status_since) != (after.status, after.status_since):
        raise MergeError("immutable via UPDATE", "a status changes by retire, archive, restore")
    _check_tags(before.tags, after.tags)
    # what is over the most was added last
    after = replace(after, tags=after.tags[: max(TAGS_MOST, len(before.tags))])
    gone = [path for path in before.related_files if path not in after.related_files]
    if any(map(exists, gone)):
        raise MergeError("grow-only", "related files that are there cannot be taken away")
    if not _continues(changes_of(before), changes_of(after)):
        raise MergeError("append-only", "lines of change cannot be taken away or rewritten")
    if not set(_of_person(before)) <= set(_of_person(after)):
        raise MergeError("immutable", "sections and keys of no field are the person's own")
    return _patch(before, after, day=day, why=why)


def _patch(before: Memory, after: Memory, *, day: Day, why: str = "") -> MemoryPatch:
    """A change of a record with a line for each field; the patch names the fields.

    Raises MergeError where nothing changed, or where the record would be larger than a record is.
    """
    if before == after:
        raise MergeError("append-only (new entry required)", f"nothing of {before.id} changes")
    found = differences(before, after, day, why)
    after = replace(after, sections=with_changes(after.sections, found))
    _check_size(before, after)
    return MemoryPatch(after, tuple(one.field for one in found), inert_line(brief(why)))


def title_difference(one: str, other: str) -> float:
    """The share of the words of two titles that only one of them has, 0..1 (seed 001)."""
    words = set(one.casefold().split()), set(other.casefold().split())
    return 1 - jaccard(*words) if any(words) else 0.0


# -- fields ---------------------------------------------------------------------------------------


def _with_text(
    memory: Memory, form: Schema, field: SchemaField, value: str, outranked: bool
) -> Memory:
    held = [text for heading, text in memory.sections if is_of(field, heading)]
    old = "\n\n".join(filter(None, held))
    if old and (outranked or len(held) > 1 or not _says_more(value, old)):
        return memory
    return replace(
        memory, sections=placed(memory.sections, form, field, section_text(field, value))
    )


def _says_more(value: str, old: str) -> bool:
    """Whether a text has every telling word of an old one, and others."""
    return set(telling_terms(old)) < set(telling_terms(value))


def _over(memory: Memory, field: SchemaField, items: Iterable[str]) -> frozenset[str]:
    """What stood at the end of a session and was taken from its turns, and stands no longer."""
    if field.name not in _STANDING:
        return frozenset()
    held = items_of(memory, field)
    said = {same_item(field, item) for item in items}
    return frozenset(same_item(field, item) for item in held if receipt_in(item)) - said


def _titled(memory: Memory, title: str) -> Memory:
    """A memory under another title; the names that it had still lead to it."""
    names = memory.aliases
    if not names or title_difference(memory.title, title) > _ANOTHER_TITLE:
        # the first is the one it is called by
        names = tuple(dict.fromkeys((record_alias(title), *names)))
    return replace(memory, title=title, aliases=names)


def _joined_files(held: tuple[str, ...], more: Iterable[str], exists: Exists) -> tuple[str, ...]:
    """The files of both; where they are too many, those that are not there go."""
    files = tuple(dict.fromkeys((*held, *more)))
    if len(files) > ITEMS_MOST:
        files = tuple(path for path in files if path not in held or exists(path))
    return files[: max(ITEMS_MOST, len(held))]


def _of_person(memory: Memory) -> tuple[tuple[str, str], ...]:
    """The sections and keys of a memory that are no field of its schema."""
    form = schema_of(memory.category, memory.schema)
    known = {one.place for one in form.scalars} if form else set()
    return (*other_sections(memory), *(one for one in memory.extra if one[0] not in known))


# -- what protects --------------------------------------------------------------------------------


def _check_tags(held: tuple[str, ...], after: tuple[str, ...]) -> None:
    if set(held) <= set(after):
        return
    if len(held) < TAGS_MOST:
        raise MergeError("grow-only", f"tags are taken away from {TAGS_MOST} on")
    if set(after) <= set(held):
        raise MergeError("no net shrink", "a tag goes only where another one comes")
    if len(after) > TAGS_MOST:
        raise MergeError("cap exceeded", f"a record has at most {TAGS_MOST} tags")


def _continues(known: tuple[RecordChange, ...], told: tuple[RecordChange, ...]) -> bool:
    """Whether lines of change begin with those known, or with the newest where they are full."""
    if told[: len(known)] == known:
        return True
    if len(told) < CHANGES_MOST:
        return False
    return any(told[: len(known) - at] == known[at:] for at in range(1, len(known)))


def _check_size(before: Memory, after: Memory) -> None:
    held, made = record_of(before), record_of(after)
    if held is not None and made is not None:
        known = {str(one) for one in faults_of(held, whole=False)}
        for fault in faults_of(made, whole=False):
            if str(fault) not in known:
                raise MergeError("cap exceeded", str(fault))
    if _bytes(after) > max(RECORD_MOST, _bytes(before)):
        raise MergeError("cap exceeded", f"a record has at most {RECORD_MOST // 1024} kB")


#: what the header's own keys take of a file, bytes
_HEADER = 1024


def _bytes(memory: Memory) -> int:
    """About as many bytes as the file of a memory has, rather too many."""
    texts = [memory.text, memory.quote, memory.title, *memory.tags, *memory.related_files]
    texts += [*memory.entities, *memory.sources, *memory.aliases, *memory.supersedes]
    texts += [part for pair in (*memory.extra, *memory.sections) for part in pair]
    return _HEADER + sum(len(text.encode("utf-8", "replace")) + 8 for text in texts)
