"""Topic traces: threads of sealed boxes that return to the same topics (seed 003).

A box joins the trace whose boxes nearby share most topics with it, if they share enough: nearby is
before or after it, as imports bring conversations out of order. Otherwise it begins a trace, named
after itself and not after its topics, so that a topic that returns after a long time does not
revive an old thread. Pure. The topics of a trace are taken from a few boxes just before, as many
as one box has: the set cannot grow until nothing matches it any more.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain

from engram.model.box import Box
from engram.model.instant import Instant, plus_minutes
from engram.model.settings import BoxSettings
from engram.model.text import jaccard, sha256_text
from engram.weave.boxes import Topics, in_time

#: how many boxes decide on the topics of a trace: the last ones before, else the first after
_LATEST = 3
_DAY = 24 * 60
_END_OF_TIME = "9999-12-31T23:59:59Z"


def join(born: Iterable[Box], known: Iterable[Box], settings: BoxSettings) -> list[Box]:
    """New boxes, oldest first, each with its trace and its predecessor in it.

    `known` are the boxes of the vault, at least those within `reach`. The successor is not set
    here: the other box would have to change too (see `thread`).
    """
    threads = _Threads(settings)
    for box in known:
        threads.add(box)
    joined = []
    for box in sorted(born, key=in_time):
        box = assign(box, threads.neighbours(box), settings)
        box = replace(box, previous=threads.before(box))
        threads.add(box)
        joined.append(box)
    return joined


def assign(box: Box, neighbours: Iterable[Box], settings: BoxSettings) -> Box:
    """A sealed box with its trace; one that has a trace or no topics is returned unchanged.

    `neighbours` are boxes of traces. Where several traces share equally much the one with the
    newest box is taken, then by id.
    """
    if box.trace or not box.topics:
        return box
    since, until = reach([box], settings)
    traces: dict[str, list[Box]] = defaultdict(list)
    for other in neighbours:
        if since <= other.sealed <= until:
            traces[other.trace].append(other)
    shared = {name: jaccard(box.topics, _topics(box, found)) for name, found in traces.items()}
    fitting = sorted(name for name in shared if shared[name] >= settings.trace_overlap)
    if not fitting:
        return replace(box, trace=f"trace-{sha256_text(box.id)[:8]}")
    newest = {name: max(other.sealed for other in traces[name]) for name in fitting}
    return replace(box, trace=max(fitting, key=lambda name: (shared[name], newest[name])))


def thread(boxes: Iterable[Box]) -> list[tuple[Box, Box]]:
    """`(before, after)` of the boxes whose links to their trace neighbours are missing, by time.

    Takes all boxes of the traces concerned; a link to a box that is not there is removed.
    """
    traces: dict[str, list[Box]] = defaultdict(list)
    for box in sorted(boxes, key=in_time):
        traces[box.trace or box.id].append(box)
    pairs = []
    for members in traces.values():
        names = ["", *(box.id for box in members), ""]
        for number, box in enumerate(members):
            after = replace(box, previous=names[number], next=names[number + 2])
            if after != box:
                pairs.append((box, after))
    return sorted(pairs, key=lambda pair: in_time(pair[0]))


def reach(boxes: Sequence[Box], settings: BoxSettings) -> tuple[Instant, Instant]:
    """From when to when a box may end and still share a trace with one of these."""
    sealed = [box.sealed for box in boxes]
    minutes = settings.trace_days * _DAY
    try:
        since = plus_minutes(min(sealed), -minutes)
    except ValueError:
        since = ""
    try:
        return since, plus_minutes(max(sealed), minutes)
    except OverflowError:
        return since, _END_OF_TIME


def _end(box: Box) -> tuple[Instant, str]:
    return box.sealed, box.id


def _topics(box: Box, others: Iterable[Box]) -> Topics:
    """The topics of one trace, seen from a box: the most frequent ones."""
    ordered = sorted(others, key=_end)
    place = bisect_left(ordered, _end(box), key=_end)
    latest = ordered[max(0, place - _LATEST) : place][::-1] or ordered[:_LATEST]
    counts = Counter(chain.from_iterable(other.topics for other in latest))
    most = max(len(other.topics) for other in latest)
    return tuple(topic for topic, _ in counts.most_common(most))


class _Threads:
    """The boxes of traces in the order of their time, so that only neighbours are read."""

    def __init__(self, settings: BoxSettings) -> None:
        self._settings = settings
        self._traces: dict[str, list[Box]] = defaultdict(list)
        self._begun: dict[str, list[tuple[Instant, str]]] = defaultdict(list)
        self._about: dict[str, list[tuple[Instant, str]]] = defaultdict(list)

    def add(self, box: Box) -> None:
        if box.trace and box.sealed:
            insort(self._traces[box.trace], box, key=_end)
            insort(self._begun[box.trace], in_time(box))
            for topic in box.topics:
                insort(self._about[topic], (box.sealed, box.trace))

    def neighbours(self, box: Box) -> list[Box]:
        """The boxes within reach that decide on the topics of each trace that shares one here.

        The last box of each is among them: it says how new the trace is.
        """
        since, until = reach([box], self._settings)
        names: set[str] = set()
        for topic in box.topics:
            ends = self._about.get(topic, [])
            first = bisect_left(ends, (since, ""))
            last = bisect_right(ends, until, key=lambda end: end[0])
            names.update(name for _, name in ends[first:last])
        found = []
        for name in sorted(names):
            trace = self._traces[name]
            first = bisect_left(trace, since, key=lambda other: other.sealed)
            last = bisect_right(trace, until, key=lambda other: other.sealed)
            place = bisect_left(trace, _end(box), key=_end)
            start, stop = max(first, place - _LATEST), min(last, place + _LATEST)
            found += [*trace[start:stop], *trace[max(stop, last - 1) : last]]
        return found

    def before(self, box: Box) -> str:
        """Id of the last known box of its trace that began before it."""
        begun = self._begun.get(box.trace, [])
        place = bisect_left(begun, in_time(box))
        return begun[place - 1][1] if place else ""
