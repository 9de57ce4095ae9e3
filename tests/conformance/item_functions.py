"""Items of the memory contract: the functions that outside cases name -> the real functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engram.language.profile_facts import fact_of
from engram.language.turn_event import event_of_turn
from engram.model.change import Event
from engram.model.errors import BadInput
from engram.model.given import recall_hash
from engram.model.item import check_item, normal_owner
from engram.model.item_view import authority_of_source, dedup_key, importance_of
from engram.model.numbering import numbered
from engram.model.trace import ITEM, KIND, STORE, WRITE
from engram.model.traced_text import traced_text
from engram.recall.short_term import summary_text

Given = dict[str, Any]


def _fact(given: Given) -> Given | None:
    found = fact_of(given["text"])
    if found is None:
        return None
    return found._asdict() | {"reason": f"pattern:{found.key}"}


def _importance(given: Given) -> Given:
    found = importance_of(given["event_type"], given["source"], given["text"])
    return {"importance": found.score, "importance_reason": list(found.reasons)}


def _item_ids(given: Given) -> list[str]:
    """Each call is about one candidate of a store and a kind."""
    calls = [
        Event(WRITE, f"fact-{n}", ((STORE, store), (KIND, kind)))
        for n, (store, kind) in enumerate(given["calls"])
    ]
    events, _ = numbered(calls, 0, lambda store, kind: 0)
    return [dict(event.details)[ITEM] for event in events]


def _checked(given: Given) -> str:
    try:
        check_item(given)
    except BadInput:
        return "error"
    return "ok"


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "classify": lambda given: event_of_turn(given["text"], used_tools=given["has_tool_events"]),
    "fact_extract": _fact,
    "importance": _importance,
    "dedup_key": lambda given: dedup_key(given["event_type"], given["text"]),
    "normalize_owner": lambda given: normal_owner(given["value"]),
    "item_id": _item_ids,
    "validate_item": _checked,
    "authority_for_source": lambda given: {
        "authority": authority_of_source(given["source"]),
        "authority_reason": f"source:{given['source']}",
    },
    "short_term_summary": lambda given: summary_text(
        [(source, text) for source, text in given["items"]], given["prior_summary"] or ""
    ),
    "recall_hash": lambda given: recall_hash([(one["kind"], one["id"]) for one in given["items"]]),
    "trace_redact": lambda given: traced_text(given["value"]),
}
