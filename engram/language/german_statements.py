"""A turn's text -> the sentences that a person states in German, in their own words.

    "ok, und falls das mal wichtig ist: ich bin gegen Penicillin allergisch, hatte als Kind ..."
    -> "ich bin gegen Penicillin allergisch, hatte als Kind ..."

Left out: whatever is not the person's own words (`own_ranges`), questions, doubts, conditions,
wishes and jokes, and sentences that are not German. Guarantees: as `own_statements`, and its
`Sentence` with `language` "de". Each sentence is judged alone: a turn may hold two languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engram.language.own_ranges import Range, own_ranges, quotations
from engram.language.own_statements import GERMAN, Sentence, one_line
from engram.language.stop_words import is_german
from engram.model.sentences import sentence_ranges


def german_statements(text: str) -> list[Sentence]:
    """The person's own statements in German, in order."""
    if not _HINT.search(text):
        return []
    quoted = quotations(text)
    return [
        sentence
        for paragraph in own_ranges(text)
        for whole in _sentences(text, *paragraph)
        if is_german(text[slice(*whole)]) or _OPENS.match(text, whole[0])
        for clause in _clauses(text, *whole)
        if not any(first < clause[0] < last for first, last in quoted)
        and (sentence := _read(text, *clause)) is not None
    ]


#: a text without any of these words has no statement in German that a rule reads
_HINT = re.compile(
    r"\b(?:ich|wir|mein(?:e[nrms]?)?|unser(?:e[nrms]?)?|hat|ist|sind|bitte|ab|merk|vergessen)\b",
    re.IGNORECASE,
)
#: opens a sentence in no other language
_OPENS = re.compile(r"\s*(?:ich|wir|meine|unsere?) ", re.IGNORECASE)
_ORDINAL = re.compile(r"\b\d{1,2}\.$")


def _sentences(text: str, start: int, end: int) -> Iterator[Range]:
    """The ranges of sentences; the stop behind "am 3." of "am 3. Oktober" ends none."""
    held = start
    for first, last in sentence_ranges(text, start, end):
        if last < end and _ORDINAL.search(text, first, last):
            continue
        yield held, last
        held = last
    if held < end:
        yield held, end


#: where a sentence goes on with a statement of its own
_JOINT = re.compile(
    r"(?:,? (?:und|aber)|,| -| –) (?=(?:ich|wir|meine?|unsere?|ab (?-i:[A-Z])\w+) )", re.IGNORECASE
)
#: ... but for what somebody says, thinks or has decided
_SAYING = re.compile(
    r"\b(?:sag(?:t|te|en)|mein(?:t|te|en)|gesagt|rät|empfiehlt|wei(?:ß|ss)|beschlossen|entschieden"
    r"|dass|damit|weil|wenn|falls|ob|bevor|nachdem|obwohl)\b[^,]*$",
    re.IGNORECASE,
)
_SHORTEST = 3


def _clauses(text: str, start: int, end: int) -> Iterator[Range]:
    at = start
    for joint in _JOINT.finditer(text, start, end):
        left = text[at : joint.start()]
        if (
            len(left.split()) < _SHORTEST
            or _SAYING.search(left)
            or left.count("(") > left.count(")")
        ):
            continue
        yield at, joint.start()
        at = joint.end()
    yield at, end


_LEAD = re.compile(
    r"(?:(?:okay|ok|danke(?: dir)?|super|gut|perfekt|ja|nein|doch|also|übrigens|ach(?: ja| so)?|und"
    r"|aber|naja|hallo|hi|servus|achtung|wichtig|zur info|fyi|btw|noch (?:was|eins|etwas)|ps"
    r"|falls (?:das|es) (?:mal |irgendwann )?wichtig (?:ist|wird)"
    r"|(?:bitte )?merk(?:e)? dir(?: bitte)?|(?:bitte )?nicht vergessen|denk (?:bitte )?daran"
    r"|zur erinnerung)(?!\w|-\w)[\s,.!:;–-]*)+",
    re.IGNORECASE,
)
#: doubts, conditions, wishes, reports and jokes
_UNSURE = re.compile(
    r"\b(?:vielleicht|wahrscheinlich|vermutlich|eventuell|evtl|möglicherweise|könnten?|würden?"
    r"|hätten?|wären?|glaube?|überleg\w*|angeblich|angenommen|hoffentlich|irgendwann|als ob"
    r"|mal sehen"
    r"|stell dir vor|(?:kein )?(?:witz|scherz)|haha\w*|lol|hihi)\b|[😂🤣😉😜]|;-?\)"
    r"|^(?:wenn|sobald|ob|falls)\b|\bfalls (?!ich (?:das|es)\b)",
    re.IGNORECASE,
)


def _read(text: str, start: int, end: int) -> Sentence | None:
    """The sentence in a range, or None for a question, a doubt or nothing at all."""
    raw = text[start:end]
    stripped = raw.strip()
    start += len(raw) - len(raw.lstrip())
    line = one_line(stripped)
    if not line or line.rstrip("\"')]*").endswith(("?", ":")):
        return None
    lead = _LEAD.match(line)
    said = line[lead.end() :] if lead else line
    if _UNSURE.search(said):
        return None
    opening = lead.group().strip(" ,.!:;–-").casefold() if lead else ""
    return Sentence(start, start + len(stripped), said, opening, GERMAN)
