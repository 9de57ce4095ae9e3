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
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from engram.language.paraphrase.canonical_words import names_in, plain, tokens_of
from engram.language.paraphrase.form import Form, form_of
from engram.language.paraphrase.tables import AND, AUXILIARY, CLAUSES, DONE, OPENERS, PASSIVE, POLAR
from engram.model.sentences import sentences_of

#: a longer text is a document, and no statement that could be said again; characters
LONGEST = 2_000
#: what opens phrases and what stands beside verbs tells no topic
_UNTOLD = (
    AUXILIARY | OPENERS.keys() | set(OPENERS.values()) | CLAUSES
    | {"", AND, "or", "of", "not", "been"}
)  # fmt: skip
#: a phrase before the statement that nothing sets off: "for linting always use ruff"
_FRONTED = re.compile(
    r"^((?:for|in|on|at|during|within) (?:[\w-]+ ){1,3}?)"
    r"(?=(?:always|never|we|i|you|please|don't)\b)",
    re.IGNORECASE,
)
#: "we never deploy on Fridays" tells the same rule as "never deploy on Fridays"
_RULE_OF_ALL = re.compile(r"^we (?=(?:always|never)\b)", re.IGNORECASE)
_DIGIT = re.compile(r"\d")


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


@lru_cache(maxsize=1_024)
def phrasing(text: str) -> Phrasing:
    """The phrasing of a statement."""
    if len(text) > LONGEST:
        return Phrasing((), frozenset(), frozenset())
    text = unicodedata.normalize("NFKC", text)
    forms: list[Form] = []
    marks: set[str] = set()
    names: set[str] = set()
    for sentence in sentences_of(plain(text)):
        rule = _RULE_OF_ALL.sub("", sentence)
        tokens = tokens_of(_FRONTED.sub(lambda found: f"{found[1].strip()}, ", rule))
        form = form_of(tokens)
        asks = sentence.endswith(("?", "？"))
        forms.append(("?", form) if asks else form)
        bare = {token.rstrip(DONE) for token in tokens}
        marks |= {word for word in bare if word in POLAR or _DIGIT.search(word)}
        marks |= {"?"} if asks else set()
        names |= names_in(sentence)
    terms = frozenset(_words_in(forms, set())) - _UNTOLD
    return Phrasing(tuple(forms) if terms else (), terms, frozenset(marks), frozenset(names))


def _words_in(form: Iterable[object], into: set[str]) -> set[str]:
    """With the words in a form, without their marks: what is equal has equal ones."""
    for part in form:
        if type(part) is str:
            into.add(part.strip(PASSIVE + DONE + "?"))
        elif type(part) is tuple:
            _words_in(part, into)
    return into
