"""Whole runs of the memory contract: turns -> what was given, written and logged, by a real vault.

Each turn asks `recall` as an agent does, is captured with its answer, and is read by the rules,
under the preset `contract`. What comes out has the form of the cases: ids, ticks, reasons, hash and
events in their order, as `events` tells them. Nothing is made up that the vault does not log.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from engram.model.contract_event import ContractEvent
from engram.model.errors import EngramError
from engram.model.given import Reader
from engram.model.instant import plus_minutes
from engram.model.item import store_of
from engram.model.item_view import importance_of
from engram.model.trace import BORDER_CHECK, CONTRACT_EVENTS, PHASE_DIFF, RECALL, WRITE
from engram.model.turn import turn_of
from engram.vault import Vault
from tests.conformance.vaults import NOW
from tests.kit import LIGHT
from tests.life import MovingClock

_SESSION = "scenario"
_FIELDS = (
    "action", "allowed", "from_space", "to_space", "reason", "subject_id", "memory_id", "phase_id",
    "replaced_by", "winner_id", "loser_id", "rule", "dedup_key", "from_id", "to_id",
    "authority_used", "added_count", "deleted_count", "replaced_count",
)  # fmt: skip


def _scenario(given: dict[str, Any]) -> list[dict[str, Any]]:
    with TemporaryDirectory() as folder:
        home = Path(folder, "home")
        home.mkdir()
        policy = f'preset = "contract"\nshort_term = {given["short_term"]}\n'
        (home / "policy.toml").write_text(policy, encoding="utf-8")
        clock = MovingClock(NOW)
        environment = {**os.environ, "ENGRAM_HOME": str(home), "HOME": folder}
        path = Path(folder, "vault")
        with Vault.create(path, environment=environment, clock=clock, adapters=LIGHT) as vault:
            return list(_played(vault, clock, given))


def _played(vault: Vault, clock: MovingClock, given: dict[str, Any]) -> Iterable[dict[str, Any]]:
    transcript = turn_of("user", "", NOW, source="agent", session=_SESSION).transcript
    store, seen = store_of("session", "", transcript), 0
    for said in given["turns"]:
        clock.instant = plus_minutes(clock.instant, 1)
        if isinstance(said, dict):
            _phases(vault, store, said)
            continue
        vault.recall(said, reader=Reader("agent", transcript))
        turns = [
            turn_of(role, text, clock.instant, source="agent", session=_SESSION)  # type: ignore[arg-type]
            for role, text in (("user", said), ("assistant", given["ai_output"]))
        ]
        vault.capture(turns)
        vault.flush()
        every = [one for one in vault.events(10_000) if one.type in CONTRACT_EVENTS]
        fresh, seen = every[seen:], len(every)
        yield _told(said, fresh, vault.parts.committer.tick)


def _phases(vault: Vault, store: Any, state: Mapping[str, str]) -> None:
    try:
        if "_memory_phase_token" in state:
            vault.start_phase(store, state["_memory_phase_token"])
        else:
            names = state["_memory_phase_diff_from"], state["_memory_phase_diff_to"]
            vault.phase_diff(store, names)
    except EngramError:
        return  # a phase that there is not yet


def _told(said: str, events: list[ContractEvent], tick: int) -> dict[str, Any]:
    recall = next((one for one in events if one.type == RECALL), None)
    fields: Mapping[str, Any] = recall.fields if recall else {}
    reads = [one for one in events if one.fields.get("action") == "read"]
    written = [row for one in events if one.type == WRITE for row in one.fields["written"]]  # type: ignore[attr-defined]
    others = [one for one in events if one.type not in (RECALL, WRITE) and one not in reads]
    return {
        "turn": said,
        "clock_after": tick,
        "recalled": [
            [row["id"], row["created_at"], _importance(row), row["meta"].get("recall_reason", [])]
            for row in fields.get("recalled", [])
        ],
        "recall_hash": fields.get("deterministic_hash", ""),
        "recall_events": [_row(one) for one in reads],
        "written": [
            [row["id"], row["created_at"], _importance(row), row["meta"]["event_type"],
             row["meta"]["authority"]]
            for row in written
        ],
        "write_events": [_row(one) for one in others],
    }  # fmt: skip


def _importance(row: Mapping[str, Any]) -> int:
    """As the contract counts it, 0 to 6."""
    return importance_of(row["meta"]["event_type"], row["source"], row["text"]).score


def _row(event: ContractEvent) -> dict[str, Any]:
    wanted = (name for name in _FIELDS if name in event.fields)
    found = {"type": event.type} | {name: event.fields[name] for name in wanted}
    if event.type not in (BORDER_CHECK, PHASE_DIFF):
        found = {name: value for name, value in found.items() if name != "allowed"}
    return found


FUNCTIONS: dict[str, Callable[[Any], Any]] = {"scenario": _scenario}
