"""A statement -> its phrasing: the form that all ways of saying the same share.

    "In production, the team uses k8s."   "The team is using Kubernetes in production."
    both: (team use) + (at: production)

Two statements say the same when their forms are equal: that is an equivalence, so that groups
cannot drift from one meaning to the next. Guaranteed by it: a number, name, unit, negation, modal
verb, tense of the past or the future, comparison or any other word that is in no table of
`phrasing_words` keeps two statements apart, and so does a question mark; who does what to whom is
kept by the order of words. Let go are articles, filler, spelling, listed synonyms, the place of
phrases ("on Fridays"), the order of a list, the passive with its agent. English is understood; of
other languages only articles and order within phrases are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from engram.consolidate.phrasing_words import (
    AMERICAN,
    CLAUSES,
    DEEDS,
    GERUND,
    LEANING,
    MODALS,
    ONESELF,
    OPENERS,
    OWN_DOING,
    PARTICIPLE,
    PAST,
    PHRASES,
    POLAR,
    PRESENT,
    SAME,
    SILENT,
    STARTS,
)
from engram.model.text import words

#: a longer text is a document, and no statement that could be said again; characters
LONGEST = 2_000
#: how a past, a passive, an owner, a list and a pause are marked
_DONE, _PASSIVE, _OWNER, _AND, _BREAK = "~", "<", "'s", "&", ","
_BE = frozenset({"is", "are", "am", "be", "being", "get"})
_WAS = frozenset({"was", "were"})
_AUXILIARY = MODALS | _BE | _WAS | {"do", "do~", "have", "have~"}
#: what opens phrases and what stands beside verbs tells no topic
_UNTOLD = (
    _AUXILIARY | OPENERS.keys() | set(OPENERS.values()) | CLAUSES
    | {"", _AND, "or", "of", "not", "been"}
)  # fmt: skip
#: whoever prefers to use a thing prefers the thing
_TAKES_THE_THING = frozenset({"prefer", "want"})
_VERBS = frozenset(SAME.get(verb, verb) for verb in PRESENT.values())
_DEEDS = frozenset(SAME.get(verb, verb) for verb in DEEDS)
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_MONTH = "|".join(_MONTHS)
_DAY = re.compile(
    rf"\b(?:(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})"
    rf"|({_MONTH}) (\d{{1,2}})(?:st|nd|rd|th)?),? (\d{{4}})\b",
    re.IGNORECASE,
)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_UNIT = re.compile(
    r"(?<=\d) (?=(?:%|[kmgt]i?b|ms|s|sec|min|h|kg|g|mg|km|cm|mm|m|ml|l|px|k|am|pm|eur|usd)\b"
    r"|%|percent\b)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?;…。！？])\s+|(?<=[。！？])|\n+")
_PAUSE = re.compile(r"[,:()\[\]](?=\s|$)|(?<=\s)[(\[]| [-–—] |[、，]")
_HYPHEN = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+|\d{1,3}-[^\W\d_]+")
_CONTRACTED = {
    **{word: (instead,) for word, instead in ONESELF.items()}, "my": ("user", _OWNER),
    "can't": ("can", "not"), "cannot": ("can", "not"), "won't": ("will", "not"),
    "shan't": ("shall", "not"), "it's": ("it", "is"), "that's": ("that", "is"),
    "there's": ("there", "is"), "i'm": ("i", "am"), "let's": ("let", "us"),
    "never": ("not",), "and": (_AND,), "y": (_AND,), "und": (_AND,), "et": (_AND,), "that": (),
}  # fmt: skip
_ENDINGS = {"n't": "not", "'re": "are", "'ve": "have", "'ll": "will"}
_ITEM = r"[^\s,&]+(?: [\d][^\s,]*)?"
_LIST = re.compile(rf"(?<!\S){_ITEM}(?: , {_ITEM})*(?: ,)? (&|or) {_ITEM}(?!\S)")
_BETWEEN = re.compile(r" , (?:& |or )?| & | or ")
#: words before the comma of a phrase at the head
_LONGEST_HEAD = 8
_LONGEST_PHRASE = max(map(len, PHRASES))

Form = tuple[object, ...]
#: the part of the sentence, what opens it, the words
_Phrase = tuple[int, str, list[str]]


@dataclass(frozen=True, slots=True)
class Phrasing:
    """`form` is what is compared; empty for a text that says nothing or is a document.

    `terms` are the words that tell. Two cannot say the same when their `marks` differ (numbers,
    words that turn a statement round, whether it asks), or when `names`, words with a capital
    within a sentence, are no terms of the other.
    """

    form: Form
    terms: frozenset[str]
    marks: frozenset[str]
    names: frozenset[str] = frozenset()


@lru_cache(maxsize=4096)
def phrasing(text: str) -> Phrasing:
    """The phrasing of a statement."""
    if len(text) > LONGEST:
        return Phrasing((), frozenset(), frozenset())
    text = unicodedata.normalize("NFKC", text)
    forms: list[Form] = []
    marks: set[str] = set()
    names: set[str] = set()
    for sentence in filter(None, map(str.strip, _SENTENCE.split(_plain(text)))):
        tokens = _tokens(sentence)
        form = _form(_plainer(_listed(tokens)))
        asks = sentence.endswith(("?", "？"))
        forms.append(("?", form) if asks else form)
        bare = {token.rstrip(_DONE) for token in tokens}
        marks |= {word for word in bare if word in POLAR or any(map(str.isdigit, word))}
        marks |= {"?"} if asks else set()
        names |= _names(sentence)
    terms = frozenset(_words_of(forms)) - _UNTOLD
    return Phrasing(tuple(forms) if terms else (), terms, frozenset(marks), frozenset(names))


def _words_of(form: Iterable[object]) -> Iterator[str]:
    """The words in a form, without their marks: what is equal has equal ones."""
    for part in form:
        if isinstance(part, str):
            yield part.strip(_PASSIVE + _DONE + "?")
        elif isinstance(part, tuple):
            yield from _words_of(part)


def _plain(text: str) -> str:
    """With days as they are written in a header, and numbers in one piece with their unit."""

    def day(found: re.Match[str]) -> str:
        number, month = (found[1], found[2]) if found[1] else (found[4], found[3])
        return f"{found[5]}-{_MONTHS.index(month.casefold()) + 1:02d}-{int(number):02d}"

    return _UNIT.sub("", _THOUSANDS.sub("", _DAY.sub(day, text)))


def _names(sentence: str) -> set[str]:
    return {
        canonical(word).rstrip(_DONE)
        for raw in sentence.split()[1:]
        if raw[:1].isupper()
        for word in words(raw.removesuffix("'s").removesuffix("’s"))
        if word not in _CONTRACTED
    }


# -- words -------------------------------------------------------------------------------------


def _tokens(sentence: str) -> list[str]:
    """Its canonical words; contractions, hyphens and fixed phrases are resolved first."""
    found: list[str] = []
    for piece in _PAUSE.split(sentence):
        if found:
            found.append(_BREAK)
        for word in words(piece):
            found += _parts(word)
    found = _rephrased(found)
    if found and found[0] in OPENERS:
        ends = [at for at, word in enumerate(found) if at > 1 and word in STARTS]
        if ends and _BREAK not in found[:_LONGEST_HEAD]:
            found.insert(ends[0], _BREAK)
    return [
        canonical(word)
        for at, word in enumerate(found)
        if word not in SILENT or (at and found[at - 1] == "not")
    ]


def _rephrased(found: list[str]) -> list[str]:
    """With one word for each phrase of the table, longest first."""
    done: list[str] = []
    at = 0
    while at < len(found):
        sizes = range(min(_LONGEST_PHRASE, len(found) - at), 1, -1)
        known = next((size for size in sizes if tuple(found[at : at + size]) in PHRASES), 1)
        done += PHRASES.get(tuple(found[at : at + known]), found[at : at + known])
        at += known
    return done


@lru_cache(maxsize=16_384)
def _parts(word: str) -> tuple[str, ...]:
    if word in _CONTRACTED:
        return _CONTRACTED[word]
    if word in SAME:
        return (word,)
    for ending, instead in _ENDINGS.items():
        if word.endswith(ending) and len(word) > len(ending):
            return (*_parts(word[: -len(ending)]), instead)
    if word.endswith("'s") and len(word) > 2:
        return (*_parts(word[:-2]), _OWNER)
    return tuple(word.split("-")) if _HYPHEN.fullmatch(word) else (word,)


@lru_cache(maxsize=32_768)
def canonical(word: str) -> str:
    """What stands for a word: its singular or its verb, spelt American, first of its synonyms.

    A form of the past is marked with `~`.
    """
    if word in SAME:
        return SAME[word]
    if word not in PRESENT and word not in PAST and word not in PARTICIPLE:
        word = _american(word)
    if word not in PRESENT and (word in PAST or word in PARTICIPLE):
        return _verb(PAST.get(word) or PARTICIPLE[word]) + _DONE
    word = PRESENT.get(word) or _singular(word)
    return SAME.get(word, word)


def _verb(base: str) -> str:
    return SAME.get(base, base)


def _singular(word: str) -> str:
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _american(word: str) -> str:
    if len(word) < 5 or not word.isascii():
        return word
    for british, american in AMERICAN:
        word = british.sub(american, word)
    return word


# -- order -------------------------------------------------------------------------------------


def _listed(tokens: Sequence[str]) -> list[str]:
    """With the items of `a, b and c` in order; an item is a word, and a number behind it."""
    if "respectively" in tokens or not {_AND, "or"} & set(tokens):
        return list(tokens)
    return _LIST.sub(_in_order, " ".join(tokens)).split()


def _in_order(found: re.Match[str]) -> str:
    items = _BETWEEN.split(found[0])
    # of deeds the order may matter
    return found[0] if _VERBS & set(items) else f" {found[1]} ".join(sorted(items))


def _plainer(tokens: Sequence[str]) -> list[str]:
    """Without auxiliaries; a verb in the passive is marked, a comparison is `over`."""
    done: list[str] = []
    at = 0
    while at < len(tokens):
        told, at = _next(tokens, at, done)
        done += told
    return done


def _next(tokens: Sequence[str], at: int, done: list[str]) -> tuple[tuple[str, ...], int]:
    """What stands for the word at a place, and the place behind all that it stands for."""
    word = tokens[at]
    after, later = (*tokens[at + 1 : at + 3], "", "")[:2]
    if word in _BE or word in _WAS:
        mark = _DONE if word in _WAS else ""
        if _is_participle(after):
            return (f"{_PASSIVE}{after.rstrip(_DONE)}{mark}",), at + 2
        if after in GERUND and not mark:
            return (_verb(GERUND[after]),), at + 2
        return (("was",) if mark else ()), at + 1
    if word == "have" and after == "been":
        passive = _is_participle(later)
        return ((f"{_PASSIVE}{later}",), at + 3) if passive else (("been",), at + 2)
    if word == "have" and after.rstrip(_DONE) in _DEEDS and _is_participle(after):
        return (after.rstrip(_DONE) + _DONE,), at + 2
    if word == "do" and (after == "not" or after in _VERBS):
        return (), at + 1
    if word in ("use", "using") and done and done[-1] in _TAKES_THE_THING:
        return (), at + 1
    if word == "to":
        return _infinitive(tokens, at, done)
    if word == "not":
        return (("not",) if _negates(tokens, at, after) else ("over",)), at + 1
    return (word,), at + 1


def _infinitive(tokens: Sequence[str], at: int, done: list[str]) -> tuple[tuple[str, ...], int]:
    after, later, end = (*tokens[at + 1 : at + 4], "", "", "")[:3]
    if after == "be" and later and not _is_participle(later) and done:
        if not end or end in OPENERS or end in CLAUSES or end == _BREAK:
            return (later, done.pop()), at + 3
        return (), at + 2
    if after in _VERBS or after == "be":
        return (), at + 1
    if "prefer" in done and "over" not in tokens:
        return ("over",), at + 1
    return ("to",), at + 1


def _negates(tokens: Sequence[str], at: int, after: str) -> bool:
    """Whether a `not` belongs to a verb or a phrase, and does not name what is put behind."""
    before = tokens[at - 1] if at else ""
    return (
        not at
        or before in _AUXILIARY
        or before in (_AND, "or", "to")
        or after in _VERBS
        or after in OPENERS
        or after in CLAUSES
        or after.endswith(_DONE)
    )


def _is_participle(word: str) -> bool:
    return word.endswith(_DONE) or word in PARTICIPLE


def _form(tokens: Sequence[str]) -> Form:
    """The main part in its order, and the phrases in any; those of one kind keep their order.

    A pause within the main part divides it: phrases do not cross it.
    """
    main: list[str] = []
    phrases: list[_Phrase] = []
    clauses: list[tuple[int, str, Form]] = []
    into, part, at = main, 0, 0
    while at < len(tokens):
        word, after = tokens[at], tokens[at + 1] if at + 1 < len(tokens) else ""
        at += 1
        if word == _BREAK:
            into = main
            part += bool(main and after and after not in OPENERS and after not in CLAUSES)
        elif word in CLAUSES:
            rest = list(tokens[at:])
            end = rest.index(_BREAK) if at == 1 and _BREAK in rest else len(rest)
            clauses.append((part, word, _form(rest[:end])))
            at += end
        elif word in OPENERS:
            into = [into.pop()] if into and into[-1] in LEANING else []
            phrases.append((part, word, into))
        elif word == "of" and after and into and into[-1][0] != _PASSIVE:
            into[-1:] = [after, into[-1]]
            at += 1
        else:
            into.append(word)
    main = _active(main, phrases)
    phrases.sort(key=lambda row: row[:2])
    return (
        tuple(_without_owner(main)),
        *((part, OPENERS[word], tuple(_without_owner(told))) for part, word, told in phrases),
        *sorted(clauses, key=lambda row: row[:2]),
    )


def _active(main: list[str], phrases: list[_Phrase]) -> list[str]:
    """`orders are stored by the shop` and `the shop's orders are stored`: the shop stores orders.

    Without one who does it the passive stays a state, which is no deed.
    """
    at = next((place for place, word in enumerate(main) if word[0] == _PASSIVE), None)
    if at is None:
        return main
    verb, before, behind = main[at][1:], main[:at], main[at + 1 :]
    agent = next((phrase for phrase in phrases if phrase[1] == "by"), None)
    if agent is not None:
        phrases.remove(agent)
        return [*agent[2], verb, *before, *behind]
    if _OWNER in before and verb in OWN_DOING:
        owner = before.index(_OWNER)
        return [*before[:owner], verb, *before[owner + 1 :], *behind]
    return main


def _without_owner(told: Sequence[str]) -> list[str]:
    return [word for word in told if word != _OWNER]
