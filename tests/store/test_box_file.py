"""A box's file says the box, reads well, and keeps what a person wrote into it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.box import SEALS, Box
from engram.model.errors import BadInput
from engram.model.markdown import inert_line, inert_value
from engram.store.files.box_file import box_changes, box_remains, read_box, render_box
from engram.store.files.document import render
from tests.effort import examples

PATH = "boxes/2026-03-06/box-4be1f09a.md"
FILE = """\
---
id: box-4be1f09a
created: 2026-03-06T10:10:00Z
sealed: 2026-03-06T10:52:11Z
seal: time_gap
session: "[[claude-code-3f2a1c9d04be]]"
project: shop
trace: trace-9c1f03aa
previous: "[[box-00000001]]"
topics:
  - reports
  - writing style
goal: "Agree how the Q1 report should look, and: who reads it"
---
# Reports, writing style

2 memories from [[claude-code-3f2a1c9d04be|a conversation]] about shop on 2026-03-06, 10:10 to \
10:52 UTC, which began with “Agree how the Q1 report should look, and: who reads it”.

- [[preference-20260306-101000-9c1f03aa]] Mara Holt prefers quarterly reports as bullet points.
- [[decision-20260306-105211-11111111]] The Q1 report ships as a two-page PDF.

Earlier: [[box-00000001]]
"""
FIRST = "preference-20260306-101000-9c1f03aa"
SECOND = "decision-20260306-105211-11111111"
BOX = Box(
    id="box-4be1f09a",
    lines=(
        (FIRST, "Mara Holt prefers quarterly reports as bullet points."),
        (SECOND, "The Q1 report ships as a two-page PDF."),
    ),
    created="2026-03-06T10:10:00Z",
    sealed="2026-03-06T10:52:11Z",
    session="claude-code-3f2a1c9d04be",
    project="shop",
    topics=("reports", "writing style"),
    seal="time_gap",
    title="Reports, writing style",
    goal="Agree how the Q1 report should look, and: who reads it",
    trace="trace-9c1f03aa",
    previous="box-00000001",
    path=PATH,
)

TRAPS = [
    "a, b", 'say "no"', "it's", "a: b", "a #b", "[x]", "[[x]]", "two\nlines", "\\", "---", "null",
    "2026-03-06", "0.5", "- x", "été 🎉", "日本語", "\u2028", "'", "%%", "```", "# x", "{a}", "C#",
]  # fmt: skip
texts = (st.sampled_from(TRAPS) | st.text(max_size=20)).map(inert_value)
inert = texts.map(inert_line)
names = st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=2, max_size=9).map("m-".__add__)
times = st.sampled_from(["2026-03-06T10:10:00Z", "2026-03-06T10:52:11Z", "2026-03-07T00:01:00Z"])
boxes = st.builds(
    Box,
    id=names,
    lines=st.dictionaries(names, inert, max_size=6).map(lambda lines: tuple(lines.items())),
    created=times,
    sealed=times,
    session=names | st.just(""),
    project=texts,
    topics=st.lists(texts.map(str.strip).map(inert_value).filter(bool), max_size=4).map(tuple),
    seal=st.sampled_from(SEALS),
    title=inert,
    goal=texts,
    outcome=texts,
    trace=names | st.just(""),
    previous=names | st.just(""),
    next=names | st.just(""),
    path=st.just(PATH),
)  # fmt: skip


def test_a_box_is_a_page_to_be_read() -> None:
    assert render_box(BOX).decode() == FILE
    assert read_box(PATH, FILE.encode()).box == BOX


@examples(50)
@given(boxes)
def test_a_box_is_read_as_it_was_written(box: Box) -> None:
    assert read_box(PATH, render_box(box)) == type(read_box(PATH, b""))(box)


@given(st.binary(max_size=300) | texts.map(lambda text: FILE.replace("shop", text).encode()))
def test_no_bytes_are_refused(data: bytes) -> None:
    assert read_box(PATH, data).box.id


def test_a_renamed_file_is_the_same_box() -> None:
    assert read_box("boxes/reports.md", FILE.encode()).box.id == "box-4be1f09a"


@pytest.mark.parametrize("key", ["trace", "previous", "next", "created", "seal", "id"])
def test_what_cannot_be_used_is_named_and_not_used(key: str) -> None:
    header = {"id": BOX.id, "created": BOX.created, "sealed": BOX.sealed, "seal": BOX.seal}
    found = read_box(PATH, render({**header, key: "No such \x1b thing"}, "# Title"))
    assert [problem.partition(" ")[0] for problem in found.problems] == [key]
    assert "\x1b" not in repr(found.box)


@pytest.mark.parametrize("text", ["[[forged]] #tag ^m3f9a2c", "^abc", "![[x]]", "a\n- [[x]]"])
def test_text_of_others_forges_no_link_tag_or_block(text: str) -> None:
    box = replace(BOX, lines=((FIRST, text),), title=text, goal=text, outcome=text)
    page = render_box(box).decode().partition("\n---\n")[2]
    links = re.findall(r"(?<!\\)\[\[([^\]|]+)", page)
    assert links == [BOX.session, FIRST, BOX.previous]
    assert not re.search(r"(?<!\\)#tag|(?<!\\)\^", page)


def test_what_a_person_adds_is_not_taken_for_the_boxes_own() -> None:
    page = FILE.replace("# Reports", "My words.\n\n# Reports") + (
        "\n## Mine\n\n- [[fact-20260101-000000-00000000]] compare\n"
    )
    assert read_box(PATH, page.encode()).box == BOX


def test_a_memory_is_listed_once_and_not_in_code() -> None:
    again = FILE.replace(
        f"- [[{SECOND}]]", f"- [[{FIRST}]] again\n\n```\n- [[fact-1]] no\n```\n\n- [[{SECOND}]]"
    )
    assert read_box(PATH, again.encode()).box == BOX


def test_a_memory_that_comes_stands_behind_remarks_on_the_last_one() -> None:
    mine = FILE.replace("PDF.\n", "PDF.\n  - sent on Monday\n")
    after = replace(BOX, lines=(*BOX.lines, ("fact-1", "It was read.")))
    changed = box_changes(mine.encode(), BOX, after).decode()
    assert "PDF.\n  - sent on Monday\n- [[fact-1]] It was read.\n" in changed


def test_what_is_added_and_taken_back_leaves_no_trace() -> None:
    plain = replace(BOX, previous="")
    data = render_box(plain)
    assert box_changes(box_changes(data, plain, BOX), BOX, plain) == data


def test_only_what_differs_is_written() -> None:
    annotated = (
        FILE.replace("bullet points.", "bullet points. **Ask her.**\n  - she said so twice")
        .replace("seal: time_gap", "seal: time_gap # of my lunch\nmine: yes")
        .replace("\nEarlier", "\nMy own paragraph.\n\nEarlier")
    )
    before = read_box(PATH, annotated.encode()).box
    after = replace(
        before, next="box-00000002", lines=(before.lines[0], (SECOND, "It is one page."))
    )
    changed = box_changes(annotated.encode(), before, after).decode()
    assert read_box(PATH, changed.encode()).box == after
    assert changed == annotated.replace(
        "The Q1 report ships as a two-page PDF.", "It is one page."
    ).replace('who reads it"\n---', 'who reads it"\nnext: "[[box-00000002]]"\n---').replace(
        "Earlier: [[box-00000001]]", "Earlier: [[box-00000001]] · Later: [[box-00000002]]"
    )


def test_a_memory_that_goes_takes_its_line_along_and_is_no_longer_counted() -> None:
    changed = box_changes(FILE.encode(), BOX, replace(BOX, lines=BOX.lines[1:])).decode()
    assert FIRST not in changed
    assert "\n1 memory from" in changed


def test_words_of_the_program_that_a_person_changed_stay() -> None:
    mine = FILE.replace("2 memories from", "Two things from")
    before = read_box(PATH, mine.encode()).box
    changed = box_changes(mine.encode(), before, replace(before, lines=before.lines[1:]))
    assert b"\nTwo things from" in changed


@pytest.mark.parametrize("change", [("project: shop", "project: shop\nmine: yes"), ("·", "+")])
def test_of_a_box_that_goes_only_what_a_person_wrote_stays(change: tuple[str, str]) -> None:
    linked = box_changes(FILE.encode(), BOX, replace(BOX, next="box-00000002"))
    box = read_box(PATH, linked).box
    assert box_remains(linked, box) is None
    mine = linked.decode().replace(*change).encode()
    left = box_remains(mine, box)
    assert left is not None
    assert read_box(PATH, left).box == replace(box, lines=(), topics=(), goal="")
    assert change[1].encode() in left


def test_a_header_that_cannot_be_read_is_not_written() -> None:
    with pytest.raises(BadInput):
        box_changes(b"---\n[[[\n---\n", BOX, replace(BOX, trace="trace-1"))


@st.composite
def states(draw: st.DrawFn) -> tuple[Box, Box]:
    """A box, and the same one with other fields and a part of its memories, others between them."""
    before, other = draw(boxes), draw(boxes)
    lines = [draw(st.sampled_from([line, (line[0], "other")])) for line in before.lines]
    kept = [line for line in lines if draw(st.booleans())]
    for line in other.lines:
        if line[0] not in before.memories:
            kept.insert(draw(st.integers(0, len(kept))), line)
    after = replace(other, id=before.id, lines=tuple(kept), title=before.title)
    return before, after


@examples(50)
@given(states(), st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\nMy own words.\n"]))
def test_a_changed_file_says_the_changed_box(
    pair: tuple[Box, Box], newline: str, remark: str
) -> None:
    before, after = pair
    data = (render_box(before).decode() + remark).replace("\n", newline).encode()
    changed = box_changes(data, before, after)
    assert read_box(PATH, changed).box == after
    assert remark.strip().encode() in changed
    assert box_changes(changed, after, after) == changed
    if newline == "\r\n":
        assert changed.count(b"\n") == changed.count(b"\r\n")
