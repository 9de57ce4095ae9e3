"""Lines of change: two states of a record -> a line for each field in which they differ.

`- 2026-02-10 · field · old → new · why`, of a list what came and what went, oldest first, under
`## Changes`; the oldest of `CHANGES_MOST` goes first. The lines are for people and for an export:
nothing is decided from them. Values are inert and brief, and hold none of the signs between parts.
"""

from __future__ import annotations

from collections.abc import Iterable

from engram.model.markdown import inert_line
from engram.model.memory import Memory
from engram.model.record import DONE, MemorySection, items_in, pair_of, record_of, without_receipt
from engram.model.record_words import brief
from engram.model.schemas import CHANGES, CHANGES_MOST, SchemaField
from engram.model.text import normalise

#: the heading, as headings are compared
CHANGES_NAME = CHANGES.casefold()


def changes_in(memory: Memory) -> tuple[str, ...]:
    """The lines under `## Changes`, oldest first."""
    texts = [text for heading, text in memory.sections if heading.casefold() == CHANGES_NAME]
    return tuple(line for text in texts for line in items_in(text))


def with_lines(
    sections: tuple[MemorySection, ...], lines: list[str]
) -> tuple[MemorySection, ...]:  # fmt: skip
    """Sections with further lines of change, the newest `CHANGES_MOST` of all."""
    if not lines:
        return sections
    at = max(
        (
            number
            for number, (heading, _) in enumerate(sections)
            if heading.casefold() == CHANGES_NAME
        ),
        default=len(sections),
    )
    heading, text = sections[at] if at < len(sections) else (CHANGES, "")
    held = [*(text.split("\n") if text else ()), *lines]
    begins = [number for number, line in enumerate(held) if is_list(line)]
    if len(begins) > CHANGES_MOST:
        # what a person wrote above the list stays there
        held[begins[0] : begins[-CHANGES_MOST]] = []
    return (*sections[:at], (heading, "\n".join(held)), *sections[at + 1 :])


def same_item(field: SchemaField, item: str) -> str:
    """What two items have in common that say the same; of an alternative its option."""
    words = pair_of(item)[0] if field.kind == "pairs" else without_receipt(item)
    return normalise(words.removeprefix(DONE))


def is_list(text: str) -> bool:
    """Whether items stand as bullets in it, and not as paragraphs."""
    lines = (line for line in text.split("\n") if line.strip() and line[:1] not in (" ", "\t"))
    return any(items_in(line) != [" ".join(line.split())] for line in lines)


def differences(before: Memory, after: Memory) -> Iterable[tuple[str, str]]:
    """The fields in which two states of a record differ, and how, in words."""
    if before.title != after.title:
        yield "title", _replaced(before.title, after.title)
    held, made = record_of(before), record_of(after)
    if held is not None and made is not None:
        for field in made.form.fields[1:]:
            if held.fields.get(field.name) == made.fields.get(field.name):
                continue
            if field.is_list:
                yield field.name, _listed(field, held.items(field.name), made.items(field.name))
            else:
                yield field.name, _replaced(held.text(field.name), made.text(field.name))
    for name in ("tags", "related_files"):
        if (old := getattr(before, name)) != (new := getattr(after, name)):
            yield name, _listed(None, old, new)


def _replaced(old: str, new: str) -> str:
    return f"{told_value(old) or 'none'} → {told_value(new) or 'none'}"


def _listed(field: SchemaField | None, old: Iterable[str], new: Iterable[str]) -> str:
    """Which items came, went, and were done."""
    held, made = ({_key(field, item): item for item in items} for items in (old, new))
    came = [item for key, item in made.items() if key not in held]
    went = [item for key, item in held.items() if key not in made]
    done = [made[key] for key in made if key in held and _is_done(made[key]) > _is_done(held[key])]
    told = {"added": came, "removed": went, "done": done}
    parts = [f"{how}: {'; '.join(map(_item_value, items))}" for how, items in told.items() if items]
    return _cut(", ".join(parts)) or "reordered"


def _item_value(item: str) -> str:
    return told_value(without_receipt(item.removeprefix(DONE)))


def _key(field: SchemaField | None, item: str) -> str:
    return item if field is None else same_item(field, item)


def _is_done(item: str) -> bool:
    return item.startswith(DONE)


#: characters of what changed, in a line of change
_TOLD_MOST = 400


def _cut(text: str) -> str:
    return text if len(text) <= _TOLD_MOST else f"{text[:_TOLD_MOST].rstrip()}…"


def told_value(text: str) -> str:
    """A value in a line of change: inert, without the signs between its parts."""
    return inert_line(brief(text).replace(" · ", " - ").replace("→", "->"))
