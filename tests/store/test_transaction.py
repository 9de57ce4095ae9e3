"""The transaction file: a plan as text, and back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.change import Change, Event, Plan, Transaction
from engram.model.errors import StorageError
from engram.model.text import sha256_bytes
from engram.store.commits.transaction import Purged, decode, encode, purged
from tests.effort import examples

BODIES = (
    st.none()
    | st.binary(max_size=60)
    | st.text(max_size=40).map(lambda text: text.encode("utf-8", "replace"))
)
WORDS = st.text(max_size=12)
CHANGES = st.builds(Change, WORDS, BODIES, BODIES, WORDS) | st.builds(
    lambda path, why: Purged(path, None, None, why), WORDS, WORDS
)
RANGES = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), max_size=3).map(tuple)
EVENTS = st.builds(
    Event, WORDS, WORDS, st.dictionaries(WORDS, WORDS).map(lambda d: tuple(sorted(d.items())))
)
PLANS = st.builds(
    Plan, kind=WORDS, changes=st.lists(CHANGES, max_size=3).map(tuple),
    events=st.lists(EVENTS, max_size=2).map(tuple), ack=RANGES, dead=RANGES, requeue=RANGES,
    withdraw=RANGES, readmit=RANGES, seen=st.lists(CHANGES, max_size=2).map(tuple), batch=WORDS,
    undoes=st.lists(st.integers(1, 99), max_size=2).map(tuple),
)  # fmt: skip
TRANSACTIONS = st.builds(
    Transaction, st.integers(1, 10**8), WORDS, PLANS, st.lists(WORDS, max_size=2).map(tuple)
)

BODY = b"---\nid: a\n---\nThe shop uses Postgres.\n"
ONE = Transaction(
    7, "2026-03-06T12:00:00Z",
    Plan("extract", (Change("facts/a.md", None, BODY, "remembered"),), ack=((1, 3),)),
)  # fmt: skip


@given(TRANSACTIONS)
@examples(40)
def test_every_transaction_survives_its_file(transaction: Transaction) -> None:
    assert decode(encode(transaction)) == transaction


@given(TRANSACTIONS)
@examples(8)
def test_equal_transactions_give_equal_bytes_in_one_form(transaction: Transaction) -> None:
    data = encode(transaction)
    assert data == encode(decode(data))
    assert data.endswith(b"\n") and list(json.loads(data)) == sorted(json.loads(data))


def test_text_stands_as_text_and_anything_else_as_base64() -> None:
    one = ONE._replace(plan=Plan("k", (Change("a", b"\xff\x00", "Zoë\n".encode()),)))
    (change,) = json.loads(encode(one))["changes"]
    assert change["after"]["text"] == "Zoë\n" and change["before"]["base64"] == "/wA="
    assert change["after"]["sha256"] == sha256_bytes("Zoë\n".encode())


# -- damage -------------------------------------------------------------------------------------


@given(st.binary(max_size=80))
@examples(25)
def test_what_is_no_transaction_file_is_a_storage_error(data: bytes) -> None:
    with pytest.raises(StorageError):
        decode(data, "state/journal/2026-03/00000007.json")


@given(st.data())
@examples(40)
def test_a_damaged_file_is_refused_or_says_nothing_false_of_a_body(data: st.DataObject) -> None:
    whole = encode(ONE)
    at = data.draw(st.integers(0, len(whole) - 1))
    damaged = whole[:at] + data.draw(st.binary(max_size=3)) + whole[at + 1 :]
    try:
        found = decode(damaged)
    except StorageError:
        return
    assert {change.after for change in found.plan.changes} <= {BODY}


@pytest.mark.parametrize("length", [0, 1, 60, -2])
def test_a_cut_file_is_refused(length: int) -> None:
    with pytest.raises(StorageError):
        decode(encode(ONE)[:length])


def _with(**fields: Any) -> bytes:
    return json.dumps(json.loads(encode(ONE)) | fields).encode()


@pytest.mark.parametrize(
    "data",
    [
        b"[]", b"null", b"7", _with(format=2), _with(n="7"), _with(n=True),
        _with(time=7), _with(kind=[]), _with(batch={}), _with(left=[7]), _with(undoes=["7"]),
        _with(events=[["a", 7, {}]]), _with(events=[["a", "b", {"c": 7}]]),
        _with(changes=None), _with(changes=[1]),
        _with(events=[["a", "b"]]), _with(events=[["a", "b", []]]), _with(ack=[[1]]),
        _with(ack="ab"), _with(changes=[{"path": "a", "before": None}]),
        _with(changes=[{"path": "a", "before": None, "after": {"text": "x", "sha256": "0"}}]),
        _with(changes=[{"path": "a", "before": None, "after": {"base64": "x", "sha256": "0"}}]),
        _with(changes=[{"path": "a", "before": None, "after": "text"}]),
        b'{"format": 1, "format": ' + b"[" * 100_000,
    ],
)  # fmt: skip
def test_a_file_of_another_shape_is_refused_with_its_name(data: bytes) -> None:
    with pytest.raises(StorageError, match="00000007"):
        decode(data, "00000007.json")


# -- purge --------------------------------------------------------------------------------------


def test_a_purged_body_is_gone_and_its_path_remains() -> None:
    kept = Change("facts/b.md", b"kept", b"kept too")
    seen = (Change("facts/a.md", None, BODY), kept)
    whole = ONE._replace(plan=ONE.plan._replace(changes=(*ONE.plan.changes, kept), seen=seen))
    without = purged(whole, ["facts/a.md"])
    assert b"Postgres" in encode(whole) and b"Postgres" not in encode(without)
    assert sha256_bytes(BODY).encode() not in encode(without)
    assert without.plan.changes == (Purged("facts/a.md", None, None, "remembered"), kept)
    assert without.plan.seen == (Purged("facts/a.md", None, None), kept)
    assert without.plan._replace(changes=(), seen=()) == whole.plan._replace(changes=(), seen=())
    assert decode(encode(without)) == without


@given(TRANSACTIONS, st.lists(WORDS, max_size=3))
@examples(15)
def test_purging_touches_only_its_paths_and_twice_is_once(
    transaction: Transaction, paths: list[str]
) -> None:
    paths += [change.path for change in transaction.plan.changes[:1]]
    without = purged(transaction, paths)
    assert purged(without, paths) == without
    for before, after in zip(transaction.plan.changes, without.plan.changes, strict=True):
        assert isinstance(after, Purged) if before.path in paths else after == before
