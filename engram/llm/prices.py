"""Prices of models: what a call costs in US dollars, and what it could cost at most.

The table is `config/prices.toml`; a dated name (`gpt-5-mini-2026-01-15`) has the price of the name
without its date. A model without a price counts as the dearest of the table, so that a budget is
never overrun by what is not known; the user can set its price in the settings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engram.llm.provider import Provider
from engram.model.errors import ConfigError
from engram.model.model_request import Estimate, Usage
from engram.model.settings import LlmSettings

_MILLION = 1_000_000
#: what a model may write in one answer, tokens; the limit of the API
MAX_OUTPUT_TOKENS = 4096
#: what it usually writes: a handful of items
_LIKELY_OUTPUT_TOKENS = 600
_FILE = "config/prices.toml"
_DATE = re.compile(r"-20\d\d(?:-?\d\d){2}\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens; `known` is False for the dearest price taken instead."""

    input: float
    output: float
    known: bool = True

    def of(self, usage: Usage) -> float:
        """The price of a call, US dollars."""
        return (usage.input_tokens * self.input + usage.output_tokens * self.output) / _MILLION


class Prices:
    """The prices of models. Raises ConfigError for a table that is none."""

    def __init__(self, table: Mapping[str, Any], settings: LlmSettings) -> None:
        rows = table.get("model")
        if not isinstance(rows, dict) or not rows:
            raise ConfigError(f"{_FILE}: has no table [model]")
        try:
            self._rows = {
                name: Price(float(row["input"]), float(row["output"])) for name, row in rows.items()
            }
        except (KeyError, TypeError, ValueError) as error:
            raise ConfigError(f"{_FILE}: a row is not {{input = 1.0, output = 1.0}}") from error
        self._own = (settings.usd_per_million_input, settings.usd_per_million_output)

    def estimate(self, provider: Provider, calls: int, input_tokens: int) -> Estimate:
        """The most that so many calls take, and their likely cost."""
        price = self.of(provider)
        most = Usage(input_tokens, MAX_OUTPUT_TOKENS * calls)
        likely = Usage(input_tokens, _LIKELY_OUTPUT_TOKENS * calls)
        return Estimate(
            calls, most.input_tokens, most.output_tokens, price.of(most), price.of(likely),
            provider.name, provider.model, price.known,
        )  # fmt: skip

    def embedding(self, provider: Provider, texts: int, tokens: int) -> Estimate:
        """The likely cost of vectors for so many texts, whose tokens are estimated."""
        price = self.of(provider)
        usd = price.of(Usage(tokens))
        return Estimate(texts, tokens, 0, usd, usd, provider.name, provider.model, price.known)

    def of(self, provider: Provider) -> Price:
        """The price of a provider's model; zero for a local one."""
        if provider.local:
            return Price(0.0, 0.0)
        if any(self._own):
            return Price(*self._own)
        # "vendor/model" is how gateways name it
        name = provider.model.rpartition("/")[2].casefold()
        row = self._rows.get(_DATE.sub("", name))
        if row is not None:
            return row
        rows = self._rows.values()
        return Price(max(row.input for row in rows), max(row.output for row in rows), known=False)
