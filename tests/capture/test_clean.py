"""What is kept of what was said."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.capture.clean import (
    MAX_STATE,
    kept,
    of_session,
    off_the_record,
    readable,
    remember,
    said,
    without_private,
    without_wrappers,
)
from engram.model.injected_block import without_own
from engram.model.intake import Removed
from engram.model.turn import Turn, turn_of

NOON = "2026-05-01T12:00:00Z"


def talk(*turns: tuple[str, str], session: str = "s") -> list[Turn]:
    return [turn_of(role, text, NOON, session=session) for role, text in turns]  # type: ignore[arg-type]


def test_wrappers_go_and_the_words_around_them_stay() -> None:
    for text, rest in (
        ("<system-reminder>\nx\n</system-reminder>Hello", "Hello"),
        ("Hello <system-reminder a='1'>x</system-reminder> Kim", "Hello  Kim"),
        ("<command-name>/a</command-name><command-args>b</command-args>", ""),
        ("<local-command-stdout></local-command-stdout>", ""),
        ("<user-prompt-submit-hook>x</user-prompt-submit-hook>go", "go"),
        ("<ide_opened_file>x</ide_opened_file>go", "go"),
        ("<system-reminder>never closed", "<system-reminder>never closed"),
        ("a < b and <b>bold</b>", "a < b and <b>bold</b>"),
        ("<system-reminders>x</system-reminders>", "<system-reminders>x</system-reminders>"),
    ):
        assert said(text) == rest


def test_our_own_block_never_comes_back_as_something_said() -> None:
    for text, rest in (
        ("<engram-memory untrusted='true'>\nsecret\n</engram-memory>\nHello", "Hello"),
        ("a<engram-memory>secret</engram-memory>b<engram-memory>secret</engram-memory>c", "abc"),
        ("Hello\n<engram-memory>secret and more", "Hello"),
        ("Hello <ENGRAM-Memory", "Hello"),
        (
            "<engram-memory><engram-memory>secret</engram-memory>secret</engram-memory>Hello",
            "Hello",
        ),
        ("<engram-memory>\n<engram-memory>secret</engram-memory>Hello", "Hello"),
        ("Hello</engram-memory>", "Hello"),
        ("the engram-memory package", "the engram-memory package"),
    ):
        assert said(text) == rest


def test_private_parts_go_and_an_open_one_reaches_to_the_end() -> None:
    for text, rest, count in (
        ("a <private>x</private> b", "a  b", 1),
        ("<PRIVATE>x</Private ><private>y</private>", "", 2),
        ("a <private>x and all the rest </priv>", "a", 1),
        ("<private>x<private>y</private>z</private>a", "a", 1),
        ("a</private>b", "a</private>b", 0),
        ("nothing", "nothing", 0),
    ):
        assert without_private(text) == (rest, count)


@pytest.mark.parametrize(
    "text",
    [
        "Off the record: my salary is 5k",
        "This is off the record, but I will leave in May.",
        "My pin is 1234. Keep that off-the-record please",
        "what I told you is OFF THE RECORD",
        "The salary is 5k, let's keep this off the record",
        "I told you: off the record, we are bankrupt",
    ],
)
def test_a_request_to_stay_off_the_record_is_understood(text: str) -> None:
    assert off_the_record(text)


@pytest.mark.parametrize(
    "text",
    [
        "She told me off the record that they are hiring",
        "It was an off-the-record chat",
        "This is not off the record",
        "this isn't off the record",
        'What does "off the record" mean?',
        "Rename the flag `off the record`",
        "Strip the id off the record before saving",
        "Lift the needle off the record player",
        "For the record, we use Postgres",
        "Write off the recordings",
    ],
)
def test_talk_about_records_is_no_such_request(text: str) -> None:
    assert not off_the_record(text)


def test_a_turn_off_the_record_is_left_out_with_all_answers_to_it() -> None:
    turns = talk(
        ("user", "We use Postgres."),
        ("assistant", "Good."),
        ("user", "Off the record: the boss is leaving."),
        ("assistant", "I see."),
        ("assistant", "Anything else?"),
        ("user", "Back to work."),
        ("assistant", "Yes."),
    )
    state: dict[str, str] = {}
    removed = Removed()
    assert [turn.text for turn in kept(turns, state, removed)] == [
        "We use Postgres.", "Good.", "Back to work.", "Yes.",
    ]  # fmt: skip
    assert (removed.off_record, removed.private) == (3, 0)
    assert list(state) == [of_session("untitled", turns[0].session)]


def test_off_the_record_is_remembered_by_session_from_one_reading_to_the_next() -> None:
    state: dict[str, str] = {}
    assert not list(kept(talk(("user", "off the record: x")), state, Removed()))
    other = talk(("assistant", "there"), session="other")
    assert [t.text for t in kept(other, state, Removed())] == ["there"]
    assert not list(kept(talk(("assistant", "x, you say?")), state, Removed()))


def test_a_conversation_has_no_title_once_something_was_left_out_of_it() -> None:
    turns = [
        replace(turn, title="Tea and the boss")
        for turn in talk(("user", "Tea?"), ("user", "off the record: the boss"), ("user", "Tea."))
    ]
    assert [turn.title for turn in kept(turns, {}, Removed())] == ["Tea and the boss", ""]
    private = [replace(turns[0], text="<private>x</private> Tea?", message="0" * 16)]
    assert [turn.title for turn in kept(private, {}, Removed())] == [""]


def test_what_is_said_in_an_excluded_folder_goes_with_its_answer_and_its_name() -> None:
    said = talk(
        ("user", "one"), ("assistant", "two"), ("user", "three"), ("assistant", "four"),
        ("user", "five"),
    )  # fmt: skip
    folders = ["/w/acme/api", "/w/acme/api", "/w/shop", "/w/acme/api", "/w/shop"]
    turns = [
        replace(turn, folder=folder, project="api")
        for turn, folder in zip(said, folders, strict=True)
    ]
    removed = Removed()
    found = kept(turns, {}, removed, lambda folder, project: "/acme" in folder)
    assert [(turn.text, turn.project) for turn in found] == [("three", "shop"), ("five", "shop")]
    assert removed.excluded == 3


def test_private_parts_are_counted_and_an_empty_turn_goes() -> None:
    removed = Removed()
    turns = talk(("user", "<private>x</private>"), ("user", "a <private>x</private>"))
    rest = list(kept(turns, {}, removed))
    assert [turn.text for turn in rest] == ["a"]
    assert rest[0].message == turns[1].message
    assert removed.private == 2


def test_state_is_bounded_and_the_oldest_entry_goes() -> None:
    state: dict[str, str] = {}
    for number in range(MAX_STATE + 5):
        remember(state, f"k{number}", "v")
    remember(state, "k9", "new")
    assert len(state) == MAX_STATE
    assert "k0" not in state
    assert state["k9"] == "new"


def test_readable_text_keeps_every_script_and_mends_what_cannot_be_written() -> None:
    assert readable("añb 李 🍵") == "añb 李 🍵"
    assert readable("a\ud83c\udf75b") == "a🍵b"
    assert readable("a\ud800b\0") == "a\ufffdb\ufffd"


_pieces = st.lists(
    st.sampled_from(
        ["<engram-memory>", "</engram-memory>", "<private>", "</private>", "<system-reminder>",
         "</system-reminder>", "<command-a>", "</command-a>", "word ", "<", ">", "\n", "\ud800"]
    ),
    max_size=30,
)  # fmt: skip


@given(_pieces)
def test_cleaning_twice_changes_nothing_more_and_the_tags_are_gone(pieces: list[str]) -> None:
    text = "".join(pieces)
    own = without_own(text)
    assert "engram-memory" not in own
    assert without_own(own) == own
    private, count = without_private(text)
    assert "<private>" not in private
    assert (count == 0) == ("<private>" not in text)
    said(text).encode("utf-8")


@given(st.text())
def test_text_without_marks_is_kept_as_it_is(text: str) -> None:
    plain = text.replace("<", "").replace("\0", "")
    assert said(plain) == plain.strip()
    assert without_private(plain) == (plain, 0)


def test_hostile_repetition_is_linear() -> None:
    # Quadratic work on any of these would run for minutes: the suite would not end.
    for piece in (
        "<system-reminder>", "<engram-memory>", "<engram-memory><engram-memory></engram-memory>",
        "<private>", "<command-aa a>", "off the record ", "```", '"', "told me ",
    ):  # fmt: skip
        text = piece * 20_000
        assert without_wrappers(text) == text
        assert "engram-memory" not in without_own(text)
        assert "<private>" not in without_private(text)[0]
        assert off_the_record(text + ". Off the record: x") or piece == "```"


def test_our_own_question_to_a_model_and_its_answer_are_never_captured() -> None:
    question = (
        "<engram-data 0a1b2c3d>\nConversation:\n[1] user: I prefer tea.\n</engram-data 0a1b2c3d>"
    )
    removed, state = Removed(), {}
    turns = [
        turn_of("user", question, NOON, message="1"),
        turn_of("assistant", '{"facts": []}', NOON, message="2"),
        turn_of("user", "I prefer coffee.", NOON, message="3"),
        turn_of("assistant", "Noted.", NOON, message="4"),
    ]
    assert [turn.text for turn in kept(turns, state, removed)] == ["I prefer coffee.", "Noted."]
    assert (removed.own, removed.off_record) == (2, 0)
