"""Codex rollouts: events before items, both forms, and reading on at any byte."""

from __future__ import annotations

import io
import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from engram.capture.sources.codex import Codex
from engram.model.ports import SourceReading
from engram.model.turn import Turn
from tests.capture.sources.reader import Noon, said
from tests.effort import examples

NOW = "2026-05-01T12:00:00Z"


def read(data: bytes, most: int | None = None) -> tuple[list[Turn], SourceReading]:
    reading = SourceReading("rollout-name", Noon())
    codex = Codex() if most is None else Codex(most)
    return list(codex.parse(io.BytesIO(data), reading)), reading


def read_on(data: bytes, reading: SourceReading) -> list[Turn]:
    later = SourceReading(reading.name, Noon(), reading.offset, reading.line, dict(reading.state))
    return list(Codex().parse(io.BytesIO(data), later))


def bare(**fields: object) -> bytes:
    return json.dumps(fields, ensure_ascii=False).encode() + b"\n"


def line(kind: str, second: int = 0, /, **payload: object) -> bytes:
    return bare(timestamp=f"2026-03-06T10:00:{second:02d}.5Z", type=kind, payload=payload)


def meta(name: object = "s-1", **more: object) -> bytes:
    return line("session_meta", **{"id": name, "cwd": "/w/tea-shop", "source": "cli", **more})


def event(kind: str, second: int = 0, /, **more: object) -> bytes:
    return line("event_msg", second, **{"type": kind, **more})


def item(kind: str, second: int = 0, /, **more: object) -> bytes:
    return line("response_item", second, **{"type": kind, **more})


def message(role: str, *texts: str) -> dict[str, object]:
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": text} for text in texts]
    return {"type": "message", "role": role, "content": content}


def prompt(text: str, second: int = 0) -> bytes:
    """A prompt as it stands in a log: first the item, then the event."""
    copy = line("response_item", second, **message("user", text))
    return copy + event("user_message", second, message=text)


def answer(text: str, second: int = 0) -> bytes:
    """An answer as it stands in a log: first the event, then the item."""
    copy = line("response_item", second, **message("assistant", text))
    return event("agent_message", second, message=text) + copy


def call(name: str, arguments: object, **more: object) -> bytes:
    return item("function_call", name=name, arguments=json.dumps(arguments), **more)


AGENTS = line("response_item", **message("user", "# AGENTS.md instructions for /w\n\nBe brief."))
NEW_CONTEXT = line("response_item", **message("user", "Nobody typed this."))
HEADER = bare(id="b-1", timestamp="2025-09-10T08:00:00Z", instructions=None, git={})
STATE = bare(record_type="state")


def test_each_text_that_stands_twice_is_one_turn() -> None:
    turns, reading = read(
        meta()
        + event("task_started")
        + line("response_item", **message("developer", "You are"))
        + AGENTS
        + NEW_CONTEXT
        + line("turn_context", cwd="/w/elsewhere")
        + prompt("Sell tea by the gram.\n", 1)
        + item("reasoning", 2)
        + answer("I look at it.", 3)
        + answer("Done.", 4)
        + event("token_count", 5)
        + prompt("Thanks", 6)
        + line("compacted", message="summary")
    )
    assert said(turns) == [
        ("user", "Sell tea by the gram."),
        ("assistant", "I look at it."),
        ("assistant", "Done."),
        ("user", "Thanks"),
    ]
    assert {(turn.session, turn.project) for turn in turns} == {("s-1", "tea-shop")}
    assert turns[0].time == "2026-03-06T10:00:01Z"
    assert not reading.tally.unknown
    assert not reading.tally.unparsed_lines


def test_a_log_without_such_events_is_read_by_its_items() -> None:
    turns, _ = read(
        meta()
        + AGENTS
        + line("response_item", **message("user", "Hello"))
        + event("token_count")
        + line("response_item", **message("assistant", "One", "Two"))
        + line("response_item", **message("user", "<environment_context>x</environment_context>"))
        + line("response_item", **message("user", "Bye"))
    )
    assert said(turns) == [("user", "Hello"), ("assistant", "One\nTwo"), ("user", "Bye")]


