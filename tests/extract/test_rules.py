"""The rules tier: what people say becomes candidates, what they do not say does not."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.extract.receipt import verify
from engram.extract.rules.rules_tier import RulesTier
from engram.extract.rules.table import FAMILIES
from engram.model.candidate import Candidate
from engram.model.memory import CATEGORIES
from engram.model.turn import turn_of
from tests.kit import failing


def toml(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        return tomllib.load(file)


TABLE = toml(Path(__file__).parents[2] / "config" / "rules.toml")
SENTENCES = toml(Path(__file__).parent / "sentences.toml")
#: a Wednesday
TIME = "2026-03-04T10:00:00Z"

#: the table is compiled in one process only
pytestmark = pytest.mark.xdist_group("rules")


@cache
def rules() -> RulesTier:
    """Of the shipped table."""
    return RulesTier(TABLE)


def extracted(
    text: str, *, project: str = "shop", tier: RulesTier | None = None
) -> list[Candidate]:
    return (tier or rules()).extract([turn_of("user", text, TIME, project=project)])


def only(text: str) -> Candidate:
    (candidate,) = extracted(text)
    return candidate


def test_every_rule_takes_its_own_example() -> None:
    def check(row: tuple[str, dict[str, Any]]) -> None:
        family, rule = row
        candidate = only(rule["example"])
        assert candidate.rule == rule["name"]
        assert candidate.category == rule.get("category", FAMILIES[family])

    assert not failing([(family, row) for family in FAMILIES for row in TABLE[family]], check)


@pytest.mark.parametrize("category", [*CATEGORIES, "nothing"])
def test_a_sentence_becomes_one_candidate_of_its_category_or_none(category: str) -> None:
    expected = [] if category == "nothing" else [category]

    def check(text: str) -> None:
        assert [candidate.category for candidate in extracted(text)] == expected

    assert not failing(SENTENCES[category], check)


def all_statements() -> list[str]:
    return [text for category in CATEGORIES for text in SENTENCES[category]]


def test_what_an_assistant_says_never_fires() -> None:
    turns = [turn_of("assistant", text, TIME) for text in all_statements()]
    assert rules().extract(turns) == []


@pytest.mark.parametrize(
    "wrapped",
    ["```\n{}\n```", "> {}", "    {}", "`{}`", "<log>\n{}\n</log>", "Dana wrote:\n{}", "# {}"],
)
def test_code_quotations_and_tool_output_never_fire(wrapped: str) -> None:
    for text in all_statements():
        if "`" not in text:
            assert extracted(wrapped.format(text)) == []


def test_nothing_fires_on_a_statement_that_was_made_a_question_or_a_doubt() -> None:
    plain = [text.rstrip(".!") for text in all_statements()]
    for text in [text for text in plain if re.fullmatch(r"[\w' ]+", text)]:
        assert extracted(f"is it true that {text}?") == []
        assert extracted(f"maybe {text}") == []


def test_every_receipt_holds() -> None:
    turns = [turn_of("user", text, TIME, message=text) for text in all_statements()]
    candidates = rules().extract(turns)
    assert len(candidates) >= len(turns)
    assert {verify(candidate, turns) for candidate in candidates} == {""}


def test_candidates_are_modest_and_owned_by_the_person() -> None:
    for candidate in extracted("\n".join(all_statements()[:40])):
        assert 0.4 <= candidate.confidence <= 0.85
        assert candidate.authority == "user_asserted"
        assert candidate.origin == "rules"
        assert candidate.project == "shop"
        assert 0.1 < candidate.importance <= 1
        assert len(candidate.tags) <= 5


def test_the_same_turns_give_the_same_candidates() -> None:
    text = "\n".join(all_statements()[:60])
    assert extracted(text) == extracted(text, tier=RulesTier(TABLE))


def test_a_turn_gives_no_more_than_its_share() -> None:
    text = " ".join(f"We use oak number {number} for tables." for number in range(9))
    assert len(extracted(text)) == 6
    assert len(extracted(text, tier=RulesTier(TABLE, max_per_turn=2))) == 2


def test_what_is_said_twice_in_a_turn_is_proposed_once() -> None:
    assert len(extracted("we use oak for tables. ok? we use oak for tables.")) == 1


def test_the_quote_is_the_sentence_as_it_was_written() -> None:
    candidate = only("Ok  so,\n\nI’ve decided to\tuse oak!  Go on")
    assert candidate.receipt.quote == "I’ve decided to\tuse oak!"
    assert candidate.text == "The user has decided to use oak."


def test_a_denial_of_its_own_opens_the_correction_after_it() -> None:
    candidate = only("That's wrong. The limit is six chairs.")
    assert candidate.corrects
    assert candidate.receipt.quote == "That's wrong. The limit is six chairs."
    assert candidate.text == "The limit is six chairs."


def test_a_correction_without_a_name_says_that_it_is_one() -> None:
    candidate = only("no, it's oak, not pine")
    assert candidate.text == "Correction: it's oak, not pine."
    assert candidate.corrects


def test_a_corrected_name_sets_the_slot_of_names() -> None:
    candidate = only("no, my name is Jon, not John")
    assert (candidate.category, candidate.slot, candidate.space) == (
        "correction",
        "user::name",
        "user",
    )


def test_a_claim_and_its_denial_are_one_correction() -> None:
    candidate = only("you wrote that Nils bakes the rye. He doesn't, that's Orla")
    assert candidate.category == "correction"
    assert "Nils" in candidate.text
    assert "Orla" in candidate.text


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("I'll send the invoice by Friday", "2026-03-06"),
        ("the report is due on March 20", "2026-03-20"),
        ("we must deliver the chairs before the end of the month", "2026-03-31"),
        ("remind me to oil the saw", ""),
    ],
)
def test_a_commitment_is_open_and_knows_its_day(text: str, due: str) -> None:
    candidate = only(text)
    fields = dict(candidate.fields)
    assert candidate.category == "commitment"
    assert fields["commitment_state"] == "open"
    assert fields.get("due", "") == due


def test_a_duty_whose_day_is_past_is_no_commitment() -> None:
    assert extracted("I'll send the invoice by 2026-01-05") == []


def test_a_decision_is_accepted_and_valid_from_the_day_it_names() -> None:
    candidate = only("we switched from pine to oak last week")
    assert candidate.fields == (("decision_state", "accepted"),)
    assert candidate.valid_from == "2026-02-23"
    assert only("we decided to use oak").valid_from == "2026-03-04"


def test_relative_dates_become_days_and_still_make_an_episode() -> None:
    candidate = only("we launched the catalogue yesterday")
    assert "on 2026-03-03" in candidate.text
    assert "yesterday" in candidate.receipt.quote
    assert (candidate.kind, candidate.valid_from) == ("episode", "2026-03-03")


@pytest.mark.parametrize(
    ("text", "slot", "space"),
    [
        ("my name is Mara Holt", "user::name", "user"),
        ("my email is mara@example.org", "user::email", "user"),
        ("I work at Tern Bakery", "user::employer", "user"),
        ("I work as a baker", "", "user"),
        ("I live in Graz", "user::location", "user"),
        ("my timezone is CET", "user::timezone", "user"),
        ("my editor is neovim", "user::editor", "user"),
        ("my keyboard is loud and grey", "", "user"),
        ("our main branch is trunk", "shop::main-branch", "project"),
        ("Tern is our payment provider", "shop::payment-provider", "project"),
        ("our team is small and loud", "", "project"),
    ],
)
def test_slots_are_set_where_one_value_replaces_another(text: str, slot: str, space: str) -> None:
    candidate = only(text)
    assert (candidate.slot, candidate.space) == (slot, space)


def test_without_a_project_there_is_no_slot_of_a_project() -> None:
    (candidate,) = extracted("our main branch is trunk", project="")
    assert candidate.slot == ""


@pytest.mark.parametrize(
    ("text", "space"),
    [
        ("I prefer oak over pine", "user"),
        ("I prefer oak over pine in this project", "project"),
        ("always answer in short sentences", "user"),
        ("I prefer the edges clean", "project"),
    ],
)
def test_a_preference_holds_everywhere_unless_it_names_the_project(text: str, space: str) -> None:
    candidate = only(text)
    assert (candidate.category, candidate.space) == ("preference", space)


@pytest.mark.parametrize(
    "text, category",
    [
        ("I can only bake on Sundays because of the ovens", "fact"),
        ("My baker says I should not knead for at least six weeks", "fact"),
        ("we can only bake on Sundays because of the ovens", "principle"),
        ("lets go with rye", "decision"),
    ],
)
def test_what_one_can_do_oneself_is_no_rule_and_a_choice_is_a_decision(
    text: str, category: str
) -> None:
    assert only(text).category == category


def test_people_companies_and_tools_become_entities() -> None:
    assert only("my manager is Mara Holt").entities == ("person-mara-holt",)
    assert only("I work at Tern Bakery").entities == ("company-tern-bakery",)
    assert only("we decided to use Postgres").entities == ("tool-postgres",)


def test_constraints_and_fixes_have_their_schema() -> None:
    assert only("the catalogue must not exceed 40 pages").schema == "constraint"
    assert only("the fix was to oil the hinge").schema == "runbook"


def test_several_statements_of_a_turn_are_several_candidates_in_their_order() -> None:
    text = "hi! I'm a baker. we use oak for the counter, can you help? From now on no pine here."
    assert [candidate.category for candidate in extracted(text)] == ["fact", "fact", "principle"]


@given(st.text(max_size=300))
def test_any_turn_is_read_without_error_and_every_receipt_holds(text: str) -> None:
    turn = turn_of("user", text, TIME)
    assert {verify(candidate, [turn]) for candidate in rules().extract([turn])} <= {""}


_WORDS = st.sampled_from(
    ["we", "I", "use", "oak", "never", "is", "the", "because", "by Friday", ",", ".", "not", "my",
     "name", "always", "no", "actually", "if", "?", "Bo", "owns", "must", "5", "\n", "- ", "`x`"]
)  # fmt: skip


@given(st.lists(_WORDS, max_size=30).map(" ".join))
def test_any_heap_of_telling_words_is_read_without_error_and_alike(text: str) -> None:
    turn = turn_of("user", text, TIME)
    candidates = rules().extract([turn])
    assert candidates == rules().extract([turn])
    assert {verify(candidate, [turn]) for candidate in candidates} <= {""}


def test_a_wish_about_a_part_of_a_project_holds_there_alone() -> None:
    assert only("I'd prefer that the totals are printed on every receipt").space == "project"
    (chat,) = extracted("I'd prefer that the totals are printed on every receipt", project="")
    assert (only("I prefer short functions").space, chat.space) == ("user", "user")


def test_an_order_that_stands_is_a_principle_and_one_about_answers_a_preference() -> None:
    assert only("never commit .env files").category == "principle"
    answers = only("never use emojis in your replies")
    assert (answers.category, answers.space) == ("preference", "user")
