"""Profile pass: what is known of the person -> `profile.md`, one line a memory, with its link.

    ## Preferences
    - The user prefers tabs in Go. [[preference-20260306-101000-9c1f03aa]]

What holds in one project alone stands under its name (`## Project tern`); a page of before is moved
to this form once, without the lines of the person.

A line that ends in links to memories follows them: it is written again when the memory's text
changes, becomes that of its successor, and is removed when nothing live is left. Every other line
is the person's and stays byte for byte. What another line says already is not added
(`repeated_lines`).

Above `profile_max_lines` the page is condensed to about `profile_lines`. By rule the most important
memories stay, of each section at least one. A model is given three times as many and joins them
(`condense`): a line for one memory keeps that memory's own words, a line for several stays while
all of them live. When its answer is refused the page stays long. What a condensed page leaves out
comes back when it is changed or confirmed; the page says when it was condensed. The transaction
keeps the version before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from engram.consolidate.condense import CitedStatement, CondensedLine, condensed, room_for
from engram.consolidate.context import PassContext
from engram.consolidate.profile_sections import (
    CATEGORIES,
    FORMER,
    GONE,
    KNOWN,
    OF_PROJECT,
    SECTIONS,
    section_of,
)
from engram.consolidate.repeated_lines import unsaid
from engram.model.authority import authority_rank
from engram.model.change import Change
from engram.model.instant import Instant
from engram.model.memory import Memory
from engram.model.page_lines import Bullet, Edit, Lines, bare, one_line
from engram.model.step import Step
from engram.model.text import first_line, tokens_of

TASK, PATH = "profile", "profile.md"
_ABOUT = (
    "*A line that ends in a link follows the memory it links to. What holds in one project stands"
    " under its name. Lines of your own stay as they are.*"
)
#: the same on a page on which projects are not told apart yet
_ABOUT_BEFORE = (
    "*A line that ends in a link follows the memory it links to. Lines of your own stay as they"
    " are.*"
)
_HEAD = f"# Profile\n\n{_ABOUT}\n"
_WIDTH = 240
#: how many times the remaining lines a model is given to join
_GIVEN = 3
_LINKS = re.compile(r"(?:\s*(?<!\\)\[\[[a-z0-9-]{1,80}\]\])+\s*$")
_LINK = re.compile(r"\[\[([a-z0-9-]+)\]\]")
#: how the ids of these categories' memories begin
_BORN = re.compile(rf"(?:{'|'.join(CATEGORIES)})-\d{{8}}-\d{{6}}-[0-9a-f]{{8}}(?:-\d+)?")
_CONDENSED = re.compile(r"\*Condensed on (\S+Z): what is not listed here is still in the vault\.\*")
_NOTE_LINES = 2
_MOST_HEIRS = 20


@dataclass(frozen=True, slots=True)
class _Entry:
    """One of our lines: on the page already when `line` is its number, else to be added."""

    memories: tuple[Memory, ...]
    text: str
    heading: str
    line: int = -1


def plan(context: PassContext) -> list[Step]:
    """One step that updates the page, or none."""
    before = context.view.page(PATH)
    text = before if before and before.strip() else _HEAD
    page = Lines(text)
    if not page.workable:
        return []
    edit = Edit()
    kept, moved = _in_new_form(page, edit, _kept(context, page, edit))
    _drop_emptied(page, edit)
    fresh = [*moved, *_fresh(context, page, [*kept, *moved], edit)]
    made = _added(page, edit, fresh)
    too_long = made.count("\n") > context.settings.consolidate.profile_max_lines
    # a model that was refused is not asked about the same page again by every run
    if too_long and (made != text or context.changed is None):
        room = _room(context, made, len(kept) + len(fresh))
        made = _condensed(context, page, edit, [*kept, *fresh], room) or made
    if _same(made, text) or not (before or fresh):
        return []
    names = [one.id for entry in fresh for one in entry.memories]
    change = Change(PATH, _bytes(before), made.encode("utf-8"), "profile")
    return [Step(TASK, "update", tuple(names), _why(text, made), prose=(change,))]


def is_bare(text: str) -> bool:
    """Whether a page has nothing but what this pass writes around its lines."""
    ours = {"", _ABOUT_BEFORE, *_HEAD.splitlines(), *(f"## {one}" for one in KNOWN)}
    lines = _CONDENSED.sub("", text).splitlines()
    return all(line in ours or line.startswith(f"## {OF_PROJECT}") for line in lines)


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8")


def _same(made: str, text: str) -> bool:
    """Whether only the date of condensing differs."""
    return _CONDENSED.sub("", made) == _CONDENSED.sub("", text)


def _why(text: str, made: str) -> str:
    before, after = ({one.text for one in Lines(page).bullets()} for page in (text, made))
    counts = ((len(after - before), "added"), (len(before - after), "taken out"))
    changes = ", ".join(f"{count} {word}" for count, word in counts if count)
    return f"statements of the profile: {changes or 'in another order'}"


# -- lines on the page -----------------------------------------------------------------------------


def _kept(context: PassContext, page: Lines, edit: Edit) -> list[_Entry]:
    """Our lines that stay; changes and removals of the others go into the edit."""
    entries: list[_Entry] = []
    listed: set[str] = set()
    for bullet in page.bullets():
        linked = _linked(context, bullet)
        if linked is None:
            continue
        entry = _entry_of(context, bullet, linked)
        names = {one.id for one in entry.memories} if entry else set()
        if entry is None or names & listed:
            edit.drop.add(bullet.line)
            continue
        listed |= names
        entries.append(entry)
        if entry.text != bullet.text:
            edit.replace[bullet.line] = f"- {entry.text}"
    return entries


def _linked(context: PassContext, bullet: Bullet) -> list[Memory | None] | None:
    """The memories that one of our lines links to; None for a line of the person's."""
    links = _LINKS.search(bullet.text)
    if links is None:
        return None
    names = _LINK.findall(links.group())
    memories = [context.view.memory(name) for name in names]
    for name, memory in zip(names, memories, strict=True):
        ours = _was_ours(memory) if memory else _BORN.fullmatch(name) is not None
        if not ours:
            return None
    return memories


