"""A dialogue: where a reading stands at every turn, and what is kept for the next one."""

from __future__ import annotations

import io

from engram.capture.sources.codex import Codex
from engram.capture.sources.formats.json_lines import Object, Place
from engram.capture.sources.shared.dialogue import (
    MAX_TOOLS,
    Calls,
    Dialogue,
    SpokenWords,
    blocks,
    texts,
)
from engram.model.ports import SourceReading
from engram.model.turn import Turn


class Ticking:
    """A clock that goes on by a second every time it is asked."""

    def __init__(self) -> None:
        self.second = 0

    def now(self) -> str:
        self.second += 1
        return f"2026-05-01T12:00:{self.second:02d}Z"


def turns_of(data: bytes, reading: SourceReading) -> list[tuple[Turn, Place]]:
    """The turns of lines like `{"user":"x"}`, each with where the reading stands at it."""
    dialogue = Dialogue("talk", reading)

    def take(line: Object, place: Place) -> None:
        for role, text in line.items():
            words = SpokenWords(str(text), None, place)
            if role == "user":
                dialogue.asked(words)
            elif role == "assistant":
                dialogue.answered(words)
            else:
                dialogue.called(str(text))

    found = dialogue.read(io.BytesIO(data), 1000, take)
    return [(turn, (reading.offset, reading.line)) for turn in found]


LOG = (
    b'{"call":"Read a"}\n'
    b'{"assistant":"one"}\n'
    b'{"call":"Bash ls"}\n'
    b'{"user":"next"}{"assistant":"two"}\n'
    b'{"call":"Edit b"}\n'
)


def test_a_reading_can_go_on_behind_every_turn() -> None:
    whole = turns_of(LOG, SourceReading("x", Ticking()))
    assert [(turn.text, turn.tools) for turn, _ in whole] == [
        ("one", ("Read a", "Bash ls")),
        ("next", ()),
        ("two", ("Edit b",)),
    ]
    for count, (_, (offset, line)) in enumerate(whole, 1):
        assert line == LOG[:offset].count(b"\n")
        rest = turns_of(LOG, SourceReading("x", Ticking(), offset, line))
        left = {turn.message for turn, _ in whole[count:]}
        assert left <= {turn.message for turn, _ in rest}


def test_the_clock_is_asked_once_for_a_log_without_times() -> None:
    reading = SourceReading("x", Ticking())
    first = turns_of(b'{"user":"a"}\n{"user":"b"}\n', reading)
    assert {turn.time for turn, _ in first} == {"2026-05-01T12:00:01Z"}
    grown = SourceReading("x", Ticking(), reading.offset, reading.line, dict(reading.state))
    later = turns_of(b'{"user":"a"}\n{"user":"b"}\n{"user":"c"}\n', grown)
    assert [(turn.text, turn.time) for turn, _ in later] == [("c", "2026-05-01T12:00:01Z")]


def test_the_calls_of_an_earlier_prompt_do_not_belong_to_the_next_answer() -> None:
    log = b'{"call":"Read a"}\n{"user":"next"}\n{"assistant":"one"}\n'
    assert [turn.tools for turn, _ in turns_of(log, SourceReading("x", Ticking()))] == [(), ()]


def test_many_calls_are_shown_in_part_and_the_rest_as_a_number() -> None:
    calls = Calls()
    for _ in range(MAX_TOOLS + 3):
        calls.add("Read a")
    calls.add("")
    assert len(calls.lines()) == MAX_TOOLS + 1
    assert calls.lines()[-1] == "and 3 more"


def test_texts_and_blocks_of_any_content() -> None:
    content = [{"type": "text", "text": "a"}, {"type": "text", "text": 5}, "b", {"type": ["text"]}]
    assert texts("plain") == ["plain"]
    assert texts(content) == ["a"]
    assert texts({"type": "text", "text": "a"}) == []
    assert len(blocks(content, "text")) == 2
    assert blocks(None, "text") == []


def test_deep_nesting_and_long_names_are_no_trouble() -> None:
    deep = b'{"timestamp":' + b"[" * 50_000 + b"]" * 50_000 + b"}\n"
    name = b'{"type":"session_meta","payload":{"id":"' + b"n" * 5000 + b'"}}\n'
    said = b'{"type":"event_msg","payload":{"type":"agent_message","message":"hi"}}\n'
    reading = SourceReading("x", Ticking())
    turns = list(Codex().parse(io.BytesIO(deep + name + said), reading))
    assert len(turns[0].session) <= 200
    assert reading.tally.unparsed_lines == 1
