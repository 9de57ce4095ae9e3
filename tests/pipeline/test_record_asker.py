"""Who drafts records in a vault: nobody without a model; with one, as the settings have it."""

from __future__ import annotations

from typing import Any

from engram.model.model_request import Reply, Request, Usage
from engram.model.settings import RecordSettings
from engram.model.turn import Turn, turn_of
from engram.vault import Vault
from tests.kit import reopened

SAID = "We decided to use Postgres instead of SQLite because two writers need it."
TURNS: tuple[Turn, ...] = tuple(
    turn_of("user", SAID, "2026-03-06T12:00:00Z", session="s", project="shop", message=str(number))
    for number in range(3)
)
DRAFT = {
    "action": "create", "decision": "The shop uses Postgres instead of SQLite.",
    "quotes": [{"quote": "We decided to use Postgres instead of SQLite", "turn": 1}],
    "rationale": ["two writers need it"], "tags": ["postgres", "sqlite"],
}  # fmt: skip


class Answering:
    """A model that drafts one decision, and blocks whatever it is asked to check."""

    def __init__(self) -> None:
        self.asked: list[Request] = []

    def ask(self, request: Request) -> Reply:
        self.asked.append(request)
        value: Any = {"records": {"decision": [DRAFT]}}
        if request.key == "checks":
            value = {"checks": [{"draft": "d1", "verdict": "block", "reason": "no"}]}
        return Reply(value, "fake", "fake", Usage())


def test_without_a_model_nobody_is_asked(vault: Vault) -> None:
    assert vault.parts.record_asker is None


def test_with_a_model_one_question_drafts(vault: Vault) -> None:
    model = Answering()
    asker = reopened(vault, model=model).parts.record_asker
    assert asker is not None
    found = asker.drafts(TURNS, [])
    assert [one.draft.record.statement for one in found.drafts] == [DRAFT["decision"]]
    assert [request.key for request in model.asked] == ["records"]


def test_verify_model_has_decisions_checked(vault: Vault) -> None:
    model, settings = Answering(), vault.parts.settings
    settings = settings._replace(llm=settings.llm._replace(verify_model="bigger"))
    asker = reopened(vault, model=model, settings=settings).parts.record_asker
    assert asker is not None
    found = asker.drafts(TURNS, [])
    assert not found.drafts and [one.code for one in found.faults] == ["blocked"]
    assert [request.key for request in model.asked] == ["records", "checks"]


def test_schemas_that_are_not_captured_are_neither_asked_about_nor_stated(vault: Vault) -> None:
    debt = turn_of(
        "user", "let's skip offline mode for v1 because it doubles the sync code",
        "2026-03-06T12:00:00Z", session="s", message="d",
    )  # fmt: skip
    assert [one.record.schema for one in vault.parts.stated_drafts([debt])] == ["tech_debt"]
    off = RecordSettings(capture=(("decision", "off"), ("tech_debt", "by-hand")))
    settings = vault.parts.settings._replace(records=off)
    again = reopened(vault, model=Answering(), settings=settings)
    assert again.parts.record_asker is not None
    assert again.parts.record_asker.request(TURNS, []) is None
    assert again.parts.stated_drafts([debt]) == []