def test_the_bare_form_has_neither_envelope_nor_times() -> None:
    context = "<environment_context>\n<cwd>/w/shop</cwd>\n</environment_context>"
    turns, reading = read(
        (
            HEADER
            + STATE
            + bare(**message("user", "<user_instructions>\nx\n</user_instructions>"))
            + bare(**message("user", context))
            + bare(**message("user", "yes\r\nplease"))
            + STATE
            + bare(type="reasoning", summary=[])
            + bare(type="function_call", name="shell", arguments='{"command":["ls","-l"]}')
            + bare(type="function_call_output", output="x")
            + bare(**message("assistant", "Done."))
            + bare(**message("user", "yes\r\nplease"))
        ).replace(b"\n", b"\r\n")
    )
    assert said(turns) == [
        ("user", "yes\r\nplease"),
        ("assistant", "Done."),
        ("user", "yes\r\nplease"),
    ]
    assert {(t.session, t.project, t.time) for t in turns} == {
        ("b-1", "shop", "2025-09-10T08:00:00Z")
    }
    assert len({turn.message for turn in turns}) == 3
    assert turns[1].tools == ("shell ls",)
    assert not reading.tally.unknown


def test_a_reading_between_the_two_copies_waits_for_the_second() -> None:
    whole = meta() + AGENTS + NEW_CONTEXT + prompt("Hello", 1) + answer("Hi", 2)
    once, _ = read(whole)
    for cut in range(len(whole) + 1):
        first, reading = read(whole[:cut])
        assert first + read_on(whole, reading) == once


def test_a_prompt_that_waits_for_its_event_is_said_when_the_model_works_on_it() -> None:
    asked = meta() + line("response_item", **message("user", "Hello"))
    turns, reading = read(asked)
    assert turns == []
    assert reading.offset == len(meta())
    for sign in (item("reasoning"), call("shell", {}), HEADER):
        assert said(read(asked + sign)[0]) == [("user", "Hello")]


def test_prompts_that_wait_are_bounded() -> None:
    many = b"".join(line("response_item", **message("user", f"p{n}")) for n in range(80))
    assert len(read(meta() + many)[0]) == 80
    large = line("response_item", **message("user", "x" * 1_100_000))
    assert len(read(meta() + large)[0]) == 1


def test_a_log_that_goes_on_with_events_says_nothing_twice() -> None:
    whole = (
        meta()
        + line("response_item", **message("user", "old prompt"))
        + line("response_item", **message("assistant", "old answer"))
        + prompt("new prompt", 1)
        + answer("new answer", 2)
        + prompt("new prompt", 3)
    )
    once, _ = read(whole)
    assert [turn.text for turn in once] == [
        "old prompt",
        "old answer",
        "new prompt",
        "new answer",
        "new prompt",
    ]
    for cut in range(0, len(whole), 5):
        first, reading = read(whole[:cut])
        assert [t.message for t in first + read_on(whole, reading)] == [t.message for t in once]


def test_what_the_program_wrote_is_no_prompt() -> None:
    for text in (
        "<environment_context>x</environment_context>",
        "<user_instructions>x</user_instructions>",
        "<permissions instructions>x",
        "# AGENTS.md instructions for /w",
        "<turn_aborted>x</turn_aborted>",
        "<collaboration_mode>x</collaboration_mode>",
        "<skill>\n<name>x</name></skill>",
        "<subagent_notification>x",
        "<user_shell_command>ls</user_shell_command>",
        "<skills_instructions>x",
        "<INSTRUCTIONS>x",
        "<engram-memory>x</engram-memory>",
        " \n",
    ):
        assert read(meta() + event("user_message", message=text))[0] == [], text
        items = line("response_item", **message("user", text)) + item("reasoning")
        assert read(meta() + items)[0] == [], text
    assert read(meta() + event("user_message", message="x", kind="environment_context"))[0] == []
    assert len(read(meta() + event("user_message", message="x", kind="plain"))[0]) == 1


def test_words_beside_injected_text_or_a_picture_are_kept() -> None:
    blocks = ("<environment_context>x</environment_context>", "<image name=a>", "</image>", "Why?")
    data = meta() + line("response_item", **message("user", *blocks)) + item("reasoning")
    assert said(read(data)[0]) == [("user", "Why?")]
    ide = (
        "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nFix it"
    )
    assert said(read(meta() + event("user_message", message=ide))[0]) == [("user", "Fix it")]


