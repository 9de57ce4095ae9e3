"""Fragments become one page to which all names lead; the memories are not touched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engram.consolidate.passes import entity_merge, entity_pages
from engram.model.entity import Entity
from engram.model.memory import Memory
from engram.model.step import Step
from tests.admit.cases import memory
from tests.consolidate.cases import context
from tests.consolidate.view import Remembered, after, remembering


def about(text: str, *entities: str, day: int = 1, **more: Any) -> Memory:
    return memory(text, created=f"2026-03-{day:02d}T10:10:00Z", entities=entities, **more)


ORDERS = about("Postgres holds the orders.", "tool-postgres", day=1)
BACKUP = about("Postgres is backed up nightly.", "tool-postgres", day=2)
USERS = about("Postgres holds the users.", "other-postgres", day=3)


def night(view: Remembered, changed: frozenset[str] | None = None) -> tuple[Remembered, int]:
    """Both passes in their order, and how many steps they planned."""
    first = entity_pages.plan(context(view, changed))
    view = after(view, first)
    second = entity_merge.plan(context(view, changed))
    return after(view, second), len(first) + len(second)


def pages(steps: Sequence[Step]) -> dict[str, Entity]:
    found = (page for step in steps for _, page in step.pages)
    return {page.id: page for page in found if isinstance(page, Entity)}


def test_the_page_that_stays_has_all_evidence_and_the_other_leads_to_it() -> None:
    steps = entity_merge.plan(context(remembering(ORDERS, BACKUP, USERS)))
    assert [step.subjects for step in steps] == [("tool-postgres", "other-postgres")]
    found = pages(steps)
    assert found["other-postgres"].merged_into == "tool-postgres"
    stays = found["tool-postgres"]
    assert [name for _, name, _ in stays.timeline] == [ORDERS.id, BACKUP.id, USERS.id]
    assert "other-postgres" in stays.aliases
    assert steps[0].why == "postgres and Postgres are one tool"


def test_no_memory_is_touched() -> None:
    for step in entity_merge.plan(context(remembering(ORDERS, BACKUP, USERS))):
        assert step.amended == () and step.born == ()


def test_the_names_and_aliases_of_a_fragment_lead_to_what_stays() -> None:
    named = (
        Entity("person-bob", "person", "Bob", aliases=("Bobby",)),
        Entity("person-robert-hale", "person", "Robert Hale"),
    )
    said = [
        about("Bob (Robert Hale) runs the warehouse.", "person-bob", day=1),
        about("Robert Hale is away.", "person-robert-hale", day=2),
        about("Robert Hale is back.", "person-robert-hale", day=3),
    ]
    (step,) = entity_merge.plan(context(remembering(*said, named=named)))
    stays = pages([step])["person-robert-hale"]
    assert {"person-bob", "Bob", "Bobby"} <= set(stays.aliases)
    assert stays.name == "Robert Hale"


def test_a_person_makes_two_one_by_an_alias() -> None:
    named = (
        Entity("project-falcon", "project", "Falcon", aliases=("Billing Rewrite",)),
        Entity("project-billing-rewrite", "project", "Billing Rewrite"),
    )
    (step,) = entity_merge.plan(context(remembering(named=named)))
    assert set(step.subjects) == {"project-falcon", "project-billing-rewrite"}


def test_an_alias_of_two_says_nothing() -> None:
    named = (
        Entity("person-jane-doe", "person", "Jane Doe", aliases=("Jane",)),
        Entity("person-jane-roe", "person", "Jane Roe", aliases=("Jane",)),
        Entity("person-jane", "person", "Jane"),
    )
    assert entity_merge.plan(context(remembering(named=named))) == []


def test_a_second_night_plans_nothing() -> None:
    bob = [
        about("Bob (Robert Hale) runs the warehouse.", "person-bob", day=1),
        about("Bob is in.", "person-bob", day=2),
        about("Robert Hale is away.", "person-robert-hale", day=2),
        about("Jürgen Müller called.", "person-jurgen-muller", day=1),
        about("Jürgen Müller wrote.", "person-jurgen-muller", day=2),
        about("Juergen Mueller came.", "person-juergen-mueller", day=3),
    ]
    view, steps = night(remembering(ORDERS, BACKUP, USERS, *bob))
    assert steps > 0
    assert len([one for one in view.named if one.merged_into]) == 3
    assert night(view)[1] == 0
    assert night(view, frozenset(view.memories))[1] == 0


def test_an_incremental_run_sees_the_fragment_of_a_changed_memory_only() -> None:
    teams = [
        about(f"Kafka {n}.", kind, day=n) for n, kind in ((1, "tool-kafka"), (2, "other-kafka"))
    ]
    view = remembering(ORDERS, BACKUP, USERS, *teams)
    steps = entity_merge.plan(context(view, frozenset([USERS.id])))
    assert [step.subjects for step in steps] == [("tool-postgres", "other-postgres")]
    assert view.loaded == 0


def test_a_statement_that_is_new_makes_two_old_names_one() -> None:
    orders = about("Kubernetes runs it.", "project-kestrel", day=1)
    jobs = about("Falcon has jobs.", "project-falcon", day=2)
    said = about("Falcon was renamed to Kestrel.", "project-kestrel", day=3)
    view = remembering(orders, jobs, said)
    (step,) = entity_merge.plan(context(view, frozenset([said.id])))
    assert set(step.subjects) == {"project-falcon", "project-kestrel"}


def test_a_statement_that_is_in_doubt_makes_nothing_one() -> None:
    orders = about("Kestrel runs it.", "project-kestrel", day=1)
    jobs = about("Falcon has jobs.", "project-falcon", day=2)
    said = about("Kestrel = Falcon", "project-kestrel", day=3, status="needs-review")
    assert entity_merge.plan(context(remembering(orders, jobs, said))) == []


def test_pages_that_lead_to_one_another_end_somewhere() -> None:
    named = (
        Entity("project-falcon", "project", "Falcon", merged_into="project-kestrel"),
        Entity("project-kestrel", "project", "Kestrel", merged_into="project-falcon"),
    )
    told = [about(f"Falcon {day}.", "project-falcon", day=day) for day in (1, 2)]
    view = remembering(*told, named=named)
    assert entity_merge.plan(context(view)) == []
    assert len(entity_pages.plan(context(view))) <= 1


def test_what_no_live_memory_names_is_not_merged() -> None:
    over = about("Both.", "tool-redis", "other-redis", status="superseded")
    assert entity_merge.plan(context(remembering(over))) == []


def test_people_and_teams_that_are_alike_stay_apart() -> None:
    pairs = ("person-jon-bell", "person-joan-bell", "project-team-12", "project-team-13")
    told = [about(f"{name} {day}", name, day=day) for name in pairs for day in (1, 2)]
    assert entity_merge.plan(context(remembering(*told))) == []
