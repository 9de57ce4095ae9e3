"""What only some texts say is told from what others say too, and taken out of a text."""

from __future__ import annotations

import pytest

from engram.language.distinct_words import (
    DistinctWords,
    holds,
    phrase_of,
    tells,
    unspoken,
    words_in,
)


def test_a_word_is_distinct_until_another_text_has_one_of_its_stem() -> None:
    distinct = DistinctWords(["The codename is Zwiebelkuchen99, said Jürgen."])
    assert distinct.left == words_in("codename Zwiebelkuchen99 said Jürgen")
    distinct.other("Codenames are silly.")
    assert "zwiebelkuchen99" in distinct.left and not tells("CODENAME", distinct.left)
    assert distinct.seldom("a codename", 1, frozenset()) == ["codename"]
    assert distinct.seldom("a codename", 1, words_in("codename")) == []


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("We met at ÜBERLINGEN station.", "uberlingen"), ("İZMİRLİKUŞ sings", "izmirlikus"),
        ("blue\n  Octopus", "Blue octopus"), ("ｆｕｌｌ width", "full"),
        ("кофе в Москве", "МОСКВЕ"),
    ],
)  # fmt: skip
def test_a_phrase_is_found_and_taken_out_in_any_spelling(text: str, phrase: str) -> None:
    looked_for = phrase_of(phrase)
    assert holds(text, looked_for) and tells(text, frozenset(), looked_for)
    left = unspoken(text, frozenset(), looked_for, "()")
    assert not holds(left, looked_for) and "()" in left


def test_words_of_scripts_without_spaces_tell_by_their_pairs() -> None:
    distinct = DistinctWords(["暗号名は玉葱菓子です"])
    assert tells("玉葱の話", distinct.left)
    distinct.other("玉葱を買う")
    assert not tells("玉葱の話", distinct.left)


def test_nothing_else_of_a_text_changes() -> None:
    words = words_in("zwiebel")
    assert (
        unspoken("A zwiebel,\n\tand a Zwiebel-Ring.", words, "", "()") == "A (),\n\tand a ()-Ring."
    )
    assert unspoken("A ring.", words, "nothing", "()") == "A ring."
