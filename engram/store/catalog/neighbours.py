"""Neighbours of a text: live memories of one scope that share its rarest words.

Bounded whatever the vault's size: a word that very many memories hold tells nothing and is not
looked up. Reads only.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from engram.language.tokens import terms
from engram.model.memory import Memory
from engram.store.catalog.row_body import decode
from engram.store.catalog.word_rows import WordRows

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
    words = WordRows(db)
    counts = words.counts(set(terms(candidate.text)))
    known = sorted((count, term) for term, count in counts.items() if count <= _COMMON)
    shared = Counter(words.held(term for _, term in known[:_WORDS]))
    rows = db.rows(
        "select place, created, memories.id from json_each(?) join memories on place = value"
        " where record != 'session' and space = ?"
        " and (space != 'project' or project = ?) and (space != 'session' or session = ?)"
        " order by created desc, memories.id",
        json.dumps([*shared]), candidate.space, candidate.project, candidate.conversation,
    )  # fmt: skip
    rows.sort(key=lambda row: -shared[row[0]])
    bodies = (db.rows("select body from memories where place = ?", row[0]) for row in rows[:_MOST])
    return [decode(Memory, body) for ((body,),) in bodies]
