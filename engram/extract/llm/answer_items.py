"""One item of a model's answer -> a Candidate, or a refusal code.

Whatever can be checked is checked: the category comes from a closed list (after an alias table),
the quote must stand in a message (the captured words are taken instead of the model's), dates must
be dates, replaced memories must have been in the question, and who agreed to a decision must have
said so later. A finding is filed as a decision, a skill or a fact. How far the conversation
supports an item is noted. One bad item never costs the others, and what is said again is one item.
Whose words are quoted is for `voice` to say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from engram.extract.assent import agreement_in
from engram.extract.classify import TRIVIAL, score_importance
from engram.extract.llm.item_dates import dated, due_day, since_day
from engram.extract.llm.prompt import ENTITY_TYPES, FINDING
from engram.extract.llm.quotes import Words, quoted
from engram.extract.llm.repeated_items import distinct
from engram.extract.llm.support import Shown
from engram.extract.receipt import receipt_of
from engram.extract.title_context import with_title
from engram.language.anchor import anchored
from engram.language.english import is_english
from engram.language.hidden_text import without_hidden_signs
from engram.language.own_statements import statements
from engram.language.session_orders import is_for_session, names_session
from engram.language.wording import telling, terms_of
from engram.model.candidate import Appraisal, Candidate, Receipt
from engram.model.entity import NAMES_FIELD
from engram.model.entity_ids import entity_id, stem_of
from engram.model.memory import CATEGORIES, DECISION_STATES, SESSION, Memory
from engram.model.model_request import Context
from engram.model.sentences import sentences_around
from engram.model.turn import Turn

MALFORMED = "malformed"
UNKNOWN_CATEGORY = "unknown_category"
EMPTY = "empty"
UNKNOWN_MEMORY = "unknown_memory"
TOO_LONG = "too_long"

#: seed 003's three words as numbers (issue: .3/.7/.9)
_CONFIDENCE = {"low": 0.3, "medium": 0.7, "high": 0.9}
#: lifecycle 4.1: the confidence of an item without one
_UNSAID = 0.7
#: Other names that models give to the closed list; a schema goes with some.
_ALIASES: dict[str, tuple[str, str]] = {
    "rule": ("principle", ""), "value": ("principle", ""), "policy": ("principle", "constraint"),
    "constraint": ("fact", "constraint"), "requirement": ("fact", "constraint"),
    "todo": ("commitment", ""), "task": ("commitment", ""), "deadline": ("commitment", ""),
    "promise": ("commitment", ""), "goal": ("commitment", ""), "reminder": ("commitment", ""),
    "tech_debt": ("commitment", "tech_debt"), "debt": ("commitment", "tech_debt"),
    "event": ("moment", ""), "milestone": ("moment", ""), "incident": ("moment", ""),
    "person": ("entity", ""), "organization": ("entity", ""), "organisation": ("entity", ""),
    "company": ("entity", ""), "tool": ("entity", ""), "project": ("entity", ""),
    "habit": ("preference", ""), "like": ("preference", ""), "style": ("preference", ""),
    "choice": ("decision", ""), "relation": ("relationship", ""),
    "procedure": ("skill", "runbook"), "runbook": ("skill", "runbook"), "ability": ("skill", ""),
    "fix": ("correction", ""), "knowledge": ("fact", ""), "information": ("fact", ""),
    "belief": ("fact", ""), "note": ("fact", ""), "observation": ("fact", ""),
}  # fmt: skip
#: what a finding tells, if it is no mere fact: what was chosen, how something is done
_CHOICE = re.compile(r"\b(?:chose|chosen|decided|opted for|settled on)\b", re.IGNORECASE)
_MANNER = re.compile(
    r"^to [a-z]+ [^,.]+, [a-z]|\bhow to\b"
    r"|\b(?:is|are) [a-z]+(?:ed|t|n)\b[^.]* (?:by \w+ing|with `)",
    re.IGNORECASE,
)
#: the numbers of each level of importance (`model/memory.importance_level`)
_LEVELS = {"low": (0.2, 0.39), "normal": (0.4, 0.69), "high": (0.7, 1.0)}
_LABEL = re.compile(r"\[?k(\d{1,3})\]?")
#: names of things that do not last: tickets, branches, commits, files
_PASSING = re.compile(
    r"(?:PR|MR|issue|ticket)?\s*[#!]?\d+|[A-Z]{2,}-\d+|[0-9a-f]{7,40}|\S*[/\\]\S*"
)
#: how a question shows a known name: "Postgres (tool)"
_SHOWN_TYPE = re.compile(rf" \((?:{'|'.join(ENTITY_TYPES)})\)$")
#: how an item is counted that is one of many: "3. ", "(3) "
_COUNTED = re.compile(r"^\(?\d{1,3}[.)] +(?=\w)")
#: two plain sentences are asked for; what is longer is a document, characters
_LONGEST_TEXT = 400
#: what is said of the place where it is said
_HERE = re.compile(
    r"\b(?:this|diese[mnrs]?) (?:repo|repository|project|codebase|package|app|projekt)\b"
    r"|\bour team\b",
    re.IGNORECASE,
)
#: words that what is said of a proposal has in common with it
_TAKEN_UP = 2
#: a tag that is no word: a part of a key, a digest
_RANDOM = re.compile(r"(?=[^\W_]*\d)(?=[^\W_]*[^\W\d_])[^\W_]{16,}")
_MOST_TAGS, _MOST_ENTITIES, _LONGEST_NAME = 5, 5, 60


@dataclass(frozen=True, slots=True)
class _Item:
    """The fields of an item that had the right type; the rest is empty."""

    category: str
    text: str
    quote: str
    turn: int
    raw: Mapping[str, object]


def candidates_of(
    items: Sequence[object], turns: Sequence[Turn], context: Context
) -> list[Candidate]:
    """A candidate for every item, sound or refused; a refused `supersedes` id adds one."""
    texts = [Words(turn.text) for turn in turns]
    read = (*turns, *context.earlier)
    given = Shown(
        (
            *(part for turn in read for part in (turn.project, turn.text)),
            *(memory.text for memory in context.memories),
        ),
        (turn.day for turn in read),
    )
    found: list[Candidate] = []
    for item in items:
        for one in _candidate(item, turns, texts, context.memories):
            found.append(placed(_supported(one, item, given), item, turns))
    return distinct(found)


def refused(code: str, category: str = "fact") -> Candidate:
    """A candidate that carries only a refusal code, for an item that is malformed."""
    return Candidate(category, "", Receipt("", "", "", "", ""), 0.0, origin="model", fault=code)


def _supported(candidate: Candidate, item: object, given: Shown) -> Candidate:
    """The candidate, and how far what the model was shown supports it."""
    if candidate.fault or not isinstance(item, dict):
        return candidate
    # the dates that were put beside its words are not the model's
    text = str(item.get("text", item.get("content", "")))
    said = candidate.sentence or candidate.receipt.quote
    return replace(candidate, support=given.supports(text, said, candidate.receipt.day))


def placed(candidate: Candidate, item: object, turns: Sequence[Turn]) -> Candidate:
    """A refused one with the link of the turn that its item names: so it can be looked up."""
    number = item.get("turn") if candidate.fault and isinstance(item, dict) else None
    if type(number) is not int or not 1 <= number <= len(turns):
        return candidate
    return replace(candidate, receipt=receipt_of(turns[number - 1], ""))


def _candidate(
    raw: object, turns: Sequence[Turn], texts: Sequence[Words], shown: Sequence[Memory]
) -> list[Candidate]:
    item = _typed(raw)
    if item is None:
        return [refused(MALFORMED)]
    text = _COUNTED.sub("", " ".join(item.text.split()))
    category, schema = _category(item.category, text)
    if not category:
        return [refused(UNKNOWN_CATEGORY)]
    if not text:
        return [refused(EMPTY, category)]
    if len(text) > _LONGEST_TEXT:
        return [refused(TOO_LONG, category)]
    turn, quote, code = quoted(item.quote, item.turn, turns, texts)
    if turn is None:
        return [refused(code, category)]
    confidence = _confidence(item.raw.get("confidence"))
    if confidence is None:
        return [refused(MALFORMED, category)]
    named = [known_as(name, shown) for name in _texts(item.raw.get("replaces"), 20) if name]
    known = tuple(dict.fromkeys(memory.id for memory in named if memory is not None))
    candidate = _built(item, category, schema, text, turn, quote, confidence, known)
    if category == "decision":
        candidate = _decision(candidate, item.raw, turns)
    strangers = [refused(UNKNOWN_MEMORY, category)] if None in named else []
    return [candidate, *strangers]


def known_as(label: str, shown: Sequence[Memory]) -> Memory | None:
    """The memory that a question showed as `k3`, the third; None for any other label."""
    match = _LABEL.fullmatch(label.strip())
    place = int(match[1]) if match else 0
    return shown[place - 1] if 1 <= place <= len(shown) else None


def _built(
    item: _Item, category: str, schema: str, text: str, turn: Turn, quote: str,
    confidence: float, replaced: tuple[str, ...],
) -> Candidate:  # fmt: skip
    tags = tags_in(item.raw.get("tags"))
    due = due_day(item.raw.get("due"), turn, quote, text) if category == "commitment" else ""
    names = _names(item.raw.get("entities"))
    sentence = sentences_around(turn.text, quote)
    return Candidate(
        category=category,
        text=with_title(dated(text if turn.guessed else anchored(text, turn.day), due, turn), turn),
        receipt=receipt_of(turn, quote),
        confidence=confidence,
        importance=_importance(item, category, tags),
        kind="episode" if category == "moment" else "note",
        schema=schema,
        tags=tags,
        entities=tuple(names),
        project=turn.project,
        space=_space(item.raw.get("scope"), sentence),
        valid_from=since_day(item.raw.get("since"), turn, quote),
        fields=(*_fields(category, due), *_unspelt(names, (text, quote))),
        authority="user_asserted",
        origin="model",
        supersedes=replaced,
        corrects=category == "correction",
        appraisal=_appraisal(item.raw, confidence, category),
        sentence=sentence,
    )


def _space(scope: object, sentence: str) -> str:
    """The space of an item: a session's where the words say so, whatever the model does.

    Words of another language than English are for the model to judge.
    """
    asked = any(is_for_session(one.said) for one in statements(sentence))
    told = scope == SESSION and (names_session(sentence) or not is_english(sentence))
    if asked or told:
        return SESSION
    return "user" if scope == "user" and not _HERE.search(sentence) else "project"


def _typed(raw: object) -> _Item | None:
    """The item with its four decisive fields of the right type; None when one is of another."""
    if not isinstance(raw, dict):
        return None
    category = raw.get("category", "fact")
    text = raw.get("text", raw.get("content", ""))
    quote, turn = raw.get("quote", ""), raw.get("turn", 0)
    if (
        isinstance(category, str)
        and isinstance(text, str)
        and isinstance(quote, str)
        and type(turn) is int
    ):
        return _Item(category, text, quote, turn, raw)
    return None


def _category(named: str, text: str) -> tuple[str, str]:
    """Category and schema of a category name or alias; empty for an unknown one.

    What was found out is a decision where its words tell of a choice, a skill where they tell how
    something is done, else a fact.
    """
    name = re.sub(r"[\s-]+", "_", named.strip().casefold())
    plurals = (name.removesuffix("s"), name.removesuffix("es"), re.sub("ies$", "y", name))
    for one in (name, *plurals):
        if one in CATEGORIES:
            return one, ""
        if one == FINDING:
            told = ((_CHOICE, "decision"), (_MANNER, "skill"))
            return next((name for words, name in told if words.search(text)), "fact"), ""
        if one in _ALIASES:
            return _ALIASES[one]
    return "", ""


def _confidence(value: object) -> float | None:
    """Confidence of a word, or of a number from 0 to 1; None for anything else."""
    if value is None:
        return _UNSAID
    if isinstance(value, str):
        return _CONFIDENCE.get(value.strip().casefold())
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return round(float(value), 3)
    return None


def _importance(item: _Item, category: str, tags: tuple[str, ...]) -> float:
    """Within the level that the model names, what the words say; no level makes chatter matter."""
    score = max(score_importance(words, category, tags) for words in (item.quote, item.text))
    least, most = _LEVELS.get(_word(item.raw, "importance"), (0.0, 1.0))
    return score if score <= TRIVIAL else min(max(score, least), most)


def _appraisal(raw: Mapping[str, object], confidence: float, category: str) -> Appraisal:
    """What the model thinks of its item; a word that is none of ours says nothing.

    A promise and an event pass, and are kept all the same. What is of little importance is left
    out only where it passes, too. Older prompts asked how useful it is, not how important.
    """
    lasting = {"passing": -1, "standing": 1}.get(_word(raw, "lasting"), 0)
    useful = {"low": -1, "high": 1}.get(_word(raw, "importance") or _word(raw, "useful"), 0)
    if category in ("commitment", "moment"):
        lasting = max(lasting, 0)
    if "importance" in raw and lasting >= 0:
        useful = max(useful, 0)
    return Appraisal(lasting, useful, int(confidence <= _CONFIDENCE["low"]))


def _word(raw: Mapping[str, object], name: str) -> str:
    return str(raw.get(name, "")).strip().casefold()


def _decision(candidate: Candidate, raw: Mapping[str, object], turns: Sequence[Turn]) -> Candidate:
    """A decision with its state, and with the words in which the person agreed to it later."""
    proposed = _word(raw, "state") == DECISION_STATES[0]
    candidate = replace(candidate, fields=(("decision_state", DECISION_STATES[not proposed]),))
    number, places = raw.get("agreed"), [turn.message for turn in turns]
    if type(number) is not int or not places.index(candidate.receipt.message) + 1 < number:
        return candidate
    turn = turns[number - 1] if number <= len(turns) else None
    if turn is None or turn.role != "user" or not _answers_to(number, candidate, turns):
        return candidate
    words = agreement_in(turn, candidate.text)
    return replace(candidate, also=(receipt_of(turn, words),)) if words else candidate


def _answers_to(number: int, candidate: Candidate, turns: Sequence[Turn]) -> bool:
    """Whether what was said last before a message still speaks of the proposal.

    Once the person spoke of other things, a "yes" is one to what the agent said then.
    """
    places = [turn.message for turn in turns]
    since = turns[places.index(candidate.receipt.message) + 1 : number - 1]
    if not any(turn.by_person for turn in since):
        return True
    said = " ".join((since[-1].text, turns[number - 1].text))
    return len(telling(terms_of(candidate.text)) & telling(terms_of(said))) >= _TAKEN_UP


def _fields(category: str, due: str) -> tuple[tuple[str, str], ...]:
    if category == "commitment":
        return (*((("due", due),) if due else ()), ("commitment_state", "open"))
    return ()


def tags_in(value: object) -> tuple[str, ...]:
    """The tags of an answer that may be some: short, and no chance strings."""
    named = (" ".join(tag.casefold().split()) for tag in _texts(value, 20))
    return tuple(
        dict.fromkeys(tag for tag in named if 1 < len(tag) <= 30 and not _RANDOM.search(tag))
    )[:_MOST_TAGS]


def _names(value: object) -> dict[str, str]:
    """`type-slug` of the names that last and each name as it is written, the main one first."""
    found: dict[str, str] = {}
    for one in value[:20] if isinstance(value, list) else ():
        name = one.get("name") if isinstance(one, dict) else one
        kind = one.get("type") if isinstance(one, dict) else "thing"
        if not isinstance(name, str) or len(name) > _LONGEST_NAME:
            continue
        name = _SHOWN_TYPE.sub("", without_hidden_signs(name))
        if not any(letter.isalnum() for letter in name):
            continue
        if _PASSING.fullmatch(name.strip()) or "[REDACTED:" in name:
            continue
        identifier = entity_id(name, kind if isinstance(kind, str) else "thing")
        found.setdefault(identifier, " ".join(name.split()))
    return dict(islice(found.items(), _MOST_ENTITIES))


def _unspelt(names: Mapping[str, str], texts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The header field of the names that no text of the memory spells; their ids have lost it."""
    told = [
        name
        for identifier, name in names.items()
        if stem_of(identifier).replace("-", " ") != name and not any(name in one for one in texts)
    ]
    return ((NAMES_FIELD, ", ".join(told)),) if told else ()


def _texts(value: object, most: int) -> list[str]:
    if not isinstance(value, list):
        return []
    return [without_hidden_signs(one) for one in value[:most] if isinstance(one, str)]
