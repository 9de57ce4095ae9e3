"""What is worth a file, and the factors of its score."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.admit.gate.worth import LEAST, MOST_CHARACTERS, factors_of, unworthy
from engram.extract.receipt import receipt_of
from engram.model.candidate import Appraisal
from engram.model.memory import CATEGORIES
from engram.model.turn import turn_of
from tests.admit.cases import candidate, memory
from tests.admit.test_gate_candidates import proposed, rows
from tests.effort import examples


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_plain_statement_of_any_category_is(category: str) -> None:
    assert unworthy(candidate(category=category), "low") == ""


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"category": "gossip"}, "unknown_category"), ({"category": ""}, "unknown_category"),
        ({"text": ""}, "empty"), ({"text": " ... !? "}, "empty"),
        ({"text": "x" * (MOST_CHARACTERS + 1)}, "too_long"),
        ({"confidence": 1.01}, "out_of_range"), ({"confidence": -0.1}, "out_of_range"),
        ({"confidence": float("nan")}, "out_of_range"), ({"importance": 2.0}, "out_of_range"),
        ({"importance": 0.19}, "trivial"),
    ],
)  # fmt: skip
def test_what_is_not_has_a_code(fields: dict[str, object], code: str) -> None:
    assert unworthy(candidate(**fields), "low") == code


def test_the_longest_statement_still_is() -> None:
    assert unworthy(candidate(text="x" * MOST_CHARACTERS), "low") == ""


@pytest.mark.parametrize(
    ("least", "importance", "code"),
    [
        ("trivial", 0.0, ""), ("low", 0.2, ""), ("normal", 0.39, "trivial"), ("normal", 0.4, ""),
        ("critical", 0.89, "trivial"), ("critical", 0.9, ""),
    ],
)  # fmt: skip
def test_the_threshold_is_a_level(least: str, importance: float, code: str) -> None:
    assert unworthy(candidate(importance=importance), least) == code


def test_the_persons_own_word_is_never_trivial_but_may_be_empty() -> None:
    assert unworthy(candidate(origin="person", importance=0.0), "critical") == ""
    assert unworthy(candidate(origin="person", text="?"), "low") == "empty"


# -- the score ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "stability", "reuse"),
    [
        ("The till speaks to the printer.", 1, 0), ("Never refund without a receipt.", 1, 1),
        ("We always run `make lint` before a release.", 2, 2), ("Make the button green.", 0, 0),
        ("test suites need a running broker", 1, 0), ("test the running broker", 0, 0),
        ("The till is down right now.", 0, 0), ("It is slow.", 0, 0),
        ("Use the old till for this PR, always.", 0, 0),
        ("avoid snapshots in the parser", 0, 0), ("avoid snapshots in parsers", 0, 1),
        ("and stop saying 'sure thing'", 1, 1),
        ("The importer is in tools/import.py since 2.4.", 1, 2),
        ("no, orders close at 18:00, not 20:00.", 2, 0),
        ("the move of the till went well", 1, 0),
        ("we decided to keep it", 0, 0), ("they must always match", 0, 0),
        ("our budget is 2500 euros", 1, 1), ("this is a Rails app", 1, 0),
        ("this is a good point", 0, 0),
        ("\u5fc5\u305a\u30b9\u30da\u30fc\u30b9\u3092\u4f7f\u3046", 1, 0),
    ],
)  # fmt: skip
def test_stability_and_reuse_are_read_from_the_words(said: str, stability: int, reuse: int) -> None:
    found = factors_of(candidate(said))
    assert (found.stability, found.reuse) == (stability, reuse)


def test_the_category_brings_no_point() -> None:
    scores = {factors_of(candidate(category=category)).score for category in CATEGORIES}
    assert scores == {5}


def test_what_stands_around_the_quote_may_take_points_away() -> None:
    said = candidate("We use the old till.", sentence="We use the old till, just this once.")
    assert factors_of(said).score == 5 and factors_of(said).reuse == 0
    marked = candidate("We use `old.till`.", sentence="We use `old.till`, just this once.")
    assert factors_of(marked).reuse == 0 < factors_of(candidate("We use `old.till`.")).reuse


@pytest.mark.parametrize(
    ("other", "novelty"),
    [
        ("For reports we use Typst.", 0),
        ("We use Typst for monthly reports.", 1),
        ("We use LaTeX for reports.", 2),
        ("We do not use Typst for reports.", 2),
        ("The till speaks to the printer.", 2),
    ],
)
def test_novelty_is_what_no_other_memory_says(other: str, novelty: int) -> None:
    said = candidate("We use Typst for reports.")
    assert factors_of(said, [memory(other)]).novelty == novelty


def test_a_statement_of_a_rule_file_is_half_known() -> None:
    assert factors_of(candidate(), written=True).novelty == 1


@pytest.mark.parametrize(
    ("fields", "evidence"),
    [
        ({}, 2), ({"voice": "pasted"}, 1), ({"voice": "agent"}, 1), ({"voice": "stored"}, 1),
        ({"voice": "program"}, 0), ({"text": "Maybe the shop uses Postgres."}, 1),
    ],
)  # fmt: skip
def test_evidence_is_whose_words_they_are(fields: dict[str, str], evidence: int) -> None:
    assert factors_of(candidate(**fields)).evidence == evidence


def test_a_quote_that_says_little_of_the_statement_is_thin() -> None:
    said = replace(
        candidate("it is so"), text="The shop closes its books in the first week of May."
    )
    assert factors_of(said).evidence == 1


def test_what_is_about_something_known_is_worth_more_and_what_is_internal_less() -> None:
    said = candidate("Prints go to the upper tray.")
    assert factors_of(said, known=True).score == factors_of(said).score + 1
    assert factors_of(said, sensitivity=1).score == factors_of(said).score - 1


def test_an_option_that_the_person_took_is_decided() -> None:
    offered = receipt_of(
        turn_of("assistant", "a queue per shop", "2026-03-06T10:09:00Z"), "a queue per shop"
    )
    taken = candidate("queue per shop", also=(offered,))
    said = receipt_of(turn_of("user", "the first", "2026-03-06T10:10:00Z"), "the first")
    chosen = candidate("Decision: a queue.", receipt=said, also=(offered,))
    assert factors_of(chosen).evidence == 2
    assert factors_of(replace(chosen, also=())).evidence == 1
    assert factors_of(taken).stability == factors_of(candidate("queue per shop")).stability + 1
    bare = replace(candidate("option 2", also=(offered,)), text="Decision: a queue per shop.")
    assert factors_of(bare).evidence == 2 > factors_of(replace(bare, also=())).evidence


def test_a_model_takes_points_away_and_praises_only_what_the_words_praise() -> None:
    plain = factors_of(candidate())
    blamed = factors_of(candidate(appraisal=Appraisal(-1, -1, 1)))
    assert blamed == (plain.novelty - 1, plain.stability - 1, 0, plain.evidence - 1, 0)
    praised = factors_of(candidate(appraisal=Appraisal(1, 1)))
    assert (praised.stability, praised.reuse) == (2, 0)


def test_a_model_that_praises_everything_lets_no_junk_in() -> None:
    praise = Appraisal(1, 1)
    for row in rows("junk"):
        said = proposed(row)
        if factors_of(said).score < LEAST:
            assert factors_of(replace(said, appraisal=praise)).score < LEAST, row


def test_what_a_model_states_of_a_conversation_may_say_more_than_its_quote() -> None:
    quote = "the index on orders is missing"
    text = "Search of the shop takes 800 ms, because Postgres has no index for it on orders."
    short = replace(candidate(quote, sentence=quote), text=text)
    assert factors_of(short).evidence == 1
    told = replace(short, origin="model")
    assert factors_of(told).evidence == factors_of(replace(told, voice="agent")).evidence == 2
    assert factors_of(replace(told, voice="pasted")).evidence == 1
    assert factors_of(replace(told, text="The user lives in Oslo.")).evidence == 1
    praised = replace(told, voice="agent", appraisal=Appraisal(1, 1))
    assert factors_of(praised) == factors_of(replace(told, voice="agent"))


@given(st.text(max_size=300), st.text(max_size=300))
@examples(50)
def test_factors_of_any_words_are_0_to_2(text: str, quote: str) -> None:
    found = factors_of(candidate(text, sentence=quote))
    assert all(0 <= number <= 2 for number in found)


def test_a_translation_has_the_evidence_of_its_quote() -> None:
    quote = "Der Steuerberater braucht die Belege und die Rechnungen bis zum Zehnten."
    made = replace(candidate(quote, origin="model"), text="The accountant needs the receipts.")
    assert factors_of(made).evidence == 2


def test_what_passes_with_a_day_to_come_is_kept_until_then() -> None:
    trip = "The user spends two nights in Trieste in May (2026-05)."
    passing = Appraisal(lasting=-1)
    ahead = candidate(trip, origin="model", appraisal=passing)
    assert factors_of(ahead).score >= LEAST
    gone = replace(ahead, text=trip.replace("2026-05", "2025-05").replace(" in May", ""))
    assert factors_of(gone).score < LEAST


def test_a_price_is_met_again_on_whichever_side_its_sign_stands() -> None:
    for price in ("1,200€", "1,200 €", "€1,200", "5%"):
        assert factors_of(candidate(f"The till costs {price} a year in rent.")).reuse > 0, price
