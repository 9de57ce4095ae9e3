"""What a model wrote is believed as far as the words it was given say it, in every language."""

from __future__ import annotations

import pytest

from engram.language.same_language import same_language
from engram.language.supported import (
    new_names,
    shared_words,
    unsupported,
)

ENGLISH = (
    "2026-03-05: Ida Brandt runs the bakery's accounts.",
    "2026-03-08: She signs orders over 10,000 EUR within five days.",
    "2026-04-01: The order service moved from MySQL to PostgreSQL 16 because of k8s.",
    "2026-02-01: Jens Roth bakes on Fridays. (superseded)",
)
GERMAN = (
    "2026-03-05: Ida Brandt leitet die Buchhaltung und unterschreibt Bestellungen.",
    "2026-03-06: Der Dienst läuft nicht auf MySQL, sondern auf PostgreSQL 16.",
)
CHINESE = ("2026-03-05: 王芳负责财务部门。", "2026-03-08: 订单服务用 PostgreSQL 16。")


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("Ida Brandt runs the accounts since March 5, 2026.", ENGLISH),
        ("Currently, orders over 10000 EUR are signed by Ida within 5 days.", ENGLISH),
        ("The order service no longer uses MySQL; it runs on PostgreSQL 16 in k8s.", ENGLISH),
        ("Jens Roth does not bake on Fridays any more.", ENGLISH),
        ("Ida Brandt leitet die Buchhaltung; der Dienst läuft auf PostgreSQL 16.", GERMAN),
        ("王芳负责财务部门，订单服务用 PostgreSQL 16。", CHINESE),
    ],
)
def test_what_was_given_is_supported_in_other_words_too(text: str, given: list[str]) -> None:
    assert unsupported(text, given) == ""


@pytest.mark.parametrize(
    ("text", "given", "code"),
    [
        ("Ida Brandt signs orders over 9,999 EUR.", ENGLISH, "number"),
        ("The order service runs on PostgreSQL 17.", ENGLISH, "number"),
        ("Peter runs the bakery's accounts.", ENGLISH, "name"),
        ("Ida Brandt runs the accounts with Peter Lund.", ENGLISH, "name"),
        ("On Monday she signs orders.", ENGLISH, "name"),
        ("Ida Brandt does not run the accounts.", ENGLISH, "negation"),
        ("Ida Brandt runs the accounts and signs orders. Everybody was fired.", ENGLISH, "words"),
        ("Ida Brandt likes peanuts and long walks.", ENGLISH, "words"),
        ("Das Team nutzt PostgreSQL 16 und k8s; Ida Brandt runs orders.", ENGLISH, "language"),
        ("Ida Brandt runs the accounts and the service is on PostgreSQL 16.", GERMAN, "language"),
        ("Der Dienst läuft auf PostgreSQL 17.", GERMAN, "number"),
        ("Ida Brandt unterschreibt keine Bestellungen.", GERMAN[:1], "negation"),
        ("王芳不负责财务部门。", CHINESE, "negation"),
        ("李娜负责市场推广工作。", CHINESE, "words"),
        ("Wang Fang runs finance.", CHINESE, "language"),
    ],
)
def test_what_nobody_gave_is_told_by_its_kind(text: str, given: list[str], code: str) -> None:
    assert unsupported(text, given) == code


def test_a_weekday_is_a_name_and_an_adverb_or_a_plural_that_begins_a_sentence_is_none() -> None:
    assert new_names("Usually, orders wait. Orders wait till Friday.", "They wait.") == {"Friday"}
    assert new_names("Bestellungen warten bis Freitag.", "Das ist so und die Zeit eilt.") == set()


def test_a_few_words_can_be_of_any_language_and_a_script_tells() -> None:
    assert same_language("PostgreSQL 16", ENGLISH[0]) and not same_language("数据库", ENGLISH[0])
    assert shared_words("", "x") == 1.0
