"""Line of the access log <-> the block that it tells of.

    {"time": "2026-11-22T09:14:03Z", "by": "claude-code", "session": "claude-code-3f2a1c9d04be",
     "how": "prompt", "given": ["decision-20260306-101000-9c1f03aa"],
     "items": ["project:shop:semantic:12"], "why": ["matches_query"],
     "spaces": {"session": 0, "user": 0, "project": 1, "system": 0},
     "policy": "9f2c41d07a6be813", "last": 41, "hash": "0b1d...", "content": "77aa..."}

(on one line of ASCII). What somebody asked for has `ids` in place of `given`, and its `question`
where there is one. An item without a number is `<space>:<kind>`; `tells` has the memories that a
summary stands for. A memory of a vault that is read beside this one has its label before its id
(`@shop/ID`). Guarantees: reading what was written gives an equal block. Refused (None): what is
torn, foreign, or not what its `hash` says.
"""

from __future__ import annotations

import json
import re
from typing import Any

from engram.model.given import HOWS, MOST_QUESTION, REASONS, GivenBlock, GivenItem
from engram.model.ids import is_name
from engram.model.instant import instant_of

ASKED, GIVEN = "ids", "given"
#: what holds no block is not decoded
_MARK = b'"content"'
#: patterns; compiled when a line is read: a hook only writes them
_NAME = r"[a-z0-9][a-z0-9._-]{0,79}"
_ITEM = r"(session|user|project|system):(?:[^:\s]{1,200}:)?(semantic|profile)(:[0-9]{1,12})?"
_DIGEST, _POLICY = r"[0-9a-f]{64}", r"(?:[0-9a-f]{16})?"
#: no vault has as many transactions
_MOST = 1 << 40


def line_of(block: GivenBlock) -> bytes:
    """The line of a block, with its end."""
    row: dict[str, object] = {
        "time": block.time, "by": block.by, "session": block.session, "how": block.how,
        ASKED if block.asked else GIVEN: [one.id for one in block.items],
        "items": [one.item or f"{one.space}:{one.kind}" for one in block.items],
        "why": [" ".join(one.reasons) for one in block.items],
        "spaces": block.counts, "policy": block.policy, "last": block.last,
        "hash": block.deterministic_hash, "content": block.content_hash,
    }  # fmt: skip
    if told := {one.id: one.tells for one in block.items if one.tells}:
        row["tells"] = told
    if block.question:
        row["question"] = block.question[:MOST_QUESTION]
    return json.dumps(row, separators=(",", ":")).encode("ascii") + b"\n"


def block_of(line: bytes) -> GivenBlock | None:
    """The block that a line tells of; None for any other line."""
    if _MARK not in line:
        return None
    try:
        row = json.loads(line)
        return _sound(row)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _sound(row: dict[str, Any]) -> GivenBlock | None:
    asked = ASKED in row
    told = row.get("tells", {})
    columns = (row[ASKED if asked else GIVEN], row["items"], row["why"])
    if not all(isinstance(one, list) for one in columns):
        return None
    items = tuple(_item(*one, told) for one in zip(*columns, strict=True))
    how = HOWS[HOWS.index(row["how"])]
    names = (row["by"], row["session"])
    spaces = tuple(row["spaces"])
    block = GivenBlock(
        row["time"], *names, how, items, row["content"], spaces, row["policy"],
        row["last"], asked, row.get("question", ""),
    )  # fmt: skip
    sound = (
        instant_of(block.time) == block.time
        and all(re.fullmatch(_NAME, name) for name in names)
        and re.fullmatch(_DIGEST, block.content_hash)
        and re.fullmatch(_POLICY, block.policy)
        and type(block.last) is int
        and 0 <= block.last < _MOST
        and len(block.question) <= MOST_QUESTION
        and block.deterministic_hash == row["hash"]
        and block.counts == row["spaces"]
    )
    return block if sound else None


def _item(name: str, item: str, why: str, told: dict[str, list[str]]) -> GivenItem:
    """One item. Raises ValueError, TypeError or AttributeError."""
    found, tells = re.fullmatch(_ITEM, item), tuple(told.get(name, ()))
    if found is None or not all(map(is_name, (name, *tells))):
        raise ValueError(item)
    reasons = tuple(one for one in REASONS if one in why.split())
    return GivenItem(name, item if found[3] else "", found[2], found[1], reasons, tells)
