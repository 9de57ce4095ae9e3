"""Which earlier statements are near another: by seldom words, whole names and their parts."""

from __future__ import annotations

from collections import Counter

from engram.consolidate.near_words import NearWords, Stems


def nearest(statement: str, *earlier: str, count: int = 1) -> list[str]:
    stems = Stems()
    said = [stems.of(text) for text in (*earlier, statement)]
    near = NearWords(Counter(word for words in said for word in words))
    for words in said[:-1]:
        near.add(words)
    return [earlier[number] for _, number in near.nearest(said[-1], count)]


def test_the_seldom_word_tells_what_a_statement_is_about() -> None:
    crowd = [f"The {name} service is written in Go." for name in ["ab", "cd", "ef", "gh", "ij"]]
    heron = "Heron keeps its data in Postgres."
    assert nearest("The service called heron moved to Rust.", heron, *crowd) == [heron]


def test_a_name_of_parts_is_found_by_a_part_and_by_itself() -> None:
    region, other = "The region is us-east-1.", "The region is eu-west-2."
    assert nearest("Everything in us-east-1 was shut down.", other, region) == [region]
    assert nearest("settings were moved", "Look into settings.yaml.", other) == [
        "Look into settings.yaml."
    ]


def test_a_number_in_common_says_less_than_a_word() -> None:
    limit, days = "An upload may have 30 MB.", "Logs stay for 90 days."
    assert nearest("Raised the upload limit to 90 MiB.", limit, days) == [limit]


def test_of_equally_near_ones_the_newest_and_no_more_than_asked_for() -> None:
    same = ["The build runs nightly."] * 400
    stems = Stems()
    words = stems.of(same[0])
    near = NearWords(Counter(dict.fromkeys(words, 400)))
    assert near.nearest(words, 5) == []
    for _ in same:
        near.add(words)
    assert [number for _, number in near.nearest(words, 5)] == [399, 398, 397, 396, 395]
    assert near.nearest(frozenset(), 5) == []
