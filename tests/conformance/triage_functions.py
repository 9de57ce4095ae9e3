"""The functions of triage that outside cases name -> the product's real functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engram.extract.conversation_lines import ConversationLine
from engram.extract.excerpt import merged_ranges, shown_block
from engram.extract.triage import compile_triage, score_lines, score_session, triage
from engram.model.turn import turn_of
from engram.settings.shipped import shipped

_PATTERNS = compile_triage(shipped("records"))


def _score_category(given: dict[str, Any]) -> dict[str, Any]:
    lines = [ConversationLine(0, line, line) for line in given["lines"]]
    one = next(x for x in score_lines(lines, _PATTERNS) if x.schema == given["category"])
    return {
        "primary": one.plain,
        "boosted": one.boosted,
        "score": one.score,
        "score_gt": 0 if one.score > 0 else None,
        "triggers": one.triggers,
    }


def _score_session(given: dict[str, Any]) -> dict[str, Any]:
    one = score_session(given["tool_uses"], given["distinct_tools"], given["exchanges"], _PATTERNS)
    return {"score": one.score, "triggers": one.triggers}


def _block(given: dict[str, Any]) -> dict[str, Any]:
    said = f"We decided on oak because of {given['transcript_contains']} it."
    turns = [turn_of("user", said, "2026-03-06T10:10:00Z", message=str(n)) for n in range(3)]
    block = shown_block(triage(turns, _PATTERNS), turns)
    assert given["transcript_contains"] in block
    return {"close_tags": block.count(f"</{block.partition('>')[0][1:]}>")}


FUNCTIONS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "score_category": _score_category,
    "score_session_summary": _score_session,
    "context_excerpt_ranges": lambda given: merged_ranges(
        given["match_lines"], given["line_count"], given["window"]
    ),
    "context_block": _block,
}
