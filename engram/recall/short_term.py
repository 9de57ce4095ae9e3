"""Short-term memory: the turns of one session -> its last messages and a summary of those before.

    turns, oldest first  ->  [summary], message, message, ...  as items of kind `short_term`

Nothing of it is stored: the same turns give the same items. An item's number is the place of its
turn among all that were ever captured of the conversation, so that a purged turn moves none; the
summary is number 0. Words of turns stand in it as they were captured, redacted. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from engram.language.turn_event import event_of_turn
from engram.model.item import ItemId, MemoryItem, Store, store_of
from engram.model.item_view import (
    TOP_IMPORTANCE,
    authority_of_source,
    dedup_key,
    importance_of,
)
from engram.model.turn import Turn

_SUMMARY = 0
#: of the summary: lines, characters of a line and of the whole
_LINES, _LINE, _WHOLE = 6, 80, 240


class SessionTurn(NamedTuple):
    """A turn, its place in its conversation from 1, and its tick."""

    turn: Turn
    place: int
    tick: int


def short_term(turns: Sequence[SessionTurn], most: int) -> tuple[MemoryItem, ...]:
    """The last `most` turns as items, after the summary of all before them; none for `most` 0.

    The summary shows what left the window last, after a word of what had left it before.
    """
    if most <= 0:
        return ()
    older, kept = turns[:-most], turns[-most:]
    messages = tuple(map(_message, kept))
    return (_summary(older), *messages) if older else messages


def _message(spoken: SessionTurn) -> MemoryItem:
    turn = spoken.turn
    source = _source(turn)
    event_type = event_of_turn(turn.text, used_tools=bool(turn.tools))
    scored = importance_of(event_type, source, turn.text)
    # what another person says is no assertion of the owner's
    of_owner = turn.role != "participant"
    store = _store(turn)
    meta = {
        "event_type": event_type,
        "importance_reason": scored.reasons,
        "authority": authority_of_source(source) if of_owner else authority_of_source("ai"),
        "authority_reason": f"source:{source if of_owner else turn.role}",
        "space": store.space,
        "owner": store.owner,
        "dedup_key": dedup_key(event_type, turn.text),
        "source_turn_ids": (f"{turn.transcript}#^{turn.block}",),
    }
    importance = round(min(scored.score / TOP_IMPORTANCE, 1.0), 3)
    return MemoryItem(_id(spoken), "short_term", turn.text, source, spoken.tick, importance,
                      meta=meta)  # fmt: skip


def _summary(older: Sequence[SessionTurn]) -> MemoryItem:
    first, last = older[:-_LINES], older[-_LINES:]
    said = summary_text(_lines(last), summary_text(_lines(first[-_LINES:])))
    store = _store(last[-1].turn)
    meta = {
        "event_type": "context",
        "importance_reason": ("event:context", "summary"),
        "authority": authority_of_source("system"),
        "authority_reason": "summary",
        "space": store.space,
        "owner": store.owner,
        "dedup_key": dedup_key("context", said),
        "summary_of": tuple(map(_id, older)),
    }
    name = str(ItemId(store, "short_term", _SUMMARY))
    return MemoryItem(name, "short_term", said, "system", last[-1].tick,
                      round(1 / TOP_IMPORTANCE, 3), meta=meta)  # fmt: skip


def summary_text(lines: Sequence[tuple[str, str]], earlier: str = "") -> str:
    """The summary of `(source, text)` that left the window, after an earlier summary.

    At most six lines of 80 characters each, 240 in all; what is cut ends in "...".
    """
    parts = [f"Earlier: {_cut(earlier, _LINE)}"] if earlier else []
    parts += [f"{source}: {_cut(text, _LINE)}" for source, text in lines[:_LINES]]
    return _cut(" | ".join(parts), _WHOLE)


def _lines(turns: Sequence[SessionTurn]) -> list[tuple[str, str]]:
    return [(_source(one.turn), one.turn.text) for one in turns]


def _source(turn: Turn) -> str:
    return "user" if turn.by_person else "ai"


def _store(turn: Turn) -> Store:
    return store_of("session", turn.project, turn.transcript)


def _id(spoken: SessionTurn) -> str:
    return str(ItemId(_store(spoken.turn), "short_term", spoken.place))


def _cut(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[:most].rstrip()}..."
