"""The terms that documents and queries are found by."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.tokens import ANALYSIS, query_terms, terms
from tests.effort import examples

fragments = st.sampled_from(
    [
        "snake_case", "parseHTTPHeader", "src/a/b_c.py", "C++", "C#", "3.14", "don't", "Anna's",
        "東京タワー", "ไทย", "안녕하세요", "नमस्ते", "שָׁלוֹם", "Größe", "-5", "#tag", "@kim", "👩‍👩‍👧",
        "❤️", "\u202e", "\ud800", "x" * 70, "the", "https://a.b/c?d=e&f", "a-b'c.d",
    ]
)  # fmt: skip
any_text = st.lists(st.one_of(fragments, st.text(max_size=12)), max_size=12).map(" ".join)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("snake_case_name", {"snake_case_name", "snake", "case", "name"}),
        ("parseHTTPHeader", {"parsehttphead", "pars", "http", "header"}),
        ("src/shop/order_items.py", {"src/shop/order_items.py", "order_items.py", "order", "item"}),
        ("3.14", {"3.14", "3", "14"}),
        ("python3", {"python3", "python", "3"}),
        ("don't", {"don't", "dont"}),
        ("Anna's", {"anna"}),
        ("#tag @kim", {"tag", "kim"}),
        (".env", {".env", "env"}),
        ("gpt-4", {"gpt-4", "gpt", "4"}),
        ("東京駅", {"東", "京", "駅", "東京", "京駅"}),
        ("使用Postgres数据", {"使用", "postgr", "数据"}),
        ("ไทย", {"ไท", "ทย"}),
    ],
)
def test_a_name_is_found_whole_and_by_its_parts(text: str, expected: set[str]) -> None:
    assert expected <= set(terms(text))


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("zurich", "Zürich"), ("Größe", "GROESSE".replace("OE", "Ö")), ("ﬁle", "file"),
        ("shalom שלום", "שָׁלוֹם"), ("went", "going"), ("dont", "don’t"), ("user name", "getUserName"),
        ("❤", "❤️"), ("Αθηνα", "Αθήνα"), ("ﾃｽﾄ", "テスト"), ("駅", "東京駅"),
        ("smørrebrød", "smorrebrod"),
    ],
)  # fmt: skip
def test_spellings_of_one_word_meet(asked: str, written: str) -> None:
    assert set(query_terms(asked)) & set(terms(written))


@pytest.mark.parametrize(
    ("one", "other"), [("C++", "C"), ("C#", "C++"), ("3.14", "3.15"), ("кот", "код"), ("が", "か")]
)
def test_what_means_something_else_keeps_a_term_of_its_own(one: str, other: str) -> None:
    assert set(query_terms(one)) - set(terms(other))


def test_stop_words_leave_a_question_and_stay_when_alone() -> None:
    assert query_terms("What did we decide about the database?") == ["decid", "databas"]
    assert query_terms("to be or not to be, what's it") == ["not"]
    assert query_terms("what is it") == ["what", "is", "it"]


def test_a_query_of_a_page_is_cut() -> None:
    assert len(query_terms(" ".join(f"word{n}x" for n in range(2000)))) == 64


@pytest.mark.parametrize("text", ["", "-", '"', "\ud800", "...", "()[]{}", "\u202e\u200b"])
def test_text_without_words_has_no_terms(text: str) -> None:
    assert query_terms(text) == [] == terms(text)


@given(any_text)
def test_every_term_of_a_query_is_a_term_of_its_text(text: str) -> None:
    asked = query_terms(text)
    assert set(asked) <= set(terms(text))
    assert len(set(asked)) == len(asked) <= 64


@given(any_text)
def test_terms_can_be_stored_and_compared(text: str) -> None:
    for term in terms(text):
        assert 0 < len(term) <= 64
        assert term == term.strip()
        term.encode("utf-8")


@given(any_text, any_text)
def test_a_query_finds_the_text_that_it_is_part_of(before: str, text: str) -> None:
    assert set(query_terms(text)) <= set(terms(f"{before} {text}"))


@examples(5)
@given(st.sampled_from(["a", "aB", "a-", "日", "a'", "é", "/a", "_", "1"]))
def test_a_long_run_costs_no_more_than_its_length(piece: str) -> None:
    assert all(len(term) <= 64 for term in terms(piece * 50_000))


def test_a_changed_analysis_has_another_number() -> None:
    """Indexes are rebuilt when ANALYSIS changes: change both, and the digest here."""
    sample = (
        "What's in src/shop/order_items.py? parseHTTPHeader went to C++, C# and 3.14; don't "
        "migrate Zürich's 東京タワー data, #tag @kim -5 5% .env gpt-4 python3 "
        "नमस्ते ไทย 안녕 👩‍👩‍👧 Größe"
    )
    digest = hashlib.sha256("\n".join(terms(sample)).encode()).hexdigest()[:12]
    assert (ANALYSIS, digest) == (1, "e4c7e09a6b2c")
