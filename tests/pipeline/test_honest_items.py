"""Honest answers to the extraction prompt: what of them becomes a memory, and as what."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engram.model.memory import Memory
from engram.model.turn import turn_of
from engram.pipeline import ingest
from tests.fakes.model_server import ModelServer, answers, fact, facts
from tests.llm.office import Office

FOLDER = Path(__file__).parents[1] / "fixtures" / "honest_items"
PAIRS = FOLDER.parent / "model" / "honest.toml"
USUAL = {"state": "", "agreed": 0, "lasting": "lasting", "importance": "normal"}


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    made = Office(tmp_path)
    yield made
    made.close()


def outcome_of(name: str, office: Office) -> tuple[int, list[Memory], list[str]]:
    """How many items an answer of each conversation holds, the memories, and what was refused."""
    count, kept, refused = 0, list[Memory](), list[str]()
    talks = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))["talk"]
    for number, talk in enumerate(talks):
        items: list[dict[str, Any]] = [{**fact("", ""), **USUAL, **item} for item in talk["items"]]
        with ModelServer([answers(facts(*items))]) as server:
            vault = office.cloud(server.base_url).open(f"{name}{number}")
            turns = [
                turn_of(role, text, f"2026-03-06T10:{at:02}:00Z", source="t", session="s",
                        project=talk["project"], message=str(at))
                for at, (role, text) in enumerate(talk["turns"])
            ]  # fmt: skip
            ingest.take_in(turns, vault.parts)
            vault.flush()
            count += len(items)
            kept += vault.parts.catalog.memories()
            refused += [f"{one.code} {one.factors} {one.said}" for one in vault.refusals("")]
    return count, kept, refused


@pytest.mark.parametrize("name", ["tuned", "held_back"])
def test_hardly_any_true_item_is_refused(office: Office, name: str) -> None:
    count, _, refused = outcome_of(name, office)
    assert len(refused) <= 0.03 * count, "\n".join(refused) if name == "tuned" else ""


def test_what_an_agent_found_out_is_a_memory_that_it_inferred(office: Office) -> None:
    _, kept, _ = outcome_of("tuned", office)
    found = next(one for one in kept if "readiness probe" in one.text)
    assert (found.category, found.authority, found.tags) == ("fact", "ai_inferred", ())
    assert found.confidence < 0.7 <= found.importance


def test_an_agents_proposal_is_accepted_by_the_persons_words_alone(office: Office) -> None:
    _, kept, _ = outcome_of("held_back", office)
    audit = next(one for one in kept if "append-only" in one.text)
    assert audit.extras["decision_state"] == "accepted" and len(audit.sources) == 2
    assert (audit.authority, audit.confidence) == ("user_asserted", 0.7)
    toolbar = next(one for one in kept if "old toolbar" in one.text)
    assert toolbar.extras["decision_state"] == "proposed"
    assert toolbar.authority == "ai_inferred"


def test_an_honest_item_of_one_conversation_is_a_memory(office: Office) -> None:
    pairs = tomllib.loads(PAIRS.read_text(encoding="utf-8"))["pair"]
    with ModelServer([answers(facts({**fact("", ""), **one["item"]})) for one in pairs]) as server:
        vault = office.cloud(server.base_url).open()
        for number, pair in enumerate(pairs):
            spoken = (one.split(": ", 1) for one in pair["turns"])
            turns = [
                turn_of(role, text, f"2026-03-06T10:{at:02}:00Z", source="t",
                        session=f"s{number}", project=f"p{number}", message=f"{number}-{at}")
                for at, (role, text) in enumerate(spoken)
            ]  # fmt: skip
            ingest.take_in(turns, vault.parts)
            vault.flush()
    assert len(pairs) == 60
    assert [f"{one.code} {one.said}" for one in vault.refusals("")] == []
