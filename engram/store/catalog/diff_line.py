"""Line of the access log <-> a difference of two phases as it was told.

    {"time": "2026-11-22T09:14:03Z", "ids": [], "by": "person", "session": "by-hand", "last": 41,
     "policy": "9f2c41d07a6be813", "phases": ["project:shop", "phase-1", "phase-2"],
     "counts": [3, 0, 1], "changes": [{"change": "added", ...}], "refused": ""}

(on one line of ASCII). No text stands in it: dedup keys are digests or slots. Guarantees: reading
what was written gives an equal value. Refused (None): what is torn or of another form.
"""

from __future__ import annotations

import json
import re

from engram.model.instant import instant_of
from engram.model.phase_diff import MOST_CHANGES, AskedDiff

_MARK = b'"phases"'
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")
_STORE = re.compile(r"(session|user|project|system):[^:\s]{1,200}")
_PHASE = re.compile(r"(?:phase-[0-9]{1,6})?")
_POLICY = re.compile(r"(?:[0-9a-f]{16})?")
_MOST = 1 << 40


def diff_line(asked: AskedDiff) -> bytes:
    """The line of a difference, with its end."""
    row = {
        "time": asked.time, "ids": [], "by": asked.by, "session": asked.session,
        "last": asked.last, "policy": asked.policy,
        "phases": [asked.store, asked.from_id, asked.to_id], "counts": list(asked.counts),
        "changes": [dict(one) for one in asked.changes], "refused": asked.refused,
    }  # fmt: skip
    return json.dumps(row, separators=(",", ":")).encode("ascii") + b"\n"


def diff_of(line: bytes) -> AskedDiff | None:
    """The difference that a line tells of; None for any other line."""
    if _MARK not in line:
        return None
    try:
        row = json.loads(line)
        store, from_id, to_id = row["phases"]
        added, deleted, replaced = (int(one) for one in row["counts"])
        changes = tuple(
            {str(key): str(value) for key, value in one.items()} for one in row["changes"]
        )
        found = AskedDiff(
            row["time"], row["by"], row["session"], row["last"], row["policy"], store, from_id,
            to_id, (added, deleted, replaced), changes, row["refused"],
        )  # fmt: skip
        sound = (
            instant_of(found.time) == found.time
            and all(_NAME.fullmatch(name) for name in (found.by, found.session))
            and _STORE.fullmatch(store)
            and all(_PHASE.fullmatch(one) for one in (from_id, to_id))
            and _POLICY.fullmatch(found.policy)
            and type(found.last) is int
            and 0 <= found.last < _MOST
            and len(changes) <= MOST_CHANGES
            and isinstance(found.refused, str)
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return found if sound else None
