"""Attribute keys: one form for all ways of writing them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.attributes import attribute_key, normal_part, normal_slot


@pytest.mark.parametrize(
    ("raw", "normal"),
    [
        ("Home Town", "home-town"), ("home - town", "home-town"), ("-home\ttown- ", "home-town"),
        ("HOME--TOWN", "home-town"), ("", ""), (" - ", ""), ("Größe", "größe"), ("a_b", "a_b"),
    ],
)  # fmt: skip
def test_case_blanks_and_hyphens_make_no_other_key(raw: str, normal: str) -> None:
    assert normal_part(raw) == normal


@pytest.mark.parametrize(("entity", "attribute"), [(None, "x"), ("", "x"), ("x", " "), ("-", "x")])
def test_half_a_key_is_none(entity: str | None, attribute: str) -> None:
    assert attribute_key(entity, attribute) is None


def test_a_key_has_a_subject_and_an_attribute() -> None:
    assert attribute_key("Old Mill", "Opening Hours") == "old-mill::opening-hours"


@pytest.mark.parametrize(
    ("raw", "slot"),
    [
        ("User :: Editor", "user::editor"), ("editor", "editor"), ("user::", ""), ("::x", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_a_slot_of_a_header_is_brought_into_that_form(raw: str, slot: str) -> None:
    assert normal_slot(raw) == slot


@given(st.text(), st.text())
def test_normal_is_normal_for_good(entity: str, attribute: str) -> None:
    assert normal_part(normal_part(entity)) == normal_part(entity)
    key = attribute_key(entity, attribute)
    if key is not None and "::" not in normal_part(entity) + normal_part(attribute):
        assert normal_slot(key) == normal_slot(normal_slot(key))
