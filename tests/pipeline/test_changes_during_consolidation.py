"""What is written while a model thinks about a consolidation is looked at all the same."""

from __future__ import annotations

from collections.abc import Callable

from engram.admit.judge.rule_judge import RuleJudge
from engram.model.errors import ModelAway
from engram.model.memory import Memory
from engram.model.model_request import Reply, Request
from engram.model.step import Opinion
from engram.vault import Vault
from tests.kit import reopened


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
