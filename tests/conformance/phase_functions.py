"""Phases of the memory contract: the functions that outside cases name -> the real functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engram.model.phase import phase_request
from engram.model.phase_diff import PhaseItem, phase_diff

Given = dict[str, Any]


def _items(rows: list[list[str | None]]) -> list[PhaseItem]:
    return [PhaseItem(str(name), str(kind), key or "") for name, kind, key in rows]


def _diff(given: Given) -> Given:
    found = phase_diff(_items(given["from_items"]), _items(given["to_items"]))
    return {
        "added": [one.id for one in found.added],
        "deleted": [one.id for one in found.deleted],
        "replaced": [[one.before.id, one.after.id, one.key] for one in found.replaced],
        "summary_lines": found.summary_lines,
        "top_changes": found.top_changes,
    }


def _request(given: Given) -> Given | None:
    state = given["state"]
    if not isinstance(state, dict) or state.get("_memory_phase_token") is None:
        return None
    name, reason = (state.get(f"_memory_phase_{key}") for key in ("name", "reason"))
    found = phase_request(str(state["_memory_phase_token"]), name, reason or "")
    return None if found is None else found._asdict()


FUNCTIONS: dict[str, Callable[[Any], Any]] = {"phase_diff": _diff, "phase_request": _request}
