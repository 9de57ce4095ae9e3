"""Labelled pairs -> what is replaced, asked and missed: `python -m tests.benchmarks.supersession`.

    python -m tests.benchmarks.supersession [FILE...] [--show] [--strangers 2000]
                                            [--parts judge,vaults,met,model]

A line of FILE (JSON) is an older and a newer statement of one scope and how they stand:

    {"id", "old": {"text", "date"}, "new": {"text", "date"}, "supersedes": true, "partial": false,
     "relation": "supersedes|contradiction|duplicate|complementary|unrelated"}

or FILE is a table like `tests/admit/change_pairs.toml`. Without FILE: that table and those of
`tests/fixtures/supersession`. For each file:

    judge    the judge without a model alone: precision, recall and F1 of what replaces (a pair of
             which only a part is replaced is none), and what is asked of the person
    vaults   the pairs dictated on their days and consolidated: each in a vault of its own, told in
             conversations, and all of them in one vault among strangers
    met      the pairs that the night compares at all, alone and among strangers, with a model
    model    nights whose model knows all labels, one among strangers: is what it says carried out?

`--show` prints what is not as labelled. `strangers` are statements of `tests/benchmarks/strangers`.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from engram.admit.judge.rule_judge import RuleJudge
from engram.consolidate.candidate_pairs import pairs
from engram.model.change import Event, Plan
from engram.model.errors import BadInput
from engram.model.ids import memory_id
from engram.model.instant import plus_days
from engram.model.memory import Memory
from engram.model.model_request import Reply, Request, Usage
from engram.model.step import Opinion
from engram.model.succession import LIKELY
from engram.model.turn import turn_of
from engram.store.catalog.catalog import Catalog
from engram.vault import Adapters, Vault
from tests.benchmarks.strangers import stranger
from tests.consolidate.cases import context
from tests.kit import LIGHT, view_of
from tests.life import MovingClock

_HERE = Path(__file__).parents[1]
_OWN = [
    _HERE / "admit/change_pairs.toml",
    *(_HERE / f"fixtures/supersession/{half}.jsonl" for half in ("dev", "held")),
]
PARTS = ("judge", "vaults", "met", "model")
#: days of a table that has none
_FIRST, _THEN = "2025-01-10", "2025-02-10"
#: strangers were said before, between and after the pairs
_STRANGE_DAYS = tuple(
    f"{year}-{month:02d}-03" for year in (2023, 2024, 2025) for month in range(1, 13)
)
#: a model that knows the labels is asked in so many, each about no more pairs than a night may
_NIGHTS = 5
_NAMES = {"other": "complementary", "same": "duplicate", "contradicts": "contradiction"}


@dataclass(frozen=True, slots=True)
class Row:
    """One labelled pair, texts and days; `whole`: the newer one replaces all of the older one."""

    id: str
    old: str
    old_day: str
    new: str
    new_day: str
    relation: str
    whole: bool
    partial: bool = False

    @property
    def worth_asking(self) -> bool:
        """Whether a person would rather be asked about it than not."""
        return self.whole or self.partial or self.relation in ("supersedes", "contradiction")

    def __str__(self) -> str:
        return f"{self.id} {self.relation}: {self.old} | {self.new}"


def rows_of(path: Path) -> list[Row]:
    """The pairs of a file. Raises OSError where there is none, ValueError for another form."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".toml":
        return [
            Row(f"{half}-{number}", old, _FIRST, new, _THEN, _NAMES.get(told, told),
                told == "supersedes")
            for half, table in tomllib.loads(text).items()
            for number, (old, new, told) in enumerate(table)
        ]  # fmt: skip
    found = []
    for number, line in enumerate(filter(str.strip, text.splitlines()), 1):
        try:
            row = json.loads(line)
            old, new, partial = row["old"], row["new"], bool(row.get("partial"))
            found.append(
                Row(row["id"], old["text"], old["date"], new["text"], new["date"], row["relation"],
                    bool(row["supersedes"]) and not partial, partial)
            )  # fmt: skip
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path}:{number}: no labelled pair ({error!r})") from error
    return found


# -- what became of a pair ------------------------------------------------------------------------


