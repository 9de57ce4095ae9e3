"""Files of people survive: any bytes are read, and a patch changes nothing but its own keys."""

from __future__ import annotations

from collections.abc import Mapping

import frontmatter
import pytest
import yaml
from hypothesis import assume, example, given
from hypothesis import strategies as st

from engram.model.errors import BadInput
from engram.store.files.document import BOM, NoteDocument, parse, patch, render
from engram.store.files.foreign_header import Value
from tests.effort import examples

EXAMPLE = b"""\
---
id: decision-20260306-101000-9c1f03aa
category: decision
created: 2026-03-06T10:10:00Z
valid_from: 2026-03-06
confidence: 0.9
project: shop
tags:
  - postgres
sources:
  - "[[claude-code-3f2a1c9d04be#^m3f9a2c]]"
---
The shop uses Postgres, not SQLite, because two writers are needed.

> we need two writers, so sqlite is out
"""

#: A header as people keep them; every line of it must survive what is done to another.
LIVED_IN = b"""\
---
# what I decided
id:   keep-my-spaces
Title : 'single ''quoted'''   # why not

tags: [a, "b, c"]  # short
aliases:
    - One   # first
    # between
    - "Two"

    - Three
nested:
  deep: {x: 1}   # kept
note: |
  line one
  # no comment
sources:
- "[[a]]"
- "[[b|Label]]"

# the end
---
Body  \r
"""

words = st.text(max_size=12) | st.sampled_from(
    [
        "", " ", "a: b", "a #b", "# a", "'", '"', '"a"', "\\", "---", "\n---\n", "- a", "[a]",
        "[[a]]",
        "{a}", "~", "null", "yes", "010", "0.9", "2026-03-06", "a\nb", "a\r\nb", "\t", " a ", "🎉",
        "a,b",
        "|", ">", "&a", "*a", "!a", "@", "%", "`", "\u2028", "\x85", "\x00", "\ufeff", "é", "日本",
        "...",
    ]
)  # fmt: skip
keys = st.sampled_from(["id", "title", "tags", "status", "due", "my key", "été", "a:b", "x"])
new_values = words | st.lists(words, max_size=3)
changes = st.dictionaries(keys, new_values | st.none(), max_size=3)
newlines = st.sampled_from(["\n", "\r\n"])

#: Values as people and other programs write them, with a place for the newline of the file.
WRITTEN = [
    "", " plain words", "  spaced  ", " 'it''s'", ' "q \\n \\u00e9"', " # only a comment",
    " v # why",
    " 0.90", " 2026-03-06", " no", " [a, 'b', \"c, d\"]", " []", " [a] # c", " {x: [1, 2]}",
    "\n  - a\n  - 'b' # c", "\n- a\n\n# between\n- b", "\n      -  a", " |\n  one\n\n  # two",
    " >-\n one\n two",
    "\n  x: 1\n  y:\n    - z", " [a,\n  b, # c\n  c]", " [\na,\nb\n]", " one\n  two",
    ' "one\n  two"',
    " [[link]]", "\n  - [[link]]\n  - \"[[b|c]]\"", " a:b", "\n  - p: 1\n    q: 2",
]  # fmt: skip
gaps = st.sampled_from(["", "", "", "# comment\n", "\n", "  # inner\n", "# été\n\n"])
bodies = st.sampled_from(
    ["", "Text.\n", "Text.", "\n\n  text \n---\nmore", "a\rb", "---\n", "é\ufeff\n"]
)

fenced = st.binary(max_size=60).map(lambda data: b"---\n" + data + b"\n---\nx")


