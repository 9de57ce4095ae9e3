"""The question about pairs: bounded, fenced, and believed only in an explicit yes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from engram.consolidate.merge_question import KEY, MOST_PAIRS, Pair, confirmed
from engram.model.errors import (
    BadAnswer,
    BudgetExceeded,
    ConfigError,
    EngramError,
    ModelAway,
    ModelRefuses,
)
from engram.model.model_request import Reply, Request, Usage
from engram.model.settings import LlmSettings
from tests.admit.cases import memory
from tests.consolidate.cases import context
from tests.consolidate.view import remembering

ONE, OTHER = memory("The shop is closed on Sunday."), memory("On Sundays the shop never opens.")
PAIR: Pair = (ONE, OTHER)


@dataclass
class Oracle:
    """A model with one answer."""

    value: object
    asked: list[Request] = field(default_factory=list)

    def ask(self, request: Request) -> Reply:
        self.asked.append(request)
        if isinstance(self.value, EngramError):
            raise self.value
        return Reply(self.value, "test", "test", Usage())


def verdict(first: object, second: object, said: object = "same") -> dict[str, object]:
    return {"pair": 1, "first": first, "second": second, "verdict": said}


def asked(value: object, *pairs: Pair) -> list[Pair]:
    return confirmed(context(remembering(), model=Oracle(value)), pairs or (PAIR,))


def test_an_explicit_same_with_both_ids_counts() -> None:
    assert asked({KEY: [verdict(ONE.id, OTHER.id)]}) == [PAIR]
    assert asked({KEY: [verdict(OTHER.id, ONE.id)]}) == [PAIR]


@pytest.mark.parametrize(
    "value",
    [
        None, [], "same", {}, {KEY: None}, {KEY: ["same"]}, {KEY: [{}]}, {"other": []},
        {KEY: [verdict(ONE.id, OTHER.id, "extends")]}, {KEY: [verdict(ONE.id, OTHER.id, True)]},
        {KEY: [verdict(ONE.id, ONE.id)]}, {KEY: [verdict(ONE.id, "fact-of-nobody")]},
        {KEY: [verdict(1, [OTHER.id])]},
        {KEY: [verdict(ONE.id, OTHER.id), verdict(ONE.id, OTHER.id, "different")]},
        ModelAway("timeout", ""), ModelRefuses("key", ""), BadAnswer("torn", ""),
        BudgetExceeded(""),
    ],
)  # fmt: skip
def test_anything_else_merges_nothing(value: object) -> None:
    assert asked(value) == []


def test_one_question_holds_so_many_pairs_and_no_more_than_fit() -> None:
    oracle = Oracle({KEY: [verdict(ONE.id, OTHER.id)]})
    pairs = [(replace(ONE, id=f"a{n}"), replace(OTHER, id=f"b{n}")) for n in range(MOST_PAIRS + 5)]
    here = context(remembering(), model=oracle)
    confirmed(here, pairs)
    assert f"- b{MOST_PAIRS - 1}: " in oracle.asked[0].text
    assert f"- b{MOST_PAIRS}: " not in oracle.asked[0].text
    assert oracle.asked[0].text.startswith("<engram-data ")
    small = here.settings._replace(llm=LlmSettings(max_input_tokens=oracle.asked[0].tokens - 200))
    confirmed(replace(here, settings=small), pairs)
    assert 0 < oracle.asked[1].text.count("- b") < MOST_PAIRS
    assert oracle.asked[1].tokens <= small.llm.max_input_tokens
    none = here.settings._replace(llm=LlmSettings(max_input_tokens=10))
    assert confirmed(replace(here, settings=none), pairs) == [] and len(oracle.asked) == 2


def test_without_a_model_or_pairs_nothing_is_asked() -> None:
    oracle = Oracle({KEY: []})
    assert confirmed(context(remembering()), [PAIR]) == []
    assert confirmed(context(remembering(), model=oracle), []) == [] and not oracle.asked


def test_a_missing_prompt_is_a_matter_of_configuration() -> None:
    here = replace(context(remembering(), model=Oracle({})), prompts={})
    with pytest.raises(ConfigError, match=r"merge\.toml"):
        confirmed(here, [PAIR])
