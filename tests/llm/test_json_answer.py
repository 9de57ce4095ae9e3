"""The object in a model's text: found whatever stands around it, and never half of one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engram.llm.json_answer import value_of

ITEM = {"text": "Kim works here.", "entities": [{"name": "Kim", "type": "person"}]}
WHOLE = json.dumps({"facts": [ITEM]})

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=12,
)
#: words without what begins an object
PROSE = st.text(st.characters(exclude_characters="[{", exclude_categories=["Cs"]), max_size=60)


@pytest.mark.parametrize(
    "text",
    [
        WHOLE, f"\ufeff  {WHOLE}\n", f"```json\n{WHOLE}\n```", f"```\n{WHOLE}\n```\n",
        f"Here you are:\n{WHOLE}\nAnything else?", f"[1] {{not json}} {WHOLE}",
        f"<think>{{hm}} maybe [\"x\"]</think>{WHOLE}", f'I answer {{"facts": [...]}}: {WHOLE}',
        f'{{"facts": []}} no: {WHOLE}', f'{WHOLE} {{"unlike": 1}}', f"{WHOLE}, {WHOLE[:40]}",
        json.dumps([ITEM]), f"The list: {json.dumps([ITEM])}",
        json.dumps({"facts": [ITEM]}, indent=4),
    ],
)  # fmt: skip
def test_an_answer_is_found(text: str) -> None:
    assert value_of(text, "facts") == {"facts": [ITEM]}


@pytest.mark.parametrize("text", ['{"facts": []}', "[]", "```json\n[]\n```", " [ ] "])
def test_nothing_to_remember_is_an_answer(text: str) -> None:
    assert value_of(text, "facts") == {"facts": []}


def test_a_line_end_inside_of_a_text_is_forgiven() -> None:
    assert value_of('{"facts": [{"text": "a\nb"}]}', "facts") == {"facts": [{"text": "a\nb"}]}


@pytest.mark.parametrize(
    "text",
    [
        "", "no", "null", "7", '"facts"', "{}", '{"memories": []}', "[1, 2]", "see [] there",
        # what is inside of something torn or broken may be the names of an item
        '[{"text": "a", "entities": [{"name": "Kim"}], "quote": "cut of',
        '{"note": 1, "facts": [{"entities": [{"name": "Kim"}], "text": "cut',
        '{"facts": [{"text": "a" "quote": "b", "entities": [{"name": "Kim"}]}]}',
        '{"plan": {"facts": []}, "facts": [{"text": "cut', f"{WHOLE[:-2]} and no end",
    ],
)  # fmt: skip
def test_what_is_no_whole_answer_is_none(text: str) -> None:
    assert value_of(text, "facts") is None


def test_half_an_answer_is_none() -> None:
    for end in range(1, len(WHOLE)):
        assert value_of(WHOLE[:end], "facts") is None
        assert value_of(f"```json\n{WHOLE[:end]}\n```", "facts") is None
        assert value_of(json.dumps([ITEM])[:-1][:end], "facts") is None


@given(PROSE, JSON, PROSE, st.booleans())
def test_an_object_is_found_in_any_prose(
    before: str, value: object, after: str, fenced: bool
) -> None:
    text = json.dumps({"facts": value})
    text = f"{before}\n```json\n{text}\n```\n{after}" if fenced else f"{before}{text}{after}"
    assert value_of(text, "facts") == {"facts": value}


@given(st.text() | st.text(alphabet='{}[]",:\\ntf1 \n`'))
@example("[" * 5000)
@example('{"facts": ' * 3000)
@example("9" * 5000)
@example('{"facts": 1e999999}')
def test_any_text_gives_an_object_or_none(text: str) -> None:
    value = value_of(text, "facts")
    assert value is None or "facts" in value


@pytest.mark.parametrize(
    "unit", ["{", "[", '["', '{"a":', '{"a":"', "[1,", "```\n", '{"facts":[', "[[]", '"\\']
)  # fmt: skip
def test_hostile_text_costs_little(unit: str) -> None:
    assert value_of(unit * 100_000, "facts") is None
