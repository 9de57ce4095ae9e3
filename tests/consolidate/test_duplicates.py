"""The merge pass on a real catalog: exact, near and asked; full and incremental alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.consolidate.duplicate_merging import rank
from engram.consolidate.passes.duplicates import plan
from engram.language.paraphrase.phrasing import phrasing
from engram.model.memory import Memory
from engram.model.step import Step
from engram.model.view import VaultView
from engram.store.catalog.catalog_view import CatalogView
from engram.vault import Vault
from tests.admit.cases import memory
from tests.consolidate.cases import PairJudge, context, run_passes
from tests.effort import examples

Shelve = Callable[[Iterable[Memory]], CatalogView]
K8S = memory("In production, the team uses k8s.", created="2026-03-01T09:00:00Z")
KUBERNETES = memory("The team is using Kubernetes in production.", confidence=0.9)
MYSQL = memory("The team uses MySQL in production.")


@pytest.fixture
def shelve(vault: Vault) -> Shelve:
    """The view of a vault whose catalog has the given memories and no others."""

    def put(memories: Iterable[Memory]) -> CatalogView:
        catalog = vault.parts.catalog
        with catalog.transaction():
            catalog.clear()
            for one in memories:
                catalog.put_memory(one)
        return vault.parts.projections.view

    return put


def subjects(steps: Sequence[Step]) -> list[tuple[str, ...]]:
    return sorted(step.subjects for step in steps)


def done(memories: Sequence[Memory], steps: Sequence[Step]) -> list[Memory]:
    after = {new.id: new for step in steps for _, new in step.amended}
    return [after.get(one.id, one) for one in memories]


def test_the_same_words_again_are_merged_into_the_most_confident(shelve: Shelve) -> None:
    again = replace(MYSQL, id="fact-b", text="the team uses  mysql, in production", confidence=0.95)
    (step,) = plan(context(shelve([MYSQL, again, K8S])))
    assert (step.task, step.action, step.subjects) == ("duplicates", "merge", (again.id, MYSQL.id))
    assert step.why == "the same words again"


def test_the_same_in_other_words_is_merged_once_and_for_all(shelve: Shelve) -> None:
    memories = [K8S, KUBERNETES, MYSQL]
    found = run_passes(context(shelve(memories)), [plan])
    assert not found.refused
    assert subjects(found.steps) == [(KUBERNETES.id, K8S.id)]
    assert found.steps[0].why == "the same said in other words"
    assert plan(context(shelve(done(memories, found.steps)))) == []


def test_other_projects_slots_and_disputes_keep_their_own(shelve: Shelve) -> None:
    others = [
        replace(KUBERNETES, id="fact-p", project="atlas"),
        replace(KUBERNETES, id="fact-k", key="team::platform"),
        replace(KUBERNETES, id="fact-l", key="team::cluster"),
        replace(KUBERNETES, id="fact-c", conflicts=("fact-x",)),
        replace(KUBERNETES, id="fact-r", status="retired"),
        replace(KUBERNETES, id="fact-o", category="correction"),
    ]
    assert subjects(plan(context(shelve([K8S, *others])))) == [("fact-k", K8S.id)]


def test_the_persons_words_stay(shelve: Shelve) -> None:
    mine = replace(K8S, authority="user_asserted", confidence=0.5)
    (step,) = plan(context(shelve([mine, KUBERNETES])))
    assert step.subjects[0] == mine.id
    assert step.amended[0][1].text == mine.text and step.amended[0][1].confidence == 0.9


def test_the_same_text_about_two_entities_is_two_memories(shelve: Shelve) -> None:
    apart = [replace(MYSQL, id=f"fact-{one}", entities=(f"tool-{one}",)) for one in "ab"]
    assert plan(context(shelve(apart))) == []


class CountedView:
    """A view that notes which memories are read by id, and refuses to read all."""

    def __init__(self, view: VaultView) -> None:
        self._view = view
        self.read: list[str] = []

    def memory(self, identifier: str) -> Memory | None:
        """The memory, noted."""
        self.read.append(identifier)
        return self._view.memory(identifier)

    def __getattr__(self, name: str) -> Any:
        assert name != "live"
        return getattr(self._view, name)


def test_an_incremental_run_reads_few(shelve: Shelve) -> None:
    crowd = [memory(f"The team uses tool{n} in production.", id=f"fact-{n}") for n in range(200)]
    view = CountedView(shelve([*crowd, K8S, KUBERNETES]))
    steps = plan(context(view, frozenset({KUBERNETES.id, "fact-7", "fact-of-nobody"})))
    assert subjects(steps) == [(KUBERNETES.id, K8S.id)]
    assert 0 < len(view.read) < 15


def test_a_model_is_asked_about_what_is_nearly_the_same(shelve: Shelve) -> None:
    memories = [
        memory("The release notes are written by Kim every Friday."),
        memory("Kim writes release notes on Friday."),
        memory("The release notes are not written by Kim every Friday."),
    ]
    view, model = shelve(memories), PairJudge("duplicate")
    assert plan(context(view)) == []
    (step,) = plan(context(view, model=model))
    assert set(step.subjects) == {one.id for one in memories[:2]}
    assert "model" in step.why and len(model.asked) == 1
    assert subjects(plan(context(view, frozenset({memories[1].id}), model))) == [step.subjects]
    assert plan(context(view, frozenset({memories[2].id}), model)) == [] and len(model.asked) == 2


def test_what_is_merged_already_is_not_asked_about(shelve: Shelve) -> None:
    model = PairJudge("duplicate")
    assert len(plan(context(shelve([K8S, KUBERNETES]), model=model))) == 1
    assert model.asked == []


def test_only_groups_of_changed_memories_are_merged(shelve: Shelve) -> None:
    near = [replace(K8S, id=f"fact-{n}", text=f"{K8S.text} Since May.") for n in range(2)]
    view = shelve([K8S, *near])
    assert plan(context(view, frozenset({K8S.id}), PairJudge("unrelated"))) == []


SUBJECTS = ("The user", "The team", "I", "We", "Kim", "Kim's team", "The colour of the shop")
VERBS = ("uses", "is using", "prefers", "likes", "doesn't use", "stores", "stopped using")
THINGS = ("Postgres", "k8s", "Kubernetes and Go", "Go and k8s", "12,000 rows", "12000 rows", "Vim")
WHERE = ("", " in production", " on Fridays", " in prod, on Fridays", " instead of vim", "?")
STATEMENTS = st.builds(
    lambda who, does, what, where: f"{who} {does} {what}{where}",
    *map(st.sampled_from, (SUBJECTS, VERBS, THINGS, WHERE)),
)
VARIANTS = st.fixed_dictionaries(
    {
        "confidence": st.sampled_from((0.5, 0.9)),
        "authority": st.sampled_from(("ai_inferred", "user_asserted")),
        "category": st.sampled_from(("fact", "preference", "decision")),
        "key": st.sampled_from(("", "", "", "a", "b")),
        "entities": st.sampled_from(((), (), ("tool-a",), ("tool-b",))),
    }
)
VAULTS = st.lists(st.tuples(STATEMENTS, VARIANTS), max_size=14).map(
    lambda rows: [memory(text, **more, id=f"fact-{n}") for n, (text, more) in enumerate(rows)]
)


@examples(25, shared_fixture=True)
@given(VAULTS, st.sets(st.integers(0, 13)))
def test_an_incremental_run_finds_what_a_full_one_finds_for_the_changed(
    shelve: Shelve, memories: list[Memory], places: set[int]
) -> None:
    view = shelve(memories)
    changed = frozenset(f"fact-{place}" for place in places)
    full = plan(context(view))
    assert plan(context(view, changed)) == [one for one in full if changed & set(one.subjects)]


@examples(25, shared_fixture=True)
@given(VAULTS)
def test_every_loser_says_the_same_as_its_survivor_and_a_second_run_finds_nothing(
    shelve: Shelve, memories: list[Memory]
) -> None:
    found = run_passes(context(shelve(memories)), [plan])
    assert not found.refused
    gone = [name for step in found.steps for name in step.subjects[1:]]
    assert len(gone) == len(set(gone))
    by_id = {one.id: one for one in memories}
    for step in found.steps:
        survivor, *losers = (by_id[name] for name in step.subjects)
        for loser in losers:
            assert phrasing(loser.text).form == phrasing(survivor.text).form or (
                loser.text.rstrip("?") == survivor.text.rstrip("?")
            )
            assert rank(survivor) < rank(loser)
    assert plan(context(shelve(done(memories, found.steps)))) == []
