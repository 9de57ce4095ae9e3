"""Exports of ChatGPT: the current way through the tree, who spoke, saved memories, archives."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.capture.sources import recognise
from engram.capture.sources.chatgpt import ChatGpt
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


def read(
    data: bytes, name: str = "conversations.json", most: int = 1_000_000
) -> tuple[list[Turn], SourceReading]:
    reading = SourceReading(PurePath(name).stem, Noon(), path=PurePath("/exports", name))
    return list(ChatGpt(most).parse(io.BytesIO(data), reading)), reading


def written(value: object) -> bytes:
    return json.dumps(value).encode()


def message(role: str, text: object, **more: object) -> dict[str, object]:
    content = text if isinstance(text, dict) else {"content_type": "text", "parts": [text]}
    return {"author": {"role": role}, "content": content, **more}


def conversation(*messages: object, **more: object) -> dict[str, object]:
    """A conversation without branches; the nodes are n0, n1, ..."""
    mapping: dict[str, object] = {"root": {"id": "root", "message": None, "parent": None}}
    above = "root"
    for number, one in enumerate(messages):
        mapping[f"n{number}"] = {"id": f"n{number}", "message": one, "parent": above}
        above = f"n{number}"
    return {
        "title": "Tea", "create_time": 1_772_787_600.5, "mapping": mapping, "current_node": above,
        "conversation_id": "c1", **more,
    }  # fmt: skip


def texts(turns: list[Turn]) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in turns]


def test_a_conversation_becomes_turns_with_session_title_and_time() -> None:
    turns, reading = read(
        written(
            [
                conversation(
                    message("user", " Which tea? ", create_time=1_772_791_200.9),
                    message("assistant", "Green.", create_time=1_772_791_201.0, recipient="all"),
                )
            ]
        )
    )
    assert [(t.session, t.role, t.text, t.time, t.title, t.project) for t in turns] == [
        ("c1", "user", "Which tea?", "2026-03-06T10:00:00Z", "Tea", ""),
        ("c1", "assistant", "Green.", "2026-03-06T10:00:01Z", "Tea", ""),
    ]
    assert reading.tally.lines == 1
    assert (reading.offset, reading.line) == (0, 0)


def test_an_edited_branch_is_left_out() -> None:
    talk = conversation(message("user", "old"), message("assistant", "old answer"))
    mapping = talk["mapping"]
    assert isinstance(mapping, dict)
    mapping["e0"] = {"message": message("user", "new"), "parent": "root", "children": ["e1"]}
    mapping["e1"] = {"message": message("assistant", "new answer"), "parent": "e0"}
    assert texts(read(written([{**talk, "current_node": "e1"}]))[0]) == [
        ("user", "new"), ("assistant", "new answer"),
    ]  # fmt: skip
    assert [t for _, t in texts(read(written([talk]))[0])] == ["old", "old answer"]


@pytest.mark.parametrize("current", [None, "gone", 7, ["n1"]])
def test_without_its_current_node_the_way_begins_at_the_last_end_of_the_tree(
    current: object,
) -> None:
    talk = conversation(message("user", "a"), message("assistant", "b"), current_node=current)
    assert texts(read(written([talk]))[0]) == [("user", "a"), ("assistant", "b")]


def test_a_tree_without_an_end_has_no_way_through_it() -> None:
    mapping = {"a": {"message": message("user", "x"), "parent": "gone", "children": ["gone too"]}}
    assert read(written([{"mapping": mapping, "current_node": "nowhere"}]))[0] == []


def test_a_circle_ends() -> None:
    mapping = {
        "a": {"message": message("user", "x"), "parent": "b", "children": ["b"]},
        "b": {"message": message("assistant", "y"), "parent": "a", "children": ["a"]},
    }
    talk = {"id": "c", "mapping": mapping, "current_node": "b"}
    assert texts(read(written(talk))[0]) == [("user", "x"), ("assistant", "y")]


def test_what_nobody_said_is_no_turn() -> None:
    hidden = {"metadata": {"is_visually_hidden_from_conversation": True}}
    turns, reading = read(
        written(
            [
                conversation(
                    message("system", "You are"),
                    message("user", "secret instructions", **hidden),
                    message("user", {"content_type": "user_editable_context", "user_profile": "x"}),
                    message("assistant", {"content_type": "thoughts", "thoughts": []}),
                    message("assistant", {"content_type": "code", "text": "1+1"}),
                    message("tool", {"content_type": "execution_output", "text": "2"}),
                    message("user", "  "),
                    message("user", "<engram-memory>Known: x.</engram-memory>"),
                    message("user", {"content_type": "hologram"}),
                    message("wizard", "x"),
                    message("user", "Hello"),
                )
            ]
        )
    )
    assert texts(turns) == [("user", "Hello")]
    assert reading.tally.unknown == {"hologram": 1, "wizard": 1}


def test_calls_of_tools_are_lines_on_the_answer_beside_them() -> None:
    turns, _ = read(
        written(
            [
                conversation(
                    message("user", "Plot it"),
                    message("assistant", "import x", recipient="python"),
                    message("assistant", "Kim likes green tea.", recipient="bio"),
                    message("assistant", "Here it is.", recipient="all"),
                    message("assistant", "search(x)", recipient="web.run"),
                    message("assistant", "And more."),
                    message("user", "Thanks"),
                    message("assistant", "Welcome."),
                )
            ]
        )
    )
    assert [(t.text, t.tools) for t in turns] == [
        ("Plot it", ()), ("Here it is.", ("python", "bio", "web.run")), ("And more.", ()),
        ("Thanks", ()), ("Welcome.", ()),
    ]  # fmt: skip


def test_many_calls_are_a_number() -> None:
    calls = [message("assistant", "x", recipient=f"tool{n}") for n in range(60)]
    turns, _ = read(written([conversation(message("assistant", "Done."), *calls)]))
    assert len(turns[0].tools) == 51
    assert turns[0].tools[-1] == "and 10 more"


def test_of_parts_the_words_are_kept_those_spoken_aloud_too() -> None:
    parts = [
        {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}, "Look", None,
        {"content_type": "audio_transcription", "text": "and listen", "direction": "in"}, 7,
    ]  # fmt: skip
    content = {"content_type": "multimodal_text", "parts": parts}
    assert texts(read(written([conversation(message("user", content))]))[0]) == [
        ("user", "Look\nand listen")
    ]


def test_a_message_without_time_has_its_neighbours() -> None:
    def at(time: object) -> dict[str, object]:
        return message("user", f"at {time}", create_time=time)

    turns, _ = read(written([conversation(at(None), at(1_772_791_200), at(0), at(float("nan")))]))
    assert {turn.time for turn in turns} == {"2026-03-06T10:00:00Z"}
    turns, _ = read(written([conversation(at(None), at("soon"), at(10**400))]))
    assert {turn.time for turn in turns} == {"2026-03-06T09:00:00Z"}


def test_without_any_time_the_first_capture_counts_for_ever() -> None:
    talk = written([conversation(message("user", "x"), create_time=None)])
    turns, reading = read(talk)
    assert turns[0].time == NOON

    class Later:
        def now(self) -> str:
            return "2027-01-01T00:00:00Z"

    again = SourceReading("conversations", Later(), state=dict(reading.state))
    assert list(ChatGpt().parse(io.BytesIO(talk), again)) == turns


def test_messages_are_named_by_conversation_and_node_not_by_file_or_words() -> None:
    one = written([conversation(message("user", "yes"), message("assistant", "ok"))])
    two = written(conversation(message("user", "yes"), message("assistant", "ok, edited")))
    first, second = read(one)[0], read(two, "other.json")[0]
    assert [turn.message for turn in first] == [turn.message for turn in second]
    other = read(written([conversation(message("user", "yes"), conversation_id="c2")]))[0]
    assert other[0].message != first[0].message


def test_conversations_without_ids_lose_no_words() -> None:
    talks = [
        conversation(message("user", text), conversation_id=None, create_time=time)
        for text, time in (("a", 1), ("b", 1), ("a", 2))
    ]
    turns, _ = read(written(talks))
    assert len({turn.message for turn in turns}) == 3
    assert {turn.session for turn in turns} == {"conversations"}
    assert [t.message for t in read(written(talks))[0]] == [t.message for t in turns]


MEMORIES = [
    "Likes green tea.",
    {"id": "m1", "content": "Works at Acme.", "created_at": "2026-03-06T10:00:00Z"},
    {"id": "m2", "memory": "Has two cats.", "create_time": 1_772_791_201},
    {"id": "m3"}, 7,
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("memories.json", MEMORIES),
        ("memory.json", {"memories": MEMORIES}),
        ("user.json", {"id": "user-1", "email": "kim@example.org", "memory": MEMORIES}),
    ],
)
def test_saved_memories_are_a_turn_each(name: str, document: object) -> None:
    turns, reading = read(written(document), name)
    assert [(t.session, t.role, t.text, t.time, t.title) for t in turns] == [
        ("memories", "user", "Likes green tea.", NOON, "Saved memories"),
        ("memories", "user", "Works at Acme.", "2026-03-06T10:00:00Z", "Saved memories"),
        ("memories", "user", "Has two cats.", "2026-03-06T10:00:01Z", "Saved memories"),
    ]
    assert not reading.tally.unknown


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("user.json", {"id": "user-1", "email": "kim@example.org", "chatgpt_plus_user": True}),
        ("message_feedback.json", [{"id": "f", "rating": "thumbs_up", "content": "{}"}]),
        ("shared_conversations.json", [{"id": "s", "conversation_id": "c1", "title": "Tea"}]),
        ("model_comparisons.json", []),
        ("export_manifest.json", {"files": ["conversations-000.json"]}),
    ],
)
def test_other_files_of_the_export_say_nothing(name: str, document: object) -> None:
    turns, reading = read(written(document), name)
    assert turns == []
    assert not reading.tally.unknown
    assert not reading.tally.unparsed_lines


def test_a_strange_element_among_conversations_is_counted() -> None:
    turns, reading = read(written([{"uuid": "x", "chat_messages": []}, 3, None]))
    assert turns == []
    assert reading.tally.unknown == {"conversation without messages": 3}


def test_numbered_parts_and_memories_are_read_from_the_archive() -> None:
    parts = {
        f"conversations-00{n}.json": written(
            [conversation(message("user", f"part {n}"), conversation_id=f"c{n}")]
        )
        for n in (1, 0)
    }
    data = packed({**parts, "chat.html": b"<html>", "memories.json": written(["Likes tea."])})
    turns, _ = read(data, "export.zip")
    assert [turn.text for turn in turns] == ["part 0", "part 1", "Likes tea."]
    assert recognise(data, ".zip").name == "chatgpt"  # type: ignore[union-attr]


def test_a_hopeless_archive_is_refused() -> None:
    with pytest.raises(BadInput):
        read(b"PK\x03\x04 torn", "export.zip")


def test_recognised_by_its_first_conversation_cut_or_whole() -> None:
    talk = conversation(message("user", "x" * 500), message("assistant", "y"))
    for data in (written([talk, talk]), written(talk), json.dumps([talk], indent=2).encode()):
        for cut in (150, 400, len(data)):
            assert ChatGpt().recognises(data[:cut])
            assert recognise(data[:cut], ".json").name == "chatgpt"  # type: ignore[union-attr]
        archived = packed({"conversations.json": data})
        assert ChatGpt().recognises(archived)
    assert not ChatGpt().recognises(written([{"uuid": "x", "chat_messages": []}]))
    assert not ChatGpt().recognises(written({"role": "user", "content": '"mapping": {'}))
    assert not ChatGpt().recognises(written({"mapping": {}, "version": 3}))
    assert not ChatGpt().recognises(packed({"notes.json": written([talk])}))


_junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["mapping", "message", "author", "role", "content", "content_type", "parts",
                 "parent", "children", "current_node", "id", "create_time", "metadata", "recipient",
                 "a", "b", "memories"]
            ),
            inner | st.sampled_from(["user", "assistant", "text", "a", "b"]),
            max_size=5,
        )
    ),
    max_leaves=20,
)  # fmt: skip


@examples(50)
@given(_junk)
def test_no_document_raises(document: object) -> None:
    read(json.dumps([document]).encode())
    mapping = {"a": document, "b": {"message": document, "parent": "a"}}
    data = json.dumps([{"mapping": mapping, "current_node": "b", "id": document}]).encode()
    turns, _ = read(data)
    assert [t.message for t in read(data)[0]] == [t.message for t in turns]
    for turn in turns:
        turn.text.encode()


@examples(25)
@given(st.binary(max_size=200))
def test_no_bytes_raise(data: bytes) -> None:
    ChatGpt().recognises(data)
    try:
        _, reading = read(data)
        assert reading.offset == 0
    except BadInput:
        assert data.startswith(b"PK")


@examples(15)
@given(st.lists(st.sampled_from(["yes", "no", "Ünd 😀"]), max_size=6), st.data())
def test_a_torn_file_gives_some_of_the_messages_of_the_whole(
    words: list[str], data: st.DataObject
) -> None:
    talks = [
        conversation(message("user", one), message("assistant", one), conversation_id=f"c{number}")
        for number, one in enumerate(words)
    ]
    whole = json.dumps(talks, indent=data.draw(st.sampled_from([None, 2]))).encode()
    once = [turn.message for turn in read(whole)[0]]
    torn = [turn.message for turn in read(whole[: data.draw(st.integers(0, len(whole)))])[0]]
    assert torn == once[: len(torn)]
    assert len(once) == len(set(once)) == 2 * len(words)
