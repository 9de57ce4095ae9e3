"""What a model is shown of a vault: the nearest memories, known names, what was said before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from engram.extract.llm.prompt import MOST_KNOWN
from engram.extract.receipt import receipt_of
from engram.model.candidate import Candidate
from engram.model.entity_ids import entity_id
from engram.model.turn import Turn, turn_of
from engram.queries.prompt_context import EARLIER, WEIGHTIEST, VaultPromptContext
from engram.vault import Vault
from tests.kit import Cheap, reopened

TOPICS = ("oven", "invoice", "garden", "lamp", "curtain", "ladder", "violin", "pump")


class Stated(Cheap):
    """An Extractor that takes each user turn for a fact; `I ...` is of the person."""

    def extract(self, turns: Sequence[Turn]) -> list[Candidate]:
        return [
            Candidate(
                "fact", turn.text, receipt_of(turn, turn.text), 0.8, project=turn.project,
                space="user" if turn.text.startswith("I ") else "project",
                importance=0.9 if "very" in turn.text else 0.6,
            )
            for turn in turns
            if turn.role == "user"
        ]  # fmt: skip


#: names that the statements below do not spell
NAMES = ("tool-entire-cli", "other-oslo", "person-li-lei-3a47328a")


class Naming(Stated):
    """The same, where each fact is about some names."""

    def extract(self, turns: Sequence[Turn]) -> list[Candidate]:
        return [replace(one, entities=NAMES) for one in super().extract(turns)]


@pytest.fixture
def plain(vault: Vault) -> Vault:
    return reopened(vault, extractor=Stated())


def said(
    text: str, minute: int, project: str = "shop", session: str = "s", role: Any = "user"
) -> Turn:
    time = f"2026-03-06T{11 + minute // 60:02d}:{minute % 60:02d}:00Z"
    return turn_of(role, text, time, session=session, project=project)


def told(vault: Vault, *turns: Turn) -> None:
    vault.capture(list(turns))
    vault.flush()


def texts(vault: Vault, *turns: Turn) -> list[str]:
    return [memory.text for memory in around(vault).near(list(turns)).memories]


def around(vault: Vault) -> VaultPromptContext:
    return VaultPromptContext(vault.parts.projections, vault.parts.turn_log, vault.parts.index)


def taught(vault: Vault) -> Vault:
    vault.capture([
        said("We decided to use Postgres because two writers need it.", 0, session="a"),
        said("We decided to use Postgres because the till needs it.", 1, "till", "b"),
        said("I prefer Postgres docs over blog posts.", 2, session="c"),
    ])  # fmt: skip
    vault.flush()
    return vault


def test_the_nearest_live_memories_of_the_project_and_the_person_are_shown(vault: Vault) -> None:
    near = around(taught(vault)).near([said("We moved from Postgres to MySQL.", 10)])
    texts = [memory.text for memory in near.memories]
    assert any("two writers" in text for text in texts)
    assert any("blog posts" in text for text in texts)
    assert not any("till" in text for text in texts)
    vault.forget(near.memories[0].id)
    again = around(vault).near([said("We moved from Postgres to MySQL.", 10)])
    assert near.memories[0].id not in {memory.id for memory in again.memories}


def test_known_names_are_those_that_occur(vault: Vault) -> None:
    near = around(taught(vault)).near([said("does POSTGRES do that?", 10)])
    assert near.entities == ("Postgres (tool)",)
    assert around(vault).near([said("POSTGRES?", 10, "t", "t")]).entities == ("POSTGRES (tool)",)


def test_names_of_the_memories_that_are_shown_are_known(vault: Vault) -> None:
    told(vault, said("We decided to use Postgres because two writers need the ledger.", 0))
    assert around(vault).near([said("the ledger has two writers", 9)]).entities == (
        "Postgres (tool)",
    )
    assert around(vault).near([said("does it do that?", 10)]).entities == ()


def test_a_name_that_no_text_spells_is_shown_in_a_form_that_leads_to_its_id(vault: Vault) -> None:
    vault = reopened(vault, extractor=Naming())
    told(vault, said("The build command is written in Go.", 0))
    shown = around(vault).near([said("Which build command is it?", 9)]).entities
    assert shown[:2] == ("entire cli (tool)", "oslo (thing)")
    found = [re.fullmatch(r"(.+) \((\w+)\)", name) for name in shown]
    assert tuple(entity_id(match[1], match[2]) for match in found if match) == NAMES


def test_what_was_said_just_before_is_shown_in_order(vault: Vault) -> None:
    vault.capture([said(f"Word number {number}.", number) for number in range(8)])
    last = said("And this?", 30)
    near = around(vault).near([last.numbered(vault.capture([last]).last)])
    assert [turn.text for turn in near.earlier] == [
        f"Word number {number}." for number in range(8 - EARLIER, 8)
    ]


def test_reports_of_progress_are_not_among_what_was_said_before(vault: Vault) -> None:
    report = "Now I look at the tests."
    turns = [
        said("Which port?", 0), *(said(report, minute, role="assistant") for minute in range(1, 8)),
        said("Port 8080.", 8, role="assistant"), said("And the host?", 9),
        said(report, 10, role="assistant"),
    ]  # fmt: skip
    vault.capture(turns)
    more = said("The host is mars, port 8080.", 11, role="assistant")
    near = around(vault).near([more.numbered(vault.capture([more]).last)])
    assert [turn.text for turn in near.earlier] == ["Port 8080.", "And the host?"]


def test_a_forgotten_turn_is_not_among_what_was_said_before(vault: Vault) -> None:
    vault.capture([said("My number is 7.", 0), said("What is the port?", 1)])
    vault.forget(matching="My number")
    more = said("It is 8080.", 2, role="assistant")
    near = around(vault).near([more.numbered(vault.capture([more]).last)])
    assert [turn.text for turn in near.earlier] == ["What is the port?"]


def test_what_the_person_asked_is_among_what_was_said_before(vault: Vault) -> None:
    answers = [said(f"Result {n}. {'It holds. ' * 40}", n, role="assistant") for n in range(1, 5)]
    vault.capture([said("Measure all of them.", 0), *answers])
    more = said("Result 5.", 9, role="assistant")
    near = around(vault).near([more.numbered(vault.capture([more]).last)])
    assert [turn.text[:12] for turn in near.earlier] == ["Measure all ", "Result 4. It"]


def test_each_thing_that_the_person_said_is_searched_for(plain: Vault) -> None:
    told(plain, *(said(f"The {topic} belongs to Kim, lot {number}.", number, session=topic)
                  for number in range(9) for topic in TOPICS))  # fmt: skip
    about = [said(f"Sell the {topic}.", 60 + at) for at, topic in enumerate(TOPICS)]
    found = texts(plain, *about)
    assert len(found) == MOST_KNOWN
    assert [text.split()[1] for text in found[: len(TOPICS)]] == list(TOPICS)
    counts = [sum(topic in text for text in found) for topic in TOPICS]
    assert max(counts) - min(counts) <= 1
    assert len(texts(plain, about[0])) <= 12


def test_the_weightiest_of_the_person_are_shown_whatever_was_said(plain: Vault) -> None:
    told(plain, *(said(f"I like tea number {number}.", number) for number in range(9)))
    told(plain, said("I am very allergic to nuts.", 1), said("The very old oven is broken.", 2))
    found = texts(plain, said("zzz", 30, "other", "t"))
    assert found[0] == "I am very allergic to nuts." and len(found) == WEIGHTIEST
    assert not any("oven" in text for text in found)


def test_nothing_is_shown_that_was_learnt_after_the_last_turn(plain: Vault) -> None:
    told(plain, said("The oven stands in the yard.", 5, session="a"),
         said("The oven stands in the hall.", 40, session="b"),
         said("I sold the oven very gladly.", 41, session="c"))  # fmt: skip
    before = [said("Where is the oven?", 3), said("In the yard, the oven.", 20)]
    assert texts(plain, *before) == ["The oven stands in the yard."]
    assert texts(plain, before[0]) == []
    assert len(texts(plain, said("Where is the oven?", 41))) == 3


def test_a_conversation_without_a_project_is_shown_only_its_own(plain: Vault) -> None:
    told(plain, said("The oven is red.", 0, "", "here"), said("The oven is blue.", 1, "", "there"))
    told(plain, said("The oven is green.", 2, session="there"), said("I own an oven.", 3, ""))
    asked = "Which colour has the oven?"
    assert set(texts(plain, said(asked, 9, "", "here"))) == {"The oven is red.", "I own an oven."}
    assert set(texts(plain, said(asked, 9, "", "new"))) == {"I own an oven."}
    shop = texts(plain, said(asked, 9, "shop", "new"))
    assert set(shop) == {"The oven is green.", "I own an oven."}


def test_without_turns_there_is_nothing_around(vault: Vault) -> None:
    assert around(vault).near([]).memories == ()