def _entry_of(
    context: PassContext, bullet: Bullet, linked: Sequence[Memory | None]
) -> _Entry | None:
    """The line as it is to be now, wherever the person put it; None when it is removed."""
    live = tuple(memory for memory in linked if memory is not None and _belongs(memory))
    text = bullet.text
    if len(linked) == 1 and (heir := _heir(context, linked[0])):
        live, text = (heir,), _line(heir)
    if len(live) != len(linked):
        return None
    return _Entry(live, text, bullet.heading or section_of(live[0]), bullet.line)


def _heir(context: PassContext, memory: Memory | None) -> Memory | None:
    """The memory, or its successor that belongs on the page."""
    for _ in range(_MOST_HEIRS):
        if memory is None or _belongs(memory):
            return memory
        if memory.live or not memory.superseded_by:
            return None
        memory = context.view.memory(memory.superseded_by[0])
    return None


def _belongs(memory: Memory) -> bool:
    """Whether a memory belongs on the page now."""
    return memory.live and section_of(memory) != ""


def _was_ours(memory: Memory) -> bool:
    """Whether a line that links to a memory is ours: it belongs on the page, or once did."""
    former = memory.category in ("skill", "correction", "preference", "principle")
    return former or section_of(memory) != "" or memory.space in ("user", "session")


def _drop_emptied(page: Lines, edit: Edit) -> None:
    """Drop the headings of sections that pages had once, when their last line goes."""
    for section in page.sections:
        inside = range(section.start + 1, section.end)
        filled = {number for number in inside if bare(page.raw[number]).strip()}
        if section.heading in GONE and filled and filled <= edit.drop:
            # the line feed behind the last line is the page's
            edit.drop.update(range(section.start, min(section.end, len(page.raw) - 1)))


