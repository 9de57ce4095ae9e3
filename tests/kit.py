"""What several tests build with: turns, boxes, an extractor of every word, digests, rows."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from engram.capture.turn_log import VaultTurnLog
from engram.extract.receipt import receipt_of
from engram.index.memory_finder import MemoryFinder
from engram.model.box import Box
from engram.model.candidate import Candidate
from engram.model.change import Plan
from engram.model.entity import Entity
from engram.model.settings import Settings
from engram.model.step import Page
from engram.model.summary import Summary, SummaryLine
from engram.model.turn import Turn, turn_of
from engram.store.base.disk import VaultDisk
from engram.store.catalog.catalog import Catalog
from engram.store.catalog.catalog_view import CatalogView
from engram.store.files.render import FileRenderer
from engram.vault import Adapters, Vault
from engram.vault.wiring import VaultParts

#: the index in memory, for tests that do not ask it, or only a little
LIGHT = Adapters(finder=lambda folder: MemoryFinder())


class Cheap:
    """What every Extractor of a test has that works like the rules: at once, all turns together."""

    costly = False

    def portion(self, turns: Sequence[Turn], attempts: int) -> int:
        return len(turns)


class EveryTurn(Cheap):
    """An Extractor that proposes each user turn as a fact, so that tests can count turns."""

    def extract(self, turns: Sequence[Turn]) -> list[Candidate]:
        return [
            Candidate("fact", turn.text, receipt_of(turn, turn.text), 0.8, project=turn.project)
            for turn in turns
            if turn.role == "user"
        ]


def takes_every_turn(vault: Vault) -> Vault:
    """The vault with `EveryTurn` for its extractor."""
    return reopened(vault, extractor=EveryTurn())


def reopened(vault: Vault, *, settings: Settings | None = None, **adapters: object) -> Vault:
    """The vault as if it had been opened with other settings, or with these adapters too."""
    vault.close()
    parts = vault.parts
    loaded = parts.loaded._replace(settings=settings or parts.settings)
    both = replace(parts.adapters, **adapters)  # type: ignore[arg-type]
    vault.parts = VaultParts(parts.root, loaded, parts.places, parts.environment, both, parts.entry)
    return vault


def view_of(catalog: Catalog) -> CatalogView:
    """What a catalog knows that no vault stands behind: pages and turns are not asked for."""
    disk = VaultDisk(Path("no-vault"))
    return CatalogView(lambda: catalog, disk, VaultTurnLog(disk))


_Row = TypeVar("_Row")


def failing(rows: Iterable[_Row], check: Callable[[_Row], object]) -> str:
    """The rows of a table for which a check raises, and what it raises; empty when it is none."""
    wrong = []
    for row in rows:
        try:
            check(row)
        except Exception as error:  # noqa: BLE001 - the other rows are to be tried as well
            wrong.append(f"{row!r:.200}: {type(error).__name__}: {error}")
    return "\n".join(wrong)


def turns(count: int, session: str = "s", first: int = 0) -> list[Turn]:
    """User turns with a unique statement each."""
    return [
        turn_of(
            "user",
            f"The token{session}{number:04d} valve holds {number} bar.",
            f"2026-03-06T{10 + number // 60 % 12:02d}:{number % 60:02d}:00Z",
            source="test",
            session=session,
            project="shop",
            message=str(number),
        )
        for number in range(first, first + count)
    ]


def files(root: Path) -> Iterator[Path]:
    """Every regular file below a folder, in order."""
    yield from sorted(path for path in root.rglob("*") if path.is_file())


def tree_digest(root: Path, *tops: str) -> str:
    """SHA-256 over names and bytes of all files (below `tops`, or everywhere)."""
    digest = hashlib.sha256()
    for path in files(root):
        name = path.relative_to(root).as_posix()
        if not tops or name.partition("/")[0] in tops:
            digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def where(root: Path, needle: str) -> list[str]:
    """The files whose bytes hold a text, as UTF-8, UTF-16 or escaped JSON."""
    forms = {
        needle.encode(),
        needle.encode("utf-16-le"),
        needle.encode("ascii", "backslashreplace"),
    }
    return [
        path.relative_to(root).as_posix()
        for path in files(root)
        if any(form in path.read_bytes() for form in forms)
    ]


def box(identifier: str, *memories: str, **more: object) -> Box:
    """A sealed box of these memories, with a first line each."""
    lines = tuple((name, f"First line of {name}.") for name in memories)
    made = Box(
        identifier, lines, "2026-03-06T10:00:00Z", "2026-03-06T10:30:00Z", "test-s", "shop",
        ("tea",), "time_gap", "Tea",
    )  # fmt: skip
    return replace(made, **more)  # type: ignore[arg-type]


def entity(identifier: str, *memories: str, **more: object) -> Entity:
    """An entity on whose time line these memories stand."""
    kind, _, name = identifier.partition("-")
    days = (f"2026-03-{number:02d}" for number in range(1, 29))
    timeline = tuple(
        (day, memory, f"First line of {memory}.")
        for day, memory in zip(days, memories, strict=False)
    )
    made = Entity(identifier, kind, name, timeline=timeline)
    return replace(made, **more)  # type: ignore[arg-type]


def summary(identifier: str, *memories: str, **more: object) -> Summary:
    """A summary of these memories, one line from each."""
    lines = tuple(SummaryLine(f"What {name} says.", (name,)) for name in memories)
    made = Summary(
        identifier, "Tea", "2026-03-07T02:00:00Z", "2026-03-01", "2026-03-06", memories, lines,
        confidence=0.8, space="project", project="shop",
    )  # fmt: skip
    return replace(made, **more)  # type: ignore[arg-type]


def write_pages(vault: Vault, *pairs: tuple[Page | None, Page | None]) -> int:
    """Make, change and remove pages in one transaction; returns its number."""
    changes = FileRenderer(vault.parts.disk).pages(pairs)
    return vault.parts.committer.commit(Plan("consolidate", tuple(changes))).number


def topic_totals(texts: Iterable[Mapping[str, int]]) -> list[tuple[str, int, int]]:
    """What `top_topics` takes, counted anew from the words of each text."""
    held: Counter[str] = Counter()
    weights: Counter[str] = Counter()
    for terms in texts:
        held.update(terms.keys())
        weights.update(terms)
    return [(term, held[term], weights[term]) for term in sorted(held)]
