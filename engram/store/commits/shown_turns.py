"""Turns that only transcripts show: captured on another machine, or lost from the journal.

They are recorded, so that a conversation that comes here as well is not captured twice. A
transcript's `extracted` tells how far the other machine has settled them; what it settled and is
pending here too is settled here. Turns after that mark are the other machine's to extract: while
there is one this machine does not move the mark.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from engram.store.catalog.turn_rows import DONE, PURGED, TurnRows, ranges_of
from engram.store.files.transcripts import PURGED as MARK
from engram.store.files.transcripts import Transcripts, TurnBlock

if TYPE_CHECKING:
    from engram.model.change import Range


def add_shown(turns: TurnRows, transcripts: Transcripts, paths: Iterable[str]) -> list[str]:
    """Record the turns that only these transcripts have; returns the links of new ones.

    Called inside the catalog's transaction.
    """
    added: list[str] = []
    for path in paths:
        name = transcripts.name_of(path)
        blocks, known = transcripts.blocks(path), turns.known_links(name)
        missing = [block for block in blocks if block.link not in known]
        header = transcripts.header(path)
        project = header.get("project", "")
        turns.add_foreign(
            (
                block.link, name, block.role, block.time, project,
                PURGED if block.text == MARK else DONE, block.speaker,
            )
            for block in missing
        )  # fmt: skip
        turns.settle_foreign(name, _settled(blocks, header.get("extracted", "")))
        transcripts.looked(path)
        added += [block.link for block in missing]
    return added


def settled_elsewhere(turns: TurnRows, transcripts: Transcripts, name: str) -> list[Range]:
    """The pending turns of a transcript that another machine has settled, as its header says."""
    path = transcripts.find(name)
    mark = transcripts.header(path).get("extracted", "") if path else ""
    if not path or not mark or mark == turns.last_settled(name):
        return []
    pending = {row[0]: row[1] for row in turns.pending_links(name)}
    links = _settled(transcripts.blocks(path), mark)
    return ranges_of(sorted(pending[link] for link in links if link in pending))


def _settled(blocks: Sequence[TurnBlock], mark: str) -> list[str]:
    """The links of the blocks up to the one that a transcript's header names."""
    links = [block.link for block in blocks]
    names = [link.partition("^")[2] for link in links]
    return links[: names.index(mark) + 1] if mark in names else []
