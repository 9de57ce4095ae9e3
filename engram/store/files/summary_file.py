"""File of a summary: bytes <-> Summary (design 4; decision 0015).

The header says id, sources, range of days, confidence and who wrote the page; the body holds
`# title`, the lines of the summary, and the sections Key facts, Decisions and Replaced. Every line
of the program is an item that ends in the links of the memories that it comes from; any other line
is the person's and stays byte for byte through every change, as do unknown keys and sections.

`digest` is that of the program's lines as they were last written: a page with other lines was
edited, and is the person's from then on. Reading is tolerant and never raises: the id is the
header's, so that a renamed file is the same page; `read_summary` of a rendered summary is that
summary, if its texts are inert. Writing neutralises foreign text; an existing file is never
rendered again, `summary_changes` patches it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from engram.model.errors import Conflict
from engram.model.ids import is_id
from engram.model.instant import instant_of
from engram.model.markdown import inert_line, inert_value
from engram.model.memory import LIVE, SPACES, STATUSES
from engram.model.page_lines import bare, body_of, interleave, lines_of, one_line
from engram.model.summary import (
    ReplacedFact,
    Summary,
    SummaryDecision,
    SummaryLine,
    SummaryPart,
    SummaryStatus,
)
from engram.model.text import sha256_text
from engram.store.files.document import parse, patch, render
from engram.store.files.known_header import KnownHeader, day_in
from engram.store.files.links import LINK, target_of, targets_of
from engram.store.files.page_body import LEAD, PageBody

if TYPE_CHECKING:
    from engram.store.files.foreign_header import Value

_FACTS, _DECISIONS, _REPLACED = "Key facts", "Decisions", "Replaced"
_ORDER = (_FACTS, _DECISIONS, _REPLACED)
#: the parts of the page by their heading, in order
_SECTIONS: dict[str, Callable[[Summary], Sequence[SummaryPart]]] = {
    LEAD: lambda one: one.summary,
    _FACTS: lambda one: one.facts,
    _DECISIONS: lambda one: one.decisions,
    _REPLACED: lambda one: one.replaced,
}
#: the second and third line of a decision begin so
_REASON, _OUTCOME = "Reason", "Outcome"

_ITEM = re.compile(r"[-*+] (.*)")
_BELOW = re.compile(rf"[ \t]+[-*+] ({_REASON}|{_OUTCOME}): (.*)")
_STRUCK = re.compile(r"~~(.*?)~~ -> (.*)")
_TILDE = re.compile(r"(?<!\\)~")
#: a reader of headings takes such an end for part of the mark
_CLOSING = re.compile(r"(?<=[ \t])(?=#+$)")


@dataclass(frozen=True, slots=True)
class SummaryFile:
    """A summary as read from its page, and in words what of the page could not be used."""

    summary: Summary
    problems: tuple[str, ...] = ()


class _Item(NamedTuple):
    """One line of the program: `label` is that of a line below a decision."""

    label: str
    text: str
    memories: tuple[str, ...]


def read_summary(path: str, data: bytes) -> SummaryFile:
    """Any bytes as a summary; `path` is relative to the vault, POSIX form. Never raises."""
    document = parse(data)
    problems = [document.problem] if document.problem else []
    if document.problem:
        document = parse(data.decode("utf-8", "replace").encode("utf-8"))
    elif document.header_lines is None:
        problems.append("no header: the page names no sources")
    known = KnownHeader(document.header, problems, document.header_lines is not None)
    sources = tuple(dict.fromkeys(filter(is_id, targets_of(document.header.get("consolidates")))))
    body = PageBody(lines_of(document.body, document.newline), document.newline, _ORDER)
    lists = {name: _items(body.section(name), name, frozenset(sources)) for name in _SECTIONS}
    project = known.text("project")
    found = Summary(
        id=known.identity(path, "summary"),
        title=body.title(),
        created=known.time("created", instant_of),
        first=known.time("first", day_in),
        last=known.time("last", day_in),
        consolidates=sources,
        summary=_lines(lists[LEAD]),
        facts=_lines(lists[_FACTS]),
        decisions=_decisions(lists[_DECISIONS]),
        replaced=_replaced(lists[_REPLACED]),
        confidence=known.share("confidence", 0.0),
        model=known.text("model"),
        space=known.choice("space", SPACES, "project" if project else "user"),
        project=project,
        status=_status(known),
        supersedes=tuple(filter(is_id, targets_of(document.header.get("supersedes")))),
        superseded_by=next(filter(is_id, targets_of(document.header.get("superseded_by"))), ""),
        path=path,
    )
    edited = known.text("digest") != _digest(found)
    return SummaryFile(replace(found, edited=edited), tuple(problems))


def render_summary(summary: Summary) -> bytes:
    """The page of a new summary; sections without lines are left out."""
    title = _title(summary)
    body = PageBody([f"# {title}\n"] if title else [], "\n", _ORDER)
    nothing = Summary(summary.id, summary.title, "", "", "", ())
    _write(body, nothing, summary)
    header = {key: value for key, value in _header(summary).items() if value is not None}
    return render(header, "".join(body.lines))


def summary_changes(data: bytes, before: Summary, after: Summary) -> bytes:
    """The page with what differs between two states of its summary, and every other byte as it is.

    Raises BadInput when the header cannot be patched, and Conflict for other words on a page that a
    person edited: lines of it may only go.
    """
    if before == after:
        return data
    if before.edited and not set(after.lines) <= set(before.lines):
        raise Conflict(
            f"{before.id} was changed by a person, whose lines stay",
            "remove the page in an editor to have it written anew",
        )
    document = parse(data)
    old, new = _header(before), _header(after)
    if document.header_lines is not None:
        new = {key: value for key, value in new.items() if value != old[key]}
    if not after.edited:
        new["digest"] = _digest(after)
    patched = patch(data, new, create=True)
    document = parse(patched)
    body = PageBody(lines_of(document.body, document.newline), document.newline, _ORDER)
    _write(body, before, after)
    kept = len(patched) - len(_encoded(document.body))
    return patched[:kept] + _encoded(body_of(body.lines, body.newline, document.body))


def summary_remains(data: bytes, summary: Summary) -> bytes | None:
    """The page of a removed summary: None, or that of a person who wrote on it.

    Such a page loses all lines of the program. Raises BadInput when its header cannot be patched.
    """
    page, own = parse(data), parse(render_summary(summary))
    if page.header == own.header and _filled(page.body) == _filled(own.body):
        return None
    bare_page = replace(
        summary, title="", consolidates=(), summary=(), facts=(), decisions=(), replaced=(),
        status="superseded", edited=False,
    )  # fmt: skip
    return summary_changes(data, replace(summary, edited=False), bare_page)


# -- reading -----------------------------------------------------------------------------------


def _items(lines: Sequence[str], section: str, sources: Collection[str]) -> list[_Item]:
    found = (_read(bare(line), section, sources) for line in lines)
    return [item for item in found if item is not None]


def _read(line: str, section: str, sources: Collection[str]) -> _Item | None:
    """A line as an item of the program: it ends in links, of which one is a source of the page."""
    below = _BELOW.fullmatch(line) if section == _DECISIONS else None
    item = _ITEM.fullmatch(line)
    if below is None and item is None:
        return None
    said = below[2] if below else item[1] if item else ""
    end, names = len(said.rstrip()), list[str]()
    for link in reversed(list(LINK.finditer(said))):
        name = target_of(link[1])
        if said[link.end() : end].strip() or not is_id(name):
            break
        names.append(name)
        end = link.start()
    text = said[:end].strip()
    if not text or not set(names).intersection(sources):
        return None
    if section == _REPLACED and not _STRUCK.fullmatch(text):
        return None
    return _Item(below[1] if below else "", text, tuple(reversed(names)))


def _lines(items: Sequence[_Item]) -> tuple[SummaryLine, ...]:
    return tuple(SummaryLine(item.text, item.memories) for item in items)


def _decisions(items: Sequence[_Item]) -> tuple[SummaryDecision, ...]:
    """A line without label begins a decision; the first of each label below it belongs to it."""
    found: list[SummaryDecision] = []
    for item in items:
        if not item.label:
            found.append(SummaryDecision(item.text, "", "", item.memories))
            continue
        if not found:
            continue
        last = found[-1]
        names = tuple(dict.fromkeys((*last.memories, *item.memories)))
        if item.label == _REASON and not last.reason:
            found[-1] = replace(last, reason=item.text, memories=names)
        elif item.label == _OUTCOME and not last.outcome:
            found[-1] = replace(last, outcome=item.text, memories=names)
    return tuple(found)


def _replaced(items: Sequence[_Item]) -> tuple[ReplacedFact, ...]:
    found = ((_STRUCK.fullmatch(item.text), item.memories) for item in items)
    return tuple(ReplacedFact(words[1], words[2], memories) for words, memories in found if words)


def _status(known: KnownHeader) -> SummaryStatus:
    """Superseded is also what a person put out of use in the way in which memories are."""
    given = known.choice("status", STATUSES, "active")
    return "active" if given in LIVE else "superseded"


# -- writing -----------------------------------------------------------------------------------


def _header(summary: Summary) -> dict[str, Value | None]:
    """The keys of the header in their order; None is left out."""
    by = summary.superseded_by
    return {
        "id": summary.id,
        "created": summary.created,
        "status": summary.status,
        "consolidates": _links(summary.consolidates) or None,
        "first": summary.first or None,
        "last": summary.last or None,
        "confidence": f"{summary.confidence:.2f}".rstrip("0").rstrip("."),
        "model": inert_value(summary.model) or None,
        "space": summary.space,
        "project": inert_value(summary.project) or None,
        "supersedes": _links(summary.supersedes) or None,
        "superseded_by": f"[[{by}]]" if by else None,
        "digest": None if summary.edited else _digest(summary),
    }


def _links(names: Sequence[str]) -> list[str]:
    return [f"[[{name}]]" for name in names if is_id(name)]


def _digest(summary: Summary) -> str:
    """Of the program's lines; spaces and marks of lists are not part of it."""
    lines = (_show(item) for name in _SECTIONS for item in _items_of(summary, name))
    return sha256_text("\n".join((_title(summary), *lines)))[:12]


