"""The functions that outside cases name -> the product's real functions."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engram.admit.secure import injection
from engram.capture.signals import compile_signals
from engram.extract.classify import memory_kind, score_importance
from engram.model.memory import (
    at_least,
    confidence_tier,
    importance_level,
    speculative_days,
)
from engram.model.text import content_hash, normalise
from engram.model.topics import MOST, top_topics, topic_terms, totals_of
from engram.model.turn import turn_of
from engram.settings.load import shipped
from engram.store.clock import FixedClock
from engram.store.document import patch
from engram.store.memory_file import read_memory
from engram.vault import Vault

NOW = "2026-03-06T10:10:00Z"
_SIGNALS = compile_signals(shipped("signals"))


def matches(expected: Any, actual: Any) -> bool:
    """Equal; of an object only the keys that are expected count; numbers within 1e-9."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return all(key in actual and matches(value, actual[key]) for key, value in expected.items())
    if isinstance(expected, list) and isinstance(actual, (list, tuple)):
        pairs = zip(expected, actual, strict=False)
        return len(expected) == len(actual) and all(matches(a, b) for a, b in pairs)
    if isinstance(expected, float) and isinstance(actual, (int, float)):
        return abs(expected - actual) < 1e-9
    return bool(expected == actual)


@contextmanager
def vault() -> Iterator[Vault]:
    """A real vault in a temporary folder, with a clock that stands still."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {"ENGRAM_HOME": f"{folder}/home"}
        made = Vault.create(Path(folder) / "vault", environment=environment, clock=FixedClock(NOW))
        with made:
            yield made


def _scan_signals(given: dict[str, Any]) -> dict[str, Any]:
    signal = _SIGNALS.scan(given["text"])
    return {
        "level": signal.level,
        "match_count": len(signal.families),
        "families": list(signal.families),
    }


def _read_memory_file(given: dict[str, Any]) -> dict[str, Any]:
    found = read_memory("facts/2026-03-06/a.md", given["raw"].encode("utf-8"))
    readable = not any(
        "unreadable" in problem or "unclosed" in problem for problem in found.problems
    )
    return {"readable": readable, "content": found.memory.text, "tags": list(found.memory.tags)}


def _buffer_scenario(given: dict[str, Any]) -> dict[str, Any]:
    with vault() as here:
        names = {}
        for number, (verb, thread, *rest) in enumerate(given["steps"]):
            if verb == "add":
                turn = turn_of("user", rest[0], NOW, session=thread, message=str(number))
                names[thread] = turn.transcript
                here.capture([turn])
            else:
                here.extract_transcripts([names[thread]])
        counts = {waiting.transcript: waiting.turns for waiting in here.waiting()}
        return {"turns": {thread: counts.get(name, 0) for thread, name in names.items()}}


def _set_status(here: Vault, identifier: str, status: str) -> None:
    """As a consolidation, or a person, takes a memory out of the active set."""
    memory = here.library.memory(identifier)
    path = here.root / memory.path
    path.write_bytes(patch(path.read_bytes(), {"status": status}))


def _after_expiry(given: dict[str, Any]) -> dict[str, Any]:
    with vault() as here:
        first = here.remember(given["content"], category="fact")
        _set_status(here, first.memory.id, "expired")
        return {"still_blocked": here.remember(given["content"], category="fact").decision != "new"}


def _after_supersede(given: dict[str, Any]) -> dict[str, Any]:
    with vault() as here:
        first = here.remember(given["first"], category="fact")
        here.remember(given["second"], category="fact")
        _set_status(here, first.memory.id, "superseded")
        third = here.remember(given["third"], category="fact")
        return {"third_blocked": third.decision not in ("new", "supersede")}


def _top_topics(given: dict[str, Any]) -> dict[str, Any]:
    texts = given.get("documents", given.get("memories")) or []
    said = [text if isinstance(text, str) else text.get("content", "") for text in texts]
    counted = totals_of([topic_terms(text) for text in said])
    topics = top_topics(counted, len(said), given.get("topN", given.get("top_n", MOST)))
    return {
        "topics": [dataclasses.asdict(topic) for topic in topics],
        "terms": [topic.term for topic in topics],
    }


FUNCTIONS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "scan_signals": _scan_signals,
    "is_disagreement": lambda given: _SIGNALS.is_disagreement(given["text"]),
    "classify_memory_kind": lambda given: memory_kind(
        given["category"], given["content"], given.get("tags") or ()
    ),
    "confidence_tier": lambda given: confidence_tier(given["confidence"]),
    "score_importance": lambda given: {
        "level": importance_level(
            score_importance(given["content"], given["category"], given.get("tags") or ())
        )
    },
    "importance_threshold": lambda given: at_least(given["candidate"], given["threshold"]),
    "normalize_content": lambda given: normalise(given["content"]),
    "content_hash": lambda given: content_hash(given["content"]),
    "same_hash": lambda given: content_hash(given["a"]) == content_hash(given["b"]),
    "sanitize_is_clean": lambda given: injection(given["text"]) == "",
    "read_memory_file": _read_memory_file,
    "top_topics": _top_topics,
    "buffer_scenario": _buffer_scenario,
    "dedup_after_ttl_expiry": _after_expiry,
    "dedup_after_supersede": _after_supersede,
    "write_tier_and_ttl": lambda given: {
        "tier": confidence_tier(given["confidence"]),
        "ttl_days": speculative_days(given["confidence"]),
    },
}