@st.composite
def notes(draw: st.DrawFn) -> bytes:
    """Notes with headers that are sound: unique keys, each value in some style."""
    lines = draw(gaps)
    for key in draw(st.lists(keys, unique=True, max_size=5)):
        lines += f"{key}:{draw(st.sampled_from(WRITTEN))}\n{draw(gaps)}"
    opening = draw(st.sampled_from(["---", "--- ", "---\t"]))
    closing = draw(st.sampled_from(["---", "---  "]))
    end = draw(st.sampled_from(["\n", "\n", ""]))
    body = draw(bodies) if end else ""
    text = f"{opening}\n{lines}{closing}{end}{body}".replace("\n", draw(newlines))
    tail = draw(st.sampled_from([b"", b"", b"\xff\xfe", b"\xed\xa0\x80"])) if end else b""
    return draw(st.sampled_from([b"", BOM])) + text.encode() + tail


def whole(document: NoteDocument, data: bytes) -> bytes:
    """The bytes before the body, taken from the end of the data."""
    body = document.body.encode("utf-8", "surrogateescape")
    assert data.endswith(body)
    return data[: len(data) - len(body)]


# Reading.


@pytest.mark.parametrize(
    ("data", "header", "body", "problem"),
    [
        (b"", {}, "", None),
        (b"just text\n", {}, "just text\n", None),
        (b"text\n---\nid: a\n---\nmore", {}, "text\n---\nid: a\n---\nmore", None),
        (b"\n---\nid: a\n---\n", {}, "\n---\nid: a\n---\n", None),
        (b"----\nid: a\n---\n", {}, "----\nid: a\n---\n", None),
        (b" ---\nid: a\n---\n", {}, " ---\nid: a\n---\n", None),
        (b"---\n---\n", {}, "", None),
        (b"---\n---\nbody", {}, "body", None),
        (b"---\nid: a\n---\nbody\n", {"id": "a"}, "body\n", None),
        (b"---\nid: a\n---", {"id": "a"}, "", None),
        (b"--- \nid: a\n---\t\nbody", {"id": "a"}, "body", None),
        (b"---\nid: a\n---\n---\nrule\n", {"id": "a"}, "---\nrule\n", None),
        (b"---\nid: a\n ---\nb: c\n---\n", {"id": "a ---", "b": "c"}, "", None),
        (b"---\r\nid: a\r\nx:\r\n  - b\r\n---\r\nx\r\n", {"id": "a", "x": ["b"]}, "x\r\n", None),
        (b"---\nid: a\r\n---\r\nx", {"id": "a"}, "x", None),
        (BOM + b"---\nid: a\n---\nx", {"id": "a"}, "x", None),
        (BOM + b"text", {}, "text", None),
        (b"---\n{a: 1}\n---\nx", {"a": "1"}, "x", None),
        (b"{\"a\": 1}\nx", {}, "{\"a\": 1}\nx", None),
        (b"---\nid: a\rb: c\n---\nx", {"id": "a", "b": "c"}, "x", None),
        (b"---\rid: a\r---\rx", {}, "---\rid: a\r---\rx", None),
        (b"---", {}, "---", "unclosed header"),
        (b"---\n", {}, "---\n", "unclosed header"),
        (b"---\nid: a\nbody", {}, "---\nid: a\nbody", "unclosed header"),
        (b"---\nid: a\n...\nbody", {}, "---\nid: a\n...\nbody", "unclosed header"),
        (b"---\nid: a\n---body\n", {}, "---\nid: a\n---body\n", "unclosed header"),
        (b"---\nid: \xff\n---\n\xfe", {"id": "\udcff"}, "\udcfe", "bytes that are not UTF-8"),
        (b"\xff\xfea\x00", {}, "\udcff\udcfea\x00", "bytes that are not UTF-8"),
    ],
)  # fmt: skip
def test_bytes_are_read_as(
    data: bytes, header: Mapping[str, Value], body: str, problem: str | None
) -> None:
    document = parse(data)
    assert (document.header, document.body, document.problem) == (header, body, problem)
    assert document.bom == data.startswith(BOM)


