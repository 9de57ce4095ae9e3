"""What a file says, apart from how: which rewritings are edits, and which are none."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.store.files.content_file import meaning_of, same_meaning

FACT = "facts/2026-03-06/fact-1.md"
NOTE = b"""---
id: fact-1
category: fact
status: active
created: 2026-03-06T10:10:00Z
confidence: 0.9
tags:
  - db
  - tea
sources:
  - "[[claude-code-3f2a1c9d04be#^m3f9a2c]]"
mood: calm
---
The shop uses Postgres.

> we need two writers
"""
BOX = "boxes/2026-03-06/box-1a2b3c4d.md"
PAGE = b"""---
id: box-1a2b3c4d
topics:
  - tea
  - cake
---
# Tea

- [[fact-1]] The shop sells tea.
"""

_SAME: tuple[tuple[bytes, bytes], ...] = (
    (b"tags:\n  - db\n  - tea\n", b"tags: [db, tea]\n"),
    (b"tags:\n  - db\n  - tea\n", b"tags:\n- \"db\"\n- 'tea'\n"),
    (b"mood: calm\n", b'mood: "calm"\n'),
    (b"mood: calm\n", b"mood: calm # as ever\n"),
    (b"status: active\ncreated", b'created: "2026-03-06T10:10:00Z"\nstatus: active\n#'),
    (b"confidence: 0.9\n", b"confidence: 0.90\n"),
    (b"\n", b"\r\n"),
    (b"Postgres.\n", b"Postgres.  \n"),
    (b"two writers\n", b"two writers\n\n\n"),
    (b"two writers\n", b"two writers"),
    (b"---\nThe", b"---\n\nThe"),
)
_OTHER: tuple[tuple[bytes, bytes], ...] = (
    (b"Postgres", b"postgres"),
    (b"Postgres.", b"Postgres!"),
    (b"writers", b"readers"),
    (b"- db\n  - tea", b"- tea\n  - db"),
    (b"  - tea\n", b""),
    (b"mood: calm\n", b"mood: wild\n"),
    (b"mood: calm\n", b""),
    (b"mood: calm\n", b"mood: [calm, wild]\n"),
    (b"status: active", b"status: retired"),
    (b"0.9", b"0.95"),
    (b"m3f9a2c", b"m3f9a2d"),
    (b"---\nThe", b"\nThe"),
    (b"\n\n>", b"\n\nIndeed.\n\n>"),
)


@pytest.mark.parametrize(("old", "new"), _SAME)
def test_another_form_is_no_edit(old: bytes, new: bytes) -> None:
    assert old in NOTE
    assert same_meaning(FACT, NOTE, NOTE.replace(old, new))


@pytest.mark.parametrize(("old", "new"), _OTHER)
def test_another_word_key_order_or_link_is_an_edit(old: bytes, new: bytes) -> None:
    assert old in NOTE
    assert not same_meaning(FACT, NOTE, NOTE.replace(old, new))


def test_a_box_says_what_its_header_and_its_lines_say() -> None:
    assert same_meaning(
        BOX, PAGE, PAGE.replace(b"topics:\n  - tea\n  - cake", b"topics: [tea, cake]")
    )
    for old, new in ((b"- cake", b"- pie"), (b"sells", b"drinks"), (b"# Tea", b"# Teas")):
        assert not same_meaning(BOX, PAGE, PAGE.replace(old, new))


def test_two_unknown_lists_of_one_wording_are_two() -> None:
    one, two = NOTE.replace(b"calm", b"[a, b]"), NOTE.replace(b"calm", b'["a, b"]')
    assert not same_meaning(FACT, one, two)


def test_no_file_says_nothing_that_a_file_could_say() -> None:
    assert same_meaning(FACT, None, None)
    assert not same_meaning(FACT, None, b"")
    assert not same_meaning(FACT, NOTE, None)


@given(st.binary(max_size=80), st.sampled_from([FACT, BOX, "entities/tool-tea.md"]))
def test_any_bytes_have_a_meaning(data: bytes, path: str) -> None:
    assert meaning_of(path, data) == meaning_of(path, data)


@given(st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from(["calm", "a b", "C", "größe"])))
def test_the_order_and_quotes_of_keys_say_nothing(header: dict[str, str]) -> None:
    def note(keys: list[str], quoted: bool) -> bytes:
        lines = [f"{key}: {json.dumps(header[key]) if quoted else header[key]}" for key in keys]
        return "\n".join(["---", "id: fact-1", *lines, "---", "Text.", ""]).encode()

    keys = sorted(header)
    assert same_meaning(FACT, note(keys, True), note(keys[::-1], True))
