"""A turn's text -> the ranges of it that are the person's own words.

    "does this mail work?\\n\\nHi all, we moved to Oslo." -> "does this mail work?"

The one place where it is decided whose words a turn holds. Not the person's: quotations, code,
logs, tables, tagged and fenced blocks, lists that no sentence of the person's own introduces,
letters, chats and pages, what is handed over to be translated, judged, summarised, rewritten or
answered, and whatever a program wrote in the person's name. In doubt they are not the person's: a
statement that is missed can be said again, a foreign one would speak for the person.
A list item is a range of its own; hard-wrapped lines are joined. Linear, never raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from engram.language.handed_over import asks_about_above, handed_at, hands_over, introduces_own
from engram.language.line_forms import (
    BULLET,
    Form,
    form_of,
    is_typed_item,
    labelled_from,
    letter_from,
)
from engram.model.sentences import sentence_ranges

Range = tuple[int, int]

#: Longer turns are pasted: nobody types that much to an agent.
_LONGEST = 4000


def own_ranges(text: str) -> list[Range]:
    """Start and end of each paragraph, or list item, that the person said themselves."""
    if len(text) > _LONGEST or wrote_program(text):
        return []
    appended = _APPENDED.search(text)
    lines = _lines_of(text[: appended.start()] if appended else text)
    _mark_documents(lines)
    _mark_reviews(lines)
    _mark_machines(lines)
    _mark_lists(lines)
    _mark_handed(lines)
    apart = [span for span in quotations(text) if _stands_alone(text, span)]
    return [piece for whole in _paragraphs(text, lines) for piece in _without(text, whole, apart)]


def wrote_program(text: str) -> bool:
    """Whether a turn begins, or asks for an answer, as those of programs in a person's name do."""
    if _PROGRAM.match(text):
        return True
    return len(text) <= _LONGEST and _SIGNAL_WORDS.search(text) is not None


def is_said(text: str, words: str) -> bool:
    """Whether words of a text stand somewhere in it as the person's own, and as no quotation."""
    own = own_ranges(text)
    quoted = quotations(text) if own else []
    at = text.find(words) if own else -1
    while at >= 0:
        end = at + len(words)
        rest = (text[first:last] for first, last in _gaps(at, end, own))
        if not any(first <= at and end <= last for first, last in quoted) and not any(
            sign.isalpha() for part in rest for sign in part
        ):
            return True
        at = text.find(words, end)
    return False


def _gaps(start: int, end: int, ranges: Sequence[Range]) -> Iterator[Range]:
    """What of a range lies in none of the ranges, which are in order."""
    for first, last in ranges:
        if start < min(first, end):
            yield start, min(first, end)
        start = max(start, last)
    if start < end:
        yield start, end


