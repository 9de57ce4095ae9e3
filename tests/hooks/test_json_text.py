"""Small changes to JSON text that touch nothing else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.surfaces.hooks.json_text import added, parse, removed

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=12,
)
#: how people and programs write it
forms = st.sampled_from([
    lambda value: json.dumps(value),
    lambda value: json.dumps(value, indent=2),
    lambda value: json.dumps(value, indent="\t", ensure_ascii=False),
    lambda value: json.dumps(value, separators=(",", ":")),
    lambda value: "\r\n" + json.dumps(value, indent=4).replace("\n", "\r\n") + "\r\n\r\n",
])  # fmt: skip


@given(values, forms)
def test_it_reads_what_json_reads(value: object, form) -> None:  # type: ignore[no-untyped-def]
    text = form(value)
    node = parse(text)
    assert node.value == value
    assert json.loads(text[node.start : node.end]) == value


@given(st.dictionaries(st.text(max_size=4), values, max_size=3), forms, values)
def test_a_member_that_is_added_can_be_taken_out_again(  # type: ignore[no-untyped-def]
    members: dict[str, object], form, value: object
) -> None:
    members.pop("new", None)
    text = form(members)
    more = added(text, parse(text), 0, value, "new")
    assert json.loads(more) == members | {"new": value}
    assert removed(more, parse(more), len(members)) == text


@given(st.lists(values, max_size=3), forms, values)
def test_an_item_that_is_added_can_be_taken_out_again(  # type: ignore[no-untyped-def]
    items: list[object], form, value: object
) -> None:
    text = form(items)
    more = added(text, parse(text), 0, value)
    assert json.loads(more) == [*items, value]
    assert removed(more, parse(more), len(items)) == text


@given(st.lists(values, min_size=1, max_size=4), forms, st.data())
def test_any_item_can_be_taken_out(items: list[object], form, data: st.DataObject) -> None:  # type: ignore[no-untyped-def]
    which = data.draw(st.integers(0, len(items) - 1))
    text = form(items)
    assert json.loads(removed(text, parse(text), which)) == items[:which] + items[which + 1 :]


@pytest.mark.parametrize(
    "text",
    ["", " ", "{", '{"a" 1}', "{'a': 1}", '{"a": 1,}', '{"a": 1} x', "// x\n{}", '{"a": 1, "a": 2}',
     "[" * 100 + "]" * 100],
    ids=repr,
)  # fmt: skip
def test_what_is_not_strict_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse(text)
