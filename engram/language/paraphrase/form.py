"""Canonical words -> a form: what is said of whom, whichever way it was put.

Auxiliaries go, the passive with its agent turns active, the items of a list stand in order, and
phrases ("on Fridays") stand beside the main part, whose order is kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engram.language.paraphrase.tables import (
    AND,
    AUXILIARY,
    BE,
    BREAK,
    CLAUSES,
    DEEDS,
    DONE,
    GERUND,
    LEANING,
    OPENERS,
    OWN_DOING,
    OWNER,
    PARTICIPLE,
    PASSIVE,
    PRESENT,
    WAS,
)

Form = tuple[object, ...]
#: the part of the sentence, what opens it, the words
_Phrase = tuple[int, str, list[str]]
#: whoever prefers to use a thing prefers the thing
_TAKES_THE_THING = frozenset({"prefer", "want"})
_VERBS = frozenset(PRESENT.values())
_DEEDS = frozenset(PRESENT[verb] for verb in DEEDS)
#: clauses within clauses; beyond, their words are like any others
_DEEPEST = 5
_ITEM = r"[^\s,&]+(?: [\d][^\s,]*)?"
_LIST = re.compile(rf"(?<!\S){_ITEM}(?: , {_ITEM})*(?: ,)? (&|or) {_ITEM}(?!\S)")
_BETWEEN = re.compile(r" , (?:& |or )?| & | or ")


def form_of(tokens: Sequence[str]) -> Form:
    """The form of a sentence's canonical words."""
    return _form(_plainer(_listed(tokens)))


def _listed(tokens: Sequence[str]) -> list[str]:
    """With the items of `a, b and c` in order; an item is a word, and a number behind it."""
    if "respectively" in tokens or not {AND, "or"} & set(tokens):
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
    if word in BE or word in WAS:
        mark = DONE if word in WAS else ""
        if _is_participle(after):
            return (f"{PASSIVE}{after.rstrip(DONE)}{mark}",), at + 2
        if after in GERUND and not mark:
            return (GERUND[after],), at + 2
        if after == "to":
            return ("shall",), at + 1
        return (("was",) if mark else ()), at + 1
    if word == "have" and after == "been":
        passive = _is_participle(later)
        return ((f"{PASSIVE}{later}",), at + 3) if passive else (("been",), at + 2)
    if word == "have" and after.rstrip(DONE) in _DEEDS and _is_participle(after):
        return (after.rstrip(DONE) + DONE,), at + 2
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
        if not end or end in OPENERS or end in CLAUSES or end == BREAK:
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
        or before in AUXILIARY
        or before in (AND, "or", "to")
        or after in _VERBS
        or after in OPENERS
        or after in CLAUSES
        or after.endswith(DONE)
    )


def _is_participle(word: str) -> bool:
    return word.endswith(DONE) or word in PARTICIPLE


def _form(tokens: Sequence[str], depth: int = 0) -> Form:
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
        if word == BREAK:
            into = main
            part += bool(main and after and after not in OPENERS and after not in CLAUSES)
        elif word in CLAUSES and depth < _DEEPEST:
            rest = list(tokens[at:])
            end = rest.index(BREAK) if at == 1 and BREAK in rest else len(rest)
            clauses.append((part, word, _form(rest[:end], depth + 1)))
            at += end
        elif word in OPENERS:
            into = [into.pop()] if into and into[-1] in LEANING else []
            phrases.append((part, word, into))
        elif word == "of" and after and into and into[-1][0] != PASSIVE:
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
    at = next((place for place, word in enumerate(main) if word[0] == PASSIVE), None)
    if at is None:
        return main
    verb, before, behind = main[at][1:], main[:at], main[at + 1 :]
    agent = next((phrase for phrase in phrases if phrase[1] == "by"), None)
    if agent is not None:
        phrases.remove(agent)
        return [*agent[2], verb, *before, *behind]
    if OWNER in before and verb in OWN_DOING:
        owner = before.index(OWNER)
        return [*before[:owner], verb, *before[owner + 1 :], *behind]
    return main


def _without_owner(told: Sequence[str]) -> list[str]:
    return [word for word in told if word != OWNER]
