"""Answer of a model about a cluster -> the text of a summary, and what is wrong with the answer.

Tolerant in form, strict in substance. An item is taken whose sources are all among those shown, and
which says no number, date, link, path, identifier, name, denial or order that none of its own
sources has (`language/supported`, `agent_orders`), in their language and mostly in their words, as
plain text. A key fact, reason, outcome or replaced fact that fails is left out, and so are the last
key facts for which there is no room. Faults of the whole answer are a summary sentence that fails,
or none, a decision that no decision or key fact tells, and more characters than were allowed.
Faults are told in words without any of the answer. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from engram.consolidate.repeated_lines import unsaid
from engram.consolidate.summary_question import BELONGS, KEY, ShownMemory, SummaryQuestion
from engram.consolidate.summary_text import SummaryText
from engram.language.agent_orders import added_order, is_order
from engram.language.hidden_text import without_hidden_signs
from engram.language.supported import DAY, PATH, unsupported
from engram.language.tokens import telling_terms
from engram.model.markdown import inert_line
from engram.model.page_lines import one_line
from engram.model.pair_verdict import text_digest
from engram.model.summary import ReplacedFact, SummaryDecision, SummaryLine
from engram.model.text import overlap

#: items of one list that are looked at, sentences of a summary, characters of a text
_MOST_ITEMS, _MOST_SENTENCES, _LONGEST = 40, 4, 600
#: words that a line has in common with the decision it tells: how many, and of the shorter a share
_LEAST_TOLD, _TELLS = 2, 0.5
_BULLET = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?:\s|$)")
_WORDS = {
    "shape": "is not of the form that was asked for",
    "source": "names a source that is not there, or none",
    "markup": "has markup",
    "order": "gives an order that its sources do not give",
    "date": "has a date that its sources do not have",
    "path": "has a path, file or identifier that its sources do not have",
    "number": "has a number that its sources do not have",
    "link": "has a link that its sources do not have",
    "name": "has a name that its sources do not have",
    "language": "is not in the language of its sources",
    "roles": "exchanges two names or numbers of its sources",
    "words": "is mostly not in the words of its sources",
    "negation": "denies what its sources say, or the other way round",
}


class CheckedAnswer(NamedTuple):
    """What of an answer is sound, and its faults: with any, it is not taken."""

    text: SummaryText
    faults: tuple[str, ...]


class _CheckedItem(NamedTuple):
    """The texts of one item, inert; of its sources the ids. `code`: why it is not taken."""

    texts: tuple[str, ...] = ()
    sources: tuple[ShownMemory, ...] = ()
    code: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(one.memory.id for one in self.sources)


def belonging(answer: object, question: SummaryQuestion) -> frozenset[str] | None:
    """The names of the notes that an answer puts together; None where it does not say.

    Of notes with equal words all belong or none.
    """
    value = answer.get(BELONGS) if isinstance(answer, Mapping) else None
    if not isinstance(value, list):
        return None
    named = [one for one in (_source(name, question) for name in value) if one is not None]
    if value and not named:
        return None
    said = {text_digest(one.memory.text) for one in named}
    return frozenset(
        one.name for one in question.shown.values() if text_digest(one.memory.text) in said
    )


def checked(answer: object, question: SummaryQuestion, *, last: bool = False) -> CheckedAnswer:
    """The sound items of an answer, and what speaks against taking it.

    `last`: it is not asked for again, and may lose sentences of its summary but the first as well.
    """
    value = answer if isinstance(answer, Mapping) else {}
    faults: list[str] = []
    lead: list[SummaryLine] = []
    for number, item in enumerate(_items(value.get(KEY), ("text",), question), 1):
        if item.code:
            faults.append(f"sentence {number} of the summary {_WORDS[item.code]}")
        else:
            lead.append(SummaryLine(item.texts[0], item.names))
    if not lead and not faults:
        faults.append("there is no summary")
    if len(lead) > _MOST_SENTENCES:
        faults.append("the summary has more than three sentences")
    decided = _sound(value.get("decisions"), ("decision", "reason", "outcome"), question)
    text = SummaryText(
        tuple(lead), (), tuple(map(_decision, decided)), tuple(_replaced(value, question))
    )
    facts = _facts(value.get("key_facts"), text, question)
    while facts and text.length + sum(len(one.text) for one in facts) > question.room:
        facts.pop()
    text = text._replace(facts=tuple(facts))
    while last and text.length > question.room and len(text.summary) > 1:
        text = text._replace(summary=text.summary[:-1])
    told = [(one.names, one.texts[0]) for one in decided]
    told += [(one.memories, one.text) for one in facts]
    for shown in question.shown.values():
        if _is_decision(shown) and not any(_tells(shown, *line) for line in told):
            faults.append(f"no decision and no key fact tells the decision {shown.name}")
    if text.length > question.room:
        faults.append(f"it has {text.length} characters; {question.room} are allowed")
    return CheckedAnswer(text, tuple(faults))


def _decision(item: _CheckedItem) -> SummaryDecision:
    decision, reason, outcome = item.texts
    return SummaryDecision(decision, reason, outcome, item.names)


def _facts(value: object, said: SummaryText, question: SummaryQuestion) -> list[SummaryLine]:
    """The sound key facts that say something new."""
    found = [SummaryLine(one.texts[0], one.names) for one in _sound(value, ("text",), question)]
    return [found[place] for place in unsaid(said.texts, (one.text for one in found))]


def _replaced(value: Mapping[str, object], question: SummaryQuestion) -> Iterator[ReplacedFact]:
    """What was replaced: of memories that are, told beside what took their place."""
    for item in _sound(value.get("replaced"), ("old", "new"), question, needed=2):
        named = {one.name for one in item.sources}
        if any(one.superseded_by in named for one in item.sources):
            yield ReplacedFact(item.texts[0], item.texts[1], item.names)


def _is_decision(shown: ShownMemory) -> bool:
    return shown.memory.category == "decision" and not shown.superseded_by


def _tells(shown: ShownMemory, names: tuple[str, ...], text: str) -> bool:
    """Whether a line that names a decision says it."""
    mine, its = set(telling_terms(text)), set(telling_terms(shown.texts[0]))
    if shown.memory.id not in names or len(mine & its) < min(_LEAST_TOLD, len(its)):
        return False
    return overlap(mine, its) >= _TELLS


# -- one item --------------------------------------------------------------------------------------


def _sound(
    value: object, keys: Sequence[str], question: SummaryQuestion, needed: int = 1
) -> list[_CheckedItem]:
    return [one for one in _items(value, keys, question, needed) if not one.code]


def _items(
    value: object, keys: Sequence[str], question: SummaryQuestion, needed: int = 1
) -> Iterator[_CheckedItem]:
    """The items of a list. So many of their first texts have to hold; others are emptied."""
    for one in value[:_MOST_ITEMS] if isinstance(value, list) else ():
        if isinstance(one, Mapping):
            texts = tuple(_text(one.get(key)) for key in keys)
            yield _item(texts, one.get("sources"), question, needed)
        else:
            yield _CheckedItem(code="shape")


def _item(
    texts: tuple[str, ...], names: object, question: SummaryQuestion, needed: int
) -> _CheckedItem:
    if not all(texts[:needed]) or not isinstance(names, list):
        return _CheckedItem(code="shape")
    sources = [_source(name, question) for name in names]
    found = {one.name: one for one in sources if one is not None}
    if not found or None in sources:
        return _CheckedItem(code="source")
    given = [line for one in found.values() for line in one.lines]
    codes = [_code(text, given) if text else "" for text in texts]
    # a decision may be told as what to do, a fact may not
    if len(texts) == 1 and _orders(texts[0]) and not any(map(_orders, given)):
        return _CheckedItem(code="order")
    if code := next(filter(None, codes[:needed]), ""):
        return _CheckedItem(code=code)
    kept = ("" if code else one_line(text) for text, code in zip(texts, codes, strict=True))
    return _CheckedItem(tuple(kept), tuple(found.values()))


def _source(name: object, question: SummaryQuestion) -> ShownMemory | None:
    return question.shown.get(name.strip(" []").casefold()) if isinstance(name, str) else None


def _text(value: object) -> str:
    """A text on one line, without signs that nobody sees; empty for what is none or too long."""
    said = " ".join(without_hidden_signs(value).split()) if isinstance(value, str) else ""
    return said if len(said) <= _LONGEST else ""


def _code(text: str, given: Sequence[str]) -> str:
    """Why a text is not to be believed to say what these lines say, as a code; '' when it may."""
    everything = _plain("\n".join(given))
    if any(inert_line(word) != word and _plain(word) not in everything for word in text.split()):
        return "markup"
    if _BULLET.match(text) or inert_line(text) != one_line(text):
        return "markup"  # what begins a list, a heading or a block
    if added_order(text, "\n".join(given)):
        return "order"
    if any(day not in everything for day in DAY.findall(text)):
        return "date"
    if any(_plain(path) not in everything for path in PATH.findall(text)):
        return "path"
    # what stands there to the letter is no name or number to be looked for once more
    return unsupported(PATH.sub(" ", text), given)


def _orders(text: str) -> bool:
    return is_order(PATH.sub(" ", text))


def _plain(text: str) -> str:
    """A text without what marks code and escapes."""
    return text.replace("\\", "").replace("`", "").casefold()
