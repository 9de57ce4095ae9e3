"""Merge rule: which segments of an index are written anew together with an update.

Segments are sorted into levels by their live documents, each level FAN times as large as the one
below it. An update takes in all of the lowest level, and a level of which it makes the FAN-th
segment; that may complete the next level. So a document is written anew once a level at most, and
building an index by updates costs n log n however large they are, with less than FAN segments a
level for searches to look through. Only LARGE segments are left alone.

A segment of which a quarter was deleted is written anew as well: what is searched, and kept of
deletions, stays in proportion to what is there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

#: what an update of one document may write anew without being felt, in documents
SMALL = 16
FAN = 4
#: segments of so many documents stay as they are: no update has to wait for them to be merged
LARGE = 65_536
#: the part of a segment that may be deleted, 1 in so many
_DELETED = 4


class Size(NamedTuple):
    """How many documents a segment has, and how many of them are deleted."""

    documents: int
    deleted: int

    @property
    def live(self) -> int:
        """Documents that are not deleted."""
        return self.documents - self.deleted


def to_merge(new: int, segments: Sequence[Size]) -> set[int]:
    """The numbers of the segments to merge with `new` documents, emptied ones included."""
    chosen = {
        number
        for number, size in enumerate(segments)
        if size.deleted * _DELETED > size.documents or not size.live
    }
    total = new + sum(segments[number].live for number in chosen)
    levels: defaultdict[int, list[int]] = defaultdict(list)
    for number, size in enumerate(segments):
        if number not in chosen and size.live < LARGE:
            levels[_level(size.live)].append(number)
    for level in sorted(levels) if total else ():
        complete = len(levels[level]) + (level == _level(total)) >= FAN
        if level == 0 or complete:
            chosen.update(levels[level])
            total += sum(segments[number].live for number in levels[level])
    return chosen


def _level(documents: int) -> int:
    level = 0
    while documents >= SMALL * FAN**level:
        level += 1
    return level
