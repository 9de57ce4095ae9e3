"""A life with a vault, in fast motion: conversations, changes of mind, repeats, and hand edits.

Turns a number of days into what a person and an agent say on them, by the rules tier alone, under a
clock that the test moves. The same days give the same turns. `Life` lives them in a real vault and
keeps what it needs to judge the vault by: every memory it has ever seen, and its own hand edits.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from engram.model.instant import Instant, plus_days, plus_minutes
from engram.model.memory import PROTECTED, Memory, confidence_tier
from engram.model.turn import Turn, turn_of
from engram.vault import Vault
from tests.kit import tree_digest

#: what is there to be taken back; transcripts and logs are what was said, and stay
CONTENT = ("facts", "archive", "boxes", "entities", "summaries", "profile.md", "IDENTITY.md")
#: rows of the audit that a vault which nobody damaged never has
_NEVER = frozenset(
    {"exact_duplicates", "near_duplicates", "recall_loop", "secrets", "without_receipt",
     "dead_links", "orphans"}
)  # fmt: skip
_PROJECTS = ("lantern", "harbor", "kestrel", "orbit")
_TOWNS = ("Graz", "Ghent", "Turku", "Porto", "Leeds", "Bergen")
_EDITORS = ("vim", "emacs", "helix", "zed")
_STORES = ("Postgres", "MariaDB", "SQLite", "DuckDB")
_PEOPLE = ("Mara Holt", "Bram Visser", "Priya Nair", "Henrik Lund", "Ida Moser")
_SAYINGS = (
    "the config of the {p}{n} service lives in /etc/{p}/{n}.yaml",
    "remember that the {p} invoices of round {n} go out on day {d}",
    "remember that shelf {n} in the {p} cellar holds the oak boards",
    "max upload size for {p} plan {n} is {m}mb",
    "the {p}{n} repo has {m} folders, nothing fancy",
    "i prefer short reports about {p} topic {n}",
    "We decided to use {s} for {p} module {n} because two writers need it.",
    "From now on every {p} change of area {n} needs two reviews.",
    "I need to send the {p} report {n} by Friday",
    "we shipped {p} {n}.{d} today!",
    "yesterday we cut over {p} to cluster {n}",
    "{p}{n} is our deployment tool",
    "{h} owns the {p} indexer {n}",
    "the fix for the {p} outage {n} was to bump the pool size to {m}",
    "to release {p} part {n}: bump the version, update the changelog, tag it",
)


class MovingClock:
    """A clock that stands still until it is moved."""

    def __init__(self, instant: Instant) -> None:
        self.instant = instant

    def now(self) -> Instant:
        """Where it stands."""
        return self.instant


@dataclass(slots=True)
class Life:
    """The days of one person, lived in one vault."""

    vault: Vault
    clock: MovingClock
    seed: int = 7
    #: `(path, before, after)` of what the person typed, oldest first
    edits: list[tuple[Path, bytes, bytes]] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    said: list[str] = field(default_factory=list)

    def live(self, day: str, number: int) -> None:
        """One day: two conversations, then perhaps an edit by hand."""
        chance = random.Random(self.seed * 10_007 + number)
        for hour, count in (("09:00", 8), ("15:00", 6)):
            self.clock.instant = f"{day}T{hour}:00Z"
            for turns in _exchanges(day, hour, count, number, chance, self.said):
                self.clock.instant = turns[-1].time
                self.vault.capture(turns)
            self.clock.instant = plus_minutes(self.clock.instant, 45)
            self.vault.flush()
        if number % 3 == 2:
            self._edit(chance)

    def _edit(self, chance: random.Random) -> None:
        """Another word in the text of some memory, as an editor saves it."""
        live = [memory for memory in self.vault.parts.catalog.memories() if memory.live]
        path = self.vault.root / chance.choice(live).path
        before = path.read_bytes()
        header, fence, body = before.rpartition(b"\n---\n")
        after = header + fence + body.replace(b".", b", as I see it.", 1)
        path.write_bytes(after)
        self.edits.append((path, before, after))
        self.vault.parts.settler.within(math.inf)

    def digest(self) -> str:
        """What the vault holds, logs and views left out."""
        return tree_digest(self.vault.root, *CONTENT)

    def memories(self) -> dict[str, Memory]:
        """Every memory of the vault, which are all that there ever were."""
        found = {memory.id: memory for memory in self.vault.parts.catalog.memories()}
        assert self.seen <= found.keys(), sorted(self.seen - found.keys())[:3]
        self.seen |= found.keys()
        return found

    def check(self) -> None:
        """What is promised of every week: no memory is lost, statuses follow the rules, the audit
        has nothing to say, and a second consolidation changes nothing."""
        self.vault.consolidate()
        before = self.digest()
        again = self.vault.consolidate()
        assert (again.steps, again.transaction, self.digest()) == ((), 0, before)
        self.check_statuses()
        amiss = {row.name: row.flaws[:3] for row in self.vault.audit().rows if row.flaws}
        assert not amiss.keys() & _NEVER, amiss

    def check_statuses(self) -> None:
        """Every memory has a file, and is what the rules make of it."""
        found, today = self.memories(), self.clock.now()[:10]
        for memory in found.values():
            assert (self.vault.root / memory.path).is_file(), memory.path
            assert memory.path.startswith("archive/") == (memory.status == "archived"), memory
            if memory.status == "superseded":
                assert memory.superseded_by, memory
                assert all(name in found for name in memory.superseded_by), memory
            if memory.status == "expired":
                doubted = confidence_tier(memory.confidence) == "speculative"
                assert memory.expires <= today, memory
                assert doubted or memory.category not in PROTECTED, memory
            if memory.status == "active" and memory.expires:
                assert memory.expires > today, memory

    def undo_everything(self) -> None:
        """Every change, newest first; what was typed is typed back when its turn comes."""
        edits = list(self.edits)
        rows = self.vault.parts.catalog.log.rows()
        for number, _, kind, *_ in rows:
            if kind == "settle":
                path, before, after = edits.pop()
                assert path.read_bytes() == after, path
                path.write_bytes(before)
                self.vault.parts.settler.within(math.inf)
            elif self.vault.change(number).plan.changes and kind != "undo":
                self.vault.undo(str(number))


def _exchanges(
    day: str, hour: str, count: int, number: int, chance: random.Random, said: list[str]
) -> Iterator[list[Turn]]:
    """Pairs of what the user says and the agent answers, in one session of one project."""
    project = _PROJECTS[number // 2 % len(_PROJECTS)]
    for index in range(count):
        serial = number * 20 + index + (10 if hour > "12" else 0)
        text = _saying(serial, project, chance)
        if index == 3 and said and number % 7 == 1:
            text = chance.choice(said)  # a repeat of something said long ago
        elif index == 4:
            text = _change_of_mind(number, hour, serial, project) or text
        said.append(text)
        time = plus_minutes(f"{day}T{hour}:00Z", 3 * index)
        common = {"source": "life", "session": f"{day}-{hour}", "project": project}
        yield [
            turn_of("user", text, time, message=f"u{serial}", **common),
            turn_of("assistant", "Noted, I will keep it so.", plus_minutes(time, 1),
                    message=f"a{serial}", **common),
        ]  # fmt: skip


def _saying(serial: int, project: str, chance: random.Random) -> str:
    template = _SAYINGS[serial % len(_SAYINGS)]
    return template.format(
        p=project, n=serial, d=1 + serial % 28, m=5 + serial % 95, s=chance.choice(_STORES),
        h=chance.choice(_PEOPLE),
    )  # fmt: skip


def _change_of_mind(number: int, hour: str, serial: int, project: str) -> str:
    """Corrections, and values that go from A to B and back to A."""
    morning = hour < "12"
    if number % 12 == 3 and morning:
        return f"actually the {project} port is {8000 + number}, not {7000 + number}"
    if number % 18 in (4, 10, 16) and morning:
        back = number % 18 != 10
        return f"I live in {_TOWNS[0] if back else _TOWNS[1 + number // 18 % 5]}"
    if number % 18 in (5, 11, 17) and not morning:
        back = number % 18 != 11
        return f"my editor is {_EDITORS[0] if back else _EDITORS[1 + number // 18 % 3]}"
    return ""


def days(first: str, count: int) -> Iterator[str]:
    """So many days from the first."""
    for number in range(count):
        yield plus_days(first, number)
