"""The form of a statement: equal for what says the same, of another for all that does not."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.paraphrase.canonical_words import canonical
from engram.language.paraphrase.phrasing import LONGEST, phrasing
from engram.language.paraphrase.tables import SAME, surfaces

PAIRS = tomllib.loads(Path(__file__).with_name("near_pairs.toml").read_text(encoding="utf-8"))
#: what may be put for one another
ALIKE = """
The user is using Vim.|The user uses Vim.
The team has moved to Hetzner.|The team moved to Hetzner.
I prefer tea.|The user prefers tea.
In production, the team uses k8s.|The team is using Kubernetes in production.
The key is rotated by Kim.|Kim rotates the key.
The key was rotated by Kim.|Kim rotated the key.
The team uses Go, Rust and Zig.|The team uses Zig, Go and Rust.
The password of the database is long.|The database password is long.
The limit is 12,000 rows.|The limit is 12000 rows.
The report is due on March 6, 2026.|The report is due on 6 March 2026.
The user doesn't eat meat.|The user does not eat meat.
The colour is grey.|The color is gray.
We never deploy on Fridays.|Never deploy on Fridays.
Before deploying the app, run the tests.|Run the tests before deploying the app.
"""
#: what may not, each for a reason of its own
APART = """
The user has used Vim for ten years.|The user used Vim for ten years.
The team uses Go for jobs in CI and Rust for tools at home.|The team uses Go for tools in CI and Rust for jobs at home.
The CLI is for users, the API with Rust.|The CLI with Rust, the API for users.
The team's budget was approved.|The team approved the budget.
The user likes books.|The user likes booking.
Stop and start the server.|Start and stop the server.
We use their API.|We use our API.
Not all users can log in.|All users cannot log in.
Only Kim may deploy.|Kim may only deploy.
The shop accepts cards but not cash.|The shop accepts cash but not cards.
The script reads from A and writes to B.|The script reads from B and writes to A.
The user prefers work at home to work at sea.|The user prefers work at sea to work at home.
Kim gave Lena the key.|Lena gave Kim the key.
The key was given to Kim by Lena.|The key was given to Lena by Kim.
Use Redis if Postgres is down.|Use Postgres if Redis is down.
API v1 is deprecated, v2 is current.|API v2 is deprecated, v1 is current.
The job runs every 2 hours.|The job runs every 2 days.
The meeting is at 9 am.|The meeting is at 9 pm.
It is -5 degrees.|It is 5 degrees.
Use C.|Use C++.
The API has a cache.|The API is a cache.
Kim and Lena like Go and Rust respectively.|Kim and Lena like Rust and Go respectively.
The user is blocked.|The user blocks.
The user uses tabs.|Does the user use tabs?
The price rose from 5 to 6.|The price rose from 6 to 5.
The user was a nurse.|The user is a nurse.
The user shouldn't call.|The user mustn't call.
The report is to be sent by Kim.|Kim sends the report.
The team's budget is approved.|The team approves the budget.
The shop opens only on Sundays in May.|The shop opens on Sundays only in May.
The user does not always lock it.|The user does not lock it.
"""  # noqa: E501


def pairs(text: str) -> list[list[str]]:
    return [line.split("|") for line in text.strip().splitlines()]


@pytest.mark.parametrize("one, other", pairs(ALIKE))
def test_the_same_in_other_words_has_one_form(one: str, other: str) -> None:
    assert phrasing(one).form == phrasing(other).form != ()


@pytest.mark.parametrize("one, other", pairs(APART))
def test_another_meaning_has_another_form(one: str, other: str) -> None:
    assert phrasing(one).form != phrasing(other).form


@pytest.mark.parametrize("half", PAIRS)
def test_the_labelled_pairs_are_merged_precisely(half: str) -> None:
    merged = [row[0] for row in PAIRS[half] if phrasing(row[1]).form == phrasing(row[2]).form]
    right, all_right = merged.count("paraphrase"), [row[0] for row in PAIRS[half]]
    assert len(PAIRS[half]) == 100
    assert right / len(merged) >= 0.98
    assert right / all_right.count("paraphrase") >= 0.6


def test_a_document_and_a_text_without_words_have_no_form() -> None:
    assert phrasing("?!").form == phrasing("").form == () == phrasing("not to be").form
    assert phrasing("word " * LONGEST).form == ()


@pytest.mark.parametrize("word", ["if", "of", "not", "and", "a , b", "is", "to be", "because of"])
def test_a_word_without_end_is_read_in_no_time(word: str) -> None:
    assert phrasing(f"{word} " * (LONGEST // (len(word) + 1))).marks is not None


@given(st.text())
def test_no_text_is_refused(text: str) -> None:
    found = phrasing(text)
    assert bool(found.form) == bool(found.terms)


def test_what_is_written_in_another_way_is_looked_up_too() -> None:
    assert "12,000" in surfaces("12000") and "25" in surfaces("25mb")
    assert "colour" in surfaces("color") and "every day" in surfaces("daily")


@given(st.lists(st.sampled_from(sorted(SAME)), min_size=1, max_size=4))
def test_every_term_is_found_by_one_of_its_surfaces(words: list[str]) -> None:
    for word in words:
        assert word in surfaces(canonical(word))
