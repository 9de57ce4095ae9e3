"""Conversations with questions whose evidence is known: `Retriever` finds turns as engram does.

    python .../locomo/bench.py tests.benchmarks.locomo:Retriever

The conversations are not part of this project (they may only be used to measure). A `Retriever`
feeds them through the product's own capture, as JSON Lines in a file, and asks the public search
with its default settings: nothing is set here that a user does not get.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from engram.store.base.clock import FixedClock
from engram.vault import Vault

#: after the last of these conversations
_NOW = "2024-06-01T12:00:00Z"


class Retriever:
    """One vault for one set of conversations."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        root = Path(self._folder.name)
        environment = {"ENGRAM_HOME": str(root / "home"), "HOME": str(root)}
        self.vault = Vault.create(root / "vault", environment=environment, clock=FixedClock(_NOW))
        self._ids: dict[str, str] = {}

    def index(self, turns: list[dict[str, Any]]) -> None:
        """Capture turns: dicts with id, session, date, time, speaker, text, caption."""
        path = Path(self._folder.name) / "talk.jsonl"
        first = turns[0]["speaker"] if turns else ""
        lines = []
        for turn in turns:
            row = {
                "id": turn["id"], "session": turn["session"], "speaker": turn["speaker"],
                "role": "user" if turn["speaker"] == first else "assistant",
                "content": turn["text"], "timestamp": f"{turn['date']}T{turn['time']}:00Z",
            }  # fmt: skip
            if turn.get("caption"):
                row["caption"] = turn["caption"]
            lines.append(json.dumps(row))
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        self.vault.import_files("jsonl", path)
        # turns are captured in the order of the lines, and none of them is left out
        entries = list(self.vault.parts.turn_log.entries())
        assert len(entries) == len(turns)
        for entry, turn in zip(entries, turns, strict=True):
            self._ids[f"{entry.turn.transcript}#^{entry.turn.block}"] = turn["id"]

    def search(self, query: str, k: int) -> list[str]:
        """The ids of the best turns, best first."""
        return [self._ids[hit.id] for hit in self.vault.search(query, limit=k).turns]

    def close(self) -> None:
        """Remove the vault."""
        self.vault.close()
        self._folder.cleanup()
