"""The small parts of the daemon: schedule, debouncer, lock, event log, pauses, heartbeat, power."""

from __future__ import annotations

import json
import os
import weakref
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.daemon.debounce import Debouncer
from engram.daemon.free_memory import trim_memory
from engram.daemon.power import on_battery
from engram.daemon.schedule import Schedule
from engram.daemon.state import event_log, pause
from engram.daemon.state.event_log import EventLog, read_log
from engram.daemon.state.heartbeat import Heartbeat, HeartbeatFile, read_heartbeat
from engram.daemon.state.instance_lock import InstanceLock
from engram.daemon.state.last_runs import LastRuns
from engram.daemon.watch import FolderWatch
from engram.model.errors import Locked
from tests.daemon.life import Hours, until

A, B = Path("/a"), Path("/b")


# -- schedule and dirt -------------------------------------------------------------------------


def test_a_late_timer_is_due_once() -> None:
    hours = Hours()
    schedule = Schedule(hours.steady)
    schedule.every("often", 10)
    schedule.every("seldom", 100, first=0)
    assert schedule.due() == ["seldom"]
    assert schedule.rest() == 10
    hours.go(95)
    assert schedule.due() == ["often"]
    assert schedule.due() == []
    assert schedule.rest() == 5


def test_soon_is_sooner_and_later_is_later_and_pace_stretches() -> None:
    hours = Hours()
    schedule = Schedule(hours.steady)
    schedule.every("one", 10)
    schedule.soon("one", 20)
    assert schedule.rest() == 10
    schedule.soon("one", 3)
    assert schedule.rest() == 3
    schedule.later("one", 50)
    assert schedule.rest() == 50
    schedule.all_soon()
    schedule.pace = 3
    assert schedule.due() == ["one"]
    assert schedule.rest() == 30
    schedule.drop("one")
    assert schedule.due() == []


def test_a_path_is_ripe_when_it_is_quiet_or_has_waited_long_enough() -> None:
    hours = Hours()
    debouncer = Debouncer(hours.steady)
    debouncer.mark(A)
    hours.go(0.1)
    debouncer.mark(A)
    debouncer.mark(B)
    assert debouncer.take_quiet(0.15) == []
    assert debouncer.rest(0.15) == pytest.approx(0.15)
    hours.go(0.2)
    assert debouncer.take_quiet(0.15) == [A, B]
    assert (len(debouncer), debouncer.rest(0.15)) == (0, None)
    for _ in range(51):  # somebody writes and writes
        debouncer.mark(A)
        hours.go(0.1)
    assert debouncer.take_quiet(0.15) == [A]


@given(st.lists(st.tuples(st.sampled_from([A, B]), st.floats(0, 2)), min_size=1))
def test_whatever_was_marked_is_taken_once_everything_is_quiet(
    marks: list[tuple[Path, float]],
) -> None:
    hours = Hours()
    debouncer = Debouncer(hours.steady)
    taken: set[Path] = set()
    for path, wait in marks:
        debouncer.mark(path)
        hours.go(wait)
        taken.update(debouncer.take_quiet(0.15))
    hours.go(1)
    assert taken | set(debouncer.take_quiet(0.15)) == {path for path, _ in marks}


# -- watch -------------------------------------------------------------------------------------


def test_a_folder_that_was_replaced_is_not_the_one_that_is_watched(tmp_path: Path) -> None:
    folder, debouncer = tmp_path / "watched", Debouncer()
    folder.mkdir()
    with FolderWatch(debouncer, list) as watch:
        assert not watch.holds(folder)
        watch.add(folder, concerns=lambda path: path.name != "own.md")
        assert watch.holds(folder)
        (folder / "own.md").touch()
        (folder / "note.md").touch()
        until(lambda: len(debouncer) == 1, "the event of interest")
        folder.rename(tmp_path / "away")
        assert not watch.holds(folder)
        folder.mkdir()
        assert not watch.holds(folder)
        watch.remove(folder)
        watch.add(folder)
        (folder / "new.md").touch()
        until(lambda: len(debouncer) > 1, "an event in the new one")
        assert watch.folders == [folder] and watch.polled == []


def test_what_is_only_read_is_no_news(tmp_path: Path) -> None:
    debouncer, note = Debouncer(), tmp_path / "note.md"
    note.write_text("words", encoding="utf-8")
    with FolderWatch(debouncer, list) as watch:
        watch.add(tmp_path)
        for _ in range(10):
            note.read_text(encoding="utf-8")
            list(tmp_path.iterdir())
        (tmp_path / "end.md").touch()
        until(lambda: len(debouncer), "the last event")
        assert debouncer.take_quiet(0) == [tmp_path / "end.md"]


# -- the person's state folder -----------------------------------------------------------------


def test_a_seat_is_taken_once_and_its_note_counts_only_while_it_is(tmp_path: Path) -> None:
    instance_lock = InstanceLock(tmp_path)
    assert instance_lock.holder() == 0
    assert not (tmp_path / "daemon").exists()
    with instance_lock.taken():
        assert instance_lock.holder() == os.getpid()
        with pytest.raises(Locked, match=str(os.getpid())), InstanceLock(tmp_path).taken():
            pytest.fail("two sat down")
    assert instance_lock.holder() == 0
    (tmp_path / "daemon" / "lock").write_text('{"pid": 1}', encoding="ascii")
    assert instance_lock.holder() == 0


