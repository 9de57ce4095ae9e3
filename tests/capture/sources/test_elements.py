"""Elements of JSON: every shape of a document, damage, and what is too long."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.capture.sources.formats import json_stream as module
from engram.capture.sources.formats.json_stream import elements, first_keys
from engram.model.ports import Tally
from tests.effort import examples

LISTS = frozenset({"results", "memories"})


def read(data: bytes, most: int = 1_000_000) -> tuple[list[tuple[str, object]], Tally]:
    tally = Tally()
    return list(elements(io.BytesIO(data), tally, most, LISTS)), tally


def values(data: bytes, most: int = 1_000_000) -> list[object]:
    return [value for _, value in read(data, most)[0]]


A: dict[str, object] = {"a": 'x "]}" \\', "b": [1, {"c": "ü😀"}]}
B: dict[str, object] = {"b": 2}


@pytest.mark.parametrize("indent", [None, 0, 1, 4, "\t"])
def test_an_array_an_object_and_lists_in_an_object(indent: int | str | None) -> None:
    def written(value: object) -> bytes:
        return json.dumps(value, indent=indent, ensure_ascii=False).encode()

    assert read(written([A, B]))[0] == [("", A), ("", B)]
    assert read(written(A))[0] == [("", A)]
    assert read(written({"n": 2, "results": [A, B], "z": None}))[0] == [
        ("results", A),
        ("results", B),
    ]
    assert read(written({"results": {"a": 1}}))[0] == [("", {"results": {"a": 1}})]
    assert values(b"\xef\xbb\xbf" + written([A])) == [A]
    assert values(written(A) + b"\r\n" + written(B) + written([B]) + b"\n\0\0") == [A, B, B]


def test_elements_are_counted() -> None:
    assert read(json.dumps({"results": [A, B, 3]}).encode())[1] == Tally(3, 0)
    assert read(json.dumps(A).encode())[1] == Tally(1, 0)


def test_an_object_longer_than_what_is_decoded_at_once_is_opened_by_keys(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_WHOLE", 20)
    long = {"x": "y" * 30, "results": [A, B], "z": [1]}
    assert read(json.dumps(long).encode())[0] == [("results", A), ("results", B)]
    whole = {"x": "y" * 30, "z": [1, {"q": {}}]}
    assert read(json.dumps(whole, indent=2).encode()) == ([("", whole)], Tally(1, 0))


def test_lists_are_read_from_an_object_that_is_longer_than_one_element_may_be() -> None:
    long = {"x": "y" * 300, "results": [B] * 100}
    found, tally = read(json.dumps(long).encode(), most=50)
    assert found == [("results", B)] * 100
    assert tally == Tally(100, 0)


@pytest.mark.parametrize("indent", [None, 2])
def test_an_element_that_is_too_long_is_passed_over_and_counted(indent: int | None) -> None:
    long = {"deep": [{"text": 'long "] } \\" ' * 20_000}], "n": [[{}]] * 100}
    data = json.dumps([A, long, B], indent=indent).encode()
    assert values(data, most=1000) == [A, B]
    assert read(data, most=1000)[1] == Tally(3, 1)
    alone = json.dumps(long, indent=indent).encode()
    assert read(alone + b"\n" + json.dumps(B).encode(), 1000) == ([("", B)], Tally(2, 1))


def test_an_element_of_exactly_the_length_allowed_is_taken() -> None:
    data = json.dumps([B, A]).encode()
    length = len(json.dumps(A))
    assert values(data, most=length) == [B, A]
    assert values(data, most=length - 1) == [B]


def test_long_elements_grow_the_window() -> None:
    long = [{"n": n, "text": 'ab\\\n"😀' * size} for n, size in enumerate((5, 90_000, 7, 30_000))]
    assert values(json.dumps(long, ensure_ascii=False).encode()) == long
    assert values(json.dumps(long, indent=1).encode(), most=4_000_000) == long


@pytest.mark.parametrize(
    "bad",
    [
        '{"a": tru}',
        '{"a" 1}',
        '{"a": [1, 2}',
        '{"a": "torn',
        '{"a": "bad \\x escape"}',
        '{"a": {"b": {"c": 1}',
        '{"a": ' + "9" * 5000 + "}",
        '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}",
    ],
)
def test_a_damaged_element_on_its_lines_costs_no_other(bad: str) -> None:
    for before, between, after in (("[\n  ", ",\n  ", "\n]"), ("", "\n", "\n")):
        data = before + between.join([json.dumps(A), bad, json.dumps(A), json.dumps(B)]) + after
        found, tally = read(data.encode())
        assert found == [("", A), ("", A), ("", B)]
        assert tally == Tally(4, 1)
    data = '{"count": 3,\n "results": [\n  ' + f"{json.dumps(A)},\n  {bad},\n  {json.dumps(B)}]}}"
    assert read(data.encode()) == ([("results", A), ("results", B)], Tally(3, 1))


@pytest.mark.parametrize("bad", ['{"a": tru}', '{"a" 1}', '{"a": {]}', "nul", ":", "}"])
def test_on_one_line_the_brackets_tell_where_a_damaged_element_ends(bad: str) -> None:
    data = f"[{json.dumps(A)}, {bad}, {json.dumps(B)}]".encode()
    assert B in values(data)
    assert read(data)[1].unparsed_lines >= 1


def test_what_is_cut_off_is_counted_and_never_taken_in_part() -> None:
    data = json.dumps([A, {"results": [1]}, B]).encode()
    for cut in range(len(data)):
        assert values(data[:cut]) == [A, {"results": [1]}, B][: len(values(data[:cut]))]
    single = json.dumps({"x": 1, "y": {"z": 2}}).encode()
    for cut in range(1, len(single)):
        assert read(single[:cut]) == ([], Tally(1, 1))


def test_text_that_is_no_json_is_counted_by_lines() -> None:
    assert read(b"<html>\n<a>[1]</a>\n{}\n") == ([("", {})], Tally(3, 2))


def test_a_document_that_is_all_damage_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_DAMAGED", 10)
    found, tally = read(b"[" + b"{x},\n" * 1000 + b'{"a":1}]')
    assert found == []
    assert tally.unparsed_lines == 11


@pytest.mark.parametrize("data", [b'{]}"a', b'{"a":]}"b', b'{"a":}', b"{:}", b"[}:]", b"]}"])
def test_brackets_out_of_place_end_what_they_stand_in(data: bytes) -> None:
    for most in (1, 2, 100):
        found, tally = read(data, most)
        assert found == []
        assert tally.unparsed_lines >= 1


def test_invalid_bytes_are_replaced_inside_strings() -> None:
    assert values(b'[{"a": "x\xffy"}]') == [{"a": "x\ufffdy"}]


def test_bytes_may_come_in_any_pieces() -> None:
    class Drops(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(1)

    data = b"\xef\xbb\xbf" + json.dumps([A, {"n": 12.5e3}, B], ensure_ascii=False).encode()
    assert [v for _, v in elements(Drops(data), Tally(), 1000)] == [A, {"n": 12.5e3}, B]


def test_first_keys_of_a_document_that_is_cut() -> None:
    data = json.dumps([{"title": "x", "mapping": {"a": {"mapping": 1}}, "id": 1}]).encode()
    assert first_keys(data) == {"title": '"', "mapping": "{", "id": "1"}
    assert first_keys(data[:40]) == {"title": '"', "mapping": "{"}
    assert first_keys(b"") == first_keys(b"words") == first_keys(b"[[1]]") == {}


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=4) | st.sampled_from(sorted(LISTS)), inner, max_size=3)
    ),
    max_leaves=8,
)


@examples(40)
@given(
    st.lists(st.dictionaries(st.text(max_size=4), _json, max_size=3), max_size=5),
    st.sampled_from([None, 0, 2]),
    st.booleans(),
)
def test_what_was_written_is_read(
    objects: list[dict[str, object]], indent: int | None, plain: bool
) -> None:
    data = json.dumps(objects, indent=indent, ensure_ascii=plain).encode("utf-8", "replace")
    assert values(data) == json.loads(data)


@examples(50)
@given(
    st.lists(
        st.sampled_from(
            [b"[", b"]", b"{", b"}", b'"', b"\\", b"\n", b",", b":", b"a", b"1", b" ", b'{"a":1}',
             b'"results":', b"\xff", b"\0"]
        ) | st.binary(max_size=3),
        max_size=60,
    ),
    st.integers(1, 40),
)  # fmt: skip
def test_no_bytes_raise(pieces: list[bytes], most: int) -> None:
    _, tally = read(b"".join(pieces), most)
    assert tally.unparsed_lines <= tally.lines
    first_keys(b"".join(pieces))