def test_a_document_knows_its_line_ends_and_header_lines() -> None:
    assert parse(b"---\r\na: 1\r\n# c\r\n---\r\n").newline == "\r\n"
    assert parse(b"---\r\na: 1\r\n# c\r\n---\r\n").header_lines == ("a: 1", "# c")
    assert parse(b"one\r\ntwo\n").newline == "\r\n"
    assert parse(b"one\ntwo\r\n").newline == "\n"
    assert parse(b"one").header_lines is None
    assert parse(b"---\n---\n").header_lines == ()


def test_an_unreadable_entry_leaves_the_others_and_the_body() -> None:
    document = parse(b"---\nstatus: superseded\ntags: [a, b\nid: x\n---\nBody.\n")
    assert document.header == {"status": "superseded", "id": "x"}
    assert document.body == "Body.\n"
    assert (document.problem or "").startswith("unreadable header: 'tags': ")


def test_a_header_that_would_end_a_yaml_parser_is_only_a_problem() -> None:
    document = parse(b"---\nid: x\na: " + b"[" * 30_000 + b"\n---\nBody.\n")
    assert document.header == {"id": "x"}
    assert document.body == "Body.\n"
    assert "unreadable header" in (document.problem or "")


@examples(125)
@given(st.binary(max_size=80) | fenced)
@example(b"---\n\xef\xbb\xbfid: x\n---\n")
def test_any_bytes_are_read_and_none_are_lost(data: bytes) -> None:
    document = parse(data)
    before = whole(document, data)
    if document.header_lines is None:
        assert before in (b"", BOM)
        assert document.header == {}
    else:
        lines = "\n".join(document.header_lines).encode("utf-8", "surrogateescape")
        assert lines in before.replace(b"\r\n", b"\n")


@examples(75)
@given(notes())
def test_headers_in_every_style_are_sound(data: bytes) -> None:
    document = parse(data)
    assert document.header_lines is not None
    assert document.problem in (None, "bytes that are not UTF-8")


# Writing new files.


def test_a_rendered_note_has_exactly_the_shape_of_the_design() -> None:
    document = parse(EXAMPLE)
    assert document.header["tags"] == ["postgres"]
    assert document.header["created"] == "2026-03-06T10:10:00Z"
    assert render(document.header, document.body) == EXAMPLE


@examples(75)
@given(st.dictionaries(words, new_values, max_size=5), words)
def test_what_is_rendered_is_read_back(header: dict[str, Value], body: str) -> None:
    data = render(header, body)
    document = parse(data)
    assert (document.header, document.problem) == (header, None)
    assert list(document.header) == list(header)
    assert document.body == body + ("" if body.endswith("\n") or not body else "\n")
    assert data.endswith(b"\n")
    assert render(document.header, document.body) == data


def is_no_number(text: str) -> bool:
    """Numbers and days stand bare, so that other readers make numbers and days of them."""
    return not text.lstrip("-")[:1].isdigit()


@examples(50)
@given(st.dictionaries(words.filter(bool), words.filter(is_no_number), min_size=1))
def test_other_readers_see_the_same_texts(header: dict[str, Value]) -> None:
    data = render(header, "Body.\n")
    assert yaml.safe_load(data.decode().split("\n---\n")[0][4:]) == header
    post = frontmatter.loads(data.decode())
    assert (post.metadata, post.content) == (header, "Body.")


def test_lone_surrogates_are_never_written() -> None:
    assert render({"a": "\ud800"}, "\udcff") == '---\na: "\ufffd"\n---\n\ufffd\n'.encode()
    assert patch(b"---\n---\n", {"a": "x\udcff"}) == "---\na: x\ufffd\n---\n".encode()


# Patching.


