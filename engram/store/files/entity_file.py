"""File of an entity page: bytes <-> Entity (design 4; lifecycle spec 1.4).

The header says id, type, name, aliases (where editors look for them) and who wrote the synthesis;
the body holds `# Name` and the sections Synthesis, Timeline, Connected to and Activity. Every line
of a list that is the program's links to the memory that it comes from; any other line of the page
is the person's and stays byte for byte through every rewrite, as do unknown keys and sections.

`synthesis_digest` is a digest of the synthesis as the program last wrote it: one with another
digest was edited, and is the person's from then on, until it is emptied. Reading is tolerant and
never raises; `read_entity` of a rendered entity is that entity, if its texts are inert lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from engram.model.entity import TYPES, Entity
from engram.model.errors import BadInput
from engram.model.ids import is_id, slug
from engram.model.markdown import inert_line, inert_value, neutralise
from engram.model.page_lines import bare, body_of, interleave, lines_of
from engram.model.text import sha256_text
from engram.store.files.document import NoteDocument, parse, patch, render
from engram.store.files.links import LINK, target_of, targets_of
from engram.store.files.page_body import PageBody

if TYPE_CHECKING:
    from engram.store.files.foreign_header import Value

#: A line of a list: `(day, memory, text)`, or for relations `(entity, label, memory)`.
Line = tuple[str, str, str]

_WRITERS = ("listed", "model")
_DATED = re.compile(rf"[-*+] ([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}) {LINK.pattern}(.*)")
_RELATED = re.compile(rf"[-*+] {LINK.pattern}(.*) {LINK.pattern}[ \t]*")


@dataclass(frozen=True, slots=True)
class EntityFile:
    """An entity as read from its page, and in words what of the page could not be used."""

    entity: Entity
    problems: tuple[str, ...] = ()


def read_entity(path: str, data: bytes) -> EntityFile:
    """Any bytes as an entity; `path` is relative to the vault, POSIX form. Never raises."""
    document = parse(data)
    problems = [document.problem] if document.problem else []
    if document.problem:
        document = parse(data.decode("utf-8", "replace").encode("utf-8"))
    body = PageBody(lines_of(document.body, document.newline), document.newline, _ORDER)
    identifier = _identity(path, document, problems)
    synthesis = _synthesis_in(body)
    entity = Entity(
        id=identifier,
        type=_type(identifier, document, problems),
        name=_text(document, "name") or body.title() or identifier.partition("-")[2] or identifier,
        aliases=_texts(document.header.get("aliases")),
        synthesis=synthesis,
        synthesis_by=_writer(document, synthesis),
        timeline=_items(body, _TIMELINE),
        relations=_items(body, _RELATIONS),
        activity=_items(body, _ACTIVITY),
        merged_into=next(iter(targets_of(document.header.get("merged_into"))), ""),
        path=path,
    )
    return EntityFile(entity, tuple(problems))


def render_entity(entity: Entity) -> bytes:
    """The page of a new entity; sections without lines are left out."""
    body = PageBody([f"# {inert_line(entity.name)}\n"], "\n", _ORDER)
    _write(body, Entity(entity.id, entity.type, entity.name), entity)
    header = {key: value for key, value in _header(entity).items() if value is not None}
    return render(header, "".join(body.lines))


def entity_changes(data: bytes, before: Entity, after: Entity) -> bytes:
    """The page with what differs between two states of its entity, and every other byte as it is.

    Raises BadInput when the header cannot be patched, or when the person's synthesis would change.
    """
    if before == after:
        return data
    person = before.synthesis_by == "person"
    if person and (before.synthesis, "person") != (after.synthesis, after.synthesis_by):
        raise BadInput(
            f"the synthesis of {before.id} was written by a person and stays",
            "empty the section `## Synthesis` in an editor to have it written anew",
        )
    old, new = _header(before), _header(after)
    # the writer of the synthesis was perhaps found by its digest, and is recorded from now on
    said = ("synthesis_by", "synthesis_digest")
    changes = {key: new[key] for key in new if key in said or old[key] != new[key]}
    if parse(data).header_lines is None:
        changes = new
    patched = patch(data, changes, create=True)
    document = parse(patched)
    body = PageBody(lines_of(document.body, document.newline), document.newline, _ORDER)
    _write(body, before, after)
    kept = len(patched) - len(_encoded(document.body))
    return patched[:kept] + _encoded(body_of(body.lines, body.newline, document.body))


@dataclass(frozen=True, slots=True)
class _EntityList:
    """A section that holds one item a line; the order of its fields is that of the page."""

    name: str
    of: Callable[[Entity], tuple[Line, ...]]
    read: Callable[[str], Line | None]
    key: Callable[[Line], Hashable]
    show: Callable[[Line], str]


def _dated(line: str) -> Line | None:
    """`- 2026-03-06 [[memory]] text`."""
    found = _DATED.fullmatch(line)
    if found is None or not is_id(target_of(found[2])):
        return None
    return found[1], target_of(found[2]), found[3].strip()


def _related(line: str) -> Line | None:
    """`- [[entity]] label [[memory]]`."""
    found = _RELATED.fullmatch(line)
    if found is None or not (is_id(target_of(found[1])) and is_id(target_of(found[3]))):
        return None
    return target_of(found[1]), found[2].strip(), target_of(found[3])


def _show_dated(item: Line) -> str:
    return f"- {item[0]} [[{item[1]}]] {inert_line(item[2])}".rstrip()


def _show_related(item: Line) -> str:
    return f"- [[{item[0]}]] {inert_line(item[1])} [[{item[2]}]]"


_TIMELINE = _EntityList(
    "Timeline", lambda one: one.timeline, _dated, lambda item: item[1], _show_dated
)
_RELATIONS = _EntityList(
    "Connected to", lambda one: one.relations, _related, lambda item: item[0], _show_related
)
_ACTIVITY = _EntityList(
    "Activity", lambda one: one.activity, _dated, lambda item: item[1:], _show_dated
)
_LISTS = (_TIMELINE, _RELATIONS, _ACTIVITY)
_SYNTHESIS = "Synthesis"
_ORDER = (_SYNTHESIS, *(part.name for part in _LISTS))


def _items(body: PageBody, part: _EntityList) -> tuple[Line, ...]:
    """The program's items of a section, in the order of the page."""
    found = (part.read(bare(line)) for line in body.section(part.name))
    return tuple(item for item in found if item is not None)


