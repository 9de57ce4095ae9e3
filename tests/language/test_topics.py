"""Topics: which words of a text count, and which of many texts come first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engram.language.topics import top_topics, topic_terms
from tests.kit import topic_totals

ANY = st.text(st.characters() | st.sampled_from("aé李 ハ한-'+/._\ud800"), max_size=60)


def ranked(*texts: str, most: int = 50) -> list[str]:
    totals = topic_totals([topic_terms(text) for text in texts])
    return [topic.term for topic in top_topics(totals, len(texts), most)]


def test_words_of_any_script_count_and_empty_words_do_not() -> None:
    assert set(topic_terms("José's café is in the Straße; हिन्दी भाषा, don't")) == {
        "josé", "café", "strasse", "हिन्दी", "भाषा",
    }  # fmt: skip
    assert set(topic_terms("2026-03-06 at 10:10 we go up")) == set()


def test_paths_fall_into_words_and_names_stay_whole() -> None:
    found = topic_terms("src/shop/order_items.py is state-of-the-art C++")
    assert set(found) == {"src", "shop", "order", "items", "state-of-the-art", "c++"}


def test_scripts_without_spaces_give_runs_and_pairs() -> None:
    assert set(topic_terms("東京タワーへ行く")) == {"東京", "タワー"}
    assert set(topic_terms("李雷喜欢喝茶")) == {"李雷", "雷喜", "喜欢", "欢喝", "喝茶"}
    assert set(topic_terms("서울에서 커피")) == {"서울에서", "커피"}


def test_the_weights_of_a_text_are_shares_of_it() -> None:
    assert topic_terms("postgres postgres redis tea tea tea tea tea") == {
        "postgres": 250_000, "redis": 125_000, "tea": 625_000,
    }  # fmt: skip


@given(ANY)
def test_any_text_has_weights_of_at_most_a_whole_that_can_be_kept(text: str) -> None:
    terms = topic_terms(text)
    assert sum(terms.values()) <= 1_000_000
    for term, weight in terms.items():
        assert weight > 0
        assert len(term) >= 2 and term.encode("utf-8").decode("utf-8") == term


def test_one_text_has_topics_and_so_has_what_all_texts_say() -> None:
    (topic,) = top_topics(topic_totals([topic_terms("postgres")]), 1)
    assert (topic.term, topic.count) == ("postgres", 1) and topic.score > 0
    assert ranked("postgres tea", "postgres cake") == ["postgres", "cake", "tea"]


def test_equal_words_stand_in_order_and_no_more_than_asked() -> None:
    assert ranked("pear plum apple") == ["apple", "pear", "plum"]
    assert ranked("pear plum apple", most=1) == ["apple"]
    assert ranked("pear", most=0) == []


def test_a_rare_word_counts_more_than_one_that_all_texts_hold() -> None:
    assert ranked("valve oven", "valve tea", "valve cake")[:1] == ["valve"]
    totals = [("common", 9, 900_000), ("rare", 1, 900_000)]
    assert [topic.term for topic in top_topics(totals, 9)] == ["rare", "common"]
