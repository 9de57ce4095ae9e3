"""From transcripts to a vault with a model whose answers were recorded: the bytes are golden."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from engram.recall.filter import Filter
from engram.store.base.clock import FixedClock
from engram.vault import Vault
from tests.fakes.model_server import ModelServer, recorded
from tests.kit import tree_digest

DEMO = Path(__file__).parents[1] / "demo"
#: Of facts/, transcripts/ and entities/. A change is for a person to look at: the vault of
#: `make demo` (demo-vault-model) shows what is in it.
GOLDEN = "7a5c3181480e158b96e9041882c15b773d6305e8d62168ba3399fb3405c45b78"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    answers = json.loads((DEMO / "answers.json").read_text(encoding="utf-8"))
    with ModelServer([recorded(answers)]) as server:
        yield server


@pytest.fixture
def asked(tmp_path: Path, environment: dict[str, str], server: ModelServer) -> Iterator[Vault]:
    environment |= {
        "ENGRAM_LLM_MODEL": "gpt-5.4-nano", "ENGRAM_LLM_BASE_URL": server.base_url,
        "OPENAI_API_KEY": "recorded",
    }  # fmt: skip
    clock = FixedClock("2026-03-06T21:00:00Z")
    with Vault.create(tmp_path / "vault", environment=environment, clock=clock) as vault:
        yield vault


def test_the_same_answers_give_the_same_vault(asked: Vault, server: ModelServer) -> None:
    _, outcome = asked.import_files("claude-code", DEMO / "conversation", tier="model")
    # and one question for records about each of the two conversations that point to any
    assert len(server.requests) == 5 and outcome.turns == 78 and outcome.superseded == 2
    assert tree_digest(asked.root, "facts", "transcripts", "entities") == GOLDEN
    assert not asked.doctor()


def test_undoing_the_import_takes_back_what_the_model_made_of_it(
    asked: Vault, server: ModelServer
) -> None:
    before = tree_digest(asked.root, "facts", "transcripts")
    report, outcome = asked.import_files("claude-code", DEMO / "conversation", tier="model")
    assert outcome.memories > 30
    asked.undo(report.batch)
    assert tree_digest(asked.root, "facts", "transcripts") == before
    again, _ = asked.import_files("claude-code", DEMO / "conversation", tier="model")
    assert again.new_turns == 78 and len(server.requests) == 10


def test_a_known_memory_is_shown_and_the_answer_that_names_it_replaces_it(
    asked: Vault, server: ModelServer
) -> None:
    asked.import_files("claude-code", DEMO / "conversation", tier="model")
    hosting = [
        memory
        for memory in asked.parts.lookup.listing(Filter(statuses=("active", "superseded")), 100)
        if memory.key == "shop::hosting"
    ]
    newest, middle, first = hosting
    assert (newest.status, middle.status, first.status) == ("active", "superseded", "superseded")
    assert newest.supersedes == (middle.id,) and middle.superseded_by == (newest.id,)
    assert f"] {first.text}\n" in server.requests[1].text
    assert f"] {middle.text}\n" in server.requests[2].text


def test_history_is_not_sent_to_a_model_unasked(asked: Vault, server: ModelServer) -> None:
    report, outcome = asked.import_files("claude-code", DEMO / "conversation")
    assert outcome.memories > 30 and not server.requests
    asked.undo(report.batch)
    asked.import_files("claude-code", DEMO / "conversation", extract=False)
    assert asked.flush().memories > 20 and not server.requests


def test_what_is_captured_live_is_read_by_the_model(asked: Vault, server: ModelServer) -> None:
    asked.import_files("claude-code", DEMO / "conversation", live=True)
    asked.flush()
    assert len(server.requests) >= 3
    assert not asked.waiting()
