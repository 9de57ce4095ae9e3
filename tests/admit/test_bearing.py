"""Bearing: what a statement lacks to stand alone and to last."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engram.admit.gate.bearing import bearing
from engram.extract.receipt import receipt_of
from engram.model.candidate import Appraisal, Candidate
from engram.model.turn import turn_of
from tests.admit.cases import SAID, candidate

REFUSED = {
    "dangling": [
        "It is on MySQL.", "it's on MySQL", "He left the team.", "They’re gone.", "“It works",
        "Their shop closed.", "This is new.", "That approach works.", "- This, too.",
        "The fix is to leave the flag off.", "The screenshot shows the old till.",
        "We go with option 2 for the till.", "Receipts look better as above.",
        "The user is minding her shop until May.", "We told him.",
        "Er arbeitet seit Mai bei uns.", "Das ist schon fertig.", "他在北京工作。", "这是新的。",
    ],
    "question": [
        "The till keeps its orders in Postgres, right?", "We ship on Fridays, correct.",
        "The other two jobs are idle, can we stop them since they are through.",
        "Should the till print twice", "Wann ist der Termin?", "什么时候上线？",
    ],
    "request": [
        "Let's do the short one only.", "Do not add the long labels.", "Add a button to the till.",
        "We should move the totals to the left.", "Please use the blue icon.",
    ],
    "passing": [
        "The till is down right now.", "Skip the linter for this commit.",
        "Always print twice, just this once.",
    ],
    "repair": [
        "I meant the comment on the receipt.", "no, I was talking about the other till",
        "sorry, not that one",
    ],
    "cut": ["Lisbon.", "The receipts are printed by the", "The till (in the shop prints twice.",
            "香菜。", "因为下单需要事务，"],
    "working": [
        "We have three idle printers.", "I just pushed the fix for the till.",
        "The tests pass now.", "All tests are green.", "There are two review comments.",
        "The till is still failing on Linux.", "You forgot the header of the receipt.",
    ],
}  # fmt: skip
KEPT = [
    "Das Team liefert montags aus.", "Es gibt zwei Server.", "用户不吃香菜。", "评审会在周一。",
    "Commit-Nachrichten werden immer auf Deutsch geschrieben.",
    "Die Heizung springt im Winter um sechs an.",
    "This repository uses ruff.", "This project's tests are slow.", "IT runs the shop.",
    "These days the user works at night.", "This Friday (2026-03-13) the shop closes.",
    "Items are kept for a year.", "That-one is a library.", "Never commit to main.",
    "Every receipt must name its till.", "Let's go with server side rendering.",
    "Do not mock the till because the printers differ.", "The user prefers short answers.",
    "We no longer need the old printer.", "We are going to adopt the new receipt format.",
    "We committed to three tills in the contract.", "Use pnpm instead of npm.",
    "Stop adding comments that repeat the code.", "The user is called Ro.",
    "Let's use a paper ledger for the deposits.", "Don't print a flyer, print a calendar.",
    "The fix was to pass the long flag.", "We will have two tills.", "Keep the recipes simple.",
    "Skip the voucher page, we don't need it.", "The user is trying to build a tide clock.",
    "Keep the answers short.", "We should always round up the totals.",
    "A session may belong to another cashier.", "Paper it is.",
    "The user asked Ilka for her recipe.", "The user minds the cat and her kittens.",
    "Let's drop the old printer, one till is enough.", "We can assume refunds are final.",
    "You should know that I'm not the greatest baker.",
    "We need to preserve the ability to print old receipts.",
    "The till never has to print twice;", "It's fine to close the till early.",
    "It doesn't matter whether the courier sees the price.", "Please use British spelling.",
]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "text"), [(code, text) for code, texts in REFUSED.items() for text in texts]
)
def test_a_statement_that_does_not_stand_or_last_is_refused(code: str, text: str) -> None:
    assert bearing(candidate(text)) == code


@pytest.mark.parametrize("text", KEPT)
def test_a_lasting_statement_is_kept(text: str) -> None:
    assert bearing(candidate(text)) == ""


def test_the_sentence_around_a_quote_tells_that_it_asks() -> None:
    asked = candidate("The till rounds up.", sentence="So the till rounds up, is that right?")
    assert bearing(asked) == "question"


def test_a_change_of_mind_is_no_mere_request() -> None:
    kept = candidate("Let's keep npm.", sentence="Never mind, let's keep npm.")
    assert bearing(kept) == ""


def test_an_order_that_was_given_in_another_session_too_is_kept() -> None:
    assert bearing(candidate("Do not add the long labels."), said_again=True) == ""


def test_a_text_in_another_language_is_kept() -> None:
    assert bearing(candidate("영수증은 항상 두 번 인쇄합니다.")) == ""
    assert bearing(candidate("Die Kasse druckt jeden Beleg zweimal.")) == ""


def test_what_is_said_of_the_project_is_known_beside_the_memory() -> None:
    for text in ("This will only ever be a demo.", "This is to support an exhibition."):
        assert bearing(candidate(text, project="till")) == ""
        assert bearing(candidate(text, project="")) == "dangling"


def found_out(text: str, quote: str) -> Candidate:
    """A statement that a model makes of an agent's words."""
    turn = turn_of("assistant", quote, SAID, source="test", session="s", message="m")
    made = candidate(text, receipt=receipt_of(turn, quote), sentence=quote, origin="model")
    return replace(made, voice="agent", authority="ai_inferred")


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("All 38 tests of the till pass.", "All 38 tests pass now."),
        ("The branch feature/till was pushed.", "I pushed the branch feature/till."),
        ("Three files of the till were changed.", "I changed three files: a.py, b.py and c.py."),
        ("The agent looks at the printer's log first.", "Let me look at the printer's log first."),
        ("The tests of the till still fail.", "The tests still fail with the same error."),
        ("The pull request is ready for review.", "The pull request is ready for review."),
        ("Step 2 of 5 is done.", "Step 2 of 5 is done, continuing with step 3."),
        ("The type checker reports no errors in till.py.", "mypy reports no errors in till.py."),
        ("The file till.py was read.", "I've read till.py."),
    ],
)
def test_an_agents_report_of_its_work_is_no_finding(text: str, quote: str) -> None:
    assert bearing(found_out(text, quote)) == "working"


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("The till build failed because glob 9 needs Node 18; pinning glob 8 fixed it.",
         "The build failed because glob 9 needs Node 18; I pinned glob 8."),
        ("Receipts were cut off because the printer's buffer is 4 KB; chunks of 2 KB fixed it.",
         "I fixed the cut receipts by sending chunks of 2 KB, the printer's buffer is 4 KB."),
        ("The rounding of totals lies in `till/sum.py`, and rounds half up.",
         "The rounding in this file is half up."),
        ("A full sync of the tills takes 40 seconds since the index was added.",
         "I ran a full sync: 40 seconds with the index."),
    ],
)  # fmt: skip
def test_a_finding_tells_more_than_the_work_it_comes_from(text: str, quote: str) -> None:
    assert bearing(found_out(text, quote)) == ""


