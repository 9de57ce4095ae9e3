"""The turn journal: numbered without gaps, whatever is torn or damaged."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engram.capture.turn_log
from engram.capture.turn_log import FOLDER, VaultTurnLog, decode, encode, encode_purged
from engram.model.turn import Turn, turn_of
from engram.store.base.disk import VaultDisk
from tests.effort import examples
from tests.kit import turns

FIRST = f"{FOLDER}/00000001.jsonl"


@pytest.fixture
def disk(tmp_path: Path) -> VaultDisk:
    return VaultDisk(tmp_path)


def add(disk: VaultDisk, count: int, first: int = 0) -> list[int]:
    """Append turns through a journal that was just opened; returns their numbers."""
    made = [(turn, "none") for turn in turns(count, first=first)]
    return [entry.turn.seq for entry in VaultTurnLog(disk).append(made)]


def texts(disk: VaultDisk, after: int = 0) -> list[str]:
    return [entry.turn.text for entry in VaultTurnLog(disk).entries(after)]


def said(*numbers: int) -> list[str]:
    return [turns(1, first=number)[0].text for number in numbers]


# -- lines --------------------------------------------------------------------------------------

_TEXT = st.text(alphabet=st.characters(exclude_categories=[]))
TURNS = st.builds(
    turn_of, st.sampled_from(["user", "assistant"]), _TEXT,
    st.just("2026-03-06T10:10:00Z"), source=st.sampled_from(["test", "claude-code"]),
    session=_TEXT, project=_TEXT, title=_TEXT,
    tools=st.lists(_TEXT, max_size=2).map(tuple),
)  # fmt: skip


@given(
    TURNS, st.integers(1, 99_999_999), st.sampled_from(["none", "low", "high"]), _TEXT,
    st.integers(0, 1 << 39),
)  # fmt: skip
@examples(40)
def test_every_turn_comes_back_from_its_line(
    turn: Turn, seq: int, signal: str, batch: str, tick: int
) -> None:
    line = encode(turn, seq, signal, batch, tick)
    assert line.count(b"\n") == 1 and line.endswith(b"\n") and line.isascii()
    assert decode(line) == (seq, turn.numbered(seq), signal, batch, tick)


def test_a_line_without_a_mark_is_a_persons_and_one_with_it_a_programs() -> None:
    turn = turns(1)[0]
    assert b"program" not in encode(turn, 1)
    decoded = decode(encode(replace(turn, program=True), 1))
    assert decoded is not None and decoded[1] is not None and decoded[1].program


@given(TURNS, st.data())
@examples(40)
def test_a_line_with_one_other_byte_is_no_line(turn: Turn, data: st.DataObject) -> None:
    line = encode(turn, 1)
    at = data.draw(st.integers(0, len(line) - 1))
    other = data.draw(st.integers(0, 255).filter(lambda byte: byte != line[at]))
    assert decode(line[:at] + bytes([other]) + line[at + 1 :]) is None
    assert decode(line[:at]) is None


@given(st.binary())
@examples(15)
def test_any_bytes_are_a_line_or_none(data: bytes) -> None:
    assert decode(data) is None and decode(data + b"\n") is None


@given(TURNS, st.integers(1, 99_999_999), st.sampled_from(["none", "high"]), st.integers(0, 99))
@examples(25)
def test_a_purged_line_is_as_long_and_has_no_words(
    turn: Turn, seq: int, signal: str, tick: int
) -> None:
    line = encode(turn, seq, signal, tick=tick)
    purged = encode_purged(seq, turn.message, len(line), tick)
    assert len(purged) == len(line)
    assert decode(purged) == (seq, None, "none", "", tick)


# -- numbering ----------------------------------------------------------------------------------


def test_numbers_go_on_without_gaps_from_process_to_process(disk: VaultDisk) -> None:
    assert VaultTurnLog(disk).end() == ("", 0, 0)
    assert add(disk, 3) == [1, 2, 3]
    assert add(disk, 2, first=3) == [4, 5]
    assert VaultTurnLog(disk).append([]) == []
    assert texts(disk) == said(0, 1, 2, 3, 4) and texts(disk, after=3) == said(3, 4)
    segment, size, last = VaultTurnLog(disk).end()
    assert (segment, size, last) == (FIRST, disk.size(FIRST), 5)


def test_one_that_looked_before_another_wrote_looks_again(disk: VaultDisk) -> None:
    one, other = VaultTurnLog(disk), VaultTurnLog(disk)
    for number in range(4):
        turn_log = (one, other)[number % 2]
        turn_log.append([(turns(1, first=number)[0], "none")])
    assert [entry.turn.seq for entry in one.entries()] == [1, 2, 3, 4]
    assert texts(disk) == said(0, 1, 2, 3)


def test_segments_follow_each_other_without_gaps(
    disk: VaultDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engram.capture.turn_log, "SEGMENT_BYTES", 600)
    for first in range(0, 12, 2):
        add(disk, 2, first=first)
    turn_log = VaultTurnLog(disk)
    names = turn_log.segments()
    assert len(names) > 2
    entries = list(turn_log.entries())
    assert [entry.turn.seq for entry in entries] == list(range(1, 13))
    firsts = [next(e.turn.seq for e in entries if e.segment == name) for name in names]
    assert names == [f"{FOLDER}/{first:08d}.jsonl" for first in firsts]
    for after in range(13):
        assert [entry.turn.seq for entry in turn_log.entries(after)] == list(range(after + 1, 13))


def test_turns_are_read_at_their_places_in_the_order_asked_for(
    disk: VaultDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engram.capture.turn_log, "SEGMENT_BYTES", 600)
    for first in range(0, 8, 2):
        add(disk, 2, first=first)
    turn_log = VaultTurnLog(disk)
    entries = list(turn_log.entries())[::-1]
    found = list(turn_log.read((e.segment, e.offset, e.length) for e in entries))
    assert [turn.seq for turn in found] == [8, 7, 6, 5, 4, 3, 2, 1]
    wrong = [(FIRST, 1, 50), (FIRST, 10**6, 5), (f"{FOLDER}/00000099.jsonl", 0, 50)]
    assert list(turn_log.read(wrong)) == []


# -- torn and damaged ---------------------------------------------------------------------------


def test_a_tail_torn_at_any_byte_is_put_aside_and_the_journal_goes_on(
    disk: VaultDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda handle: None)  # a thousand of them are slow
    add(disk, 2)
    head = disk.size(FIRST) or 0
    add(disk, 1, first=2)
    whole = disk.read(FIRST) or b""
    for length in range(head, len(whole)):
        disk.remove(FIRST + ".torn")
        disk.put(FIRST, whole[:length])
        assert VaultTurnLog(disk).count_damaged() == 0  # unfinished, not damaged
        assert texts(disk) == said(0, 1)
        assert add(disk, 1, first=3) == [3]
        assert texts(disk) == said(0, 1, 3)
        assert (disk.read(FIRST + ".torn") or b"") == whole[head:length]
        assert VaultTurnLog(disk).count_damaged() == 0


def test_what_was_put_aside_before_stays(disk: VaultDisk) -> None:
    for torn in (b'{"crc":"one', b'{"crc":"two'):
        add(disk, 1)
        disk.append(FIRST, torn)
        VaultTurnLog(disk).end()
    assert disk.read(FIRST + ".torn") == b'{"crc":"one{"crc":"two'


def test_a_segment_of_which_nothing_is_sound_keeps_its_number(disk: VaultDisk) -> None:
    disk.put(f"{FOLDER}/00000007.jsonl", b'{"crc":"0000')
    assert VaultTurnLog(disk).end() == (f"{FOLDER}/00000007.jsonl", 0, 6)
    assert add(disk, 1) == [7]


def test_damage_in_the_middle_is_left_out_and_counted(disk: VaultDisk) -> None:
    add(disk, 4)
    lines = (disk.read(FIRST) or b"").splitlines(keepends=True)
    lines[1] = lines[1].replace(b"valve", b"salve")
    lines[2] = b"\x00" * 40 + b"\n"
    disk.put(FIRST, b"".join(lines))
    assert texts(disk) == said(0, 3)
    assert VaultTurnLog(disk).count_damaged() == 2
    assert add(disk, 1, first=4) == [5]
    assert texts(disk) == said(0, 3, 4) and disk.size(FIRST + ".torn") is None


def test_other_files_in_the_folder_are_no_segments(disk: VaultDisk) -> None:
    add(disk, 1)
    for name in ("notes.jsonl", "00000001.jsonl.torn", "00000001.json", "٠٠٠٠٠٠٠٩.jsonl"):
        disk.put(f"{FOLDER}/{name}", b"x\n")
    assert VaultTurnLog(disk).segments() == [FIRST]
    assert add(disk, 1, first=1) == [2]


# -- purging ------------------------------------------------------------------------------------


def test_a_purge_keeps_every_place_and_number(
    disk: VaultDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engram.capture.turn_log, "SEGMENT_BYTES", 600)
    for first in range(0, 6, 2):
        add(disk, 2, first=first)
    turn_log = VaultTurnLog(disk)
    before = list(turn_log.entries())
    unwanted = [before[1].turn.message, before[5].turn.message, "nobody"]
    assert turn_log.purge(unwanted) == 2
    after = list(turn_log.entries())
    assert after == [entry for number, entry in enumerate(before) if number not in (1, 5)]
    places = [(entry.segment, entry.offset, entry.length) for entry in before]
    assert [turn.seq for turn in turn_log.read(places)] == [1, 3, 4, 5]
    whole = b"".join(disk.read(path) or b"" for path in turn_log.segments())
    assert not any(before[number].turn.text.encode() in whole for number in (1, 5))
    assert turn_log.count_damaged() == 0 and VaultTurnLog(disk).end()[2] == 6
    assert turn_log.purge(unwanted) == 0
    assert add(disk, 1, first=6) == [7]


def test_signal_and_batch_are_kept_with_the_turn(disk: VaultDisk) -> None:
    one, other = turns(2)
    VaultTurnLog(disk).append([(one, "high"), (other, "none")], "import-1")
    found = [(entry.signal, entry.batch) for entry in VaultTurnLog(disk).entries()]
    assert found == [("high", "import-1"), ("none", "import-1")]


def test_what_cannot_be_written_is_not_numbered(
    disk: VaultDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn_log = VaultTurnLog(disk)
    turn_log.append([(turns(1)[0], "none")])
    size = disk.size(FIRST)
    with monkeypatch.context() as patched, pytest.raises(OSError):
        patched.setattr(disk, "append", _full)
        turn_log.append([(turns(1, first=1)[0], "none")])
    assert disk.size(FIRST) == size
    assert [entry.turn.seq for entry in turn_log.append([(turns(1, first=1)[0], "none")])] == [2]


def _full(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")