def _title(summary: Summary) -> str:
    return _CLOSING.sub(r"\\", inert_line(summary.title))


def _items_of(summary: Summary, section: str) -> list[_Item]:
    """The lines of a section as they are written."""
    parts: Sequence[SummaryPart] = _SECTIONS[section](summary)
    return [item for part in parts for item in _items_in(part) if item.text and item.memories]


def _items_in(part: SummaryPart) -> Iterator[_Item]:
    memories = tuple(filter(is_id, part.memories))
    if isinstance(part, SummaryLine):
        yield _Item("", _inert(part.text), memories)
    elif isinstance(part, ReplacedFact):
        old, new = _TILDE.sub(r"\\~", inert_line(part.old)), inert_line(part.new)
        yield _Item("", f"~~{old}~~ -> {new}" if old and new else "", memories)
    elif decision := _inert(part.decision):
        yield _Item("", decision, memories)
        yield _Item(_REASON, inert_line(part.reason), memories)
        yield _Item(_OUTCOME, inert_line(part.outcome), memories)


def _inert(text: str) -> str:
    """A text that can begin an item: no heading, code block or rule."""
    return one_line(inert_line(text))


def _show(item: _Item) -> str:
    links = " ".join(f"[[{name}]]" for name in item.memories)
    begin = f"  - {item.label}: " if item.label else "- "
    return f"{begin}{item.text} {links}"


def _write(body: PageBody, before: Summary, after: Summary) -> None:
    """Bring title and sections from one state of the summary to another."""
    if before.title != after.title:
        body.rename(before.title, _title(after))
    sources = frozenset((*before.consolidates, *after.consolidates))
    for name in _SECTIONS:
        wanted = _items_of(after, name)
        if _items_of(before, name) == wanted:
            continue

        read = partial(_read, section=name, sources=sources)
        old = body.section(name)
        new = interleave(old, wanted, read, lambda item: item, _show, body.newline)
        body.replace(name, new)


def _filled(body: str) -> list[str]:
    """The lines of a body that say something, in any order."""
    return sorted(line for line in map(bare, body.split("\n")) if line)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
