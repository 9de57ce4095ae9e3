"""A model's answer to a question -> a reasoned answer with receipts, or why it is not believed.

Tolerant in form: a null is empty, a number may come as text. Strict in substance: every claim cites
a source that was shown and says nothing that its sources do not (numbers, names, negations, links,
most words); every day is borne out by a span that rules found in them (`answer_days`); the answer
says nothing but the claims; nothing in it orders an agent about. Whoever invents once is not
believed in the rest. The days that rules resolved are told, never those of the model. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from engram.language.agent_orders import injection
from engram.language.denial import denies
from engram.language.hidden_text import without_hidden_signs
from engram.language.numerals import has_other_numbers, number_words_of, values_of
from engram.language.supported import shared_words, unsupported
from engram.language.tokens import query_terms, telling_terms, terms
from engram.model.answer import ReasonedAnswer
from engram.model.sentences import sentence_ranges, sentences_of
from engram.recall.answer_days import CitedDays, day_in, days_in
from engram.recall.model_question import KEY, days_told, lines_of

if TYPE_CHECKING:
    from engram.model.instant import Day
    from engram.model.time_span import TimeSpan
    from engram.recall.asked import Asked
    from engram.recall.model_question import ModelQuestion, ShownSource

#: claims of one answer, resolutions that are looked at, and characters of a text
_MOST_CLAIMS, _MOST_RESOLUTIONS, _LONGEST = 8, 20, 400
#: a model is believed no more than so, and so where the rules found other days
_MOST_SURE, _DISPUTED = 0.9, 0.6
#: a clause that has this share of a sentence's words says the same, or the opposite
_SAME = 0.8
_CLAUSES = re.compile(r"[,;:]\s|\b(?:but|because|and)\b")
_WORDS = {
    "language": "speaks another language than its sources",
    "number": "names a number that no cited source has",
    "link": "names a link that no cited source has",
    "roles": "exchanges two names or numbers",
    "name": "names somebody whom no cited source names",
    "words": "says what no cited source says",
    "negation": "denies what its sources say, or the other way round",
}


class RefusedAnswer(NamedTuple):
    """Why an answer is not believed, in words that go on from "its answer ...".

    `untold`: the model itself says that the sources do not answer.
    """

    why: str
    untold: bool = False


class _Claim(NamedTuple):
    text: str
    cited: tuple[ShownSource, ...]


def answered(
    value: object, question: ModelQuestion, words: str, asked: Asked, rules: ReasonedAnswer,
    today: Day,
) -> ReasonedAnswer | RefusedAnswer:  # fmt: skip
    """The answer in a model's JSON value, when all of it is borne out by the sources it cites.

    `words` is the question as it was asked, `rules` the answer without a model: where both name
    days that lie apart, the model's stands with less confidence, and the reasoning tells both.
    """
    said = value if isinstance(value, Mapping) else {}
    text, confidence = _text(said.get(KEY)), _share(said.get("confidence"))
    if not text or not confidence:
        return RefusedAnswer("is that the sources do not tell it", untold=True)
    claims = list(_claims(said.get("claims"), question.shown))
    if not claims or not all(one.text and one.cited for one in claims):
        return RefusedAnswer("has a claim that cites no source")
    if injection("\n".join((text, *(one.text for one in claims))), own=False):
        return RefusedAnswer("gives orders to an agent")
    why = next(filter(None, (_unsupported(one, today) for one in claims)), "")
    if why:
        return RefusedAnswer(why)
    cited = tuple(dict.fromkeys(source for one in claims for source in one.cited))
    known = CitedDays(cited, today)
    days = _days_of(said, text, known, today)
    if days is None or not _agree(said.get("temporal_resolutions"), question.shown):
        return RefusedAnswer("names a day that no cited source tells")
    start, end = days
    if asked.wanted == "date" and not start:
        return RefusedAnswer("tells no day")
    plain = known.plain(text, start, end)
    if plain is None:
        return RefusedAnswer("names a day or a length of time that no cited source tells")
    given = [line for one in cited for line in lines_of(one)]
    # what the question says may be said again, but for its numbers
    if code := "number" if _has_other_numbers(plain, given) else _doubt(plain, [*given, words]):
        return RefusedAnswer(_WORDS[code])
    if _is_beside(words, [text, *given]):
        return RefusedAnswer("has nothing to do with the question")
    resolved = tuple(_resolved(cited, start, end))
    apart = rules.found and rules.start and start and (rules.end < start or end < rules.start)
    told = [f"{one.text} ({', '.join(map(_place, one.cited))})" for one in claims]
    told += [f'"{one.expression}" -> {days_told(*one.widest)}' for one in resolved]
    told += [f"the rules answer: {rules.answer}"] if apart else []
    outright = not start or any(start in line for line in given)
    return ReasonedAnswer(
        text, min(confidence, _DISPUTED if apart else _MOST_SURE), "\n".join(told), resolved,
        tuple(dict.fromkeys(one.source for one in cited)),
        requires_inference=said.get("requires_inference") is True or not outright,
        start=start, end=end, asked_model=True,
    )  # fmt: skip


def _claims(value: object, shown: Sequence[ShownSource]) -> Iterator[_Claim]:
    for one in value[:_MOST_CLAIMS] if isinstance(value, list) else ():
        item = one if isinstance(one, Mapping) else {}
        numbers = item.get("sources")
        cited = [_source(number, shown) for number in numbers] if isinstance(numbers, list) else []
        text = _text(item.get("text"))
        yield _Claim(text, tuple(_told_of(text, source) for source in cited if source))


def _told_of(claim: str, source: ShownSource) -> ShownSource:
    """A source without the spans of sentences that a claim shares few words with.

    One source may tell of several things; few is half of what it shares with another sentence.
    """
    said = set(telling_terms(claim))
    shares = [
        len(said.intersection(telling_terms(_sentence(source.text, span.offset))))
        for span in source.spans
    ]
    best = max(shares, default=0)
    kept = zip(source.spans, shares, strict=True)
    return source._replace(
        spans=tuple(span for span, share in kept if 2 * share > best or not best)
    )


def _sentence(text: str, at: int) -> str:
    """The sentence that has the character at a place."""
    ranges = sentence_ranges(text, 0, len(text))
    return next((text[first:end] for first, end in ranges if first <= at < end), text)


def _source(number: object, shown: Sequence[ShownSource]) -> ShownSource | None:
    if type(number) is not int or not 0 < number <= len(shown):
        return None
    return shown[number - 1]


def _unsupported(claim: _Claim, today: Day) -> str:
    """What a claim says that the sources it cites do not; empty for nothing."""
    plain = CitedDays(claim.cited, today).plain(claim.text, quoting=True)
    if plain is None:
        return "names a day or a length of time that no cited source tells"
    code = _doubt(plain, [line for one in claim.cited for line in lines_of(one)])
    return _WORDS[code] if code else ""


def _doubt(text: str, given: Sequence[str]) -> str:
    """Why a text, its days left out, is not borne out by these lines, as a code."""
    if not any(map(str.isalnum, text)):
        return ""
    clauses = [clause for line in given for clause in _CLAUSES.split(line)]
    turned = any(_is_turned(sentence, clauses) for sentence in sentences_of(text))
    return unsupported(text, given) or ("negation" if turned else "")


def _is_turned(sentence: str, clauses: Sequence[str]) -> bool:
    """Whether the clauses that say most of a sentence deny it, or it denies them."""
    shares = [shared_words(sentence, clause) for clause in clauses]
    best = max(shares, default=0.0)
    if best < _SAME:
        return False
    nearest = (one for one, share in zip(clauses, shares, strict=True) if share == best)
    return all(denies(one) != denies(sentence) for one in nearest)


def _has_other_numbers(text: str, given: Sequence[str]) -> bool:
    values = values_of("\n".join(given))
    counted = (one for one in number_words_of(text) if one.said.isdisjoint(values))
    return has_other_numbers(text, values) or any(counted)


def _days_of(
    said: Mapping[object, object], text: str, known: CitedDays, today: Day
) -> tuple[Day, Day] | None:
    """The days of an answer, where they are borne out: those given, else those its words name."""
    start, end = day_in(said.get("start")), day_in(said.get("end"))
    if start is None or end is None or (end and not start):
        return None
    if not start:
        named = [days for days in days_in([text], today) if known.hold(*days)]
        start, end = named[0] if len(named) == 1 else ("", "")
    end = end or start
    return (start, end) if not start or (start <= end and known.hold(start, end)) else None


def _agree(value: object, shown: Sequence[ShownSource]) -> bool:
    """Whether no words of time are resolved otherwise than the rules resolve them."""
    for one in value[:_MOST_RESOLUTIONS] if isinstance(value, list) else ():
        item = one if isinstance(one, Mapping) else {}
        source, words = _source(item.get("source"), shown), _text(item.get("words")).casefold()
        start, end = day_in(item.get("start")), day_in(item.get("end"))
        for span in source.spans if source and start else ():
            first, last = span.widest
            if span.expression.casefold() == words and not first <= (start or "") <= last:
                return False
        if start is None or end is None:
            return False
    return True


def _is_beside(question: str, texts: Sequence[str]) -> bool:
    """Whether no word of a question stands in these texts."""
    wanted = query_terms(question)
    return bool(wanted) and not set(terms("\n".join(texts))).intersection(wanted)


def _resolved(cited: Sequence[ShownSource], start: Day, end: Day) -> Iterator[TimeSpan]:
    """The spans of the sources that the days of an answer come from, each once."""
    told = set()
    for one in cited if start else ():
        for span in one.spans:
            if span.start <= end and start <= span.end and span.widest not in told:
                told.add(span.widest)
                yield span


def _place(one: ShownSource) -> str:
    return f"{one.source.file}:{one.source.line}"


def _text(value: object) -> str:
    """A text on one line, without signs that nobody sees; empty for what is too long."""
    said = " ".join(without_hidden_signs(value).split()) if isinstance(value, str) else ""
    return said if len(said) <= _LONGEST else ""


def _share(value: object) -> float:
    """A confidence, 0 for what is none; a text counts as its number."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return 0.0
    try:
        share = float(value)
    except (ValueError, OverflowError):
        return 0.0
    return share if 0 <= share <= 1 else 0.0
