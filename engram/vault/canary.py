"""The canary: one memory lives its whole life in a vault of its own -> a finding, if it does not.

What was said is written, extracted, found and forgotten, by the code that does so every day: a
program that runs and quietly keeps nothing looks healthy from everywhere else.
Guarantees: everything lies in a temporary folder with an ENGRAM_HOME of its own, which is removed;
no vault of the person, no setting, no model and no network has a part in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from engram.model.errors import EngramError
from engram.model.findings import Finding
from engram.model.turn import turn_of
from engram.store.base import layout
from engram.store.base.clock import FixedClock
from engram.vault import Adapters, Vault

#: what is said, a word of it that nobody else says, and when: it stands still, so nothing waits
_SAID = "We decided to use firedamp lamps instead of candles because two miners need light."
_WORD, _WHEN = "firedamp", "2026-03-06T12:00:00Z"
_STEPS = ("written", "extracted", "found", "forgotten")
_REPORT = "nothing of yours was touched; report this line and what `engram --version` says"


def sing(kind: type[Vault] = Vault, adapters: Adapters = Adapters()) -> list[Finding]:
    """One finding that names the step at which a memory was lost; none when all is well.

    `kind` and `adapters` are of the vault that is tried.
    """
    done = 0
    try:
        with TemporaryDirectory(prefix="engram-canary-") as folder:
            for well in _life(Path(folder), kind, adapters):
                if not well:
                    break
                done += 1
    except (EngramError, OSError) as error:
        fix = error.hint if isinstance(error, EngramError) else "mend that, then run it again"
        return [_lost(done, str(error), fix)]
    return [] if done == len(_STEPS) else [_lost(done, "and nothing said so", _REPORT)]


def _lost(done: int, why: str, fix: str) -> Finding:
    step = _STEPS[min(done, len(_STEPS) - 1)]
    return Finding(
        "error", "canary", step, f"in an empty vault a new memory could not be {step}: {why}", fix
    )


def _life(folder: Path, kind: type[Vault], adapters: Adapters) -> Iterator[bool]:
    """Whether each of the steps did what it says."""
    home = {"ENGRAM_HOME": str(folder / "home"), "HOME": str(folder)}
    adapters = replace(adapters, clock=FixedClock(_WHEN))
    with kind.create(folder / "vault", environment=home, adapters=adapters) as vault:
        turn = turn_of("user", _SAID, _WHEN, source="canary", session="mine", project="mine")
        vault.capture([turn])
        yield any((vault.root / layout.TRANSCRIPTS).glob("*/*.md"))
        vault.flush()
        yield any((vault.root / layout.FACTS).glob("*/*.md"))
        found = vault.search(_WORD).memories
        yield len(found) == 1
        vault.forget(found[0].id)
        after = vault.search(_WORD)
        yield not (after.memories or after.turns)