def test_commands_are_lines_on_the_answer_they_follow_each_once() -> None:
    patch = "*** Begin Patch\n*** Update File: src/tea.py\n@@\n-a\n+b\n*** End Patch"
    turns, reading = read(
        meta()
        + prompt("go", 1)
        + call("update_plan", {"plan": []}, call_id="c0")
        + answer("I look.", 2)
        + call("shell", {"command": ["bash", "-lc", "rg -n tea src"]}, call_id="c1")
        + event("exec_command_end", call_id="c1", command=["bash", "-lc", "rg -n tea src"])
        + item("function_call_output", call_id="c1", output="x")
        + call("exec_command", {"cmd": "sed -n 1p a"}, call_id="c2")
        + item("custom_tool_call", name="apply_patch", input=patch, call_id="c3")
        + event("patch_apply_end", call_id="c3", changes={})
        + item("custom_tool_call_output", call_id="c3", output="x")
        + item("local_shell_call", action={"type": "exec", "command": ["git", "status"]})
        + item("web_search_call", action={"type": "search", "query": "green tea"})
        + item("function_call", name="odd", arguments="{not json")
        + item("function_call", name=None, arguments="[]")
        + answer("Done.", 3)
        + event("turn_aborted")
    )
    assert [turn.tools for turn in turns] == [
        (),
        (
            "update_plan",
            "shell rg",
            "exec_command sed",
            "apply_patch tea.py",
            "local_shell git",
            "web_search green tea",
            "odd",
        ),
        (),
    ]
    assert not reading.tally.unknown


def test_many_commands_are_shown_in_part() -> None:
    turns, _ = read(meta() + answer("Go.", 1) + call("shell", {"command": "ls"}) * 70)
    assert len(turns[0].tools) == 51
    assert turns[0].tools[-1] == "and 20 more"


def test_the_first_header_names_the_session_also_of_a_fork() -> None:
    turns, _ = read(meta("mine") + meta("parent", cwd="/w/other") + prompt("Hello"))
    assert (turns[0].session, turns[0].project) == ("mine", "tea-shop")
    turns, _ = read(line("session_meta", session_id="only", cwd="C:\\w\\shop\\") + prompt("Hello"))
    assert (turns[0].session, turns[0].project) == ("only", "shop")
    turns, _ = read(line("turn_context", cwd="/w/late") + prompt("Hello"))
    assert (turns[0].session, turns[0].project) == ("rollout-name", "late")


def test_the_prompts_of_a_sub_agent_are_no_turns() -> None:
    for more in (
        {"source": {"subagent": {"thread_spawn": {"depth": 1}}}},
        {"source": {"subagent": "review"}},
        {"source": {"internal": "memory_consolidation"}},
        {"thread_source": "subagent"},
    ):
        data = meta("child", **more) + meta("parent") + prompt("Review it") + answer("Fine.", 1)
        assert said(read(data)[0]) == [("assistant", "Fine.")]
        first, reading = read(meta("child", **more))
        assert first == []
        assert said(read_on(data, reading)) == [("assistant", "Fine.")]
    assert len(read(meta(source={"custom": "editor"}) + prompt("Hello"))[0]) == 1


def test_the_prompts_of_a_session_that_a_script_drives_are_a_programs() -> None:
    for source, program in (("cli", False), ("vscode", False), ("exec", True), ("mcp", True)):
        data = meta("s", source=source) + prompt("Check it") + answer("Done.", 1)
        assert [turn.program for turn in read(data)[0]] == [program, False]
        first, reading = read(meta("s", source=source))
        assert first == [] and read_on(data, reading)[0].program == program


def test_a_missing_time_is_the_last_known_one_the_headers_or_the_first_captures() -> None:
    untimed = bare(type="event_msg", payload={"type": "user_message", "message": "a"})
    assert read(untimed)[0][0].time == NOW
    assert read(meta() + untimed)[0][0].time == "2026-03-06T10:00:00Z"
    assert read(prompt("x", 7) + untimed)[0][-1].time == "2026-03-06T10:00:07Z"
    assert read(HEADER + bare(**message("user", "a")))[0][0].time == "2025-09-10T08:00:00Z"
    _, reading = read(untimed)
    assert reading.state["time"] == NOW


def test_unknown_types_are_counted_and_known_ones_are_silent() -> None:
    _, reading = read(
        line("new_kind")
        + item("new_item")
        + event("new_event")
        + event("user_message", message=5)
        + item("message", role="wizard", content="x")
        + bare(type="event_msg", payload=[1])
        + bare(type=["event_msg"])
        + bare(type="event_msg", payload={"type": {}})
        + bare(nothing=1)
        + event("exec_command_end")
        + item("ghost_snapshot")
        + line("world_state")
    )
    assert reading.tally.unknown == {
        "new_kind": 1,
        "new_item": 1,
        "new_event": 1,
        "user_message without text": 1,
        "message of wizard": 1,
        "event_msg": 1,
        "(none)": 3,
    }


