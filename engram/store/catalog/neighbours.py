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
        "select m.body from json_each(?) w"
        " join memories m on m.place = json_extract(w.value, '$[0]')"
        " where m.status in ('active', 'needs-review') and m.record != 'session' and m.space = ?"
        " and (m.space != 'project' or m.project = ?) and (m.space != 'session' or m.session = ?)"
        " order by json_extract(w.value, '$[1]') desc, m.created desc, m.id limit ?",
        json.dumps([*shared.items()]), candidate.space, candidate.project, candidate.conversation,
        _MOST,
    )  # fmt: skip
    return [decode(Memory, row[0]) for row in rows]
