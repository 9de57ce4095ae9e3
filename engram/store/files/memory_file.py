"""File of a memory: bytes <-> Memory (design 4.1).

Reading is tolerant: a value that cannot be used is named in `problems` and its default is taken,
and what a person writes in other ways is understood (`tags: a, b`, `tags: #a`, one link instead of
a list, a heading as title). The statement is the body up to the first quote or `##` section, the
receipt is the first quote before any section; every `##` section is kept with its text (what a
schema says of them is read by `model/record`). Links lose their brackets, labels and folders.

Writing gives exactly the shape of design 4.1, keys in a fixed order; what is empty or the default
is left out, but for `_ALWAYS`. Foreign text is neutralised, in the header too. `read_memory` of a
rendered memory is that memory, if its texts are inert. An existing file is never rendered again:
`memory_changes` patches single keys and lines of sections of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from engram.model.attributes import normal_slot
from engram.model.authority import AUTHORITIES
from engram.model.errors import BadInput
from engram.model.ids import is_memory_id
from engram.model.instant import instant_of
from engram.model.markdown import code_lines, inert_value, marked_by_git, neutralise, quote_block
from engram.model.memory import CATEGORIES, LIVE, SCHEMAS, SPACES, STATUSES, Memory
from engram.model.schemas import SCHEMA_TABLE, categories_of, written_schema
from engram.model.titles import title_of
from engram.store.files.body_sections import section_blocks, sections_in, with_sections
from engram.store.files.document import NoteDocument, parse, patch, render, with_body
from engram.store.files.known_header import KnownHeader, day_in
from engram.store.files.links import targets_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engram.store.files.foreign_header import Value

#: Header keys in the order in which they are written; `extra` is where schema scalars stand.
_ORDER = (
    "id", "category", "kind", "schema", "title", "status", "status_since", "status_reason",
    "extra", "created", "valid_from", "valid_until", "expires", "confidence", "importance",
    "sensitivity", "authority", "project", "space", "key", "aliases", "tags", "related_files",
    "entities", "sources", "supersedes", "superseded_by", "conflicts",
)  # fmt: skip
#: Written even when they are the default: a reader without this program must not have to know it.
_ALWAYS = frozenset(["id", "category", "kind", "status", "confidence", "importance"])
_NAME_KEYS = frozenset(["title", "aliases"])
_LINKS = frozenset(["entities", "sources", "supersedes", "superseded_by", "conflicts"])
#: the keys of design 4.1
KEYS = frozenset(_ORDER) - {"extra"}
#: keys that stand in a header beside a title that was made of the statement
_OURS = frozenset(["kind", "importance"])
_DEFAULTS = {field.name: field.default for field in fields(Memory)}
#: `secret` is read, so that it stays known, but nothing writes it (design 4.1).
_SENSITIVITIES = ("public", "internal", "secret")

_BARE_TAG = re.compile(r"(?:^|\s)#([^\s#,]+)")
_ID_LINE = re.compile(rb"^id:[ \t]*[\"']?([a-z0-9-]+)", re.MULTILINE)
_SECTION = re.compile(r"#{2,6}(?:\s|$)")


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """A memory as read from its file, in words what of the file could not be used, and the file.

    `left_out` is the kind of a note that is no memory.
    """

    memory: Memory
    problems: tuple[str, ...]
    document: NoteDocument
    left_out: str = ""


def read_memory(path: str, data: bytes) -> MemoryFile:
    """Any bytes as a memory; `path` is relative to the vault, POSIX form. Never raises."""
    document = parse(data)
    problems = [document.problem] if document.problem else []
    if document.problem:
        document = parse(data.decode("utf-8", "replace").encode("utf-8"))
    if marked_by_git(document.body):
        problems.append("git's conflict marks are in it: keep one side")
    header, body = document.header, document.body
    own = bool(_OURS & header.keys()) or is_memory_id(path.rpartition("/")[2].removesuffix(".md"))
    if own and document.header_lines is None:
        problems.append("no header: read as an active fact")
    heading, text, quote = _statement(body)
    sections = sections_in(body) if "##" in body else ()
    left_out = ""
    if not own:
        # imported here: most files were written by this program
        from engram.store.files import foreign_note

        left_out = foreign_note.left_out(path, header, body)
        header = foreign_note.understood(path, header, body, bool(heading))
        text = foreign_note.told(text, sections)
    known = KnownHeader(header, problems, own)
    category = known.choice("category", CATEGORIES, "fact")
    schema = _schema(known, category)
    title, aliases = _names(header, known.text("title"), schema)
    status = known.choice("status", STATUSES, "active")
    memory = Memory(
        id=known.identity(path, "memory"),
        category=category,
        text=text,
        path=path,
        status="archived" if status in LIVE and path.startswith("archive/") else status,
        kind=known.choice("kind", ("episode", "note"), "note"),
        schema=schema,
        title=title or heading,
        created=known.time("created", instant_of),
        status_since=known.time("status_since", instant_of),
        status_reason=known.text("status_reason"),
        valid_from=known.time("valid_from", day_in),
        valid_until=known.time("valid_until", day_in),
        expires=known.time("expires", day_in),
        confidence=known.share("confidence", 0.0),
        importance=known.share("importance", 0.5),
        sensitivity=known.choice("sensitivity", _SENSITIVITIES, "internal"),
        authority=known.choice("authority", AUTHORITIES, "ai_inferred"),
        project=known.text("project"),
        space=known.choice("space", SPACES, "project"),
        key=normal_slot(known.text("key")),
        quote=quote,
        aliases=aliases,
        tags=_tags(header.get("tags"), document),
        related_files=_texts(header.get("related_files")),
        entities=targets_of(header.get("entities")),
        sources=targets_of(header.get("sources")),
        supersedes=targets_of(header.get("supersedes")),
        superseded_by=targets_of(header.get("superseded_by")),
        conflicts=targets_of(header.get("conflicts")),
        extra=tuple((key, _one(value)) for key, value in header.items() if key not in KEYS),
        sections=sections,
    )
    return MemoryFile(memory, tuple(problems), document, left_out)


def id_in(path: str, data: bytes) -> str:
    """The id that a memory's file has; read as a whole only where its header says none."""
    found = _ID_LINE.search(data)
    return found[1].decode("ascii") if found else read_memory(path, data).memory.id


