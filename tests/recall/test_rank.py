"""The order of answers, and the reasons for it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.hit import RELATED, Found
from engram.model.memory import Memory
from engram.model.turn import turn_of
from engram.recall.query import Query, parse
from engram.recall.rank import Setting, fuse, rank_memories, rank_newest, rank_turns

NOW = Setting("2026-03-06T12:00:00Z", "shop")


def memory(identifier: str, **fields: object) -> Memory:
    values = {"created": "2026-03-01T12:00:00Z", "project": "shop"} | fields
    return Memory(identifier, "fact", "text", **values)  # type: ignore[arg-type]


def found(*scores: float) -> list[Found]:
    """Keys a, b, c... with these scores."""
    return [Found(chr(97 + n), "memories", score) for n, score in enumerate(scores)]


def order(scores: list[Found], *memories: Memory, setting: Setting = NOW) -> list[str]:
    known = {one.id: one for one in memories}
    return [one.key for one in rank_memories(Query(), [scores], known, setting, 10)]


def test_a_better_match_comes_first() -> None:
    assert order(found(1.0, 9.0), memory("a"), memory("b")) == ["b", "a"]


def test_of_like_matches_the_recent_and_the_important_come_first() -> None:
    assert order(found(5.0, 5.0), memory("a", created="2024-03-01T12:00:00Z"), memory("b")) == [
        "b",
        "a",
    ]
    assert order(found(5.0, 5.0), memory("a"), memory("b", importance=0.9)) == ["b", "a"]


def test_neither_brings_up_a_poor_match() -> None:
    old = memory("a", created="2020-01-01T00:00:00Z", importance=0.0)
    new = memory("b", created="2026-03-06T11:00:00Z", importance=1.0)
    assert order(found(9.0, 6.0), old, new) == ["a", "b"]


def test_this_project_and_what_holds_everywhere_come_first() -> None:
    here, there = memory("c"), memory("a", project="blog")
    everywhere = memory("b", project="blog", space="user")
    assert order(found(5.0, 5.0, 5.0), there, everywhere, here) == ["b", "c", "a"]


def test_a_much_better_match_elsewhere_still_wins() -> None:
    assert order(found(2.0, 9.0), memory("a"), memory("b", project="blog")) == ["b", "a"]


def test_outside_of_a_project_all_are_alike() -> None:
    here, there = memory("b"), memory("a", project="blog")
    assert order(found(5.0, 5.0), there, here, setting=Setting(NOW.now)) == ["a", "b"]


def test_equal_scores_are_ordered_by_key() -> None:
    assert order(list(reversed(found(5.0, 5.0, 5.0))), *map(memory, "abc")) == ["a", "b", "c"]


def test_what_the_query_keeps_out_and_what_nobody_knows_is_left_out() -> None:
    known = {"a": memory("a", status="expired"), "b": memory("b"), "c": memory("c", tags=("x",))}
    keys = [one.key for one in rank_memories(parse("tag:x"), [found(1, 1, 1, 1)], known, NOW, 10)]
    assert keys == ["c"]
    everything = rank_memories(Query(), [found(1, 1, 1, 1)], known, NOW, 10, all_statuses=True)
    assert [one.key for one in everything] == ["a", "b", "c"]


def test_the_limit_is_kept() -> None:
    known = {key: memory(key) for key in "abc"}
    assert len(rank_memories(Query(), [found(1, 2, 3)], known, NOW, 2)) == 2
    assert rank_memories(Query(), [found(1, 2, 3)], known, NOW, 0) == []


def test_every_part_of_a_score_is_explained() -> None:
    known = {"a": memory("a", importance=0.9), "b": memory("b", project="blog")}
    first, second = rank_memories(Query(), [found(4.0, 4.0)], known, NOW, 2)
    assert first.why == (
        "words match 100% as well as the best",
        "learnt 5 days ago (+9%)",
        "importance critical (+9%)",
        "this project",
    )
    assert second.why[-1] == "project blog (x0.6)"


def test_turns_are_ranked_by_match_and_project() -> None:
    here = turn_of("user", "a", "2026-01-01T00:00:00Z", project="shop")
    there = turn_of("user", "b", "2026-01-01T00:00:00Z", project="blog")
    hits = [Found("there", "turns", 5.0), Found("here", "turns", 4.0)]
    ranked = rank_turns(Query(), [hits], {"here": here, "there": there}, NOW, 5)
    assert [one.key for one in ranked] == ["here", "there"]
    assert ranked[0].collection == "turns"


def test_a_turn_counts_more_that_says_the_query_word_for_word_most_of_all_where_a_person_does() -> (
    None
):
    said = {
        "answer": ("assistant", "Pushed. You said: commit, push and PR it."),
        "other": ("user", "PR it, then push; and commit"),
        "person": ("user", "commit, push and pr it"),
    }
    turns = {key: turn_of(*one, "2026-01-01T00:00:00Z") for key, one in said.items()}  # type: ignore[arg-type]
    hits = [
        Found("other", "turns", 5.0),
        Found("answer", "turns", 4.5),
        Found("person", "turns", 4.0),
    ]
    ranked = rank_turns(parse("Commit, push and PR"), [hits], turns, NOW, 5)
    assert [one.key for one in ranked] == ["person", "answer", "other"]
    assert ranked[0].why[-1] == "words side by side (+40%)" and ranked[0].score == 1
    assert rank_turns(parse("pr"), [hits], turns, NOW, 5)[0].key == "other"


def test_a_report_of_what_an_agent_does_comes_behind_an_answer() -> None:
    report = turn_of("assistant", "Now let me fix the lint errors.", "2026-01-01T00:00:00Z")
    for turn, later in (
        (replace(report, tools=("Edit a.py",)), True), (report, False),
        (replace(report, tools=("Edit a.py",), speaker="Kim"), False),
        (replace(report, tools=("Edit a.py",), text="lint " * 100), False),
    ):  # fmt: skip
        hits = [Found("report", "turns", 5.0), Found("answer", "turns", 4.5)]
        answer = turn_of("assistant", "Lint is clean.", "2026-01-01T00:00:00Z")
        ranked = rank_turns(parse("lint"), [hits], {"report": turn, "answer": answer}, NOW, 5)
        assert (ranked[0].key == "answer") == later
        assert ("a report of progress (x0.8)" in ranked[-1].why) == later


def test_what_a_match_is_made_of_is_told_in_shares() -> None:
    turn = turn_of("user", "a", "2026-01-01T00:00:00Z", project="shop")
    parts = (("words", 1.5), ("neighbouring turns", 0.5), ("day named", 2.0))
    (ranked,) = rank_turns(Query(), [[Found("a", "turns", 4.0, parts)]], {"a": turn}, NOW, 5)
    assert ranked.why == (
        "words match 100% as well as the best",
        "words 38% of it",
        "neighbouring turns 12% of it",
        "day named 50% of it",
        "this project",
    )


def test_words_alone_need_no_share() -> None:
    turn = turn_of("user", "a", "2026-01-01T00:00:00Z")
    hit = Found("a", "turns", 4.0, (("words", 4.0),))
    (ranked,) = rank_turns(Query(), [[hit]], {"a": turn}, NOW, 5)
    assert ranked.why == ("words match 100% as well as the best",)


def test_of_a_key_that_several_lists_hold_the_first_says_what_it_is_made_of() -> None:
    first = Found("a", "turns", 4.0, (("words", 3.0), ("conversation", 1.0)))
    second = Found("a", "turns", 9.0, (("words", 9.0),))
    (fused,) = fuse([[first], [second]])
    assert fused.parts == first.parts


def test_a_turn_that_a_filter_is_not_for_or_that_nobody_knows_is_left_out() -> None:
    turns = {key: turn_of("user", key, "2026-01-05T00:00:00Z", project="shop") for key in "ab"}
    hits = [Found(key, "turns", 1.0) for key in "abc"]

    def keys(query: str) -> list[str]:
        return [one.key for one in rank_turns(parse(query), [hits], turns, NOW, 5)]

    assert keys("x") == ["a", "b"]
    assert keys("x -b project:shop since:2026-01-05 before:2026-01-06") == ["a"]
    for refused in ("category:fact", "tag:x", "status:active", "kind:note", "space:user"):
        assert keys(f"x {refused}") == []


def test_lists_on_different_scales_count_alike() -> None:
    small = [Found("a", "memories", 0.2), Found("b", "memories", 0.1)]
    large = [Found("c", "memories", 90.0), Found("b", "memories", 80.0)]
    assert [hit.key for hit in fuse([small, large])] == ["b", "a", "c"]
    assert fuse([]) == []
    assert [hit.score for hit in fuse([[Found("a", "memories", 0.0)]])] == [1.0]


scores = st.lists(st.floats(0, 1e9), max_size=8)


@given(scores, st.floats(0, 1), st.sampled_from(["", "shop", "blog"]))
def test_scores_stay_between_nothing_and_one(
    raw: list[float], importance: float, project: str
) -> None:
    hits = found(*raw)
    known = {hit.key: memory(hit.key, importance=importance, project=project) for hit in hits}
    ranked = rank_memories(Query(), [hits, hits], known, NOW, 20)
    assert len(ranked) == len(hits)
    assert all(0 <= one.score <= 1 for one in ranked)
    assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)


@pytest.mark.parametrize("created", ["", "2030-01-01T00:00:00Z"])
def test_a_missing_or_future_date_is_no_error(created: str) -> None:
    assert order(found(1.0), memory("a", created=created)) == ["a"]


def test_records_that_are_asked_for_come_first_where_they_fit_nearly_as_well() -> None:
    fact, decision = memory("a"), replace(memory("b"), category="decision")
    asked, both = parse("what did we decide about auth?"), {"a": fact, "b": decision}
    first, second = rank_memories(asked, [found(10.0, 7.0)], both, NOW, 5)
    assert (first.key, second.key) == ("b", "a")
    assert "no decision (x0.5)" in second.why
    assert rank_memories(asked, [found(10.0, 4.0)], both, NOW, 5)[0].key == "a"
    alone = rank_memories(asked, [found(10.0)], both, NOW, 5)
    assert alone == rank_memories(parse("auth"), [found(10.0)], both, NOW, 5)


def test_a_session_comes_after_the_memory_whose_turn_it_repeats() -> None:
    session = memory("a", schema="session", sources=("talk#^1", "talk#^2"))
    repeated, foreign = memory("b", sources=("talk#^2",)), memory("c", sources=("other#^2",))
    assert order(found(9.0, 6.0, 5.0), session, repeated, foreign) == ["b", "a", "c"]
    assert order(found(9.0, 3.0), session, repeated) == ["a", "b"]
    assert order(found(9.0, 9.0, 9.0), session, memory("b", sources=("",)), foreign)[0] == "a"
    both = {"a": session, "b": repeated}
    asked = parse("what did I do in the last session about auth?")
    assert asked.form is not None and asked.form.schema == "session"
    (first, _) = rank_memories(asked, [found(9.0, 9.0)], both, NOW, 5)
    assert first.key == "a" and not any("repeats" in why for why in first.why)


def test_the_newest_records_of_this_project_come_first() -> None:
    days = [("a", "01", "shop"), ("b", "02", "shop"), ("c", "04", "garden")]
    sessions = [
        memory(name, created=f"2026-03-{day}T10:00:00Z", project=project)
        for name, day, project in days
    ]
    assert [one.key for one in rank_newest(sessions, "session", NOW, 5)] == ["b", "a", "c"]
    anywhere = rank_newest(sessions, "session", Setting(NOW.now), 1)
    assert [one.key for one in anywhere] == ["c"]


def test_a_memory_without_a_word_of_the_query_has_a_third_of_it_in_other_words() -> None:
    def given_for(words: str, *instead: str) -> list[str]:
        hit = Found("a", "memories", 2.0, ((RELATED, 2.0),), instead)
        ranked = rank_memories(parse(words), [[hit]], {"a": memory("a")}, NOW, 5)
        return [one.key for one in ranked]

    assert given_for("restrict login offline", "limit") == ["a"]
    assert given_for("restrict login offline server", "limit") == []
    assert given_for("restrict login offline server", "limit", "host") == ["a"]
