"""A summary's file says the summary, line by line with its sources, and keeps a person's words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.errors import BadInput, Conflict
from engram.model.summary import (
    ReplacedFact,
    Summary,
    SummaryDecision,
    SummaryLine,
    without_memories,
)
from engram.store.files.document import parse
from engram.store.files.summary_file import (
    read_summary,
    render_summary,
    summary_changes,
    summary_remains,
)
from tests.effort import examples

PATH = "summaries/2026-03-06/sum-4be1f09a.md"
ONE, TWO = "fact-20260301-101000-9c1f03aa", "decision-20260306-105211-11111111"
OLD = "fact-20260201-101000-22222222"
FILE = f"""\
---
id: sum-4be1f09a
created: 2026-03-07T02:00:00Z
status: active
consolidates:
  - "[[{ONE}]]"
  - "[[{TWO}]]"
first: 2026-03-01
last: 2026-03-06
confidence: 0.82
model: qwen3:30b
space: project
project: shop
supersedes:
  - "[[sum-00000001]]"
digest: DIGEST
---
# Database of the shop

- The shop runs on Postgres. [[{ONE}]] [[{TWO}]]

## Key facts

- Port 5433 is used. [[{ONE}]]

## Decisions

- Use Postgres. [[{TWO}]]
  - Reason: two writers need it [[{TWO}]]
  - Outcome: moved in a day [[{TWO}]]

## Replaced

