"""aider's chat history: prompts, answers, what the program says, and files that grow."""

from __future__ import annotations

import io
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.capture.sources import recognise
from engram.capture.sources.aider import FILE, Aider
from engram.model.ports import SourceReading
from engram.model.turn import Turn
from tests.capture.sources.reader import Noon
from tests.effort import examples

START = "\n# aider chat started at 2026-03-04 09:10:11\n\n> Aider v0.86.1  \n"
LATER = "\n# aider chat started at 2026-03-05 08:00:00\n\n"


def read(
    text: str | bytes, place: str = "", most: int = 1 << 20
) -> tuple[list[Turn], SourceReading]:
    reading = SourceReading(".aider.chat.history", Noon(), path=PurePosixPath(place))
    data = text.encode() if isinstance(text, str) else text
    return list(Aider(most).parse(io.BytesIO(data), reading)), reading


def read_on(data: bytes, before: SourceReading) -> list[Turn]:
    reading = SourceReading(
        before.name, Noon(), before.offset, before.line, dict(before.state), path=before.path
    )
    return list(Aider().parse(io.BytesIO(data), reading))


def said(text: str | bytes) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in read(text)[0]]


def test_prompts_and_answers_are_turns_at_the_time_of_their_session() -> None:
    turns, reading = read(
        START + "\n#### use Postgres  \n#### not SQLite  \n> Added db.py to the chat.  \n\n"
        "Done.\n\nIt has two writers.\n\n> Tokens: 2k sent, 40 received.  \n"
        + LATER
        + "#### thanks  \n\nYou are welcome.\n\n"
    )
    assert [(turn.role, turn.text, turn.time) for turn in turns] == [
        ("user", "use Postgres\nnot SQLite", "2026-03-04T09:10:11Z"),
        ("assistant", "Done.\n\nIt has two writers.", "2026-03-04T09:10:11Z"),
        ("user", "thanks", "2026-03-05T08:00:00Z"),
        ("assistant", "You are welcome.", "2026-03-05T08:00:00Z"),
    ]
    assert len({turn.session for turn in turns}) == 2
    assert (reading.tally.lines, reading.line, reading.tally.unknown) == (21, 21, {})


def test_prompts_with_nothing_between_are_one_turn_and_others_are_not() -> None:
    text = START + "#### one  \n\n#### two  \n> ^C again to exit  \n\n#### three  \n"
    assert said(text) == [("user", "one\ntwo"), ("user", "three")]


def test_what_the_program_says_within_an_answer_does_not_end_it() -> None:
    text = START + "#### go  \n\nFirst.\n\n> Applied edit to a.py  \n\nThen.\n"
    assert said(text) == [("user", "go"), ("assistant", "First.\n\n\nThen.")]


def test_confirmations_commands_and_empty_prompts_are_no_turns() -> None:
    text = (
        START + "#### fix a.py  \n> Add file to the chat?  \n\n"
        "#### Add file to the chat? (Y)es/(N)o/(A)ll [Yes]: all  \n> Added a.py  \n\n"
        "#### <blank>  \n> ^C again to exit  \n\n#### /undo  \n> Removed: abc  \n\n"
        "#### /ask  \n> Aider v0.86.1  \n\n#### why  \n"
    )
    assert said(text) == [("user", "fix a.py"), ("user", "why")]


def test_a_question_behind_a_command_is_taken_once() -> None:
    text = START + "#### /ask how is it\n#### built?\n\n#### how is it\n#### built?\n\nWell.\n"
    assert said(text) == [("user", "how is it\nbuilt?"), ("assistant", "Well.")]


def test_what_stands_behind_a_command_is_no_turn_of_its_own() -> None:
    turns, _ = read(START + "#### /ask why\n\n#### why\n\nSo.\n\n#### go on\n\n#### and on\n")
    assert [(turn.text, turn.queued) for turn in turns] == [
        ("why", True), ("So.", False), ("go on\nand on", False),
    ]  # fmt: skip


def test_a_prompt_that_the_program_makes_of_a_command_is_no_turn() -> None:
    text = START + "#### /help me  \n\n#### These are the docs  \n\nAnswer.\n\n#### ok then  \n"
    assert said(text) == [("assistant", "Answer."), ("user", "ok then")]


