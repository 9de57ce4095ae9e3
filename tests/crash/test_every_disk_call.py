"""Stop at the k-th call of the disk, for every k: reopen, and nothing is lost or half done.

The two long ones at effort 1 for one k in four, which ones depends on the day.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest

from engram.model.memory import Memory
from engram.model.turn import turn_of
from engram.store.base import layout
from engram.store.base.clock import FixedClock
from engram.store.base.disk import VaultDisk
from engram.store.catalog.trace_rows import trace_list
from engram.vault import Adapters, Vault
from tests.conftest import NOW
from tests.effort import STRIDE, calls
from tests.kit import LIGHT, box, entity, files, takes_every_turn, turns, where, write_pages


class Stopped(BaseException):
    """The process ends here: no handler of the product may stop this."""


class StoppingDisk(VaultDisk):
    """A disk on which the k-th call does half its work, or none, and then the process ends."""

    calls = 0
    stop_at = 0
    half = False

    def _count(self) -> bool:
        type(self).calls += 1
        if self.calls < self.stop_at or not self.stop_at:
            return False
        if not self.half:
            raise Stopped
        return True

    def stage(self, files: Sequence[tuple[str, bytes]]) -> None:
        if self._count():
            super().stage(
                [(path, data[: len(data) // 2]) for path, data in files[: len(files) // 2 + 1]]
            )
            raise Stopped
        super().stage(files)

    def place(self, staged: str, path: str, *, fresh: bool) -> None:
        stop = self._count()
        super().place(staged, path, fresh=fresh)
        if stop:
            raise Stopped

    def rename(self, path: str, to: str) -> None:
        stop = self._count()
        super().rename(path, to)
        if stop:
            raise Stopped

    def append(self, path: str, data: bytes, *, sync: bool = True) -> None:
        if self._count():
            super().append(path, data[: len(data) // 2], sync=sync)
            raise Stopped
        super().append(path, data, sync=sync)

    def overwrite(self, path: str, places: Sequence[tuple[int, bytes]]) -> None:
        if self._count():
            super().overwrite(path, [(at, data[: len(data) // 2]) for at, data in places])
            raise Stopped
        super().overwrite(path, places)

    def remove(self, path: str) -> None:
        stop = self._count()
        super().remove(path)
        if stop:
            raise Stopped

    def sync(self, folders: Iterable[str]) -> None:
        if self._count():
            raise Stopped
        super().sync(folders)


@pytest.fixture
def stopping() -> Callable[[int, bool], None]:
    """Arm the disk of vaults opened from now on; 0 disarms it."""

    def arm(stop_at: int, half: bool) -> None:
        StoppingDisk.calls, StoppingDisk.stop_at, StoppingDisk.half = 0, stop_at, half

    arm(0, False)
    return arm


class Cycle:
    """A prepared vault that is copied, and one deed that is interrupted at every call."""

    def __init__(
        self, tmp_path: Path, environment: dict[str, str], adapters: Adapters = LIGHT
    ) -> None:
        """The index in memory: hundreds of vaults are opened, and hardly one is searched."""
        self.adapters = replace(adapters, disk=StoppingDisk, clock=FixedClock(NOW))
        self.prepared, self.path = tmp_path / "prepared", tmp_path / "vault"
        self.home, self.environment = Path(environment["ENGRAM_HOME"]), environment

    def prepare(self, deed: Callable[[Vault], object]) -> None:
        with self.open() as vault:
            deed(vault)
        shutil.copytree(self.path, self.prepared)

    def reset(self) -> None:
        shutil.rmtree(self.path)
        shutil.copytree(self.prepared, self.path)

    def open(self) -> Vault:
        make = Vault.open if (self.path / "engram.toml").exists() else Vault.create
        return takes_every_turn(
            make(self.path, environment=self.environment, adapters=self.adapters)
        )

    def interrupt(
        self, arm: Callable[[int, bool], None], deed: Callable[[Vault], object],
        check: Callable[[Vault], None], at: range = range(1, 10_000), found_before: str = "",
    ) -> int:  # fmt: skip
        """Run the deed stopped at these calls in both ways; returns how many stops there were.

        A deed that mends a finding may leave that, where it was stopped before its commit.
        """
        stops = 0
        for half in (False, True):
            for k in at:
                self.reset()
                vault = self.open()
                vault.ready_to_read()
                arm(k, half)
                try:
                    deed(vault)
                except Stopped:
                    stops += 1
                else:
                    arm(0, False)
                    vault.close()
                    break
                arm(0, False)
                vault.close()
                with self.open() as reopened:
                    proof = reopened.verify()
                    assert proof.holds, f"stopped at call {k} (half: {half}): {proof}"
                    findings = [one for one in reopened.doctor() if one.code != found_before]
                    assert findings == [], f"stopped at call {k} (half: {half})"
                    check(reopened)
        return stops


def live_texts(vault: Vault) -> set[str]:
    return {memory.text for memory in vault.parts.catalog.memories() if memory.live}


def test_capture_and_extract_lose_no_turn(
    tmp_path: Path, environment: dict[str, str], stopping: Callable[[int, bool], None],
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    first, second = turns(3, "a"), [*turns(2, "b"), *turns(1, "a", first=3)]
    before = turns(2, "earlier")
    cycle = Cycle(tmp_path, environment)
    cycle.prepare(lambda vault: vault.capture(before))

    def deed(vault: Vault) -> None:
        vault.capture(first)
        vault.capture(second)
        vault.flush()

    def check(vault: Vault) -> None:
        accounted = {turn.text for turn in before}
        accounted |= {memory.text for memory in vault.parts.catalog.memories()}
        for waiting in vault.waiting():
            accounted |= {turn.text for turn in vault.parts.turns.pending(waiting.transcript)[1]}
        journalled = {entry.turn.text for entry in vault.parts.turn_log.entries()}
        assert journalled <= accounted, "a captured turn is neither pending nor has its memory"
        # whoever captures again after a crash brings the same turns: nothing doubles
        deed(vault)
        texts = sorted(memory.text for memory in vault.parts.catalog.memories())
        assert texts == sorted(turn.text for turn in (*before, *first, *second))
        assert vault.doctor() == []

    stops = cycle.interrupt(stopping, deed, check, calls(10_000))
    with capsys.disabled():
        print(f"\n  capture and extract: stopped {stops} times")
    assert stops > 40 / STRIDE


def test_undo_happens_whole_or_not_at_all(
    tmp_path: Path, environment: dict[str, str], stopping: Callable[[int, bool], None],
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    cycle = Cycle(tmp_path, environment)

    def prepare(vault: Vault) -> None:
        said = ("The zwiebel valve is open.", "I prefer zwiebel soup.", "I live in zwiebel street.")
        rows = ({"role": "user", "content": text, "session": "s", "time": NOW} for text in said)
        batch = vault.capture_stream(
            BytesIO("".join(json.dumps(row) + "\n" for row in rows).encode())
        )
        assert batch.batch == "capture-1"
        vault.flush()
        vault.consolidate(full=True)
        vault.forget(next(one.id for one in vault.list() if "valve" in one.text))
        assert where(vault.root / "boxes", "zwiebel")

    cycle.prepare(prepare)
    outcomes: set[tuple[int, bool, int]] = set()

    def check(vault: Vault) -> None:
        pages = any(
            "zwiebel" in path.read_text("utf-8")
            for path in files(vault.root)
            if not path.relative_to(vault.root).as_posix().startswith("state/")
        )
        outcomes.add((len(live_texts(vault)), pages, vault.status().turns))

    stops = cycle.interrupt(stopping, lambda vault: vault.undo("capture-1"), check)
    with capsys.disabled():
        print(f"\n  undo: stopped {stops} times")
    assert outcomes == {(0, False, 0), (2, True, 3)}


def test_a_conversation_is_closed_once_wherever_closing_stops(
    tmp_path: Path, environment: dict[str, str], stopping: Callable[[int, bool], None],
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    cycle = Cycle(tmp_path, environment)
    said = [
        turn_of(
            "user" if number % 2 else "assistant", text, f"2026-03-06T09:0{number}:00Z",
            session="s", project="shop",
        )
        for number, text in enumerate(
            ("Make the till retry its sync.",
             "I added retries to `till/sync.py`. Next step: run the tests.",
             "Go on.", "The tests of `till/sync.py` pass, committed as 4be1a2f."),
            1,
        )
    ]  # fmt: skip

    def prepare(vault: Vault) -> None:
        vault.capture(said[:2])
        vault.seal_boxes()
        vault.capture(said[2:])

    def deed(vault: Vault) -> None:
        vault.seal_boxes()

    def check(vault: Vault) -> None:
        deed(vault)
        records = [one for one in vault.parts.catalog.memories() if one.schema == "session"]
        assert len(records) == 1
        last = vault.parts.committer.last
        deed(vault)
        assert vault.parts.committer.last == last

    cycle.prepare(prepare)
    stops = cycle.interrupt(stopping, deed, check)
    with capsys.disabled():
        print(f"\n  closing: stopped {stops} times")
    assert stops > 5


def test_pages_are_written_whole_or_not_at_all_and_their_traces_follow(
    tmp_path: Path, environment: dict[str, str], stopping: Callable[[int, bool], None],
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    cycle = Cycle(tmp_path, environment)
    first = box("box-first", "fact-0", trace="t", next="box-old")
    old = box("box-old", "fact-1", trace="t", previous="box-first")
    gone = box("box-gone", "fact-2", trace="u")
    cycle.prepare(lambda vault: write_pages(vault, *((None, one) for one in (first, old, gone))))

    def deed(vault: Vault) -> None:
        before, goes = (vault.parts.projections.view.box(one.id) for one in (old, gone))
        assert before is not None
        after = replace(before, next="box-new")
        new = box("box-new", "fact-3", trace="t", previous="box-old")
        write_pages(vault, (before, after), (goes, None), (None, new), (None, entity("tool-x")))

    states: set[str] = set()

    def check(vault: Vault) -> None:
        view = vault.parts.projections.view
        names = {one.id: one.next for one in view.boxes()} | {one.id: "" for one in view.entities()}
        states.add(str(sorted(names.items())))
        assert vault.parts.disk.read(layout.TRACES) == trace_list(view.boxes())

    stops = cycle.interrupt(stopping, deed, check)
    with capsys.disabled():
        print(f"\n  pages: stopped {stops} times")
    assert states == {
        "[('box-first', 'box-old'), ('box-gone', ''), ('box-old', '')]",
        "[('box-first', 'box-old'), ('box-new', ''), ('box-old', 'box-new'), ('tool-x', '')]",
    }


@pytest.mark.parametrize("named", ["memory", "conversation", "text"])
def test_a_purge_that_began_is_finished_and_leaves_no_word(
    named: str, tmp_path: Path, environment: dict[str, str],
    stopping: Callable[[int, bool], None], capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    cycle = Cycle(tmp_path, environment, Adapters())
    unwanted, (kept,) = turns(1)[0], turns(1, session="other", first=1)
    word, reason = unwanted.text.split()[1], "quorple"

    def prepare(vault: Vault) -> None:
        vault.capture([unwanted, kept])
        vault.flush()
        found = memory(vault)
        assert found is not None
        lines = ((found.id, unwanted.text), ("fact-other", kept.text))
        tool = entity("tool-valve", timeline=(("2026-03-06", found.id, unwanted.text),))
        vault.retire([found.id], f"{reason} said so")
        vault.restore(found.id)
        asked = {"ids": [found.id], "time": NOW, "question": f"where is the {reason} and the rest"}
        vault.parts.disk.append(layout.ACCESS, json.dumps(asked).encode() + b"\n")
        write_pages(vault, (None, box("box-a", lines=lines, goal=unwanted.text)), (None, tool))

    def memory(vault: Vault) -> Memory | None:
        return next((one for one in vault.parts.catalog.memories() if word in one.text), None)

    def deed(vault: Vault) -> None:
        found = memory(vault)
        assert found is not None
        if named == "text":
            vault.purge(matching=word)
        else:
            vault.purge(found.id if named == "memory" else unwanted.transcript)

    def check(vault: Vault) -> None:
        vault.parts.index.refresh()
        if memory(vault) is None:
            vault.close()
            for free in (word, reason):
                assert where(cycle.path, free) == where(cycle.home, free) == []
            assert "2026-03-06/box-a.md" in where(cycle.path / "boxes", kept.text)
        else:
            assert live_texts(vault) == {unwanted.text, kept.text}

    cycle.prepare(prepare)
    stops = cycle.interrupt(stopping, deed, check, calls(10_000))
    with capsys.disabled():
        print(f"\n  purge of a {named}: stopped {stops} times")
    with cycle.open() as vault:
        assert live_texts(vault) == {kept.text}
        assert vault.capture([unwanted]).new == 0


def test_a_purge_of_secrets_that_began_is_finished(
    tmp_path: Path, environment: dict[str, str], stopping: Callable[[int, bool], None],
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    cycle = Cycle(tmp_path, environment, Adapters())
    secret = "ghp_" + "a1B2c3D4e5F6" * 3

    def prepare(vault: Vault) -> None:
        held = vault.remember("We deploy the shop to Hetzner.").memory
        path = vault.root / held.path
        path.write_text(path.read_text().replace("Hetzner.", f"Hetzner with {secret}."))
        vault.take_up_edits()

    def deed(vault: Vault) -> None:
        assert vault.purge_secrets() == []

    def check(vault: Vault) -> None:
        left = vault.secrets()
        vault.parts.index.refresh()
        vault.close()
        if not left:
            assert where(cycle.path, secret) == where(cycle.home, secret) == []

    cycle.prepare(prepare)
    stops = cycle.interrupt(stopping, deed, check, calls(10_000), found_before="secret")
    with capsys.disabled():
        print(f"\n  purge of secrets: stopped {stops} times")
