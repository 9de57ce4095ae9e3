"""What waits for the person, in which order."""

from __future__ import annotations

from dataclasses import replace

from engram.health.review_queue import queue, still_asked
from engram.model.instant import plus_days
from engram.model.memory import Memory
from engram.model.standing import at_peace
from tests.admit.cases import memory

NOW = "2026-11-20T12:00:00Z"


def at(days: int, text: str, **more: object) -> Memory:
    return memory(text, created=plus_days(NOW, -days) + "T09:00:00Z", **more)


FRIDAY = at(40, "The shop deploys on Fridays.")
MONDAY = at(39, "The shop deploys on Mondays.", conflicts=(FRIDAY.id,), status="needs-review")
STALE = at(90, "No deploy without a lock.", status="needs-review", status_since=NOW)
STALER = at(20, "Ask Kim.", status="needs-review", status_since="2026-11-01T00:00:00Z")
GUESS = at(25, "Perhaps Redis.", confidence=0.3, expires=plus_days(NOW, 7))
SAFE = at(25, "Perhaps Kafka.", confidence=0.3, expires=plus_days(NOW, 8))
FRESH, FRESHER = at(3, "The logo is blue."), at(1, "The logo is red.")
SAID = at(1, "The logo is green.", confidence=1.0, authority="user_asserted")
QUIET = at(60, "The shop uses Postgres.")
ALL = [FRIDAY, MONDAY, STALE, STALER, GUESS, SAFE, FRESH, FRESHER, SAID, QUIET]


def shown(*memories: Memory, since: str = "") -> list[tuple[str, list[str]]]:
    told = memories or ALL
    live = [one for one in told if one.live]
    found = queue(live, NOW, {one.id: one for one in told}.get, since)
    return [(item.reason, [one.text for one in item.memories]) for item in found]


def test_the_most_pressing_comes_first() -> None:
    assert shown() == [
        ("contradiction", [MONDAY.text, FRIDAY.text]),
        ("review", [STALER.text]),
        ("review", [STALE.text]),
        ("speculative", [GUESS.text]),
        ("new", [FRESHER.text]),
        ("new", [FRESH.text]),
    ]


def test_what_is_new_begins_where_the_person_says() -> None:
    assert shown(FRESH, FRESHER, QUIET, since=FRESHER.created[:10]) == [("new", [FRESHER.text])]
    assert len(shown(FRESH, FRESHER, QUIET, since="2026-01-01")) == 3


def test_nobody_is_asked_about_twice() -> None:
    waiting = replace(GUESS, status="needs-review")
    assert shown(waiting) == [("review", [waiting.text])]
    assert shown(at(1, "Perhaps.", confidence=0.3, expires=NOW[:10]))[0][0] == "speculative"
    assert len(shown(at(1, "Perhaps.", confidence=0.3, expires=NOW[:10]))) == 1


def test_each_pair_of_one_memory_is_a_question_of_its_own() -> None:
    sunday = at(38, "The shop deploys on Sundays.", conflicts=(FRIDAY.id,))
    assert len(shown(FRIDAY, MONDAY, sunday)) == 2


def test_what_both_hold_is_no_question_any_more() -> None:
    assert still_asked("contradiction", [FRIDAY, MONDAY]) == [FRIDAY, MONDAY]
    assert still_asked("contradiction", [FRIDAY, at_peace(MONDAY, [FRIDAY.id])]) is None
    assert still_asked("contradiction", [replace(FRIDAY, status="retired"), MONDAY]) is None
    assert still_asked("contradiction", [None, MONDAY]) is None
    assert still_asked("new", [QUIET]) == [QUIET]


def test_the_person_s_word_that_a_model_judged_to_be_replaced_is_shown_with_its_successor() -> None:
    newer = replace(QUIET, id="newer", text="MySQL it is.", supersedes=("older",))
    older = replace(
        QUIET, id="older", authority="user_asserted", status="superseded",
        status_reason="judged_by_model", status_since=NOW, superseded_by=("newer",),
    )  # fmt: skip
    pair = [("replaced", [newer.text, older.text])]
    assert shown(newer, older) == pair
    assert still_asked("replaced", [newer, older]) == [newer, older]
    for other in (
        replace(older, authority="ai_inferred"), replace(older, status_reason="judged"),
        replace(older, status="active"), replace(older, status_since=plus_days(NOW, -9)),
    ):  # fmt: skip
        assert "replaced" not in [reason for reason, _ in shown(newer, other)]
    confirmed = replace(newer, confidence=1.0, authority="user_asserted")
    assert shown(confirmed, older) == [] and still_asked("replaced", [confirmed, older]) is None
    assert still_asked("replaced", [newer, replace(older, status="active")]) is None
    assert still_asked("replaced", [newer, None]) is None
