"""Records that a model drafts of a live conversation: asked once, admitted with the session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from engram.model.errors import BudgetExceeded
from engram.model.instant import plus_minutes
from engram.model.memory import Memory, schema_name
from engram.model.model_request import Reply, Request, Usage
from engram.model.turn import Turn, turn_of
from engram.vault import Adapters, Vault
from tests.kit import LIGHT, reopened

START = "2026-03-06T10:00:00Z"
CHOSEN = "We decided to use Postgres instead of SQLite because two writers need it."
LIMIT = (
    "The payment provider must not be called more than 100 times a minute, that is a hard limit."
)
SAID = (
    "Make the till write its orders to a database.",
    "Which one?",
    CHOSEN,
    "Noted.",
    LIMIT,
    "Added the orders table, with a limit on calls of the provider.",
)
DECISION = {
    "action": "create",
    "decision": "The shop uses Postgres instead of SQLite.",
    "quotes": [{"quote": CHOSEN, "turn": 3}],
    "status": "accepted",
    "context": "The till writes its orders to a database.",
    "rationale": ["two writers need it"],
    "consequences": ["the nightly backup grows to 40 GB"],
    "tags": ["postgres", "sqlite"],
}
CONSTRAINT = {
    "action": "create",
    "rule": "The payment provider must not be called more than 100 times a minute.",
    "quotes": [{"quote": LIMIT, "turn": 5}],
    "kind": "limitation",
    "severity": "high",
    "active": True,
    "impact": ["a limit on calls of the provider"],
    "tags": ["payment", "provider"],
}
DRAFTED = ("decision", "constraint")


class RecordedRecords:
    """Stored answers to the questions about records; `checks` is the verdict on the decision."""

    def __init__(self, check: str = "pass") -> None:
        self.asked: list[Request] = []
        self.check = check
        self.poor = False

    def ask(self, request: Request) -> Reply:
        self.asked.append(request)
        if self.poor:
            raise BudgetExceeded("the limit of the day is reached", "wait until tomorrow")
        value: Any = {"records": {"decision": [DECISION], "constraint": [CONSTRAINT]}}
        if request.key == "checks":
            value = {"checks": [{"draft": "d1", "verdict": self.check, "reason": "no"}]}
        elif request.key != "records":
            value = {"facts": []}
        return Reply(value, "fake", "fake", Usage())

    def keys(self) -> list[str]:
        """What was asked about records."""
        return [one.key for one in self.asked if one.key in ("records", "checks")]


@pytest.fixture
def adapters() -> Adapters:
    """The index in memory."""
    return LIGHT


def said(*texts: str, first: int = 0) -> list[Turn]:
    """Turns of the person and of an agent by turns, a minute apart."""
    return [
        turn_of(
            "assistant" if number % 2 else "user", text, plus_minutes(START, number),
            source="claude-code", session="s", project="shop", message=str(number),
        )
        for number, text in enumerate(texts, first)
    ]  # fmt: skip


def closed(open_vault: Callable[..., Vault], model: RecordedRecords, *, verify: str = "") -> Vault:
    """A vault that a model reads, with one live conversation that fell silent."""
    vault = open_vault(now=plus_minutes(START, 120))
    settings = vault.parts.settings
    settings = settings._replace(llm=settings.llm._replace(verify_model=verify))
    low = settings.records._replace(thresholds=tuple((name, 0.2) for name in DRAFTED))
    settings = settings._replace(records=low)
    vault = reopened(vault, model=model, settings=settings)
    vault.capture(said(*SAID))
    vault.seal_boxes()
    return vault


def records(vault: Vault) -> dict[str, Memory]:
    """The memories that a draft names, by the schema of the draft."""
    found = {}
    for one in vault.parts.catalog.memories():
        if (name := schema_name(one)) in (*DRAFTED, "session"):
            found[name] = one
    return found


def test_drafts_are_admitted_in_the_transaction_of_the_closing(
    open_vault: Callable[..., Vault],
) -> None:
    model = RecordedRecords()
    vault = closed(open_vault, model)
    assert model.keys() == ["records"]
    found = records(vault)
    assert set(found) == {*DRAFTED, "session"}
    (closing,) = [one for one in vault.parts.transaction_log.all() if one.plan.kind == "close"]
    paths = {change.path for change in closing.plan.changes}
    assert {one.path for one in found.values()} <= paths
    turns = said(*SAID)
    for name, turn in zip(DRAFTED, (turns[2], turns[4]), strict=True):
        assert found[name].quote == turn.text
        assert found[name].sources == (f"{turn.transcript}#^{turn.block}",)
    vault.seal_boxes()
    assert model.keys() == ["records"]
    assert vault.doctor() == []


def test_an_invented_field_is_left_out_of_its_draft(open_vault: Callable[..., Vault]) -> None:
    sections = dict(records(closed(open_vault, RecordedRecords()))["decision"].sections)
    assert "two writers need it" in sections["Rationale"]
    assert "Consequences" not in sections


def test_what_the_second_model_blocks_is_kept_out(open_vault: Callable[..., Vault]) -> None:
    model = RecordedRecords("block")
    vault = closed(open_vault, model, verify="bigger")
    assert model.keys() == ["records", "checks"]
    assert set(records(vault)) & {"decision", "session"} == {"session"}


def test_without_budget_the_session_is_on_record_all_the_same(
    open_vault: Callable[..., Vault],
) -> None:
    model = RecordedRecords()
    model.poor = True
    vault = closed(open_vault, model)
    assert "session" in records(vault)
    assert "constraint" not in records(vault)
    kept = vault.parts.transaction_log.all()
    names = [event.name for one in kept for event in one.plan.events]
    assert names.count("records_not_drafted") == 1
