"""What is told again, changed, in a later session replaces what was told first: with a model that
names what it replaces, and where it names nothing, by the judge's rules.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from engram.model.turn import Turn, turn_of
from engram.pipeline import ingest
from tests.fakes.model_server import ModelServer, fact, recorded
from tests.llm.office import Office


class Told(NamedTuple):
    """What is said, and the item that a model writes of it."""

    said: str
    category: str
    text: str
    entities: list[str]

    def turn(self, number: int, week: int) -> Turn:
        """The turn, in a session and a project of its own."""
        return turn_of(
            "user", self.said, f"2026-03-{2 + 7 * week:02d}T10:{number:02d}:00Z", source="test",
            session=f"{number}-{week}", project=f"work{number}",
        )  # fmt: skip

    def item(self, *replaces: str) -> dict[str, Any]:
        """The item, naming what it replaces by its words."""
        named = [{"name": name, "type": "thing"} for name in self.entities]
        return fact(
            self.text, self.said, category=self.category, entities=named,
            replaces=[f"{{{text}}}" for text in replaces],
        )  # fmt: skip


class Change(NamedTuple):
    """Something told twice."""

    first: Told
    second: Told
    replaced: bool


def changes_in(part: str) -> list[Change]:
    table = tomllib.loads(Path(__file__).with_name("told_changes.toml").read_text("utf-8"))
    return [
        Change(Told(*first), Told(*second), became == "replaced")
        for first, second, became in table[part]
    ]


def statuses(changes: list[Change], office: Office, *, named: bool) -> list[str]:
    """What becomes of the first memory of each, where the model names what it replaces or not."""
    # the second first: a known memory may say what was said first in the same words
    answers = {
        second.said: [second.item(*[first.text] * (named and replaced))]
        for first, second, replaced in changes
    } | {first.said: [first.item()] for first, _, _ in changes}
    with ModelServer([recorded(answers)]) as server:
        vault = office.cloud(server.base_url).open()
        for week in range(2):
            turns = [change[week].turn(number, week) for number, change in enumerate(changes)]
            ingest.take_in(turns, vault.parts)
            vault.flush()
    by_text = {memory.text: memory for memory in vault.parts.catalog.memories()}
    return [by_text[first.text].status for first, _, _ in changes]


@pytest.mark.parametrize(
    ("part", "named", "least"),
    [("tuned", True, 9), ("unseen", True, 11), ("tuned", False, 2), ("unseen", False, 5)],
)
def test_what_is_told_changed_replaces_what_was_told(
    part: str, named: bool, least: int, office: Office
) -> None:
    changes = changes_in(part)
    found = statuses(changes, office, named=named)
    replaced = [change.replaced for change, status in zip(changes, found, strict=True)
                if status == "superseded"]  # fmt: skip
    assert all(replaced), "something that still holds was replaced"
    assert len(replaced) >= least
