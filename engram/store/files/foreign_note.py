"""Notes of other programs -> what our own header would say of them; no byte of them is changed.

A note whose header has neither `kind` nor `importance`, and whose name is no id that this program
makes, was not written by it: it is of Remnic, of basic-memory, of Obsidian, or a person's own.
`understood` gives its header the keys that it lacks, where a key of theirs, its name or its folder
says the same; `told` finds its statement where that stands under a heading; `left_out` names the
kind of a note that is no memory.

| of the note | read as |
|---|---|
| `type`, and categories of Remnic | a category, by `_CATEGORIES` |
| `date`, `createdAt`, a day or stamp at the start of the name, the day of its folder | `created` |
| a day elsewhere in the name | `created`, told as guessed |
| `alias`, `tag`, `#tag` in the text | aliases, tags |
| the name of the file, where it is more than an id or a date | the title |

What says nothing is left: unknown values are no faults here. A day counts as its noon in UTC, so
that it is the same day in nearly every time zone. Nothing raises.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from engram.model.ids import is_id
from engram.model.instant import instant_of
from engram.model.markdown import code_lines
from engram.model.memory import CATEGORIES, DATE_GUESSED, DATED

if TYPE_CHECKING:
    from engram.store.files.foreign_header import Value

#: our keys by those of other programs, in small letters; of two in a header the first counts
_KEYS = {
    "created": "created", "category": "category", "title": "title", "tags": "tags",
    "aliases": "aliases", "type": "type", "status": "status",
    "createdat": "created", "created_at": "created", "date": "created",
    "alias": "aliases", "tag": "tags", "entityref": "entities",
    "memorykind": "kind", "importancescore": "importance",
    "supersededby": "superseded_by", "expiresat": "expires", "validat": "valid_from",
    "supersededat": "status_since", "archivedat": "status_since", "forgottenat": "status_since",
}  # fmt: skip
_CATEGORIES = {
    "rule": "principle", "procedure": "skill", "reasoning_trace": "moment",
    "person": "entity", "meeting": "moment",
}  # fmt: skip
_STATUSES = {
    "pending_review": "needs-review", "rejected": "retired", "quarantined": "retired",
    "forgotten": "retired",
}  # fmt: skip
#: what another program says of a note that is no memory, by key and value (any, where it is "")
_KINDS = (
    ("memoryKind", "box", "page of another program"),
    ("type", "schema", "template"),
    ("excalidraw-plugin", "", "drawing"),
)  # fmt: skip
_NAMES = {
    "readme": "readme", "license": "licence", "licence": "licence", "copying": "licence",
    "changelog": "changelog",
}  # fmt: skip
_TEMPLATES = frozenset(["template", "templates"])
#: what a template is filled in with
_BLANK = re.compile(r"<%[-_*]? *tp\.|\{\{ *(?:title|date|time)(?::[^{}]*)? *\}\}", re.IGNORECASE)
_ONLY_LINK = re.compile(r"(?:[-*+] +|\d+[.)] +)?!?(?:\[\[[^\[\]]+\]\]|\[[^\[\]]*\]\([^()\s]+\))")
_COMMENT = re.compile(r"<!--.*?-->|%%.*?%%", re.DOTALL)
#: sections in which other programs keep what a note states
_STATING = ("Synthesis", "Observations")
_FIELD_LINE = re.compile(r"\*\*(?:Type|Updated):\*\* .*")
_DAY = r"(?P<day>(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))"
_NAMED_DAY = re.compile(rf"(?<!\d){_DAY}(?!\d)")
_FOLDER_DAY = re.compile(_DAY)
#: `20260306142530`, as notes are named by the second or the minute
_STAMP = re.compile(r"((?:19|20)\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?(?!\d)")
_MILLISECONDS = re.compile(r"(?:[a-z_]+-)?(1\d{12})(?![0-9])")
#: the sign first: a search finds that fast
_TAG = re.compile(r"#(?<!\S#)(\w[\w/-]*)")
_MOST_TAGS = 20
_BLANKS = " \t_-.,:"


def understood(path: str, header: Mapping[str, Value], body: str, titled: bool) -> dict[str, Value]:
    """The header of a note of another program with the keys of ours that it says otherwise.

    One that is `titled` by a heading is not called by the name of its file.
    """
    known: dict[str, Value] = dict(header)
    for key, value in header.items():
        if (name := _KEYS.get(key.casefold(), key)) != key and value and not known.get(name):
            known[name] = value
    category = _word(known, "category") or _word(known, "type")
    known["category"] = _CATEGORIES.get(category, category if category in CATEGORIES else "fact")
    if "synthesis_version" in header:
        known["category"] = "entity"
    status = _word(known, "status")
    if status in _STATUSES:
        known["status"] = _STATUSES[status]
    _date(path, known)
    if not (titled or known.get("title")) and (title := _title(path)):
        known["title"] = title
    if _TAG.search(body) and (found := _tags_in(body)):
        known["tags"] = [*_list(known.get("tags") or []), *found]
    return known


def told(text: str, sections: Sequence[tuple[str, str]]) -> str:
    """The statement of a note: its text, and the lines of sections in which others state things."""
    stating = [said for name in _STATING for heading, said in sections if heading == name and said]
    if not stating:
        return text
    lines = [line for line in text.split("\n") if not _FIELD_LINE.fullmatch(line)]
    before = "\n".join(lines).strip()
    before = "" if before.startswith("#") else before
    return "\n\n".join(part for part in (before, *stating) if part)


def left_out(path: str, header: Mapping[str, Value], body: str) -> str:
    """The kind of a note that is no memory; empty for a memory."""
    for key, value, kind in _KINDS:
        if key in header and value in ("", header[key]):
            return kind
    if "category" not in header and "id" not in header:
        folder, _, name = path.casefold().rpartition("/")
        if kind := _NAMES.get(name.removesuffix(".md"), ""):
            return kind
        if not _TEMPLATES.isdisjoint(folder.split("/")) or _is_blank(header, body):
            return "template"
    elif "priority" in header and "resolved" in header:
        return "question"
    if "<!--" in body or "%%" in body:
        body = _COMMENT.sub("", body)
    if not body.strip():
        return "empty note"
    return "index of links" if ("[[" in body or "](" in body) and _is_index(body) else ""


def _is_blank(header: Mapping[str, Value], body: str) -> bool:
    """Whether a program fills in what the header, or a heading, says."""
    said = [text for value in header.values() for text in _list(value)]
    if "{{" in body or "<%" in body:
        said += [line for line in body.splitlines() if line.startswith("#")]
    return any(map(_BLANK.search, said))


def _is_index(body: str) -> bool:
    lines = [line.strip() for line in body.splitlines() if line and line[0] != "#"]
    said = [line for line in lines if line]
    return len(said) > 1 and all(map(_ONLY_LINK.fullmatch, said))


def _word(header: Mapping[str, Value], key: str) -> str:
    value = header.get(key, "")
    return value.strip().casefold() if isinstance(value, str) else ""


def _list(value: Value) -> list[str]:
    return value if isinstance(value, list) else re.split(r"\s*,\s*|\s+(?=#)", value)


def _date(path: str, known: dict[str, Value]) -> None:
    """Set `created`, where something says it, and whether that is guessed."""
    written = known.get("created")
    if isinstance(written, str) and _is_time(written):
        if _FOLDER_DAY.fullmatch(written.strip()):
            known["created"] = f"{written.strip()}T12:00:00Z"
        return
    folder, _, name = path.removesuffix(".md").rpartition("/")
    instant = _stamp(name)
    guessed = False
    if not instant and len(days := list(_NAMED_DAY.finditer(name))) == 1:
        instant, guessed = f"{days[0]['day']}T12:00:00Z", days[0].start() > 0
    folder = folder.rpartition("/")[2]
    if not instant and _FOLDER_DAY.fullmatch(folder):
        instant = f"{folder}T12:00:00Z"
    if _is_time(instant):
        known["created"] = instant
        if guessed:
            known[DATED] = DATE_GUESSED


def _is_time(text: str) -> bool:
    try:
        return bool(text and instant_of(text))
    except ValueError:
        return False


def _stamp(name: str) -> str:
    """The time that a name begins with as digits, in seconds, minutes or milliseconds; or ''."""
    if found := _STAMP.match(name):
        year, month, day, hour, minute, second = found.groups("00")
        return f"{year}-{month}-{day}T{hour}:{minute}:{second}Z"
    if found := _MILLISECONDS.match(name):
        return instant_of(int(found[1]))
    return ""


def _title(path: str) -> str:
    """The name of a note without the time that it begins with; '' for an id or a date."""
    name = path.rpartition("/")[2].removesuffix(".md")
    if is_id(name) or _MILLISECONDS.fullmatch(name):
        return ""
    for form in (_STAMP, _NAMED_DAY):
        if found := form.match(name):
            name = name[found.end() :].strip(_BLANKS)
    return "" if name.isdigit() else name


def _tags_in(body: str) -> list[str]:
    """The `#tag` of a text, outside code; a number is none."""
    lines = body.splitlines()
    code = code_lines(lines) if "```" in body or "~~~" in body else [False] * len(lines)
    plain = "\n".join(line for line, coded in zip(lines, code, strict=True) if not coded)
    found = dict.fromkeys(tag for tag in _TAG.findall(plain) if not tag.isdigit())
    return list(found)[:_MOST_TAGS]
