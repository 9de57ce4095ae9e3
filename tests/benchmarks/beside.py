"""A shared vault beside the own one: `python -m tests.benchmarks.beside [--memories N] [--runs N]`.

The CPU time of whole processes, hooks and questions, in a repository of which the same memories lie
in one vault, or half of them in a shared vault that serves it; and of the half alone. Each is the
median of runs that take turns.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from engram.settings.paths import places_of
from engram.settings.registry import Registry, Sharing
from engram.store.base.clock import FixedClock
from engram.vault import Vault
from tests.benchmarks.processes import compiled
from tests.kit import takes_every_turn, turns

_NOW = "2026-03-06T12:00:00Z"
_ROOT = Path(__file__).parents[2]
_ENGRAM = (sys.executable, "-c", "from engram.surfaces.entry import main; main()")
_ASKED = "what about the tokens0007 valve?"
VERBS = {
    "hook session-start": ("hook", "session-start"), "hook prompt": ("hook", "prompt"),
    "recall": ("recall", _ASKED), "search": ("search", _ASKED),
}  # fmt: skip
#: how often a process is run that printed nothing
_ATTEMPTS = 5
#: the most that both may cost, in the time of one vault with the same memories
MOST = 1.4


def furnish(folder: Path, own: int, shared: int) -> dict[str, str]:
    """A repository `shop`, an own vault and a shared one; the environment of its person."""
    environment = {"ENGRAM_HOME": str(folder / "home"), "HOME": str(folder)}
    environment |= {"ENGRAM_VAULT": str(folder / "vault"), "ENGRAM_CLOCK": _NOW}
    (folder / "shop" / ".git").mkdir(parents=True)
    made = Vault.create(folder / "vault", environment=environment, clock=FixedClock(_NOW))
    with takes_every_turn(made) as vault:
        vault.capture(turns(own))
        vault.flush()
    if shared:
        other = Vault.create(folder / "other", environment=environment, clock=FixedClock(_NOW))
        with takes_every_turn(other) as vault:
            vault.capture(turns(shared, first=own))
            vault.flush()
        root = folder / "shop" / "memory"
        root.mkdir()
        shutil.move(folder / "other" / "facts", root / "facts")
        (root / "engram.toml").write_text('format = 1\nid = "team"\nshares = "project"\n')
        Registry(places_of(environment)).add(root, "team", Sharing("project"))
    inherited = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return inherited | environment | {
        "PYTHONPATH": str(_ROOT), "PYTHONPYCACHEPREFIX": compiled(folder),
    }  # fmt: skip


def spent(
    arguments: tuple[str, ...], environment: dict[str, str], folder: Path, **said: str
) -> float:
    """CPU milliseconds of a process that printed something: a hook that is late prints nothing.

    A host says to a hook where it is, the prompt, and what else is `said`.
    """
    asked = json.dumps({"cwd": str(folder), "prompt": _ASKED} | said).encode()
    for _ in range(_ATTEMPTS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ran = subprocess.run(
            (*_ENGRAM, *arguments), env=environment, cwd=folder, check=True, input=asked,
            stdout=subprocess.PIPE,
        )  # fmt: skip
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if ran.stdout:
            return (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1000
    raise AssertionError(f"nothing was given by {arguments}")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=15)
    given = parser.parse_args()
    half = given.memories // 2
    with tempfile.TemporaryDirectory() as place:
        made = {"one": (2 * half, 0), "alone": (half, 0), "both": (half, half)}
        folders = {name: Path(place) / name for name in made}
        homes = {name: furnish(folders[name], *sizes) for name, sizes in made.items()}
        for name in made:  # makes the catalogs that a hook reads
            spent(VERBS["recall"], homes[name], folders[name] / "shop")
        for verb, arguments in VERBS.items():
            times: dict[str, list[float]] = {name: [] for name in made}
            for _ in range(given.runs):
                for name in made:
                    times[name].append(spent(arguments, homes[name], folders[name] / "shop"))
            one, alone, both = (median(times[name]) for name in ("one", "alone", "both"))
            print(
                f"{verb}: {2 * half:,} in one vault {one:.0f} ms, {half:,} and {half:,} beside"
                f" {both:.0f} ms, {both / one:.2f} of that (at most {MOST}); {half:,} alone"
                f" {alone:.0f} ms, {both / alone:.2f} of that"
            )


if __name__ == "__main__":
    main()
