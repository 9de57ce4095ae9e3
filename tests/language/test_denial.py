"""Denials and numbers: what is said again in other words, and what is turned round."""

from __future__ import annotations

import pytest

from engram.language.denial import is_turned
from engram.language.numerals import numbers_of, values_of


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
