"""The functions that outside cases name -> the product's real functions."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Any

from engram.admit.admission_context import AdmissionContext
from engram.admit.decide import admit
from engram.admit.draft import AdmissionDraft, memory_of
from engram.admit.gate.bearing import (
    CUT,
    DANGLING,
    PASSING,
    QUESTION,
    REPAIR,
    REQUEST,
    WORKING,
)
from engram.admit.gate.worth import Factors
from engram.admit.same import confirmed
from engram.admit.slot import attributes_of, overtaken
from engram.capture.signals import compile_signals
from engram.consolidate.passes.duplicates import exactly, groups
from engram.consolidate.repeated_lines import unsaid
from engram.extract.classify import memory_kind, score_importance
from engram.extract.receipt import receipt_of, verify
from engram.language.agent_orders import injection
from engram.language.anchor import anchored
from engram.language.names import find_entity
from engram.language.topics import MOST, top_topics, topic_terms
from engram.model.attributes import attribute_key, normal_part
from engram.model.candidate import TRUST, Candidate, Receipt, Voice
from engram.model.entity_ids import entity_id
from engram.model.instant import instant_of, minutes_between, plus_minutes
from engram.model.memory import (
    STATUSES,
    Memory,
    at_least,
    confidence_level,
    confidence_tier,
    importance_level,
    memory_type,
    speculative_days,
)
from engram.model.page_lines import Lines
from engram.model.ports import NothingHeard
from engram.model.retention import expiry
from engram.model.settings import BoxSettings
from engram.model.text import content_hash, jaccard, normalise
from engram.model.turn import Role, Turn, turn_of
from engram.model.validity import effective_valid_from, is_valid_as_of
from engram.model.verdict import Verdict
from engram.recall.filter import Filter
from engram.settings.load import shipped
from engram.store.files.document import patch
from engram.store.files.memory_file import read_memory
from engram.vault import Vault
from engram.weave.boxes import fold
from engram.weave.traces import join
from tests.conformance import (
    contract_functions,
    door_functions,
    item_functions,
    phase_functions,
    promotion_functions,
    record_functions,
    retention_functions,
    scenario_functions,
    triage_functions,
    window_functions,
)
from tests.conformance.vaults import NOW, vault
from tests.kit import topic_totals

EARLIER = "2026-03-01T09:00:00Z"
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
    memory = here.parts.lookup.memory(identifier)
    path = here.root / memory.path
    path.write_bytes(patch(path.read_bytes(), {"status": status}))


def _plan_exact_duplicates(given: dict[str, Any]) -> dict[str, Any]:
    found = list(groups(map(_row_memory, given["memories"]), exactly))
    gone = [loser.path for _, losers in found for loser in losers]
    return {
        "groups": len(found),
        "duplicates": len(gone),
        "keep": [survivor.path for survivor, _ in found],
        "delete": gone,
    }


def _row_memory(row: dict[str, Any]) -> Memory:
    header = row["frontmatter"]
    said = header.get("updated") or header.get("created")
    return Memory(
        id=header["id"],
        category=header.get("category", "fact"),
        text=row["content"],
        path=row.get("path", ""),
        status=header.get("status", "active"),
        created=instant_of(said) if said else "",
        confidence=header.get("confidence", 0.0),
    )


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
    counted = topic_totals([topic_terms(text) for text in said])
    topics = top_topics(counted, len(said), given.get("topN", given.get("top_n", MOST)))
    return {
        "topics": [dataclasses.asdict(topic) for topic in topics],
        "terms": [topic.term for topic in topics],
    }


def _box_builder_scenario(given: dict[str, Any]) -> dict[str, Any]:
    """Each event stands for what a whole batch taught, so that nothing ahead is waited for.

    A millisecond is played as a second, which is the finest that memories know.
    """
    config = given["config"]
    settings = BoxSettings(
        topic_shift=config["boxTopicShiftThreshold"],
        gap_minutes=config["boxTimeGapMs"] / 60,
        max_memories=config["boxMaxMemories"],
        trace_overlap=config.get("traceWeaverOverlapThreshold", 0.4),
        trace_days=1000 * config.get("traceWeaverLookbackDays", 7),
    )
    names: dict[str, str] = {}
    memories = []
    for number, event in enumerate(given["events"]):
        for place, name in enumerate(event["memoryIds"]):
            identifier = f"fact-{number:06d}-{place:06d}"
            names[identifier] = name
            created = plus_minutes("1970-01-01T00:00:00Z", event["t_ms"] / 60)
            source = f"test-000000000000#^m{number:010d}"
            tags = tuple(event["topics"])
            memories.append(
                Memory(identifier, "fact", name, created=created, tags=tags, sources=(source,))
            )
    sealed, _ = fold(memories, settings, ahead=1)
    joined = {box.id: box.trace for box in join(sealed, [], settings)}
    traces = [(names[box.memories[0]], joined[box.id]) for box in sealed]
    pairs = [([one, other], a == b) for (one, a), (other, b) in combinations(traces, 2)]
    return {
        "seal_reasons": [box.seal for box in sealed],
        "sealed_after_events": len(sealed),
        "same_trace": [pair for pair, same in pairs if same],
        "different_trace": [pair for pair, same in pairs if not same],
    }


def _profile_append(given: dict[str, Any]) -> dict[str, Any]:
    known = [bullet.text for bullet in Lines(given["existing"]).bullets()]
    updates = given["updates"]
    return {
        "bullets": [
            f"- {text}" for text in [*known, *(updates[at] for at in unsaid(known, updates))]
        ]
    }


def _memory(header: dict[str, Any]) -> Memory:
    """A memory with the fields of a header of theirs that supersession looks at."""
    entity, created = header.get("entityRef"), header.get("created", "")
    return Memory(
        id=header.get("id", "fact-1"),
        category=header.get("category", "fact"),
        text="",
        status=header.get("status", "active"),
        created=created,
        valid_from=header.get("valid_at") or "",
        valid_until=header.get("invalid_at") or "",
        status_since=header.get("supersededAt") or "",
        entities=(entity,) if entity else (),
        extra=tuple((header.get("structuredAttributes") or {}).items()),
    )


def _should_supersede(given: dict[str, Any]) -> list[str] | None:
    newer = _memory(
        {
            "id": given["newMemoryId"],
            "entityRef": given.get("newEntityRef"),
            "created": instant_of(given["newCreatedAt"]),
            "structuredAttributes": given.get("newAttributes"),
        }
    )
    older = given["candidate"]
    found = overtaken(_memory({**older, "created": instant_of(older["created"])}), newer)
    return list(found) or None


def _filter_superseded(given: dict[str, Any]) -> bool:
    """Their two switches are one here: which statuses are asked for."""
    options = given["options"]
    everything = options["includeInRecall"] or not options["enabled"]
    wanted = Filter(statuses=STATUSES if everything else ())
    return not wanted.admits(_memory(given["frontmatter"]))


#: whose words each kind of source is, and the seed's name of each refusal
_VOICES: dict[str, Voice] = {
    "user": "typed", "assistant": "agent", "command": "pasted", "file": "pasted", "web": "pasted",
}  # fmt: skip
_SCHEMAS = {
    "constraint": "fact", "runbook": "skill", "tech_debt": "commitment", "session": "moment",
}  # fmt: skip
_REASONS = {
    "no_receipt": "NO_PROVENANCE", "no-quote": "NO_PROVENANCE", "quote-not-found": "NO_PROVENANCE",
    "not_own_words": "LOW_TRUST", "program_prompt": "LOW_TRUST", "low_score": "SCORE",
    "privacy_deny_sensitive": "SECRET",
    # what the seed's score alone kept out
    **dict.fromkeys(
        (DANGLING, QUESTION, REQUEST, PASSING, REPAIR, CUT, WORKING, "trivial"), "SCORE"
    ),
}  # fmt: skip


class _Repeated(NothingHeard):
    """The person said so in another conversation."""

    def said_again(self, words: str, link: str) -> bool:
        return True


def _sourced(given: dict[str, Any]) -> list[tuple[Candidate, Turn]]:
    """A candidate for each source of a statement, the most trusted first, and its turn.

    A source that was not found said something else; what an agent said before the person took it up
    stands beside the person's words.
    """
    sources = sorted(
        given["sources"], key=lambda one: (not one["found"], -TRUST[_VOICES[one["kind"]]])
    )
    said: list[tuple[Turn, dict[str, Any]]] = []
    for one in sources:
        role: Role = "assistant" if one["kind"] == "assistant" else "user"
        text = one["snippet"] if one["found"] else ""
        said.append((turn_of(role, text, NOW, session=one["ident"]), one))
    taken = tuple(
        receipt_of(turn, one["snippet"]) for turn, one in said if one["kind"] == "assistant"
    )
    found = []
    for turn, one in said:
        typed = one["kind"] == "user"
        candidate = Candidate(
            category=_SCHEMAS.get(given["category"], given["category"]),
            text=given["statement"],
            receipt=receipt_of(turn, one["snippet"]),
            confidence=0.8,
            schema=given["category"] if given["category"] in _SCHEMAS else "",
            entities=tuple(entity_id(name, "person") for name in given["entities"]),
            authority="user_asserted" if typed else "ai_inferred",
            origin="rules" if typed else "model",
            corrects=typed and given["category"] == "correction",
            voice=_VOICES[one["kind"]],
            sentence=f"{one['snippet']} {given['user_text']}".strip(),
            also=taken if typed else (),
        )
        found.append((candidate, turn))
    nothing = Receipt("", "", "", "user", NOW)
    unsourced = Candidate("fact", given["statement"], nothing, 0.8)
    return found or [(unsourced, turn_of("user", "", NOW))]


def _write_filter(given: dict[str, Any]) -> dict[str, Any]:
    """A statement through the decider, its first source first; the others say the same again."""
    with vault() as here:
        ports, terms = here.parts, here.parts.terms
        draft = AdmissionDraft(ports.view, ports.terms, NOW)
        context = AdmissionContext(
            draft.view, ports.redactor.clean, ports.settings, NOW,
            heard=_Repeated() if given["repeated"] else NothingHeard(),
        )  # fmt: skip
        known = [("entity", name, (entity_id(name, "person"),)) for name in given["entities"]]
        known += [("fact", text, ()) for text in given["existing"]]
        for category, text, entities in known:
            receipt = receipt_of(turn_of("user", text, EARLIER, session="before"), text)
            held = Candidate(category, text, receipt, 0.8, entities=entities)
            draft.enter(Verdict("new", "new", replace(held, authority="user_asserted")))
        (first, turn), *others = _sourced(given)
        turns = [turn, *(turn for _, turn in others)]
        code = verify(first, turns) if first.receipt.link else ""
        verdict = Verdict("refuse", code, first) if code else admit(first, context)
        memory = draft.enter(verdict)
        for candidate, _ in others:
            if memory is not None and not verify(candidate, turns):
                memory = confirmed(memory, candidate, NOW, terms)
        decided = memory or memory_of(first)
        factors, end = dict(verdict.factors), expiry(decided, NOW, terms)
        return {
            "verdict": {"refuse": "reject", "same": "duplicate"}.get(verdict.decision, "persist"),
            "reason": _reason(verdict),
            "status": decided.status,
            "confidence": confidence_level(decided.confidence),
            "type": memory_type(decided.category, decided.schema),
            "ttl_days": minutes_between(f"{NOW[:10]}T00:00:00Z", f"{end}T00:00:00Z") // (24 * 60),
            "score": Factors(**factors).score if factors else None,
            **factors,
        }


def _reason(verdict: Verdict) -> str:
    """The seed's name of a verdict's code."""
    if verdict.decision == "review":
        return f"CONFLICT_{verdict.code.upper()}"
    if verdict.decision != "refuse":
        return "CORROBORATES" if verdict.decision == "same" else "OK"
    if verdict.code.startswith("injection"):
        return "INJECTION"
    return _REASONS.get(verdict.code, verdict.code.upper())


FUNCTIONS: dict[str, Callable[[dict[str, Any]], Any]] = {
    **triage_functions.FUNCTIONS,
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
    "anchor_temporal": lambda given: anchored(given["fact"], given["now"]),
    "profile_append": _profile_append,
    "normalize_supersession_key": lambda given: normal_part(given["raw"]),
    "compute_supersession_key": lambda given: attribute_key(
        given.get("entityRef"), given.get("attribute") or ""
    ),
    "supersession_keys": lambda given: sorted(attributes_of(_memory(given))),
    "should_supersede": _should_supersede,
    "filter_superseded": _filter_superseded,
    "effective_valid_at": lambda given: effective_valid_from(_memory(given["frontmatter"])),
    "is_valid_as_of": lambda given: is_valid_as_of(_memory(given["frontmatter"]), given["as_of"]),
    "sanitize_is_clean": lambda given: injection(given["text"]) == "",
    "normalize_entity_name": lambda given: entity_id(given["name"], given["type"]),
    "find_matching_entity": lambda given: find_entity(
        given["name"], given["type"], given["existing"]
    ),
    "read_memory_file": _read_memory_file,
    "top_topics": _top_topics,
    "buffer_scenario": _buffer_scenario,
    "topic_overlap": lambda given: round(jaccard(given["a"], given["b"]), 6),
    "box_builder_scenario": _box_builder_scenario,
    "plan_exact_duplicates": _plan_exact_duplicates,
    "dedup_after_ttl_expiry": _after_expiry,
    "dedup_after_supersede": _after_supersede,
    "write_filter": _write_filter,
    "write_tier_and_ttl": lambda given: {
        "tier": confidence_tier(given["confidence"]),
        "ttl_days": speculative_days(given["confidence"]),
    },
    **record_functions.FUNCTIONS,
    **window_functions.FUNCTIONS,
    **contract_functions.FUNCTIONS,
    **door_functions.FUNCTIONS,
    **item_functions.FUNCTIONS,
    **phase_functions.FUNCTIONS,
    **promotion_functions.FUNCTIONS,
    **retention_functions.FUNCTIONS,
    **scenario_functions.FUNCTIONS,
}
