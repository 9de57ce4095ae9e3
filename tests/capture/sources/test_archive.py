"""Archives read in place: which members, in which order, and what is refused."""

from __future__ import annotations

import io
import re
import zipfile
from contextlib import suppress
from pathlib import PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.capture.sources.formats import zip_archive
from engram.capture.sources.formats.zip_archive import documents, glimpses
from engram.model.errors import BadInput
from engram.model.ports import SourceReading
from tests.capture.sources.reader import Noon
from tests.effort import examples

WANTED = (re.compile(r"(?:\A|/)b\.json\Z"), re.compile(r"(?:\A|/)a\d*\.json\Z"))


def packed(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as whole:
        for name, data in members.items():
            # of no day: the bytes name a test, in each worker alike
            whole.writestr(zipfile.ZipInfo(name), data, method)
    return out.getvalue()


def read(data: bytes) -> tuple[dict[str, bytes], SourceReading]:
    reading = SourceReading("x", Noon(), path=PurePath("/exports/x.json"))
    found = {}
    for name, document in documents(io.BytesIO(data), reading, WANTED):
        pieces = []
        while piece := document.read(7):
            pieces.append(piece)
        found[name] = b"".join(pieces)
    return found, reading


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
def test_the_wanted_members_come_in_the_order_of_the_patterns_and_of_their_names(
    method: int,
) -> None:
    data = packed(
        {
            "a10.json": b"4", "in/a1.json": b"3", "../../b.json": b"2", "other.json": b"x",
            "__MACOSX/a1.json": b"x", ".hidden/b.json": b"1", "._b.json": b"x",
        },
        method,
    )  # fmt: skip
    found, reading = read(data)
    assert list(found.items()) == [
        ("../../b.json", b"2"), (".hidden/b.json", b"1"), ("a10.json", b"4"), ("in/a1.json", b"3"),
    ]  # fmt: skip
    assert not reading.tally.unknown


def test_a_file_that_is_no_archive_is_its_own_document() -> None:
    assert read(b'{"a": 1}')[0] == {"x.json": b'{"a": 1}'}


@pytest.mark.parametrize(
    "data",
    [
        b"PK\x03\x04",
        b"PK\x03\x04" + b"\0" * 100,
        b"PK\x05\x06" + b"\0" * 18,
        packed({"c.txt": b""}),
    ],
)
def test_an_archive_that_cannot_be_used_is_refused(data: bytes) -> None:
    with pytest.raises(BadInput):
        read(data)


def test_an_archive_that_holds_only_archives_says_so() -> None:
    with pytest.raises(BadInput) as refused:
        read(packed({"part-000.zip": packed({"b.json": b"1"})}))
    assert "unpack" in refused.value.hint


def test_an_endless_directory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zip_archive, "MAX_DIRECTORY", 2000)
    assert read(packed({"b.json": b"1"}))[0] == {"b.json": b"1"}
    with pytest.raises(BadInput):
        read(packed({"b.json": b"1"} | {f"{n}.txt": b"" for n in range(100)}))


def marked_encrypted(data: bytes) -> bytes:
    whole = bytearray(data)
    whole[6] |= 1
    whole[whole.index(b"PK\x01\x02") + 8] |= 1
    return bytes(whole)


@pytest.mark.parametrize(
    ("data", "limits", "why"),
    [
        (marked_encrypted(packed({"b.json": b"1"})), {}, "encrypted member"),
        (packed({"b.json": b"1"}, zipfile.ZIP_BZIP2), {}, "member packed in another way"),
        (packed({"b.json": b"1" * 100}), {"MAX_SIZE": 99}, "member too large"),
        (packed({"b.json": b"1" * 90_000}), {"_SMALL": 10}, "member packed too densely"),
        (packed({"b.json": b"1"}), {"MAX_MEMBERS": 0}, "too many members"),
    ],
)
def test_a_member_that_may_do_harm_is_refused_and_counted(
    monkeypatch: pytest.MonkeyPatch, data: bytes, limits: dict[str, int], why: str
) -> None:
    for name, value in limits.items():
        monkeypatch.setattr(zip_archive, name, value)
    found, reading = read(data)
    assert found == {}
    assert reading.tally.unknown == {why: 1}
    assert reading.tally.unparsed_lines == 1


def test_what_is_too_large_together_is_refused_from_there_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(zip_archive, "MAX_SIZE", 15)
    found, reading = read(packed({"b.json": b"1" * 10, "a1.json": b"2" * 10, "a2.json": b"3"}))
    assert list(found) == ["b.json", "a2.json"]
    assert reading.tally.unknown == {"member too large": 1}


def test_an_archive_in_the_archive_is_counted() -> None:
    found, reading = read(packed({"b.json": b"1", "more.zip": packed({"b.json": b"2"})}))
    assert found == {"b.json": b"1"}
    assert reading.tally.unknown == {"archive in the archive": 1}


def test_a_damaged_member_costs_no_other() -> None:
    data = packed({"b.json": b"long enough" * 9, "a1.json": b"2"}, zipfile.ZIP_STORED)
    found, reading = read(data.replace(b"long", b"wrong"[:4], 1))
    assert found["a1.json"] == b"2"
    assert reading.tally.unknown == {"damaged member": 1}


def test_glimpses_show_names_and_beginnings() -> None:
    data = packed({"one.json": b"[1, 2]" * 50, "two.txt": b"words"})
    assert list(glimpses(data)) == [("one.json", b"[1, 2]" * 50), ("two.txt", b"words")]
    out = io.BytesIO()

    class Pipe(io.RawIOBase):
        """A place to write to that cannot go back: sizes stand behind the members."""

        def writable(self) -> bool:
            return True

        def write(self, data: object, /) -> int:
            return out.write(data)  # type: ignore[arg-type]

    with zipfile.ZipFile(Pipe(), "w", zipfile.ZIP_DEFLATED) as whole:
        whole.writestr("one.json", b"[1, 2]" * 50)
        whole.writestr("two.txt", b"words")
    assert list(glimpses(out.getvalue())) == list(glimpses(data))
    assert next(glimpses(data[:45]))[0] == "one.json"
    assert list(glimpses(b"PK\x03\x04")) == []


@examples(50)
@given(st.data())
def test_a_mutilated_archive_is_read_or_refused(data: st.DataObject) -> None:
    whole = bytearray(packed({"b.json": b'[{"a": 1}]' * 9, "a1.json": b"2", "x.zip": b"PK"}))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(4, len(whole) - 1))
        whole[at] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(4, len(whole)))
    list(glimpses(bytes(whole[:cut])))
    for one in (bytes(whole), bytes(whole[:cut])):
        with suppress(BadInput):
            read(one)
