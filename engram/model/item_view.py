"""Item views: a memory -> MemoryItem, as seed 002 describes it; and what every view shares.

    memory, item id, tick  ->  eight fields; meta: file, event_type, authority, space, owner, ...

What the store cannot tell (score, reasons of a recall, tags of the policy, phase) is handed in and
stands last. The dedup key of a long text is a digest, and one for a log always is: a text that was
refused must not stand there under another name. Pure.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from engram.model.item import MemoryItem, event_type_of, kind_of, store_of_memory
from engram.model.promotion import PROMOTED_FROM, PROMOTION_REASON, PROMOTION_TARGET
from engram.model.text import sha256_text

if TYPE_CHECKING:
    from engram.model.memory import Memory

#: what an item of a source is worth believing; whatever else there is speaks for the system
_AUTHORITY_OF_SOURCE = {"user": "user_asserted", "ai": "ai_inferred", "tool": "tool_verified"}
_SYSTEM = ("system", "system_imposed")
#: importance by the contract: of the event, and one more for each of the reasons
_BASE = {"fact": 4, "correction": 4, "preference": 3, "decision": 3, "execution": 2, "context": 1}
_EMPHASIS = re.compile(r"\b(?:always|never|must|avoid)\b", re.IGNORECASE)
#: the highest that its scale is made for
TOP_IMPORTANCE = 6
#: what letters and digits are of ASCII
_ASCII_WORD = re.compile(r"[a-z0-9]+")
#: the most characters of a text that stand in a dedup key, and the digits of a digest
_LONGEST, _DIGEST = 64, 16


class ScoredImportance(NamedTuple):
    """0 to 7, and the rules that made it."""

    score: int
    reasons: tuple[str, ...]


def importance_of(event_type: str, source: str, text: str) -> ScoredImportance:
    """The importance of an utterance; an unknown event type counts 0 and is called `unknown`."""
    score, reasons = _BASE.get(event_type, 0), [f"event:{_known(event_type)}"]
    bonuses = (
        (source == "user", "source:user"),
        (_EMPHASIS.search(text) is not None, "emphasis"),
        (event_type == "correction", "corrective"),
    )
    reasons += [reason for holds, reason in bonuses if holds]
    return ScoredImportance(score + len(reasons) - 1, tuple(reasons))


def _known(event_type: str) -> str:
    return event_type if event_type in _BASE else "unknown"


def authority_of_source(source: str) -> str:
    """The authority of a source: user, ai, tool, or anything else for the system."""
    return _AUTHORITY_OF_SOURCE.get(source, _SYSTEM[1])


def source_of_authority(authority: str) -> str:
    """The source that an authority stands for: user, ai, tool or system."""
    named = {told: source for source, told in (*_AUTHORITY_OF_SOURCE.items(), _SYSTEM)}
    return named.get(authority, "ai")


def dedup_key(event_type: str, text: str, slot: str = "", *, logged: bool = False) -> str:
    """`fact:<slot>`, else `<event type>:<normalised text>`, a digest of it where that is long.

    In a log (`logged`) it is always a digest of the text.
    """
    if slot:
        return f"fact:{slot}"
    told = _bare(text)
    if logged or len(told) > _LONGEST:
        told = f"sha256-{sha256_text(told)[:_DIGEST]}"
    return f"{event_type}:{told}"


def _bare(text: str) -> str:
    """Letters, digits and their marks, case folded; of a text without any its signs."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    if folded.isascii():  # the same at once
        return " ".join(_ASCII_WORD.findall(folded)) or " ".join(folded.split())
    signs = (sign if unicodedata.category(sign)[0] in "LMN" else " " for sign in folded)
    return " ".join("".join(signs).split()) or " ".join(folded.split())


def memory_item(
    memory: Memory, identifier: str = "", tick: int = 0, given: Mapping[str, object] | None = None
) -> MemoryItem:
    """The item of a memory; one that has no number yet is called by its file's id.

    `given` is the rest of its meta: score, reasons, tags, phase.
    """
    event_type = event_type_of(memory.category, memory.schema)
    source, store = source_of_authority(memory.authority), store_of_memory(memory)
    extras = memory.extras
    meta: Mapping[str, object] = {
        "file": memory.id,
        "event_type": event_type,
        "importance_reason": importance_of(event_type, source, memory.text).reasons,
        "authority": memory.authority,
        "authority_reason": f"source:{source}",
        "space": store.space,
        "owner": store.owner,
        "key": memory.key,
        "dedup_key": dedup_key(event_type, memory.text, memory.key),
        "source_turn_ids": memory.sources,
        "promotion_target": extras.get(PROMOTION_TARGET, ""),
        "promoted_from": extras.get(PROMOTED_FROM, ""),
        "promotion_reason": extras.get(PROMOTION_REASON, ""),
        **(given or {}),
    }
    stated = {name: value for name, value in meta.items() if value not in ("", ())}
    return MemoryItem(
        identifier or memory.id, kind_of(memory.key), memory.text, source, tick,
        memory.importance, meta=stated,
    )  # fmt: skip


def item_row(item: MemoryItem) -> dict[str, object]:
    """An item as JSON has it: its fields in the order of seed 002, lists for tuples."""
    return {
        "id": item.id, "kind": item.kind, "text": item.text, "source": item.source,
        "created_at": item.created_at, "importance": item.importance, "scope": item.scope,
        "meta": listed(item.meta),
    }  # fmt: skip


def listed(meta: Mapping[str, object]) -> dict[str, object]:
    """The meta of an item as JSON has it: lists for tuples."""
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in meta.items()
    }
