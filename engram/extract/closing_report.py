"""An agent's message -> what it reports: done, next, in the way, asked, about to be done.

    "Fixed the till. Next: run it in staging. Should I open a PR?"
    -> done "Fixed the till." · next "Next: run it in staging." · asked "Should I open a PR?"

A list is told by the heading or the line above it ("What was done:", "Next steps"), a sentence or a
point by how it begins ("Added ...", "All tests pass"). What a message explains, and what is told of
plans, is no work. Items are the message's words without marks, one line each; code, tables' rules
and nested points are left out. Pure, linear in the message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from engram.model.sentences import sentence_ranges

Kind = Literal["", "done", "next", "blocked", "before"]

#: a longer message is judged by its end, where agents sum up
_MOST_TEXT = 12_000
#: characters of an item
_LONGEST = 200
#: an item of fewer letters says nothing
_LETTERS = 8

_VERBS = (
    r"(?:added|applied|archived|built|changed|checked|committed|completed|converted|created"
    r"|deleted|deployed|enabled|enhanced|executed|expanded|extracted|fixed|generated|implemented"
    r"|improved|installed|merged|moved|picked up|pushed|ran|rebased|rebuilt|refactored|removed"
    r"|renamed|replaced|resolved|restored|reverted|rewrote|saved|updated|verified|wrapped|wrote)"
)
#: how a sentence begins that reports work
_DONE = re.compile(
    r"(?:✅ ?)?(?:(?:i|we)(?:['’]ve| have)? |(?=(?-i:[A-Z])))"
    rf"(?:also |now |just |successfully |already )*{_VERBS}\b(?! (?:by|files?:|to (?:be|have)))"
    rf"|(?:all|both) (?:\w+ ){{1,4}}(?:(?:are|have been) )?{_VERBS}\b"
    r"|(?:all |the |\d+ )*(?:\w+ ){0,2}tests? (?:now )?pass(?:es|ed|ing)?\b(?! but)"
    r"|all (?:\w+ ){0,3}(?:pass|green)\b|(?:pr|todo|branch|issue|release) \w+(?: and \w+ \w+)?: "
    r"|(?:verdict|short answer|conclusion|overall)\b\W*:|done — |已",
    re.IGNORECASE,
)  # fmt: skip
#: the same within a sentence
_IS_DONE = re.compile(
    rf".{{3,90}}?\b(?:(?:has|have)(?: now| also| all)? been|(?:is"
    rf"|are) now)(?: successfully)? {_VERBS}\b"
    r"|.{0,60}\btests?(?: suites?)? (?:now )?(?:pass(?:es|ed|ing)?\b(?! but)|are (?:green|clean))"
    r"|.{3,60}?\bnow includes?\b|[\w.#: -]{2,40} (?:is )?(?:now )?(?:done|complete)[.!]*$"
    r"|(?:[\w/]+ ){0,2}[\w/]*tests?\b[\w/ ]{0,20} green\b|.{0,20}已(?:修复|完成|实现)",
    re.IGNORECASE,
)
#: what is told of work and says nothing of it
_HOLLOW = re.compile(
    r".{0,30}\bcompleted (?:the|all|this) (?:\w+ )?tasks?\b|overall\W+pass\w*$|.*\bSEARCH\b",
    re.IGNORECASE,
)
#: work that waits to be kept
_UNKEPT = re.compile(r"\buncommitted\b", re.IGNORECASE)
_DONE_HEADING = re.compile(
    r"\bwhat (?:was|i|we) (?:done|did|changed|fixed|built|implemented|added|updated)\b"
    r"|\bwhat changed\b|\bwhat was \w+ed\b|^changes(?: made| applied)?$|^actions? taken"
    rf"|^(?:files?|tests?) (?:modified\b|{_VERBS}\b)|^new \w+ created|^implementation details|完成",
    re.IGNORECASE,
)
#: a list of what was to be done, and is not
_OPEN_HEADING = re.compile(r"\W*(?:remaining|still|to-?do)\b", re.IGNORECASE)
_NEXT_HEADING = re.compile(
    r"^\W*(?:next steps?\b|next:|remaining\b|still outstanding|to-?dos?\b|prochaines étapes)",
    re.IGNORECASE,
)
_BLOCKED_HEADING = re.compile(r"^\W*blockers?\b", re.IGNORECASE)
#: what another conversation did
_BEFORE_HEADING = re.compile(r"\bprevious (?:session|conversation)\b", re.IGNORECASE)
_NEXT = re.compile(
    r"(?:next(?: steps?)?[:,]|you(?:['’]ll| will| still)? need to\b|you can (?:now )?test\b"
    r"|the gaps to close\b)",
    re.IGNORECASE,
)
_BLOCKED = re.compile(
    r"\b(?:once (?:you (?:add|provide|share)|i have)|please (?:add|provide|share|clarify)\b"
    r"|could you (?:please )?(?:add|clarify)|veuillez l'ajouter|j'attends votre)",
    re.IGNORECASE,
)
_BEGUN = re.compile(
    r"(?:(?:good|great|perfect|now|next|first|then|ok(?:ay)?"
    r"|excellent)[,!.]? )*(?:now )?(?:let me(?! know)|let['’]s|i['’]ll|i will"
    r"|i['’]m (?:\w+ing|going to)|i am (?:\w+ing|going to)|starting|running|creating|spawning)\b",
    re.IGNORECASE,
)
_OFFER = re.compile(r"(?:if you (?:want|['’]d like)|happy to|i can also)\b", re.IGNORECASE)
#: an agent tells what it does next, which is no step that is left
_GOES_ON = re.compile(r"next, (?:i['’]ll|i will)\b", re.IGNORECASE)
#: what is told right behind it was done
_ANNOUNCED = re.compile(r"(?:all )?done[.!]$", re.IGNORECASE)
_NO_WORK = re.compile(r"(?:to|here)\b", re.IGNORECASE)
#: what every message may end with
_COURTESY = re.compile(
    r"\b(?:anything else|how can i help|what would you like|what['’]s next|help you (?:with"
    r"|today)|let me know|did you mean to match)\b",
    re.IGNORECASE,
)
#: what a tool put there
_BRACKETED = re.compile(r"\[[^\]\n]*\]")
_NOT_DONE = re.compile(r"\W*(?:❌|⚠|not\b|no\b|todo\b|pending\b|none\b)", re.IGNORECASE)

_WORD = re.compile(r"[^\W\d_]{2,}")
_HEADING = re.compile(r"#{1,6}[ \t]+(.+?)[ \t#]*$")
_BOLD_HEADING = re.compile(r"(?:\*\*|__)([^*\n]{2,90}?):?(?:\*\*|__):?$")
_BULLET = re.compile(r"(?:[-*+•]|\d{1,2}[.)])[ \t]+(\S.*)$")
_ROW = re.compile(r"\|(.+)\|\s*$")
_RULED = re.compile(r"[|:\s-]+$")
_STRESSED = re.compile(r"(?<![\w*])\*([^\s*][^*\n]*)\*(?![\w*])")
_LINK = re.compile(r"\[([^\[\]\n]{1,200})\]\([^()\s]{1,500}\)")
_MARKS = re.compile(
    r"\*\*|__|(?<=[.!?:)])\*$|^[>\s]+|^\d{1,2}[.)]\s+|^(?:[✅☑✔✓]\ufe0f?\s*)+"
    r"|^\[[ xX]\]\s+"
)
#: a line above a list that says nothing without it
_DANGLES = re.compile(
    r"\b(?:with|to|in|the following|these|changed|fixed|done|summary|changes|now)$"
    r"|^here\b",
    re.IGNORECASE,
)
#: a line of its own that says what came out
_VERDICT = re.compile(r"(?:verdict|overall|conclusion)\b.{0,3}:", re.IGNORECASE)
#: blanks before a nested point, words of a cell that tells work, and what rules a page
_NESTED, _ROW_WORDS, _RULERS = 2, 4, frozenset("-*_─━═ ")
_LEAD = re.compile(
    r"^(?:done|perfect|great|excellent|good|all done|understood)[.!]+ (?=\S)", re.IGNORECASE
)


@dataclass(slots=True)
class Report:
    """What a message reports, each list in the order of the message, without repeats."""

    done: list[str] = field(default_factory=list)
    next: list[str] = field(default_factory=list)
    blocked: list[str] = field(default_factory=list)
    #: offers and questions
    asked: list[str] = field(default_factory=list)
    #: what the agent does now, at the end of the message, or has not committed
    begun: list[str] = field(default_factory=list)
    #: whether it lists what is not done
    left_open: bool = False
    #: whether it ends with what the agent is about to do
    goes_on: bool = False


def report_of(text: str) -> Report:
    """What an agent's message reports."""
    report = Report()
    parts = list(_parts(text[-_MOST_TEXT:]))
    ends_open = text.rstrip("*_ \n").endswith((":", "："))
    promised, opened, announced = "", "", False
    for kind, form, said in parts:
        if form == "heading":
            announced = False
            opened = plain_item(said)
            report.left_open = report.left_open or (
                kind == "next" and bool(_OPEN_HEADING.match(said))
            )
            continue
        item = plain_item(said)
        promised = item if form == "prose" and _BEGUN.match(item) else ""
        if announced and form == "prose" and not (promised or kind or _NO_WORK.match(item)):
            kind, form = "done", "item"
        announced = _ANNOUNCED.fullmatch(said) is not None
        if kind != "before" and sum(map(str.isalpha, item)) >= _LETTERS:
            _sort(report, kind, form, said, item)
    promised = promised or (opened if ends_open else "")
    if promised:
        report.goes_on = True
        _add(report.begun, promised)
    return report


