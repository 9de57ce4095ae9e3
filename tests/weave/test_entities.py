"""What an entity's page says is computed from its memories, and a person's words stay."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.entity import Entity
from engram.model.entity_ids import entity_id
from engram.model.memory import CATEGORIES, STATUSES, Memory
from engram.store.files.entity_file import entity_changes, read_entity, render_entity
from engram.weave.entities import MOST_ACTIVITY, fold
from tests.admit.cases import memory

MARA = "person-mara-holt"
TERN = "company-tern-bakery"


def about(text: str, day: str, *entities: str, **more: Any) -> Memory:
    return memory(text, created=f"{day}T10:10:00Z", entities=entities or (MARA,), **more)


JOINED = about("Mara Holt joined Tern Bakery.", "2026-02-01")
LEADS = about("mara holt leads sales.", "2026-02-03", status="superseded")
FINANCE = about("Mara Holt leads finance.", "2026-03-01")


def test_the_timeline_has_every_memory_in_order_and_marks_what_is_over() -> None:
    assert fold(MARA, [FINANCE, LEADS, JOINED]).timeline == (
        ("2026-02-01", JOINED.id, "Mara Holt joined Tern Bakery."),
        ("2026-02-03", LEADS.id, "mara holt leads sales. (superseded)"),
        ("2026-03-01", FINANCE.id, "Mara Holt leads finance."),
    )


def test_what_was_retired_is_nowhere_on_the_page() -> None:
    gone = replace(LEADS, status="retired", status_reason="forgotten")
    page = fold(MARA, [JOINED, gone])
    assert LEADS.id not in str(page)
    assert "sales" not in str(page)


def test_without_a_model_the_newest_active_statements_stand_as_they_are() -> None:
    page = fold(MARA, [JOINED, LEADS, FINANCE])
    who, _, *listed = page.synthesis.split("\n")
    assert who.startswith("Person. Last spoken of on 2026-")
    assert listed == ["- Mara Holt leads finance.", "- Mara Holt joined Tern Bakery."]
    assert page.synthesis_by == "listed"


def test_the_name_is_the_spelling_most_in_use_not_the_latest() -> None:
    newest = about("MARA HOLT approves contracts.", "2026-04-01")
    assert fold(MARA, [JOINED, LEADS, FINANCE, newest]).name == "Mara Holt"


@pytest.mark.parametrize(
    ("identifier", "text", "name"),
    [
        ("person-jose-alvarez", "Today José Álvarez called.", "José Álvarez"),
        ("tool-c-plus-plus", "The parser is written in C++.", "C++"),
        ("tool-c-sharp", "The game is written in C#, not in C.", "C#"),
        ("tool-c", "The driver is written in C, not in C++.", "C"),
        ("tool-postgres", "We use PostgreSQL for orders.", "PostgreSQL"),
        ("tool-github-actions", "GitHub Actions runs it.", "GitHub Actions"),
        ("person-x-9f2e4d9b", "nothing names her", "X 9F2E4D9B"),
        ("project-shop-api", "nobody spells it", "Shop Api"),
        ("tool-redis", "nobody spells it", "redis"),
        ("tool-redis", "Run redis-cli, or redis-cli again: Redis answers.", "Redis"),
    ],
)
def test_a_name_is_spelt_as_the_texts_have_it(identifier: str, text: str, name: str) -> None:
    assert fold(identifier, [about(text, "2026-02-01", identifier)]).name == name


def test_a_name_that_no_text_spells_is_as_the_model_wrote_it_else_as_the_person_did() -> None:
    identifier = "person-anna-de-vries"
    quoted = replace(about("She reviews it.", "2026-02-01", identifier), quote="ask Anna de vries")
    assert fold(identifier, [quoted]).name == "Anna de vries"
    written = replace(quoted, extra=(("names", "PostgreSQL, Anna de Vries"),))
    assert fold(identifier, [quoted, quoted, written]).name == "Anna de Vries"
    assert fold("tool-postgres", [written]).name == "PostgreSQL"
    spelt = about("Anna De Vries reviews it.", "2026-02-02", identifier)
    assert fold(identifier, [written, spelt]).name == "Anna De Vries"


def test_a_name_in_another_script_is_found_in_the_text() -> None:
    identifier = entity_id("李雷", "person")
    assert fold(identifier, [about("昨天李雷来了。", "2026-02-01", identifier)]).name == "李雷"


def test_a_name_that_the_person_gave_stays() -> None:
    former = Entity(MARA, "person", "Mara from finance")
    assert fold(MARA, [JOINED, FINANCE], former).name == "Mara from finance"


def test_a_relation_says_how_when_the_words_between_the_names_do() -> None:
    works = about(
        "Mara Holt works at Tern Bakery.", "2026-03-02", MARA, TERN, category="relationship"
    )
    assert fold(MARA, [works]).relations == ((TERN, "works at", works.id),)
    assert fold(TERN, [works]).relations == (
        (MARA, "Mara Holt works at Tern Bakery.", works.id),
    )  # fmt: skip


def test_a_relation_that_is_over_goes() -> None:
    works = about(
        "Mara Holt works at Tern Bakery.", "2026-03-02", MARA, TERN, category="relationship"
    )
    former = fold(MARA, [works])
    assert fold(MARA, [replace(works, status="superseded")], former).relations == ()


def test_what_is_named_together_again_is_related() -> None:
    one = about("Mara Holt pays Tern Bakery.", "2026-02-01", MARA, TERN)
    two = about("Tern Bakery owes Mara Holt.", "2026-02-02", MARA, TERN)
    assert fold(MARA, [one]).relations == ()
    assert fold(MARA, [two, one]).relations == ((TERN, "named together", one.id),)


def test_a_relation_leads_to_what_an_entity_became() -> None:
    one = about("Mara Holt pays Tern.", "2026-02-01", MARA, "company-tern")
    two = about("Mara Holt left Tern Bakery.", "2026-02-02", MARA, TERN)
    lead = {"company-tern": TERN}
    page = fold(MARA, [one, two], lead=lambda name: lead.get(name, name))
    assert page.relations == ((TERN, "named together", one.id),)


def test_nothing_is_related_to_itself_under_another_name() -> None:
    both = [about(f"Mara H. is Mara Holt {n}.", f"2026-02-0{n}", MARA, "person-m") for n in (1, 2)]
    assert fold(MARA, both, lead=lambda name: MARA if name == "person-m" else name).relations == ()


def test_activity_is_newest_first_and_capped() -> None:
    many = [about(f"Mara Holt said {day}.", f"2026-01-{day:02d}") for day in range(1, 29)]
    over = replace(many[0], status="superseded", status_since="2026-05-01T08:00:00Z")
    page = fold(MARA, [over, *many[1:]])
    assert len(page.activity) == MOST_ACTIVITY
    assert page.activity[0] == ("2026-05-01", over.id, "superseded")
    assert page.activity[1] == ("2026-01-28", many[-1].id, "learnt")
    assert len(page.timeline) == 28


def test_a_persons_synthesis_is_never_overwritten() -> None:
    former = Entity(MARA, "person", "Mara Holt", synthesis="My own.", synthesis_by="person")
    page = fold(MARA, [JOINED, FINANCE], former)
    assert (page.synthesis, page.synthesis_by) == ("My own.", "person")
    assert fold(MARA, [JOINED, FINANCE], former, said="A model's.") == page


def test_a_models_synthesis_stands_until_the_evidence_changes() -> None:
    former = fold(MARA, [JOINED], said="She joined.")
    assert former.synthesis_by == "model"
    assert fold(MARA, [JOINED], former).synthesis == "She joined."
    assert fold(MARA, [JOINED, FINANCE], former).synthesis_by == "listed"


def test_lines_that_a_person_linked_to_something_else_stay() -> None:
    former = replace(
        fold(MARA, [JOINED]),
        timeline=(("2026-02-15", "trip-to-lisbon", "we met there"), *fold(MARA, [JOINED]).timeline),
        relations=(("person-bob", "her brother", "my-note"),),
        activity=(("2026-02-15", "trip-to-lisbon", "met"),),
    )
    page = fold(MARA, [JOINED, FINANCE], former)
    assert [name for _, name, _ in page.timeline] == [JOINED.id, "trip-to-lisbon", FINANCE.id]
    assert page.relations == (("person-bob", "her brother", "my-note"),)
    assert [name for _, name, _ in page.activity] == [FINANCE.id, "trip-to-lisbon", JOINED.id]


TEXTS = st.sampled_from(
    [
        "Mara Holt works at Tern Bakery.", "# heading", "```python", "~~~ x", "[[link]] ![[embed]]",
        "a ^block", "<b>", "mara holt", "1. list", "- bullet", "", "## Timeline", "> quote", "$$",
    ]
)  # fmt: skip
MEMORIES = st.lists(
    st.builds(
        about,
        TEXTS,
        st.sampled_from(["2026-01-31", "2026-02-01", "2026-03-01"]),
        st.just(MARA),
        st.sampled_from([MARA, TERN, "person-bob", "Bob", "a [[b", "thing-x"]),
        status=st.sampled_from(STATUSES),
        category=st.sampled_from(CATEGORIES),
        status_since=st.sampled_from(["", "2026-04-01T10:00:00Z"]),
        valid_from=st.sampled_from(["", "2026-01-01"]),
    ).flatmap(lambda one: st.sampled_from([one, one, replace(one, created="")])),
    max_size=6,
    unique_by=lambda one: one.id,
)


@given(MEMORIES, st.randoms())
def test_the_same_memories_give_the_same_page_in_any_order(
    memories: list[Memory], random: Any
) -> None:
    page = fold(MARA, memories)
    mixed = list(memories)
    random.shuffle(mixed)
    assert fold(MARA, mixed) == page
    assert fold(MARA, mixed, page) == page


@given(MEMORIES, MEMORIES)
def test_a_page_is_read_back_as_it_was_folded(one: list[Memory], more: list[Memory]) -> None:
    path = f"entities/{MARA}.md"
    first = replace(fold(MARA, one), path=path)
    data = render_entity(first)
    assert read_entity(path, data).entity == first
    after = fold(MARA, [*one, *more], first)
    assert read_entity(path, entity_changes(data, first, after)).entity == after
