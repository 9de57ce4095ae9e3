"""What rules and model made of the same turns: nothing is lost but by the rules of merging."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.extract.llm.answer_items import refused
from engram.extract.merge import PRECISE
from engram.extract.merge import merged as merged_with
from engram.extract.receipt import receipt_of
from engram.model.candidate import Candidate
from engram.model.promotion import SpaceWish
from engram.model.turn import Turn, turn_of

TEXT = "We use Postgres for the shop. I prefer tabs. Kim leads the team."


def turn(text: str, message: str) -> Turn:
    return turn_of("user", text, "2026-03-06T12:00:00Z", source="t", session="s", message=message)


TURNS = [turn(TEXT, "1"), turn("Lea joined us in May.", "2")]


SHOWN = "\n".join(one.text for one in TURNS)


def merged(rules: list[Candidate], model: list[Candidate], shown: str = SHOWN) -> list[Candidate]:
    """What becomes of both, where the model was shown everything."""
    return merged_with(rules, model, TURNS, shown)


def by_rules(quote: str, at: int = 0, confidence: float = 0.85, **more: Any) -> Candidate:
    receipt = receipt_of(TURNS[at], quote)
    return Candidate("fact", f"Rules: {quote}", receipt, confidence, rule="r", **more)


def by_model(quote: str, at: int = 0, **more: Any) -> Candidate:
    receipt = receipt_of(TURNS[at], quote)
    return Candidate("fact", f"Model: {quote}", receipt, 0.7, origin="model", **more)


def texts(found: list[Candidate]) -> list[str]:
    return [candidate.text for candidate in found]


def test_the_model_wins_on_the_same_words() -> None:
    quote = "We use Postgres for the shop."
    rule = by_rules(quote, slot="shop::database", entities=("tool-postgres",), schema="constraint",
                    fields=(("due", "2026-03-10"),), space="user")  # fmt: skip
    model = by_model("use Postgres", entities=("project-shop",), fields=(("due", "x"), ("a", "b")))
    (found,) = merged([rule], [model])
    assert found.text == model.text and found.receipt == model.receipt
    assert found.origin == "model" and (found.slot, found.rule) == ("shop::database", "r")
    assert (found.schema, found.space, found.confidence) == ("constraint", "user", 0.85)
    assert found.entities == ("tool-postgres", "project-shop")
    assert dict(found.fields) == {"due": "2026-03-10", "a": "b"}


def test_of_another_category_only_the_names_are_taken() -> None:
    rule = by_rules("I prefer tabs.", slot="user::indent", entities=("thing-tabs",))
    model = replace(by_model("I prefer tabs."), category="preference")
    (found,) = merged([rule], [model])
    assert (found.slot, found.rule, found.entities) == ("", "", ("thing-tabs",))
    assert found.confidence == 0.7


def test_what_the_model_read_and_said_nothing_of_is_not_kept() -> None:
    rules = [by_rules("I prefer tabs.", confidence=1.0), by_rules("Lea joined us in May.", 1)]
    model = by_model("We use Postgres for the shop.")
    assert texts(merged(rules, [model])) == [model.text]
    assert merged(rules, []) == []


def test_a_slot_is_set_although_the_model_said_nothing() -> None:
    rule = by_rules("Kim leads the team.", confidence=0.5, slot="shop::lead")
    assert merged([rule], []) == [rule]


@pytest.mark.parametrize(
    ("sentence", "kept"),
    [
        ("Remember that Kim leads the team.", True), ("ok, please keep in mind: Kim leads", True),
        ("Done. Don't forget to feed the cat", True), ("remind me to call Kim by Friday", True),
        ("Do you remember that Kim leads the team?", False), ("I can't remember who leads", False),
        ("Remember when Kim led the team?", False), ("Kim leads the team.", False),
    ],
)  # fmt: skip
def test_what_the_person_asks_to_remember_is_kept_although_the_model_said_nothing(
    sentence: str, kept: bool
) -> None:
    assert bool(merged([by_rules("Kim leads the team.", sentence=sentence)], [])) == kept


def test_the_rules_keep_what_the_model_was_not_shown() -> None:
    cut = SHOWN.replace("I prefer tabs.", "[...]")
    left_out, read = by_rules("I prefer tabs.", confidence=0.5), by_rules("Kim leads the team.")
    assert merged([left_out, read], [], cut) == [left_out]


def test_where_an_item_could_not_be_used_a_precise_rule_is_believed() -> None:
    precise, vague = by_rules("I prefer tabs."), by_rules("Kim leads the team.", confidence=0.79)
    elsewhere = by_rules("Lea joined us in May.", 1)
    marked = replace(by_model("I prefer tabs."), fault="thin_quote")
    assert merged([precise, vague, elsewhere], [marked]) == [marked, precise]
    assert merged([precise], [refused("malformed")]) == [refused("malformed")]


def test_a_known_memory_that_is_said_again_takes_no_slot() -> None:
    rule = by_rules("I prefer tabs.", slot="user::indent")
    mention = replace(by_model("I prefer tabs."), confirms="fact-1")
    assert merged([rule], [mention]) == [mention, rule]


def test_words_of_another_turn_are_other_words() -> None:
    rule, model = by_rules("I prefer tabs.", slot="user::indent"), by_model("Lea joined us", 1)
    assert texts(merged([rule], [model])) == [rule.text, model.text]


def test_two_items_of_one_sentence_do_not_share_a_slot() -> None:
    rule = by_rules("We use Postgres for the shop.", slot="shop::database")
    first, second = by_model("We use Postgres"), by_model("for the shop.")
    assert [one.slot for one in merged([rule], [first, second])] == ["shop::database", ""]


def test_a_twin_of_the_same_category_goes_before_others() -> None:
    quote = "I prefer tabs."
    other = replace(by_rules(quote, slot="a"), category="preference")
    alike = by_rules(quote, slot="b")
    (found,) = merged([other, alike], [by_model(quote)])
    assert found.slot == "b"


def test_the_order_is_that_of_the_conversation() -> None:
    late, early = by_model("Lea joined us", 1), by_model("Kim leads the team.")
    again, fault = by_model("We use Postgres"), refused("malformed")
    tabs = by_rules("I prefer tabs.", slot="user::indent")
    found = merged([tabs], [late, fault, early, again])
    assert texts(found) == [
        early.text, again.text, "Rules: I prefer tabs.", late.text, "",
    ]  # fmt: skip


SPANS = st.tuples(st.integers(0, 1), st.integers(0, 60), st.integers(1, 40))


def quote_of(span: tuple[int, int, int]) -> tuple[str, int]:
    at, start, length = span
    text = TURNS[at].text
    start = min(start, len(text) - 1)
    return text[start : start + length], at


@given(
    st.lists(st.tuples(SPANS, st.floats(0, 1)), max_size=6),
    st.lists(st.tuples(SPANS, st.booleans()), max_size=6),
)
def test_nothing_is_lost_but_by_these_rules(
    rules: list[tuple[tuple[int, int, int], float]], model: list[tuple[tuple[int, int, int], bool]]
) -> None:
    ours = [by_rules(*quote_of(span), confidence=how, title=f"{n}")
            for n, (span, how) in enumerate(rules)]  # fmt: skip
    theirs = [by_model(*quote_of(span), title=f"m{n}", fault="x" if bad else "")
              for n, (span, bad) in enumerate(model)]  # fmt: skip
    found = merged(ours, theirs)
    names = [candidate.title for candidate in found]
    assert len(names) == len(set(names))
    assert {one.title for one in theirs} <= set(names)
    sound = {one.receipt.message for one in theirs if not one.fault}
    unusable = {one.receipt.message for one in theirs if one.fault}
    for one in ours:
        if one.receipt.message not in sound:
            tried = one.receipt.message in unusable
            assert (one.title in names) == (tried and one.confidence >= PRECISE)
        assert one.title not in names or one in found


def test_the_space_that_the_person_asks_for_wins_over_the_models() -> None:
    wish = SpaceWish("user", "hint:remember_for_me")
    rule = by_rules(TEXT, wish=wish)
    models = [by_model("I prefer tabs.", space="project"), by_model("Kim leads the team.")]
    assert [one.wish for one in merged([rule], models)] == [wish, wish]
    (alone,) = merged([rule], [])
    assert alone.wish == wish