def test_headings_and_quotations_of_the_assistant_are_its_own() -> None:
    text = START + "#### plan?  \n\n#### Step 1\n\nBuild.\n\n> a quotation\n\n#### Step 2\n"
    assert said(text) == [
        ("user", "plan?"),
        ("assistant", "#### Step 1\n\nBuild.\n\n> a quotation\n\n#### Step 2"),
    ]


def test_a_file_whose_lines_were_trimmed_is_read_all_the_same() -> None:
    text = "# aider chat started at 2026-03-04 09:10:11\n\n> Aider\n\n#### a\n####\n#### b\n\nOk.\n"
    assert said(text) == [("user", "a\n\nb"), ("assistant", "Ok.")]


def test_reasoning_goes_and_edits_are_elided_with_a_line_for_each_file() -> None:
    turns, _ = read(
        START + "#### go  \n\n<thinking-content-0a1b>\nhm\n#### x\n\n</thinking-content-0a1b>\n\n"
        "<think>\nhm\n</think>\nSee:\n\napp/db.py\n```python\n<<<<<<< SEARCH\nold\n=======\n"
        "new\n>>>>>>> REPLACE\n```\n\n> Applied edit to app/db.py  \n> Running pytest -q  \n"
    )
    assert turns[1].text == "See:\n\napp/db.py\n```python\n…\n```"
    assert turns[1].tools == ("Edit db.py", "Run pytest")


def test_a_block_without_its_end_ends_with_the_next_prompt() -> None:
    text = START + "#### a  \n\nWell\n<<<<<<< SEARCH\nx\n\n#### b  \n\nYes.\n"
    assert said(text)[2:] == [("user", "b"), ("assistant", "Yes.")]


def test_many_tool_calls_are_counted_not_listed() -> None:
    work = "".join(f"> Applied edit to f{number}.py  \n" for number in range(60))
    tools = read(START + "#### a  \n\nWell.\n\n" + work)[0][1].tools
    assert len(tools) == 51 and tools[-1] == "and 10 more"


def test_text_before_any_prompt_is_nobodys() -> None:
    assert said(START + "stray\n\n#### a  \n") == [("user", "a")]


def test_a_session_is_known_again_in_another_file() -> None:
    session = START + "#### yes  \n\nWell.\n\n#### yes  \n"
    first, _ = read(session)
    other, _ = read("# aider chat started at 2026-01-01 00:00:00\n\n#### x  \n" + session)
    assert [turn.message for turn in first] == [turn.message for turn in other[1:]]
    assert len({turn.message for turn in first}) == 3


def test_sessions_of_two_repositories_at_one_second_are_two() -> None:
    one, _ = read(START + "#### one  \n")
    two, _ = read(START + "#### two  \n")
    assert one[0].session != two[0].session


@pytest.mark.parametrize(
    ("place", "line", "project"),
    [
        (f"/w/shop/{FILE}", "", "shop"),
        (f"/w/shop/{FILE}", "> Git working dir: C:\\w\\tea-house  \n", "tea-house"),
        (f"/home/kim/{FILE}", "", ""),
        ("/w/notes/aider.md", "", ""),
        ("", "", ""),
    ],
)
def test_the_project_is_the_repository(place: str, line: str, project: str) -> None:
    assert read(START + line + "#### a  \n", place)[0][0].project == project


def test_without_a_header_the_clock_of_the_first_reading_counts() -> None:
    class Later(Noon):
        def now(self) -> str:
            return "2027-01-01T00:00:00Z"

    head = b"#### a  \n\nb\n"
    turns, reading = read(head)
    assert [turn.time for turn in turns] == ["2026-05-01T12:00:00Z"] * 2
    assert turns[0].session.startswith(".aider.chat.history ")
    reading = SourceReading(reading.name, Later(), reading.offset, reading.line, reading.state)
    more = list(Aider().parse(io.BytesIO(head + b"\n#### c  \n"), reading))
    assert [turn.time for turn in more] == ["2026-05-01T12:00:00Z"]


def test_a_header_with_a_strange_time_begins_a_session() -> None:
    turns, _ = read(START + "#### a  \n# aider chat started at 2026-13-45 99:00:00\n#### b  \n")
    assert len({turn.session for turn in turns}) == 2
    assert turns[1].time == "2026-03-04T09:10:11Z"


