"""Which memories say again what another says, and which differ in more than wording."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engram.language.paraphrase.restatement import class_of, may_take, restates
from tests.admit.cases import memory

OLD = memory("We use Kubernetes in production.", valid_from="2026-01-05")
NEW = replace(
    memory("In production, we are using k8s.", created="2026-03-07T09:00:00Z"), kind="episode"
)


def test_other_words_for_the_same_restate_it_whatever_the_kind() -> None:
    assert restates(NEW, OLD) and not restates(OLD, OLD)  # equal words are the content hash's


@pytest.mark.parametrize(
    "other",
    ["In production, we are not using k8s.", "In staging, we are using k8s.", "We use 2 k8s."],
)
def test_a_number_a_negation_and_a_place_keep_two_apart(other: str) -> None:
    assert not restates(replace(NEW, text=other), OLD)


def test_the_users_own_space_knows_no_projects() -> None:
    here, there = (replace(OLD, space="user", project=project) for project in ("shop", "atlas"))
    assert class_of(here) == class_of(there)


@pytest.mark.parametrize(
    "change",
    [
        {"project": "atlas"}, {"space": "user"}, {"category": "correction"},
        {"category": "decision"}, {"schema": "constraint"},
        {"category": "moment"}, {"valid_until": "2026-05-01"},
    ],
)  # fmt: skip
def test_of_another_class_nothing_is_merged(change: dict[str, str]) -> None:
    assert class_of(replace(OLD, **change)) != class_of(OLD)  # type: ignore[arg-type]


def test_lasting_categories_are_one_class_and_an_event_belongs_to_its_day() -> None:
    assert class_of(replace(OLD, category="preference")) == class_of(OLD)
    assert class_of(replace(OLD, kind="episode", valid_from="")) == class_of(OLD)
    today = replace(OLD, text="The deploy failed.", valid_from="", created="2026-03-05T09:00:00Z")
    assert class_of(today) == class_of(replace(today, created="2026-03-05T19:00:00Z"))
    assert class_of(today) != class_of(replace(today, created="2026-03-06T09:00:00Z"))


@pytest.mark.parametrize(
    "mine, theirs, may",
    [
        ({}, {}, True),
        ({"key": "a"}, {"key": "b"}, False),
        ({}, {"key": "b"}, False),
        ({"key": "a"}, {}, True),
        ({"entities": ("tool-redis",)}, {"entities": ("tool-mysql",)}, False),
        ({"entities": ("tool-redis",)}, {}, True),
        ({"extra": (("due", "2026-05-01"),)}, {"extra": (("due", "2026-06-01"),)}, False),
        ({}, {"extra": (("due", "2026-06-01"),)}, False),
        ({"extra": (("due", "2026-05-01"),)}, {}, True),
        ({}, {"supersedes": (OLD.id,)}, False),
    ],
)
def test_what_sets_two_apart(mine: dict[str, str], theirs: dict[str, str], may: bool) -> None:
    loser = (
        replace(NEW, entities=(), **theirs) if "entities" not in theirs else replace(NEW, **theirs)
    )  # type: ignore[arg-type]
    assert may_take(replace(OLD, **mine), loser) is may  # type: ignore[arg-type]
