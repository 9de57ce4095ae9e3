"""The words of a query -> the terms to look for, each with its weight and what may stand for it.

Stop-words count only in a query of nothing else. Names of people who speak in the collection leave
the words of a query for turns. Prefixes become the terms they begin; so, for less, does a word that
nobody holds. German words are looked for by their stems, and in compounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from engram.index.scoring import GERMAN, MARK, Corpus, Term, german_end, german_term, speaker_term
from engram.language.related_words import related_terms
from engram.language.stop_words import QUERY
from engram.language.tokens import MAX_TERMS, beginning, query_terms
from engram.model.hit import Hints
from engram.model.text import words

#: terms that a prefix expands to
_EXPANSIONS = 32
#: letters of a German word that are looked for in compounds
_PART = 4
#: what the stem of a German word is worth beside the word itself, and a compound that holds it
_STEM, _COMPOUNDED = 0.8, 0.5
#: A word of so many letters that nobody holds is asked as a beginning, of so much of it and worth
#: so much: it is misspelt, or another form.
_LETTERS, _BEGINNING, _BEGUN = 4, 0.6, 0.3
#: how near, 0..1, its spelling is to what it finds where that stands alone
_NEAR = 0.8


def asked_terms(corpus: Corpus, query: str, names: list[str], hints: Hints) -> list[Term]:
    """The terms to search for, those of the words first; `names` are of speakers."""
    spoken = {term for name in names for term in query_terms(name)}
    told = query_terms(query)
    own = [term for term in told if term not in spoken] or told
    held = any(corpus.postings(term) for term in own)
    asked = {term: _with_others(corpus, term, hints, beside=held) for term in own}
    if corpus.expand(GERMAN, 1):
        for term, weight in _german(corpus, query):
            asked.setdefault(term, Term(term, weight))
    for prefix in hints.prefixes:
        begun = beginning(prefix)
        # terms are stems: a long prefix stands for the whole word as well
        for term in (*query_terms(prefix), *(corpus.expand(begun, _EXPANSIONS) if begun else ())):
            asked.setdefault(term, Term(term))
    return list(asked.values())[: MAX_TERMS * 2]


def _with_others(corpus: Corpus, name: str, hints: Hints, *, beside: bool) -> Term:
    """A term with what may stand for it: related ones, and what begins like one that nobody holds.

    Where no other term is held that it could stand `beside`, only what is spelt nearly like it:
    else "helm chart" would find "help" and "change".
    """
    if not name.isalnum() or name.isdigit():
        return Term(name)
    related = related_terms(name)
    found = dict(related) if hints.related else {}
    begun: set[str] = set()
    # a word that the table knows is not misspelt
    if len(name) >= _LETTERS and (beside or not related) and not corpus.postings(name):
        for other in corpus.expand(name[: ceil(len(name) * _BEGINNING)], _EXPANSIONS):
            if other not in found and other not in QUERY and (beside or _is_near(name, other)):
                found[other] = _BEGUN
                begun.add(other)
    instead = tuple(sorted(found.items(), key=lambda one: (-one[1], one[0])))
    return Term(name, 1.0, instead, frozenset(begun))


def _is_near(name: str, other: str) -> bool:
    """Whether an unknown word begins another one, or is spelt nearly like it."""
    # imported here: few words are held by nobody
    from difflib import SequenceMatcher

    likeness = SequenceMatcher(None, name, other, autojunk=False)
    return other.startswith(name) or likeness.ratio() > _NEAR


def _german(corpus: Corpus, query: str) -> Iterator[tuple[str, float]]:
    """The stems of a query as German words, and the compounds that they begin or end."""
    # imported here: few vaults hold German
    from engram.language.german import german_stems

    for stem in dict.fromkeys(german_stems(query)[:MAX_TERMS]):
        yield german_term(stem), _STEM
        if len(stem) >= _PART:
            for term in corpus.expand(german_term(stem), _EXPANSIONS):
                yield term, _COMPOUNDED
            for term in corpus.expand(german_end(stem), _EXPANSIONS):
                yield german_term(term[1:][::-1]), _COMPOUNDED


def named_speakers(corpus: Corpus, query: str) -> list[str]:
    """The names in a query of people who speak in the collection."""
    if not corpus.expand(MARK, 1):
        return []
    spoken = dict.fromkeys(word.removesuffix("'s") for word in words(query))
    named = [word for word in spoken if word not in QUERY]
    return [word for word in named[:MAX_TERMS] if corpus.postings(speaker_term(word))]
