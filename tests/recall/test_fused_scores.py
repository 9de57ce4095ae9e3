"""Scores of words and of meaning in one list."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engram.model.hit import Found
from engram.recall.fused_scores import MEANING, with_meaning

SPREAD = (0.0, 0.2, 0.8)


def words(**scores: float) -> list[Found]:
    return [Found(key, "turns", score) for key, score in scores.items()]


def fused(found: list[Found], **near: float) -> list[tuple[str, float]]:
    return [(one.key, round(one.score, 3)) for one in with_meaning(found, near, SPREAD, "turns")]


def test_the_best_by_words_stays_above_the_nearest() -> None:
    assert fused(words(a=5.0), a=0.0, b=0.8) == [("a", 1.0), ("b", 0.3)]


def test_what_both_know_adds_up() -> None:
    assert fused(words(a=5.0, b=4.0), b=0.8, a=0.2) == [("b", 1.1), ("a", 1.075)]


def test_what_has_no_vector_yet_counts_as_the_average() -> None:
    assert fused(words(a=4.0, b=4.0), a=0.2) == [("a", 1.075), ("b", 1.075)]


def test_the_parts_say_what_is_due_to_meaning() -> None:
    found = [Found("a", "turns", 4.0, (("words", 3.0), ("day named", 1.0)))]
    (a, b) = with_meaning(found, {"a": 0.8, "b": 0.4}, SPREAD, "turns")
    assert a.parts == (("words", 0.75), ("day named", 0.25), ("meaning", MEANING))
    assert [name for name, _ in b.parts] == ["meaning"]


def test_vectors_that_tell_nothing_apart_change_no_order() -> None:
    found = with_meaning(words(a=2.0, b=1.0), {"a": 0.5, "b": 0.5}, (0.5, 0.5, 0.5), "turns")
    assert [one.key for one in found] == ["a", "b"]


@given(
    st.dictionaries(st.sampled_from("abcdef"), st.floats(0, 1e6)),
    st.dictionaries(st.sampled_from("abcdef"), st.floats(-1, 1)),
)
def test_everything_is_there_once_and_in_order(
    scores: dict[str, float], near: dict[str, float]
) -> None:
    found = with_meaning(words(**scores), near, (-1.0, 0.0, 1.0), "turns")
    assert sorted(one.key for one in found) == sorted({*scores, *near})
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
