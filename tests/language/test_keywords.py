"""Tags and entities of a statement."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.keywords import entities_of, is_tool, tags_of


@pytest.mark.parametrize(
    ("said", "tags"),
    [
        ("We use PostgreSQL for the orders table.", ("postgres", "orders", "table")),
        ("Redis caches what postgres serves", ("redis", "postgres", "caches", "serves")),
        ("we write it in Go, not in Rust", ("go", "rust", "write")),
        ("go home and rest", ("home", "rest")),
        ("the user's cat", ("cat",)),
        ("C++ and C# and node.js-like things", ("c++", "c#", "node.js-like")),
        ("it is what it is", ()),
        (
            "one two three four oak elm pine birch larch spruce",
            ("oak", "elm", "pine", "birch", "larch"),
        ),
    ],
)
def test_tags_are_topics_tools_first(said: str, tags: tuple[str, ...]) -> None:
    assert tags_of(said) == tags


def test_entities_are_people_companies_and_tools_with_their_type() -> None:
    found = entities_of(
        "José Holt runs k8s and Kubernetes", person="José Holt", company="Tern & Co"
    )
    assert found == ("person-jose-holt", "company-tern-co", "tool-kubernetes")
    assert entities_of("C++ beats C#") == ("tool-c-plus-plus", "tool-c-sharp")
    assert entities_of("Mara went to Graz") == ()


def test_a_tool_is_known_however_it_is_written() -> None:
    assert is_tool("PNPM")
    assert not is_tool("Go")


@given(st.text(max_size=200))
def test_any_text_has_at_most_five_tags_each_once_and_always_the_same(said: str) -> None:
    tags = tags_of(said)
    assert len(tags) <= 5
    assert len(set(tags)) == len(tags)
    assert tags == tags_of(said)
    assert all(tag == tag.casefold() and tag for tag in tags)
