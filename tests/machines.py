"""Two machines with one vault: a folder each, and what a sync tool or git does between them."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from engram.settings.paths import places_of
from engram.store.base.clock import FixedClock
from engram.vault import Vault, create
from tests.kit import files


@dataclass
class Machine:
    """One person's computer: a home, and a copy of the vault."""

    home: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def root(self) -> Path:
        return self.home / "vault"

    @property
    def _environment(self) -> dict[str, str]:
        return {"ENGRAM_HOME": str(self.home / "user"), "HOME": str(self.home)} | self.environment

    @contextmanager
    def vault(self, now: str = "2026-03-06T12:00:00Z") -> Iterator[Vault]:
        """The vault, open; made or registered at the first time."""
        clock = FixedClock(now)
        if not (self.root / "engram.toml").exists():
            Vault.create(self.root, environment=self._environment, clock=clock).close()
        create.register(self.root.resolve(), places_of(self._environment))
        with Vault.open(self.root, environment=self._environment, clock=clock) as vault:
            yield vault

    def hears(
        self, *said: str, session: str = "s", now: str = "2026-03-06T12:00:00Z",
        extract: bool = True,
    ) -> Path:  # fmt: skip
        """A transcript in which the user says this, taken in."""
        self.home.mkdir(exist_ok=True)
        path = self.home / f"{session}.jsonl"
        rows = [
            {"role": "user", "content": text, "session": session, "project": "shop",
             "timestamp": f"2026-03-06T10:{minute:02d}:00Z"}
            for minute, text in enumerate(said)
        ]  # fmt: skip
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        with self.vault(now) as vault:
            vault.import_files("jsonl", path, live=True, extract=False)
            if extract:
                vault.flush()
        return path

    def consolidates(self, now: str = "2026-03-06T13:00:00Z") -> None:
        with self.vault(now) as vault:
            vault.consolidate()

    def travelling(self) -> dict[str, bytes]:
        """What a sync tool carries: all but `state/`."""
        names = ((path.relative_to(self.root).as_posix(), path) for path in files(self.root))
        return {
            name: path.read_bytes()
            for name, path in names
            if not name.startswith(("state/", ".git/", ".stignore"))
        }

    def facts(self) -> dict[str, bytes]:
        return {
            name: data
            for name, data in self.travelling().items()
            if name.startswith(("facts/", "archive/"))
        }

    def git(self, *arguments: str) -> str:
        """Run git in the vault; what it says, whatever its exit code."""
        names = ("-c", "user.name=Kim", "-c", "user.email=kim@example.org")
        done = subprocess.run(
            ["git", *names, "-c", "commit.gpgsign=false", *arguments],
            cwd=self.root, capture_output=True, text=True, timeout=60, check=False,
            env={"PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": str(self.home),
                 "GIT_CONFIG_NOSYSTEM": "1"},
        )  # fmt: skip
        return done.stdout + done.stderr


def copied(machine: Machine, home: Path) -> Machine:
    """A second machine with a copy of the vault, without `state/` and cache."""
    other = Machine(home, dict(machine.environment))
    shutil.copytree(machine.root, other.root, ignore=shutil.ignore_patterns("state"))
    return other


@dataclass
class SyncTool:
    """Carries files between two machines as Syncthing does; knows what both had when it last did.

    What only one changed goes to the other. Where both did, one version stays and the other lies
    beside it as a conflict copy, on both machines. A change wins over a removal.
    """

    one: Machine
    other: Machine
    known: dict[str, bytes] = field(default_factory=dict)
    conflicts: int = 0

    def run(self) -> None:
        here, there = self.one.travelling(), self.other.travelling()
        for name in sorted({*here, *there, *self.known}):
            mine, theirs, old = here.get(name), there.get(name), self.known.get(name)
            if mine == theirs:
                self._both(name, mine)
            elif mine == old or mine is None:
                self._both(name, theirs)
            elif theirs == old or theirs is None:
                self._both(name, mine)
            else:
                self.conflicts += 1
                stem, _, kind = name.rpartition(".")
                copy = f"{stem}.sync-conflict-20260306-1010{self.conflicts:02d}-ABCDEFG.{kind}"
                self._both(name, mine)
                self._both(copy, theirs)

    def _both(self, name: str, data: bytes | None) -> None:
        if data is None:
            self.known.pop(name, None)
        else:
            self.known[name] = data
        for machine in (self.one, self.other):
            path = machine.root / name
            if data is None:
                path.unlink(missing_ok=True)
            elif not path.exists() or path.read_bytes() != data:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
