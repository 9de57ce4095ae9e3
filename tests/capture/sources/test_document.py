"""One JSON document from a stream, and columns that hold JSON."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.capture.sources.formats.json_document import (
    decoded,
    documents,
    mapping,
    sequence,
    text_of,
)
from engram.model.ports import SourceReading
from tests.capture.sources.reader import Noon


def read(data: bytes, most: int = 100_000) -> tuple[list[object], int]:
    reading = SourceReading("file", Noon(), offset=3)
    values = documents(io.BytesIO(data), reading, most)
    assert reading.offset == 3
    return values, reading.tally.unparsed_lines


@pytest.mark.parametrize(
    ("data", "values", "unparsed"),
    [
        (b'{"a": [1, "\xc3\xa4"]}\r\n', [{"a": [1, "ä"]}], 0),
        (b'\xef\xbb\xbf{"a":1}\0\0\n', [{"a": 1}], 0),
        (b'{"a":1}\n{"b":2}[3]', [{"a": 1}, {"b": 2}, [3]], 0),
        (b'{"a":1} and {"b":2}', [{"a": 1}], 1),
        (b'{"a": [1, 2', [], 1),
        (b'{"a":"\xff"}', [{"a": "\ufffd"}], 0),
        (b"", [], 0),
        (b"words", [], 1),
        (b"[" * 90_000, [], 1),
        (b'{"a":' + b"9" * 6000 + b"}", [], 1),
    ],
)
def test_what_a_stream_holds(data: bytes, values: list[object], unparsed: int) -> None:
    assert read(data) == (values, unparsed)


def test_a_document_of_more_than_the_limit_is_counted_and_passed_over() -> None:
    assert read(b"[10,20]", 7) == ([[10, 20]], 0)
    assert read(b"[10,20]", 6) == ([], 1)


@given(st.binary(max_size=60))
def test_no_bytes_raise(data: bytes) -> None:
    values, unparsed = read(data)
    assert unparsed in (0, 1)
    assert decoded(data) is None or values


def test_a_column_holds_a_value_or_none() -> None:
    assert decoded('{"a": 1}') == decoded(b'{"a": 1}') == {"a": 1}
    assert [decoded(one) for one in (None, 5, "", "{", "[" * 100_000)] == [None] * 5


def test_anything_else_counts_as_empty() -> None:
    assert (mapping({"a": 1}), mapping([1])) == ({"a": 1}, {})
    assert (sequence([1]), sequence({"a": 1})) == ([1], [])
    assert (text_of("a"), text_of(1)) == ("a", "")
