"""Blocks in the access log: read as they were written, or not at all; counted as no reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.given import HOWS, REASONS, GivenBlock, GivenItem
from engram.model.item import SPACES
from engram.queries.given_queries import VaultGiven
from engram.store.base import layout
from engram.store.base.disk import VaultDisk
from engram.store.catalog import access_log
from engram.store.catalog.access_log import AccessLog
from engram.store.catalog.catalog import Catalog
from engram.store.catalog.given_line import block_of, line_of
from engram.store.catalog.given_rows import newest
from tests.effort import examples

NOON, LATER = "2026-03-06T12:00:00Z", "2026-03-07T12:00:00Z"
ITEMS = st.builds(
    lambda name, space, kind, number, reasons, tells: GivenItem(
        name, f"{space}:own:{kind}:{number}" if number else "", kind, space,
        tuple(one for one in REASONS if one in reasons), tuple(tells),
    ),
    st.from_regex(r"[a-z]{1,5}-[0-9]{1,3}", fullmatch=True), st.sampled_from(SPACES),
    st.sampled_from(["semantic", "profile"]), st.integers(0, 99), st.sets(st.sampled_from(REASONS)),
    st.lists(st.just("told-1"), max_size=1),
)  # fmt: skip
BLOCKS = st.builds(
    GivenBlock,
    st.just(NOON), st.sampled_from(["claude-code", "person"]), st.just("claude-code-0a1b"),
    st.sampled_from(HOWS), st.lists(ITEMS, max_size=4, unique_by=lambda one: one.id).map(tuple),
    st.just("ab" * 32), st.just(SPACES), st.just("9f2c41d07a6be813"), st.integers(0, 9),
    st.booleans(), st.text(max_size=30),
)  # fmt: skip


#: what a line may have otherwise and still be one
_FREE = ("question", "tells", "last")


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    made = Catalog.make(tmp_path / "catalog.sqlite", "vault")
    with made.transaction():
        made.clear()
    return made


@pytest.fixture
def log(tmp_path: Path) -> AccessLog:
    (tmp_path / "vault" / "state").mkdir(parents=True)
    return AccessLog(VaultDisk(tmp_path / "vault"))


def block(time: str, *names: str, session: str = "claude-code-0a1b") -> GivenBlock:
    items = tuple(GivenItem(name, "", "semantic", "project") for name in names)
    return GivenBlock(time, "claude-code", session, "prompt", items, "ab" * 32, SPACES)


@given(BLOCKS)
@examples(50)
def test_a_line_says_what_the_block_was(one: GivenBlock) -> None:
    line = line_of(one)
    assert block_of(line) == one and line.isascii() and line.count(b"\n") == 1


@given(BLOCKS, st.data())
@examples(50)
def test_a_torn_or_altered_line_is_none(one: GivenBlock, data: st.DataObject) -> None:
    line = line_of(one)
    assert block_of(line[: data.draw(st.integers(0, len(line) - 3))]) is None
    row = json.loads(line)
    key = data.draw(st.sampled_from([name for name in row if name not in _FREE]))
    row[key] = data.draw(st.sampled_from([None, [], {}, 7, "x:y", [["a"]], {"project": "one"}]))
    other = block_of(json.dumps(row).encode())
    assert other is None or other == one or not one.items  # a block of nothing is never written


def test_a_line_with_numbers_or_a_question_that_none_of_ours_has_is_none() -> None:
    row = json.loads(line_of(block(NOON, "a")))
    for key, value in (("last", 1 << 63), ("last", -1), ("question", "x" * 201)):
        assert block_of(json.dumps(row | {key: value}).encode()) is None
    assert block_of(json.dumps(row | {"last": 7}).encode()) is not None


def test_a_line_may_be_anything() -> None:
    for line in (b"", b"[]", b'"content"', b'{"content": 1}', b'"content"' * 9_000, b"[" * 99_000):
        assert block_of(line) is None


def test_what_was_given_counts_as_no_read_and_is_no_foreign_line(
    catalog: Catalog, log: AccessLog
) -> None:
    log.give(block(NOON, "a"))
    log.give(block(NOON, "a")._replace(asked=True))
    log.note(["a"], LATER)
    before = catalog.accesses.of_now(log)
    with catalog.transaction():
        catalog.accesses.count(log)
    assert catalog.accesses.of() == before and before["a"].count == 2
    assert catalog.accesses.skipped == 0


@pytest.mark.parametrize("counted", [0, 1, 3])
def test_what_a_session_was_given_is_known_before_and_after_it_is_counted(
    catalog: Catalog, log: AccessLog, counted: int
) -> None:
    for number, one in enumerate(
        (block(NOON, "a"), block(NOON, "b", session="codex-0c1d"), block(LATER, "b"))
    ):
        if number == counted:
            with catalog.transaction():
                catalog.accesses.count(log)
        log.give(one)
    if counted == 3:
        with catalog.transaction():
            catalog.accesses.count(log)

    class Opened:
        def __init__(self) -> None:
            self.catalog = catalog

    known = VaultGiven(VaultDisk(log.disk.root), Opened())  # type: ignore[arg-type]
    assert known.before("a", "claude-code-0a1b", NOON)
    assert not known.before("b", "claude-code-0a1b", NOON)
    assert known.before("b", "claude-code-0a1b", LATER)
    assert not known.before("a", "codex-0c1d", LATER) and not known.before("a", "other", LATER)


def test_a_log_is_read_from_its_end(log: AccessLog, monkeypatch: pytest.MonkeyPatch) -> None:
    times = [f"2026-03-06T12:{number:02d}:00Z" for number in range(60)]
    for time in times:
        log.give(block(time, "a" if time.endswith("7:00Z") else "b"))
    log.disk.append(layout.ACCESS, b'{"torn', sync=False)
    for piece in (100, 401, 1000, 1 << 20):
        monkeypatch.setattr(access_log, "_PIECE", piece)
        found = [one.time for one in newest(log)]
        assert found == (times[::-1] if piece > 400 else found)
        assert [one.time for one in newest(log, "a")] == [t for t in found if t.endswith("7:00Z")]
