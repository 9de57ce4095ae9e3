"""Which names are one: measured on labelled pairs, and shown by example."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.name_statements import statements
from engram.language.names import find_entity, fragments, likely
from engram.model.entity import Named
from engram.model.entity_ids import entity_id, is_entity_id, stem_of, type_of
from engram.model.ids import former_slug, is_id

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
    assert len(found) / sum(pair["same"] for pair in pairs) >= 0.6


def test_half_of_the_pairs_are_one() -> None:
    pairs = [pair for half in PAIRS.values() for pair in half["pairs"]]
    assert (len(pairs), sum(pair["same"] for pair in pairs)) == (100, 50)


# -- ids ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kind", "identifier"),
    [
        ("jane doe", "person", "person-jane-doe"),
        ("Alice-Test", "Person", "person-alice-test"),
        ("person-Jane Doe", "person", "person-jane-doe"),
        ("José", "person", "person-jose"),
        ("C", "tool", "tool-c"),
        ("C++", "tool", "tool-c-plus-plus"),
        ("C#", "tool", "tool-c-sharp"),
        ("PostgreSQL", "tool", "tool-postgres"),
        ("PostgreSQL", "project", "project-postgresql"),
        ("a lamp", "thing", "other-a-lamp"),
        ("tool-", "tool", "tool-tool"),
    ],
)
def test_an_id_is_the_type_and_the_slug(name: str, kind: str, identifier: str) -> None:
    assert entity_id(name, kind) == identifier


def test_names_in_other_scripts_have_ids_of_their_own() -> None:
    assert len({entity_id(name, "person") for name in ("李雷", "李蕾", "Ли", "لي")}) == 4


@given(st.text(max_size=90), st.sampled_from(["person", "tool", "thing", ""]))
def test_every_name_has_an_id(name: str, kind: str) -> None:
    made = entity_id(name, kind)
    assert is_id(made) and is_entity_id(made)
    assert f"{type_of(made)}-{stem_of(made)}" == made
    assert entity_id(stem_of(made), type_of(made)) == made


# -- which known entity -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kind", "known", "found"),
    [
        ("Jane Doe", "person", ["person-jane-doe"], "person-jane-doe"),
        ("JaneDoe", "person", ["person-jane-doe"], "person-jane-doe"),
        ("Jane-Doe", "person", ["person-janedoe"], "person-janedoe"),
        ("Jane", "person", ["person-jane-doe"], None),
        ("Jane Doe", "person", ["person-jane"], None),
        ("Jane Doe", "company", ["person-jane-doe"], None),
        ("QMD CLI", "tool", ["tool-qmd"], None),
        ("Joan Bell", "person", ["person-jon-bell"], None),
        ("Team 13", "project", ["project-team-12"], None),
        ("Sprint 1-2", "project", ["project-sprint-12"], None),
        ("Anna Bel", "person", ["person-ann-abel"], None),
        ("K8s", "tool", ["tool-kubernetes"], "tool-kubernetes"),
        ("JaneDoe", "person", ["person-jane-doe", "person-jan-edoe"], None),
        ("Jane Doe", "person", [], None),
    ],
)
def test_a_name_means_an_entity_or_none(
    name: str, kind: str, known: list[str], found: str | None
) -> None:
    assert find_entity(name, kind, known) == found


def test_an_alias_leads_to_its_entity() -> None:
    known, aliases = ["person-robert-hale"], {"bob": "person-robert-hale", "gone": "person-x"}
    assert find_entity("Bob", "person", known, aliases) == "person-robert-hale"
    assert find_entity("Bob", "tool", known, aliases) is None
    assert find_entity("gone", "person", known, aliases) is None


def test_a_page_of_a_former_id_is_still_that_of_its_name() -> None:
    for name in ("李雷", "Søren Ærø", "Анна"):
        former = f"person-{former_slug(name)}"
        assert find_entity(name, "person", [former]) == former != entity_id(name, "person")
    both = ("person-li-lei-3a47328a", "person-x-3a47328a")
    assert fragments([Named(one) for one in both]) == [both]


# -- groups -------------------------------------------------------------------------------------


def groups(*names: str, said: Sequence[str] = ()) -> list[tuple[str, ...]]:
    return fragments([named(one) for one in names], said)


def test_what_speaks_against_one_pair_keeps_the_group_apart() -> None:
    assert groups("company Tern", "company Tern Ltd") != []
    assert groups("company Tern", "company Tern Ltd", "company Tern GmbH") == []
    assert groups("other Mercury", "tool Mercury") != []
    assert groups("other Mercury", "tool Mercury", "place Mercury") == []
    assert groups("person Dr Mara Holt", "person Mara Holt", "person Prof. Mara Holt") != []
    assert groups("person Dr Bell", "person Prof Bell") == []
    assert groups("person Annabel", "person Ann Abel", "person Anna Bel") == []


def test_the_surest_stays() -> None:
    few, many = Named("project-falcon", memories=1), Named("project-the-falcon", memories=5)
    assert fragments([few, many]) == [("project-the-falcon", "project-falcon")]
    paged = Named("project-falcon", memories=1, paged=True)
    assert fragments([paged, many]) == [("project-falcon", "project-the-falcon")]
    general = Named("other-falcon", memories=9, paged=True)
    assert fragments([few, general]) == [("project-falcon", "other-falcon")]
    old = Named("tool-postgresql", memories=9)
    assert fragments([old, Named("tool-postgres")]) == [("tool-postgres", "tool-postgresql")]


@pytest.mark.parametrize(
    "said",
    [
        "Kestrel, also called Falcon, ships.", "Kestrel (aka Falcon) ships.",
        "Kestrel a.k.a. Falcon ships.", "Kestrel = Falcon", "Falcon was renamed to Kestrel in May.",
        "Kestrel is short for Falcon.", "Kestrel goes by Falcon here.",
        "We heard. Kestrel is the same project as Falcon!", "Kestrel, formerly known as Falcon",
        "Kestrel got renamed Falcon.",
    ],
)  # fmt: skip
def test_a_statement_makes_two_names_one(said: str) -> None:
    assert groups("project Kestrel", "project Falcon", said=[said]) != []


@pytest.mark.parametrize(
    "said",
    [
        "Is Kestrel also called Falcon?", "Maybe Kestrel is also called Falcon.",
        "Kestrel is not also called Falcon.", "Kestrel != Falcon", "Kestrel == Falcon",
        "Kestrel and Falcon are one floor apart.", "Kestrel, formerly Falcon territory",
        "Kestrel (Falcon) ships.", "Kestrel Two, also called Falcon.",
        "This is Big Kestrel, also called Falcon.",
        "Kestrel, also called Falcon Nine.", "If Kestrel = Falcon we are done.",
        "Kestrel. Also called Falcon.", "Somebody at Kestrel renamed Falcon.",
        "Kestrel renamed to Falcon what was a mess.",
    ],
)  # fmt: skip
def test_what_does_not_say_so_makes_nothing_one(said: str) -> None:
    assert groups("project Kestrel", "project Falcon", said=[said]) == []


def test_a_statement_about_different_types_makes_nothing_one() -> None:
    assert groups("person Kestrel", "project Falcon", said=["Kestrel = Falcon"]) == []


KINDS = st.sampled_from(["person", "company", "tool", "project", "other"])
WORDS = st.sampled_from(
    ["Tern", "tern", "Ltd", "GmbH", "the", "12", "13", "Ann", "Abel", "ü", "C++"]
)
SOME = st.lists(
    st.builds(
        lambda kind, words: named(f"{kind} {' '.join(words)}"),
        KINDS,
        st.lists(WORDS, min_size=1, max_size=3),
    ),
    max_size=8,
    unique_by=lambda one: one.id,
)


@given(SOME, st.randoms())
def test_the_order_does_not_matter(some: list[Named], random: object) -> None:
    mixed = list(some)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    said = ["Tern = Ann Abel. C++ (Ann) is short for 12."]
    found = fragments(some, said)
    assert fragments(mixed, said) == found
    flat = [identifier for group in found for identifier in group]
    assert len(flat) == len(set(flat))
    for group in found:
        assert len({type_of(one) for one in group} - {"other"}) <= 1


@given(SOME)
def test_a_look_at_few_sees_what_a_look_at_all_sees(some: list[Named]) -> None:
    bare = [Named(one.id) for one in some]
    for group in fragments(bare):
        for one in group:
            near = likely([named.id for named in bare], [one])
            assert group in fragments([Named(name) for name in near])


@given(st.text('Tern (Ab) "=,.aka called also known as Bob', max_size=60))
def test_any_text_can_be_asked(text: str) -> None:
    for left, right in statements(text):
        assert left and right