def _sort(report: Report, kind: Kind, form: str, said: str, item: str) -> None:
    """Put an item of a message where it belongs, or nowhere."""
    prose = form == "prose"
    if _BRACKETED.fullmatch(item):
        return
    if prose and _UNKEPT.search(item):
        _add(report.begun, item)
    elif kind == "next" and not item.endswith("?"):
        _add(report.next, item)
    elif kind == "blocked":
        _add(report.blocked, item)
    elif item.endswith(("?", "？")) or (prose and _OFFER.match(item)):
        if not _COURTESY.search(item):
            _add(report.asked, item)
    elif _NEXT.match(item):
        if not _GOES_ON.match(item):
            _add(report.next, item)
    elif prose and _BLOCKED.search(item):
        _add(report.blocked, item)
    elif _tells_work(kind, form, item) and not _NOT_DONE.match(said) and not _HOLLOW.match(item):
        _add(report.done, item)


def _tells_work(kind: Kind, form: str, item: str) -> bool:
    """Whether an item tells what was done: by its list, or by its words."""
    if kind == "done" and form == "item":
        return "`" in item or len(_WORD.findall(item)) > 1
    if _DONE.match(item):
        return True
    return form == "prose" and _IS_DONE.match(item) is not None


def is_plea(item: str) -> bool:
    """Whether an item asks the person for something before the work can begin."""
    return _BLOCKED.search(item) is not None


