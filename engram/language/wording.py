"""Words of statements as the judge compares them: stems, and words that name nothing.

Cruder than the index's stems, and only for comparing two statements with each other. English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from engram.model.text import words

Terms = frozenset[str]

#: words that stand in any statement
_EMPTY = """
a about all also am an and any are as at away be been being both but by can could did do does done
each earlier every for from had half has have he her here him his hour how i i'm if in into is it
it's its itself just later me my of off on only or our ours out over per please she should so some
such team team's than that that's the their them then there these they this those to too up us user
user's utc very was we we're we've were what when where which while who will with would you your
"""
#: verbs of having, changing and denying: two statements about one thing differ in them
_LIGHT = """
abandon actually adopt again agree already anymore aren't avoid back base become begin began begun
bump can't cannot change choose chose chosen convert correct correction cost currently cut decide
decision deploy deprecate didn't ditch doesn't don't down downgrade drop effect end favor favour
finally get go got grew grow hasn't haven't host increase instead isn't keep kept length light like
live locate longer lower made make migrate more move need never new newly no none not note now
officially own permanently pick place plan port prefer put raise ran rather reduce relocate remain
remove rename replace require reschedule retire revise run said say scrap serve set settle shift
ship shouldn't since start stay still stop store support switch take today took transition update
upgrade use want wasn't weigh went without won't work always
"""
_FORMS = {"using": "use", "used": "use", "ran": "run", "people": "person"}
_ENDINGS = re.compile(r"(?:'s|s')$")
_COMPOUND = re.compile(r"[a-z]{3,}(?:-[a-z]{3,})+|(?:on|per|re|in|up)-[a-z]{3,}")


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """A word without the endings of number and tense; what has digits or signs stays."""
    word = _ENDINGS.sub("", word)
    word = _FORMS.get(word, word)
    if len(word) < 4 or not (word.isascii() and word.isalpha()):
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word.removesuffix(ending)
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word


EMPTY = frozenset(_EMPTY.split())
LIGHT = frozenset(map(stem, _LIGHT.split()))


def terms_of(text: str) -> Terms:
    """The stems of a text's words that name something."""
    return frozenset(stem(part) for part in _parts(text) if part not in EMPTY)


def telling(terms: Terms) -> Terms:
    """Those of some terms that are no mere words of having and changing."""
    return terms - LIGHT


def _parts(text: str) -> Iterator[str]:
    """The words; `per-key` is two of them, `us-east-1` is one."""
    for word in words(text):
        yield from word.split("-") if _COMPOUND.fullmatch(word) else (word,)
