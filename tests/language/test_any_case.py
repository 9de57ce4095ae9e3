"""An expression in which case does not matter stands where `re.IGNORECASE` finds it."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from engram.language.any_case import AnyCase

SOURCES = [
    r"\b(?:never|always)\b", r"we use (?P<tool>[a-z]+)", r"\S+\W+\d", r"(?<!to )\bsave\b|[k-m]{2}",
    r"(?-i:[A-Z])\w+ is", r"[^a-f\s]{3}$",
]  # fmt: skip
TEXTS = st.text(st.sampled_from("aAbkKlLmsSuUwWeEiI tTo.!19\nÄſİK"), max_size=30) | st.sampled_from(
    ["We Use Postgres", "NEVER save, to save: SAVE it", "Kim IS here, kim is not", "wE uſe K 9"]
)


@given(source=st.sampled_from(SOURCES), text=TEXTS)
def test_it_finds_what_a_pattern_that_ignores_case_finds(source: str, text: str) -> None:
    plain, folded = re.compile(source, re.IGNORECASE), AnyCase(source)
    assert [one.span() for one in folded.finditer(text)] == [
        one.span() for one in plain.finditer(text)
    ]
    assert bool(folded.match(text)) is bool(plain.match(text))
    found = plain.search(text)
    assert (folded.search(text) is None) is (found is None)
    assert folded.without(text) == plain.sub("", text, count=1)


def test_a_group_may_be_in_lower_case() -> None:
    found = AnyCase(r"we use (?P<tool>\w+)").search("We use Postgres")
    assert found is not None and found["tool"] == "postgres"