def test_a_log_is_rotated_and_read_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_log, "MOST_BYTES", 300)
    path, seen = tmp_path / "daemon" / "log.jsonl", []
    log = EventLog(path, Hours(), seen.append)
    for number in range(20):
        log.note("took", number=number)
    names = sorted(path.name for path in path.parent.iterdir())
    assert names == ["log.jsonl", "log.jsonl.1", "log.jsonl.2"]
    assert all(one.stat().st_size <= 300 for one in path.parent.iterdir())
    kept = [row["number"] for row in read_log(path)]
    assert kept == list(range(20 - len(kept), 20)) and len(kept) > 6
    assert seen[-1].endswith("took number=19")
    with path.open("ab") as stream:
        stream.write(b'{"torn')
    assert [row["number"] for row in read_log(path)] == kept


def test_a_log_that_cannot_be_written_ends_nothing(tmp_path: Path) -> None:
    (tmp_path / "daemon").write_text("in the way", encoding="utf-8")
    seen: list[str] = []
    EventLog(tmp_path / "daemon" / "log.jsonl", Hours(), seen.append).note("started")
    assert len(seen) == 1


def test_pauses_add_up_and_outlive_everything(tmp_path: Path) -> None:
    assert pause.read(tmp_path) == pause.Paused()
    pause.pause(tmp_path, ["codex"])
    assert pause.pause(tmp_path, ["kiro"]).sources == {"codex", "kiro"}
    assert pause.read(tmp_path).covers("codex") and not pause.read(tmp_path).covers("cursor")
    assert pause.pause(tmp_path, []).covers("cursor")
    assert pause.resume(tmp_path, ["codex"]).everything
    assert pause.resume(tmp_path, []) == pause.read(tmp_path) == pause.Paused()


@given(data=st.binary(max_size=60))
def test_files_that_make_no_sense_say_nothing(
    data: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    state = tmp_path_factory.mktemp("state")
    (state / "daemon").mkdir()
    for name in ("paused.json", "pulse.json", "notes.json", "log.jsonl", "lock"):
        (state / "daemon" / name).write_bytes(data)
    assert isinstance(pause.read(state), pause.Paused)
    assert read_heartbeat(state) is None or isinstance(read_heartbeat(state), Heartbeat)
    assert LastRuns(state).get("vaults", "x") == {}
    assert list(read_log(state / "daemon" / "log.jsonl")) == []
    assert InstanceLock(state).holder() == 0


def test_a_pulse_is_written_when_it_changed_and_not_too_often(tmp_path: Path) -> None:
    hours = Hours()
    file = HeartbeatFile(tmp_path, hours.steady)
    assert file.offer(Heartbeat(queue=1)) == float("inf")
    assert file.offer(Heartbeat(queue=2)) == 3
    assert read_heartbeat(tmp_path) == Heartbeat(queue=1)
    hours.go(3)
    file.offer(Heartbeat(queue=2))
    found = read_heartbeat(tmp_path)
    assert found is not None and found.queue == 2
    written = (tmp_path / "daemon" / "pulse.json").stat().st_mtime_ns
    hours.go(100)
    assert file.offer(Heartbeat(queue=2)) == float("inf")
    assert (tmp_path / "daemon" / "pulse.json").stat().st_mtime_ns == written


def test_notes_are_kept_until_they_are_of_no_more_use(tmp_path: Path) -> None:
    notes = LastRuns(tmp_path)
    notes.put("sources", "codex", {"watched_since": "2026-03-06T12:00:00Z"})
    notes.put("vaults", "v", {"closed": "x"})
    again = LastRuns(tmp_path)
    assert again.get("sources", "codex") == {"watched_since": "2026-03-06T12:00:00Z"}
    again.keep_only("sources", frozenset())
    assert LastRuns(tmp_path).get("sources", "codex") == {}
    assert LastRuns(tmp_path).get("vaults", "v") == {"closed": "x"}


@pytest.mark.parametrize(
    ("supplies", "battery"),
    [
        ({}, False),
        ({"BAT0": {"type": "Battery", "status": "Discharging"}}, True),
        ({"BAT0": {"type": "Battery", "status": "Charging"}}, False),
        (
            {
                "AC": {"type": "Mains", "online": "1"},
                "BAT0": {"type": "Battery", "status": "Discharging"},
            },
            False,
        ),
        (
            {
                "AC": {"type": "Mains", "online": "0"},
                "BAT0": {"type": "Battery", "status": "Discharging"},
            },
            True,
        ),
        ({"mouse": {"type": "Battery", "status": "Discharging", "scope": "Device"}}, False),
    ],
)
def test_what_the_machine_runs_on(
    tmp_path: Path, supplies: dict[str, dict[str, str]], battery: bool
) -> None:
    for name, words in supplies.items():
        (tmp_path / name).mkdir()
        for word, value in words.items():
            (tmp_path / name / word).write_text(value + "\n", encoding="ascii")
    assert on_battery(tmp_path) is battery
    assert on_battery(tmp_path / "nowhere") is False


def test_the_lock_note_is_json(tmp_path: Path) -> None:
    with InstanceLock(tmp_path).taken():
        note = json.loads((tmp_path / "daemon" / "lock").read_bytes())
        assert note == {"pid": os.getpid()}


def test_free_memory_collects_what_only_refers_to_itself() -> None:
    class Node:
        itself: Node

    node = Node()
    node.itself = node
    garbage = weakref.ref(node)
    del node
    trim_memory()
    assert garbage() is None