def plain_item(said: str) -> str:
    """Words of a message without marks, on one line, cut where a sentence or a word ends."""
    item = said.strip()
    if "](" in item:
        item = _LINK.sub(r"\1", item)
    if "*" in item:
        item = _STRESSED.sub(r"\1", item)
    while (stripped := _MARKS.sub("", item)) != item:
        item = stripped
    item = " ".join(_LEAD.sub("", item).split()).rstrip(" :")
    if len(item) <= _LONGEST:
        return item
    ends = [end for _, end in sentence_ranges(item, 0, len(item)) if end <= _LONGEST]
    if ends and ends[-1] > _LONGEST // 4:
        return item[: ends[-1]].strip()
    return item[:_LONGEST].rpartition(" ")[0].rstrip(" ,;:—–-") + "…"


def _add(items: list[str], item: str) -> None:
    if item not in items:
        items.append(item)


def _parts(text: str) -> Iterator[tuple[Kind, str, str]]:
    """Kind of the section, form (`heading`, `item`, `row`, `prose`) and words, in order."""
    section: Kind = ""
    lead: Kind | None = None
    held: tuple[Kind, str] | None = None
    #: whether bold lines are the points of a section, as numbered headings are
    point = False
    for raw in _told_lines(text):
        line = raw.strip()
        bullet = _BULLET.match(line)
        if held and bullet and len(raw) - len(raw.lstrip()) >= _NESTED:
            joint = " " if held[1].endswith(":") else "; "
            held = (held[0], held[1] + joint + bullet[1])
            continue
        if held:
            yield held[0], "item", held[1]
            held = None
        heading = _HEADING.match(line) or _BOLD_HEADING.match(line)
        if heading and not _VERDICT.match(heading[1]):
            told = plain_item(heading[1])
            if line.startswith("#") or _kind_of(told) or not point:
                section, lead, point = _kind_of(told), None, line.startswith("#")
                point = point and section == "done"
                yield section, "heading", told
            else:
                yield section, "item", told
        elif row := _ROW.match(line):
            if not _RULED.fullmatch(line):
                yield from _row(row[1])
        elif bullet:
            kind = section if lead is None else lead
            if bullet[1].rstrip("*_ ").endswith(":"):
                held = (kind, bullet[1].rstrip("*_ "))
            elif len(raw) - len(raw.lstrip()) < _NESTED:
                yield kind, "item", bullet[1]
        else:
            sentences = [
                line[start:end].strip() for start, end in sentence_ranges(line, 0, len(line))
            ]
            lead = None
            if line.rstrip("*_ ").endswith((":", "：")) and sentences:
                said = plain_item(sentences[-1])
                lead = _kind_of(said) or (
                    "done" if _DONE.match(said) or _IS_DONE.match(said) else ""
                )
                lead = lead or ("next" if section == "next" else "")
                yield lead, "heading", said
                alone = lead == "done" and len(said.split()) >= _ROW_WORDS
                if not _BEGUN.match(said) and not (alone and not _DANGLES.search(said)):
                    sentences.pop()
            yield from ((section, "prose", sentence) for sentence in sentences)
    if held:
        yield held[0], "item", held[1]


def _told_lines(text: str) -> Iterator[str]:
    """The lines of a message that say something, without blocks of code."""
    fence = ""
    for raw in text.splitlines():
        line = raw.strip()
        if fence:
            fence = "" if line.startswith(fence) else fence
        elif line.startswith(("```", "~~~")):
            fence = line[:3]
        elif line and not set(line) <= _RULERS:
            yield raw


def _row(cells: str) -> Iterator[tuple[Kind, str, str]]:
    """A row of a table that tells work, its cells joined; numbers are left out."""
    told = [cell.strip() for cell in cells.split("|") if any(map(str.isalpha, cell))]
    if any(_DONE.match(plain_item(cell)) and len(cell.split()) >= _ROW_WORDS for cell in told):
        yield "done", "item", " — ".join(told)


def _kind_of(heading: str) -> Kind:
    """What a list under a heading tells."""
    if _BEFORE_HEADING.search(heading):
        return "before"
    if _NEXT_HEADING.search(heading):
        return "next"
    if _BLOCKED_HEADING.match(heading):
        return "blocked"
    return "done" if _DONE_HEADING.search(heading) else ""
