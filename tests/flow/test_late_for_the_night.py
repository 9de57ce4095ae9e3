"""What is written while a model thinks about a consolidation is looked at all the same."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engram.consolidate.plan import ConsolidationPlan
from engram.pipeline import flow
from engram.pipeline.ports import Ports
from engram.vault import Vault


class Thinking:
    """A Model that stands for one; nothing is asked of it here."""


def test_what_came_while_a_model_thought_is_not_missed_by_every_night(
    open_vault: Callable[..., Vault], monkeypatch: pytest.MonkeyPatch
) -> None:
    vault, other = open_vault(), open_vault()
    vault.remember("The shop uses Kubernetes.")
    vault.consolidate()
    vault.remember("The till is slow.")
    plan, told = flow.plan_night, list[str]()

    def and_meanwhile(night: flow.ConsolidationRequest, ports: Ports) -> ConsolidationPlan:
        found = plan(flow.ConsolidationRequest(night.changed, night.eventful, night.closing), ports)
        if not told:
            told.append(other.remember("The shop uses K8s.").memory.id)
        return found

    monkeypatch.setattr(flow, "plan_night", and_meanwhile)
    monkeypatch.setattr(vault, "night_model", lambda tier: Thinking())
    vault.consolidate()
    live = [one.text for one in vault.projections.catalog.memories() if one.live]
    assert told and len([text for text in live if text.startswith("The shop uses K")]) == 1