@pytest.mark.parametrize(
    ("changes", "old", "new"),
    [
        ({"id": "b"}, b"id:   keep-my-spaces", b"id:   b"),
        ({"Title": "a: b"}, b"'single ''quoted'''   # why not", b'"a: b"   # why not'),
        ({"Title": None}, b"Title : 'single ''quoted'''   # why not\n", b""),
        ({"tags": ["a", "b, c", "d"]}, b'[a, "b, c"]  # short', b'[a, "b, c", d]  # short'),
        ({"tags": "one"}, b'[a, "b, c"]  # short', b"one  # short"),
        ({"tags": []}, b'[a, "b, c"]  # short', b"[]  # short"),
        ({"aliases": ["One", "Two", "Three", "4 u"]}, b"- Three\n", b"- Three\n    - 4 u\n"),
        ({"aliases": ["One", "Three"]}, b'    - "Two"\n\n', b""),
        ({"aliases": ["Zero", "One", "Two", "Three"]}, b"    - One ", b"    - Zero\n    - One "),
        ({"aliases": ["One", "Two"]}, b"    - Three\n", b""),
        ({"nested": "flat"}, b"nested:\n  deep: {x: 1}   # kept\n", b"nested: flat\n"),
        ({"nested": ["a"]}, b"\n  deep: {x: 1}   # kept\n", b"\n  - a\n"),
        ({"note": "short"}, b"note: |\n  line one\n  # no comment\n", b"note: short\n"),
        ({"note": None}, b"note: |\n  line one\n  # no comment\n", b""),
        ({"sources": ["[[a]]", "[[b|Label]]", "[[c]]"]}, b"el]]\"\n", b"el]]\"\n- \"[[c]]\"\n"),
        ({"sources": []}, b'sources:\n- "[[a]]"\n- "[[b|Label]]"\n', b"sources: []\n"),
        ({"new": ["x", "z"], "due": "2026-03-06"}, b"# the end\n---",
         b"# the end\nnew:\n  - x\n  - z\ndue: 2026-03-06\n---"),
        ({"absent": None, "tags": ["a", "b, c"], "id": "keep-my-spaces"}, b"", b""),
    ],
)  # fmt: skip
@pytest.mark.parametrize("crlf", [False, True])
def test_a_patch_changes_its_own_lines_only(
    changes: dict[str, Value | None], old: bytes, new: bytes, crlf: bool
) -> None:
    def kept(data: bytes) -> bytes:
        return BOM + data.replace(b"\n", b"\r\n") if crlf else data

    assert old in LIVED_IN
    assert patch(kept(LIVED_IN), changes) == kept(LIVED_IN.replace(old, new, 1))


def test_the_last_of_two_equal_keys_is_set_and_both_are_removed() -> None:
    data = b"---\na: 1\nb: 2\na: 3\n---\n"
    assert patch(data, {"a": "4"}) == b"---\na: 1\nb: 2\na: 4\n---\n"
    assert patch(data, {"a": None}) == b"---\nb: 2\n---\n"


def test_mixed_line_ends_stay_mixed() -> None:
    data = b"---\r\na: 1\nb: 2\r\nc: 3\n---\nx\r\n"
    assert patch(data, {"b": "x", "a": "z"}) == b"---\r\na: z\nb: x\r\nc: 3\n---\nx\r\n"
    assert patch(data, {"d": "4"}) == b"---\r\na: 1\nb: 2\r\nc: 3\nd: 4\r\n---\nx\r\n"


def test_an_indented_comment_goes_with_the_key_above_it() -> None:
    """Left alone below a block scalar it would become a line of that text."""
    data = b"---\na: |\n  one\nb: 2\n\n  # about b\n# end\n---\n"
    assert patch(data, {"b": None}) == b"---\na: |\n  one\n# end\n---\n"
    assert patch(data, {"b": "3"}) == data.replace(b"b: 2", b"b: 3")


def test_words_that_needed_quotes_get_them_when_they_are_set() -> None:
    assert patch(b"---\na: b: c\n---\n", {"a": "d: e"}) == b'---\na: "d: e"\n---\n'