- ~~SQLite~~ -> Postgres [[{OLD}]] [[{TWO}]]
"""
PAGE = Summary(
    id="sum-4be1f09a",
    title="Database of the shop",
    created="2026-03-07T02:00:00Z",
    first="2026-03-01",
    last="2026-03-06",
    consolidates=(ONE, TWO),
    summary=(SummaryLine("The shop runs on Postgres.", (ONE, TWO)),),
    facts=(SummaryLine("Port 5433 is used.", (ONE,)),),
    decisions=(SummaryDecision("Use Postgres.", "two writers need it", "moved in a day", (TWO,)),),
    replaced=(ReplacedFact("SQLite", "Postgres", (OLD, TWO)),),
    confidence=0.82,
    model="qwen3:30b",
    space="project",
    project="shop",
    supersedes=("sum-00000001",),
    path=PATH,
)
TEXTS = st.text(st.sampled_from("ab 1#-~`*>[]|\\^$%{<:_\n\t\x00é"), min_size=1, max_size=12) | (
    st.sampled_from(
        ["~~a~~ -> b", "# x", "- [[fact-1]]", "```", "a [[b]]", "Reason: x", "~~~ a", "C #"]
    )
)
IDS = st.lists(st.sampled_from(["fact-1", "fact-2", "fact-3"]), min_size=1, unique=True).map(tuple)
LINES = st.lists(st.builds(SummaryLine, TEXTS, IDS), max_size=3).map(tuple)
PAGES = st.builds(
    replace,
    st.just(replace(PAGE, consolidates=("fact-1", "fact-2", "fact-3"))),
    title=TEXTS,
    summary=LINES,
    facts=LINES,
    decisions=st.lists(
        st.builds(SummaryDecision, TEXTS, TEXTS | st.just(""), TEXTS | st.just(""), IDS), max_size=3
    ).map(tuple),
    replaced=st.lists(st.builds(ReplacedFact, TEXTS, TEXTS, IDS), max_size=2).map(tuple),
    model=TEXTS,
    project=TEXTS,
)
OWN = "My own line, which ends in [[person-rosa]]"


def read(data: bytes) -> Summary:
    return read_summary(PATH, data).summary


def test_a_page_is_a_title_and_lines_that_end_in_their_sources() -> None:
    data = render_summary(PAGE)
    assert data.decode().replace(str(parse(data).header["digest"]), "DIGEST") == FILE
    found = read_summary(PATH, data)
    assert found.summary == PAGE and found.problems == ()


@given(PAGES)
@examples(200)
def test_what_is_read_of_a_written_page_is_the_page_whatever_its_texts(page: Summary) -> None:
    data = render_summary(page)
    found = read_summary(PATH, data)
    assert found.problems == () and not found.summary.edited
    assert render_summary(found.summary) == data, "inert texts are written as they are"
    assert len(found.summary.decisions) <= len(page.decisions)
    for line in data.decode().partition("\n---\n")[2].splitlines():
        assert line.endswith("]]") or not line or line.startswith(("# ", "## ")), line


@given(PAGES, PAGES)
@examples(100)
def test_a_change_writes_the_lines_that_differ_and_keeps_what_a_person_wrote(
    one: Summary, other: Summary
) -> None:
    data = render_summary(one) + f"{OWN}\n\n## Mine\n\n- {OWN}\n".encode()
    before = read(data)
    assert not before.edited
    after = read(summary_changes(data, before, replace(other, path=PATH)))
    assert after == read(render_summary(other))
    assert summary_changes(data, before, after).decode().count(OWN) == 2


def test_a_page_with_lines_that_a_person_changed_is_theirs() -> None:
    data = render_summary(PAGE).replace(b"Port 5433 is used.", b"Port 5434 is used.")
    edited = read(data)
    assert edited.edited and edited.facts[0].text == "Port 5434 is used."
    with pytest.raises(Conflict, match="changed by a person"):
        summary_changes(data, edited, PAGE)
    left = without_memories(edited, {TWO})
    assert left is not None and left.facts == edited.facts and left.status == "superseded"
    changed = summary_changes(data, edited, left)
    assert b"5434" in changed and TWO.encode() not in changed and read(changed).edited
    told = data.replace(b"## Key facts", b"Seen by me.\n\n## Key facts").replace(b"5434", b"5433")
    assert not read(told).edited, "a line beside those of the program is no edit of them"


def test_a_page_without_its_sources_goes_unless_a_person_wrote_on_it() -> None:
    data = render_summary(PAGE)
    assert summary_remains(data, PAGE) is None
    kept = summary_remains(data + b"\nAsk Rosa.\n", PAGE)
    assert kept is not None and b"Ask Rosa." in kept and b"Postgres" not in kept
    assert read(kept).status == "superseded" and not read(kept).memories


def test_a_line_of_several_sources_goes_with_any_of_them() -> None:
    three = replace(PAGE, consolidates=(ONE, TWO, "fact-3"))
    more = replace(
        three, summary=(*PAGE.summary, SummaryLine("Backups run at night.", ("fact-3",)))
    )
    left = without_memories(more, {ONE})
    assert left is not None and left.consolidates == (TWO, "fact-3")
    assert [line.text for line in left.summary] == ["Backups run at night."] and not left.facts
    assert left.title == "Backups run at night.", "the old title has words that no line has now"
    assert without_memories(more, {OLD}) == replace(more, replaced=())
    assert without_memories(PAGE, {ONE}) is None, "one source is left"
    assert without_memories(three, {TWO}) is None, "no line of the summary is left"
    assert without_memories(more, {"fact-9"}) == more


@pytest.mark.parametrize(
    ("data", "id", "problem"),
    [
        (b"", "sum-4be1f09a", "no header"),
        (b"---\nid: Sum One\ncreated: soon\n---\n- a [[fact-1]]\n", "sum-4be1f09a", "is no id"),
        (b"---\nid: sum-1\nconsolidates: [[a\n---\n# T\n", "sum-1", "consolidates"),
        (b"---\nid: sum-1\nconfidence: 7\nstatus: new\n---\n", "sum-1", "no number"),
        (b"---\nid: sum-1\nconsolidates:\n", "sum-4be1f09a", "unclosed"),
        (b"\xff\xfe---", "sum-4be1f09a", "UTF-8"),
    ],
)
def test_a_broken_header_is_told_and_read_as_far_as_it_goes(
    data: bytes, id: str, problem: str
) -> None:
    found = read_summary(PATH, data)
    assert found.summary.id == id and problem in "; ".join(found.problems)
    assert found.summary.edited and found.summary.status == "active"


@given(st.binary(max_size=200), st.binary(max_size=60))
@examples(100)
def test_any_bytes_are_read_and_changed_without_a_loss(head: bytes, tail: bytes) -> None:
    for data in (head, render_summary(PAGE) + b"\n" + tail, b"---\nid: sum-1\n---\n" + head):
        page = read(data)
        assert read(data) == page
        try:
            changed = summary_changes(data, page, replace(page, status="superseded"))
        except BadInput:
            continue
        assert read(changed).status == "superseded" or page.status == "superseded"


def test_a_long_hostile_page_is_read_in_one_pass() -> None:
    links = b"- " + b"[[fact-1]] " * 20_000 + b"x\n"
    head = render_summary(PAGE)
    for body in (links, b"- ~~" + b"~~ -> " * 30_000 + b"\n", b"- [[" * 50_000, b"#" * 200_000):
        assert read(head + body).facts == PAGE.facts


def test_what_put_a_memory_out_of_use_does_so_with_a_page() -> None:
    for status, read_as in (("retired", "superseded"), ("needs-review", "active"), ("x", "active")):
        data = render_summary(PAGE).replace(b"status: active", f"status: {status}".encode())
        assert read(data).status == read_as
