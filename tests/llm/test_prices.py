"""What a model costs: names with dates and vendors, and the dearest for what nobody priced."""

from __future__ import annotations

import pytest

from engram.llm.prices import Price, Prices
from engram.llm.provider import Provider
from engram.model.errors import ConfigError
from engram.model.model_request import Usage
from engram.model.settings import LlmSettings
from engram.settings.load import shipped

TABLE = {
    "model": {
        "gpt-5": {"input": 1.25, "output": 10.0},
        "gpt-5-mini": {"input": 0.25, "output": 2},
        "dear": {"input": 5.0, "output": 1.0},
    }
}


def price(model: str, settings: LlmSettings | None = None, **more: bool) -> Price:
    provider = Provider("cloud", "https://api.openai.com/v1", model, "k", **more)
    return Prices(TABLE, settings or LlmSettings()).of(provider)


@pytest.mark.parametrize(
    "name, row",
    [
        ("gpt-5", "gpt-5"), ("gpt-5-mini", "gpt-5-mini"), ("GPT-5-Mini", "gpt-5-mini"),
        ("gpt-5-2025-08-07", "gpt-5"), ("gpt-5-mini-2026-01-15", "gpt-5-mini"),
        ("gpt-5-mini-20260115", "gpt-5-mini"), ("openai/gpt-5-mini", "gpt-5-mini"),
    ],
)  # fmt: skip
def test_a_model_is_known_by_its_name(name: str, row: str) -> None:
    wanted = TABLE["model"][row]
    assert price(name) == Price(wanted["input"], wanted["output"])


@pytest.mark.parametrize(
    "name", ["gpt-6", "gpt-5-20b", "gpt-5-nano", "gpt", "", "ft:gpt-5-mini:us", "gpt-5-2025-08-07x"]
)
def test_an_unknown_model_counts_as_the_dearest(name: str) -> None:
    assert price(name) == Price(5.0, 10.0, known=False)


def test_the_persons_own_price_goes_before_the_table() -> None:
    own = LlmSettings(usd_per_million_input=3.0)
    assert price("gpt-5", own) == price("anything", own) == Price(3.0, 0.0)


def test_a_model_of_ones_own_costs_nothing() -> None:
    assert price("gpt-5", local=True).of(Usage(10**6, 10**6)) == 0


def test_a_call_costs_what_its_tokens_cost() -> None:
    assert price("gpt-5").of(Usage(1_000_000, 100_000)) == pytest.approx(2.25)


@pytest.mark.parametrize(
    "table", [{}, {"model": {}}, {"model": []}, {"model": {"a": 1}}, {"model": {"a": {"input": 1}}}]
)
def test_a_table_that_is_none_is_refused(table: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=r"prices\.toml"):
        Prices(table, LlmSettings())


def test_the_table_that_is_shipped_prices_its_own_names() -> None:
    table = shipped("prices")
    prices = Prices(table, LlmSettings())
    for name, row in table["model"].items():
        found = prices.of(Provider("cloud", "https://api.openai.com/v1", name, "k"))
        assert (found.input, found.output, found.known) == (row["input"], row["output"], True)
