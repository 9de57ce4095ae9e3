"""What a person's choice makes of an agent's options, and which choices make nothing."""

from __future__ import annotations

import pytest

from engram.extract.receipt import receipt_of, verify
from engram.extract.voice import voiced
from engram.model.candidate import Candidate
from tests.extract.test_voice import Conversations, said

WAYS = """Two ways to store the carts of the till:

1. **Keep them in SQLite** and lock per till. Simple.
2. **Move them to Postgres**, one row a cart.

Which do you prefer?"""
PLANS = """### Option A: Event log

Append every change to a table and fold it.

### Option B: Snapshots

Write the whole state each hour.

I recommend option B because restores are faster."""
ADVICE = "The tokens expire anyway. I'd recommend storing them in Redis with a TTL. Shall I?"
PROPOSAL = """I'd propose:

- a queue with delayed jobs
- a table that a cron job polls

I recommend the table, since one till writes at night."""
INLINE = "Should prices be (a) cached per shop for a day or (b) read from the till each time?"
POOLS = """I see two ways:

**Option 1 (recommended): Shared pool**
One pool for all tills, weighted by plan.

**Option 2: Pool per till**
Strong isolation but more idle memory."""
LETTERS = "Two ways to do this:\n\n- **A)** Keep the key in the row\n- **B)** Keep bytes next to it"
GAP = "Options:\n1. Keep it\nSecond, move the carts\n3. Drop the carts\n\nWhich?"
TASKS = "Next steps:\n1. Commit the parser\n2. Add tests for dates\n\nWhich one first?"
OFFER = "Options:\n1. Commit and push now\n2. Move the carts to Postgres\n\nWhich one?"
LISTS = "Findings:\n1. The cache leaks\n2. No index\n\nOptions:\n1. Redis\n2. Memcached\n\nWhich?"


def taken(before: str, text: str, *known: Candidate) -> list[Candidate]:
    turns = [said("assistant", before, 1), said("user", text, 2)] if before else []
    turns = turns or [said("user", text, 2)]
    return voiced(known, turns, Conversations(turns))


@pytest.mark.parametrize(
    "before, text, decision, quoted",
    [
        (WAYS, "2", "Decision (Two ways to store the carts of the till): Move them to Postgres,"
         " one row a cart.", "**Move them to Postgres**, one row a cart."),
        (WAYS, "let's go with the first one, and add a test", "Keep them in SQLite and lock per"
         " till. Simple.", "**Keep them in SQLite** and lock per till. Simple."),
        (WAYS, "I prefer option 2, since two tills write", "Move them to Postgres", ""),
        (PLANS, "B please", "Snapshots: Write the whole state each hour.", ""),
        (PLANS, "yes, use option a", "Event log: Append every change to a table and fold it.", ""),
        (PLANS, "as you recommend", "Snapshots: Write the whole state each hour.", ""),
        (ADVICE, "ok, let's do it as you propose", "storing them in Redis with a TTL.", ""),
        (PROPOSAL, "yes do it as you propose", "the table, since one till writes at night.", ""),
        (INLINE, "(a)", "cached per shop for a day", "cached per shop for a day"),
        (WAYS, "option 2 it is", "Move them to Postgres", ""),
        (POOLS, "the first", "Shared pool: One pool for all tills, weighted by plan.", ""),
        (POOLS, "go with the recommended one", "Shared pool: One pool for all tills", ""),
        (LETTERS, "ok A sounds good", "Keep the key in the row", "Keep the key in the row"),
        (OFFER, "2", "Move the carts to Postgres", ""),
        (LISTS.replace("Options:\n1.", "Option 1:").replace("\n2. Mem", "\nOption 2: Mem"),
         "option 2", "Memcached", "Memcached"),
    ],
)  # fmt: skip
def test_a_choice_makes_the_agents_option_the_persons_decision(
    before: str, text: str, decision: str, quoted: str
) -> None:
    (found,) = taken(before, text)
    assert decision in found.text and found.text.startswith("Decision")
    assert (found.category, found.authority, found.voice) == ("decision", "user_asserted", "typed")
    assert found.receipt.role == "user" and found.receipt.quote in text
    (option,) = found.also
    assert option.role == "assistant" and option.quote in before
    assert not quoted or option.quote == quoted


@pytest.mark.parametrize(
    "before, text",
    [
        (WAYS, "yes"), (WAYS, "ok do it"), (WAYS, "both"), (WAYS, "1 and 2"), (WAYS, "3"),
        (WAYS, "1. fix the header\n2. then push"), (WAYS, "use 2 workers for this"),
        (WAYS, "the second one is broken, look again"), (ADVICE, "yes please"), (ADVICE, "2"),
        (TASKS, "2"), (OFFER, "1"),
        (OFFER.replace("Commit and push", "Delete the branch"), "1"), (GAP, "the second"),
        (GAP, "3"), (LISTS, "2"), ("", "option 2"),
        ("Shall I run the migration now?", "as you suggest"),
    ],
)  # fmt: skip
def test_a_bare_yes_a_task_and_an_unclear_choice_make_none(before: str, text: str) -> None:
    assert taken(before, text) == []


def test_an_option_that_the_person_pastes_alone_is_taken_and_a_pasted_list_is_not() -> None:
    option = "Move the carts to Postgres and write one row a cart from every till"
    other = "Keep the carts in SQLite and lock the whole file once for every till"
    before = f"Options:\n1. {other}\n2. {option}\n\nWhich one?"
    for text, made in ((f"can you build that? 2. {option}", True),
                       (f"1. {other}\n2. {option}\nwhat is the risk?", False)):  # fmt: skip
        turn = said("user", text, 2)
        known = Candidate("principle", option, receipt_of(turn, option), 0.8, rule="subject")
        (found,) = taken(before, text, known)
        assert (found.category, found.voice) == (
            ("decision", "typed") if made else ("principle", "pasted")
        )
        assert bool(found.also) == made


def test_the_models_own_statement_of_a_choice_gets_the_agents_turn_as_its_second_receipt() -> None:
    turn = said("user", "let's go with 2", 2)
    stated = Candidate(
        "decision", "The carts are kept in Postgres.", receipt_of(turn, "let's go with 2"), 0.7,
        origin="model",
    )  # fmt: skip
    (found,) = taken(WAYS, turn.text, stated)
    assert found.text == stated.text and found.authority == "user_asserted"
    assert [receipt.role for receipt in found.also] == ["assistant"]
    rules = Candidate("decision", "Let's go with 2.", receipt_of(turn, "let's go with 2"), 0.8)
    (found,) = taken(WAYS, turn.text, rules)
    assert "Postgres" in found.text


def test_both_receipts_of_a_choice_are_checked() -> None:
    turns = [said("assistant", WAYS, 1), said("user", "2", 2)]
    heard = Conversations(turns)
    (found,) = voiced([], turns, heard)
    assert verify(found, turns[1:], heard) == ""
    assert verify(found, turns[1:], Conversations([])) == "unknown-turn"
    forged = Conversations([said("assistant", "1. Oak\n2. Pine", 1)])
    assert verify(found, turns[1:], forged) != ""
