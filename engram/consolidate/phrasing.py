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
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from engram.consolidate.phrasing_words import (
    CLAUSES,
    LEANING,
    MODALS,
    OPENERS,
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
#: how a word of the past, an owner and the end of a list's item are marked
_DONE, _OWNER, _AND, _BREAK = "~", "'s", "&", ","
_BE = frozenset({"is", "are", "am", "be", "being", "get"})
_WAS = frozenset({"was", "were"})
_AUXILIARY = MODALS | _BE | _WAS | {"do", "do~", "have", "have~"}
#: what opens phrases and what stands beside verbs is no topic
_UNTOLD = _AUXILIARY | OPENERS.keys() | CLAUSES | {_AND, _BREAK, _OWNER, "or", "of", "not", "been"}
#: whoever prefers to use a thing prefers the thing
_TAKES_THE_THING = frozenset({"prefer", "want"})
_VERBS = frozenset(PRESENT.values())
_DAY = re.compile(
    r"\b(?:(\d{1,2})(?:st|nd|rd|th)?(?: of)? (MONTH)|(MONTH) (\d{1,2})(?:st|nd|rd|th)?),? (\d{4})\b".replace(
        "MONTH",
        "january|february|march|april|may|june|july|august|september|october|november|december",
    ),
    re.IGNORECASE,
)
_MONTHS = (
    "january february march april may june july august september october november december".split()
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
    "can't": ("can", "not"), "cannot": ("can", "not"), "won't": ("will", "not"),
    "shan't": ("shall", "not"), "it's": ("it", "is"), "that's": ("that", "is"),
    "there's": ("there", "is"), "i'm": ("i", "am"), "let's": ("let", "us"),
    "i": ("user",), "me": ("user",), "my": ("user", _OWNER), "we": ("team",), "us": ("team",),
    "never": ("not",), "and": (_AND,), "y": (_AND,), "und": (_AND,), "et": (_AND,), "that": (),
}  # fmt: skip
_ENDINGS = {"n't": "not", "'re": "are", "'ve": "have", "'ll": "will"}
_ITEM = r"[^\s,&]+(?: [\d][^\s,]*)?"
_LIST = re.compile(rf"(?<!\S){_ITEM}(?: , {_ITEM})*(?: ,)? (&|or) {_ITEM}(?!\S)")
_BETWEEN = re.compile(r" , (?:& |or )?| & | or ")
_AMERICAN = tuple(
    (re.compile(british), american)
    for british, american in (
        ("our(?=[a-z]{0,5}$)", "or"), ("([iy])s(?=(?:e|er|ation)$)", r"\1z"), ("tre$", "ter"),
        ("ll(?=(?:ed|ing|er)$)", "l"),
    )
)  # fmt: skip
_LONGEST_PHRASE = max(map(len, PHRASES))

Form = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Phrasing:
    """`form` is what is compared; empty for a text that says nothing or is a document.

    `terms` are the words that tell, `marks` those of them that a doubtful pair must share: numbers,
    words with a capital, words that turn a statement round, and whether it asks.
    """

    form: Form
    terms: frozenset[str]
    marks: frozenset[str]


@lru_cache(maxsize=4096)
def phrasing(text: str) -> Phrasing:
    """The phrasing of a statement."""
    if len(text) > LONGEST:
        return Phrasing((), frozenset(), frozenset())
    text = unicodedata.normalize("NFKC", text)
    forms: list[Form] = []
    told: set[str] = set()
    marks: set[str] = set()
    for sentence in filter(None, map(str.strip, _SENTENCE.split(_plain(text)))):
        tokens = _tokens(sentence)
        form = _form(_plainer(_listed(tokens)))
        asks = sentence.endswith(("?", "？"))
        forms.append(("?", form) if asks else form)
        bare = {token.rstrip(_DONE) for token in tokens}
        told |= bare - _UNTOLD
        marks |= _marks(sentence, bare) | ({"?"} if asks else set())
    return Phrasing(tuple(forms) if told else (), frozenset(told), frozenset(marks))


def _plain(text: str) -> str:
    """With days as they are written in a header, and numbers in one piece with their unit."""

    def day(found: re.Match[str]) -> str:
        number, month = (found[1], found[2]) if found[1] else (found[4], found[3])
        return f"{found[5]}-{_MONTHS.index(month.casefold()) + 1:02d}-{int(number):02d}"

    return _UNIT.sub("", _THOUSANDS.sub("", _DAY.sub(day, text)))


def _marks(sentence: str, bare: set[str]) -> set[str]:
    named = {
        canonical(word)
        for place, raw in enumerate(sentence.split())
        if place and raw[:1].isupper()
        for word in words(raw.removesuffix("'s").removesuffix("’s"))
    }
    return {word for word in bare if any(map(str.isdigit, word))} | (bare & POLAR) | named


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
        if ends and _BREAK not in found[: ends[0]]:
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
    if word not in PRESENT and (word in PAST or word in PARTICIPLE):
        base = PAST.get(word) or PARTICIPLE[word]
        return SAME.get(base, base) + _DONE
    for form in (word, PRESENT.get(word) or _singular(word)):
        if form in SAME:
            return SAME[form]
    form = _american(form)
    return SAME.get(form, form)


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
    for british, american in _AMERICAN:
        word = british.sub(american, word)
    return word


# -- order -------------------------------------------------------------------------------------


def _listed(tokens: Sequence[str]) -> list[str]:
    """With the items of `a, b and c` in order; an item is a word, and a number behind it."""
    if "respectively" in tokens or not {_AND, "or"} & set(tokens):
        return list(tokens)
    return _LIST.sub(_in_order, " ".join(tokens)).split()


def _in_order(found: re.Match[str]) -> str:
    return f" {found[1]} ".join(sorted(_BETWEEN.split(found[0])))


def _plainer(tokens: Sequence[str]) -> list[str]:
    """Without auxiliaries; a verb in the passive is marked with `<`, a comparison is `over`."""
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
            return (f"<{after.rstrip(_DONE)}{mark}",), at + 2
        return (("was",) if mark else ()), at + 1
    if word == "have" and after == "been":
        passive = _is_participle(later)
        return ((f"<{later}",), at + 3) if passive else (("been",), at + 2)
    if word == "have" and after.endswith(_DONE):
        return (after,), at + 2
    if word == "do" and (after == "not" or after in _VERBS):
        return (), at + 1
    if word == "use" and done and done[-1] in _TAKES_THE_THING:
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
    """The main part in its order, and the phrases in any."""
    main: list[str] = []
    phrases: list[tuple[str, list[str]]] = []
    clauses: list[tuple[str, Form]] = []
    into = main
    at = 0
    while at < len(tokens):
        word = tokens[at]
        at += 1
        if word == _BREAK:
            into = main
        elif word in CLAUSES:
            rest = list(tokens[at:])
            end = rest.index(_BREAK) if at == 1 and _BREAK in rest else len(rest)
            clauses.append((word, _form(rest[:end])))
            at += end
        elif word in OPENERS:
            leaning = [into.pop()] if into and into[-1] in LEANING else []
            into = leaning
            phrases.append((OPENERS[word], into))
        elif word == "of" and into and at < len(tokens) and into[-1][0] != "<":
            into[-1:] = [tokens[at], into[-1]]
            at += 1
        else:
            into.append(word)
    main = _active(main, phrases)
    kept = [(kind, tuple(_without_owner(told))) for kind, told in phrases]
    return (tuple(_without_owner(main)), *sorted(kept), *sorted(clauses, key=repr))


def _active(main: list[str], phrases: list[tuple[str, list[str]]]) -> list[str]:
    """`orders are stored by the shop` and `the shop's orders are stored`: the shop stores orders.

    Without one who does it the passive stays a state, which is no deed.
    """
    at = next((place for place, word in enumerate(main) if word[0] == "<"), None)
    if at is None:
        return main
    verb, before, behind = main[at][1:], main[:at], main[at + 1 :]
    agent = next((phrase for phrase in phrases if phrase[0] == "by"), None)
    if agent is not None:
        phrases.remove(agent)
        return [*agent[1], verb, *before, *behind]
    if _OWNER in before:
        owner = before.index(_OWNER)
        return [*before[:owner], verb, *before[owner + 1 :], *behind]
    return main


def _without_owner(told: Sequence[str]) -> list[str]:
    return [word for word in told if word != _OWNER]
