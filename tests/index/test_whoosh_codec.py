"""The codec of bags: what is written is read back, merged or not; what is damaged is refused."""

from __future__ import annotations

from array import array
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from whoosh import index
from whoosh.filedb.structfile import BufferFile

from engram.index import whoosh_codec
from engram.index.segment_writer import Bags, BagWriter
from engram.index.whoosh_codec import BODY, Keys, column_of_keys, decoded, encoded, numbers
from engram.index.whoosh_index import SCHEMA, CollectionReader
from tests.effort import examples

CELLS = {"length": b"\1\0", "day": b"\0\0", "place": bytes(8), "prior": b"\0"}

rising = st.lists(st.integers(0, (1 << 32) - 1), min_size=1, max_size=40, unique=True).map(sorted)
#: key -> the weights of its terms, None for one that is taken out
batches_of_bags = st.lists(
    st.dictionaries(
        st.text("abcdef", min_size=1, max_size=2),
        st.none() | st.dictionaries(st.sampled_from("uvwxyz"), st.integers(1, 400), max_size=5),
        max_size=12,
    ),
    max_size=8,
)
Postings = dict[str, dict[str, int]]


def block(documents: list[int], weights: bytes) -> bytes:
    return encoded(array("I", documents), weights)


@given(rising, st.data())
def test_any_postings_come_back_as_they_were(documents: list[int], data: st.DataObject) -> None:
    weights = data.draw(st.binary(min_size=len(documents), max_size=len(documents)))
    before = data.draw(st.binary(max_size=9))
    file = BufferFile(memoryview(before + block(documents, weights) + b"what follows"))
    assert decoded(file, len(before)) == (array("I", documents), weights)


@pytest.mark.parametrize(
    ("documents", "typecode"),
    [
        ([0], "B"), ([255], "B"), ([256], "H"), ([3, 258], "B"), ([3, 259], "H"),
        ([65_535], "H"), ([65_536], "I"), ([0, 65_536], "I"), ([(1 << 32) - 1], "I"),
    ],
)  # fmt: skip
def test_gaps_take_the_smallest_type_that_holds_them(documents: list[int], typecode: str) -> None:
    packed = block(documents, bytes(len(documents)))
    assert chr(packed[0]) == typecode
    width = array(typecode).itemsize
    assert len(packed) == 5 + len(documents) * (width + 1)


def test_a_weight_beyond_what_a_byte_holds_is_clipped() -> None:
    pool = Bags()
    pool.add(4, {"tea": 256})
    pool.add(7, {"tea": 255})
    assert list(pool.rows()) == [(BODY + b"tea", array("I", [4, 7]), b"\xff\xff")]
    pool.cleanup()
    assert list(pool.rows()) == []


def test_terms_are_given_in_the_order_of_their_bytes() -> None:
    pool = Bags()
    pool.add(0, dict.fromkeys(["\U0001f375", "z", "\uffff", "é", "a"], 10))
    keys = [key for key, _, _ in pool.rows()]
    assert keys == sorted(keys) and len(keys) == 5


@given(st.lists(st.binary(max_size=4), max_size=9))
def test_keys_come_back_one_by_one_and_as_a_whole(keys: list[bytes]) -> None:
    data = b"before" + column_of_keys(keys)
    column = Keys(BufferFile(memoryview(data)), 6, len(keys))
    assert [column[number] for number in range(len(keys))] == column.cells() == keys


def test_numbers_are_read_alike_on_every_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(numbers("H", b"\1\0\0\2")) == [1, 512]
    monkeypatch.setattr(whoosh_codec, "_SWAPPED", True)
    assert list(numbers("H", b"\1\0\0\2")) == [256, 2]
    packed = block([1, 258], b"\7\7")
    assert decoded(BufferFile(memoryview(packed)), 0) == (array("I", [1, 258]), b"\7\7")


@pytest.mark.parametrize(
    "damaged",
    [
        b"", b"B", b"Q\1\0\0\0" + bytes(9), b"\0" * 20, b"\xff" * 20, b"B\2\0\0\0\1\1\1",
        b"B\xff\xff\xff\xff\1\1\1", b"I\2\0\0\0" + b"\xff" * 10,
    ],
)  # fmt: skip
def test_a_damaged_block_raises(damaged: bytes) -> None:
    with pytest.raises((ValueError, IndexError, OverflowError)):
        decoded(BufferFile(memoryview(damaged)), 0)


def held(folder: Path) -> Postings:
    """Term -> key -> weight, as a search sees them."""
    reading = CollectionReader(folder)
    try:
        return {
            term: {
                reading.key(first + document): tenth
                for first, documents, tenths in reading.postings(term)
                for document, tenth in zip(documents, tenths, strict=True)
            }
            for term in reading.expand("", 99)
        }
    finally:
        reading.close()


def expected(documents: dict[str, dict[str, int]]) -> Postings:
    found: Postings = {}
    for key, bag in documents.items():
        for term, weight in bag.items():
            found.setdefault(term, {})[key] = min(weight, 255)
    return found


@examples(5)
@given(batches_of_bags, st.booleans())
def test_merging_with_deletions_keeps_exactly_the_live_postings(
    tmp_path_factory: pytest.TempPathFactory,
    batches: list[dict[str, dict[str, int] | None]],
    whole: bool,
) -> None:
    folder = tmp_path_factory.mktemp("index")
    made = index.create_in(str(folder), schema=SCHEMA, indexname="memories")
    live: dict[str, dict[str, int]] = {}
    for batch in [{"first": {"u": 10}}, *batches]:
        reader = CollectionReader(folder)
        writer = BagWriter(made)
        for key in batch:
            if live.pop(key, None) is not None:
                for number in reader.documents_of(key.encode()):
                    writer.delete_document(number)
        reader.close()
        live |= {key: bag for key, bag in batch.items() if bag is not None}
        for key in batch.keys() & live.keys():
            writer.add_bag(key.encode(), live[key], CELLS)
        writer.commit(merge=False)
        assert held(folder) == expected(live)
    BagWriter(made).commit(optimize=whole)
    assert held(folder) == expected(live)
    reading = CollectionReader(folder)
    assert reading.count == len(live)
    there = [number for number, length in enumerate(reading.lengths) if length]
    assert sorted(map(reading.key, there)) == sorted(live)
    reading.close()


def test_segments_that_died_are_merged_away(tmp_path: Path) -> None:
    made = index.create_in(str(tmp_path), schema=SCHEMA, indexname="memories")
    for number in range(12):
        writer = BagWriter(made)
        writer.add_bag(str(number).encode(), {"tea": 10}, CELLS)
        writer.commit(merge=False)
    writer = BagWriter(made)
    for number in range(12):
        writer.delete_document(number)
    writer.commit()
    assert held(tmp_path) == {}
    writer = BagWriter(made)
    writer.add_bag(b"last", {"tea": 10}, CELLS)
    writer.commit(optimize=True)
    assert held(tmp_path) == {"tea": {"last": 10}}
