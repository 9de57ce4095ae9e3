"""Exports of Claude.ai: words of messages, branches, artifacts, memories, archives."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.capture.sources import recognise
from engram.capture.sources.claude_ai import ClaudeAi
from engram.model.errors import BadInput
from engram.model.ports import SourceReading
from engram.model.turn import Turn
from tests.capture.sources.reader import Noon
from tests.effort import examples

NOON = "2026-05-01T12:00:00Z"


def packed(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as whole:
        for name, data in members.items():
            whole.writestr(name, data)
    return out.getvalue()


def read(data: bytes, name: str = "conversations.json") -> tuple[list[Turn], SourceReading]:
    reading = SourceReading(PurePath(name).stem, Noon(), path=PurePath("/exports", name))
    return list(ClaudeAi(1_000_000).parse(io.BytesIO(data), reading)), reading


def written(value: object) -> bytes:
    return json.dumps(value).encode()


def message(uuid: str, sender: str, text: str = "", **more: object) -> dict[str, object]:
    time = "2026-03-06T10:00:00.5Z"
    return {"uuid": uuid, "sender": sender, "text": text, "created_at": time, **more}


def conversation(*messages: object, **more: object) -> dict[str, object]:
    return {
        "uuid": "c1", "name": "Tea", "created_at": "2026-03-06T09:00:00Z",
        "chat_messages": list(messages), **more,
    }  # fmt: skip


def block(kind: str, **more: object) -> dict[str, object]:
    return {"type": kind, **more}


def answer(text: str, *blocks: object) -> Turn:
    content = [*blocks] if blocks else []
    turns, _ = read(written([conversation(message("m", "assistant", text, content=content))]))
    assert len(turns) == 1
    return turns[0]


def test_a_conversation_becomes_turns_with_session_title_and_time() -> None:
    turns, reading = read(
        written(
            [conversation(message("a", "human", " Which tea? "), message("b", "assistant", "G"))]
        )
    )
    assert [(t.session, t.role, t.text, t.time, t.title, t.project) for t in turns] == [
        ("c1", "user", "Which tea?", "2026-03-06T10:00:00Z", "Tea", ""),
        ("c1", "assistant", "G", "2026-03-06T10:00:00Z", "Tea", ""),
    ]
    assert reading.tally.lines == 1


def test_text_blocks_come_before_the_flat_text() -> None:
    turn = answer(
        "flat",
        block("thinking", thinking="Hm."),
        block("text", text="One."),
        block("text", text=" "),
        block("tool_use", name="web_search", input={"query": "green tea"}),
        block("tool_result", content=[{"type": "text", "text": "result"}]),
        block("text", text="Two."),
    )
    assert turn.text == "One.\nTwo."
    assert turn.tools == ("web_search green tea",)


def test_without_text_blocks_the_flat_text_is_taken() -> None:
    assert answer("flat").text == "flat"
    assert answer("flat", block("thinking", thinking="Hm.")).text == "flat"


def test_a_notice_in_place_of_a_block_is_no_text() -> None:
    notice = "```\nThis block is not supported on your current device yet.\n```"
    turns, _ = read(written([conversation(message("a", "assistant", notice))]))
    assert turns == []
    assert answer(f"Before.\n{notice}\nAfter.").text == "Before.\n\nAfter."


def test_a_call_without_words_goes_to_the_answer_that_follows() -> None:
    call = message("a", "assistant", content=[block("tool_use", name="repl", input={})])
    turns, _ = read(written([conversation(call, message("b", "assistant", "Done."))]))
    assert [(turn.text, turn.tools) for turn in turns] == [("Done.", ("repl",))]


def test_the_body_of_an_artifact_is_cut_and_its_title_stays_as_a_line() -> None:
    turn = answer(
        "<antThinking>A list.</antThinking>Here:\n"
        '<antArtifact identifier="x" type="text/markdown" title="Tea > list">\n# Green\n'
        "</antArtifact>\nEnjoy."
    )
    assert turn.text == "Here:\n\nEnjoy."
    assert turn.tools == ("Artifact Tea > list",)
    assert answer('Torn <antArtifact title="T">body').text == "Torn"
    assert answer('Torn <antArtifact title="T').text == "Torn"
    alone = answer('<antArtifact title="T">body</antArtifact>')
    assert (alone.text, alone.tools) == ("T", ("Artifact T",))
    called = answer("x", block("text", text="y"),
                    block("tool_use", name="artifacts", input={"command": "create", "title": "T",
                                                               "content": "body"}))  # fmt: skip
    assert called.tools == ("Artifact T",)


def test_a_person_may_write_about_artifacts() -> None:
    text = "Why is <antArtifact> there?"
    assert read(written([conversation(message("a", "human", text))]))[0][0].text == text


def test_attachments_are_no_words() -> None:
    pasted = {"attachments": [{"file_name": "a.txt", "extracted_content": "long"}], "files": []}
    assert read(written([conversation(message("a", "human", "", **pasted))]))[0] == []


def branched(**more: object) -> dict[str, object]:
    def at(uuid: str, above: str, sender: str) -> dict[str, object]:
        return message(uuid, sender, uuid, parent_message_uuid=above)

    nobody = "00000000-0000-4000-8000-000000000000"
    return conversation(
        at("q", nobody, "human"), at("old", "q", "assistant"), at("new", "q", "assistant"),
        at("more", "new", "human"), **more,
    )  # fmt: skip


def test_the_current_branch_is_taken_where_it_is_known() -> None:
    def texts(talk: dict[str, object]) -> list[str]:
        return [turn.text for turn in read(written(talk))[0]]

    assert texts(branched(current_leaf_message_uuid="more")) == ["q", "new", "more"]
    assert texts(branched(current_leaf_message_uuid="old")) == ["q", "old"]
    assert texts(branched()) == ["q", "old", "new", "more"]
    assert texts(branched(current_leaf_message_uuid="gone")) == ["q", "old", "new", "more"]


def test_branches_are_in_order_of_time_where_the_current_one_is_not_known() -> None:
    def at(uuid: str, minute: int | None, sender: str) -> dict[str, object]:
        time = None if minute is None else f"2026-03-06T10:{minute:02d}:00Z"
        return message(uuid, sender, uuid, created_at=time)

    talk = conversation(
        at("again", 37, "human"), at("better", 38, "assistant"), at("(more)", None, "assistant"),
        at("first", 28, "human"), at("answer", 28, "assistant"), at("thanks", 40, "human"),
    )  # fmt: skip
    turns, _ = read(written(talk))
    said = [turn.text for turn in turns]
    assert said == ["first", "answer", "again", "better", "(more)", "thanks"]
    assert [turn.time for turn in turns] == sorted(turn.time for turn in turns)


def test_a_circle_ends() -> None:
    talk = conversation(
        message("a", "human", "x", parent_message_uuid="b"),
        message("b", "assistant", "y", parent_message_uuid="a"),
        current_leaf_message_uuid="b",
    )
    assert [turn.text for turn in read(written(talk))[0]] == ["x", "y"]


def test_unknown_senders_and_blocks_are_counted() -> None:
    strange = message("b", "assistant", "x", content=[block("hologram"), 7])
    turns, reading = read(written([conversation(message("a", "system", "x"), strange, 3)]))
    assert [turn.text for turn in turns] == ["x"]
    assert reading.tally.unknown == {"system": 1, "hologram": 1, "(none)": 1}


def test_times_fall_back_to_neighbours_then_to_the_conversation() -> None:
    def at(time: object) -> dict[str, object]:
        return {"uuid": f"m{time}", "sender": "human", "text": "x", "created_at": time}

    turns, _ = read(written([conversation(at(None), at("2026-03-06T10:00:00+01:00"), at("soon"))]))
    assert [turn.time for turn in turns] == ["2026-03-06T09:00:00Z"] * 3
    assert read(written([conversation(at(None))]))[0][0].time == "2026-03-06T09:00:00Z"
    assert read(written([conversation(at(None), created_at=None)]))[0][0].time == NOON


def test_an_id_that_comes_twice_hides_no_words() -> None:
    turns, _ = read(written([conversation(message("a", "human", "x"), message("a", "human", "y"))]))
    assert len({turn.message for turn in turns}) == 2


def test_the_name_of_a_project_is_taken_where_a_conversation_has_it() -> None:
    talk = conversation(message("a", "human", "x"), project={"uuid": "p", "name": "Tea Shop"})
    assert read(written([talk]))[0][0].project == "Tea Shop"


MEMORY = {
    "conversations_memory": "**Work**\n\nKim sells tea.",
    "project_memories": {"p1": "The shop opens in May.", "p2": 7},
    "memory_files": [
        {"path": "/me.md", "content": "Likes green tea.", "updated_at": "2026-03-06T10:00:00Z"}
    ],
    "account_uuid": "x",
}


@pytest.mark.parametrize("document", [MEMORY, [MEMORY]])
def test_what_is_remembered_is_a_turn_each(document: object) -> None:
    turns, reading = read(written(document), "memories.json")
    assert [(t.session, t.role, t.text, t.time, t.title) for t in turns] == [
        ("memories", "user", "**Work**\n\nKim sells tea.", NOON, "Saved memories"),
        ("memories", "user", "The shop opens in May.", NOON, "Saved memories"),
        ("memories", "user", "Likes green tea.", "2026-03-06T10:00:00Z", "Saved memories"),
    ]
    assert not reading.tally.unknown


PROJECT = {"uuid": "p1", "name": "Tea Shop", "prompt_template": "Be kind.", "docs": []}


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("projects.json", [PROJECT]),
        ("p1.json", PROJECT),
        ("users.json", [{"uuid": "x", "full_name": "Kim", "email_address": "kim@example.org"}]),
        ("manifest-1.json", {"files": [{"url": "https://example.org/conversations-000.zip"}]}),
    ],
)
def test_other_files_of_the_export_say_nothing(name: str, document: object) -> None:
    turns, reading = read(written(document), name)
    assert turns == []
    assert not reading.tally.unknown
    assert not reading.tally.unparsed_lines


def test_an_archive_gives_conversations_and_memories_with_the_names_of_projects() -> None:
    data = packed(
        {
            "memories.json": written([MEMORY]),
            "conversations.json": written([conversation(message("a", "human", "x"))]),
            "projects/p1.json": written(PROJECT),
            "users.json": written([{"uuid": "x", "full_name": "Kim"}]),
        }
    )
    turns, _ = read(data, "data.zip")
    assert [(turn.text, turn.project) for turn in turns] == [
        ("x", ""), ("**Work**\n\nKim sells tea.", ""), ("The shop opens in May.", "Tea Shop"),
        ("Likes green tea.", ""),
    ]  # fmt: skip
    assert recognise(data, ".zip").name == "claude-ai"  # type: ignore[union-attr]


def test_an_archive_of_projects_alone_says_nothing() -> None:
    turns, reading = read(packed({"projects/p1.json": written(PROJECT)}), "projects-000.zip")
    assert turns == []
    assert not reading.tally.unknown


def test_recognised_by_its_first_conversation_cut_or_whole() -> None:
    talk = conversation(message("a", "human", "x" * 500))
    for data in (written([talk]), written(talk), json.dumps([talk], indent=2).encode()):
        for cut in (130, 300, len(data)):
            assert ClaudeAi().recognises(data[:cut])
            assert recognise(data[:cut], ".json").name == "claude-ai"  # type: ignore[union-attr]
    assert ClaudeAi().recognises(written([MEMORY]))
    assert ClaudeAi().recognises(packed({"users.json": written([{"uuid": "x", "full_name": "K"}])}))
    assert not ClaudeAi().recognises(written([{"uuid": "x", "mapping": {}}]))
    assert not ClaudeAi().recognises(packed({"conversations.json": written([{"mapping": {}}])}))


_junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["chat_messages", "content", "text", "sender", "uuid", "parent_message_uuid",
                 "created_at", "type", "name", "input", "project_memories", "memory_files"]
            ),
            inner | st.sampled_from(["human", "assistant", "text", "tool_use", "<antArtifact x"]),
            max_size=5,
        )
    ),
    max_leaves=20,
)  # fmt: skip


@examples(50)
@given(_junk)
def test_no_document_raises(document: object) -> None:
    talk = conversation(document, uuid=document, current_leaf_message_uuid="a")
    data = json.dumps([document, talk]).encode()
    turns, _ = read(data)
    assert [t.message for t in read(data)[0]] == [t.message for t in turns]
    for turn in turns:
        turn.text.encode()


@examples(25)
@given(st.binary(max_size=200))
def test_no_bytes_raise(data: bytes) -> None:
    ClaudeAi().recognises(data)
    try:
        read(data)
    except BadInput:
        assert data.startswith(b"PK")
