"""Notes and conversations in prose."""

from __future__ import annotations

import io

from hypothesis import assume, given
from hypothesis import strategies as st

from engram.capture.sources.plain_text import TURN_BYTES, Markdown, PlainText
from engram.model.ports import SourceReading
from engram.model.turn import Turn
from tests.capture.sources.reader import Noon
from tests.effort import examples


def read(text: str | bytes, name: str = "note") -> tuple[list[Turn], SourceReading]:
    reading = SourceReading(name, Noon())
    data = text.encode() if isinstance(text, str) else text
    return list(Markdown().parse(io.BytesIO(data), reading)), reading


def said(text: str) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in read(text)[0]]


def test_a_note_is_one_user_turn_at_the_time_of_the_clock() -> None:
    turns, reading = read("We chose oolong.\r\n\r\nIt sells best.\r\n")
    assert [(t.role, t.text, t.time) for t in turns] == [
        ("user", "We chose oolong.\n\nIt sells best.", "2026-05-01T12:00:00Z")
    ]
    assert (turns[0].source, turns[0].session) == ("markdown", "note")
    assert (reading.tally.lines, reading.offset, reading.line) == (3, 36, 3)


def test_front_matter_gives_time_title_and_project_and_is_no_turn() -> None:
    turns, _ = read('---\ntitle: "Tea"\ndate: 2026-03-06 10:10\nproject: ~/w/Shop\n---\nOolong.\n')
    assert [(t.text, t.time, t.title, t.project) for t in turns] == [
        ("Oolong.", "2026-03-06T10:10:00Z", "Tea", "Shop")
    ]


def test_an_unclosed_front_matter_is_text() -> None:
    assert said("---\ntitle: x\nwords\n") == [("user", "title: x\nwords")]


def test_a_rule_between_blank_lines_begins_another_turn_but_not_a_heading_line() -> None:
    assert said("one\n\n---\n\ntwo\n") == [("user", "one"), ("user", "two")]
    assert said("Title\n---\nbody\n") == [("user", "Title\n---\nbody")]


def test_dated_headings_split_a_log_and_give_the_time() -> None:
    turns, _ = read(
        "# Log\n\n## 2026-03-06\nfirst\n\n## Tea, 2026-03-07 09:30\nsecond\n2026-03-08:\nx"
    )
    assert [(t.time, t.text.splitlines()[-1]) for t in turns] == [
        ("2026-03-06T00:00:00Z", "first"),
        ("2026-03-07T09:30:00Z", "second"),
        ("2026-03-08T00:00:00Z", "x"),
    ]
    assert turns[0].title == "Log"


def test_no_date_is_made_of_what_is_none() -> None:
    assert read("# Release 2026-13-45\nx")[0][0].time == "2026-05-01T12:00:00Z"


def test_a_date_in_the_name_of_a_daily_note_is_its_time() -> None:
    assert read("words", name="2026-03-06 tea")[0][0].time == "2026-03-06T00:00:00Z"


def test_labels_make_a_conversation_when_both_sides_have_one() -> None:
    text = (
        "# A talk\n\nUser: Which tea?\nand how much?\n\n**Assistant:** Oolong.\n\n---\n\n"
        "```\nUser: not me\n```\n## Human\nyes\n### AI:\nDone.\n"
    )
    assert said(text) == [
        ("user", "Which tea?\nand how much?"),
        ("assistant", "Oolong.\n\n---\n\n```\nUser: not me\n```"),
        ("user", "yes"),
        ("assistant", "Done."),
    ]
    assert read(text)[0][0].title == "A talk"


def test_one_label_alone_makes_no_conversation() -> None:
    assert said("User: kim\nHost: tea\n") == [("user", "User: kim\nHost: tea")]


def test_the_same_words_are_one_turn_in_a_note_and_two_in_a_conversation() -> None:
    note, _ = read("same\n\n---\n\nsame\n")
    talk, _ = read("User: yes\nAI: ok\nUser: yes\nAI: ok\n")
    assert len({turn.message for turn in note}) == 1
    assert len({turn.message for turn in talk}) == 4


def test_a_note_read_again_later_has_the_same_messages() -> None:
    class Later:
        def now(self) -> str:
            return "2027-01-01T00:00:00Z"

    again = list(Markdown().parse(io.BytesIO(b"words"), SourceReading("note", Later())))
    assert [turn.message for turn in again] == [turn.message for turn in read("words")[0]]