class Outcomes:
    """What happened to the pairs of one file in one way of measuring."""

    def __init__(self) -> None:
        self.told: list[tuple[Row, str]] = []

    def add(self, row: Row, outcome: str) -> None:
        """`outcome`: replaced, asked, merged, refused, or "" where both stand."""
        self.told.append((row, outcome))

    def line(self) -> str:
        """Precision, recall and F1 of replacing, and the questions."""
        fired = [row for row, what in self.told if what == "replaced"]
        right, wanted = sum(row.whole for row in fired), sum(row.whole for row, _ in self.told)
        precision, recall = _share(right, len(fired)), _share(right, wanted)
        both = 2 * right / (len(fired) + wanted) if fired or wanted else 0.0
        asked = [row for row, what in self.told if what == "asked"]
        worth = sum(row.worth_asking for row in asked)
        open_, counts = sum(row.whole for row in asked), Counter(what for _, what in self.told)
        rest = "".join(f", {counts[what]} {what}" for what in ("merged", "refused") if counts[what])
        return (
            f"replaced {len(fired)}, right {right} of {wanted}: P {precision} R {recall}"
            f" F1 {both:.2f}; asked {len(asked)}, worth it {worth} ({open_} replacements){rest}"
        )

    def wrong(self) -> Iterator[str]:
        """What is not as labelled."""
        for row, what in self.told:
            if what == "replaced" and not row.whole:
                yield f"  wrongly replaced  {row}"
            elif row.whole and what != "replaced":
                yield f"  {what or 'missed':16}  {row}"
            elif what == "asked" and not row.worth_asking:
                yield f"  asked in vain     {row}"
            elif what == "refused":
                yield f"  refused           {row}"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2f}" if whole else "-"


def memory_of(row: Row, *, newer: bool) -> Memory:
    """One side of a pair as a fact of a project, in the words of its person."""
    text, day = (row.new, row.new_day) if newer else (row.old, row.old_day)
    created = f"{day}T{'1' if newer else '0'}9:00:00Z"
    return Memory(
        id=memory_id("fact", created, f"{row.id} {text}"), category="fact", text=text, quote=text,
        created=created, confidence=0.9, importance=0.5, project="shop",
        authority="user_asserted", sources=("bench-000000000000#^m0123456789",),
    )  # fmt: skip


def judged(rows: Iterable[Row]) -> Outcomes:
    """What the judge without a model says of each pair."""
    found, judge = Outcomes(), RuleJudge()
    for row in rows:
        said = judge.compare(memory_of(row, newer=False), memory_of(row, newer=True))
        if said.relation == "supersedes" and said.sure and not said.partial:
            found.add(row, "replaced")
        elif said.relation == "contradicts":
            found.add(row, "asked")
        else:
            found.add(row, "merged" if said.relation == "same" and said.sure else "")
    return found


# -- whole vaults ----------------------------------------------------------------------------------


@contextmanager
def _vault(adapters: Adapters = LIGHT, **environment: str) -> Iterator[tuple[Vault, MovingClock]]:
    clock = MovingClock("2022-01-01T00:00:00Z")
    with TemporaryDirectory(prefix="engram-bench-") as home:
        there = {"ENGRAM_HOME": f"{home}/home", **environment}
        folder = Path(home) / "vault"
        with Vault.create(folder, environment=there, clock=clock, adapters=adapters) as vault:
            yield vault, clock


def _say(vault: Vault, clock: MovingClock, at: str, text: str, *, told: bool) -> str:
    """The id of the memory that a statement became; empty where it is none."""
    clock.instant = at
    if told:
        before = {memory.id for memory in vault.parts.catalog.memories()}
        turn = turn_of("user", text, at, source="bench", session=at, project="shop")
        vault.capture([turn])
        vault.flush(tier="rules")
        made = [one for one in vault.parts.catalog.memories() if one.id not in before]
        return made[0].id if made else ""
    try:
        return vault.remember(text, project="shop").memory.id
    except BadInput:
        return ""


def _moments(row: Row) -> tuple[str, str]:
    return f"{row.old_day}T09:00:00Z", f"{row.new_day}T19:00:00Z"


def _night_after(moment: str) -> str:
    return f"{plus_days(moment, 1)}T03:00:00Z"


def _outcome(vault: Vault, old: str, new: str) -> str:
    known = {memory.id: memory for memory in vault.parts.catalog.memories()}
    if old not in known or new not in known:
        return "refused"
    if old == new:
        return "merged"
    older, newer = known[old], known[new]
    for one, other in ((older, new), (newer, old)):
        if other in one.superseded_by:
            # what was merged has no reason of its own
            return "replaced" if one is older and one.status_reason else "merged"
    return "asked" if old in newer.conflicts or new in older.conflicts else ""