def test_a_model_ends_its_sentences_and_states_what_a_question_only_begins_with() -> None:
    assert bearing(candidate("The till prints whatever its language is.")) == "cut"
    assert bearing(found_out("The till prints whatever its language is.", "It prints all.")) == ""
    said = "i don't have a till, can the tests run without one?"
    asked = candidate("The user has no till.", receipt=receipt_of(
        turn_of("user", said, SAID, source="test", session="s"), said), sentence=said)  # fmt: skip
    assert bearing(asked) == "question"
    assert bearing(replace(asked, origin="model")) == ""
    assert bearing(replace(asked, origin="model", text="The tests run without one.")) == "question"


def test_what_we_should_do_is_no_order_where_a_model_takes_it_for_lasting() -> None:
    said = "we should get off the old printer anyway"
    made = candidate("The old printer of the till is given up.", receipt=receipt_of(
        turn_of("user", said, SAID, source="test", session="s"), said), origin="model")  # fmt: skip
    assert bearing(made) == ""
    assert bearing(replace(made, appraisal=Appraisal(lasting=-1))) == "request"
    assert bearing(replace(made, origin="rules")) == "request"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Vera has to approve before the till is changed.", "no change of the till without her ok"),
        (
            "The user chose option B, SQLite, for the till.",
            "let's go with option B, the sqlite one",
        ),
        ("The till's container failed because the image based on Alpine has no fonts.", "no fonts"),
        ("The till's settings lie in `till.toml`, without the former `beep`.", "`beep` is gone"),
        ("The shop in Oslo, not the web shop, has the old till.", "i meant the shop in Oslo"),
    ],
)
def test_a_models_statement_is_judged_by_its_own_words(text: str, said: str) -> None:
    made = candidate(text, receipt=receipt_of(
        turn_of("user", said, SAID, source="test", session="s"), said), origin="model")  # fmt: skip
    assert bearing(made) == ""


def test_what_the_person_agreed_to_may_be_a_question_of_the_agent() -> None:
    asked = found_out("The till moves to Postgres.", "Shall I move the till to Postgres?")
    assert bearing(asked) == "question"
    yes = receipt_of(turn_of("user", "yes, do that", SAID, source="test", session="s"), "yes")
    assert bearing(replace(asked, voice="typed", also=(yes,))) == ""


def test_an_agent_reads_a_file_and_a_part_reads_one() -> None:
    part = "The till reads prices from `prices.db`, not from the network."
    assert bearing(found_out(part, "Read prices from `prices.db`, not from the network")) == ""
    advice = "The agent recommends one price list for each till."
    assert bearing(found_out(advice, "I recommend one price list for each till.")) == ""
    assert bearing(found_out("The agent reads `prices.db` next.", "I read it next.")) == "working"


def test_what_somebody_started_is_of_their_life_where_a_model_takes_it_for_lasting() -> None:
    said = "started learning Spanish in January"
    made = candidate("The user started learning Spanish.", receipt=receipt_of(
        turn_of("user", said, SAID, source="test", session="s"), said), origin="model")  # fmt: skip
    assert bearing(made) == ""
    assert bearing(replace(made, appraisal=Appraisal(lasting=-1))) == "working"
    assert bearing(replace(made, text="The user pushed the branch.")) == "working"
