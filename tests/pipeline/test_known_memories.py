"""Known memories that a model's answer names: said again, carried out, agreed to."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engram.model.memory import Memory
from engram.model.turn import turn_of
from engram.pipeline import ingest
from engram.recall.filter import Filter
from engram.vault import Vault
from tests.fakes.model_server import Asked, ModelServer, answers, fact, known
from tests.llm.office import Office

Answer = Callable[[Asked], dict[str, Any]]
POSTGRES = "The shop keeps its orders in Postgres."
SAID = "we keep the orders of the shop in postgres"


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    made = Office(tmp_path)
    yield made
    made.close()


def listed(*items: dict[str, Any]) -> Answer:
    return lambda asked: {"facts": list(items), "confirms": [], "fulfils": []}


def mentioned(kind: str, words: str, quote: str, turn: int = 1) -> Answer:
    def answer(asked: Asked) -> dict[str, Any]:
        empty: dict[str, Any] = {"facts": [], "confirms": [], "fulfils": []}
        return {**empty, kind: [{"memory": known(words, asked), "quote": quote, "turn": turn}]}

    return answer


def told(office: Office, *sessions: tuple[Answer, list[tuple[Any, str]]]) -> Vault:
    """A vault to which these conversations were told, one a day, each answered as written."""
    behaviours = [
        answers(lambda asked, answer=answer: json.dumps(answer(asked))) for answer, _ in sessions
    ]
    with ModelServer(behaviours) as server:
        vault = office.cloud(server.base_url).open()
        for day, (_, said) in enumerate(sessions, 2):
            turns = [
                turn_of(role, text, f"2026-03-{day:02}T10:{at:02}:00Z", source="t",
                        session=f"s{day}", project="shop", message=f"{day}.{at}")
                for at, (role, text) in enumerate(said)
            ]  # fmt: skip
            ingest.take_in(turns, vault.parts)
            vault.flush()
        assert len(server.requests) == len(sessions)
    return vault


def the_memory(vault: Vault) -> Memory:
    """The first that it learnt; rules may have taken words that the answer says nothing new of."""
    return vault.parts.lookup.listing(Filter(statuses=("active",)), 10)[-1]


HOW_FAR = ("user", "how far is the importer of the shop?")
FIRST = (listed(fact(POSTGRES, SAID)), [("user", SAID)])


def test_what_is_said_in_three_sessions_has_three_receipts(office: Office) -> None:
    again = "postgres holds the orders, as ever, and mailhog the test mails"
    third = "yes the shop's orders are still in postgres"
    vault = told(
        office, FIRST,
        (mentioned("confirms", POSTGRES, "postgres holds the orders, as ever"), [("user", again)]),
        (mentioned("confirms", POSTGRES, third), [("user", third)]),
    )  # fmt: skip
    found = the_memory(vault)
    assert len(found.sources) == 3 and found.confidence == 0.9
    alone = told(Office(office.folder / "alone", dict(office.environment)), FIRST)
    assert found.expires >= the_memory(alone).expires
    events = [event.name for _, _, event in vault.origin(found.id).events]
    assert events == ["memory_write", "memory_confirmed", "memory_confirmed"]
    vault.undo(str(next(one.number for one in vault.log() if one.kind == "extract")))
    assert len(the_memory(vault).sources) == 2


@pytest.mark.parametrize(
    ("said", "quote", "code"),
    [
        ("the orders look fine. the logo gets a warmer orange", "the logo gets a warmer orange",
         "unsupported"),
        ("we no longer keep the orders of the shop in postgres", "", "unsupported"),
        ("do we keep the orders of the shop in postgres?", "", "unsupported"),
        ("the orders of the shop are elsewhere", "orders in postgres", "quote-not-found"),
    ],
)  # fmt: skip
def test_words_that_do_not_say_so_confirm_nothing(
    office: Office, said: str, quote: str, code: str
) -> None:
    vault = told(
        office, FIRST, (mentioned("confirms", POSTGRES, quote or said), [("user", said)])
    )  # fmt: skip
    assert len(the_memory(vault).sources) == 1
    assert [one.code for one in vault.refusals("")] == [code]


def test_a_memory_that_was_not_shown_is_not_confirmed(office: Office) -> None:
    vault = told(office, FIRST, (mentioned("confirms", "k7", SAID), [("user", SAID)]))
    assert [one.code for one in vault.refusals("")] == ["unknown_memory"]
    assert len(the_memory(vault).sources) == 1


def test_an_agent_confirms_what_it_found_out_and_not_what_the_person_said(office: Office) -> None:
    cause = "the nightly export is empty because it runs before the importer commits"
    finding = fact("The nightly export is empty because it runs before the importer commits.",
                   cause, category="finding", turn=2)  # fmt: skip
    ask = ("user", "why is the nightly export of the shop empty?")
    vault = told(
        office,
        (listed(finding), [ask, ("assistant", f"Found it: {cause}.")]),
        (mentioned("confirms", "nightly export", "It runs before the importer commits", 2),
         [ask, ("assistant", "It runs before the importer commits, so the export is empty.")]),
    )  # fmt: skip
    found = the_memory(vault)
    assert (len(found.sources), found.confidence, found.authority) == (2, 0.69, "ai_inferred")
    said = "The orders of the shop are in postgres."
    other = told(
        Office(office.folder / "other", dict(office.environment)), FIRST,
        (mentioned("confirms", POSTGRES, said, 2), [ask, ("assistant", said)]),
    )  # fmt: skip
    assert len(the_memory(other).sources) == 1


def test_a_promise_that_was_kept_is_closed_on_the_day_it_was(office: Office) -> None:
    promise = fact("The user moves the importer of the shop to Vite by the end of April.",
                   "i'll move the importer of the shop to vite by the end of april",
                   category="commitment")  # fmt: skip
    done = "The importer of the shop is moved to Vite, the old bundler is gone."
    vault = told(
        office,
        (listed(promise), [("user", promise["quote"])]),
        (mentioned("fulfils", "importer", done, 2), [HOW_FAR, ("assistant", done)]),
    )  # fmt: skip
    kept = the_memory(vault)
    assert kept.extras["commitment_state"] == "done" and kept.extras["fulfilled"] == "2026-03-03"
    assert len(kept.sources) == 2
    assert [event.name for _, _, event in vault.origin(kept.id).events] == [
        "memory_write", "memory_fulfilled",
    ]  # fmt: skip
    vault.undo()
    assert the_memory(vault).extras["commitment_state"] == "open"


@pytest.mark.parametrize(
    "said", ["i will move the importer of the shop to vite next week", "is the importer on vite?"]
)
def test_a_promise_that_is_only_repeated_stays_open(office: Office, said: str) -> None:
    promise = fact("The user moves the importer of the shop to Vite.",
                   "i'll move the importer of the shop to vite", category="commitment")  # fmt: skip
    vault = told(
        office, (listed(promise), [("user", promise["quote"])]),
        (mentioned("fulfils", "importer", said), [("user", said)]),
    )  # fmt: skip
    assert the_memory(vault).extras["commitment_state"] == "open"
    assert [one.code for one in vault.refusals("")] == ["unsupported"]


def test_a_plan_that_was_carried_out_is_shown_with_its_day(office: Office) -> None:
    plan = fact("The shop moves its orders to MySQL, because the hoster has no Postgres.",
                "we decided to move the orders of the shop to mysql, the hoster has no postgres",
                category="decision", state="accepted", lasting="standing")  # fmt: skip
    done = "the orders of the shop are in mysql since this morning"
    vault = told(
        office, (listed(plan), [("user", plan["quote"])]),
        (mentioned("fulfils", "MySQL", done), [("user", done)]),
    )  # fmt: skip
    moved = the_memory(vault)
    assert (moved.status, moved.extras["fulfilled"]) == ("active", "2026-03-03")
    assert "(done 2026-03-03)" in vault.recall("orders mysql").text


def test_a_proposal_is_marked_until_the_person_agrees(office: Office) -> None:
    idea = "I would propose an append-only table for the audit log of the shop."
    item = fact("The audit log of the shop is an append-only table.", idea, category="decision",
                state="proposed", turn=2)  # fmt: skip
    opened = (listed(item), [("user", "how should we log bookings?"), ("assistant", idea)])
    agreed = "the audit log of the shop is an append-only table, we agreed on that"
    vault = told(office, opened)
    assert "(proposed, not agreed)" in vault.recall("audit log").text
    later = told(
        Office(office.folder / "later", dict(office.environment)), opened,
        (mentioned("confirms", "audit log", agreed), [("user", agreed)]),
    )  # fmt: skip
    assert the_memory(later).extras["decision_state"] == "accepted"
    assert "proposed" not in later.recall("audit log").text