def test_bytes_that_are_not_utf8_survive() -> None:
    data = b"---\na: \xff\nb: 1\n---\n\xfe\xed\xa0\x80"
    assert patch(data, {"b": "2"}) == data.replace(b"b: 1", b"b: 2")


@pytest.mark.parametrize(
    "data",
    [
        b"---\nid: a\n", b"---", b"---\ntags: [a\nid: x\n---\n", b"---\n{a: 1}\n---\n",
        b"---\n- a\n---\n",
        b"---\n  id: a\n---\n", b"---\nid: a\rb: c\n---\n", b"---\nid: &x a\n---\n", b"no header\n",
        b"",
    ],
)  # fmt: skip
def test_it_refuses_rather_than_guess(data: bytes) -> None:
    with pytest.raises(BadInput) as refused:
        patch(data, {"id": "b"})
    assert refused.value.hint
    assert patch(data, {}) == data


def test_a_value_that_would_swallow_the_new_key_is_refused() -> None:
    with pytest.raises(BadInput):
        patch(b"---\nid: a\n? b\n---\n", {"id": "c", "d": "e"})


@pytest.mark.parametrize(
    ("data", "made"),
    [
        (b"Text.\n", b"---\nid: a\ntags:\n  - b\n---\nText.\n"),
        (b"", b"---\nid: a\ntags:\n  - b\n---\n"),
        (BOM + b"Text.\r\n", BOM + b"---\r\nid: a\r\ntags:\r\n  - b\r\n---\r\nText.\r\n"),
        (b"\xff", b"---\nid: a\ntags:\n  - b\n---\n\xff"),
    ],
)
def test_a_note_gets_a_header_when_that_is_asked_for(data: bytes, made: bytes) -> None:
    assert patch(data, {"id": "a", "none": None, "tags": ["b"]}, create=True) == made
    assert patch(data, {"id": None}) == data


@examples(150)
@given(notes(), changes)
def test_a_patch_says_what_was_asked_and_touches_nothing_else(
    data: bytes, wanted: dict[str, Value | None]
) -> None:
    before = parse(data)
    patched = patch(data, wanted)
    after = parse(patched)
    for key in before.header.keys() | wanted.keys():
        value = wanted[key] if key in wanted else before.header[key]
        assert after.header.get(key) == value
        assert (key in after.header) == (value is not None)
    assert (after.body, after.bom, after.newline) == (before.body, before.bom, before.newline)
    assert patch(patched, wanted) == patched
    assert patch(data, {}) == data
    assert patch(data, dict(before.header)) == data


@examples(75)
@given(notes(), keys, new_values)
def test_lines_of_other_keys_stay_in_place(data: bytes, key: str, value: Value) -> None:
    """Line by line: what comes before and after the patched entry is the same bytes."""
    patched = patch(data, {key: value})
    old, new = data.split(b"\n"), patched.split(b"\n")
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    between = b"\n".join(old[start : len(old) - end]).decode("utf-8", "surrogateescape")
    if key not in parse(data).header:
        assert between.strip() in ("", "---")
    others = [name for name in parse(data).header if name != key]
    assert not [name for name in others if f"\n{name}:" in f"\n{between}"]


@examples(75)
@given(notes(), changes, changes)
def test_patches_of_different_keys_commute(
    data: bytes, one: dict[str, Value | None], other: dict[str, Value | None]
) -> None:
    assume(not one.keys() & other.keys())
    there, back = patch(patch(data, one), other), patch(patch(data, other), one)
    assert parse(there).header == parse(back).header == parse(patch(data, one | other)).header
    assert parse(there).body == parse(back).body


@examples(75)
@given(fenced, keys, new_values)
def test_on_any_bytes_a_patch_is_right_or_refused(data: bytes, key: str, value: Value) -> None:
    try:
        patched = patch(data, {key: value})
    except BadInput:
        return
    assert parse(patched).header == {**parse(data).header, key: value}
    assert parse(patched).body == parse(data).body