def _in_new_form(
    page: Lines, edit: Edit, kept: Sequence[_Entry]
) -> tuple[list[_Entry], list[_Entry]]:
    """The lines that stay where they are, and those that go under the name of a project now.

    A line that was joined from several projects is taken apart. Only a page that still says what
    it said before is changed so: where a line stands later is the person's affair.
    """
    about = [number for number, line in enumerate(page.raw) if bare(line) == _ABOUT_BEFORE]
    if not about:
        return list(kept), []
    edit.replace[about[0]] = _ABOUT
    stay: list[_Entry] = []
    moved: list[_Entry] = []
    for entry in kept:
        headings = {section_of(memory) for memory in entry.memories}
        if entry.heading not in KNOWN or headings <= KNOWN:
            stay.append(entry)
            continue
        edit.drop.add(entry.line)
        edit.replace.pop(entry.line, None)
        if len(headings) == 1:
            moved.append(replace(entry, heading=headings.pop(), line=-1))
        else:
            moved += [_entry(memory) for memory in entry.memories]
    return stay, moved


def _entry(memory: Memory) -> _Entry:
    return _Entry((memory,), _line(memory), section_of(memory))


def _line(memory: Memory) -> str:
    return f"{_shown(memory)} [[{memory.id}]]"


def _shown(memory: Memory) -> str:
    return one_line(first_line(" ".join(memory.text.split()), _WIDTH))


# -- new lines -------------------------------------------------------------------------------------


def _fresh(context: PassContext, page: Lines, kept: Sequence[_Entry], edit: Edit) -> list[_Entry]:
    """Memories to add, oldest first, without what the page says already."""
    listed = {memory.id for entry in kept for memory in entry.memories}
    wanted = [one for one in _looked_at(context, page) if one.id not in listed and _belongs(one)]
    # more than can ever stay need not be compared
    most = 2 * context.settings.consolidate.profile_max_lines
    best = sorted(_by_rank(wanted)[:most], key=lambda memory: (memory.created, memory.id))
    gone = edit.drop | edit.replace.keys()
    said = [(one.heading, _bare(one.text)) for one in page.bullets() if one.line not in gone]
    said += [(entry.heading, _bare(entry.text)) for entry in kept]
    found: list[_Entry] = []
    for heading in dict.fromkeys(map(section_of, best)):
        here = [memory for memory in best if section_of(memory) == heading]
        # what holds in another project says nothing of this one
        heard = [text for where, text in said if where == heading or not _is_project(where)]
        new = [_entry(here[place]) for place in unsaid(heard, map(_shown, here))]
        said += [(heading, _bare(entry.text)) for entry in new]
        found += new
    return sorted(found, key=lambda entry: (entry.memories[0].created, entry.memories[0].id))


def _is_project(heading: str) -> bool:
    return heading.startswith(OF_PROJECT)


def _looked_at(context: PassContext, page: Lines) -> Iterable[Memory]:
    if context.changed is not None:
        found = (context.view.memory(name) for name in sorted(context.changed))
        return [memory for memory in found if memory is not None]
    since = _condensed_on(page)
    return [memory for memory in context.view.live() if memory.created > since]


def _condensed_on(page: Lines) -> Instant:
    """When the page was condensed; empty when it is complete."""
    found = _CONDENSED.search("\n".join(page.raw))
    return found[1] if found else ""


def _bare(text: str) -> str:
    """The text of a bullet without its links."""
    return _LINKS.sub("", text)


def _by_rank(memories: Iterable[Memory]) -> list[Memory]:
    """The most important first; of equal ones the most trusted, then the newest."""
    newest = sorted(memories, key=lambda memory: (memory.created, memory.id), reverse=True)
    return sorted(newest, key=lambda one: (-one.importance, -authority_rank(one.authority)))


