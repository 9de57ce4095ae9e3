"""Promotion in sentences: its event -> what was asked of a memory, and whether it holds there.

    memory_promoted, session to user  ->  "You asked for it to hold in every project"

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engram.model.item import UNKNOWN, item_id
from engram.model.promotion import BY_AGENT, PROMOTION_CONFLICT
from engram.model.trace import ITEM, PROMOTED

#: where a memory holds, by its space
_HOLDS: Mapping[str, str] = {
    "user": "in every project", "project": "in a project", "system": "for everybody",
}  # fmt: skip
_STAYS: Mapping[str, str] = {
    "promotion_disallowed": "no rule of the policy lets it",
    "promotion_event_type": "the policy's rule is not for what it is; your word waits for you in"
    " `engram review`",
    "promotion_authority": "it waits for your word in `engram review`",
    PROMOTION_CONFLICT: "what is known there stands against it; it waits in `engram review`",
}


def where_it_holds(details: Mapping[str, str]) -> str:
    """Where a memory is to hold: by the item that it became, else by the space asked for."""
    item = item_id(details.get(ITEM, ""))
    space = details.get("to_space", "") or (item.store.space if item is not None else "")
    if item is not None and space == "project" and item.store.owner != UNKNOWN:
        return f"in the project {item.store.owner}"
    return _HOLDS.get(space, f"in {space} space")


def promotion_sentence(
    name: str, details: Mapping[str, str], named: Callable[[str], str]
) -> str:  # fmt: skip
    """The sentence of a promotion, done or denied; `named` gives another memory in words."""
    who = details.get("agent") or "An agent" if details.get("by") == BY_AGENT else "You"
    asked = f"{who} asked for it to hold {where_it_holds(details)}"
    if name == PROMOTED and "to_vault" in details:
        return f"{who} promoted it into a vault that is shared with others, which has it now"
    if name == PROMOTED:
        into = details.get("into", "")
        return f"{asked}; {named(into)} says the same there, and stands for both" if into else asked
    code = details.get("code", "")
    return f"{asked}; {_STAYS.get(code, f'it stays where it is ({code})')}"
