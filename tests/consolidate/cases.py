"""What the ageing passes are tested with: a scene at a fixed noon, and memories of some age."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engram.consolidate.scene import Scene
from engram.model.instant import plus_days
from engram.model.memory import Memory
from engram.model.step import Opinion
from engram.ports import Model
from engram.settings.values import ConsolidateSettings, Settings
from tests.admit.cases import memory
from tests.consolidate.contents import Remembered

NOW = "2026-11-20T12:00:00Z"
TODAY = NOW[:10]


class Silent:
    """A Judge without an opinion."""

    def compare(self, older: Memory, newer: Memory) -> Opinion:
        return Opinion("unrelated")


def scene(
    contents: Remembered, changed: frozenset[str] | None = None, model: Model | None = None,
    now: str = NOW, **consolidate: Any,
) -> Scene:  # fmt: skip
    """A consolidation of these contents; further names are settings of `[consolidate]`."""
    settings = replace(Settings(), consolidate=ConsolidateSettings(**consolidate))
    return Scene(contents, now, settings, Silent(), changed, model)


def aged(days: int, text: str = "The shop uses Postgres.", **more: Any) -> Memory:
    """A memory that was said so many days before the noon of the scene, to the second."""
    return memory(text, created=f"{plus_days(NOW, -days)}T12:00:00Z", **more)