def test_a_line_beyond_the_limit_and_torn_lines_are_counted() -> None:
    data = b"\xef\xbb\xbf" + prompt("one") + b"\0\0" + prompt("x" * 9000, 1) + b"[" * 9000 + b"\n"
    turns, reading = read(data + prompt("two", 2) + b'{"type":"event', most=4000)
    assert [turn.text for turn in turns] == ["one", "two"]
    assert reading.tally.unparsed_lines == 3


def test_recognised_by_its_envelope_or_its_bare_first_line() -> None:
    codex = Codex()
    assert codex.recognises(meta())
    assert codex.recognises(prompt("x"))
    assert codex.recognises(HEADER + STATE)
    assert codex.recognises(meta(base_instructions="x" * 9000)[:4000])
    assert codex.recognises(bare(id="b", timestamp="t", instructions="x" * 9000)[:4000])
    assert not codex.recognises(b'{"type":"user.message","data":{"content":"x"},"id":"1"}\n')
    assert not codex.recognises(b'{"type":"message","id":"1","message":{"role":"user"}}\n')
    assert not codex.recognises(b'{"id":"1","timestamp":"t","role":"user","content":"x"}\n')
    assert not codex.recognises(b"# A note\n")
    assert not codex.recognises(b"")


def test_the_home_of_codex_is_where_the_environment_says() -> None:
    codex, home = Codex(), Path("/home/kim")
    assert codex.discover(home, {}) == [
        home / ".codex" / "sessions",
        home / ".codex" / "archived_sessions",
    ]
    assert codex.discover(home, {"CODEX_HOME": "/cfg"})[0] == Path("/cfg/sessions")


_words = st.sampled_from(["yes", "no", "# AGENTS.md instructions", "a\r\nb", "é", ""])
_seconds = st.integers(0, 59)
_enveloped = st.one_of(
    st.builds(prompt, _words, _seconds),
    st.builds(answer, _words, _seconds),
    st.builds(lambda text: line("response_item", **message("user", text)), _words),
    st.builds(lambda text: line("response_item", **message("assistant", text)), _words),
    st.builds(lambda text: event("user_message", message=text), _words),
    st.sampled_from([meta(), meta("s-2"), AGENTS, item("reasoning"), call("shell", {})]),
)
_bare = st.one_of(
    st.builds(lambda text: bare(**message("user", text)), _words),
    st.builds(lambda text: bare(**message("assistant", text)), _words),
    st.sampled_from([STATE, bare(type="reasoning"), b"\r\n", b"{torn\n"]),
)


@examples(50)
@given(
    st.one_of(
        st.lists(_enveloped, max_size=7).map(lambda parts: [meta(), *parts]),
        st.lists(_bare, max_size=7).map(lambda parts: [HEADER, *parts]),
        st.lists(st.one_of(_enveloped, _bare), max_size=7),
    ),
    st.data(),
)
def test_reading_in_two_pieces_finds_what_reading_at_once_does(
    parts: list[bytes], data: st.DataObject
) -> None:
    whole = b"".join(parts)
    once, _ = read(whole)
    first, reading = read(whole[: data.draw(st.integers(0, len(whole)))])
    pieces = first + read_on(whole, reading)
    assert [turn.message for turn in pieces] == [turn.message for turn in once]
    assert said(pieces) == said(once)


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)
_strange = st.dictionaries(
    st.sampled_from(["type", "payload", "timestamp", "id", "role", "content", "git", "source"]),
    st.sampled_from(["message", "response_item", "event_msg", "session_meta", "user"])
    | _json
    | st.dictionaries(
        st.sampled_from(["type", "role", "content", "message", "arguments", "action", "name"]),
        st.sampled_from(["message", "user", "user_message", "function_call"]) | _json,
    ),
)


@examples(50)
@given(
    st.lists(
        st.one_of(_strange.map(lambda o: json.dumps(o).encode() + b"\n"), st.binary(max_size=40)),
        max_size=6,
    )
)
def test_nothing_in_a_file_raises_and_every_turn_can_be_written(parts: list[bytes]) -> None:
    data = b"".join(parts)
    turns, reading = read(data)
    Codex().recognises(data)
    for turn in turns:
        assert turn.text.strip()
        (turn.text + turn.session + turn.project + "".join(turn.tools)).encode("utf-8")
    assert reading.offset <= len(data)
