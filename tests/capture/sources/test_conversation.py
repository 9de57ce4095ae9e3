"""Conversations: tool calls, times, and answers that are read while they grow."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engram.capture.sources.shared.conversation import Conversation, Growing
from engram.capture.sources.shared.since import DAY, Since
from engram.model.ports import SourceReading
from engram.model.turn import Turn

NOON = "2026-05-01T12:00:00Z"
NOON_MS = 1_777_636_800_000


class At:
    """A clock that stands still."""

    def __init__(self, time: str = NOON) -> None:
        self._time = time

    def now(self) -> str:
        return self._time


def test_calls_stand_on_the_answer_before_them_or_else_on_the_next() -> None:
    talk = Conversation("x", "s", SourceReading("f", At()))
    turns = talk.say("go", "", "m1")
    turns += talk.answer("", "", "m2", ["Read a", ""])
    turns += talk.answer("done", "", "m3", ["Read b"])
    turns += talk.answer("", "", "m4", [f"Read {number}" for number in range(60)])
    turns += talk.say("more", "", "m5")
    turns += talk.answer("", "", "m6", ["lost"])
    turns += talk.say("on", "", "m7") + talk.answer("yes", "", "m8") + talk.close()
    assert [turn.text for turn in turns] == ["go", "done", "more", "on", "yes"]
    assert turns[1].tools[:3] == ("Read a", "Read b", "Read 0")
    assert (len(turns[1].tools), turns[1].tools[-1]) == (51, "and 12 more")
    assert turns[4].tools == ()


def test_a_time_is_its_own_or_the_last_or_the_beginning_or_the_first_capture() -> None:
    def times(reading: SourceReading, began: str) -> list[str]:
        talk = Conversation("x", "s", reading, began=began)
        turns: list[Turn] = []
        for number, own in enumerate(["", "2026-03-06T10:00:00Z", ""]):
            turns += talk.say("a", own, str(number))
        return [turn.time for turn in turns]

    ten = "2026-03-06T10:00:00Z"
    assert times(SourceReading("f", At()), "2026-03-01T00:00:00Z") == [
        "2026-03-01T00:00:00Z",
        ten,
        ten,
    ]
    first = SourceReading("f", At())
    assert times(first, "") == [NOON, ten, ten]
    later = SourceReading("f", At("2027-01-01T00:00:00Z"), state=dict(first.state))
    assert times(later, "") == [NOON, ten, ten]


def test_an_answer_that_grew_is_given_as_it_was_and_then_the_rest() -> None:
    state: dict[str, str] = {}
    assert Growing(state).pieces("m", "one two", last=True) == [("m", "one two")]
    first, second = Growing(state).pieces("m", "one two three", last=True)
    assert (first, second[1]) == (("m", "one two"), "three")
    assert Growing(state).pieces("m", "one two three", last=True) == [first, second]
    third = Growing(dict(state)).pieces("m", "one two three four", last=False)
    assert third[:2] == [first, second]
    assert third[2][1] == "four"
    assert len({name for name, _ in third}) == 3


def test_another_answer_or_another_text_is_given_whole() -> None:
    state: dict[str, str] = {}
    Growing(state).pieces("m", "one two", last=True)
    assert Growing(dict(state)).pieces("n", "one two three", last=True) == [("n", "one two three")]
    assert Growing(dict(state)).pieces("m", "One two three", last=True) == [("m", "One two three")]


@given(st.text(max_size=60), st.text(max_size=30))
def test_no_note_of_an_earlier_reading_loses_words(entry: str, text: str) -> None:
    pieces = Growing({"answer": f"m {entry}"}).pieces("m", text, last=True)
    assert "".join(piece for _, piece in pieces).split() == text.split() or " " in text


def test_a_database_is_asked_again_for_the_last_day_only() -> None:
    reading = SourceReading("f", At())
    since = Since(reading)
    assert (since.now, since.start) == (NOON_MS, 0)
    assert since.is_new(5)
    assert since.is_new(NOON_MS - 10)
    since.settle()
    later = Since(SourceReading("f", At(), state=dict(reading.state)))
    assert later.start == NOON_MS - 10 - DAY
    assert later.is_new(NOON_MS - DAY)
    assert not later.is_new(NOON_MS - 2 * DAY)
    assert all(map(later.is_new, (None, "", 0, -1, 1e9, [])))


def test_times_in_the_future_and_strange_notes_leave_nothing_unread() -> None:
    reading = SourceReading("f", At())
    since = Since(reading)
    assert since.is_new(NOON_MS * 10)
    since.settle()
    assert Since(SourceReading("f", At(), state=reading.state)).start == NOON_MS - DAY
    for note in ("", "-5", "1e9", "９", "9" * 40):
        assert Since(SourceReading("f", At(), state={"since": note})).start == 0
