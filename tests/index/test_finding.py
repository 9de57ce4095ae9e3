"""A question becomes terms, and its filters lose nothing that lies further down."""

from __future__ import annotations

import pytest

from engram.index.memory_finder import MemoryFinder
from engram.model.hit import Collection, Document, Hints


def memory(key: str, body: str, day: str = "") -> Document:
    return Document(key, "memories", "", body, day)


def finder(*documents: Document) -> MemoryFinder:
    made = MemoryFinder()
    made.rebuild(documents)
    return made


def keys(
    index: MemoryFinder, query: str, hints: Hints = Hints(), collection: Collection = "memories"
) -> list[str]:
    return [found.key for found in index.find(query, collection, 99, hints)]


# -- German -------------------------------------------------------------------------------------


def test_a_german_compound_is_found_by_its_parts_and_plurals_by_the_singular() -> None:
    index = finder(
        memory("db", "Der Datenbankserver steht bei Hetzner."),
        memory("nuts", "Die Nutzerin ist allergisch gegen Haselnüsse."),
        memory("house", "Wir haben zwei Häuser in der Hüxstraße."),
        memory("english", "The data bank serves nuts in the house on the hill."),
    )
    for query, key in {
        "Datenbank": "db", "Server": "db", "Servern": "db", "Haselnuss": "nuts",
        "Nuss": "nuts", "Haselnuesse": "nuts", "Huexstrasse": "house", "Haus": "house",
    }.items():  # fmt: skip
        assert keys(index, query)[0] == key, query
    assert keys(index, "house") == ["english"]


# -- what is let through ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def crowd() -> MemoryFinder:
    """Nine thousand memories of tea, all alike; the last has the fewest words of the question."""
    return finder(
        *(memory(f"m{n:05d}", "tea tea" if n < 8999 else "a cup of tea") for n in range(9000))
    )


@pytest.mark.parametrize("wanted", [0, 63, 64, 65, 191, 192, 5000, 8998, 8999])
def test_what_lies_behind_thousands_that_are_refused_is_found(
    crowd: MemoryFinder, wanted: int
) -> None:
    name = f"m{wanted:05d}"
    found = crowd.find(
        "tea", "memories", 5, admit=lambda some: [key for key in some if key == name]
    )
    assert [one.key for one in found] == [name]


def test_each_key_is_asked_for_once_best_first_and_no_more_than_needed(crowd: MemoryFinder) -> None:
    asked: list[str] = []

    def admit(some: list[str]) -> list[str]:
        asked.extend(some)
        return [key for key in some if int(key[1:]) % 100 == 99]

    found = [one.key for one in crowd.find("tea", "memories", 3, admit=admit)]
    assert found == ["m00099", "m00199", "m00299"]
    assert asked == sorted(set(asked)) and len(asked) < 1000
    asked.clear()
    assert crowd.find("tea", "memories", 3, admit=lambda some: asked.extend(some) or []) == []  # type: ignore[func-returns-value]
    assert len(asked) == 9000


def test_more_may_be_let_through_than_were_wanted(crowd: MemoryFinder) -> None:
    found = crowd.find("tea", "memories", 3, admit=lambda some: [*some, "unknown"])
    assert [one.key for one in found] == ["m00000", "m00001", "m00002"]
    assert len(crowd.find("tea", "memories", 100, admit=lambda some: some)) == 100


# -- days ---------------------------------------------------------------------------------------


def test_since_and_before_are_the_first_day_that_counts_and_the_first_that_does_not() -> None:
    days = ("2025-12-31", "2026-01-01", "2026-01-31", "2026-02-01", "")
    index = finder(*(memory(day or "none", "tea", day) for day in days))
    assert keys(index, "tea", Hints(since="2026-01-01", before="2026-02-01")) == list(days[1:3])
    assert keys(index, "tea", Hints(since="2026-01-31")) == list(days[2:4])
    assert keys(index, "tea", Hints(before="2026-01-01")) == ["2025-12-31", "none"]
    assert keys(index, "tea", Hints(since="2027-01-01", before="2026-01-01")) == []


@pytest.mark.parametrize("day", ["1969-07-20", "2149-06-06", "2150-01-01", "9999-12-31"])
def test_a_day_beyond_what_is_counted_loses_nothing(day: str) -> None:
    index = finder(memory("m", "tea", day))
    assert keys(index, "tea", Hints(since=day)) == ["m"]
    assert keys(index, "tea", Hints(since="1960-01-01", before="9999-12-31")) == ["m"]


# -- beginnings of words ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "prefix",
    ["migr", "migrat", "migration", "migrations", "MIGR", "gross", "größ", "東京タ", "naï"],
)
def test_a_beginning_stands_for_the_words_that_begin_so(prefix: str) -> None:
    index = finder(
        memory("m", "the migrations of Größe, a naïve one, to 東京タワー"), memory("n", "tea")
    )
    assert keys(index, "", Hints(prefixes=(prefix,))) == ["m"]


@pytest.mark.parametrize("prefix", ["", "\ud800", "\x01", "\x01anna", "zz", "-", "x" * 300])
def test_the_beginning_of_nothing_finds_nothing(prefix: str) -> None:
    index = finder(Document("t", "turns", "", "tea", speaker="Anna"))
    assert keys(index, "", Hints(prefixes=(prefix,)), "turns") == []


def test_a_beginning_and_a_word_are_both_looked_for() -> None:
    index = finder(memory("a", "tea"), memory("b", "migration"), memory("c", "cake"))
    assert keys(index, "tea", Hints(prefixes=("migr",))) == ["a", "b"]


# -- words --------------------------------------------------------------------------------------


def test_the_name_of_a_speaker_is_a_word_in_memories() -> None:
    index = finder(memory("m", "Anna likes tea"))
    assert keys(index, "Anna") == ["m"]


def test_a_pasted_page_is_cut_to_its_first_words() -> None:
    index = finder(memory("a", "tea"), memory("b", "cake"))
    page = " ".join(f"word{n}" for n in range(5000))
    assert keys(index, f"tea {page} cake") == ["a"]


def test_words_that_nobody_said_are_suggested_from_those_that_begin_alike() -> None:
    index = finder(memory("a", "marzipan margin table"))
    assert index.terms_like("marsipan", 9) == ["margin", "marzipan"]
    assert index.terms_like("marsipan", 1) == ["margin"]
    assert index.terms_like("zz", 9) == []
