"""Days that a question names -> the documents said on them, or that speak of them.

One that was said in the days after counts less: people tell what happened when they next meet.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

from engram.index.scoring import WHOLE_SPAN, Corpus, Span, day_term

if TYPE_CHECKING:
    from engram.model.instant import Day

_EPOCH = date(1970, 1, 1).toordinal()
#: of the year 2149; a later day counts as this
LATEST_DAY = 0xFFFF
#: what a document is worth that was said up to so many days after a span
AFTER, DAYS_AFTER = 0.6, 7
#: a longer span says little: it has no days after it, and nothing speaks of all its days
LONGEST = 62


def number_of(day: Day) -> int:
    """A day as days since 1970 in 16 bits; 0 for none, one before, and an invalid one."""
    try:
        return min(max(date.fromisoformat(day).toordinal() - _EPOCH, 0), LATEST_DAY)
    except ValueError:
        return 0


def day_shares(corpus: Corpus, spans: Sequence[Span]) -> Mapping[int, float]:
    """Document -> 1 for what was said in one of the spans, AFTER for what was said soon after.

    What speaks of a time counts by the part of that time that lies in the spans; what is none of
    these is left out. Spans are in days since 1970; one that begins with 0 has no days.
    """
    found: dict[int, float] = {}
    wanted = [span for span in spans if span[1] and span[0] <= span[1]]
    if not wanted:
        return found
    lengths = corpus.lengths
    for day, documents in corpus.on_day.items():
        share = max(_share(day, *span) for span in wanted)
        if share:
            found.update((document, share) for document in documents if lengths[document])
    days = {
        day for first, last in wanted if last - first < LONGEST for day in range(first, last + 1)
    }
    # whole numbers: the same sum in any order
    spoken: Counter[int] = Counter()
    for day in days:
        for start, documents, tenths in corpus.postings(day_term(day)):
            for document, tenth in zip(documents, tenths, strict=True):
                spoken[start + document] += tenth
    for document, weight in spoken.items():
        found[document] = max(found.get(document, 0.0), min(1.0, weight / WHOLE_SPAN))
    return found


def _share(day: int, first: int, last: int) -> float:
    """What a document of a day is worth where a span is asked about."""
    if first <= day <= last:
        return 1.0
    soon = last < day <= last + DAYS_AFTER and last - first < LONGEST
    return AFTER if soon else 0.0


def documents_of_days(days: Sequence[int]) -> dict[int, array[int]]:
    """Day -> the documents of it; those of no day, 0, are left out."""
    found: defaultdict[int, array[int]] = defaultdict(lambda: array("I"))
    for document, day in enumerate(days):
        if day:
            found[day].append(document)
    return dict(found)
