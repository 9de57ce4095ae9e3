"""A long conversation is several questions, each committed by itself; and what is true changes."""

from __future__ import annotations

import json
import re
from pathlib import Path

from engram.extract.llm.portions import MOST_SHOWN
from engram.model.memory import Memory
from engram.model.turn import Turn
from engram.pipeline import ingest
from engram.vault import Vault
from tests.conftest import NOW
from tests.fakes.model_server import Asked, ModelServer, answers, fact, facts, fails, page
from tests.llm.office import Office, said, texts, usage_log

FIRST = "We use Postgres for the orders of the shop."
LATER = "We moved the orders of the shop to MySQL."


def each(asked: Asked) -> str:
    """One item for every message of a person in the question."""
    data = asked.text.partition("\nConversation")[2]
    found = re.findall(r"^\[(\d+)\] user.*\n(.*)$", data, re.MULTILINE)
    return facts(*(fact(text, text, turn=int(number)) for number, text in found))


def taken_in(vault: Vault, count: int) -> list[str]:
    """A conversation in the journal, of which nothing is extracted yet."""
    lines = [f"The token{number:04d} valve holds {number} bar." for number in range(count)]
    ingest.take_in([said(line, str(number)) for number, line in enumerate(lines)], vault.parts)
    return lines


def memory_of(vault: Vault, text: str) -> Memory:
    (found,) = [one for one in vault.parts.catalog.memories() if one.text == text]
    return found


# -- batches ------------------------------------------------------------------------------------


def test_a_long_conversation_is_several_questions(office: Office) -> None:
    with ModelServer([answers(each)]) as server:
        vault = office.cloud(server.base_url).open()
        lines = taken_in(vault, 100)
        outcome = vault.flush()
        sizes = [row["turns"] for row in usage_log(vault)]
        assert sizes == [MOST_SHOWN, MOST_SHOWN, 20] and len(server.requests) == 3
        assert "Said before" not in server.requests[0].text
        assert all(line in server.requests[1].text for line in lines[38:80])
    assert (outcome.turns, outcome.memories) == (100, 100) and len(outcome.transactions) == 3
    assert texts(vault) == sorted(lines) and vault.waiting() == [] and vault.doctor() == []


def test_a_failure_in_the_second_leaves_what_the_first_brought(office: Office) -> None:
    with ModelServer([answers(each), page(), answers(each)]) as server:
        vault = office.cloud(server.base_url).open()
        lines = taken_in(vault, 100)
        outcome = vault.flush()
        assert (outcome.turns, outcome.postponed, outcome.reason) == (40, 1, "not-an-api")
        assert texts(vault) == sorted(lines[:40]) and vault.status().pending == 60
        assert vault.flush().turns == 60 and len(server.requests) == 4
    assert texts(vault) == sorted(lines) and vault.waiting() == []


def test_a_bad_answer_in_the_second_makes_the_next_one_smaller(office: Office) -> None:
    with ModelServer([answers(each), answers("no"), answers("no"), answers(each)]) as server:
        vault = office.cloud(server.base_url).open()
        lines = taken_in(vault, 100)
        assert vault.flush().failed == 1 and vault.status().pending == 60
        assert vault.flush().failed == 1 and vault.waiting()[0].attempts == 2
        assert vault.flush().turns == 60
        assert [row["turns"] for row in usage_log(vault)] == [40, 40, 20, 10, 40, 10]
        assert len(server.requests) == 6
    assert texts(vault) == sorted(lines)


def test_one_conversation_that_fails_keeps_no_other_from_the_model(office: Office) -> None:
    bad = answers(lambda asked: "no" if "poison" in asked.text else each(asked))
    with ModelServer([bad]) as server:
        vault = office.cloud(server.base_url).open()
        ingest.take_in(
            [
                said("Kim likes tea very much.", session="a"),
                said("This is poison to models.", session="b"),
                said("Lea likes coffee very much.", session="c"),
            ],
            vault.parts,
        )
        outcome = vault.flush()
        assert (outcome.turns, outcome.failed, len(server.requests)) == (2, 1, 3)
    assert texts(vault) == ["Kim likes tea very much.", "Lea likes coffee very much."]


