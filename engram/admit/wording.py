"""Words of statements as the judge compares them: stems, and words that name nothing.

Cruder than the index's stems, and only for comparing two statements with each other. English.
"""

from __future__ import annotations

import re
from functools import lru_cache

from engram.model.text import words

#: words that stand in any statement
_EMPTY = """
a about all am an and any are as at be been being both but by can could did do does done each every
for from had has have he her here him his how i if in into is it its itself just me my of off on or
our ours out over per she should so some such than that the their them then there these they this
those to too up us was we were what when where which while who will utc half hour later earlier with would you your user team
user's team's also only please very that's it's we're i'm
"""
#: verbs and nouns of having and changing: what is said with them, and what is told of, differ
_LIGHT = """
use run live work start begin begun keep kept store host deploy move switch migrate change upgrade
downgrade replace rename raise lower increase reduce decide decision choose chose chosen pick go went
take took set make made get got become became own support prefer like want need say said note
correction correct actually update now currently today again back instead rather officially
permanently longer anymore more new newly finally already since still always run ran serve require
located based place put stay remain revise revised bump cut grow grew drop shift end ship adopt
not no never none
without cannot don't doesn't didn't won't can't isn't aren't wasn't shouldn't hasn't haven't stop avoid
drop abandon ditch retire remove deprecate scrap favour favor convert transition down weigh cost length take effect port relocate reschedule settle agree plan
"""
_FORMS = {"using": "use", "used": "use", "ran": "run", "people": "person"}
_COMPOUND = re.compile(r"[a-z]{3,}(?:-[a-z]{3,})+|(?:on|per|re|in|up)-[a-z]{3,}")
_ENDINGS = re.compile(r"(?:'s|s')$")


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


def terms_of(text: str) -> frozenset[str]:
    """The stems of a text's words that name something."""
    found = (part for word in words(text) for part in _parts(word) if part not in EMPTY)
    return frozenset(map(stem, found))


def _parts(word: str) -> list[str]:
    """`per-key` is two words, `us-east-1` is one."""
    return word.split("-") if _COMPOUND.fullmatch(word) else [word]


def telling(terms: frozenset[str]) -> frozenset[str]:
    """Those of some terms that are no mere words of having and changing."""
    return terms - LIGHT
