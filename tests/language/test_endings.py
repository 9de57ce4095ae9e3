"""What a text says to be over, as the judge compares it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.endings import endings_of
from engram.language.references import references_of
from engram.language.wording import terms_of


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        ("The old cluster was deleted.", "old cluster"),
        ("Logs go to Loki; we ripped Splunk out in May.", "Splunk"),
        ("CI is on GitLab and the Jenkins box was wiped.", "Jenkins"),
        ("Marco and I broke up.", "Marco"),
        ("I had to give up rowing.", "rowing"),
        ("eu-1 stack torn down.", "eu-1"),
        ("The pool is closed down until June.", ""),
        ("We deleted nothing of it", "nothing"),
        ("The standup is cancelled this week.", ""),
    ],
)
def test_a_clause_names_what_is_over_and_not_what_is_off_for_a_while(text: str, thing: str) -> None:
    assert [one.thing for one in endings_of(text)] == ([terms_of(thing)] if thing else [])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Its config lives in /etc/harbor/harbor.yml.", [("path", "/etc/harbor/harbor.yml")]),
        ("Reach me on 07700 900-456.", [("phone", "07700900456")]),
        ("The wiki is at wiki.corp.example now", [("host", "wiki.corp.example")]),
        ("The fair is on 2026-06-01 at 10.30.", []),
        ("src/app.py has 400 lines.", []),
    ],
)
def test_a_reference_is_a_value_behind_a_word_that_leads_to_it(
    text: str, found: list[tuple[str, str]]
) -> None:
    assert [(one.unit, one.value) for one in references_of(text)] == found


@given(st.text(alphabet="abX .,;:/-@~1900wasdeltinot", max_size=80))
def test_any_text_is_read_and_a_reference_stands_where_it_says(text: str) -> None:
    list(endings_of(text))
    for one in references_of(f"it is at {text}"):
        assert 0 <= one.start < one.end <= len(text) + 9
