"""A vault that holds what `audit_memories.toml` says, as an older version would have left it."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from engram.admit.draft import AdmissionDraft
from engram.extract.receipt import receipt_of
from engram.model.candidate import Candidate
from engram.model.change import Plan
from engram.model.turn import Role, Turn, turn_of
from engram.model.verdict import Verdict
from engram.vault import Vault
from tests.kit import Cheap, reopened

_ROLES: dict[str, Role] = {"u": "user", "a": "assistant"}


@dataclass(frozen=True, slots=True)
class Judged:
    """One memory, the row that is to name it ('' for none), and what it was made of."""

    number: int
    half: str
    row: str
    said: tuple[str, ...]
    text: str
    category: str
    of: int = 0
    quote: str = ""
    origin: Literal["rules", "model"] = "rules"
    beside: str = ""

    @property
    def session(self) -> str:
        return f"judged-{self.number}"


def judged_memories() -> list[Judged]:
    """Every row of the table."""
    table = Path(__file__).with_name("audit_memories.toml").read_text("utf-8")
    return [
        Judged(
            number, row["half"], row["row"], tuple(row["said"]), row["text"], row["category"],
            row.get("of", 0), row.get("quote", ""), row.get("origin", "rules"), row.get("with", ""),
        )
        for number, row in enumerate(tomllib.loads(table)["memory"])
    ]  # fmt: skip


class Silent(Cheap):
    """An Extractor that finds nothing: what the vault holds is what the table says."""

    def extract(self, turns: Sequence[Turn]) -> list[Candidate]:
        return []


def hold(vault: Vault, memories: Sequence[Judged]) -> dict[str, Judged]:
    """Write these memories past today's gate, each with the turns around it; they by their ids."""
    reopened(vault, extractor=Silent())
    # whatever is captured may lead to a consolidation: all is said before anything is written
    said = [(one, _said(vault, one, one.session, one.said, day=2)) for one in memories]
    known = [
        (one, _said(vault, one, f"beside-{one.number}", [f"u: {one.beside}"], day=1)[0])
        for one in memories
        if one.beside
    ]
    for one, turn in known:
        _write(vault, one, turn, one.beside, "", "rules")
    found = {
        _write(vault, one, turns[one.of], one.text, one.quote, one.origin): one
        for one, turns in said
    }
    vault.ready_to_read()
    return found


def _said(
    vault: Vault, one: Judged, session: str, said: Sequence[str], *, day: int
) -> list[Turn]:  # fmt: skip
    turns = []
    for at, line in enumerate(said):
        speaker, _, text = line.partition(": ")
        hour, minute = divmod(one.number * 10 + at, 60)
        turns.append(
            turn_of(
                _ROLES[speaker], text, f"2026-01-{day:02d}T{hour:02d}:{minute:02d}:00Z",
                source="test", session=session, project="shop", message=f"{session}-{at}",
            )
        )  # fmt: skip
    vault.capture(turns)
    ranges, *_ = vault.parts.turns.pending(turns[0].transcript)
    vault.parts.committer.commit(Plan("extract", ack=tuple(ranges)))
    links = [f"{turn.transcript}#^{turn.block}" for turn in turns]
    captured = vault.parts.lookup.turns(links)
    return [captured[link] for link in links]


def _write(
    vault: Vault, one: Judged, turn: Turn, text: str, quote: str, origin: Literal["rules", "model"]
) -> str:
    """The id of the memory."""
    candidate = Candidate(
        one.category, text, receipt_of(turn, quote or turn.text), 0.8, project="shop",
        origin=origin, rule="" if origin == "model" else "old",
    )  # fmt: skip
    draft = AdmissionDraft(vault.parts.view, vault.parts.terms, vault.clock.now())
    memory = draft.enter(Verdict("new", "new", candidate))
    assert memory is not None
    changes = vault.parts.writer.changes(draft.born, draft.amended)
    vault.parts.committer.commit(Plan("extract", tuple(changes), tuple(draft.events)))
    return memory.id
