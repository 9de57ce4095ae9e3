"""Record of one consolidation: what was looked at, done, left out and spent; counts, no words.

Every name in it is one of the program's own: a pass, an action, a code, a tier. `seconds` alone
differ between two runs over equal vaults. `row_of` and `run_of` are its JSON form and back.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engram.model.summary import Summary

if TYPE_CHECKING:
    from engram.model.instant import Instant
    from engram.model.step import Step
    from engram.model.tier import MemoryTier

#: names and how often each occurred, by name
Counts = tuple[tuple[str, int], ...]
#: why a part of a run was left out
NO_MODEL, BY_RULES, AFTER_EXTRACTIONS = "no_model", "by_rules", "after_extractions"


@dataclass(frozen=True, slots=True)
class ModelUse:
    """What a run asked of a model: questions, tokens and US dollars, and those it got no answer to.

    `errors` counts these by their code (`timeout`, `budget`, `no-json`). What is charged without an
    answer counts.
    """

    questions: int = 0
    tokens: int = 0
    usd: float = 0.0
    errors: Counts = ()


@dataclass(frozen=True, slots=True)
class ConsolidationRun:
    """The record of the consolidation that is transaction `number`; 0 where nothing was written.

    `looked_at` counts what had changed, in a `full` run the live memories. `steps` counts what was
    done by pass and action, `refused` the steps that were not by code, `tiers` the memories that
    went from one tier to another (`hot -> warm`). `skipped` has what was left out and why. `passes`
    are the seconds that each took to plan, `seconds` those of the whole.
    """

    number: int = 0
    time: Instant = ""
    full: bool = False
    looked_at: int = 0
    steps: tuple[tuple[str, Counts], ...] = ()
    refused: Counts = ()
    skipped: tuple[tuple[str, str], ...] = ()
    tiers: Counts = ()
    model: ModelUse = ModelUse()
    passes: tuple[tuple[str, float], ...] = ()
    seconds: float = 0.0

    @property
    def whole(self) -> bool:
        """Whether clusters and summaries were looked at."""
        return "summaries" not in dict(self.skipped)


def by_pass(steps: Iterable[Step]) -> tuple[tuple[str, Counts], ...]:
    """How many steps each pass took of each action, by the order of their first ones."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for step in steps:
        found[step.task][step.action] += 1
    return tuple((task, tuple(sorted(counts.items()))) for task, counts in found.items())


def touched_by(steps: Iterable[Step]) -> list[str]:
    """The memories whose tier the steps may change: amended ones, and the sources of summaries."""
    found = {before.id for step in steps for before, _ in step.amended}
    pages = (page for step in steps for pair in step.pages for page in pair)
    found.update(name for page in pages if isinstance(page, Summary) for name in page.consolidates)
    return sorted(found)


def tier_changes(before: Mapping[str, MemoryTier], after: Mapping[str, MemoryTier]) -> Counts:
    """How many memories went from which tier to which."""
    counts = Counter(
        f"{tier} -> {after[name]}" for name, tier in before.items() if after.get(name, tier) != tier
    )
    return tuple(sorted(counts.items()))


def row_of(run: ConsolidationRun) -> dict[str, Any]:
    """The JSON object of a record."""
    model = run.model
    return {
        "run": run.number, "time": run.time, "full": run.full, "looked_at": run.looked_at,
        "steps": {name: dict(counts) for name, counts in run.steps},
        "refused": dict(run.refused), "skipped": dict(run.skipped), "tiers": dict(run.tiers),
        "model": {
            "questions": model.questions, "tokens": model.tokens, "usd": model.usd,
            "errors": dict(model.errors),
        },
        "passes": dict(run.passes), "seconds": run.seconds,
    }  # fmt: skip


def run_of(row: Mapping[str, Any]) -> ConsolidationRun:
    """The record in a JSON object. Raises KeyError, TypeError, ValueError, AttributeError."""
    model = row["model"]
    return ConsolidationRun(
        row["run"], str(row["time"]), bool(row["full"]), int(row["looked_at"]),
        tuple((str(name), _counts(counts)) for name, counts in row["steps"].items()),
        _counts(row["refused"]),
        tuple((str(what), str(why)) for what, why in row["skipped"].items()),
        _counts(row["tiers"]),
        ModelUse(
            int(model["questions"]), int(model["tokens"]), float(model["usd"]),
            _counts(model["errors"]),
        ),
        tuple((str(name), float(taken)) for name, taken in row["passes"].items()),
        float(row["seconds"]),
    )  # fmt: skip


def _counts(row: Mapping[str, Any]) -> Counts:
    return tuple((str(name), int(count)) for name, count in row.items())
