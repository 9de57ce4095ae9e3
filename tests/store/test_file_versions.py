"""Two versions of one file become one: nothing is lost, in any order, and twice is once."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.authority import AUTHORITIES
from engram.model.memory import STATUSES, Memory
from engram.store.files.box_file import read_box, render_box
from engram.store.files.content_file import same_meaning
from engram.store.files.entity_file import read_entity, render_entity
from engram.store.files.memory_file import read_memory, render_memory
from engram.store.files.transcripts import PURGED
from engram.store.merge.file_versions import merged_file, sides
from tests.kit import box, entity

PATH = "facts/2026-03-06/fact-20260306-101000-9c1f03aa.md"
BASE = Memory(
    "fact-20260306-101000-9c1f03aa", "fact", "The shop uses Postgres.", PATH,
    created="2026-03-06T10:10:00Z", confidence=0.8, quote="we use postgres", project="shop",
    sources=("test-000000000000#^m0000000001",), entities=("tool-postgres",),
)  # fmt: skip
_NAMES = st.lists(st.sampled_from(["a", "b", "c", "d"]), unique=True, max_size=4).map(tuple)
_DAYS = st.sampled_from(["", "2026-09-01", "2026-09-02", "2027-01-01"])
_TIMES = st.sampled_from(["", "2026-03-07T10:00:00Z", "2026-03-08T10:00:00Z"])
_LINKS = st.lists(
    st.sampled_from([f"test-000000000000#^m000000000{number}" for number in range(2, 6)]),
    unique=True, max_size=4,
).map(tuple)  # fmt: skip


@st.composite
def versions(draw: st.DrawFn) -> bytes:
    """What one machine may have made of the memory."""
    memory = replace(
        BASE,
        status=draw(st.sampled_from([one for one in STATUSES if one != "archived"])),
        status_since=draw(_TIMES),
        expires=draw(_DAYS),
        valid_until=draw(_DAYS),
        confidence=draw(st.sampled_from([0.4, 0.8, 0.95])),
        importance=draw(st.sampled_from([0.2, 0.5])),
        authority=draw(st.sampled_from(AUTHORITIES)),
        sources=(*BASE.sources, *draw(_LINKS)),
        tags=draw(_NAMES),
        superseded_by=draw(_NAMES),
        conflicts=draw(_NAMES),
    )
    own = draw(st.sampled_from(["", "mood: good\n", "seen:\n  - x\n", "# mine\n"]))
    data = render_memory(memory).replace(b"---\n", f"---\n{own}".encode(), 1)
    return data.replace(b"\n", b"\r\n") if draw(st.booleans()) else data


def memory_of(data: bytes) -> Memory:
    return read_memory(PATH, data).memory


@given(versions(), versions())
def test_it_says_the_same_whichever_comes_first_and_twice_is_once(one: bytes, other: bytes) -> None:
    found, back = merged_file(PATH, one, other), merged_file(PATH, other, one)
    assert found is not None and back is not None
    assert same_meaning(PATH, found, back)
    for version in (one, other):
        assert merged_file(PATH, found, version) == found
    assert merged_file(PATH, one, one) == one


@given(versions(), versions())
def test_no_receipt_tag_or_key_of_either_is_lost(one: bytes, other: bytes) -> None:
    found = merged_file(PATH, one, other)
    assert found is not None
    both = [memory_of(one), memory_of(other)]
    memory = memory_of(found)
    assert set(memory.sources) == {link for each in both for link in each.sources}
    assert set(memory.tags) == {tag for each in both for tag in each.tags}
    assert memory.sources[0] == BASE.sources[0]
    assert memory.confidence == max(each.confidence for each in both)
    days = [each.expires for each in both]
    assert memory.expires == ("" if "" in days else max(days))
    assert memory.status in {each.status for each in both}
    assert set(memory.extras) == {key for each in both for key in each.extras}
    assert not read_memory(PATH, found).problems


@given(versions(), versions(), versions())
def test_in_whatever_order_three_come_they_say_the_same(a: bytes, b: bytes, c: bytes) -> None:
    def all_of(*order: bytes) -> bytes:
        found: bytes | None = order[0]
        for data in order[1:]:
            assert found is not None
            found = merged_file(PATH, found, data)
        assert found is not None
        return found

    one, other = memory_of(all_of(a, b, c)), memory_of(all_of(c, a, b))
    for name in ("sources", "tags", "conflicts"):
        assert set(getattr(one, name)) == set(getattr(other, name))
    for name in ("expires", "confidence", "authority"):
        assert getattr(one, name) == getattr(other, name)


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        (b"uses Postgres", b"uses SQLite"),
        (b"project: shop", b"project: house"),
        (b"category: fact", b"category: decision"),
        (b"tool-postgres", b"tool-sqlite"),
        (b"kind: note", b"kind: note\nmood: bad"),
        (b"---\nid", b"--\nid"),
    ],
)
def test_what_only_a_person_can_decide_is_left_to_the_person(mine: bytes, theirs: bytes) -> None:
    one = render_memory(BASE).replace(b"---\n", b"---\nmood: good\n", 1)
    if b"mood" not in theirs:
        one = render_memory(BASE)
    assert merged_file(PATH, one, one.replace(mine, theirs)) is None


def test_the_end_of_a_memory_stands_before_what_still_has_it_live() -> None:
    over = replace(BASE, status="superseded", superseded_by=("fact-b",), valid_until="2026-03-07")
    asked = replace(BASE, status="needs-review", status_since="2026-03-08T10:00:00Z")
    for live in (BASE, asked):
        found = merged_file(PATH, render_memory(live), render_memory(over))
        assert found is not None and memory_of(found).status == "superseded"
    found = merged_file(PATH, render_memory(BASE), render_memory(over))
    assert found is not None
    assert memory_of(found).superseded_by == ("fact-b",) and not memory_of(found).live


def test_an_editors_other_style_is_no_other_version() -> None:
    data = render_memory(BASE)
    crlf = data.replace(b"\n", b"\r\n")
    assert merged_file(PATH, data, crlf) == data and merged_file(PATH, crlf, data) == crlf


# -- pages ---------------------------------------------------------------------------------------


def test_a_box_has_the_memories_of_both() -> None:
    path = "boxes/2026-03-06/box-00c0ffee.md"
    one = render_box(box("box-00c0ffee", "a", "b", path=path))
    other = render_box(box("box-00c0ffee", "a", "c", path=path)) + b"\nMy own line.\n"
    found = merged_file(path, one, other)
    assert found is not None and b"My own line." in found
    assert set(read_box(path, found).box.memories) == {"a", "b", "c"}
    assert merged_file(path, found, one) == found == merged_file(path, found, other)
    mine = one + b"\nAnother line of mine.\n"
    assert merged_file(path, mine, other) is None


def test_an_entity_has_the_time_lines_of_both() -> None:
    path = "entities/person-kim.md"
    one = render_entity(entity("person-kim", "a", "b"))
    other = render_entity(entity("person-kim", "a", "b", "c", aliases=("Kimmy",)))
    found = merged_file(path, one, other)
    assert found is not None
    page = read_entity(path, found).entity
    assert [line[1] for line in page.timeline] == ["a", "b", "c"] and page.aliases == ("Kimmy",)
    assert merged_file(path, other, one) == found


def test_of_plain_pages_the_one_that_has_every_line_stays() -> None:
    short, long = b"# Me\n- tea\n", b"# Me\n- tea\n- no milk\n"
    assert merged_file("profile.md", short, long) == long == merged_file("profile.md", long, short)
    assert merged_file("profile.md", b"a\nb\n", b"a\nc\n") is None


# -- transcripts ---------------------------------------------------------------------------------

TALK = "transcripts/2026-03-06/test-000000000000.md"


def talk(*blocks: str, extracted: str = "", **words: str) -> bytes:
    """A transcript of blocks by their last digit, which is also their minute."""
    mark = f"extracted: {extracted and f'm000000000{extracted}'}\n" if extracted else ""
    said = {one: words.get(f"b{one}", f"Said {one}") for one in blocks}
    body = "".join(
        f"**user** 2026-03-06 10:0{one}:00 ^m000000000{one}\n\n{text}\n\n"
        for one, text in said.items()
    )
    return f"---\nsource: test\nsession: s\n{mark}---\n# test, 2026-03-06\n\n{body}".encode()


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (talk("1", "2"), talk("1", "2", "3"), talk("1", "2", "3")),
        (talk("1", "2", "5"), talk("1", "3", "5"), talk("1", "2", "3", "5")),
        (talk("1"), talk("2"), talk("1", "2")),
        (talk("1", "2", extracted="2"), talk("1", "2", extracted="1"),
         talk("1", "2", extracted="2")),
        (talk("1", "2", "3", extracted="2"), talk("1", "2", "4", extracted="4"),
         talk("1", "2", "3", "4", extracted="2")),
        (talk("1", b1=PURGED), talk("1", "2"), talk("1", "2", b1=PURGED)),
        (talk("1"), talk("1", b1="Said otherwise"), None),
        (talk("1", "2"), talk("2", "1"), None),
    ],
)  # fmt: skip
def test_transcripts_have_every_block_and_a_mark_that_holds(
    one: bytes, other: bytes, both: bytes | None
) -> None:
    assert merged_file(TALK, one, other) == both
    assert merged_file(TALK, other, one) == both
    if both is not None:
        assert merged_file(TALK, both, one) == both == merged_file(TALK, both, other)


_BLOCKS = st.lists(st.sampled_from("123456789"), unique=True).map(sorted)


@given(_BLOCKS, _BLOCKS)
def test_no_block_of_either_transcript_is_lost(one: list[str], other: list[str]) -> None:
    found = merged_file(TALK, talk(*one), talk(*other))
    assert found == talk(*sorted({*one, *other}))


# -- git -----------------------------------------------------------------------------------------


def marked(one: str, other: str, older: str | None = None) -> bytes:
    between = f"||||||| base\n{older}" if older is not None else ""
    return f"a\n<<<<<<< HEAD\n{one}{between}=======\n{other}>>>>>>> theirs\nz\n".encode()


def test_the_sides_of_a_file_that_git_marked() -> None:
    assert sides(marked("b\n", "c\n")) == (b"a\nb\nz\n", b"a\nc\nz\n")
    assert sides(marked("", "c\n", "o\n")) == (b"a\nz\n", b"a\nc\nz\n")
    assert sides(marked("b\n", "c\n").replace(b"\n", b"\r\n")) == (
        b"a\r\nb\r\nz\r\n", b"a\r\nc\r\nz\r\n",
    )  # fmt: skip
    assert sides(b"a\n=======\n") is None
    assert sides(b"<<<<<<< a\nb\n") is None
    assert sides(marked("<<<<<<< again\n", "c\n")) is None
    assert sides(b"<<<<<<<a\n=======\n>>>>>>> b\n") is None


@given(st.lists(st.sampled_from(["a\n", "<<<<<<< x\n", "||||||| o\n", "=======\n", ">>>>>>> y\n"])))
def test_marks_in_any_order_are_read_or_left(lines: list[str]) -> None:
    found = sides("".join(lines).encode())
    if found is not None:
        assert not any(mark in side for side in found for mark in (b"<<<", b"|||", b"===", b">>>"))
