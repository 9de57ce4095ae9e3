"""Values as text and as TOML, key by key."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.memory import CATEGORIES, SCHEMAS
from engram.settings.keys import CHOICES, ENTRIES, RANGES, Key, known_keys, read_text, read_value

SWITCH = Key("daemon.paused", "switch")


@pytest.mark.parametrize("text", ["true", "1", "Yes", " on "])
def test_words_that_switch_on(text: str) -> None:
    assert read_text(SWITCH, text) is True


@pytest.mark.parametrize("text", ["false", "0", "No", "OFF"])
def test_words_that_switch_off(text: str) -> None:
    assert read_text(SWITCH, text) is False


def test_a_switch_is_no_number_and_a_number_no_switch() -> None:
    assert read_value(SWITCH, False) is False
    for value in (0, "false", None):
        with pytest.raises(ValueError, match="true or false"):
            read_value(SWITCH, value)
    with pytest.raises(ValueError, match="true or false"):
        read_text(SWITCH, "maybe")
    with pytest.raises(ValueError, match="whole number"):
        read_value(known_keys()["recall.limit"], True)


def test_every_numeric_key_has_a_range_and_every_row_a_key() -> None:
    rows = {key.table or name: key for name, key in known_keys().items()}
    assert set(RANGES) == {name for name, key in rows.items() if "number" in key.kind}
    assert set(CHOICES) <= set(rows) and set(ENTRIES) <= set(rows)


def test_every_category_and_schema_may_have_its_own_days() -> None:
    assert {*CATEGORIES, *SCHEMAS} < set(ENTRIES["retention.days"])


def test_no_two_keys_share_a_variable() -> None:
    variables = [key.variable for key in known_keys().values()]
    assert len(set(variables)) == len(variables)


def test_an_array_in_a_variable_must_be_one() -> None:
    key = known_keys()["capture.exclude"]
    with pytest.raises(ValueError, match="not valid TOML"):
        read_text(key, '["a"')
    with pytest.raises(ValueError, match="texts that are not empty"):
        read_text(key, "[1]")


def test_the_owner_is_one_name_or_several() -> None:
    key = known_keys()["owner"]
    assert (
        read_value(key, "Nora") == read_value(key, ["Nora"]) == read_text(key, "Nora") == ("Nora",)
    )
    assert read_text(key, "Nora, nora-k83") == ("Nora", "nora-k83")
    assert read_value(key, "") == read_text(key, " ") == ()
    for wrong in (["x" * 81], "two\nlines", [""], 7):
        with pytest.raises(ValueError, match=r"names|list of texts"):
            read_value(key, wrong)


@given(st.sampled_from(sorted(known_keys())), st.text(max_size=12))
def test_any_text_is_a_value_or_a_value_error(name: str, text: str) -> None:
    key = known_keys()[name]
    try:
        value = read_text(key, text)
    except ValueError as error:
        assert str(error)
    else:
        plain = list(value) if isinstance(value, tuple) else value
        assert read_value(key, plain) == value
