"""A matched sentence -> the Candidate: its text, dates, tags, entities and slot.

The text stands alone: relative dates become days in it (`anchor`), the conversation's title comes
before it where its words need it (`title_context`), and beside it `valid_from` or,
for a commitment, the field `due`. A slot is given only where one value replaces another for
certain. Decisions carry `decision_state: accepted`, commitments `commitment_state: open`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from engram.extract.classify import memory_kind, score_importance
from engram.extract.receipt import receipt_of
from engram.extract.rules.table import Rule
from engram.extract.title_context import with_title
from engram.language.anchor import anchored
from engram.language.keywords import entities_of, tags_of
from engram.language.own_statements import GERMAN, Sentence
from engram.language.profile_facts import settled_fact
from engram.language.proper_names import whole_name
from engram.language.third_person import third_person
from engram.language.when import find_times, fixed_times, past_times
from engram.model.candidate import Candidate
from engram.model.ids import slug
from engram.model.memory import SESSION
from engram.model.sentences import sentences_around
from engram.model.time_span import TimeSpan
from engram.model.turn import Turn


def candidate_of(turn: Turn, sentence: Sentence, rule: Rule, match: re.Match[str]) -> Candidate:
    """The candidate for a rule's match in a sentence of a turn."""
    said = sentence.said
    quote = turn.text[sentence.start : sentence.end]
    if rule.family == "preference" and _OF_AGENT.search(said):
        rule = replace(rule, category="preference")
    told = _text(sentence, rule)
    if rule.category == "principle" and _OF_ONESELF.match(told):
        rule = replace(rule, category="fact")
    tags = tags_of(said)
    space = "user" if _is_personal(rule, said, turn.project) else "project"
    for_session = rule.space == SESSION
    slot = "" if for_session else _profile_slot(said, turn.project)
    if slot:
        space = "user" if slot.startswith(_OF_PERSON) else "project"
    named = match.groupdict()
    person = whole_name(named.get("person") or named.get("other") or "", said)
    return Candidate(
        category=rule.category,
        text=with_title(told if turn.guessed else anchored(told, turn.day), turn),
        receipt=receipt_of(turn, quote),
        confidence=rule.confidence,
        importance=_importance(quote, told, rule, tags),
        kind=memory_kind(rule.category, quote, tags),
        schema=rule.schema,
        tags=tags,
        entities=entities_of(said, person=person, company=_employer(rule, said)),
        project=turn.project,
        space=SESSION if for_session else space,
        slot=slot or _slot(rule, match, turn.project if space == "project" else ""),
        valid_from=_valid_from(turn, rule, said),
        fields=_fields(turn, rule, said),
        authority="user_asserted",
        origin="rules",
        rule=rule.name,
        corrects=rule.category == "correction",
        sentence=sentences_around(turn.text, quote),
    )


#: what one can do, or was told about oneself, is no rule for others
_OF_ONESELF = re.compile(
    r"the user can (?:only|not|never)\b|the user (?:cannot|can't)\b"
    r"|the user's [\w -]{2,30} (?:says?|said|told|thinks?)\b",
    re.IGNORECASE,
)


def _importance(quote: str, text: str, rule: Rule, tags: tuple[str, ...]) -> float:
    """Importance by the person's own words; a rule has seen that a short "call me Al" matters."""
    return max(score_importance(words, rule.category, tags) for words in (quote, text))


def _times(turn: Turn, said: str) -> Sequence[TimeSpan]:
    """The times that are told; where it was said on no day that is known, not "tomorrow"."""
    return fixed_times(said, turn.day) if turn.guessed else find_times(said, turn.day)


def due_of(turn: Turn, said: str) -> TimeSpan | None:
    """The future time: a deadline before a mere date, and today only as a deadline."""
    ahead = [span for span in _times(turn, said) if span.end >= turn.day]
    deadlines = [span for span in ahead if span.role_hint == "deadline"]
    later = [span for span in ahead if span.end > turn.day and span.role_hint == "point"]
    return next(iter([*deadlines, *later]), None)


