"""Days that a question names -> the documents said on them, or that speak of them.

One that was said in the days after counts less: people tell what happened when they next meet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

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
    for document, day in enumerate(corpus.days):
        if not day or not lengths[document]:
            continue
        for first, last in wanted:
            if first <= day <= last:
                found[document] = 1.0
                break
            if last < day <= last + DAYS_AFTER and last - first < LONGEST:
                found[document] = AFTER
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
