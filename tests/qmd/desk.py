"""The command line of the qmd face, run inside this process over invented notes."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from engram.surfaces.qmd.app import run

NOTES = {
    "bread.md": "# Rye bread\n\nFeed the leaven.\nBake the bread hot.\n",
    "boats/ketch.md": "# The ketch\n\nA ketch has two masts.\nIts mizzen is the smaller sail.\n",
    "boats/yawl.md": "# The yawl\n\nA yawl has its mizzen behind the rudder.\n",
    "boats/old/log.md": "# Log of 1911\n\nSailing by night, no mizzen.\nTide-tables: TT-1911.\n",
    "tea.md": "# Notes\n\n## Brewing tea\n\nBrew the tea at 80 degrees.\n",
    "plain.md": "No heading, only words about varnish.\nÖl für das Boot.\n",
}


class Ran(NamedTuple):
    """What one command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed, as data."""
        return json.loads(self.out)

    @property
    def files(self) -> list[str]:
        """The paths of the hits of a search that printed JSON."""
        return [row["file"].partition("//")[2].partition("/")[2] for row in self.json]


class Desk:
    """A folder with notes in it, and an environment in which everything lies below it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notes = folder / "notes"
        self.environment = {
            "HOME": str(folder / "home"), "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_CACHE_HOME": str(folder / "cache"), "ENGRAM_HOME": str(folder / "engram"),
            "PATH": os.environ.get("PATH", ""), "TZ": "UTC",
        }  # fmt: skip
        (folder / "home").mkdir()
        for path, text in NOTES.items():
            self.write(path, text)

    def write(self, path: str, text: str) -> Path:
        """A note with that text."""
        place = self.notes / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8", newline="")
        return place

    def run(self, *words: str, here: Path | None = None, also: Mapping[str, str] = {}) -> Ran:
        """Run one command line from the folder, or from `here`."""
        place = here or self.folder
        seen = self.environment | {"PWD": str(place)} | dict(also)
        out, err = io.StringIO(), io.StringIO()
        before = os.getcwd()
        with (
            mock.patch.dict(os.environ, seen, clear=True),
            mock.patch.object(sys, "stdout", out),
            mock.patch.object(sys, "stderr", err),
        ):
            os.chdir(place)
            try:
                code = run(list(words))
            finally:
                os.chdir(before)
        return Ran(code, out.getvalue(), err.getvalue())

    def search(self, *words: str) -> Ran:
        """`search ... --json`."""
        return self.run("search", "--json", *words)

    @property
    def config(self) -> Path:
        """The configuration of the default index."""
        return self.folder / "config" / "qmd" / "index.yml"