def render_memory(memory: Memory, quotes: Sequence[str] = ()) -> bytes:
    """The file of a new memory. `quotes` are further receipts, below the memory's own."""
    header: dict[str, Value] = {}
    names = _named(memory)
    for name in _ORDER:
        if name == "extra":
            header.update((key, _inert(value)) for key, value in memory.extra if key not in KEYS)
            continue
        value = names[name] if name in names else _written(memory, name)
        if value is not None:
            header[name] = value
    blocks = [neutralise(memory.text)]
    for quote in (memory.quote, *quotes):
        block = quote_block(quote)
        if block and block not in blocks:
            blocks.append(block)
    blocks += section_blocks(memory.sections)
    return render(header, "\n\n".join(block for block in blocks if block))


def memory_changes(data: bytes, before: Memory, after: Memory) -> bytes:
    """The file with the header keys and section lines patched in which two states of its memory
    differ.

    List items that stay are kept as the person wrote them. A note whose header says no id gets
    it. Raises BadInput when the header or a section cannot be patched, or when text or quote
    differ: a statement is replaced by another memory, never changed.
    """
    if (before.text, before.quote) != (after.text, after.quote):
        raise BadInput(
            f"the text of {before.id} is not changed in place",
            "remember the new text; it supersedes the old one",
        )
    document = parse(data)
    changes: dict[str, Value | None] = {}
    for name in _ORDER:
        if name == "extra":
            old, new = before.extras, after.extras
            changes.update((key, None) for key in old if key not in new and key not in KEYS)
            differing = {key: new[key] for key in new if old.get(key) != new[key]}
            changes.update((key, _inert(differing[key])) for key in differing if key not in KEYS)
        elif name not in _NAME_KEYS and getattr(before, name) != getattr(after, name):
            changes[name] = _as_found(document.header.get(name), _written(after, name), name)
    if (before.title, before.aliases) != (after.title, after.aliases):
        changes.update(_named(after))
    if changes and "id" not in document.header:
        changes = {"id": after.id, **changes}
    made = patch(data, changes, create=True)
    if before.sections == after.sections:
        return made
    body = with_sections(document.body, before.sections, after.sections, document.newline)
    return with_body(made, body)


def _names(header: Mapping[str, Value], title: str, schema: str) -> tuple[str, tuple[str, ...]]:
    """The title that the memory was given, and its aliases without the one that is its title.

    A title that was made of the statement follows it: none was given.
    """
    aliases = _texts(header.get("aliases"))
    if title not in aliases:
        return title, aliases
    made = not schema and _OURS.issubset(header)
    return "" if made else title, tuple(alias for alias in aliases if alias != title)


def _named(memory: Memory) -> dict[str, Value | None]:
    """The header keys by which people and editors find a memory: its title, also as an alias.

    A record that was given a title has an alias of its own.
    """
    title = inert_value(memory.title or title_of(memory.text))
    also = [title] if title and (memory.schema or not memory.title) else []
    aliases = [*also, *(inert_value(one) for one in memory.aliases if one not in also)]
    return {"title": title or None, "aliases": aliases or None}


