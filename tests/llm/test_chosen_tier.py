"""What a person wants a model to read waits for it, however long it is away."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engram.model.instant import plus_minutes
from engram.store.base.clock import FixedClock
from engram.vault import Vault
from tests.conftest import NOW
from tests.fakes.model_server import Asked, Handler, ModelServer, answers, fact, facts
from tests.kit import LIGHT
from tests.llm.office import SENTENCE, Office, outcomes, said, texts

SAID = "I prefer tabs over spaces in this project."
#: what the rules make of it, and what the model does
BY_RULES = "The user prefers tabs over spaces in this project."
READ = "The person indents with tabs."
ANSWER = answers(facts(fact(READ, SAID, turn=1)))


@pytest.fixture
def history(tmp_path: Path) -> Path:
    path = tmp_path / "history.jsonl"
    turn = {"role": "user", "content": SAID, "timestamp": "2026-03-05T10:00:00Z"}
    path.write_text(json.dumps(turn) + "\n", encoding="utf-8")
    return path


def away(office: Office) -> int:
    """A model at a port where nobody listens; the port."""
    with ModelServer([ANSWER]) as server:
        office.cloud(server.base_url)
    return server.port


def test_an_import_waits_for_the_model_that_was_chosen(office: Office, history: Path) -> None:
    port = away(office)
    vault = office.open()
    _, outcome = vault.import_files("jsonl", history, tier="model")
    assert (outcome.postponed, outcome.reason) == (1, "unreachable") and texts(vault) == []
    (waiting,) = vault.status().waiting
    assert (waiting.for_model, waiting.reason, waiting.attempts) == (True, "unreachable", 0)
    assert vault.flush().postponed == 1  # and again, as often as anybody looks
    vault.rebuild()
    with ModelServer([ANSWER], port=port):
        later = office.open(clock=FixedClock(plus_minutes(NOW, 120)))
        assert later.due() and later.tick().memories == 1
        assert texts(later) == [READ] and later.waiting() == [] and later.doctor() == []


def test_what_the_rules_were_to_read_is_theirs(office: Office, history: Path) -> None:
    away(office)
    vault = office.open()
    vault.import_files("jsonl", history, extract=False)
    assert not vault.status().waiting[0].for_model
    assert vault.flush().memories == 1 and texts(vault) == [BY_RULES] and outcomes(vault) == []


def test_an_import_to_be_read_later_is_read_by_the_model(office: Office, history: Path) -> None:
    with ModelServer([ANSWER]) as server:
        vault = office.cloud(server.base_url).open()
        vault.import_files("jsonl", history, extract=False, tier="model")
        assert vault.flush().memories == 1 and texts(vault) == [READ]


def test_choosing_the_model_while_it_is_away_changes_who_reads(
    office: Office, history: Path
) -> None:
    port = away(office)
    vault = office.open()
    vault.import_files("jsonl", history, extract=False)
    assert vault.flush(tier="model").postponed == 1
    assert vault.flush(tier="model").postponed == 1
    assert len(vault.parts.catalog.log.named("model_chosen")) == 1
    with ModelServer([ANSWER], port=port):
        later = office.open(clock=FixedClock(plus_minutes(NOW, 120)))
        assert later.flush().memories == 1 and texts(later) == [READ]


def test_without_budget_an_import_waits_for_the_next_day(office: Office, history: Path) -> None:
    with ModelServer([ANSWER]) as server:
        office.cloud(server.base_url).set(llm_daily_usd=0.00001)
        vault = office.open()
        _, outcome = vault.import_files("jsonl", history, tier="model")
        assert (outcome.postponed, outcome.reason, server.requests) == (1, "budget", [])
        assert vault.flush().reason == "budget"
        office.set(llm_daily_usd=1)
        assert office.open().flush().memories == 1 and texts(vault) == [READ]


def test_giving_up_waiting_is_the_persons(office: Office, history: Path) -> None:
    away(office)
    vault = office.open()
    vault.import_files("jsonl", history, tier="model")
    asked = len(outcomes(vault))
    assert vault.flush(tier="rules").memories == 1 and texts(vault) == [BY_RULES]
    assert len(outcomes(vault)) == asked and vault.waiting() == []


def test_without_a_configured_model_it_waits_all_the_same(office: Office, history: Path) -> None:
    away(office)
    office.open().import_files("jsonl", history, tier="model")
    office.set(llm_model="")
    vault = office.open()
    assert vault.preview() == []
    outcome = vault.flush()
    assert (outcome.postponed, outcome.reason, outcome.turns) == (1, "no-model", 0)
    assert "`engram extract --rules`" in outcome.hint
    assert vault.status().waiting[0].reason == "no-model"
    assert vault.flush(tier="rules").memories == 1 and texts(vault) == [BY_RULES]


def test_an_import_for_the_rules_asks_no_model_about_what_waits_for_one(
    office: Office, history: Path
) -> None:
    with ModelServer([ANSWER]) as server:
        vault = office.cloud(server.base_url).open()
        vault.import_files("jsonl", history, extract=False, tier="model")
        more = {"role": "user", "content": "Thanks!", "timestamp": "2026-03-05T11:00:00Z"}
        with history.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(more) + "\n")
        report, _ = vault.import_files("jsonl", history)
        assert report.new_turns == 1 and server.requests == [] and texts(vault) == []
        assert vault.flush().turns == 2 and texts(vault) == [READ] and len(server.requests) == 1


def test_what_is_due_again_is_still_the_models(office: Office, history: Path) -> None:
    with ModelServer([answers("no"), ANSWER]) as server:
        vault = office.cloud(server.base_url).open()
        _, outcome = vault.import_files("jsonl", history, tier="model")
        assert outcome.failed == 1 and texts(vault) == []
        for _ in range(2):
            assert vault.preview() == [] and len(vault.questions()[0]) == 1
        later = office.open(clock=FixedClock(plus_minutes(NOW, 120)))
        assert later.tick().memories == 1 and texts(later) == [READ]
        assert len(server.requests) == 2


def test_an_import_that_is_undone_waits_for_nobody(office: Office, history: Path) -> None:
    away(office)
    vault = office.open()
    report, _ = vault.import_files("jsonl", history, tier="model")
    vault.undo(report.batch)
    assert vault.waiting() == [] and vault.flush().postponed == 0 and vault.doctor() == []


def test_what_is_dictated_asks_no_model(office: Office) -> None:
    for key in ("", "sk-wrong"):
        vault = office.cloud("http://127.0.0.1:9/v1", key=key).open(f"vault{len(key)}")
        assert vault.remember(SENTENCE).decision == "new"
        assert texts(vault) == [SENTENCE] and vault.waiting() == [] and outcomes(vault) == []


@pytest.mark.parametrize("category", ["", "decision"])
def test_what_is_dictated_does_not_wait_for_a_model_that_thinks(
    category: str, office: Office
) -> None:
    dictated = []

    def thinks(asked: Asked, handler: Handler) -> None:
        path, environment = office.folder / "vault", dict(office.environment)
        beside = Vault.open(path, environment=environment, clock=FixedClock(NOW), adapters=LIGHT)
        dictated.append(beside.remember(SENTENCE, category=category).decision)
        beside.close()
        answers(facts())(asked, handler)

    with ModelServer([thinks]) as server:
        vault = office.cloud(server.base_url).open()
        vault.capture([said("We renamed the warehouse to depot.")])
        vault.flush()
        assert dictated == ["new"] and len(server.requests) == 1
    assert SENTENCE in texts(vault)
