"""The table of rules: complete rows compile, everything else is refused by name."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from engram.extract.rules.table import FAMILIES, read_rules
from engram.model.errors import ConfigError
from engram.model.memory import CATEGORIES, SPACES

CONFIG = Path(__file__).parents[2] / "config" / "rules.toml"

ROW: dict[str, Any] = {
    "name": "oak",
    "example": "we use oak",
    "words": "oak elm",
    "pattern": "we use {wood}",
    "confidence": 0.8,
}
PARTS = {"tree": "oak|elm", "wood": "(?:{tree})"}


def table(**changed: Any) -> dict[str, Any]:
    return {"parts": PARTS, "fact": [ROW | changed]}


def test_a_row_becomes_a_rule_with_its_fragments_filled_in() -> None:
    (rule,) = read_rules(table())
    assert rule.category == "fact"
    assert rule.words == {"oak", "elm"}
    assert rule.pattern.pattern == "we use (?:oak|elm)"
    assert rule.pattern.match("WE USE ELM")


def test_a_line_break_and_its_indentation_are_not_part_of_a_pattern() -> None:
    (rule,) = read_rules(table(pattern="we use (?:oak\n    |elm)"))
    assert rule.pattern.pattern == "we use (?:oak|elm)"


def test_no_rule_is_surer_than_a_rule_can_be() -> None:
    (rule,) = read_rules(table(confidence=0.99))
    assert rule.confidence == 0.85


def test_families_come_in_their_order_whatever_the_order_of_the_table() -> None:
    rows = {family: [ROW | {"name": family}] for family in reversed(FAMILIES)}
    assert [rule.family for rule in read_rules({"parts": PARTS, **rows})] == list(FAMILIES)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"pattern": "{stone}"}, "stone"),
        ({"unless": "{stone}"}, "stone"),
        ({"colour": "red"}, "colour"),
        ({"category": "opinion"}, "oak"),
        ({"schema": "poem"}, "oak"),
        ({"tolerates": ["rain"]}, "oak"),
    ],
)
def test_a_row_that_is_wrong_is_refused_by_name(changed: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told) as refused:
        read_rules(table(**changed))
    assert refused.value.hint


@pytest.mark.parametrize("key", ["pattern", "unless", "lead"])
def test_an_expression_that_does_not_compile_is_refused_when_it_is_needed(key: str) -> None:
    (rule,) = read_rules(table(**{key: "we use ("}))
    with pytest.raises(ConfigError, match="oak") as refused:
        getattr(rule, key)
    assert refused.value.hint


@pytest.mark.parametrize("key", ["name", "example", "words", "pattern", "confidence"])
def test_a_row_that_lacks_something_is_refused(key: str) -> None:
    row = {name: value for name, value in ROW.items() if name != key}
    with pytest.raises(ConfigError, match=key):
        read_rules({"parts": PARTS, "fact": [row]})


def test_unknown_families_doubled_names_and_fragments_that_are_no_text_are_refused() -> None:
    with pytest.raises(ConfigError, match="guess"):
        read_rules({"guess": [ROW]})
    with pytest.raises(ConfigError, match="oak"):
        read_rules({"parts": PARTS, "fact": [ROW], "skill": [ROW]})
    with pytest.raises(ConfigError, match="wood"):
        read_rules({"parts": {"wood": 3}})
    with pytest.raises(ConfigError):
        read_rules({"fact": ["oak"]})


def test_the_shipped_table_has_rules_for_every_category_and_only_known_values() -> None:
    with CONFIG.open("rb") as file:
        rules = read_rules(tomllib.load(file))
    assert {rule.category for rule in rules} == set(CATEGORIES)
    assert {rule.family for rule in rules} == set(FAMILIES)
    assert all(rule.space in SPACES for rule in rules)
    assert all(0.4 <= rule.confidence <= 0.85 for rule in rules)