def test_when_nobody_answers_one_question_is_enough(office: Office) -> None:
    with ModelServer([fails(401)]) as server:
        vault = office.cloud(server.base_url).open()
        ingest.take_in([said(session=name) for name in "abcde"], vault.parts)
        outcome = vault.flush()
        assert (outcome.postponed, len(server.requests)) == (5, 1)
    assert {waiting.reason for waiting in vault.waiting()} == {"auth"}


def test_turns_of_the_agent_alone_cost_nothing(office: Office) -> None:
    with ModelServer([answers(each)]) as server:
        vault = office.cloud(server.base_url).open()
        ingest.take_in([said("I changed the file.", role="assistant")], vault.parts)
        assert vault.flush().turns == 1 and server.requests == [] and vault.waiting() == []


def test_what_an_import_brought_is_left_to_the_rules(office: Office) -> None:
    with ModelServer([answers(each)]) as server:
        vault = office.cloud(server.base_url).open()
        ingest.take_in([said("I prefer tabs over spaces.")], vault.parts, "import-1")
        assert vault.flush().memories == 1 and server.requests == []


def test_portions_are_asked_about_in_the_order_of_their_next_turns(office: Office) -> None:
    def month(session: str, *days: int) -> list[Turn]:
        return [
            said(f"On day {day} part {part} of {session} is done.", f"{day}-{part}",
                 session=session, time=f"2026-01-{day:02d}T10:{part:02d}:00Z")
            for day in days for part in range(MOST_SHOWN)
        ]  # fmt: skip

    with ModelServer([answers(facts())]) as server:
        vault = office.cloud(server.base_url).open()
        for turns in (month("long", 2, 20, 28), month("short", 15), month("late", 25)):
            ingest.take_in(turns, vault.parts)
        vault.flush()
        asked = [re.findall(r"day (\d+) part 0 of (\w+)", one.text) for one in server.requests]
    assert [one[-1] for one in asked] == [
        ("2", "long"), ("15", "short"), ("20", "long"), ("25", "late"), ("28", "long"),
    ]  # fmt: skip


def test_what_was_decided_later_is_not_shown_beside_an_older_turn(office: Office) -> None:
    after, end = "2026-01-03T12:00:00Z", "2026-01-30T12:00:00Z"
    later = answers(facts(fact("The shop keeps its orders in MySQL.", LATER)))
    with ModelServer([later, answers(moved)]) as server:
        vault = office.cloud(server.base_url).open()
        ingest.take_in([said(LATER, session="end", time=end)], vault.parts)
        vault.flush()
        ingest.take_in([said(FIRST, "2", session="january", time=after)], vault.parts)
        assert vault.flush().superseded == 0
        assert "Known memories" not in server.requests[-1].text
    assert memory_of(vault, "The shop keeps its orders in MySQL.").status == "active"


def test_a_long_session_is_read_in_pieces_and_every_turn_is_settled_once(office: Office) -> None:
    report, answer = "Now I look at the tests.", "The cache was cold at every start. " * 25
    talk = [
        said(words, f"{number}-{at}", role="user" if at == 0 else "assistant")
        for number in range(150)
        for at, words in enumerate((f"Measure part {number} of it.", report, report, answer))
    ]
    with ModelServer([answers(facts())]) as server:
        vault = office.cloud(server.base_url).open()
        ingest.take_in(talk, vault.parts)
        assert vault.flush().turns == 600 and vault.waiting() == []
        shown = [
            number
            for one in server.requests
            for number in re.findall(r"^Measure part (\d+) ", one.text, re.MULTILINE)
        ]
        assert shown == [str(number) for number in range(150)]
        assert not any(report in one.text for one in server.requests)
        assert sum(row["turns"] for row in usage_log(vault)) == 600


