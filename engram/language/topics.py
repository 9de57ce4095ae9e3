"""Text -> weighted words, and running totals of them -> the topics of a vault (seed 003).

A word's weight in one text is its share of the text's words in parts per million: an integer, so
that totals which were added to and subtracted from are those that a new count would give. The score
of a word is its total weight times a smoothed inverse document frequency, so that a word which all
texts hold, or the only text there is, counts for something. Equal input, equal order: ties are
broken by the word.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from heapq import nsmallest

from engram.model.text import words

#: `topics.json` names so many (lifecycle 8.2, step 16)
MOST = 50
#: the weight of all words of a text together, but for what rounding takes
_WHOLE = 1_000_000
#: a longer text is judged by what it begins with, characters
_MOST_TEXT = 20_000
_SHORTEST, _LONGEST = 3, 40
#: Chinese is written without spaces: a longer run is cut into pairs of characters
_LONGEST_RUN = 4

_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_DENSE = re.compile(f"[{_HAN}]{{2,}}|[\u30a1-\u30fa\u30fc]{{2,}}|[\uac00-\ud7af]{{2,}}")
_HAS_DENSE = re.compile(f"[{_HAN}\u3041-\u30ff\uac00-\ud7af]")
_BETWEEN = re.compile(r"[/\\:@&=~*%$€£¥°_.<>!]+")
_POSSESSIVE = re.compile(r"'s?$")
#: no database can keep them
_SURROGATES = re.compile("[\ud800-\udfff]")

#: words that are about nothing
_SAID_OF_ANYTHING = """
about above across actually after again against all almost already also although always among
and another any anyone anything are aren't around because been before being below best better
between both but came can can't cannot come could couldn't did didn't does doesn't doing don't
done down during each either else enough even ever every everyone everything few first for
found from further gave get gets getting give given gives goes going gone good got had hadn't
has hasn't have haven't having he'd he'll her here hers herself him himself his how however
i'd i'll i'm i've instead into isn't it'll its itself just keep keeps kind knew know known
last least less let let's like likely look lot made make makes making many may maybe me might
more most much must myself need needed needs neither never new next nobody none nor not nothing
now off often old once one ones only other others our ours ourselves out over own per perhaps
please put quite rather really said same saw say says see seem seems seen several shall she
should shouldn't since some someone something sometimes soon still such sure take taken takes
tell than that that's the their theirs them themselves then there there's these they they'd
they'll they're they've thing things think this those though through thus till together too
took toward towards tried try trying two under until upon use used user uses using very via
want wanted wants was wasn't way we'd we'll we're we've well went were weren't what what's
whatever when where whether which while who whoever whole whom whose why will with within
without won't work would wouldn't yes yet you you'd you'll you're you've your yours yourself
"""
_STOP_WORDS = frozenset(_SAID_OF_ANYTHING.split())


@dataclass(frozen=True, slots=True)
class Topic:
    """A word, its score (four decimals), and how many texts hold it."""

    term: str
    score: float
    count: int


def topic_terms(text: str) -> dict[str, int]:
    """The words of a text that can be topics, each with its share in parts per million.

    Words of three letters or more of any script, with their hyphens; of scripts without spaces the
    runs of one script, Chinese ones in pairs of characters. Numbers and stop words are left out.
    """
    counts = Counter(_topics(words(_SURROGATES.sub(" ", text[:_MOST_TEXT]))))
    total = sum(counts.values())
    return {term: count * _WHOLE // total for term, count in sorted(counts.items())}


def top_topics(
    totals: Iterable[tuple[str, int, int]], documents: int, most: int = MOST
) -> list[Topic]:
    """The best topics of `(word, texts that hold it, their weights' sum)` among so many texts."""
    scored = (
        (-round(weight / _WHOLE * _rarity(held, documents), 4), term, held)
        for term, held, weight in totals
    )
    best = nsmallest(max(most, 0), scored)
    return [Topic(term, -score, held) for score, term, held in best]


def totals_of(texts: Iterable[Mapping[str, int]]) -> list[tuple[str, int, int]]:
    """What `top_topics` takes, counted from the words of each text."""
    held: Counter[str] = Counter()
    weights: Counter[str] = Counter()
    for terms in texts:
        held.update(terms.keys())
        weights.update(terms)
    return [(term, held[term], weights[term]) for term in sorted(held)]


def _rarity(held: int, documents: int) -> float:
    """The smoothed inverse document frequency: never 0 (lifecycle 16, defect 19)."""
    return math.log(1 + max(documents, held) / held)


def _topics(tokens: Iterable[str]) -> Iterator[str]:
    for token in tokens:
        for part in _BETWEEN.split(token):
            if _HAS_DENSE.search(part):
                yield from _runs(part)
                continue
            word = _POSSESSIVE.sub("", part).strip("-'")
            long_enough = _SHORTEST <= len(word) <= _LONGEST
            if long_enough and word not in _STOP_WORDS and any(map(str.isalpha, word)):
                yield word


def _runs(part: str) -> Iterator[str]:
    """The words of a run without spaces, as well as they can be told without a dictionary."""
    for run in _DENSE.findall(part):
        if len(run) <= _LONGEST_RUN or not re.match(f"[{_HAN}]", run):
            yield run[:_LONGEST]
        else:
            yield from (run[at : at + 2] for at in range(len(run) - 1))
