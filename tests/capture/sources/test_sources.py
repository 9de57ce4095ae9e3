"""The registry: sources by name, and by what a file begins with."""

from __future__ import annotations

import io

import pytest

from engram.capture.sources import SOURCES, recognise, source
from engram.model.errors import BadInput
from engram.model.ports import SourceReading
from tests.capture.sources.reader import Noon

CLAUDE = b'{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"x"}}\n'
JSONL = b'{"role":"user","content":"x"}\n'


def test_every_source_has_its_name_and_reads_an_empty_file() -> None:
    for name in SOURCES:
        found = source(name)
        assert found.name == name
        assert all(suffix.startswith(".") for suffix in found.suffixes)
        assert list(found.parse(io.BytesIO(b""), SourceReading("x", Noon()))) == []


def test_an_unknown_name_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(BadInput) as refused:
        source("fortune-teller")
    assert "fortune-teller" in str(refused.value)
    assert all(name in refused.value.hint for name in SOURCES)


def test_the_limit_of_a_line_is_handed_on() -> None:
    reading = SourceReading("x", Noon())
    assert list(source("jsonl", 20).parse(io.BytesIO(JSONL), reading)) == []
    assert reading.tally.unparsed_lines == 1


@pytest.mark.parametrize(
    ("head", "suffix", "name"),
    [
        (CLAUDE, ".jsonl", "claude-code"),
        (CLAUDE, ".txt", "claude-code"),
        (JSONL, "", "jsonl"),
        (JSONL, ".ndjson", "jsonl"),
        (b"words", "", "text"),
        (b"words", ".TXT", "text"),
        (b"# Words", ".md", "markdown"),
        (b"words", ".jsonl", None),
        (b'{"a":1}', ".json", None),
        (b'{"a":1}', "", None),
        (b"\x89PNG\r\n\0", ".png", None),
        (b"", "", None),
    ],
)
def test_content_decides_what_a_file_is(head: bytes, suffix: str, name: str | None) -> None:
    found = recognise(head, suffix)
    assert (found.name if found else None) == name