def test_a_torn_line_of_the_program_waits_and_other_text_is_taken() -> None:
    whole = (START + "#### use tea  \n\nVery well.").encode()
    turns, reading = read(whole[: whole.index(b"tea")])
    assert turns == []
    assert [turn.text for turn in read_on(whole, reading)] == ["use tea", "Very well."]
    assert [turn.text for turn in read(whole)[0]] == ["use tea", "Very well."]


def test_a_character_cut_in_two_is_read_when_it_is_whole() -> None:
    whole = (START + "#### a  \n\nGrüße\n").encode()
    first, reading = read(whole[: whole.index(b"\xbc")])
    assert first[-1].text + read_on(whole, reading)[0].text == "Grüße"


def test_a_line_that_is_too_long_is_counted_and_passed_over() -> None:
    turns, reading = read(START + "#### a  \n\nWell " + "x" * 500 + "\nYes.\n", most=100)
    assert [turn.text for turn in turns] == ["a", "Yes."]
    assert reading.tally.unparsed_lines == 1


def test_a_very_long_answer_goes_on_as_another_turn() -> None:
    turns, _ = read(START + "#### a  \n\n" + ("word " * 20_000 + "\n") * 25)
    assert [turn.role for turn in turns[1:]] == ["assistant"] * (len(turns) - 1)
    assert len(turns) > 2 and len({turn.message for turn in turns}) == len(turns)
    assert sum(turn.text.count("word") for turn in turns) == 500_000


def test_it_is_looked_for_where_the_environment_says_and_at_home(tmp_path: Path) -> None:
    def found(named: str) -> list[Path]:
        return Aider().discover(tmp_path, {"AIDER_CHAT_HISTORY_FILE": named})

    assert found("") == found("relative.md") == found("~/" + FILE) == [tmp_path / FILE]
    assert found("~/notes/aider.md") == [tmp_path / "notes/aider.md", tmp_path / FILE]
    elsewhere = tmp_path / "elsewhere.md"
    assert found(str(elsewhere)) == [elsewhere, tmp_path / FILE]


def test_it_is_recognised_by_its_first_line() -> None:
    for head in (START, "\ufeff" + START, START.strip()):
        kind = recognise(head.encode(), ".md")
        assert kind is not None and kind.name == "aider"
    quoted = "# Notes\n\n```\n# aider chat started at 2026-03-04 09:10:11\n```\n"
    assert not Aider().recognises(quoted.encode())


_lines = st.sampled_from(
    [
        "#### a prompt  \n", "#### words\n", "####   \n", "#### /ask how  \n", "\n",
        "#### x? (Y)es/(N)o [Yes]: y  \n", "> Tokens  \n", "> Applied edit to a.py  \n",
        "An answer.\n", "Grüße, 茶\r\n", "<thinking-content-1>\n", "</thinking-content-1>\n",
        "<<<<<<< SEARCH\n", ">>>>>>> REPLACE\n", "# Heading\n", "no end",
    ]
)  # fmt: skip


def words(turns: list[Turn]) -> str:
    return "".join("".join(turn.text for turn in turns).split())


@examples(75)
@given(st.lists(_lines, max_size=8), st.lists(_lines, max_size=8), st.data())
def test_reading_in_two_pieces_finds_what_reading_at_once_does(
    parts: list[str], more: list[str], data: st.DataObject
) -> None:
    whole = "".join([START, *parts, LATER, *more]).encode()
    cut = data.draw(st.integers(0, len(whole)))
    once, _ = read(whole)
    first, reading = read(whole[:cut])
    pieces = first + read_on(whole, reading)
    digests, seen = {turn.message for turn in once}, [turn.message for turn in pieces]
    assert digests <= set(seen)
    assert len(set(seen)) == len(seen) <= len(once) + 1, "only a turn that was cut is two"
    assert words(pieces) == words(once)


@examples(40)
@given(st.lists(_lines.map(str.encode) | st.binary(max_size=40), max_size=10))
def test_no_bytes_raise_and_a_second_reading_finds_the_same(parts: list[bytes]) -> None:
    data = b"".join(parts)
    turns, reading = read(data)
    assert turns == read(data)[0]
    assert reading.offset <= len(data)
    assert all(turn.text.strip() for turn in turns)
    for turn in turns:
        (turn.text + turn.session + turn.project + "".join(turn.tools)).encode()
