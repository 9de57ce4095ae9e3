"""What is written while a model thinks about a consolidation is looked at all the same.

What is purged, forgotten or edited while it thinks is told by nothing that the consolidation makes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engram.admit.judge.rule_judge import RuleJudge
from engram.model.errors import ModelAway
from engram.model.memory import Memory
from engram.model.model_request import Reply, Request, Usage
from engram.model.step import Opinion
from engram.store.base import layout
from engram.vault import Vault
from tests.kit import files, reopened, where


class Thinking:
    """A Model that never answers."""

    def ask(self, request: Request) -> Reply:
        raise ModelAway("unreachable", "nobody answers")


class Meanwhile(RuleJudge):
    """A judge during whose first comparison something else happens."""

    def __init__(self, deed: Callable[[], object]) -> None:
        super().__init__()
        self._deeds = [deed]

    def compare(self, older: Memory, newer: Memory) -> Opinion:
        while self._deeds:
            self._deeds.pop()()
        return super().compare(older, newer)


def test_what_came_while_a_model_thought_is_not_missed_by_every_consolidation(
    open_vault: Callable[..., Vault],
) -> None:
    vault, other = open_vault(), open_vault(now="2026-03-06T13:00:00Z")
    vault.remember("The shop uses Kubernetes.")
    vault.remember("I prefer dark tea in the shop.", category="preference")
    vault.consolidate()
    other.remember("I prefer dark tea with milk.", category="preference")
    judge = Meanwhile(lambda: other.remember("The shop uses K8s."))
    reopened(vault, model=Thinking(), judge=judge)
    vault.consolidate()
    live = [one.text for one in vault.parts.catalog.memories() if one.live]
    assert not judge._deeds
    assert len([text for text in live if text.startswith("The shop uses K")]) == 1


# -- what goes while a model thinks ----------------------------------------------------------------

GONE = "The ledger of the shop uses Postgres for its zwiebel orders."
TOLD = (
    GONE,
    "The ledger of the shop uses Postgres on the old server.",
    "The ledger of the shop uses Postgres 16 since March.",
    "The nightly backup of the ledger runs at two.",
    "The nightly backup of the ledger is kept for thirty days.",
)
#: said later, so that there is a pair to ask about
LATER = "The ledger of the shop uses MySQL for its orders."
#: what is asked for by each prompt -> an answer that repeats the memory
REPEATS: dict[str, object] = {
    "synthesis": {"synthesis": GONE},
    "pairs": {"pairs": [
        {"pair": pair, "older": f"m{2 * pair - 1}", "newer": f"m{2 * pair}", "replaced": "",
         "relation": "unrelated", "confidence": "high", "reason": "no zwiebel orders"}
        for pair in range(1, 11)
    ]},
    "summary": {
        "summary": [{"text": "Zwiebel orders are in Postgres.", "sources": ["m1"]}],
        "key_facts": [{"text": GONE, "sources": ["m1"]}], "decisions": [], "replaced": [],
    },
}  # fmt: skip


class Interrupted:
    """A Model that repeats what it is given; during its first question of a kind a deed is done."""

    def __init__(self, kind: str, deed: Callable[[], object]) -> None:
        self._kind, self._deeds = kind, [deed]

    @property
    def done(self) -> bool:
        return not self._deeds

    def ask(self, request: Request) -> Reply:
        kind = next((one for one in REPEATS if one in request.schema["properties"]), "")
        while kind == self._kind and self._deeds:
            self._deeds.pop()()
        return Reply(REPEATS.get(kind, {}), "test", "echo-1", Usage())


def _edit(vault: Vault, name: str) -> None:
    path = vault.root / vault.memory(name).path
    path.write_text(path.read_text("utf-8").replace("zwiebel", "other"), "utf-8")


def _while(
    kind: str, deed: Callable[[Vault, str], object], open_vault: Callable[..., Vault]
) -> Vault:
    """The vault after a consolidation, during whose question a memory is dealt with elsewhere."""
    vault = open_vault()
    name, *_ = [vault.remember(text).memory.id for text in TOLD]
    open_vault(now="2026-03-06T13:00:00Z").remember(LATER)
    model = Interrupted(kind, lambda: deed(open_vault(), name))
    reopened(vault, model=model)
    vault.consolidate()
    assert model.done, "it was asked"
    assert len([one for one in vault.log(99) if one.kind == "consolidate"]) <= 2
    return vault


@pytest.mark.parametrize("kind", REPEATS)
def test_what_is_purged_while_a_model_thinks_is_nowhere_afterwards(
    kind: str, open_vault: Callable[..., Vault], tmp_path: Path
) -> None:
    vault = _while(kind, lambda other, name: other.purge(name), open_vault)
    assert where(tmp_path, "zwiebel") == []
    assert vault.parts.view.entity("tool-postgres") is not None, "the others have their pages"
    assert vault.search("zwiebel").hits == [] and vault.doctor() == []
    assert vault.consolidate(tier="rules", full=True).steps == ()


@pytest.mark.parametrize("kind", REPEATS)
@pytest.mark.parametrize("deed", [lambda other, name: other.forget(name), _edit])
def test_what_is_forgotten_or_edited_while_a_model_thinks_stands_on_no_page(
    deed: Callable[[Vault, str], object], kind: str, open_vault: Callable[..., Vault]
) -> None:
    vault = _while(kind, deed, open_vault)
    assert len(list(files(vault.root / layout.BOXES))) == 2
    pages = (layout.BOXES, layout.ENTITIES, layout.SUMMARIES, layout.PROFILE)
    # what was said stays said: a box names the first words of its conversation
    told = [one for one in where(vault.root, "zwiebel") if one.startswith(pages)]
    assert told == [] or (deed is _edit and all(one.startswith(layout.BOXES) for one in told))
    assert vault.doctor() == [] and vault.consolidate(tier="rules", full=True).steps == ()
