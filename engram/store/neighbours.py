"""Which live memories of one scope share the rarest words with a text: the catalog's words, asked.

Bounded whatever the vault's size: a word that very many memories hold tells nothing and is not
followed. Reads only.
"""

from __future__ import annotations

from collections.abc import Iterable

from engram.store.database import Database

#: so many of a text's rarest words are followed
_WORDS = 8
#: a word that more memories hold is not
_COMMON = 400
#: neighbours at most
MOST = 12


def neighbours(db: Database, terms: Iterable[str], space: str, project: str) -> list[str]:
    """The bodies of those memories, the nearest first, the newer first among equals."""
    held = "select count(*) from (select 1 from words where term = ? limit ?)"
    counts = {term: db.number(held, term, _COMMON + 1) for term in set(terms)}
    telling = sorted((count, term) for term, count in counts.items() if 0 < count <= _COMMON)
    rarest = [term for _, term in telling[:_WORDS]]
    marks = ",".join("?" * len(rarest))
    rows = db.rows(
        "select m.body from (select memory, count(*) as shared from words"
        f" where term in ({marks}) group by memory) w join memories m on m.number = w.memory"
        " where m.status in ('active', 'needs-review') and m.space = ?"
        " and (m.space != 'project' or m.project = ?)"
        " order by w.shared desc, m.created desc, m.id limit ?",
        *rarest, space, project, MOST,
    )  # fmt: skip
    return [str(row[0]) for row in rows]
