"""Lines of change: two states of a record -> what changed, a RecordChange for each field.

Of a list what came, what went and what was done, of all else the old value and the new one. They
stand under `## Changes`, oldest first; the oldest of `CHANGES_MOST` goes first. They are for people
and for an export: nothing is decided from them. Values are brief.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engram.admit.grown_fields import is_list, same_item
from engram.model.instant import Day
from engram.model.memory import Memory
from engram.model.record import DONE, MemorySection, record_of, without_receipt
from engram.model.record_changes import RecordChange, changes_text, list_change
from engram.model.record_words import brief
from engram.model.schemas import CHANGES, CHANGES_MOST, SchemaField

#: characters of what came to a list and went, in a line of change
_TOLD_MOST = 400


def differences(before: Memory, after: Memory, day: Day, why: str = "") -> list[RecordChange]:
    """The fields in which two states of a record differ, and how."""
    why, found = brief(why), list[RecordChange]()
    if before.title != after.title:
        found.append(_replaced("title", before.title, after.title, day, why))
    held, made = record_of(before), record_of(after)
    if held is not None and made is not None:
        for field in made.form.fields[1:]:
            name = field.name
            if held.fields.get(name) == made.fields.get(name):
                continue
            if field.is_list:
                told = _listed(field, held.items(name), made.items(name))
                found.append(list_change(day, name, told, why))
            else:
                found.append(_replaced(name, held.text(name), made.text(name), day, why))
    for name in ("tags", "related_files"):
        if (old := getattr(before, name)) != (new := getattr(after, name)):
            found.append(list_change(day, name, _listed(None, old, new), why))
    return found


def with_changes(
    sections: tuple[MemorySection, ...], changes: Sequence[RecordChange]
) -> tuple[MemorySection, ...]:  # fmt: skip
    """Sections that tell of further changes, the newest `CHANGES_MOST` of all."""
    if not changes:
        return sections
    named = [at for at, (name, _) in enumerate(sections) if name.casefold() == CHANGES.casefold()]
    at = named[-1] if named else len(sections)
    heading, text = sections[at] if named else (CHANGES, "")
    held = [*(text.split("\n") if text else ()), *changes_text(changes).split("\n")]
    begins = [number for number, line in enumerate(held) if is_list(line)]
    if len(begins) > CHANGES_MOST:
        # what a person wrote above the list stays there
        held[begins[0] : begins[-CHANGES_MOST]] = []
    return (*sections[:at], (heading, "\n".join(held)), *sections[at + 1 :])


def _replaced(name: str, old: str, new: str, day: Day, why: str) -> RecordChange:
    return RecordChange(day, name, brief(old), brief(new), why)


def _listed(field: SchemaField | None, old: Iterable[str], new: Iterable[str]) -> str:
    """Which items came, went, and were done."""
    held, made = ({_key(field, item): item for item in items} for items in (old, new))
    came = [item for key, item in made.items() if key not in held]
    went = [item for key, item in held.items() if key not in made]
    done = [made[key] for key in made if key in held and _is_done(made[key]) > _is_done(held[key])]
    told = {"added": came, "removed": went, "done": done}
    parts = [f"{how}: {'; '.join(map(_item_value, items))}" for how, items in told.items() if items]
    text = ", ".join(parts) or "reordered"
    return text if len(text) <= _TOLD_MOST else f"{text[:_TOLD_MOST].rstrip()}…"


def _item_value(item: str) -> str:
    return brief(without_receipt(item.removeprefix(DONE)))


def _key(field: SchemaField | None, item: str) -> str:
    return item if field is None else same_item(field, item)


def _is_done(item: str) -> bool:
    return item.startswith(DONE)
