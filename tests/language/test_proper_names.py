"""Names in statements: whose, of what kind; none where only the capital looks like one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language import proper_names as forms
from engram.language.proper_names import entities_of_names, mentioned_in, proper_names, whole_name
from tests.admit.cases import memory
from tests.kit import failing

_TOLD = Path(__file__).with_name("people_told.tsv")
#: rows of the half that is held back and read wrong, as they were at first sight
_KNOWN = {
    "Emil needs new glasses.",
    "Readme first, then Code.",
    "API keys are kept in the Vault, never in Git.",
}


def test_names_are_read_as_the_table_says() -> None:
    def check(row: tuple[str, str]) -> None:
        said, wanted = row
        found = {
            f"{one.type or 'name'}:{one.name}:{one.role}"
            for one in proper_names(said)
            if one.type or not one.opens
        }
        names = [] if wanted == "-" else wanted.split(";")
        assert found == {name if name.count(":") == 2 else f"{name}:" for name in names}, found

    lines = _TOLD.read_text("utf-8").splitlines()[1:]
    rows = [(said, names) for _, said, names in (line.split("\t") for line in lines)]
    assert len(rows) == 48
    assert failing([row for row in rows if row[0] not in _KNOWN], check) == ""


@pytest.mark.parametrize("found", ["Dr", "Frau", "Monday", "July", "English"])
def test_a_title_a_day_or_a_language_alone_is_nobody(found: str) -> None:
    assert whole_name(found, f"{found} is off.") == ""
    assert not [one for one in proper_names(f"We see {found} again.") if one.name == found]


def test_a_title_brings_the_name_behind_it() -> None:
    assert whole_name("Dr", "Dr Weber is my dentist") == "Dr Weber"
    assert whole_name("Katja", "Katja is my sister") == "Katja"


def test_a_name_leads_to_the_entity_whose_kind_is_told_elsewhere() -> None:
    told = {"person-emil": 1, "name-emil": 2, "word-emil": 1, "name-condens": 1, "word-orders": 3}
    assert entities_of_names(told) == {
        "name-emil": "person-emil",
        "word-emil": "person-emil",
        "name-condens": "other-condens",
    }


def test_what_the_header_links_to_is_not_named_again() -> None:
    one = memory("The user's sister Katja lives in Kiel.", entities=("person-katja",))
    assert mentioned_in(one) == ("person-katja", "place-kiel")


_WORDS = """
the user's my our The user's his Her sister step mother team lead mate friend, dog is are was
called named name is, who is and met Met lunch with for works at job joined employer lives in moved
to flight via near from comes in project codename app says told has a birthday turns 4 can not eat
goes school wedding first name born years allergic thinks GmbH Inc S.A. Dr Dr. Prof. Mrs Grandma
Uncle of new Katja Jonas Jonas's Jonas' Weber Anna von Berg Mia, Ilse. Kiel iPhone O'Neil Zoë Łódź
(Leo "Nia Max) it them thing
"""
_PIECES = st.sampled_from(_WORDS.split())
_SPACES = st.sampled_from([" "] * 9 + [", ", "\n", "  ", "'s ", ""])


@given(st.lists(st.tuples(_PIECES, _SPACES), max_size=9))
def test_no_name_is_told_without_what_its_form_needs(pieces: list[tuple[str, str]]) -> None:
    said = "".join(word + space for word, space in pieces)
    for form in (*forms._RELATED, *forms._KINDS):
        told = [one.span() for one in form.pattern.finditer(said)]
        assert [one.span() for one in form.found(said, forms._beside(said))] == told
