"""Fields of a record that gain: a memory and what is known of a field -> the memory that says it.

Lists are appended to and keep the lines that stand, tasks are ticked and never unticked, scalars
are set unless the memory stands above whoever says them, a section goes where the schema has it.
Who may say so is decided by who asks. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import partial

from engram.model.markdown import inert_line
from engram.model.memory import Memory
from engram.model.record import (
    DONE,
    MemorySection,
    inert_item,
    item_line,
    items_in,
    pair_of,
    without_receipt,
)
from engram.model.schemas import CHANGES, ITEMS_MOST, Schema, SchemaField
from engram.model.text import normalise

#: header keys that say how a matter stands, which whoever sees it may report; a person is asked
#: before anything follows from it
_REPORTED = frozenset(["debt_state", "in_effect", "outcome"])
#: a choice that was accepted is not proposed again by whoever heard of it later
_PROPOSED = ("decision_state", "proposed")


def with_scalar(memory: Memory, field: SchemaField, value: str, *, outranked: bool) -> Memory:
    """A memory with this value of a header key; where it is `outranked`, only where none is."""
    held, value = memory.extras.get(field.place, "").strip(), inert_line(value)
    kept = outranked and field.place not in _REPORTED
    if value in ("", held) or (held and (kept or (field.place, value) == _PROPOSED)):
        return memory
    return replace(memory, extra=tuple({**memory.extras, field.place: value}.items()))


def with_items(
    memory: Memory, form: Schema, field: SchemaField, items: Iterable[str],
    over: Collection[str] = (),
) -> Memory:  # fmt: skip
    """A memory with these items in a list, below those that stand; without those that are `over`.

    Items are compared as `same_item` does; `over` are such words.
    """
    places = [is_of(field, heading) for heading, _ in memory.sections]
    texts = [text for (_, text), here in zip(memory.sections, places, strict=True) if here]
    key = partial(same_item, field)
    held = set(map(key, items_of(memory, field)))
    said: dict[str, str] = {}
    for item in items:
        # as it will be read: an item without words is none
        said.setdefault(next(map(key, items_in(item_line(field, item))), ""), item)
    fresh = [item for name, item in said.items() if name and name not in held]
    done = {name for name, item in said.items() if item.startswith(DONE)}
    lines = [_lines_left(text, field, over, done) for text in texts]
    count = sum(len(items_in(text)) for text in lines)
    if fresh := fresh[: max(ITEMS_MOST - count, 0)]:
        lines = lines or [""]
        lines[-1] = _appended(lines[-1], field, fresh, count)
    if lines and not texts:
        return replace(memory, sections=placed(memory.sections, form, field, lines[0]))
    left = iter(lines)
    sections = tuple(
        (heading, next(left) if here else text)
        for (heading, text), here in zip(memory.sections, places, strict=True)
    )
    return replace(memory, sections=sections)


def placed(
    sections: tuple[MemorySection, ...], form: Schema, field: SchemaField, text: str
) -> tuple[MemorySection, ...]:
    """Sections with this text for a field: where its heading is, else in the schema's order.

    Without a text the section goes.
    """
    at = next((at for at, (name, _) in enumerate(sections) if is_of(field, name)), None)
    if at is not None:
        here = ((sections[at][0], text),) if text else ()
        return (*sections[:at], *here, *sections[at + 1 :])
    if not text:
        return sections
    order = [one.place.casefold() for one in form.sections]
    later = {*order[order.index(field.place.casefold()) + 1 :], CHANGES.casefold()}
    names = [heading.casefold() for heading, _ in sections]
    at = next((number for number, name in enumerate(names) if name in later), len(names))
    return (*sections[:at], (field.place, text), *sections[at:])


def items_of(memory: Memory, field: SchemaField) -> list[str]:
    """The items of a list as they stand in its sections."""
    texts = (text for heading, text in memory.sections if is_of(field, heading))
    return [item for text in texts for item in items_in(text)]


def is_of(field: SchemaField, heading: str) -> bool:
    """Whether a section of that heading holds the field."""
    return heading.casefold() == field.place.casefold()


def same_item(field: SchemaField, item: str) -> str:
    """What two items have in common that say the same; of an alternative its option."""
    words = pair_of(item)[0] if field.kind == "pairs" else without_receipt(item)
    return normalise(words.removeprefix(DONE))


def is_list(text: str) -> bool:
    """Whether items stand as bullets in it, and not as paragraphs."""
    lines = (line for line in text.split("\n") if line.strip() and line[:1] not in (" ", "\t"))
    return any(items_in(line) != [" ".join(line.split())] for line in lines)


def _appended(text: str, field: SchemaField, fresh: Iterable[str], count: int) -> str:
    """A section's text with further items below it.

    Below paragraphs, which a person wrote for items, another one: a list would hide them.
    """
    if text and not is_list(text):
        return "\n\n".join((text, *map(_paragraph, fresh)))
    new = (item_line(field, item, count + at) for at, item in enumerate(fresh, 1))
    return "\n".join(filter(None, (text, *new)))


def _paragraph(item: str) -> str:
    """An item as a paragraph of its own."""
    text = inert_item(item.removeprefix(DONE))
    return f"\\{text}" if is_list(text) else text


def _lines_left(text: str, field: SchemaField, over: Collection[str], done: set[str]) -> str:
    """A section's lines without items that are over, and with those done that are."""
    kept = []
    for line in text.split("\n"):
        (item, *_) = items_in(line) or [""]
        key = same_item(field, item)
        if key and key in over:
            continue
        if key in done and "[ ]" in line and not item.startswith(DONE):
            line = line.replace("[ ]", "[x]", 1)
        kept.append(line)
    return "\n".join(kept)
