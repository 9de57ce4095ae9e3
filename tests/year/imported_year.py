"""The year of chats in a vault: imported and consolidated once, with the pages that a person sees.

Everything is as the command line leaves it: no model, a clock that stands two weeks after the last
chat, the time zone of the person who chats.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tests.golden.console import Ran, run

FIXTURE = Path(__file__).parents[1] / "fixtures" / "year"
GOLDEN = Path(__file__).parent / "golden"
CLOCK = "2026-11-23T09:00:00Z"

#: lists of words of which each has to give one that a text holds
Wanted = Sequence[Sequence[str]]


class Statement(NamedTuple):
    """What a friend would know after this year; even numbers are tuned on, odd ones held back."""

    number: int
    statement: str
    question: str
    words: Wanted


class ChangedMind(NamedTuple):
    """What was said first, and what replaced it."""

    name: str
    older: Wanted
    newer: Wanted


@dataclass(frozen=True, slots=True)
class Year:
    """The folder with `vault`, and the command line on it."""

    folder: Path

    @property
    def vault(self) -> Path:
        return self.folder / "vault"

    def run(self, *arguments: str) -> Ran:
        places = {"ENGRAM_CLOCK": CLOCK, "ENGRAM_VAULT": "vault", "TZ": "Europe/Vienna"}
        ran = run(arguments, self.folder, places)
        assert ran.code == 0, ran.err
        return ran

    def memories(self) -> list[dict[str, Any]]:
        """The live memories as `list --json` has them, without the records of sessions."""
        rows: list[dict[str, Any]] = json.loads(self.run("list", "--limit", "999", "--json").out)
        return [row for row in rows if row.get("schema") != "session"]

    def statements(self) -> list[str]:
        """What the live memories say."""
        return [str(row["text"]) for row in self.memories()]


def imported(folder: Path) -> Year:
    """The year in an empty folder."""
    year = Year(folder)
    year.run("init", "vault")
    year.run("import", "chatgpt", str(FIXTURE / "conversations.json"), "--yes")
    year.run("consolidate")
    return year


def known() -> list[Statement]:
    """The statements of the fixture."""
    return [Statement(**row) for row in _rows("statements")]


def changed_minds() -> list[ChangedMind]:
    """The pairs of the fixture."""
    return [ChangedMind(**row) for row in _rows("changed_minds")]


def holds(text: str, words: Wanted) -> bool:
    """Whether a text has one word of each list, in letters of either case."""
    folded = text.casefold()
    return all(any(word in folded for word in some) for some in words)


def pages(year: Year) -> Iterator[tuple[str, str]]:
    """The names and texts of what is held against `golden/`."""
    for name in ("home.md", "index.md", "profile.md"):
        path = year.vault / name
        yield name, path.read_text(encoding="utf-8") if path.exists() else ""
    for verb, *more in (["list", "--limit", "999"], ["boxes"], ["traces"]):
        yield f"{verb}.txt", year.run(verb, *more).out
    yield (
        "entities.txt",
        year.run("entities").out
        + "".join(
            f"\n== {path.name}\n{path.read_text(encoding='utf-8')}"
            for path in sorted((year.vault / "entities").rglob("*.md"))
        ),
    )
    told = year.statements()
    yield (
        "changed_minds.txt",
        "".join(
            f"{one.name}: older {_standing(told, one.older)}, newer {_standing(told, one.newer)}\n"
            for one in changed_minds()
        ),
    )


def _standing(told: Sequence[str], words: Wanted) -> str:
    return "active" if any(holds(text, words) for text in told) else "not active"


def _rows(name: str) -> list[dict[str, Any]]:
    text = (FIXTURE / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]