#: Turns that are written by programs in the user's name, or that set an agent its role.
_PROGRAM = re.compile(
    r"[\s\"']*(?:(?:Let'?s )?role-?play\b|\[Request interrupted|\[\[ ?##|Operation stopped by hook"
    r"|Stop hook feedback|This session is being continued|Caveat: The messages below"
    r"|Base directory for this skill|# Context\s*\n|Your name is \*"
    r"|(?:[^.\n]{0,60}, )?your (?:task|job|goal|role|mission|assignment)(?: is\b|:)"
    r"|Act as (?:an?|the)\b"
    r"|(?:You are|You're) (?:an?|the|now|executing|acting|working|\w+ \d+ of \d+"
    r"|in \w+ mode)\b|<(?:system|role|instructions?)>"
    r"|(?:Automation|Automated|Cron|Scheduled?)(?: \w+){0,2}: "
    r"|You(?:'ve| have) been (?:assigned|given|asked|invoked|spawned)\b"
    r"|This (?:message|prompt|task) (?:was|is) (?:generated|created|sent|posted|written)\b"
    r"|(?:Teammate|Agent|Sub-?agent|Worker|Orchestrator)\b[^.\n]{0,40}"
    r"\b(?:messages?|finished|completed|reports?|reported|results?)\b[^.\n]{0,40}: "
    r"|Find the \"AI\" comments below|(?:# )?AGENTS\.md|---\s*\n"
    r"|\[(?:cron|scheduled?|automat\w+|system|heartbeat|reminder)\b|(?:Read )?HEARTBEAT"
    r"|(?:This is an? |An? )?(?:automated|automatic|scheduled) (?:run|task|reminder|message|check"
    r"|job|prompt)\b|[^.\n]{0,40}\b(?:invoked|triggered|sent|started) (?:automatically"
    r"|by (?:an? |the )?(?:cron|scheduler?|automation|timer|workflow|webhook))\b"
    r"|Task: "
    r"|(?:Context|Summary) (?:from|of) (?:the |our |a )?(?:previous|last|earlier|conversation)\b"
    r"|System(?: (?:note|message|reminder))?: |Another language model|Conversation info\b"
    r"|Pre-compaction|Provide a brief synopsis|Called the \w+ tool|This is the Gemini CLI"
    r"|(?:Implement|Execute|Follow|Review) the (?:following|attached)"
    r" (?:plan|spec|document|prompt))",
    re.IGNORECASE,
)
#: Asked for by a program that waits for just these words.
_SIGNAL_WORDS = re.compile(
    r"\b(?:reply|respond)(?: (?:only|exactly|just))?(?: with)?[ :]+[\"'`<]*"
    r"[A-Z]{2,}(?:[ _][A-Z]{2,})+\b"
)
#: From here on a turn holds what a tool pasted into it.
_APPENDED = re.compile(
    r"^(?:-{3,} ?(?:content|begin|start|file)\b.*|contents? (?:of|from) \S+:)\s*$",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(slots=True)
class _Line:
    """A line: its range without indentation and line end, its words, its form, and whose it is.

    A `block` (a fence, tags, what is ruled off) ends by itself: the person may go on behind it.
    """

    start: int
    end: int
    said: str
    form: Form
    block: bool = False
    foreign: bool = False

    @property
    def own(self) -> bool:
        return not (self.block or self.foreign or self.form == "blank")


def _lines_of(text: str) -> list[_Line]:
    lines: list[_Line] = []
    offset = 0
    for raw in text.splitlines(keepends=True):
        start, end = offset + len(raw) - len(raw.lstrip()), offset + len(raw.rstrip())
        lines.append(_Line(start, max(start, end), raw.strip(), form_of(raw)))
        offset += len(raw)
    _mark_blocks(lines, text)
    rules = [number for number, line in enumerate(lines) if line.form == "rule" and line.own]
    if rules:
        for line in lines[rules[0] : rules[1] + 1 if len(rules) == 2 else len(lines)]:
            line.block = True
    return lines


_FENCE = re.compile(r"```+|~~~+")


def _mark_blocks(lines: Sequence[_Line], text: str) -> None:
    """Take out fences and tagged blocks, also those that are never closed."""
    fence = closing = ""
    for line in lines:
        if fence and line.said.startswith(fence):
            # a fence that began within a line may end within one
            line.start = line.end - len(line.said[len(fence) :].lstrip("`~ "))
            line.said, line.form = text[line.start : line.end], form_of(text[line.start : line.end])
            fence = ""
        elif fence or closing:
            line.block = True
            closing = "" if closing and closing in line.said else closing
        elif len(marks := _FENCE.findall(line.said)) % 2:
            fence, line.block = marks[-1], True
        else:
            closing = _opened(line.said, text[line.end :])
            line.block = bool(closing or (marks and _FENCE.match(line.said)))


_TAG = re.compile(r"<([A-Za-z][\w:-]*)(?:\s[^<>]*)?>|\[([A-Za-z][\w -]*)\]$")
_TAG_LAST = re.compile(r"<([A-Za-z][\w:-]*)(?:\s[^<>]*)?>$")
#: Tags that people and programs put around a text.
_HOLDERS = frozenset(
    ["article", "content", "context", "data", "doc", "document", "email", "example", "file",
     "input", "instructions", "log", "message", "paste", "quote", "source", "text", "transcript"]
)  # fmt: skip


def _opened(line: str, rest: str) -> str:
    """What closes the block of tags that a line opens; empty when it opens none.

    A tag alone on its line that nothing closes reaches to the end, as one of `_HOLDERS` does.
    """
    found = _TAG.match(line) or _TAG_LAST.search(line)
    if found is None:
        return ""
    bracketed = found[0][0] == "["
    name = found[2] if bracketed else found[1]
    closing = f"[/{name}]" if bracketed else f"</{name}>"
    if closing in line:
        return ""
    alone = found[0] == line and not bracketed
    return closing if closing in rest or alone or name.casefold() in _HOLDERS else ""


def _mark_documents(lines: Sequence[_Line]) -> None:
    """Take out what belongs to a page, a chat, a letter or a form, from its first line on."""
    spoken = [line for line in lines if line.own]
    words = ["" if line.form in ("machine", "data") else line.said for line in spoken]
    bold = [number for number, said in enumerate(words) if _BOLD.match(said)]
    starts = [number for number, line in enumerate(spoken) if line.form == "document"][:1]
    prose = ["" if line.form == "item" else said for line, said in zip(spoken, words, strict=True)]
    starts += [labelled_from(prose), letter_from(words), *(bold[:1] if len(bold) > 1 else ())]
    first = min((start for start in starts if start >= 0), default=len(spoken))
    for line in spoken[first:]:
        line.foreign = True


_BOLD = re.compile(r"(?:[-*] |\d+\. )?\*\*[^*\n]+\*\*")


#: how reviewers and their bots write, in nobody's person
_REVIEWS = re.compile(
    r"(?:^|[.!?] +)Consider \w+ing\b|^In `[^`]+`, |\(lines? \d+(?:[-–]\d+)?(?: (?:in|of) \S+)?\)"
)
_PERSON = re.compile(
    r"\b(?:i|i['’]m|i['’]ve|we|we['’]re|my|our|us|me|let['’]?s|please)\b", re.IGNORECASE
)


def _mark_reviews(lines: Sequence[_Line]) -> None:
    """Take out paragraphs of several sentences in which a reviewer says what to consider."""
    for line in lines:
        if line.own and _REVIEWS.search(line.said) and _PERSON.search(line.said) is None:
            line.foreign = len([*sentence_ranges(line.said, 0, len(line.said))]) > 1


def _mark_machines(lines: Sequence[_Line]) -> None:
    """Take out code, logs and the like, and what can only be a part of them.

    That is all between two such lines, the rest of their paragraph, and what stands below it, but
    for a last line in a person's voice.
    """
    free = [line for line in lines if not line.block]
    machine = [number for number, line in enumerate(free) if line.form == "machine"]
    spread = False
    for number, line in enumerate(free):
        if line.form == "blank":
            spread = bool(machine) and machine[0] < number and not _resumes(free[number:])
            continue
        spread = spread or line.form in ("machine", "quoted")
        within = bool(machine) and machine[0] <= number <= machine[-1]
        if spread or within or line.form in ("data", "quoted"):
            line.foreign = True


_VOICE = re.compile(r"[a-z]|(?:Please|Pls|Can|Could|Why|What|How|Any|Fix|I)\b")


def _resumes(rest: Sequence[_Line]) -> bool:
    """Whether nothing but a person's last words follows."""
    last = [line for line in rest if line.form != "blank"]
    return len(last) == 1 and last[0].form == "prose" and bool(_VOICE.match(last[0].said))


#: A person writes down so few things at once.
_MOST_ITEMS = 12


def _mark_lists(lines: Sequence[_Line]) -> None:
    """Take out lists, but for those that the person introduces as what they say themselves.

    A typed list that opens the turn needs no introduction: the person answers in points.
    """
    told = [line for line in lines if line.form != "blank"]
    points = list(takewhile(lambda line: line.form == "item" and line.own, told))
    introduced = bool(points) and all(is_typed_item(line.said) for line in points)
    below = False
    items = 0
    for line in lines:
        if line.form == "blank":
            below = False
        elif line.form == "item" and line.own:
            mark = BULLET.match(line.said)
            line.start += mark.end() if mark else 0
            items, below = items + 1, True
            line.foreign = not introduced or items > _MOST_ITEMS or not is_typed_item(line.said)
        elif below:
            line.foreign = line.foreign or not introduced
        else:
            introduced, items = line.own and introduces_own(line.said), 0


def _mark_handed(lines: Sequence[_Line]) -> None:
    """Take out what is handed over, below or above the line that does it."""
    told = [line for line in lines if line.form != "blank"]
    for number, line in enumerate(told):
        if not line.own or line.form != "prose":
            continue
        at = handed_at(line.said, last=number + 1 == len(told))
        if at >= 0:
            line.end = line.start + at
        following = told[number + 1 : number + 2]
        by_itself = any(one.block or one.form == "quoted" for one in following)
        by_itself = by_itself or (
            bool(following) and following[0].form == "item" and not hands_over(line.said[:-1])
        )
        if at >= 0 or (following and not by_itself and _hands(line)):
            for one in told[number + 1 :]:
                one.foreign = True
            return
    if _is_titled(told):
        for line in told[1:]:
            line.foreign = True
        return
    above = [line.said for line in told[:-1] if line.own]
    sentences = sum(1 for said in above for _ in sentence_ranges(said, 0, len(said)))
    asked = bool(above) and (told[-1].own or told[-2].form == "rule")
    if asked and asks_about_above(told[-1].said, sentences):
        for line in told[:-1]:
            line.foreign = True


#: So many words make a title, and so many whole sentences below one a text.
_TITLE_WORDS, _TEXT_SENTENCES, _TEXT_BELOW_A_QUESTION = 8, 3, 4


def _is_titled(told: Sequence[_Line]) -> bool:
    """Whether a short line or a question stands above several sentences in written style.

    People who type to an agent write their own sentences one or two at a time.
    """
    first, below = told[:1], [line for line in told[1:] if line.own]
    if not first or not below or first[0].block or first[0].said[-1] in ".!,;:":
        return False
    sentences = [
        line.said[start:end].strip()
        for line in below
        for start, end in sentence_ranges(line.said, 0, len(line.said))
    ]
    asked = first[0].said.endswith("?")
    if len(sentences) < (_TEXT_BELOW_A_QUESTION if asked and len(below) < 3 else _TEXT_SENTENCES):
        return False
    written = all(one[:1].isupper() and one[-1:] in '.!”"' for one in sentences)
    return written and (asked or len(first[0].said.split()) <= _TITLE_WORDS)


def _hands(line: _Line) -> bool:
    return hands_over(line.said) and not introduces_own(line.said)


def _paragraphs(text: str, lines: Sequence[_Line]) -> Iterator[Range]:
    """The own lines, hard-wrapped ones joined."""
    start = end = -1
    opens = True
    for line in lines:
        opens = opens or not line.own
        if not line.own or line.start >= line.end:
            continue
        if (
            end >= 0
            and not opens
            and line.form != "item"
            and _goes_on(text[start:end], text[line.start])
        ):
            end = line.end
            continue
        if end >= 0:
            yield start, end
        start, end, opens = line.start, line.end, False
    if end >= 0:
        yield start, end


def _goes_on(before: str, letter: str) -> bool:
    """Whether a line beginning with a letter goes on with a hard-wrapped one."""
    width = len(before) - before.rfind("\n") - 1
    return width > 50 and before[-1] not in ".!?:;" and letter.islower()


_QUOTATION = re.compile(
    r"\"{3}.+?\"{3}|(?<![\w\"])\"(?=\S)[^\"]{2,}\"(?!\w)|“[^”]{2,}”|„[^“”]{2,}[“”]"
    r"|‘[^‘]{2,}’(?!\w)|«[^»]{2,}»|「[^」]{2,}」"
    r"|(?<![\w'])'(?=\w)(?:[^'\n]|(?<=\w)'(?=\w)){8,}'(?!\w)"
    r"|<([A-Za-z][\w:-]*)(?:\s[^<>]*)?>[^<]{2,}</\1>|<!--.*?(?:-->|\Z)"
    r"|^[ \t]*[\"“„«](?=\w)[^\"”“»]*\Z",
    re.DOTALL | re.MULTILINE,
)
#: One of these begins each of them: to look for that takes a tenth of the time.
_QUOTING = re.compile("[\"“„‘«「'<]")


def quotations(text: str) -> list[Range]:
    """The ranges between quotation marks, or between tags within a line."""
    if _QUOTING.search(text) is None:
        return []
    return [found.span() for found in _QUOTATION.finditer(text)]


_SEVERAL = re.compile(r"[.!?…]\s+\S|\n")


def _stands_alone(text: str, span: Range) -> bool:
    """Whether a quotation is no part of the sentence around it."""
    inside = text[span[0] : span[1]]
    if _SEVERAL.search(inside) or inside[0] == "<":
        return True
    before = text[: span[0]].rstrip(" \t")
    return len(inside.split()) > 2 and before[-1:] in ("", "\n", ".", "!", "?", ":")


def _without(text: str, whole: Range, apart: Sequence[Range]) -> Iterator[Range]:
    """A range without the spans, where words are left of it."""
    at, end = whole
    for first, last in apart:
        if last <= at or first >= end:
            continue
        if text[at:first].strip():
            yield at, first
        at = max(at, last)
    if at < end and text[at:end].strip():
        yield at, end
