"""Days that a question names -> the documents said on them, or that speak of them.

One that was said in the days after counts less: people tell what happened when they next meet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

from engram.index.scoring import WHOLE_SPAN, Corpus, Span, day_term

#: what a document is worth that was said up to so many days after a span
AFTER, DAYS_AFTER = 0.6, 7
#: a longer span says little: it has no days after it, and nothing speaks of all its days
LONGEST = 62


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
    for day, stretches in corpus.on_day.items():
        share = max(_share(day, *span) for span in wanted)
        for stretch in stretches if share else ():
            found.update((document, share) for document in stretch if lengths[document])
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


def documents_of_days(days: Sequence[int]) -> dict[int, list[range]]:
    """Day -> the documents of it in stretches; those of no day, 0, are left out."""
    found: dict[int, list[range]] = {}
    start = 0
    for day, same in groupby(days):
        stop = start + sum(1 for _ in same)
        if day:
            found.setdefault(day, []).append(range(start, stop))
        start = stop
    return found
