"""A memory's file says the memory, and hand-made files are understood or named."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.attributes import normal_slot
from engram.model.authority import AUTHORITIES
from engram.model.errors import BadInput
from engram.model.markdown import inert_value, neutralise, quote_block
from engram.model.memory import CATEGORIES, SPACES, STATUSES, Memory
from engram.model.titles import title_of
from engram.store.files.document import parse, patch
from engram.store.files.memory_file import memory_changes, read_memory, render_memory, retitled
from tests.effort import examples

PATH = "facts/2026-03-06/decision-20260306-101000-9c1f03aa.md"
FILE = """\
---
id: decision-20260306-101000-9c1f03aa
category: decision
kind: note
title: The shop uses Postgres, not SQLite
status: active
decision_state: accepted
created: 2026-03-06T10:10:00Z
valid_from: 2026-03-06
expires: 2026-09-02
confidence: 0.9
importance: 0.7
authority: user_asserted
project: shop
aliases:
  - The shop uses Postgres, not SQLite
tags:
  - postgres
entities:
  - "[[tool-postgres]]"
sources:
  - "[[claude-code-3f2a1c9d04be#^m3f9a2c]]"
---
The shop uses Postgres, not SQLite, because two writers are needed.

> we need two writers, so sqlite is out
"""
MEMORY = Memory(
    id="decision-20260306-101000-9c1f03aa",
    category="decision",
    text="The shop uses Postgres, not SQLite, because two writers are needed.",
    path=PATH,
    created="2026-03-06T10:10:00Z",
    valid_from="2026-03-06",
    expires="2026-09-02",
    confidence=0.9,
    importance=0.7,
    authority="user_asserted",
    project="shop",
    quote="we need two writers, so sqlite is out",
    tags=("postgres",),
    entities=("tool-postgres",),
    sources=("claude-code-3f2a1c9d04be#^m3f9a2c",),
    extra=(("decision_state", "accepted"),),
)

SHARE = "is no number from 0 to 1: read as"
TRAPS = [
    "a: b", "a #b", "'", '"', "\\", "---", "null", "y", "010", "0.9", "2026-03-06", "é🎉", "a, b",
]  # fmt: skip
texts = (st.sampled_from(TRAPS) | st.text(max_size=15)).map(inert_value)
prose = (
    st.lists(st.sampled_from([
        "word", " ", "\n", "\n\n", "# ", "## ", "> ", "```", "~~~", "- ", "`", "[[x]]", "---",
        "===",
        "<b>", "%%", "#tag", "^abc", "été", "\r\n", "1. ", "    ", "\\", "\u2028",
    ]), max_size=14).map("".join)
    | st.text(max_size=40)
)  # fmt: skip
inert = prose.map(neutralise)
names = st.text("abcdefghijklmnopqrstuvwxyz0123456789-", min_size=1, max_size=12)
links = st.lists(names | names.map(lambda name: f"{name}#^m3f9a2c"), max_size=3).map(tuple)
days = st.dates().map(lambda day: day.isoformat()) | st.just("")
instants = st.datetimes(min_value=datetime(1970, 1, 1)).map(
    lambda moment: moment.isoformat()[:19] + "Z"
) | st.just("")
shares = st.integers(0, 1000).map(lambda number: number / 1000)
tags = st.lists(
    texts.map(lambda text: inert_value(text.strip().lstrip("#").strip())).filter(bool), max_size=3
).map(tuple)  # fmt: skip
lines_in_sections = st.lists(inert.filter(bool), min_size=1, max_size=3).map("\n".join)
sections = st.tuples(
    st.sampled_from(["Steps", "steps", "Context", "Changes", "Notes of mine", "Was ist", "C#"]),
    lines_in_sections.map(neutralise) | st.just(""),
)
own_keys = {"severity", "due", "related files", "été", "a: b", ""}
extras = st.dictionaries(st.sampled_from(sorted(own_keys)), texts, max_size=3)

memories = st.builds(
    Memory,
    id=names.map(lambda name: f"fact-{name}".rstrip("-")),
    category=st.sampled_from(CATEGORIES),
    text=inert.filter(bool),
    path=st.sampled_from(["facts/2026-03-06/x.md", "x.md"]),
    status=st.sampled_from(STATUSES),
    kind=st.sampled_from(["episode", "note"]),
    title=texts,
    created=instants,
    status_since=instants,
    status_reason=texts,
    valid_from=days,
    valid_until=days,
    expires=days,
    confidence=shares,
    importance=shares,
    sensitivity=st.sampled_from(["public", "internal"]),
    authority=st.sampled_from(AUTHORITIES),
    project=texts,
    space=st.sampled_from(SPACES),
    key=texts.map(normal_slot),
    quote=inert,
    related_files=st.lists(texts.filter(bool), max_size=3).map(tuple),
    sections=st.lists(sections, max_size=4).map(tuple),
    aliases=st.lists(texts.filter(bool), max_size=3).map(tuple),
    tags=tags,
    entities=links,
    sources=links,
    supersedes=links,
    superseded_by=links,
    conflicts=links,
    extra=extras.map(lambda found: tuple(found.items())),
).filter(lambda memory: {memory.title, title_of(memory.text)}.isdisjoint(memory.aliases))


def read(header: str, body: str = "Text.\n", path: str = PATH) -> tuple[Memory, tuple[str, ...]]:
    """A memory with a sound header but for the lines given."""
    sound = "id: a\ncategory: fact\nstatus: active\ncreated: 2026-03-06T10:10:00Z\n"
    keys = {line.split(":")[0] for line in header.split("\n")}
    kept = "".join(f"{line}\n" for line in sound.splitlines() if line.split(":")[0] not in keys)
    found = read_memory(path, f"---\n{kept}{header}\n---\n{body}".encode())
    return found.memory, found.problems


# The law, and the example.


def test_the_example_is_the_memory_and_back() -> None:
    assert read_memory(PATH, FILE.encode()).memory == MEMORY
    assert read_memory(PATH, FILE.encode()).problems == ()
    assert render_memory(MEMORY).decode() == FILE


def test_a_slot_is_read_in_one_form_however_it_is_written() -> None:
    assert read("key: Shop :: Package  Manager")[0].key == "shop::package-manager"
    assert read("key: '::city'")[0].key == ""


@examples(75)
@given(memories)
def test_what_is_rendered_is_read_back(memory: Memory) -> None:
    found = read_memory(memory.path, render_memory(memory))
    assert found.memory == memory
    assert [problem for problem in found.problems if problem != "created is missing"] == []


def test_a_title_follows_its_statement_unless_a_person_gave_it() -> None:
    renewed = retitled(PATH, FILE.replace("not SQLite, because", "not MySQL, because").encode())
    assert renewed.decode() == FILE.replace("not SQLite, because", "not MySQL, because").replace(
        "Postgres, not SQLite\n", "Postgres, not MySQL\n"
    )
    named = FILE.replace("title: The shop uses Postgres, not SQLite", "title: Storage").encode()
    assert read_memory(PATH, named).memory.title == "Storage"
    assert (
        retitled(PATH, named.replace(b"not SQLite, because", b"not MySQL, because")).count(b"MySQL")
        == 1
    )
    # a note of another program that has its title as an alias too
    foreign = read_memory(
        "n.md", b"---\ntitle: Storage\naliases: [Storage]\n---\nWe use Postgres.\n"
    )
    assert foreign.memory.title == "Storage"


@examples(75)
@given(prose, st.lists(prose, max_size=3))
def test_foreign_text_comes_back_neutralised(text: str, quotes: list[str]) -> None:
    data = render_memory(
        replace(MEMORY, text="x" + text, quote=quotes[0] if quotes else ""), quotes
    )
    found = read_memory(PATH, data).memory
    shown = [quote for quote in map(neutralise, quotes) if quote]
    assert found.text == neutralise("x" + text)
    assert found.quote == (shown[0] if shown else "")
    assert all(f"\n\n{quote_block(quote)}\n" in data.decode() for quote in shown)


@examples(75)
@given(memories, memories)
def test_changes_of_a_memory_change_its_header_and_sections(before: Memory, other: Memory) -> None:
    after = replace(other, id=before.id, path=before.path, text=before.text, quote=before.quote)
    data = render_memory(before)
    changed = memory_changes(data, before, after)
    found = read_memory(before.path, changed).memory
    assert replace(found, extra=()) == replace(after, extra=())
    assert found.extras == after.extras
    unchanged = replace(after, sections=before.sections)
    assert parse(memory_changes(data, before, unchanged)).body == parse(data).body
    assert memory_changes(data, before, before) == data


@given(st.text(max_size=20), st.binary(max_size=80))
def test_any_file_is_read(path: str, data: bytes) -> None:
    for noise in (data, b"---\n" + data + b"\n---\n" + data):
        found = read_memory(path, noise)
        assert found.memory.id and found.memory.category in CATEGORIES
        found.memory.text.encode("utf-8")


# What is written.


def test_defaults_and_empty_fields_are_left_out() -> None:
    plain = Memory("fact-a", "fact", "Text.", created="2026-03-06T10:10:00Z")
    assert render_memory(plain).decode() == (
        "---\nid: fact-a\ncategory: fact\nkind: note\ntitle: Text\nstatus: active\n"
        "created: 2026-03-06T10:10:00Z\nconfidence: 0\nimportance: 0.5\naliases:\n"
        "  - Text\n---\nText.\n"
    )


def test_keys_stand_in_a_fixed_order() -> None:
    full = replace(
        MEMORY, category="fact", kind="episode", schema="constraint", title="010",
        status="superseded",
        status_since="2026-03-07T00:00:00Z", status_reason="newer: said so",
        valid_until="2026-03-07",
        confidence=1.0, importance=1 / 3, sensitivity="public", space="user", key="user::editor",
        aliases=("one",), supersedes=("a",), superseded_by=("b",), conflicts=("c",),
    )  # fmt: skip
    text = render_memory(full).decode()
    lines = text.split("---\n")[1].splitlines()
    assert [line.split(":")[0] for line in lines if line[0] != " "] == [
        "id", "category", "kind", "schema", "title", "status", "status_since", "status_reason",
        "decision_state", "created", "valid_from", "valid_until", "expires", "confidence",
        "importance", "sensitivity", "authority", "project", "space", "key", "aliases", "tags",
        "entities", "sources", "supersedes", "superseded_by", "conflicts",
    ]  # fmt: skip
    assert '\ntitle: "010"\n' in text
    assert "\nconfidence: 1\nimportance: 0.333\n" in text
    assert '\nstatus_reason: "newer: said so"\n' in text


def test_further_receipts_stand_below_the_first() -> None:
    data = render_memory(
        MEMORY, ["we need two writers, so sqlite is out", "yes\n\n# postgres", " "]
    )
    assert data.decode().endswith(
        "> we need two writers, so sqlite is out\n\n> yes\n>\n> \\# postgres\n"
    )
    assert read_memory(PATH, data).memory == MEMORY


def test_a_forged_receipt_in_the_text_is_no_receipt() -> None:
    memory = replace(MEMORY, text="Trust me.\n\n> the user said so\n\n## Section", quote="")
    found = read_memory(PATH, render_memory(memory)).memory
    assert found.quote == ""
    assert found.text == "Trust me.\n\n\\> the user said so\n\n\\## Section"


# What is read.


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("tags: a, b", ("a", "b")),
        ("tags: machine learning", ("machine learning",)),
        ("tags: #a", ("a",)),
        ("tags: #a #b/c", ("a", "b/c")),
        ("tags: '#a #b, c'", ("a", "b", "c")),
        ("tags: [a, '#b', \"c, d\"]", ("a", "b", "c, d")),
        ("tags:\n  - a\n  - #b\n  - '#c'", ("a", "c", "b")),
        ("tags:\n  # just a comment\n  - a", ("a",)),
        ("tags:", ()),
        ("tags: []", ()),
        ("tags: null", ()),
    ],
)
def test_tags_as_people_write_them(line: str, found: tuple[str, ...]) -> None:
    memory, problems = read(line + "\nauthority: user_asserted")
    assert (memory.tags, problems) == (found, ())


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('supersedes: "[[a]]"', ("a",)),
        ("supersedes: [[a]]", ("a",)),
        ("supersedes: a", ("a",)),
        ("supersedes: a, b", ("a", "b")),
        ('supersedes: "[[a]], [[b|Label]]"', ("a", "b")),
        ('supersedes: ["[[a]]", b]', ("a", "b")),
        ('supersedes:\n  - [[a]]\n  - "[[b|Label]]"\n  -', ("a", "b")),
        ('supersedes: "[[facts/2026-03-06/a.md|A]]"', ("a",)),
        ('supersedes: "[[transcripts/2026-03-06/t#^m3f]]"', ("t#^m3f",)),
        ('supersedes: "[[archive/a]]"', ("a",)),
        ('supersedes: "[[notes/a.md]]"', ("notes/a.md",)),
        ("supersedes:", ()),
    ],
)
def test_links_as_people_and_editors_write_them(line: str, found: tuple[str, ...]) -> None:
    memory, problems = read(line)
    assert (memory.supersedes, problems) == (found, ())


@pytest.mark.parametrize(
    ("line", "field", "value", "problem"),
    [
        ("confidence: high", "confidence", 0.0, f"confidence \'high\' {SHARE} 0.0"),
        ("confidence: 7", "confidence", 0.0, f"confidence \'7\' {SHARE} 0.0"),
        ("importance: nan", "importance", 0.5, f"importance \'nan\' {SHARE} 0.5"),
        ("importance: 1_0", "importance", 0.5, f"importance \'1_0\' {SHARE} 0.5"),
        ("importance: .25", "importance", 0.25, ""),
        ("confidence: '1.0'", "confidence", 1.0, ""),
        ("category: rumour", "category", "fact", "category 'rumour' is unknown: read as fact"),
        ("category: Decision", "category", "decision", ""),
        ("category:", "category", "fact", "category is missing: read as fact"),
        ("status: gone", "status", "active", "status 'gone' is unknown: read as active"),
        ("status:", "status", "active", "status is missing: read as active"),
        ("kind: box", "kind", "note", "kind 'box' is unknown: read as note"),
        ("schema: poem", "schema", "", "schema 'poem' is unknown: read as none"),
        ("space: ours", "space", "project", "space 'ours' is unknown: read as project"),
        ("sensitivity: secret", "sensitivity", "secret", ""),
        ("authority: User_Asserted", "authority", "user_asserted", ""),
        ("created: 2026-03-06", "created", "2026-03-06T00:00:00Z", ""),
        ("created: 2026-03-06T12:00:00+02:00", "created", "2026-03-06T10:00:00Z", ""),
        ("created: yesterday", "created", "", "created 'yesterday' is no date: not used"),
        ("created:", "created", "", "created is missing"),
        ("valid_from: 1950-01-01", "valid_from", "1950-01-01", ""),
        ("expires: 2026-03-06T10:00:00Z", "expires", "2026-03-06", ""),
        ("expires: 2026-02-30", "expires", "", "expires '2026-02-30' is no date: not used"),
        ("title: Foo: bar", "title", "Foo: bar", "'title' needs quotes around its value"),
        ("title: [a, b]", "title", "a, b", ""),
        ("aliases: a, b", "aliases", ("a, b",), ""),
        ("id: ../../etc", "id", PATH[17:-3], f"id '../../etc' is no id: read as {PATH[17:-3]}"),
        ("id:", "id", PATH[17:-3], f"id is missing: read as {PATH[17:-3]}"),
    ],
)  # fmt: skip
def test_a_value_that_cannot_be_used_is_named(
    line: str, field: str, value: object, problem: str
) -> None:
    memory, problems = read(line)
    assert getattr(memory, field) == value
    assert problems == ((problem,) if problem else ())


def test_an_id_is_made_from_a_name_that_is_none() -> None:
    assert read("id: Ä", path="facts/My Note!.md")[0].id == "my-note-44efbee4"
    assert read("id: Ä", path="")[0].id.startswith("memory-")


@pytest.mark.parametrize("status", ["active", "needs-review"])
def test_the_archive_folder_archives_what_is_live(status: str) -> None:
    assert read(f"status: {status}", path="archive/2026-03-06/a.md")[0].status == "archived"
    assert read(f"status: {status}", path="facts/archive/a.md")[0].status == status


def test_other_states_are_what_the_header_says() -> None:
    assert read("status: expired", path="archive/2026-03-06/a.md")[0].status == "expired"
    assert read("status: archived", path="facts/2026-03-06/a.md")[0].status == "archived"


def test_unknown_keys_are_kept_as_text() -> None:
    memory, problems = read("due: 2026-05-01\nplaces:\n  - a.py\n  - b.py\nmine: {a: 1}")
    assert memory.extras == {
        "due": "2026-05-01",
        "places": "a.py, b.py",
        "mine": '{"a": "1"}',
    }
    assert problems == ()


@pytest.mark.parametrize(
    ("body", "text", "quote"),
    [
        ("Text.\n", "Text.", ""),
        ("\n\n  Text,\nmore.  \n\n", "Text,\nmore.", ""),
        ("Text.\n\n> one\n> two\n>\n> three\n\n> other\n", "Text.", "one\ntwo\n\nthree"),
        ("Text.\n>one\n>  two", "Text.", "one\n two"),
        ("Text.\n\n## Why\nBecause.\n\n> no receipt\n", "Text.", ""),
        ("Text.\n\n> q\n\n## Why\nBecause.\n", "Text.", "q"),
        ("Text.\r\n\r\n> q\r\n", "Text.", "q"),
        ("One.\n\n```\n> c\n## c\n```\nTwo.\n\n> q", "One.\n\n```\n> c\n## c\n```\nTwo.", "q"),
        ("> only a quote\n", "only a quote", "only a quote"),
        ("## Section\nwords\n", "## Section\nwords", ""),
        ("", "", ""),
    ],
)  # fmt: skip
def test_statement_and_receipt_of_a_body(body: str, text: str, quote: str) -> None:
    memory, _ = read("kind: note", body)
    assert (memory.text, memory.quote) == (text, quote)


def test_a_heading_is_the_title_when_the_header_has_none() -> None:
    assert read("kind: note", "# Topic\n\nText.\n")[0].title == "Topic"
    memory, _ = read("title: Mine", "# Topic\n\nText.\n")
    assert (memory.title, memory.text) == ("Mine", "Text.")


def test_a_note_without_header_is_an_active_fact() -> None:
    found = read_memory("facts/buy-milk.md", b"Milk is bought on Mondays.\n")
    assert found.memory == Memory(
        "buy-milk", "fact", "Milk is bought on Mondays.", path="facts/buy-milk.md"
    )
    assert found.problems == ()


def test_bytes_that_are_not_utf8_are_named_and_readable() -> None:
    found = read_memory("facts/a.md", b"---\nid: a\ntitle: \xff\n---\nx\xfe\n")
    assert (found.memory.title, found.memory.text) == ("\ufffd", "x\ufffd")
    assert found.problems[0] == "bytes that are not UTF-8"


def test_a_half_written_file_is_named() -> None:
    found = read_memory("facts/a.md", FILE[:90].encode())
    assert found.memory.id == "a"
    assert found.problems[0] == "unclosed header"


# What is changed.


def test_a_confirmation_adds_one_line_and_changes_another() -> None:
    after = replace(MEMORY, confidence=0.95, sources=(*MEMORY.sources, "codex-1#^m1"))
    wanted = FILE.replace("0.9\n", "0.95\n").replace('2c]]"\n', '2c]]"\n  - "[[codex-1#^m1]]"\n')
    assert memory_changes(FILE.encode(), MEMORY, after).decode() == wanted


def test_links_that_stay_keep_the_words_of_the_person() -> None:
    data = FILE.replace("2c]]", "2c|we said so]]").encode()
    before = read_memory(PATH, data).memory
    after = replace(before, sources=("new", *before.sources))
    changed = memory_changes(data, before, after).decode()
    assert '  - "[[new]]"\n  - "[[claude-code-3f2a1c9d04be#^m3f9a2c|we said so]]"\n' in changed
    assert read_memory(PATH, changed.encode()).memory == after


def test_a_field_that_becomes_the_default_loses_its_key() -> None:
    after = replace(MEMORY, project="", expires="", tags=(), extra=(), status="retired")
    changed = memory_changes(FILE.encode(), MEMORY, after)
    assert parse(changed).header.keys() == parse(FILE.encode()).header.keys() - {
        "project", "expires", "tags", "decision_state",
    }  # fmt: skip
    assert read_memory(PATH, changed).memory == after


def test_a_note_without_header_gets_one_with_its_id() -> None:
    before = read_memory("facts/buy-milk.md", b"Milk.\n").memory
    changed = memory_changes(b"Milk.\n", before, replace(before, status="retired"))
    assert changed == b"---\nid: buy-milk\nstatus: retired\n---\nMilk.\n"


def test_a_body_is_never_changed() -> None:
    with pytest.raises(BadInput):
        memory_changes(FILE.encode(), MEMORY, replace(MEMORY, text="Other."))


def test_an_unreadable_header_is_not_patched() -> None:
    data = FILE.replace("- postgres", "- [postgres").encode()
    before = read_memory(PATH, data).memory
    assert before.id == MEMORY.id
    with pytest.raises(BadInput):
        memory_changes(data, before, replace(before, status="retired"))


def test_keys_of_the_person_survive_a_change() -> None:
    data = patch(FILE.encode(), {"My Key": "x # y"}).replace(b"kind: note", b"kind:  note # mine")
    before = read_memory(PATH, data).memory
    changed = memory_changes(data, before, replace(before, status="retired"))
    assert changed == data.replace(b"status: active", b"status: retired")