def test_long_text_is_cut_between_paragraphs_and_nothing_is_lost() -> None:
    text = "\n\n".join(f"Paragraph {number} " + "tea " * 200 for number in range(30))
    turns, _ = read(text)
    assert len(turns) == 6
    assert all(len(turn.text.encode()) <= TURN_BYTES for turn in turns)
    assert all(turn.text.startswith("Paragraph") for turn in turns)
    assert " ".join(turn.text for turn in turns).split() == text.split()


def test_a_line_without_end_is_cut_between_words_and_characters() -> None:
    for text in ("tea " * 5000, "茶" * 9000, "é" * 5000 + " x"):
        turns, _ = read(text)
        assert "".join("".join(turn.text for turn in turns).split()) == "".join(text.split())
        assert not any("\ufffd" in turn.text for turn in turns)


def test_what_is_added_later_is_read_from_where_the_reading_ended() -> None:
    head = "User: a\nAI: b\n"
    _, reading = read(head)
    more = (head + "still b\nUser: c\n").encode()
    later = SourceReading("note", Noon(), reading.offset, reading.line, dict(reading.state))
    turns = list(Markdown().parse(io.BytesIO(more), later))
    assert [(turn.role, turn.text) for turn in turns] == [("assistant", "still b"), ("user", "c")]


def test_a_byte_order_mark_goes_and_lines_with_nul_are_counted() -> None:
    turns, reading = read(b"\xef\xbb\xbfone\nb\0in\ntwo\n")
    assert [turn.text for turn in turns] == ["one\ntwo"]
    assert (reading.tally.lines, reading.tally.unparsed_lines) == (3, 1)


def test_a_vault_of_notes_gives_the_words_of_their_author() -> None:
    turns, _ = read(
        '---\ncreated: "[[2026-03-04]]"\ntags:\n  - shop\n---\n# Shop\n\n'
        "Runs on [[db/Postgres|Postgres]]. ^b1\n\n```dataview\nTABLE x\n```\n\n"
        "> [!tip] Mine\n> I prefer tea.\n\n%% later %%\n- [ ]\n"
    )
    assert [(turn.text, turn.time, turn.title) for turn in turns] == [
        ("# Shop\n\nRuns on Postgres.\n\n\nMine\nI prefer tea.", "2026-03-04T00:00:00Z", "Shop")
    ]


def test_a_template_says_nothing() -> None:
    assert said("---\ncreated: {{date}}\n---\n# {{title}}\n<% tp.file.cursor() %>\n- [ ] \n") == []


def test_what_this_program_wrote_is_not_read_back_as_a_note() -> None:
    memory = "id: a\ncategory: fact\nkind: note\nstatus: active\nimportance: 0.5\n"
    for front in (memory, "source: claude-code\nsession: s\nstarted: 2026-03-04T09:00:00Z\n"):
        whole = f"---\n{front}---\nThe shop uses Postgres.\n"
        turns, reading = read(whole)
        assert (turns, reading.offset, len(reading.tally.unknown)) == ([], len(whole), 1)
        later = SourceReading("note", Noon(), reading.offset, reading.line, dict(reading.state))
        assert list(Markdown().parse(io.BytesIO((whole + "More.\n").encode()), later)) == []


def test_prose_is_recognised_and_data_is_not() -> None:
    assert PlainText().recognises("Grüße\n".encode())
    assert PlainText().recognises("[[link]] and é".encode()[:-1])
    for data in (b"", b"\n ", b"a\0b", b"\xff\xfe", b'{\n "a": 1}', b'[{"a": 1}]', b'{"a":1}\n'):
        assert not PlainText().recognises(data)


_words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)
_parts = st.sampled_from(
    ["words here ", "\n", "\n\n", "---\n", "User: ", "AI: ", "# H\n", "## 2026-03-06\n", "```\n"]
)


@examples(50)
@given(st.lists(_parts | _words, max_size=25), st.integers(0, 3000))
def test_every_word_of_a_note_is_in_some_turn(parts: list[str], long: int) -> None:
    text = "".join(parts) + "tea " * long + "".join(parts)
    assume(not text.startswith("---"))  # what stands in a header is no word of the note
    turns, reading = read(text)
    kept = sum(turn.text.count("words here") for turn in turns)
    assert kept == text.count("words here")
    assert sum(turn.text.split().count("tea") for turn in turns) >= long - 1
    assert reading.offset == len(text.encode())


@examples(25)
@given(st.binary(max_size=300))
def test_no_bytes_raise(data: bytes) -> None:
    turns, reading = read(data)
    assert reading.offset == len(data)
    assert all(turn.text.encode() for turn in turns)
