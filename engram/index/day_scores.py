"""Days that a question names -> the documents said on them, or that speak of them.

One that was said in the days after counts less: people tell what happened when they next meet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engram.index.scoring import Corpus, Span, day_term

#: what a document is worth that was said up to so many days after a span
AFTER, DAYS_AFTER = 0.6, 7
#: a longer span says little: it has no days after it, and nothing speaks of all its days
LONGEST = 62


def day_shares(corpus: Corpus, spans: Sequence[Span]) -> Mapping[int, float]:
    """Document -> 1 for what was said in one of the spans or speaks of a day in one; else AFTER.

    What is neither is left out. Spans are in days since 1970; one that begins with 0 has no days.
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
    for first, last in wanted:
        if last - first < LONGEST:
            for day in range(first, last + 1):
                for start, documents, _ in corpus.postings(day_term(day)):
                    found.update((start + document, 1.0) for document in documents)
    return found