def test_an_import_asks_as_many_questions_as_were_foretold(office: Office, tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        for number in range(900):
            size = (number * 7919) % (90 if number % 3 else 1800)
            row = {
                "role": "user" if number % 11 == 0 else "assistant",
                "content": f"{number} {'valve ' * (size // 6)}",
                "timestamp": f"2026-03-05T{number // 60:02d}:{number % 60:02d}:00Z",
            }
            stream.write(json.dumps(row) + "\n")
    with ModelServer([answers(facts())]) as server:
        vault = office.cloud(server.base_url).open()
        _, foretold = vault.forecast("jsonl", path)
        vault.import_files("jsonl", path, extract=False, tier="model")
        asked, cost = vault.questions()
        assert vault.flush().turns == 900
        assert len(server.requests) == len(asked) == foretold.calls > 9
        assert cost.input_tokens <= foretold.input_tokens


# -- updates ------------------------------------------------------------------------------------


def moved(asked: Asked) -> str:
    """The model sees what it replaces among what it is shown."""
    shown = re.findall(
        r"^\[(k\d+)\] The shop keeps its orders in Postgres", asked.text, re.MULTILINE
    )
    return facts(fact("The shop keeps its orders in MySQL.", LATER, replaces=shown))


def test_what_is_no_longer_true_is_superseded(office: Office) -> None:
    first = answers(facts(fact("The shop keeps its orders in Postgres.", FIRST)))
    with ModelServer([first, answers(moved)]) as server:
        vault = office.cloud(server.base_url).open()
        ingest.take_in([said(FIRST)], vault.parts)
        vault.flush()
        old = memory_of(vault, "The shop keeps its orders in Postgres.")
        ingest.take_in([said(LATER, "2", session="later")], vault.parts)
        outcome = vault.flush()
        shown = server.requests[-1].text
        assert f"[k1] {old.text}" in shown and old.id not in shown
    new = memory_of(vault, "The shop keeps its orders in MySQL.")
    old = memory_of(vault, "The shop keeps its orders in Postgres.")
    assert (outcome.memories, outcome.superseded) == (1, 1)
    assert (old.status, new.status) == ("superseded", "active")
    assert new.supersedes == (old.id,) and old.superseded_by == (new.id,)
    assert len(texts(vault)) == 2 and vault.doctor() == []


def test_the_agents_word_does_not_replace_the_persons(office: Office) -> None:
    def claimed(asked: Asked) -> str:
        shown = re.findall(r"^\[(k\d+)\] The shop keeps its orders", asked.text, re.MULTILINE)
        assert shown
        return facts(fact("The shop keeps its orders in MySQL.", LATER, turn=2, replaces=shown))

    first = answers(facts(fact("The shop keeps its orders in Postgres.", FIRST)))
    with ModelServer([first, answers(claimed)]) as server:
        vault = office.cloud(server.base_url).open()
        ingest.take_in([said(FIRST)], vault.parts)
        vault.flush()
        talk = [
            said("Look at the orders of the shop.", "2", session="later"),
            said(LATER, "3", session="later", role="assistant"),
        ]
        ingest.take_in(talk, vault.parts)
        assert vault.flush().superseded == 0
    assert texts(vault) == ["The shop keeps its orders in Postgres."]
    assert [one.code for one in vault.refusals()] == ["outranked"]


def test_an_id_that_was_not_shown_replaces_nothing(office: Office) -> None:
    first = answers(facts(fact("The shop keeps its orders in Postgres.", FIRST)))
    guess = answers(facts(fact("The user sleeps late.", "I sleep late.", replaces=["fact-1"])))
    with ModelServer([first, guess]) as server:
        vault = office.cloud(server.base_url).open()
        ingest.take_in([said(FIRST)], vault.parts)
        vault.flush()
        ingest.take_in([said("I sleep late.", "2", session="later")], vault.parts)
        assert vault.flush().refused == {"unknown_memory": 1}
    assert memory_of(vault, "The user sleeps late.").supersedes == ()
    assert memory_of(vault, "The shop keeps its orders in Postgres.").status == "active"


def test_the_same_answers_give_the_same_vault(office: Office) -> None:
    files: list[dict[str, bytes]] = []
    for name in ("one", "two"):
        with ModelServer([answers(each)]) as server:
            vault = office.cloud(server.base_url).open(name)
            taken_in(vault, 50)
            vault.flush()
            folder = vault.root / "facts"
            files.append({str(path.relative_to(folder)): path.read_bytes()
                          for path in sorted(folder.rglob("*.md"))})  # fmt: skip
    assert files[0] == files[1] and len(files[0]) == 50 and NOW[:10] in next(iter(files[0]))
