"""Which names are one: measured on labelled pairs, and shown by example."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from engram.model.naming import entity_id
from engram.weave.names import Named, fragments

PAIRS = tomllib.loads(Path(__file__).with_name("entity_pairs.toml").read_text(encoding="utf-8"))


def named(said: str) -> Named:
    kind, _, name = said.partition(" ")
    return Named(entity_id(name, kind), (name,), 1)


def merged(pair: dict[str, str]) -> bool:
    one, other = named(pair["a"]), named(pair["b"])
    return one.id == other.id or bool(fragments([one, other], [pair.get("said", "")]))


@pytest.mark.parametrize("half", PAIRS)
def test_no_two_are_made_one_and_most_fragments_are_found(half: str) -> None:
    pairs = PAIRS[half]["pairs"]
    found = [pair for pair in pairs if merged(pair)]
    assert [pair for pair in found if not pair["same"]] == []
    same = [pair for pair in pairs if pair["same"]]
    print(half, "recall", len(found) / len(same), [p for p in same if p not in found])
    assert len(found) / len(same) >= 0.6