def _synthesis_in(body: PageBody) -> str:
    """The text of the section, its lines ended by `\\n`."""
    return "\n".join(map(bare, body.section(_SYNTHESIS))).strip()


def _write(body: PageBody, before: Entity, after: Entity) -> None:
    """Bring title and sections from one state of the entity to another."""
    if before.name != after.name:
        body.rename(before.name, after.name)
    if before.synthesis != after.synthesis:
        lines = neutralise(after.synthesis).split("\n")
        body.replace(_SYNTHESIS, [line + body.newline for line in lines])
    for part in _LISTS:
        wanted = part.of(after)
        if part.of(before) != wanted:
            old = body.section(part.name)
            new = interleave(old, wanted, part.read, part.key, part.show, body.newline)
            body.replace(part.name, new)


def _header(entity: Entity) -> dict[str, Value | None]:
    """The keys of the header in their order; None is left out."""
    mine = entity.synthesis_by in _WRITERS
    return {
        "id": entity.id,
        "type": entity.type,
        "name": inert_value(entity.name),
        "aliases": [inert_value(alias) for alias in entity.aliases] or None,
        "status": "merged" if entity.merged_into else None,
        "merged_into": f"[[{entity.merged_into}]]" if entity.merged_into else None,
        "synthesis_by": entity.synthesis_by or None,
        "synthesis_digest": _digest(neutralise(entity.synthesis)) if mine else None,
    }


def _digest(synthesis: str) -> str:
    return sha256_text(synthesis)[:12]


def _writer(document: NoteDocument, synthesis: str) -> str:
    """Who wrote the synthesis: as the header says, unless it was edited since."""
    if not synthesis:
        return ""
    writer = _text(document, "synthesis_by")
    ours = writer in _WRITERS and _text(document, "synthesis_digest") == _digest(synthesis)
    return writer if ours else "person"


def _identity(path: str, document: NoteDocument, problems: list[str]) -> str:
    """The header's id, else one made from the file's name."""
    given = _text(document, "id")
    if is_id(given):
        return given
    stem = PurePosixPath(path).stem
    made = stem if is_id(stem) else slug(stem, fallback="entity")
    problems.append(f"id {given!r} is no id: read as {made}" if given else f"no id: read as {made}")
    return made


def _type(identifier: str, document: NoteDocument, problems: list[str]) -> str:
    """The header's type, else what the id begins with."""
    given = _text(document, "type").strip().casefold()
    if given in TYPES:
        return given
    prefix = identifier.partition("-")[0]
    found = prefix if prefix in TYPES else "other"
    if given:
        problems.append(f"type {given!r} is unknown: read as {found}")
    return found


def _text(document: NoteDocument, key: str) -> str:
    """A scalar as it stands; of a list the first item."""
    value = document.header.get(key, "")
    return value if isinstance(value, str) else next(iter(value), "")


def _texts(value: Value | None) -> tuple[str, ...]:
    items = [value] if isinstance(value, str) else value or []
    return tuple(item for item in items if item)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