def is_overdue(turn: Turn, said: str) -> bool:
    """Whether it names a deadline and none lies ahead: nothing is left to promise."""
    deadlines = [span for span in _times(turn, said) if span.role_hint == "deadline"]
    return bool(deadlines) and due_of(turn, said) is None


_UNNAMED = re.compile(r"(?:it|that|this|they|he|she)\b", re.IGNORECASE)
_REJECTING = re.compile(
    r"(?:that(?:'?s| is)?|this is|it'?s|you'?re|you are) (?:wrong|incorrect|mistaken|false"
    r"|not (?:quite |entirely )?(?:right|correct|true))(?:[,;:.]| -| —) (?:no,? |actually,? )?",
    re.IGNORECASE,
)


def _text(sentence: Sentence, rule: Rule) -> str:
    if sentence.language == GERMAN:
        said = sentence.said.rstrip("!.,;: ")
        return f"{said[0].upper()}{said[1:]}."
    if rule.category != "correction":
        return third_person(sentence.said)
    said = _REJECTING.sub("", sentence.said, count=1)
    told = third_person(said)
    return f"Correction: {told[0].lower()}{told[1:]}" if _UNNAMED.match(said) else told


def _fields(turn: Turn, rule: Rule, said: str) -> tuple[tuple[str, str], ...]:
    if rule.category == "decision":
        return (("decision_state", "accepted"),)
    due = due_of(turn, said)
    dated = (("due", due.end),) if due else ()
    if rule.category == "correction":
        return dated if _APPOINTED.search(said) else ()
    return (*dated, ("commitment_state", "open")) if rule.category == "commitment" else ()


#: what a corrected date is the date of
_APPOINTED = re.compile(
    r"\b(?:deadline|due|launch|release|demo|meeting|call|exam|flight|appointment|delivery|audit"
    r"|opening|freeze|concert|wedding|party|trip|handover|review|interview)\b",
    re.IGNORECASE,
)
_DATED = frozenset(["decision", "moment", "fact", "skill", "relationship"])


def _valid_from(turn: Turn, rule: Rule, said: str) -> str:
    """The day it became true: a past day that the sentence names, else the turn's own."""
    if rule.category in _DATED:
        past = past_times(said, turn.day)
        past = [one for one in past if one in _times(turn, said)]
        if past:
            return past[0].start
    return turn.day


_OF_PROJECT = re.compile(
    r"\b(?:we|our|us|here"
    r"|(?:this|the|that) (?:repo|project|codebase|app|service|package|module|branch|file|code))\b",
    re.IGNORECASE,
)
#: how the person wants an agent to answer: the same in every project
_OF_AGENT = re.compile(
    r"\b(?:answers?|repl(?:y|ies)|responses?|explanations?|explain|emojis?|apologi[sz]\w+|tone"
    r"|summari\w+|speak|talk|jargon|spelling|units|bullet points)\b",
    re.IGNORECASE,
)


#: a thing that only a project has: a file, a name in code, a part of a screen, "the X"
_IN_PROJECT = re.compile(
    r"`[^`]+`|\w/\w|\b\w+\.(?:py|tsx?|jsx?|md|json|ya?ml|toml|go|rs|java|cs|html|css|tscn)\b"
    r"|\b(?:buttons?|pages?|screens?|tabs?|modals?|dialogs?|headers?|sidebars?|menus?)\b"
    r"|\bthe (?!(?:user|agent|same|way|right|most|best)\b)\w",
    re.IGNORECASE,
)


def _is_personal(rule: Rule, said: str, project: str) -> bool:
    """Whether it holds wherever the person works."""
    if rule.family != "identity" and project and _IN_PROJECT.search(said):
        return rule.category == "preference" and _OF_AGENT.search(said) is not None
    if rule.category == "preference":
        about_me = rule.space == "user" or _OF_AGENT.search(said) is not None
        return about_me and not _OF_PROJECT.search(said)
    return rule.space == "user"


_AT_COMPANY = re.compile(
    r"\bwork(?:ing)? (?:at|for) (?P<name>(?-i:[A-Z])[\w&'-]*(?: (?-i:[A-Z])[\w&'-]+)*)", re.I
)


