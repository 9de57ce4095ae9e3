"""Clusters: statements of one subject that share words, and none that only share a name."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from engram.consolidate import clusters
from engram.consolidate.clusters import Cluster, clusters_of
from engram.consolidate.linkage import linked_groups
from engram.language.tokens import telling_terms
from engram.model.ids import memory_id
from engram.model.memory import Memory
from tests.admit.cases import memory
from tests.consolidate.cases import context
from tests.consolidate.view import Remembered, remembering

_RETRIES = (
    "The upload worker retries a failed upload five times with exponential backoff.",
    "We capped the backoff between retries at 90 seconds.",
    "An upload that still fails after the last retry goes to the dead-letter folder.",
    "Retries of an upload carry the same request key.",
)
_KNEE = (
    "I tore the meniscus of my left knee while skiing.",
    "Physiotherapy for the knee and the meniscus is on Tuesdays.",
    "The surgeon wants to stitch the meniscus if the knee is not better by summer.",
)
_OTHERS = (
    "The staging server is called limpet.",
    "Stand-up is at a quarter past nine.",
    "Prices are stored as integer cents.",
    "Use British spelling in the help pages.",
)


class _Vault(Remembered):
    """The view of a vault that cuts words as the catalog does."""

    def terms(self, text: str) -> frozenset[str]:
        return frozenset(telling_terms(text))


def _said(texts: Sequence[str], minute: int = 0, **more: Any) -> list[Memory]:
    """Memories of these texts, a second apart."""
    return [
        memory(text, created=f"2026-03-05T09:{minute:02}:{second:02}Z", **more)
        for second, text in enumerate(texts)
    ]


def _clusters(memories: Sequence[Memory]) -> list[Cluster]:
    view = remembering(*memories)
    return clusters_of(context(_Vault(**vars(view))))


def _texts(found: Sequence[Cluster]) -> list[set[str]]:
    return [{one.text for one in cluster.memories} for cluster in found]


def test_statements_of_one_subject_are_a_cluster_whenever_they_were_said() -> None:
    told = _said(_OTHERS) + _said(_RETRIES[2:], 5) + _said(_KNEE, 7) + _said(_RETRIES[:2], 40)
    found = _clusters(told)
    assert _texts(found) == [set(_RETRIES), set(_KNEE)]
    for cluster in found:
        assert 0.0 < cluster.likeness <= 1.0
        assert [one.created for one in cluster.memories] == sorted(
            one.created for one in cluster.memories
        )


def test_the_order_of_the_memories_has_no_effect() -> None:
    told = _said(_OTHERS) + _said(_RETRIES, 5) + _said(_KNEE, 7)
    expected = _clusters(told)
    assert expected
    for seed in range(5):
        assert _clusters(random.Random(seed).sample(told, len(told))) == expected


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param(
            ("We bought a ticket from Norwind.", "The office of Norwind is closed on Mondays.",
             "Marek learned welding at Norwind.", "A lawyer at Norwind answers within a day."),
            id="one name",
        ),
        pytest.param(
            ("The gym costs 12 euros a month.", "Movers asked for 2,300 euros.",
             "School fees are 6,400 euros.", "A window pane costs 90 euros."),
            id="one unit",
        ),
        pytest.param(
            ("See config/base.toml for colours.", "The linter reads config/base.toml.",
             "Secrets never stand in config/base.toml.", "Ilse broke config/base.toml on Friday."),
            id="one file",
        ),
        pytest.param(
            ("Write commit titles in the imperative.", "Rosa wrote a novel.",
             "A teacher wrote us about fractions.", "Parsers are written by hand."),
            id="one word",
        ),
    ],
)  # fmt: skip
def test_what_is_named_alike_only_is_no_cluster(texts: Sequence[str]) -> None:
    assert _clusters(_said(texts) + _said(_OTHERS, 5)) == []


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"project": "other"}, id="of another project"),
        pytest.param({"space": "user"}, id="of the person"),
        pytest.param({"status": "superseded"}, id="replaced"),
        pytest.param({"status": "retired"}, id="retired"),
        pytest.param({"schema": "session"}, id="record of a session"),
    ],
)
def test_a_memory_of_another_scope_or_out_of_use_is_in_no_cluster(more: dict[str, Any]) -> None:
    told = _said(_RETRIES[:2]) + _said(_RETRIES[2:], 5, **more)
    assert _clusters(told) == []


def test_a_cluster_about_one_entity_names_it() -> None:
    told = _said(_RETRIES, entities=("tool-uploader",))
    assert [one.about for one in _clusters(told)] == ["tool-uploader"]
    assert [one.about for one in _clusters([*told[:3], *_said(_RETRIES[3:], 9)])] == [""]


def test_five_thousand_equal_memories_are_none() -> None:
    (one,) = _said(_KNEE[:1])
    told = [replace(one, id=memory_id("fact", one.created, str(number))) for number in range(5_000)]
    assert len({one.id for one in told}) == len(told)
    assert _texts(_clusters(told + _said(_RETRIES))) == [set(_RETRIES)]


def test_a_group_that_would_be_too_large_is_cut_at_a_stricter_likeness() -> None:
    near, far = [{"a": 0.8, "b": 0.6}] * 2, [{"a": 0.8, "c": 0.6}] * 2
    assert linked_groups([*near, *far], [1] * 4, 0.1, 4) == [[0, 1, 2, 3]]
    assert linked_groups([*near, *far], [1] * 4, 0.1, 3) == [[0, 1], [2, 3]]
    assert linked_groups([*near, *far], [1] * 4, 0.99, 4) == [[0, 1], [2, 3]]
    assert linked_groups([*near, *far], [2] * 4, 0.1, 3) == [[0], [1], [2], [3]]
    assert linked_groups([], [], 0.1, 3) == []


#: the first two share a second word, and the last two another one
TWO_PAIRS = (
    "We're building a shop where people order bread in the evening.",
    "The shop and the till write an order each, so two writers are needed.",
    "An order for the next day has to be in before we close.",
    "We close at six: no order after that.",
)


def test_two_pairs_that_one_word_joins_are_no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _clusters(_said(TWO_PAIRS)) == []
    monkeypatch.setattr(clusters, "_connected", lambda places, *_: list(places))
    assert len(_clusters(_said(TWO_PAIRS))) == 1


def test_a_loose_cluster_needs_no_more_than_words_in_common() -> None:
    topics = ("peat", "moss", "bulk density", "drainage", "heathland")
    chapters = _said([f"The thesis has a chapter about {topic}." for topic in topics])
    odd = _said(["Lunch at the canteen costs nine euros."], minute=30)
    view = _Vault({one.id: one for one in (*odd, *chapters)})
    (cluster,) = clusters_of(context(view), loose=True)
    assert list(cluster.memories) == chapters
