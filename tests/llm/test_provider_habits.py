"""What was learnt of providers: kept in a file of which every damage is survived."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engram.llm.provider import Provider
from engram.llm.provider_habits import FAILURES, FORMS, Habits, ProviderHabits
from engram.model.errors import StorageError
from engram.model.instant import plus_minutes
from engram.store.base.clock import FixedClock
from engram.store.base.disk import VaultDisk
from tests.conftest import NOW

ONE = Provider("cloud", "http://one.test/v1", "m", "k")
WRITTEN = {"form": FORMS[1], "refused": [], "failures": 9, "until": "", "reason": ""}
OTHER = Provider("cloud", "http://other.test/v1", "m", "k")


def learnt(folder: Path, now: str = NOW) -> ProviderHabits:
    return ProviderHabits(VaultDisk(folder), FixedClock(now))


def test_it_is_remembered(tmp_path: Path) -> None:
    first = learnt(tmp_path)
    assert first.other_form(ONE, first.of(ONE)) and first.refuses(ONE, "temperature", first.of(ONE))
    assert not first.refuses(ONE, "temperature", first.of(ONE))
    for _ in range(FAILURES):
        first.failed(ONE, "timeout", None)
    assert learnt(tmp_path).of(ONE) == Habits(
        FORMS[1], ("temperature",), FAILURES, plus_minutes(NOW, 5), "timeout"
    )
    assert learnt(tmp_path).of(OTHER) == Habits()
    assert b"one.test" not in (tmp_path / "providers.json").read_bytes()


def test_there_is_no_form_after_the_last(tmp_path: Path) -> None:
    mine = learnt(tmp_path)
    assert [mine.other_form(ONE, mine.of(ONE)) for _ in FORMS] == [True, True, False]
    assert mine.of(ONE).form == FORMS[0]


def test_an_answer_forgets_the_failures(tmp_path: Path) -> None:
    mine = learnt(tmp_path)
    mine.failed(ONE, "timeout", 3600)
    assert mine.resting(ONE) is not None
    mine.answered(ONE)
    assert mine.resting(ONE) is None and learnt(tmp_path).of(ONE) == Habits()


def test_nobody_rests_for_more_than_a_day(tmp_path: Path) -> None:
    mine = learnt(tmp_path)
    mine.failed(ONE, "rate-limited", 10**12)
    assert learnt(tmp_path, plus_minutes(NOW, 24 * 60 - 1)).resting(ONE) is not None
    assert learnt(tmp_path, plus_minutes(NOW, 24 * 60)).resting(ONE) is None
    # the clock was wrong when it was written
    assert learnt(tmp_path, "2025-01-01T00:00:00Z").resting(ONE) is None


@pytest.mark.parametrize(
    "data",
    [
        b"", b"{", b"\xff", b"[]", b"null", b"[" * 9000, b'{"a": 1}', b'{"a": {"form": "x"}}',
        *(
            json.dumps({"KEY": {**WRITTEN, **wrong}}).encode()
            for wrong in (
                {"refused": 1}, {"refused": [1]}, {"failures": "9"}, {"failures": True},
                {"until": "x"}, {"until": 7}, {"reason": None}, {"form": ["a"]}, {"form": "mail"},
            )
        ),
    ],
)  # fmt: skip
def test_a_damaged_file_is_as_good_as_none(data: bytes, tmp_path: Path) -> None:
    learnt(tmp_path).failed(ONE, "timeout", None)
    path = tmp_path / "providers.json"
    (key,) = json.loads(path.read_bytes())
    path.write_bytes(data.replace(b"KEY", key.encode()))
    mine = learnt(tmp_path)
    assert mine.of(ONE) == Habits() and mine.resting(ONE) is None
    mine.failed(ONE, "timeout", None)
    assert learnt(tmp_path).of(ONE).failures == 1


def test_two_at_once_keep_what_each_other_learnt(tmp_path: Path) -> None:
    first, second = learnt(tmp_path), learnt(tmp_path)
    assert first.of(ONE) == second.of(OTHER) == Habits()
    first.other_form(ONE, first.of(ONE))
    second.other_form(OTHER, second.of(OTHER))
    assert learnt(tmp_path).of(ONE).form == learnt(tmp_path).of(OTHER).form == FORMS[1]


class FullDisk(VaultDisk):
    def put(self, path: str, data: bytes) -> None:
        raise StorageError("the disk is full")


def test_a_full_disk_costs_only_the_memory_of_it(tmp_path: Path) -> None:
    mine = ProviderHabits(FullDisk(tmp_path), FixedClock(NOW))
    assert mine.other_form(ONE, mine.of(ONE)) and mine.of(ONE).form == FORMS[1]
