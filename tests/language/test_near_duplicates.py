"""The join: all pairs that are alike enough, and no others."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from engram.language.near_duplicates import LEAST, alike, joined, prefix_of, rarest
from engram.language.paraphrase.phrasing import Phrasing

TERMS = st.frozensets(st.sampled_from("abcdefgh"), max_size=7)
SAID = st.builds(
    lambda terms, marks, names: Phrasing((), terms, marks, frozenset(sorted(terms)[:names])),
    TERMS,
    st.frozensets(st.sampled_from("78"), max_size=1),
    st.integers(0, 2),
)


@given(st.lists(SAID, max_size=12))
def test_the_join_finds_what_comparing_all_pairs_finds(said: list[Phrasing]) -> None:
    compared = {
        (one, other, percent)
        for one, other in combinations(range(len(said)), 2)
        if (percent := alike(said[one], said[other])) >= LEAST
    }
    found = list(joined(said))
    assert set(found) == compared and len(found) == len(compared)


@given(SAID, SAID)
def test_who_is_alike_shares_one_of_any_so_many_terms(one: Phrasing, other: Phrasing) -> None:
    if alike(one, other) >= LEAST:
        count = prefix_of(len(one.terms))
        assert all(other.terms & set(some) for some in combinations(one.terms, count))


def test_other_marks_or_names_are_never_alike() -> None:
    def said(mark: str, name: str) -> Phrasing:
        return Phrasing((), frozenset("abcdefg") | {"kim"}, frozenset({mark}), frozenset({name}))

    assert alike(said("5", "kim"), said("5", "a")) == 100
    assert alike(said("5", "kim"), said("6", "kim")) == 0
    assert (
        alike(said("5", "lena"), said("5", "kim"))
        == 0
        == alike(said("5", "kim"), said("5", "lena"))
    )


def test_the_rarest_terms_are_looked_up() -> None:
    looked_up = {
        "use": [frozenset({"use"})],
        "tool7": [frozenset({"tool7", "tool", "7"}), frozenset({"tool vii"})],
    }
    held = {"use": 300, "tool7": 2, "tool": 900, "7": 40}
    assert rarest(looked_up, held, 1) == {"tool7", "tool vii"}
    assert rarest(looked_up, held, 2) == {"tool7", "tool vii", "use"}
