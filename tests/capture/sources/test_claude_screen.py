"""Passing over lines without decoding them: right when sure, decoded when not."""

from __future__ import annotations

import io
import json

from hypothesis import given
from hypothesis import strategies as st

from engram.capture.sources.claude_code import ClaudeCode
from engram.capture.sources.claude_code.screen import silent
from engram.model.ports import SourceReading
from tests.capture.sources.reader import Noon
from tests.effort import examples


def compact(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def user(*blocks: object, **more: object) -> bytes:
    message = {"role": "user", "content": list(blocks)}
    return compact({"isSidechain": False, "type": "user", "message": message, "uuid": "u", **more})


RESULT = {"tool_use_id": "toolu_1", "type": "tool_result", "content": 'a "quoted" {"b":1}'}
TEXT = {"type": "text", "text": "real words"}


def speaks(line: bytes) -> bool:
    """Whether decoding the line in full finds a turn; a first line is always decoded."""
    return bool(list(ClaudeCode().parse(io.BytesIO(line), SourceReading("x", Noon()))))


def test_tool_results_thinking_and_progress_are_passed_over() -> None:
    assert silent(user(RESULT))
    assert silent(user({**RESULT, "is_error": True}, toolUseResult={"type": "text", "text": "x"}))
    thinking = {"type": "thinking", "thinking": "hm \\n", "signature": "c2ln"}
    message = {"model": "m", "id": "i", "type": "message", "content": [thinking], "usage": {}}
    assert silent(compact({"cwd": "C:\\w", "message": message, "type": "assistant"}))
    assert silent(compact({"sessionId": "s", "type": "progress", "data": {"type": "x"}}))


def test_words_anywhere_in_a_message_are_never_passed_over() -> None:
    for line in (
        user(TEXT),
        user(RESULT, TEXT),
        user({**RESULT, "content": "ends with a backslash \\"}, TEXT),
        user({**RESULT, "content": '"}]}'}, TEXT),
        user({**RESULT, "content": ""}, TEXT),
        user({**RESULT, "extra": [{"a": "b"}]}, TEXT),
        user({**RESULT, "content": [{"type": "text", "text": "x"}]}, TEXT),
        compact({"type": "user", "message": {"content": "typed"}}),
    ):
        assert speaks(line)
        assert not silent(line), line


def test_a_line_with_another_object_glued_on_is_never_passed_over() -> None:
    for gap in (b"", b" ", b"\t\r", b"\0\0", b"\xef\xbb\xbf"):
        for first in (user(RESULT), compact({"type": "progress", "data": {}})):
            line = first[:-1] + gap + user(TEXT)
            assert speaks(line)
            assert not silent(line), line


def test_a_key_that_comes_twice_takes_nothing_away() -> None:
    twice = user(RESULT)[:-2] + b',"message":{"content":"the last one wins"}}\n'
    kinds = b'{"type":"progress","type":"user","message":{"content":"the last one wins"}}\n'
    late = b'{"type":"progress","message":{"content":"the last one wins"},"type":"user"}\n'
    for line in (twice, kinds, late):
        assert speaks(line)
        assert not silent(line), line


_text = st.text(alphabet='x"\\{}[],:\n', max_size=14) | st.sampled_from(
    ['"}]}', '","type":"text","text":"', "\\", '\\"', '{"type":"user"}', "}{"]
)
_value = st.recursive(
    st.none() | st.booleans() | st.integers() | _text,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "text", "content", "message", "x"]), inner)
    ),
    max_leaves=6,
)
_block = st.one_of(
    st.builds(lambda text: {**RESULT, "content": text}, _text),
    st.builds(lambda text: {"type": "tool_result", "content": text, "is_error": False}, _text),
    st.builds(lambda text: {"type": "thinking", "thinking": text, "signature": "s"}, _text),
    st.builds(lambda text: {"type": "text", "text": text}, _text),
    st.dictionaries(st.sampled_from(["type", "text", "content"]), _value, max_size=3),
)
_line = st.builds(
    lambda kind, blocks, first, last: {
        "cwd": first,
        "type": kind,
        "message": {"role": first, "content": blocks},
        **last,
    },
    st.sampled_from(["user", "assistant", "progress", "x"]),
    st.lists(_block, max_size=2),
    _text,
    st.dictionaries(st.sampled_from(["toolUseResult", "data", "uuid", "isMeta"]), _value),
)


@examples(100)
@given(_line, st.booleans(), st.sampled_from([b"", b"", b"", b"} {", b"}{", b'"', b"\\", b","]))
def test_a_line_that_is_passed_over_never_speaks(value: object, tight: bool, noise: bytes) -> None:
    line = json.dumps(value, separators=(",", ":") if tight else None).encode() + b"\n"
    middle = len(line) // 2
    for candidate in (line, line[:middle] + noise + line[middle:]):
        assert not (silent(candidate) and speaks(candidate)), candidate
