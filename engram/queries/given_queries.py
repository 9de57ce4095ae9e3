"""What agents were given of a vault, from its access log: before a time, and each time with whom.

For what a hook gave it the person's turn tells that follows in the session: it is read when it is
asked for, so that one that was forgotten or purged is not shown. Nothing is written; a log that
cannot be read has nothing to tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING

from engram.model.errors import BadInput, StorageError
from engram.model.given import MOST_QUESTION, GivenBlock
from engram.model.instant import Instant, instant_of, moment_of
from engram.model.shown import GivenTo
from engram.model.text import first_line
from engram.store.catalog.access_log import AccessLog
from engram.store.catalog.given_rows import newest

if TYPE_CHECKING:
    from engram.queries.lookup import Lookup
    from engram.store.base.disk import VaultDisk
    from engram.store.commits.projections import Projections

#: a host may stamp a prompt before it calls the hook, and after: the time limit of a hook, cut off
_BEFORE = timedelta(seconds=2)
#: how long after its hook a prompt is stamped at most, and the first one of a session: what is
#: asked later than that is not what the session was begun for
_AFTER = {"prompt": timedelta(seconds=15), "session-start": timedelta(minutes=10)}
#: turns that are looked at for one that no program wrote
_LOOKED_AT = 3


class VaultGiven:
    """The Given port of one vault. It remembers the conversation that was asked about last."""

    def __init__(self, disk: VaultDisk, projections: Projections) -> None:
        self._log = AccessLog(disk)
        self._projections = projections
        self._transcript = ""
        self._blocks: Sequence[GivenBlock] = ()

    def before(self, memory: str, transcript: str, time: Instant) -> bool:
        """As Given says; also what a summary told in its place."""
        if transcript != self._transcript:
            accesses = self._projections.catalog.accesses
            try:
                self._blocks = accesses.given_in(self._log, transcript)
            except (StorageError, BadInput):
                self._blocks = ()
            self._transcript = transcript
        return any(one.time <= time and one.names(memory) for one in self._blocks)


class GivenQueries:
    """Who was given a memory of one vault."""

    def __init__(self, disk: VaultDisk, projections: Projections, lookup: Lookup) -> None:
        self._log = AccessLog(disk)
        self._projections = projections
        self._lookup = lookup

    def of_memory(self, identifier: str, limit: int) -> list[GivenTo]:
        """The last times that it was given, newest first."""
        try:
            found = list(islice(newest(self._log, identifier), limit))
        except (StorageError, BadInput):
            return []
        return [self._told(one, identifier) for one in found]

    def _told(self, block: GivenBlock, identifier: str) -> GivenTo:
        item = next(
            one for one in block.items if identifier == one.id or identifier in one.tells
        )  # fmt: skip
        link, question = self.question(block)
        summary = item.id if item.id != identifier else ""
        return GivenTo(
            block.time, block.by, block.session, block.how, item.codes, summary, link, question
        )

    def question(self, block: GivenBlock) -> tuple[str, str]:
        """For what a block was given: the link of the turn that asked, if one did; its words."""
        after = _AFTER.get(block.how)
        if after is None:
            return "", block.question
        given, turns = moment_of(block.time), self._projections.catalog.turns
        try:
            first, last = instant_of(given - _BEFORE), instant_of(given + after)
        except (ValueError, OverflowError):  # the first or last days that there are
            return "", ""
        links = turns.said_between(block.session, first, last, _LOOKED_AT)
        found = self._lookup.turns_in_sight(links)
        for link in links:
            if link not in found:
                break
            if not found[link].program:
                return link, first_line(found[link].text, MOST_QUESTION)
        return "", ""
