"""Neighbours of a text: live memories of one scope that share its rarest words.

Bounded whatever the vault's size: a word that very many memories hold tells nothing and is not
looked up. Reads only.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from engram.language.tokens import terms
from engram.model.memory import Memory
from engram.store.catalog.row_body import decode

if TYPE_CHECKING:
    from engram.model.candidate import Candidate
    from engram.store.catalog.database import CacheDatabase

#: how many of a text's rarest words are looked up
_WORDS = 8
#: a word that more memories hold is not
_COMMON = 200
#: neighbours at most
_MOST = 12


def neighbours(db: CacheDatabase, candidate: Candidate) -> list[Memory]:
    """Memories of a candidate's place: the nearest first, among equals the newer."""
    counts = db.rows(
        "select (select count(*) from (select 1 from words where term = value limit ?)), value"
        " from json_each(?)",
        _COMMON + 1, json.dumps([*set(terms(candidate.text))]),
    )  # fmt: skip
    known = sorted((count, term) for count, term in counts if 0 < count <= _COMMON)
    rarest = [term for _, term in known[:_WORDS]]
    marks = ",".join("?" * len(rarest))
    rows = db.rows(
        "select m.body from (select memory, count(*) as shared from words"
        f" where term in ({marks}) group by memory) w join memories m on m.number = w.memory"
        " where m.status in ('active', 'needs-review') and m.record != 'session' and m.space = ?"
        " and (m.space != 'project' or m.project = ?) and (m.space != 'session' or m.session = ?)"
        " order by w.shared desc, m.created desc, m.id limit ?",
        *rarest, candidate.space, candidate.project, candidate.conversation, _MOST,
    )  # fmt: skip
    return [decode(Memory, row[0]) for row in rows]
