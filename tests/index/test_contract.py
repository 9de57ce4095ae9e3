"""What every index promises: the same tests for the one on disk and the one in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engram.index.contract import IndexUnusable, SearchIndex
from engram.index.memory_finder import MemoryFinder
from engram.index.whoosh_finder import WhooshFinder
from engram.model.hit import Collection, Document

Make = Callable[[], SearchIndex]


def memory(key: str, body: str, title: str = "") -> Document:
    return Document(key, "memories", title, body)


def turn(key: str, body: str, title: str = "") -> Document:
    return Document(key, "turns", title, body)


@pytest.fixture(params=["disk", "memory"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    count = iter(range(1000))
    if request.param == "memory":
        return MemoryFinder
    return lambda: WhooshFinder(tmp_path / f"index{next(count)}")


@pytest.fixture
def index(make: Make) -> SearchIndex:
    made = make()
    made.rebuild(())
    return made


def keys(
    index: SearchIndex, query: str, collection: Collection = "memories", limit: int = 10
) -> list[str]:
    return [found.key for found in index.find(query, collection, limit)]


def test_before_the_first_rebuild_it_is_unusable(make: Make) -> None:
    index = make()
    assert not index.state().usable
    assert index.state().reason
    with pytest.raises(IndexUnusable):
        index.find("word", "memories", 5)
    with pytest.raises(IndexUnusable):
        index.update([memory("a", "word")], [])


def test_an_empty_index_finds_nothing(index: SearchIndex) -> None:
    assert index.find("word", "memories", 5) == []
    assert index.state().usable
    assert (index.state().memories, index.state().turns) == (0, 0)


def test_a_document_is_found_by_any_of_its_words(index: SearchIndex) -> None:
    index.update([memory("a", "The shop uses Postgres"), memory("b", "tea at noon")], [])
    assert keys(index, "why postgres or something") == ["a"]
    assert keys(index, "unheard") == []


def test_collections_do_not_mix(index: SearchIndex) -> None:
    index.update([memory("a", "postgres"), turn("t", "postgres")], [])
    assert keys(index, "postgres") == ["a"]
    assert keys(index, "postgres", "turns") == ["t"]
    assert (index.state().memories, index.state().turns) == (1, 1)
    assert all(found.collection == "turns" for found in index.find("postgres", "turns", 5))


def test_a_replaced_document_is_found_by_its_new_words_only(index: SearchIndex) -> None:
    index.update([memory("a", "sqlite"), memory("b", "sqlite too")], [])
    index.update([memory("a", "postgres")], [])
    assert keys(index, "sqlite") == ["b"]
    assert keys(index, "postgres") == ["a"]
    assert index.state().memories == 2


def test_a_removed_document_is_gone_and_an_unknown_key_is_no_error(index: SearchIndex) -> None:
    index.update([memory("a", "sqlite"), turn("a", "sqlite")], [])
    index.update([], [("memories", "a"), ("memories", "unknown")])
    assert keys(index, "sqlite") == []
    assert keys(index, "sqlite", "turns") == ["a"]


def test_removed_and_added_in_one_update_is_there(index: SearchIndex) -> None:
    index.update([memory("a", "old")], [])
    index.update([memory("a", "new")], [("memories", "a")])
    assert keys(index, "old new") == ["a"]
    assert index.state().memories == 1


def test_of_two_documents_of_one_key_the_last_counts(index: SearchIndex) -> None:
    twice = [memory("a", "apple"), memory("b", "other"), memory("a", "bridge")]
    index.update(twice, [])
    assert (keys(index, "apple"), keys(index, "bridge")) == ([], ["a"])
    index.rebuild([turn("t", "one"), *twice, turn("t", "two"), turn("t", "three")])
    assert (keys(index, "apple"), keys(index, "bridge")) == ([], ["a"])
    assert keys(index, "one two three", "turns") == ["t"]
    assert (index.state().memories, index.state().turns) == (2, 1)


def test_a_rebuild_forgets_what_it_is_not_given(index: SearchIndex) -> None:
    index.update([memory("a", "sqlite")], [])
    index.rebuild(iter([memory("b", "postgres")]))
    assert keys(index, "sqlite postgres") == ["b"]


def test_the_number_seen_is_kept_with_the_documents(index: SearchIndex) -> None:
    assert index.state().seen is None
    index.update([memory("a", "word")], [], seen=7)
    assert index.state().seen == 7
    index.update([memory("b", "word")], [])
    assert index.state().seen == 7
    index.update([], [], seen=8)
    assert index.state().seen == 8
    index.rebuild([memory("c", "word")])
    assert index.state().seen == 8
    index.rebuild([], seen=3)
    assert index.state().seen == 3


def test_more_and_rarer_words_rank_higher(index: SearchIndex) -> None:
    index.update([memory(f"common{n}", "the database again") for n in range(9)], [])
    index.update([memory("rare", "the pgvector database"), memory("only", "pgvector")], [])
    assert keys(index, "pgvector database", limit=3)[0] == "rare"
    assert keys(index, "database pgvector", limit=2) == ["rare", "only"]


def test_a_word_in_the_title_counts_more(index: SearchIndex) -> None:
    index.update(
        [memory("body", "postgres wins", "note"), memory("title", "note wins", "postgres")], []
    )
    assert keys(index, "postgres") == ["title", "body"]


def test_scores_fall_and_equal_ones_are_ordered_by_key(index: SearchIndex) -> None:
    same = [memory(key, "postgres") for key in ("d", "b", "e", "a", "c")]
    index.update([*same, memory("z", "postgres sqlite")], [])
    assert keys(index, "postgres sqlite", limit=4) == ["z", "a", "b", "c"]
    scores = [found.score for found in index.find("postgres sqlite", "memories", 10)]
    assert scores == sorted(scores, reverse=True)
    assert min(scores) > 0


def test_stop_words_find_only_when_nothing_else_is_asked(index: SearchIndex) -> None:
    index.update([memory("a", "what is this"), memory("b", "postgres")], [])
    assert keys(index, "what is postgres") == ["b"]
    assert keys(index, "what is") == ["a"]


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_of_nothing_finds_nothing(index: SearchIndex, limit: int) -> None:
    index.update([memory("a", "word")], [])
    assert index.find("word", "memories", limit) == []


def test_a_limit_beyond_the_end_is_no_error(index: SearchIndex) -> None:
    index.update([memory("a", "word")], [])
    assert keys(index, "word", limit=10**9) == ["a"]


@pytest.mark.parametrize(
    "query",
    [
        "", " ", "-", "-postgres", '"', '"unbalanced', "a AND (", "title:postgres", "post*", "~",
        "NOT", "[a TO b]", "^2", "\\", "\x00", "\ud800", "🐘", "שלום", "مرحبا", "?", "😀" * 50,
        "postgres " * 1200, "𝒑𝒐𝒔𝒕𝒈𝒓𝒆𝒔",
    ],
)  # fmt: skip
def test_no_text_of_a_query_is_refused(index: SearchIndex, query: str) -> None:
    index.update([memory("a", "postgres 🐘 שלום مرحبا")], [])
    assert keys(index, query) in ([], ["a"])


def test_words_of_every_script_are_found(index: SearchIndex) -> None:
    bodies = {
        "ja": "東京タワーへ行く",
        "he": "שלום עולם",
        "ar": "قاعدة البيانات",
        "hi": "नमस्ते दुनिया",
        "emoji": "shipped 🎉",
    }
    index.update([memory(key, body) for key, body in bodies.items()], [])
    for query, key in (
        ("東京", "ja"),
        ("שלום", "he"),
        ("البيانات", "ar"),
        ("नमस्ते", "hi"),
        ("🎉", "emoji"),
    ):
        assert keys(index, query) == [key]


def test_drop_leaves_nothing(index: SearchIndex) -> None:
    index.update([memory("a", "word")], [], seen=4)
    index.drop()
    assert not index.state().usable
    assert index.state().seen is None
    with pytest.raises(IndexUnusable):
        index.find("word", "memories", 5)
    index.rebuild([memory("b", "word")])
    assert keys(index, "word") == ["b"]


def test_a_closed_index_opens_again(index: SearchIndex) -> None:
    index.update([memory("a", "word")], [])
    index.close()
    assert keys(index, "word") == ["a"]
    index.close()
    index.update([memory("b", "word")], [])
    assert keys(index, "word") == ["a", "b"]


def test_a_rest_between_two_searches_changes_no_answer(index: SearchIndex) -> None:
    index.update([memory("a", "word"), memory("b", "word")], [])
    before = index.find("word", "memories", 5)
    index.close_replaced()
    assert index.find("word", "memories", 5) == before


def test_an_error_of_the_stream_passes_through_and_changes_nothing(index: SearchIndex) -> None:
    index.update([memory("a", "word")], [], seen=1)

    def torn() -> Iterator[Document]:
        yield memory("b", "word")
        raise KeyError("source")

    for change in (lambda: index.rebuild(torn(), seen=2), lambda: index.update(torn(), [], seen=2)):
        with pytest.raises(KeyError):
            change()
    assert keys(index, "word") == ["a"]
    assert index.state().seen == 1
