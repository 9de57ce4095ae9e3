"""Parts of a record that may be written: a drafted record -> the same, cleaned, without what harms.

Title and tags lose what nobody sees and what forges marks. An item, a text or a path that tells a
secret or gives orders is left out, and named with its code, never with its words. Nothing of the
record is written where its title, its steps or what its schema requires would go with it. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

from engram.admit.gate.secure import harm_in
from engram.model.project_path import is_project_path
from engram.model.record import FieldValue, Record, without_receipt
from engram.model.record_words import clean_tags, clean_title

#: characters of a path
_PATH_MOST = 400


class SafeParts(NamedTuple):
    """What may be written of a record, what is left out (`completed:secret`), or why nothing is."""

    record: Record
    left_out: tuple[str, ...] = ()
    code: str = ""


def safe_parts(
    record: Record, clean: Callable[[str], bool], given: str, *, own: bool,
    held: Record | None = None,
) -> SafeParts:  # fmt: skip
    """The parts of a record without those that harm. `given` are the words that it quotes.

    What the record `held` says already is not read again.
    """
    known = {""} if held is None else {"", *map(without_receipt, _texts_of(held))}

    def harm(text: str) -> str:
        words = without_receipt(text)
        return "" if words in known else harm_in(words, clean, given, own=own)

    title, tags = clean_title(record.title), clean_tags(record.tags, len(record.tags))
    left_out: list[str] = []
    kept: list[tuple[str, FieldValue]] = []
    code = harm(title)
    for name, value in record.values:
        field = record.form.field(name)
        assert field is not None  # a record holds the fields of its schema alone
        if field is record.form.statement:
            kept.append((name, value))  # the gate of every candidate reads it
            continue
        texts = (value,) if isinstance(value, str) else value
        codes = [harm(text) for text in texts]
        first = next(filter(None, codes), "")
        if not first:
            kept.append((name, value))
            continue
        left_out.append(f"{name}:{first}")
        left = tuple(text for text, found in zip(texts, codes, strict=True) if not found)
        # a step that is missing makes the others wrong
        if field.kind == "steps" or (field.required and not left and field.is_list):
            code = code or first
        elif field.is_list and left:
            kept.append((name, left))
        elif field.required:
            code = code or first
    files = tuple(path for path in record.related_files if _is_inside(path) and not harm(path))
    if files != record.related_files:
        left_out.append("related_files:unusable")
    labels = tuple(tag for tag in tags if not harm(tag))
    if labels != tags:
        left_out.append("tags:unusable")
    safe = replace(record, title=title, values=tuple(kept), tags=labels, related_files=files)
    return SafeParts(safe, tuple(left_out), code)


def _texts_of(record: Record) -> Iterator[str]:
    for _, value in record.values:
        yield from (value,) if isinstance(value, str) else value


def _is_inside(path: str) -> bool:
    """Whether a path leads to something inside a project, by its words."""
    return path.isprintable() and len(path) <= _PATH_MOST and is_project_path(path)