def in_vaults(rows: Sequence[Row], *, told: bool) -> Outcomes:
    """Each pair in a vault of its own, dictated or told in two conversations."""
    found = Outcomes()
    for row in rows:
        with _vault() as (vault, clock):
            said = sorted(zip(_moments(row), (row.old, row.new), strict=True))
            names = {text: _say(vault, clock, at, text, told=told) for at, text in said}
            clock.instant = _night_after(max(_moments(row)))
            vault.consolidate(full=True, tier="rules")
            found.add(row, _outcome(vault, names[row.old], names[row.new]))
    return found


def in_one_vault(rows: Sequence[Row], strangers: int) -> tuple[Outcomes, int]:
    """All pairs dictated into one vault; and how often a memory of no pair, or of another, went."""
    found = Outcomes()
    with _vault() as (vault, clock):
        _commit(vault, [strange(number) for number in range(strangers)])
        said = [
            (at, row.id, text)
            for row in rows
            for at, text in zip(_moments(row), (row.old, row.new), strict=True)
        ]
        names: dict[tuple[str, str], str] = {}
        for at, one, text in sorted(said):
            names[one, text] = _say(vault, clock, at, text, told=False)
            clock.instant = _night_after(at)
            vault.consolidate(tier="rules")
        own = {frozenset((names[row.id, row.old], names[row.id, row.new])) for row in rows}
        for row in rows:
            found.add(row, _outcome(vault, names[row.id, row.old], names[row.id, row.new]))
        others = sum(
            frozenset((memory.id, other)) not in own
            for memory in vault.parts.catalog.memories()
            for other in memory.superseded_by
        )
        return found, others


def strange(number: int) -> Memory:
    """A stranger as a memory of the project."""
    text, day = stranger(number), _STRANGE_DAYS[number % len(_STRANGE_DAYS)]
    created = f"{day}T{number // 60 % 24:02d}:{number % 60:02d}:30Z"
    return Memory(
        id=memory_id("fact", created, f"{number} {text}"), category="fact", text=text, quote=text,
        created=created, confidence=0.9, importance=0.5, project="shop",
        authority="user_asserted", sources=("bench-000000000000#^m0123456789",),
    )  # fmt: skip


def _commit(vault: Vault, memories: Sequence[Memory]) -> None:
    if memories:
        events = tuple(Event("memory_write", memory.id) for memory in memories)
        changes = tuple(vault.parts.writer.changes(list(memories), ()))
        vault.parts.committer.commit(Plan("extract", changes, events))
        vault.parts.index.refresh()


# -- what is compared at all ----------------------------------------------------------------------


@contextmanager
def _catalog() -> Iterator[Catalog]:
    with TemporaryDirectory(prefix="engram-bench-") as folder:
        made = Catalog.make(Path(folder) / "catalog.sqlite", "bench")
        yield made
        made.close()


def met(rows: Sequence[Row], strangers: int) -> tuple[list[Row], int]:
    """The pairs that a full night does not compare, and how many it compares of all memories."""
    with _catalog() as catalog:
        with catalog.transaction():
            catalog.clear()
            for one in (*map(strange, range(strangers)), *_both(rows)):
                catalog.put_memory(one)
        asked = replace(context(view_of(catalog)), model=Labels({}))
        found = {(older.id, newer.id) for older, newer in pairs(asked)}
    missed = []
    for row in rows:
        old, new = memory_of(row, newer=False).id, memory_of(row, newer=True).id
        if not {(old, new), (new, old)} & found:
            missed.append(row)
    return missed, len(found)


def _both(rows: Iterable[Row]) -> Iterator[Memory]:
    for row in rows:
        yield memory_of(row, newer=False)
        yield memory_of(row, newer=True)


# -- a model that knows all labels ---------------------------------------------------------------

_SHOWN = re.compile(r"^- (older|newer) \[(m\d+)\] \S+ [^:]*: (.*)$", re.MULTILINE)


