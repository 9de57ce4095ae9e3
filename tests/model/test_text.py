"""The one normaliser: what a reader takes for the same is the same, and nothing else is."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.text import (
    _tokens,
    content_hash,
    first_line,
    jaccard,
    normalise,
    sha256_text,
    words,
)
from tests.effort import examples

#: Any text, and text made of the signs that the normaliser treats in their own way.
_SIGNS = "aB1.-+#/%'’‐−–$€@~:=*\\ _ßİǅ\u0301\u00adﬁ①½㎏…。，、\u200d\u3000\ufeff٣"
TEXTS = st.one_of(st.text(), st.text(alphabet=_SIGNS))
NAMES = st.text(alphabet="abcdefghijklmnopqrstuvwxyz0123456789", min_size=1)
#: An apostrophe that Unicode counts among the letters; people type it for any other apostrophe.
_MODIFIER_APOSTROPHE = "ʼ"


@given(TEXTS)
@examples(75)
def test_normalising_twice_is_normalising_once(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    assert once == " ".join(once.split())


@given(TEXTS)
@examples(75)
def test_every_letter_and_digit_of_every_script_survives_in_order(text: str) -> None:
    joined = text.replace("\u00ad", "")  # where a word may be parted, nothing is written
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", joined).casefold())
    spoken = unicodedata.normalize("NFKC", folded).replace(_MODIFIER_APOSTROPHE, "")
    kept = normalise(text).replace(_MODIFIER_APOSTROPHE, "")
    assert [sign for sign in kept if sign.isalnum()] == [sign for sign in spoken if sign.isalnum()]


@pytest.mark.parametrize(
    "text",
    [
        "привет",
        "γειά",
        "שלום",
        "مرحبا",
        "नमस्ते",
        "สวัสดี",
        "你好",
        "안녕",
        "გამარჯობა",
        "ሰላም",
        "٣٤",
        "👍🏽",
    ],
)
def test_a_word_of_any_script_stays_whole(text: str) -> None:
    assert normalise(f"({text})!") == text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("C", "C++"), ("C", "C#"), ("C++", "C#"), ("-5", "5"), ("+5", "5"), ("1.10", "1 10"),
        ("1.10", "1.1"), ("1.10", "110"), ("a/b", "ab"), ("a/b", "a b"), ("don't", "dont"),
        ("5%", "5"), ("$5", "5"), ("20€", "20"), ("10:30", "1030"), (".env", "env"),
        ("@kim", "kim"), ("~/notes", "notes"), ("x=1", "x 1"), ("R&D", "RD"), ("कि", "का"),
        ("résumé", "resume"), ("≥5", "5"), ("not ✅", "not ❌"), ("5°", "5"), ("v1-2", "v12"),
    ],
)  # fmt: skip
def test_signs_that_bear_meaning_keep_texts_apart(one: str, other: str) -> None:
    assert normalise(one) != normalise(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Shop Uses Tabs.", "the shop uses tabs"), ("Straße", "STRASSE"), ("ﬁle", "file"),
        ("ＡＢＣ１２３", "abc123"), ("don’t", "don't"), ("−5", "-5"), ("co‑op", "co-op"),
        ("wait—really", "wait, really?"), ("(yes)", "yes"), ("“quoted”", '"quoted"'),
        ("soft\u00adhyphen", "softhyphen"), ("e\u0301tude", "étude"), ("¿Qué tal?", "qué tal"),
        ("你好，世界。", "你好 世界"), ("tabs\u3000and\u00a0spaces", "tabs and spaces"),
    ],
)  # fmt: skip
def test_case_width_white_space_and_punctuation_are_no_difference(one: str, other: str) -> None:
    assert normalise(one) == normalise(other)


@given(st.lists(NAMES, min_size=1), st.sampled_from([" ", "\t", "\r\n", "\u00a0", "\u2003", "  "]))
@examples(15)
def test_white_space_only_separates(names: list[str], blank: str) -> None:
    assert words(blank + blank.join(names) + blank) == names


@given(st.lists(NAMES, min_size=1))
@examples(15)
def test_capitals_full_width_and_brackets_change_nothing(names: list[str]) -> None:
    text = " ".join(names)
    wide = "".join(chr(ord(sign) + 0xFEE0) if sign != " " else "\u3000" for sign in text)
    assert normalise(text.upper()) == normalise(wide) == normalise(f"({text}), !?") == text


@given(TEXTS)
@examples(75)
def test_a_text_is_normalised_run_by_run_as_it_is_as_a_whole(one: str) -> None:
    assert normalise(one) == _tokens(one)


@pytest.mark.parametrize("text", ["", " \n", "...", "?!", "—", "\u200b\u200d", "()[]{}"])
def test_punctuation_alone_is_nothing(text: str) -> None:
    assert normalise(text) == ""
    assert content_hash(text) == content_hash("") == sha256_text("")


@pytest.mark.parametrize(
    "run", ["a", " ", "-", "+", "#", ".", "'", "/", "a.", "-a", "$", "~/", "@", "李", "\u0301", "﷽"]
)
def test_a_very_long_run_of_one_sign_is_only_long(run: str) -> None:
    assert len(normalise(run * (100_000 // len(run)))) <= 100_000 * 18


def test_the_hash_is_of_the_scope_and_the_normal_form() -> None:
    assert content_hash("The shop uses tabs.") == sha256_text("the shop uses tabs")
    assert content_hash("Tabs!", "project/shop/") == sha256_text("project/shop/\ntabs")
    assert content_hash("tabs", "project/shop/") != content_hash("tabs", "project/blog/")
    assert content_hash("tabs", "project/shop/") != content_hash("tabs")


def test_the_hash_of_a_text_never_changes() -> None:
    assert content_hash("The shop uses Postgres.") == (
        "3410f20e94f06835a7c255261bde067c21d663f03768d7416585a8127f4cc870"
    )
    assert content_hash("Don’t use C++ for 李雷; use −5 %.", "user//") == (
        "acdf3fbeb69259ed519cd757c461caf317711c8f183e6d00c05ff03f9c500749"
    )


@given(st.text(), st.text(), st.text(alphabet="abc/", min_size=1))
@examples(25)
def test_hashes_are_equal_exactly_when_the_normal_forms_are(one: str, two: str, scope: str) -> None:
    same = normalise(one) == normalise(two)
    assert (content_hash(one, scope) == content_hash(two, scope)) == same


def test_a_lone_surrogate_is_hashed_and_not_refused() -> None:
    assert content_hash("broken \ud83d") != content_hash("broken \ud83e")


def test_jaccard_is_the_shared_share() -> None:
    assert jaccard(["a", "b", "b"], ["b", "c"]) == pytest.approx(1 / 3)
    assert jaccard(["a"], ["a"]) == 1.0
    assert jaccard([], ["a"]) == jaccard([], []) == 0.0


@given(st.text(), st.integers(min_value=10, max_value=60))
@examples(25)
def test_a_first_line_is_one_line_of_at_most_the_width(text: str, width: int) -> None:
    line = first_line(text, width)
    assert len(line) <= width
    assert line == line.strip() and len(line.splitlines()) <= 1
    assert bool(line) == bool(text.strip())


def test_a_first_line_is_cut_between_words() -> None:
    assert first_line("\n\n  The shop uses Postgres, not SQLite\nsecond", 25) == (
        "The shop uses Postgres…"
    )
    assert first_line("short") == "short"
