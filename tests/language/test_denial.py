"""Denials and numbers: what is said again in other words, and what is turned round."""

from __future__ import annotations

import pytest

from engram.language.denial import denies, is_turned
from engram.language.numerals import has_other_numbers, numbers_of, values_of


@pytest.mark.parametrize(
    "text, said",
    [
        ("The team uses Redis.", "We don't use Redis."),
        ("The flag is safe with old databases.", "The flag isn't safe with old databases."),
        ("Der Server steht in Berlin.", "Der Server steht nicht in Berlin."),
        ("L'équipe utilise Jenkins.", "Nous n'utilisons pas Jenkins."),
        ("El informe va en inglés.", "El informe no va en inglés."),
        ("Команда использует Redis.", "Мы не используем Redis."),
        ("团队使用微服务。", "我们不使用微服务。"),
        ("The user never eats fish on Mondays.", "I eat fish on Mondays."),
        ("The team no longer uses Mailchimp.", "We run the newsletter with Mailchimp."),
    ],
)  # fmt: skip
def test_what_was_denied_and_is_stated_is_turned(text: str, said: str) -> None:
    assert is_turned(text, said)


@pytest.mark.parametrize(
    "text, said",
    [
        ("The flag is unsafe with old databases.", "The flag isn't safe with old databases."),
        ("The team stopped using Redis.", "We don't use Redis any more."),
        ("All contracts were renewed.", "None of the contracts is left, all were renewed."),
        ("The user is fine with long answers.", "I don't mind long answers."),
        ("The team deploys at most twice a week.", "We don't deploy more than twice a week."),
        ("The ingest uses NATS.", "It's not Kafka, it's NATS that the ingest uses."),
        ("train.py shuffled clips and not sites.", "train.py shuffled clips over all sites."),
        ("The user wants answers in French.", "why not answer in French?"),
        ("团队不仅使用微服务。", "团队使用微服务。"),
    ],
)  # fmt: skip
def test_what_is_denied_in_other_words_or_within_bounds_is_not_turned(text: str, said: str) -> None:
    assert not is_turned(text, said)


@pytest.mark.parametrize(
    "said, told",
    [
        ("10k a day", "10,000"), ("1.2M rows", "1.2 million"), ("1.200,50 Euro", "1200,50"),
        ("version 3.11.2", "3.11"), ("half of it", "50 %"), ("twenty people", "20"),
        ("4.97 GB", "5 GB"), ("1500 ms", "1.5 s"), ("3 pm", "15:00"), ("二十三天", "23天"),
        ("zwölf Leute", "12"),
    ],
)  # fmt: skip
def test_a_number_is_known_in_the_forms_in_which_it_is_told_again(said: str, told: str) -> None:
    (number, *_) = numbers_of(told)
    assert number.said & values_of(said)


@pytest.mark.parametrize(
    "said, told", [("20 a day", "9999"), ("port 8080", "8081"), ("3.11", "3.12"), ("v2", "20")]
)
def test_another_number_is_not_known(said: str, told: str) -> None:
    (number, *_) = numbers_of(told)
    assert not number.said & values_of(said)


def test_a_day_in_figures_is_its_numbers_and_a_name_may_hold_one() -> None:
    told = values_of("2026-03-05: twenty minutes on k8s")
    assert not has_other_numbers("Since 05.03.2026 k8s restarts after 20 minutes.", told)
    assert has_other_numbers("Since 06.03.2026 k8s restarts after 20 minutes.", told)
    assert has_other_numbers("Postgres 16.4", values_of("Postgres 16.2"))


def test_what_is_set_against_a_statement_does_not_deny_it() -> None:
    said = ["Use integers, never floats.", "No problem, tabs it is.", "Nice, isn't it?"]
    assert not any(map(denies, said)) and denies("The port is open without TLS.")
    assert denies("We don't use floats.") and denies("没有问题")
