"""The weights: what lifts a memory or a turn, by how much, and what never does."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.index import memory_scores, scoring
from engram.index.day_scores import AFTER
from engram.index.memory_finder import MemoryFinder
from engram.index.prior import ASKING, NAMED, TIMED
from engram.index.scoring import best, rarity, surprise
from engram.index.turn_scores import CONVERSATION, DAY, NEIGHBOURS, SPEAKER
from engram.model.hit import BEGUN, RELATED, Collection, Document, Found, Hints, place_in


def memory(key: str, body: str) -> Document:
    return Document(key, "memories", "", body)


def said(talk: str, ordinal: int, body: str, speaker: str = "", day: str = "") -> Document:
    """A turn `talk` + `ordinal` of a conversation."""
    place = place_in(talk, ordinal)
    return Document(f"{talk}{ordinal}", "turns", "", body, day, speaker, place)


def talk(name: str, *bodies: str, first: int = 1) -> list[Document]:
    return [said(name, ordinal, body) for ordinal, body in enumerate(bodies, first)]


def finder(*documents: Document) -> MemoryFinder:
    made = MemoryFinder()
    made.rebuild(documents)
    return made


def turns(index: MemoryFinder, query: str, hints: Hints = Hints()) -> dict[str, Found]:
    return {found.key: found for found in index.find(query, "turns", 99, hints)}


def scores(index: MemoryFinder, query: str) -> dict[str, float]:
    return {found.key: found.score for found in index.find(query, "memories", 99)}


# -- rarity -------------------------------------------------------------------------------------


@given(st.integers(1, 10**7), st.data())
def test_a_rarer_term_is_worth_more_and_none_is_worth_less_than_nothing(
    documents: int, data: st.DataObject
) -> None:
    holding = data.draw(st.integers(1, documents))
    for worth in (rarity, surprise):
        assert worth(documents, holding) > 0
        assert worth(documents, holding) > worth(documents, holding + 1)


# -- memories -----------------------------------------------------------------------------------


def test_a_word_said_often_counts_more_and_more_slowly() -> None:
    found = scores(finder(*(memory(str(n), "tea " * n) for n in (1, 2, 4, 8))), "tea")
    gains = [found["2"] - found["1"], found["4"] - found["2"], found["8"] - found["4"]]
    assert gains == sorted(gains, reverse=True) and gains[-1] > 0


def test_of_two_memories_with_a_word_the_shorter_is_the_better() -> None:
    found = scores(finder(memory("a", "tea"), memory("b", "tea with milk and cake")), "tea")
    assert found["a"] > found["b"]


def test_what_the_words_give_adds_up() -> None:
    index = finder(memory("a", "tea cake"), memory("b", "tea"), memory("c", "milk"))
    both = scores(index, "tea cake")["a"]
    assert both == pytest.approx(scores(index, "tea")["a"] + scores(index, "cake")["a"], abs=1e-5)


# -- turns and those around them ----------------------------------------------------------------


def test_neighbours_count_by_how_near_they_are() -> None:
    index = finder(*talk("s", *"abcd", "marzipan", *"efgh"))
    found = turns(index, "marzipan")
    held = dict(found["s5"].parts)["words"]
    for step, share in NEIGHBOURS:
        parts = dict(found[f"s{5 + step}"].parts)
        assert parts["neighbouring turns"] == pytest.approx(share * held, abs=2e-3)
        assert "words" not in parts
    assert set(found) == {"s5", *(f"s{5 + step}" for step, _ in NEIGHBOURS)}


def test_neighbours_of_the_first_and_the_last_turn_are_none_of_another_conversation() -> None:
    index = finder(*talk("a", "marzipan"), *talk("b", "marzipan", "tea"), *talk("c", "cake"))
    assert set(turns(index, "marzipan")) == {"a1", "b1", "b2"}


def test_a_turn_with_a_word_of_the_question_is_found_however_poor() -> None:
    index = finder(*talk("s", "marzipan cake for Kim"), *talk("t", *["tea"] * 9, "cake"))
    found = turns(index, "marzipan cake")
    assert 0 < found["t10"].score < found["s1"].score / 2
    assert "t7" not in found


def test_a_turn_without_a_place_stands_alone_and_is_found() -> None:
    alone = [Document(key, "turns", "", body) for key, body in (("x", "marzipan"), ("y", "tea"))]
    index = finder(*alone, Document("z", "turns", "", "marzipan"))
    assert set(turns(index, "marzipan")) == {"x", "z"}


def test_a_term_gives_the_most_of_what_it_gives_and_not_the_sum() -> None:
    index = finder(*talk("s", "marzipan", "tea", "marzipan"))
    parts = dict(turns(index, "marzipan")["s2"].parts)
    own = dict(turns(index, "marzipan")["s1"].parts)["words"]
    assert parts["neighbouring turns"] == pytest.approx(max(0.6, 0.2) * own, abs=2e-3)


def test_a_conversation_about_the_question_lifts_its_turns() -> None:
    much = talk("a", "marzipan", *["tea"] * 5, "marzipan", *["tea"] * 5, "marzipan")
    index = finder(*much, *talk("b", "marzipan", *["tea"] * 12))
    found = turns(index, "marzipan")
    assert found["a1"].score > found["b1"].score
    assert dict(found["a1"].parts)["words"] == dict(found["b1"].parts)["words"]
    top = max(dict(one.parts).get("words", 0.0) for one in found.values())
    assert dict(found["a1"].parts)["conversation"] == pytest.approx(CONVERSATION * top, abs=2e-3)


def test_who_is_named_as_the_speaker_is_lifted_and_nobody_is_left_out() -> None:
    index = finder(
        said("s", 1, "marzipan", "Anna"), said("t", 1, "marzipan", "Bob"),
        said("u", 1, "tea with Anna", "Bob"),
    )  # fmt: skip
    plain, named = turns(index, "marzipan"), turns(index, "what did Anna say of marzipan")
    assert plain["s1"].score == plain["t1"].score
    assert named["s1"].score > named["t1"].score > 0
    words, lifted = dict(named["s1"].parts)["words"], dict(named["s1"].parts)["speaker named"]
    assert lifted == pytest.approx(words * (SPEAKER - 1), abs=2e-3)
    assert "speaker named" not in dict(named["t1"].parts)


def test_a_question_for_a_speaker_alone_looks_for_the_name() -> None:
    index = finder(said("s", 1, "marzipan", "Anna"), said("t", 1, "tea with Anna", "Bob"))
    assert set(turns(index, "Anna's")) == {"t1"}


# -- days that are named ------------------------------------------------------------------------

THE_SIXTH = Hints(spans=(("2026-03-06", "2026-03-06"),))


def test_the_day_that_is_named_is_lifted_and_no_other_left_out() -> None:
    index = finder(
        said("s", 1, "marzipan", day="2026-03-06"), said("t", 1, "marzipan", day="2026-03-05"),
        said("u", 1, "marzipan"),
    )  # fmt: skip
    spans = Hints(spans=(("2025-01-01", "2025-01-31"), ("2026-03-06", "2026-03-06")))
    found = turns(index, "marzipan", spans)
    assert set(found) == {"s1", "t1", "u1"}
    assert found["s1"].score > found["t1"].score == found["u1"].score
    parts = dict(found["s1"].parts)
    whole = parts["words"] + parts["conversation"]
    assert parts["day named"] == pytest.approx(DAY * whole, abs=2e-3)


def test_what_speaks_of_a_longer_time_is_of_one_day_of_it_for_less() -> None:
    index = finder(
        said("s", 1, "the rain of March 2026", day="2026-06-20"),
        said("t", 1, "the rain of 10 March 2026", day="2026-06-20"),
        said("u", 1, "the rain of February 2026", day="2026-06-20"),
    )
    one_day = turns(index, "unheard", Hints(spans=(("2026-03-10", "2026-03-10"),)))
    month = turns(index, "unheard", Hints(spans=(("2026-03-01", "2026-03-31"),)))
    assert one_day.keys() == month.keys() == {"s1", "t1"}
    assert one_day["s1"].score == pytest.approx(one_day["t1"].score / 31, abs=2e-3)
    assert month["s1"].score == pytest.approx(month["t1"].score, abs=1e-2)


@pytest.mark.parametrize("query", ["marzipan", "unheard", "6 March 2026"])
def test_a_turn_of_the_day_that_is_named_is_found_without_a_word(query: str) -> None:
    index = finder(
        said("s", 1, "we ate cake", day="2026-03-06"),
        said("t", 1, "we ate cake", day="2026-03-10"),
        said("u", 1, "we ate cake last Friday", day="2026-03-08"),
        said("v", 1, "we ate cake last Friday", day="2026-03-20"),
        said("w", 1, "we ate cake", day="2026-03-05"),
        said("x", 1, "we ate cake"),
        said("y", 1, "Friday the 6th of March 2026 it was", day="2027-01-01"),
    )
    days = {
        key: dict(one.parts)["day named"] for key, one in turns(index, query, THE_SIXTH).items()
    }
    assert days.keys() == {"s1", "t1", "u1", "y1"}
    assert days["s1"] == days["u1"] == days["y1"]
    assert days["t1"] == pytest.approx(AFTER * days["s1"], abs=2e-3)


def test_a_long_span_is_of_what_was_said_in_it_alone() -> None:
    index = finder(
        said("s", 1, "cake", day="2025-12-31"),
        said("t", 1, "cake", day="2026-01-03"),
        said("u", 1, "cake on 6 March 2025", day="2027-01-01"),
    )
    assert set(turns(index, "tea", Hints(spans=(("2025-01-01", "2025-12-31"),)))) == {"s1"}
    assert set(turns(index, "tea", Hints(spans=(("2025-12-01", "2025-12-31"),)))) == {"s1", "t1"}


def test_the_speaker_that_is_named_counts_for_days_as_well() -> None:
    index = finder(
        said("s", 1, "we ate", "Anna", "2026-03-06"), said("t", 1, "we ate", "Bob", "2026-03-06")
    )
    found = turns(index, "what did Anna do", THE_SIXTH)
    assert found["s1"].score == pytest.approx(SPEAKER * found["t1"].score, abs=2e-3)


def test_a_memory_of_the_day_that_is_named_stands_behind_those_with_the_words() -> None:
    index = finder(
        Document("said", "memories", "", "We took the train.", "2026-03-06"),
        Document("told", "memories", "", "The train was late yesterday.", "2026-03-07"),
        Document("words", "memories", "", "marzipan", "2026-01-01"),
        Document("other", "memories", "", "We took the bus.", "2026-03-05"),
    )
    found = {one.key: one.score for one in index.find("marzipan", "memories", 9, THE_SIXTH)}
    assert found.keys() == {"said", "told", "words"}
    assert found["said"] == found["told"]
    assert found["said"] == pytest.approx(memory_scores.DAY * found["words"], abs=2e-3)


@pytest.mark.parametrize("span", [("2026-03-06", "2026-03-01"), ("", ""), ("1960-01-01",) * 2])
def test_a_span_without_days_finds_nothing(span: tuple[str, str]) -> None:
    index = finder(said("s", 1, "cake", day="2026-03-06"), said("t", 1, "cake"))
    assert not turns(index, "tea", Hints(spans=(span,)))


# -- what a turn is like ------------------------------------------------------------------------


def test_a_turn_that_asks_counts_less_than_one_that_tells() -> None:
    index = finder(
        said("s", 1, "marzipan cake"), said("t", 1, "marzipan cake?"),
        said("u", 1, "Cake. Marzipan?"),
    )  # fmt: skip
    found = {key: one.score for key, one in turns(index, "marzipan").items()}
    told = {key: dict(one.parts)["words"] for key, one in turns(index, "marzipan").items()}
    assert found["s1"] > found["u1"] > found["t1"]
    assert told["t1"] == pytest.approx((1 - ASKING) * told["s1"], abs=2e-3)


def test_a_question_for_a_time_prefers_what_speaks_of_one() -> None:
    index = finder(
        said("s", 1, "we moved slowly", day="2026-03-06"),
        said("t", 1, "we moved yesterday", day="2026-03-06"),
    )
    plain, when = turns(index, "moved"), turns(index, "moved", Hints(when=True))
    assert plain["t1"].score == plain["s1"].score
    assert when["t1"].score > when["s1"].score
    words = dict(plain["t1"].parts)["words"]
    assert dict(when["t1"].parts)["words"] == pytest.approx((1 + TIMED) * words, abs=2e-3)


@pytest.mark.parametrize(
    ("text", "lifted"),
    [
        ("we moved to Lisbon", True),
        ("we moved. It rained", False),
        ("so I moved", False),
        ("We moved", False),
        ('we moved while reading "Dune"', True),
    ],
)
def test_a_question_for_a_name_prefers_what_has_one(text: str, lifted: bool) -> None:
    index = finder(said("s", 1, text))
    plain, named = (turns(index, "moved", Hints(named=one))["s1"] for one in (False, True))
    parts, words = dict(named.parts), dict(plain.parts)["words"]
    assert parts["words"] == pytest.approx(words * (1 + NAMED * lifted), abs=2e-3)


# -- what may stand for a word ------------------------------------------------------------------


@pytest.mark.parametrize("collection", ["memories", "turns"])
def test_a_related_word_counts_less_than_the_word_and_never_beside_it(
    collection: Collection,
) -> None:
    bodies = {"car": "our car", "both": "car vehicle", "other": "our vehicle", "none": "our tea"}
    index = finder(*(Document(key, collection, "", body) for key, body in bodies.items()))
    found = {one.key: one for one in index.find("car", collection, 9)}
    assert found.keys() == {"car", "both", "other"}
    assert found["car"].score == found["both"].score > found["other"].score > 0
    parts = dict(found["other"].parts)
    assert parts[RELATED] > 0 and "words" not in parts
    assert found["other"].instead == ("vehicl",) and found["other"].by_others
    assert RELATED not in dict(found["both"].parts) and not found["both"].by_others
    without = index.find("car", collection, 9, Hints(related=False))
    assert {one.key for one in without} == {"car", "both"}


def test_a_related_word_gives_nothing_to_neighbours_and_something_to_the_conversation() -> None:
    index = finder(*talk("s", "our vehicle", "tea"), *talk("t", "our car", "tea"))
    found = turns(index, "car")
    assert set(found) == {"s1", "t1", "t2"}
    assert dict(found["s1"].parts)["conversation"] > 0


def test_a_rare_word_that_stands_for_a_common_one_is_worth_no_more_than_that() -> None:
    crowd = (memory(f"c{n}", f"car tea{n}") for n in range(9))
    index = finder(*crowd, memory("rare", "vehicle tea"))
    found = scores(index, "car")
    assert found["rare"] < found["c0"]


def test_a_word_that_nobody_holds_is_asked_as_a_beginning() -> None:
    index = finder(
        memory("a", "postgres"), memory("b", "postman"), memory("c", "pottery"), memory("d", "tea")
    )
    assert set(scores(index, "postgers")) == {"a"}
    assert set(scores(index, "postgres")) == {"a"}
    assert not scores(index, "tex")
    assert not scores(finder(memory("a", "for you")), "forno")
    assert scores(finder(memory("a", "sha256sum")), "sha256")
    (begun,) = index.find("postgers", "memories", 9)
    assert [name for name, _ in begun.parts] == [BEGUN] and begun.instead == ("postgr",)


def test_a_beginning_that_stands_alone_is_that_of_a_word_spelt_nearly_alike() -> None:
    index = finder(
        memory("a", "reordering and recovery"), memory("b", "a spawned job"), memory("c", "sugar")
    )
    assert not scores(index, "cucumber salad recipe")
    assert not scores(index, "spain")
    assert set(scores(index, "recovry")) == {"a"}
    # beside a word that is held it tells which of those that hold it
    found = scores(index, "sugar recipe")
    assert found["c"] > found["a"] > 0


def test_words_that_very_many_hold_stand_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    index = finder(
        memory("a", "vehicle"), memory("b", "vehicle"), memory("c", "automobile"),
        memory("d", "truck"),
    )  # fmt: skip
    assert set(scores(index, "car")) == set("abcd")
    monkeypatch.setattr(scoring, "_TOO_COMMON", 1)
    assert set(scores(index, "car")) == set("cd")
    monkeypatch.setattr(scoring, "_MOST_POSTINGS", 1)
    assert set(scores(index, "car")) == set("c")


WORDS = st.lists(
    st.sampled_from(["ant", "bee", "car", "vehicle?", "yesterday", "Kim", "Lee"]), max_size=5
).map(" ".join)
conversations = st.lists(
    st.builds(
        said,
        st.sampled_from("abc"),
        st.integers(1, 12),
        WORDS,
        st.sampled_from(["", "Kim", "Lee", "Kim Lee"]),
        st.sampled_from(["", "2026-03-01", "2026-03-02"]),
    ),
    max_size=25,
    unique_by=lambda document: document.key,
)


@given(conversations, WORDS, st.booleans())
def test_the_parts_add_up_to_the_score(documents: list[Document], query: str, when: bool) -> None:
    hints = Hints(spans=(("2026-03-01", "2026-03-01"),), when=when)
    for found in finder(*documents).find(query, "turns", 99, hints):
        assert math.isclose(sum(value for _, value in found.parts), found.score, abs_tol=4e-3)
        assert all(value > 0 for _, value in found.parts)
    for found in finder(*(one._replace(collection="memories") for one in documents)).find(
        query, "memories", 99, hints
    ):
        assert math.isclose(sum(value for _, value in found.parts), found.score, abs_tol=4e-3)


# -- the best -----------------------------------------------------------------------------------


@given(
    st.dictionaries(
        st.integers(0, 40),
        st.one_of(st.floats(1e-9, 20), st.sampled_from([1.0, 1.0000004, 1.0000006, 0.5])),
    ),
    st.integers(1, 45),
)
def test_the_best_are_those_that_sorting_everything_would_give(
    scores: dict[int, float], limit: int
) -> None:
    def key_of(number: int) -> str:
        return f"key{number * 7 % 41:02d}"

    everything = [(number, key_of(number), round(score, 6)) for number, score in scores.items()]
    everything.sort(key=lambda hit: (-hit[2], hit[1]))
    assert best(scores, limit, key_of) == everything[:limit]