class Labels:
    """A model that says of each pair what its label is, and of all others that they stand apart."""

    def __init__(self, known: Mapping[tuple[str, str], str]) -> None:
        self._known = known
        self.asked: list[tuple[str, str]] = []

    def ask(self, request: Request) -> Reply:
        """The answer to a question about pairs; any other is answered with nothing."""
        found: list[dict[str, Any]] = []
        shown = _SHOWN.findall(request.text)
        for number, ((_, old, before), (_, new, after)) in enumerate(
            zip(shown[::2], shown[1::2], strict=True), 1
        ):
            self.asked.append((before, after))
            told = self._known.get((before, after), "unrelated")
            found.append(
                {"pair": number, "older": old, "newer": new, "relation": told,
                 "confidence": "high", "replaced": before if told == "partial" else "",
                 "reason": ""}
            )  # fmt: skip
        return Reply({"pairs": found}, "bench", "bench", Usage())


class _Unsure(RuleJudge):
    """Rules that decide nothing, and tell what they would look at."""

    def compare(self, older: Memory, newer: Memory) -> Opinion:
        said = super().compare(older, newer)
        if said.sure:
            return Opinion("unrelated", code=LIKELY)
        return said._replace(relation="unrelated") if said.relation == "contradicts" else said


def by_labels(rows: Sequence[Row], strangers: int) -> tuple[list[str], int]:
    """What is not as the model said in the end, and how many pairs it was asked about.

    Among strangers that is after one night.
    """
    known = {
        (row.old, row.new): "partial" if row.partial else row.relation
        for row in rows
        if row.old_day <= row.new_day
    }
    wanted = {"supersedes": "replaced", "partial": "asked", "contradiction": "asked",
              "duplicate": "merged"}  # fmt: skip
    model, wrong = Labels(known), []
    adapters = replace(LIGHT, model=model, judge=_Unsure())
    with _vault(adapters) as (vault, clock):
        _commit(vault, [*map(strange, range(strangers)), *_both(rows)])
        clock.instant = _night_after(max(max(_moments(row)) for row in rows))
        for _ in range(_NIGHTS if not strangers else 1):
            before = len(model.asked)
            vault.consolidate(full=True)
            clock.instant = _night_after(clock.instant)
            if len(model.asked) == before:
                break
        for row in rows:
            old, new = memory_of(row, newer=False).id, memory_of(row, newer=True).id
            label = known.get((row.old, row.new), "")
            became = _outcome(vault, old, new)
            if became != wanted.get(label, ""):
                wrong.append(f"  {became or 'stands'}, not {wanted.get(label, 'stands')}: {row}")
    return wrong, len(model.asked)


# -- the table -------------------------------------------------------------------------------------


def measure(path: Path, strangers: int, parts: Iterable[str], *, show: bool) -> None:
    """Print what becomes of the pairs of one file."""
    rows = rows_of(path)
    print(f"\n{path.name}: {len(rows)} pairs, {sum(row.whole for row in rows)} replaced,"
          f" {sum(row.partial for row in rows)} in part")  # fmt: skip

    def tell(name: str, found: Outcomes, more: str = "") -> None:
        print(f"{name:24} {found.line()}{more}", flush=True)
        if show:
            print(*found.wrong(), sep="\n")

    if "judge" in parts:
        tell("judge alone", judged(rows))
    if "vaults" in parts:
        tell("remember + consolidate", in_vaults(rows, told=False))
        tell("told + consolidate", in_vaults(rows, told=True))
        found, others = in_one_vault(rows, strangers)
        tell(f"among {strangers:,}", found, f"; others replaced {others}")
    if "met" in parts:
        for many in (0, strangers):
            missed, compared = met(rows, many)
            share = _share(len(rows) - len(missed), len(rows))
            print(f"{f'met among {many:,}':24} {len(rows) - len(missed)} of {len(rows)} ({share}),"
                  f" {compared:,} compared", flush=True)  # fmt: skip
            if show:
                print(*(f"  not met           {row}" for row in missed), sep="\n")
    if "model" in parts:
        for many in (0, strangers):
            wrong, asked = by_labels(rows, many)
            name = f"all labels, among {many:,}"
            print(f"{name:24} {len(rows) - len(wrong)} of {len(rows)} as it said,"
                  f" asked about {asked} pairs", flush=True)  # fmt: skip
            if show:
                print(*wrong, sep="\n")


def main() -> None:
    """Print what becomes of the pairs of each file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, default=_OWN)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--strangers", type=int, default=2_000)
    parser.add_argument("--parts", default=",".join(PARTS))
    options = parser.parse_args()
    for path in options.files:
        try:
            measure(path, options.strangers, options.parts.split(","), show=options.show)
        except (OSError, ValueError) as error:
            sys.exit(f"{path}: {error}")


if __name__ == "__main__":
    main()
