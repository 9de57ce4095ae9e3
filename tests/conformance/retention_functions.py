"""Outside cases of retention in ticks: each asks what a vault asks of a memory of that policy.

Under `forget_policy = "ttl"` the contract has one number for all, which a policy file states.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from engram.model.item import EVENT_TYPES
from engram.model.policy import Policy
from engram.model.retention import end_tick, is_over
from engram.settings.paths import places_of
from engram.settings.policy_files import load_policy

Given = dict[str, Any]
_TTL_TICKS = 25


@cache
def _policy(forgets: str) -> Policy:
    """The preset `contract`, with another way to forget."""
    rows = [f"{one} = {_TTL_TICKS}" for one in EVENT_TYPES] if forgets == "ttl" else []
    lines = ['preset = "contract"', f'forget_policy = "{forgets}"', "[retention]", *rows]
    with TemporaryDirectory() as folder:
        Path(folder, "policy.toml").write_text("\n".join(lines), encoding="utf-8")
        return load_policy(places_of({"ENGRAM_HOME": folder}), None).policy


def _one(given: Mapping[str, Any], forgets: str, now: int) -> Given:
    rule = _policy(forgets).ends(given.get("kind", "semantic"), given["event_type"])
    fixed = (given.get("meta") or {}).get("expires_at")
    end = end_tick(rule, given["created_at"]) if fixed is None else fixed
    reason = is_over(rule, given["created_at"], now, fixed)
    return {"expires_at": end, "kept": not reason, "reason": reason or None}


def _retention(given: Given) -> Given:
    forgets, now = given["forget_policy"], given["now_tick"]
    if "items" not in given:
        return _one(given, forgets, now)
    rows = given["items"]
    if isinstance(rows, str):  # "15 context items created_at 1..15"
        count, event_type = rows.split()[:2]
        rows = [
            {"id": f"s1:semantic:{n}", "event_type": event_type, "created_at": n}
            for n in range(1, int(count) + 1)
        ]
    found = [(row["id"], _one(row, forgets, now)) for row in rows]
    return {
        "forgotten": [[name, one["reason"]] for name, one in found if not one["kept"]],
        "kept_ids": [name for name, one in found if one["kept"]],
    }


FUNCTIONS: dict[str, Callable[[Any], Any]] = {"retention": _retention}
