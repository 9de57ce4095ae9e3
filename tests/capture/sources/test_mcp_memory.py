"""The knowledge graph of the MCP memory server: its sentences, and its untrusted names."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.capture.sources import recognise
from engram.capture.sources.mcp_memory import MAX_OBSERVATION, McpMemory
from engram.model.ports import SourceReading
from engram.model.turn import Turn
from tests.capture.sources.reader import Noon
from tests.effort import examples

NOON = "2026-05-01T12:00:00Z"


def read(data: bytes, name: str = "memory") -> tuple[list[Turn], SourceReading]:
    reading = SourceReading(name, Noon())
    return list(McpMemory(1_000_000).parse(io.BytesIO(data), reading)), reading


def lines(*objects: object) -> bytes:
    return "\n".join(json.dumps(one) for one in objects).encode()


ADA = {
    "type": "entity",
    "name": "Ada",
    "entityType": "person",
    "observations": ["Likes tea", "Is 36"],
}
WORKS = {"type": "relation", "from": "Ada", "to": "Acme", "relationType": "works_at"}
DOCUMENT = {
    "entities": [{k: v for k, v in ADA.items() if k != "type"}],
    "relations": [{k: v for k, v in WORKS.items() if k != "type"}],
}


@pytest.mark.parametrize(
    "data", [lines(ADA, WORKS), lines(DOCUMENT), json.dumps(DOCUMENT, indent=2).encode()]
)
def test_observations_and_relations_are_statements(data: bytes) -> None:
    turns, reading = read(data)
    assert [(t.session, t.role, t.text, t.time) for t in turns] == [
        ("mcp-memory", "user", "Ada (person): Likes tea", NOON),
        ("mcp-memory", "user", "Ada (person): Is 36", NOON),
        ("mcp-memory", "user", "Ada works at Acme.", NOON),
    ]
    assert not reading.tally.unknown
    assert recognise(data, ".json").name == "mcp-memory"  # type: ignore[union-attr]


def test_both_forms_and_any_order_and_file_name_give_the_same_messages() -> None:
    first, second = read(lines(ADA, WORKS))[0], read(lines(WORKS, ADA), "copy")[0]
    assert {t.message for t in first} == {t.message for t in second}
    assert [t.message for t in first] == [t.message for t in read(lines(DOCUMENT))[0]]


def test_the_first_capture_is_the_time_of_all_later_ones() -> None:
    _, reading = read(lines(ADA))

    class Later:
        def now(self) -> str:
            return "2027-01-01T00:00:00Z"

    again = SourceReading("memory", Later(), state=dict(reading.state))
    assert {t.time for t in McpMemory().parse(io.BytesIO(lines(ADA, WORKS)), again)} == {NOON}


def test_names_and_observations_are_one_bounded_line_each() -> None:
    entity = {
        "type": "entity", "name": "Ada\n# Lovelace" + " x" * 500, "entityType": None,
        "observations": ["a\r\n\tb\u2028c", "word " * 5000, "", 7, None, "\ud800"],
    }  # fmt: skip
    turns, _ = read(lines(entity))
    assert [len(turn.text.splitlines()) for turn in turns] == [1, 1, 1]
    assert turns[0].text.startswith("Ada # Lovelace x")
    assert turns[0].text.endswith("x: a b c")
    assert all(len(turn.text) <= MAX_OBSERVATION + 210 for turn in turns)
    assert turns[2].text.endswith(": \ufffd")


def test_half_a_statement_is_none() -> None:
    turns, reading = read(
        lines(
            {**ADA, "name": ""}, {**ADA, "observations": "x"}, {**WORKS, "to": None},
            {**WORKS, "relationType": "__"}, {"type": "wizard"}, 7, [], {**ADA, "type": ["entity"]},
        )
        + b'\n{"type": "entity", "na'
    )  # fmt: skip
    assert turns == []
    assert reading.tally.unknown["wizard"] == 1
    assert reading.tally.unparsed_lines == 2


def test_the_file_that_the_server_is_told_is_looked_for(tmp_path: Path) -> None:
    file = tmp_path / "memory.json"
    assert McpMemory().discover(tmp_path, {"MEMORY_FILE_PATH": str(file)}) == [file]
    assert McpMemory().discover(tmp_path, {"MEMORY_FILE_PATH": "memory.json"}) == []
    assert McpMemory().discover(tmp_path, {}) == []


def test_other_formats_are_not_claimed() -> None:
    for other in (
        {"type": "user", "message": {}}, {"type": "entity"}, {"type": "relation", "from": "x"},
        {"entities": [{"name": "x"}]}, {"memory": "x", "user_id": "y"}, [7],
    ):  # fmt: skip
        assert not McpMemory().recognises(lines(other))
    assert McpMemory().recognises(lines(ADA, WORKS)[:120])
    assert McpMemory().recognises(lines(WORKS))


_junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "name", "entityType", "observations", "from", "to", "relationType",
                 "entities", "relations"]
            ),
            inner | st.sampled_from(["entity", "relation"]),
            max_size=6,
        )
    ),
    max_leaves=20,
)  # fmt: skip


@examples(40)
@given(_junk, st.binary(max_size=20))
def test_nothing_raises_and_reading_again_finds_the_same(document: object, rest: bytes) -> None:
    data = json.dumps(document).encode() + rest
    McpMemory().recognises(data)
    turns, _ = read(data)
    assert read(data)[0] == turns
    for turn in turns:
        turn.text.encode()


@examples(15)
@given(st.integers(0, 10_000))
def test_a_file_cut_anywhere_gives_some_of_the_messages_of_the_whole(cut: int) -> None:
    whole = lines(ADA, WORKS, {**ADA, "name": "Zoë"})
    once = [turn.message for turn in read(whole)[0]]
    first = [turn.message for turn in read(whole[: cut % (len(whole) + 1)])[0]]
    assert first == once[: len(first)]