def retitled(path: str, data: bytes) -> bytes:
    """The file of a memory whose statement was rewritten, with the title that it has now.

    A title that a person gave stays.
    """
    found = read_memory(path, data)
    written = found.document.header.get("title", "")
    if not written or found.memory.title or written == title_of(found.memory.text):
        return data
    return patch(data, _named(found.memory))


def _schema(known: KnownHeader, category: str) -> str:
    """The schema, if the category may have it; nothing where the category says it already."""
    name = known.choice("schema", SCHEMAS, "")
    allowed = categories_of(SCHEMA_TABLE[name]) if name else ()
    if name and category not in allowed:
        known.problems.append(
            f"schema {name!r} belongs to category {' or '.join(allowed)}: not used"
        )
        return ""
    return written_schema(category, name)


def _one(value: Value) -> str:
    return value if isinstance(value, str) else ", ".join(value)


def _texts(value: Value | None) -> tuple[str, ...]:
    """A list, or one text instead of it, without empty items."""
    items = [value] if isinstance(value, str) else value or []
    return tuple(item for item in items if item)


def _tags(value: Value | None, document: NoteDocument) -> tuple[str, ...]:
    """Tags from a list, `a, b`, or `#a #b` (which YAML takes for a comment)."""
    if value is None:
        return ()
    items = re.split(r"\s*,\s*|\s+(?=#)", value) if isinstance(value, str) else value
    found = [tag for item in items if (tag := item.strip().lstrip("#"))]
    if value == "" or (isinstance(value, list) and "" in value):
        found.extend(_commented_tags(document.header_lines or ()))
    return tuple(found)


def _commented_tags(lines: Sequence[str]) -> list[str]:
    """The `#a` of `tags: #a` and of `- #a` below it."""
    found: list[str] = []
    inside = False
    for line in lines:
        if line[:1] not in ("", " ", "\t", "-"):
            inside = line.startswith("tags:")
        if inside:
            found.extend(_BARE_TAG.findall(line))
    return found


def _statement(body: str) -> tuple[str, str, str]:
    """Heading, statement and first quote of a body; without a statement, what else there is."""
    lines = body.replace("\r\n", "\n").replace("\r", "\n").strip("\n").split("\n")
    heading = ""
    if lines[0].startswith("# "):
        heading = lines.pop(0)[2:].strip()
    code = code_lines(lines) if "```" in body or "~~~" in body else [False] * len(lines)
    end = _first(lines, code, 0, lambda line: line[:1] == ">" or _SECTION.match(line) is not None)
    text = "\n".join(lines[:end]).strip()
    quote = ""
    if end < len(lines) and lines[end].lstrip()[:1] == ">":
        stop = _first(lines, code, end, lambda line: line[:1] != ">")
        quoted = (line.lstrip()[1:] for line in lines[end:stop])
        quote = "\n".join(line.removeprefix(" ") for line in quoted).strip()
        end = stop
    return heading, text or quote or "\n".join(lines[end:]).strip(), quote


def _first(
    lines: Sequence[str], code: Sequence[bool], start: int, wanted: Callable[[str], bool]
) -> int:
    """The first line from `start` on, outside code, that is wanted without its indentation."""
    for number in range(start, len(lines)):
        if not code[number] and wanted(lines[number].lstrip()):
            return number
    return len(lines)


def _written(memory: Memory, name: str) -> Value | None:
    """A field as its header key says it; None when the key is left out."""
    value = getattr(memory, name)
    if name not in _ALWAYS and value == _DEFAULTS[name]:
        return None
    if isinstance(value, int | float):
        return f"{value:.3f}".rstrip("0").rstrip(".")
    if isinstance(value, str):
        return inert_value(value)
    return [f"[[{item}]]" if name in _LINKS else inert_value(item) for item in value]


_NAMES = re.compile(r"\[\[[a-z0-9-]+\]\](?:, \[\[[a-z0-9-]+\]\])*")


def _inert(value: str) -> str:
    """A value of a further key; links to memories, which deciders keep there, stay links."""
    return value if _NAMES.fullmatch(value) else inert_value(value)


def _as_found(old: Value | None, new: Value | None, name: str) -> Value | None:
    """A new list of links with the items that the file has already in the person's own words."""
    if name not in _LINKS or not isinstance(old, list) or not isinstance(new, list):
        return new
    raw = {f"[[{target}]]": item for item in old for target in targets_of([item])}
    return [raw.get(item, item) for item in new]
