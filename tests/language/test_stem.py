"""Stems: forms of one word meet, different words do not."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.stem import stem


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        # one word for each of Porter's steps
        ("caresses", "caress"), ("ponies", "poni"), ("cats", "cat"),
        ("feed", "feed"), ("agreed", "agre"), ("plastered", "plaster"), ("motoring", "motor"),
        ("sized", "size"), ("hopping", "hop"), ("falling", "fall"), ("filing", "file"),
        ("happy", "happi"), ("sky", "sky"),
        ("relational", "relat"), ("digitizer", "digit"), ("predication", "predic"),
        ("triplicate", "triplic"), ("hopefulness", "hope"), ("formality", "formal"),
        ("revival", "reviv"), ("adoption", "adopt"), ("adjustment", "adjust"),
        ("probate", "probat"), ("rate", "rate"), ("cease", "ceas"),
        ("controlling", "control"), ("rolling", "roll"),
    ],
)  # fmt: skip
def test_porters_examples(word: str, expected: str) -> None:
    assert stem(word) == expected


@pytest.mark.parametrize(
    "forms",
    [
        "go went gone goes going", "buy bought buys buying", "write wrote written writing",
        "child children", "migrate migrated migration migrations", "index indices",
        "memory memories", "decide decided deciding decides", "deploy deployed deployments",
    ],
)  # fmt: skip
def test_forms_of_one_word_meet(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


def test_short_words_are_their_own_stem() -> None:
    assert [stem(word) for word in ("is", "as", "go")] == ["is", "as", "go"]


@given(st.text(alphabet=string.ascii_lowercase, max_size=30))
def test_any_word_has_a_stem_no_longer_than_itself(word: str) -> None:
    assert len(stem(word)) <= len(word) + 1
    assert bool(stem(word)) == bool(word)
