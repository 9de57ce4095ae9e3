"""Stated secrets: sentences that tell one, and sentences that only speak of one."""

from __future__ import annotations

from pathlib import Path

from engram.language.secret_conditions import is_condition
from engram.language.stated_secrets import stated_secret

LABELLED = [
    line.split(": ", 1)
    for line in Path(__file__).with_name("stated_secrets.txt").read_text("utf-8").splitlines()
]


def test_a_sentence_that_tells_a_secret_is_known_by_its_words_alone() -> None:
    wrong = [text for label, text in LABELLED if bool(stated_secret(text)) != (label == "secret")]
    assert wrong == []


def test_invisible_signs_and_wide_letters_hide_no_statement() -> None:
    assert stated_secret("my pass\u200bword is sunflower")
    assert stated_secret("my ｐａｓｓｗｏｒｄ is sunflower")


def test_a_condition_is_no_value() -> None:
    assert all(map(is_condition, ["required", "stored", "on", "(hidden)", ""]))
    assert not any(map(is_condition, ["sunflower", "4816", "Blue-Octopus-77"]))


def test_a_long_text_without_blanks_takes_no_longer_than_its_length() -> None:
    assert not stated_secret("a" * 200_000)
    assert not stated_secret("password " * 20_000)
