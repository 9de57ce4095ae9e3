"""Identity pass: condenses an agent's reflections in `IDENTITY.md` into lasting patterns.

    ## Reflection 2026-03-06       ->   ## Learned Patterns
    I guessed. I should have asked.     - I guessed.
    ## Learned Patterns                 - I read the file before I edit it.
    - I read the file before I edit it.

Above `identity_max_bytes` reflections and the patterns learnt earlier become one list: of repeated
ones the newest wording, the most frequent first. With a model it joins them (`condense`), else as
many stay as fit into three quarters of the page. Whatever stands outside these sections, and prose
among the patterns, stays byte for byte. Nothing is done when less than 30 % of the distinct
patterns would be left, or the page would not become shorter. The transaction keeps the version
before. Without the page there is nothing to do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engram.consolidate.condense import LEAST_KEPT, CitedStatement, condensed
from engram.consolidate.context import PassContext
from engram.consolidate.repeated_lines import alike
from engram.model.change import Change
from engram.model.page_lines import BULLET, HEADING, Lines, one_line
from engram.model.step import Step
from engram.model.text import first_line, normalise

TASK, PATH = "identity", "IDENTITY.md"
PATTERNS = "Learned Patterns"
#: `## Reflection`, and one with a date or a subject behind a dash or a colon
_REFLECTION = re.compile(r"reflections?(?:\s*[-–—:].*|\s+\d.*)?", re.IGNORECASE)
#: share of the page's limit that may be used after condensing
_FILLED = 0.75
#: lines that a model is asked for (upstream: 10 to 25 patterns)
_LINES = 25
#: what a model sees of one reflection, and what of it can become a pattern, characters
_WHOLE, _WIDTH = 1000, 300
_SENTENCE = re.compile(r".+?[.!?](?=\s|$)")


@dataclass(slots=True)
class _BehaviourPattern:
    """A pattern in its newest wording, its context, and how often it was said."""

    text: str
    more: str = ""
    count: int = 1


@dataclass(slots=True)
class _PageParts:
    """A parsed page: what was learnt, oldest first; all other lines; where patterns go."""

    learnt: list[_BehaviourPattern]
    reflected: list[_BehaviourPattern]
    rest: list[str]
    place: int = -1


def plan(context: PassContext) -> list[Step]:
    """One step that condenses the page, or none."""
    most = context.settings.consolidate.identity_max_bytes
    before = context.view.page(PATH)
    if before is None or _size(before) <= most:
        return []
    page = Lines(before)
    parts = _parts(page)
    said = [*parts.learnt, *parts.reflected]
    if not said or not page.workable:
        return []
    rest = "\n".join(parts.rest)
    chosen = _chosen(context, _distinct(said), int(most * _FILLED) - _size(rest))
    bullets = [f"{BULLET}{text}{page.end}" for text in chosen]
    made = "\n".join([*parts.rest[: parts.place], *bullets, *parts.rest[parts.place :]])
    if not chosen or _size(made) > most:
        return []
    why = f"{len(said)} reflections and patterns became {len(chosen)} patterns"
    change = Change(PATH, before.encode("utf-8"), made.encode("utf-8"), "identity")
    return [Step(TASK, "condense", (), why, prose=(change,))]


def _size(text: str) -> int:
    return len(text.encode("utf-8"))


# -- parsing ---------------------------------------------------------------------------------------


def _parts(page: Lines) -> _PageParts:
    parts, instead, done = _PageParts([], [], []), 0, 0
    for section in page.sections:
        parts.rest += page.raw[done : section.start]
        lines = page.raw[section.start : section.end]
        if section.heading.casefold() == PATTERNS.casefold():
            _take_patterns(lines, parts)
        elif _REFLECTION.fullmatch(section.heading):
            _take_reflection(lines[1:], parts)
            instead = instead or len(parts.rest)
        else:
            parts.rest += lines
        done = section.end
    parts.rest += page.raw[done:]
    if parts.place < 0:
        parts.rest[instead:instead] = [f"{HEADING}{PATTERNS}{page.end}", page.end, page.end]
        parts.place = instead + 2
    return parts


def _take_patterns(lines: Sequence[str], parts: _PageParts) -> None:
    """Bullets with the indented lines below them are patterns; the rest stays."""
    kept: list[str] = []
    inside = False
    for line in lines:
        if line.startswith(BULLET):
            parts.learnt.append(_BehaviourPattern(" ".join(line[len(BULLET) :].split())))
            inside = True
        elif inside and line[:1] in (" ", "\t") and line.strip():
            last = parts.learnt[-1]
            last.text = " ".join([last.text, *line.split()])
        else:
            kept.append(line)
            inside = False
    if parts.place < 0:
        parts.place = len(parts.rest) + 1 + (len(kept) > 1 and not kept[1].strip())
    elif not any(line.strip() for line in kept[1:]):
        return
    parts.rest += kept


def _take_reflection(lines: Sequence[str], parts: _PageParts) -> None:
    """The first sentence of a reflection may become a pattern."""
    words = " ".join(" ".join(lines).split()).removeprefix(BULLET)
    if not words:
        return
    found = _SENTENCE.match(words)
    first = first_line(found.group() if found else words, _WIDTH)
    more = words[len(first) :].strip() if words.startswith(first) else ""
    parts.reflected.append(_BehaviourPattern(one_line(first), first_line(more, _WHOLE)))


# -- choosing --------------------------------------------------------------------------------------


def _distinct(said: Iterable[_BehaviourPattern]) -> list[_BehaviourPattern]:
    """Each pattern once, ordered by when it was last said, the newest first."""
    found: dict[str, _BehaviourPattern] = {}
    for pattern in said:
        normal = normalise(pattern.text)
        same = next((known for known in found if alike(known, normal)), None)
        if same is not None:
            pattern.count += found.pop(same).count
        if normal:
            found[normal] = pattern
    return list(reversed(found.values()))


def _chosen(context: PassContext, patterns: Sequence[_BehaviourPattern], room: int) -> list[str]:
    """The texts to keep: a model's, or the most frequent and newest; empty when refused."""
    oldest_first = patterns[::-1]
    given = [CitedStatement(PATTERNS, pattern.text, pattern.more) for pattern in oldest_first]
    answer = condensed(context, given, _LINES)
    if answer is not None:
        return [
            one_line(line.text) if len(line.of) > 1 else oldest_first[line.of[0]].text
            for line in answer
        ]
    chosen: list[str] = []
    for pattern in sorted(patterns, key=lambda pattern: -pattern.count):
        room -= _size(f"{BULLET}{pattern.text}\r\n")
        if room < 0:
            break
        chosen.append(pattern.text)
    return chosen if len(chosen) >= LEAST_KEPT * len(patterns) else []
