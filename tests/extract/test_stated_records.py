"""What sentences state of records without a model: sections, debts, runbooks; and what does not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.admit.draft import memory_of
from engram.extract.receipt import receipt_of, verify
from engram.extract.rules.rules_tier import RulesTier
from engram.extract.stated_fields import StatedPatterns
from engram.extract.stated_records import stated_drafts
from engram.extract.voice import voiced
from engram.model.candidate import Candidate
from engram.model.errors import ConfigError
from engram.model.ports import NothingHeard
from engram.model.record import record_of
from engram.model.record_draft import RecordDraft
from engram.model.turn import Turn, turn_of
from engram.settings.shipped import shipped
from tests.effort import examples
from tests.extract.test_voice import Conversations, said

TABLE = shipped("records")
PATTERNS = StatedPatterns(TABLE)
RULES = RulesTier(shipped("rules"), 6, PATTERNS)


def turn(text: str, message: str = "1", role: Any = "user") -> Turn:
    time = f"2026-03-06T12:0{message}:00Z"
    return turn_of(role, text, time, source="t", session="s", project="shop", message=message)


def drafts(*turns: Turn) -> list[RecordDraft]:
    return stated_drafts(turns, PATTERNS, NothingHeard())


def sections(text: str) -> dict[str, str]:
    (candidate,) = RULES.extract([turn(text)])
    return dict(candidate.sections)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("We decided to use postgres instead of sqlite because two services write at once.",
         {"Rationale": "- two services write at once", "Alternatives": "- sqlite"}),
        ("After comparing we chose Meilisearch over Elasticsearch since one box has to run it.",
         {"Rationale": "- one box has to run it", "Alternatives": "- Elasticsearch"}),
        ("Change of plan for the hosting: we move to Hetzner instead of Fly.io, because a managed"
         " postgres costs more.",
         {"Rationale": "- a managed postgres costs more", "Alternatives": "- Fly.io"}),
        ("Final call: stripe, not paypal.", {"Alternatives": "- paypal"}),
        ("Team picked ruff over black+flake8, one tool less to babysit.",
         {"Alternatives": "- black+flake8"}),
        ("We agreed with ops to freeze deploys over easter.", {}),
        ("I prefer small commits with one topic each.", {}),
    ],
)  # fmt: skip
def test_a_sentence_fills_the_sections_that_it_states(text: str, found: dict[str, str]) -> None:
    assert sections(text) == found


def test_the_sections_are_those_of_the_record_that_is_written() -> None:
    (candidate,) = RULES.extract(
        [turn("We decided to use oak instead of ash because it lasts longer.")]
    )
    record = record_of(memory_of(candidate))
    assert record is not None and record.items("rationale") == ("it lasts longer",)
    assert record.items("alternatives") == ("ash",)


def test_the_options_that_were_not_taken_are_alternatives() -> None:
    ways = "Two ways:\n\n1. Keep carts in SQLite.\n2. Move carts to Postgres.\n\nWhich?"
    turns = [said("assistant", ways, 1), said("user", "2", 2)]
    (candidate,) = voiced([], turns, Conversations(turns))
    assert candidate.sections == (("Alternatives", "- Keep carts in SQLite"),)


# -- debts -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "let's leave the retry logic out for now because the vendor changes the api next month",
        "we'll do the pagination later, due to the deadline on friday",
        "i'm deferring the migration to pydantic 2 because sqlmodel does not support it yet",
        "we postpone the i18n work because nobody outside germany uses it yet",
        "let's skip offline mode for v1 because it doubles the sync code",
    ],
)
def test_work_that_is_put_off_with_its_reason_is_a_debt(text: str) -> None:
    (draft,) = drafts(turn(text))
    assert (draft.record.schema, draft.voice, draft.action) == ("tech_debt", "typed", "create")
    assert draft.record.text("reason_deferred") in text
    assert draft.receipts[0].quote == text


@pytest.mark.parametrize(
    "text",
    [
        "let's leave it for now",
        "skip that test for now because it is flaky",
        "leave that file alone for now because I am editing it",
        "we can do that later because it's friday",
        "maybe we'll do the pagination later because of the deadline",
        "> let's skip offline mode for v1 because it doubles the sync code",
    ],
)
def test_what_is_left_for_this_moment_is_no_debt(text: str) -> None:
    assert drafts(turn(text)) == []


# -- runbooks ----------------------------------------------------------------------------------

FAILED = "login fails with a 500 after the last deploy, can you look?"
CAUSE = "**Root cause:** the session middleware ran before the cookie parser."
FIX = "**Fix:** moved `cookieParser()` above `session()` in `server/app.ts`."
CHECK = "**Verified:** all 84 tests pass and logging in works in the browser."


def test_failure_cause_fix_and_check_together_are_a_runbook() -> None:
    turns = [turn(FAILED), turn(f"Found it.\n\n{CAUSE}\n{FIX}\n{CHECK}", "2", "assistant")]
    (draft,) = drafts(*turns)
    record = draft.record
    assert record.text("trigger") == "login fails with a 500 after the last deploy"
    assert record.items("steps") == ("moved `cookieParser()` above `session()` in `server/app.ts`",)
    assert record.text("root_cause") == "the session middleware ran before the cookie parser"
    assert record.text("verification").endswith("logging in works in the browser")
    assert (draft.voice, draft.project) == ("agent", "shop")
    told = [Candidate("skill", record.statement, one, 0.6) for one in draft.receipts]
    assert [verify(one, turns) for one in told] == [""] * 4


def test_the_person_may_tell_it_all() -> None:
    (draft,) = drafts(
        turn("docker compose up hangs, error: port is already allocated"),
        turn(
            "ok found the problem: the old container still held 5432."
            " fixed it by running docker rm -f shop-db. compose starts fine now",
            "2",
        ),
    )
    assert draft.voice == "typed" and draft.record.items("steps") == (
        "running docker rm -f shop-db",
    )


@pytest.mark.parametrize("left_out", [CAUSE, FIX, CHECK, FAILED])
def test_with_one_of_the_four_left_out_there_is_none(left_out: str) -> None:
    told = "\n".join(part for part in (CAUSE, FIX, CHECK) if part != left_out)
    asked = "go on" if left_out == FAILED else FAILED
    assert drafts(turn(asked), turn(told, "2", "assistant")) == []


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("why does the build fail?", "Root cause: probably the cache. Fix: drop it. It works now."),
        ("it failed", "Root cause: the stale cache. You could fix it by deleting. If it passes"),
        ("Error handling is my topic", "Root cause: people guess. Fix: logging helps. Tests pass."),
        ("it failed", "```\nRoot cause: a b c d e f\nFix: a b c d e f\nall tests pass\n```"),
        ("it failed", "Root cause: the cache was stale. Fix: cleared the cache. Tests still fail."),
    ],
)  # fmt: skip
def test_guesses_and_texts_about_failures_are_no_runbook(asked: str, told: str) -> None:
    assert drafts(turn(asked), turn(told, "2", "assistant")) == []


def test_a_pattern_or_a_table_of_another_shape_is_refused() -> None:
    for rows in (None, {}, {**TABLE["stated"], "other": "x"}):
        with pytest.raises(ConfigError):
            StatedPatterns({"stated": rows})
    broken = StatedPatterns({"stated": {**TABLE["stated"], "reason": "("}})
    with pytest.raises(ConfigError):
        broken.within("reason", "x")


@given(st.lists(st.sampled_from([FAILED, CAUSE, FIX, CHECK, "ok", "```", "\n", "> x"]), max_size=8))
@examples(60)
def test_every_receipt_stands_in_its_turn(parts: list[str]) -> None:
    turns = [
        turn(text, str(number % 10), "user" if number % 2 else "assistant")
        for number, text in enumerate(parts, 1)
    ]
    for draft in drafts(*turns):
        for one in draft.receipts:
            (source,) = {turn for turn in turns if turn.message == one.message}
            assert one == receipt_of(source, one.quote) and one.quote in source.text