def _added(page: Lines, edit: Edit, entries: Iterable[_Entry]) -> str:
    there = {section.heading.casefold() for section in page.sections}
    texts: dict[str, list[str]] = {heading: [] for heading in SECTIONS}
    for entry in entries:
        names = (entry.heading, *FORMER.get(entry.heading, ()))
        heading = next((name for name in names if name.casefold() in there), entry.heading)
        texts.setdefault(heading, []).append(entry.text)
    edit.add = {heading: found for heading, found in texts.items() if found}
    edit.order = SECTIONS
    return page.edited(edit)


# -- condensing ------------------------------------------------------------------------------------


def _condensed(
    context: PassContext, page: Lines, edit: Edit, entries: Sequence[_Entry], room: int
) -> str:
    """The page with so many lines of ours; empty when a model's are refused."""
    if len(entries) <= room:
        return ""
    given = _chosen(entries, _GIVEN * room, room_for(context))
    answer = condensed(
        context, [CitedStatement(one.heading, _bare(one.text)) for one in given], room
    )
    if answer is None:
        return _rewritten(context, page, edit, entries, _chosen(entries, room))
    lines = [_joined(line, [given[place] for place in line.of]) for line in answer]
    return _rewritten(context, page, edit, entries, lines) if lines else ""


def _room(context: PassContext, made: str, ours: int) -> int:
    """How many lines of ours are to remain: at least half of them, however long the person's."""
    lines = context.settings.consolidate.profile_lines
    others = made.count("\n") - ours + _NOTE_LINES
    return max(lines - others, lines // 2)


def _joined(line: CondensedLine, given: Sequence[_Entry]) -> _Entry:
    """The entry of a model's line: the given one itself when it stands for that alone."""
    if len(given) == 1:
        return given[0]
    memories = tuple(memory for entry in given for memory in entry.memories)
    links = " ".join(f"[[{memory.id}]]" for memory in memories)
    return _Entry(memories, f"{one_line(line.text)} {links}", line.heading)


def _chosen(entries: Sequence[_Entry], most: int, tokens: int | None = None) -> list[_Entry]:
    """The most important so many, in the order of the page; at least one of each section."""
    ranks = {
        memory.id: rank
        for rank, memory in enumerate(_by_rank(one for e in entries for one in e.memories))
    }
    ranked = sorted(entries, key=lambda entry: min(ranks[one.id] for one in entry.memories))
    first = {entry.heading: entry for entry in reversed(ranked)}
    must = list(first.values())
    chosen = [*must, *(entry for entry in ranked if entry not in must)]
    chosen = chosen[: max(most, len(must))]
    while tokens is not None and len(chosen) > len(must) and _tokens(chosen) > tokens:
        chosen.pop()
    order = list(dict.fromkeys([*SECTIONS, *(entry.heading for entry in entries)]))
    places = {id(entry): place for place, entry in enumerate(entries)}
    return sorted(chosen, key=lambda one: (order.index(one.heading), places[id(one)]))


def _tokens(entries: Iterable[_Entry]) -> int:
    return sum(tokens_of(entry.text) for entry in entries)


def _rewritten(
    context: PassContext,
    page: Lines,
    edit: Edit,
    entries: Sequence[_Entry],
    chosen: Sequence[_Entry],
) -> str:
    """The page with the chosen lines alone, and the day on which it was condensed."""
    stay = {entry.line for entry in chosen}
    for entry in entries:
        if entry.line >= 0 and entry.line not in stay:
            edit.drop.add(entry.line)
            edit.replace.pop(entry.line, None)
    made = _added(page, edit, [entry for entry in chosen if entry.line < 0])
    note = f"*Condensed on {context.now}: what is not listed here is still in the vault.*"
    if _CONDENSED.search(made):
        return _CONDENSED.sub(note, made, count=1)
    if not made.startswith("# "):
        return f"{made}{page.end}\n{note}{page.end}\n"
    title, _, rest = made.partition("\n")
    return f"{title}\n{page.end}\n{note}{page.end}\n{rest}"