def _employer(rule: Rule, said: str) -> str:
    found = _AT_COMPANY.search(said) if rule.name == "employer" else None
    return found.group("name") if found else ""


#: the subject of what has one value for a person
_OF_PERSON = "user::"
_USER_SLOTS = {
    "introduces": "name", "german-name": "name", "called": "called",
    "location": "location", "location-plain": "location",
    "location-am-based": "location", "moved-email": "email",
}  # fmt: skip
_MY_SLOTS = {
    "shell": "shell", "terminal": "terminal", "os": "os", "operating system": "os",
    "browser": "browser", "locale": "locale", "currency": "currency",
}  # fmt: skip
_PROJECT_SLOTS = frozenset(
    ["database", "hosting", "main branch", "default branch", "package manager", "linter",
     "formatter", "test runner", "license", "cloud provider", "hosting provider",
     "payment provider", "issue tracker", "message broker", "design system", "bundler", "orm"]
)  # fmt: skip
_JOB_AT = re.compile(
    r"i(?:'?m| am)(?: now| currently)? an?"
    r" (?![^.]*\b(?:student|volunteer|member|guest|part[- ]time)\b)"
    r"(?:[\w-]+ ){1,4}at (?:the )?(?-i:[A-Z])",
    re.IGNORECASE,
)
#: of whom one has one at a time: "my doctor is Dr. Weber", "we have a new doctor, Dr. Ahmed"
_ONE_OF = re.compile(
    r"(?:(?:my|our) (?:new )?(?P<role>doctor|gp|dentist|landlord|landlady)(?:'s| is)(?: now)?"
    r"|(?:i|we)(?:'ve| have)? (?:finally |now )?(?:have |got )?a new (?P<new>doctor|gp|dentist"
    r"|landlord|landlady),) (?-i:[A-Z])",
    re.IGNORECASE,
)
_ATTRIBUTE_IS = re.compile(r"(?:our|the) ([a-z ]+?) is ", re.IGNORECASE)
_IS_OUR = re.compile(r".+? is our ([a-z]+(?: [a-z]+)?)[.!]*$", re.IGNORECASE)


def _profile_slot(said: str, project: str) -> str:
    """The slot of a profile fact; the name of a project is one of the project it was said in."""
    fact = settled_fact(said)
    if fact is None:
        return ""
    if fact.key == "project" and project:
        return f"{project}::{fact.key}"
    if fact.key == "project" and not said.casefold().startswith(("my ", "the name of my ")):
        return ""
    return f"{_OF_PERSON}{fact.key}"


def _slot(rule: Rule, match: re.Match[str], project: str) -> str:
    """The single-valued attribute that is set, when it is safe to say so."""
    said = match.string
    if rule.name in _USER_SLOTS:
        return f"{_OF_PERSON}{_USER_SLOTS[rule.name]}"
    if rule.name == "employer":
        return "user::employer" if _AT_COMPANY.search(said) else ""
    if rule.name == "role":
        return "user::employer" if _JOB_AT.match(said) else ""
    if rule.name == "we-live":
        return "user::location" if "live" in said.casefold().split() else ""
    if not project and (role := _ONE_OF.match(said)):
        return _OF_PERSON + (role["role"] or role["new"]).casefold()
    if rule.name == "contact":
        return "user::email" if "mail" in said.casefold().split(" is ")[0] else ""
    if rule.name == "tool-of-mine":
        name = _MY_SLOTS.get(match.group("what").casefold(), "")
        return f"{_OF_PERSON}{name}" if name else ""
    topic = (match.groupdict().get("topic") or "").casefold()
    if topic in _PROJECT_SLOTS and project:
        return f"{project}::{slug(topic)}"
    pattern = {"attribute": _ATTRIBUTE_IS, "is-our": _IS_OUR}.get(rule.name)
    found = pattern.match(said) if pattern and project else None
    name = found.group(1).casefold() if found else ""
    return f"{project}::{slug(name)}" if name in _PROJECT_SLOTS else ""
