"""Slots: whose value stands."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engram.admit.slot import attributes_of, contest, overtaken
from engram.model.authority import AUTHORITIES
from engram.model.memory import Memory
from tests.admit.cases import EARLIER, SAID, candidate, memory

LATER = "2026-03-06T11:00:00Z"


def test_the_newer_of_equals_replaces_and_the_older_is_history() -> None:
    holder = memory(created=EARLIER)
    assert contest(candidate(time=SAID), [holder]) == ("replace", holder)
    later = memory(created=LATER)
    assert contest(candidate(time=SAID), [later]) == ("history", later)


def test_of_two_at_the_same_second_the_one_said_last_stands() -> None:
    assert contest(candidate(time=SAID), [memory(created=SAID)])[0] == "replace"


@pytest.mark.parametrize("authority", AUTHORITIES)
@pytest.mark.parametrize("held", AUTHORITIES)
def test_what_has_more_authority_stands(authority: str, held: str) -> None:
    below = AUTHORITIES.index(authority) < AUTHORITIES.index(held)
    said, holder = candidate(authority=authority), memory(authority=held)
    assert contest(said, [holder])[0] == ("stands" if below else "replace")


def test_a_correction_by_the_user_stands_above_every_authority() -> None:
    holder = memory(authority="system_imposed")
    assert contest(candidate(authority="user_asserted", corrects=True), [holder])[0] == "replace"
    assert contest(candidate(authority="ai_inferred", corrects=True), [holder])[0] == "stands"


def test_a_correction_stands_against_a_bare_statement_and_no_change_that_is_told() -> None:
    holder = memory("Kim uses vim.", authority="user_asserted", category="correction")
    said = candidate("Kim uses nano.", authority="user_asserted")
    assert contest(said, [holder]) == ("stands", holder)
    for told in (
        replace(said, text="Kim now uses nano."), replace(said, sentence="Kim moved to nano."),
        replace(said, origin="person"), replace(said, category="correction"),
    ):  # fmt: skip
        assert contest(told, [holder]) == ("replace", holder)
    late = replace(said, receipt=replace(said.receipt, time="2026-01-01T00:00:00Z"))
    assert contest(late, [holder]) == ("history", holder)
    doubted = replace(holder, status="needs-review")
    assert contest(said, [memory(authority="user_asserted"), doubted])[0] == "replace"


def test_a_disputed_holder_shields_no_trusted_one() -> None:
    trusted = memory("Kim uses vim.", authority="user_asserted")
    disputed = memory("Kim uses emacs.", created=SAID, status="needs-review")
    again = candidate("Kim uses nano.", time=LATER)
    assert contest(again, [trusted, disputed]) == ("stands", trusted)


def test_a_disputed_holder_makes_no_history_of_what_the_user_says() -> None:
    trusted = memory("Kim uses vim.", authority="user_asserted")
    disputed = memory("Kim uses emacs.", created=LATER, status="needs-review")
    said = candidate("Kim uses helix.", time=SAID, authority="user_asserted")
    assert contest(said, [trusted, disputed])[0] == "replace"


# -- attributes of one entity -------------------------------------------------------------------


def about(created: str, entity: str = "[[x]]", **attributes: str) -> Memory:
    return memory(created=created, entities=(entity,), extra=tuple(attributes.items()))


def test_another_value_of_a_shared_attribute_overtakes_it_and_nothing_else() -> None:
    older = about(EARLIER, "Project X", city="Austin", tool="vim", size="4")
    newer = about(SAID, "project-x", city="Lima", tool=" VIM ", colour="red")
    assert overtaken(older, newer) == ("project-x::city",)
    assert attributes_of(older).keys() == {"project-x::city", "project-x::tool", "project-x::size"}


@pytest.mark.parametrize(
    "older",
    [
        about(EARLIER, "other", city="Austin"), about(SAID, city="Austin"),
        about(LATER, city="Austin"),
        replace(about(EARLIER, city="Austin"), status="superseded"),
        replace(about(EARLIER, city="Austin"), entities=()), about(EARLIER, town="Austin"),
    ],
)  # fmt: skip
def test_another_entity_time_or_status_is_not_overtaken(older: Memory) -> None:
    assert overtaken(older, about(SAID, city="Lima")) == ()


def test_how_a_memory_itself_stands_is_no_attribute() -> None:
    older = about(EARLIER, due="2026-03-01", commitment_state="open")
    assert overtaken(older, about(SAID, due="2026-04-01", commitment_state="done")) == ()
