"""Labelled turns -> how much the rules tier finds and how often it is right.

    python -m tests.benchmarks.rules_tier [--split dev|held|all] [--show-misses]

Each row of `data/rules_turns.jsonl` is one user turn by hand, labelled by someone who had not seen
the rules. Rules may be tuned on the split `dev`; `held` is only for measuring. Every turn is
extracted alone. A candidate is right when a label of its turn that no other candidate took lists
its category, all the label's `must` words are in its text (in any case) and the two quotes share
characters of the turn; every other candidate is wrong, a second one for the same label too.
Labels are counted under their first category, candidates under their own, so `missed` goes with
`labelled`, and `right` and `wrong` with `proposed`. Prints and returns figures; asserts nothing.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engram.extract.rules.rules_tier import RulesTier
from engram.model.candidate import Candidate
from engram.model.memory import CATEGORIES
from engram.model.ports import Extractor
from engram.model.turn import Turn, turn_of
from engram.settings.load import shipped

DATA = Path(__file__).parent / "data" / "rules_turns.jsonl"
SPLITS = ("dev", "held", "all")
#: for rows that no date depends on
SOME_TIME = "2026-03-04T09:00:00Z"


@dataclass(frozen=True, slots=True)
class Label:
    """One thing worth keeping: any of `categories`, words its memory must hold, where it stands.

    `due` is the ISO day of a commitment that names one, empty otherwise.
    """

    categories: tuple[str, ...]
    must: tuple[str, ...]
    quote: str
    due: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One labelled turn; no labels means that nothing in it should be kept."""

    turn: Turn
    labels: tuple[Label, ...]
    split: str


@dataclass(slots=True)
class Outcome:
    """What became of one row: pairs that are right, candidates that are wrong, labels missed."""

    row: Row
    right: list[tuple[Candidate, Label]] = field(default_factory=list)
    wrong: list[Candidate] = field(default_factory=list)
    missed: list[Label] = field(default_factory=list)


def rows(split: str = "all") -> list[Row]:
    """The labelled turns of a split (`dev`, `held` or `all`), in file order."""
    if split not in SPLITS:
        raise ValueError(f"no such split: {split!r}")
    with DATA.open(encoding="utf-8") as lines:
        every = [_row(json.loads(line)) for line in lines]
    return [row for row in every if split in ("all", row.split)]


def _row(raw: dict[str, Any]) -> Row:
    turn = turn_of(
        "user",
        raw["text"],
        raw.get("time", SOME_TIME),
        source="benchmark",
        session=raw["session"],
        message=raw["id"],
    )
    labels = tuple(
        Label(tuple(one["categories"]), tuple(one["must"]), one["quote"], one.get("due", ""))
        for one in raw["labels"]
    )
    return Row(turn, labels, raw["split"])


def _spans(text: str, quote: str) -> Iterator[tuple[int, int]]:
    """Every place where a quote stands in a text."""
    start = text.find(quote) if quote else -1
    while start >= 0:
        yield start, start + len(quote)
        start = text.find(quote, start + 1)


def fits(candidate: Candidate, label: Label, text: str) -> bool:
    """Whether a candidate says what a label of that turn's text asks for."""
    said = candidate.text.casefold()
    return (
        candidate.category in label.categories
        and all(word.casefold() in said for word in label.must)
        and any(
            start < label_end and label_start < end
            for start, end in _spans(text, candidate.receipt.quote)
            for label_start, label_end in _spans(text, label.quote)
        )
    )


def judge(row: Row, candidates: Sequence[Candidate]) -> Outcome:
    """Pair candidates with labels, as many as can be, each used once."""
    owner: dict[int, int] = {}

    def place(number: int, tried: set[int]) -> bool:
        for index, label in enumerate(row.labels):
            if index in tried or not fits(candidates[number], label, row.turn.text):
                continue
            tried.add(index)
            if index not in owner or place(owner[index], tried):
                owner[index] = number
                return True
        return False

    for number in range(len(candidates)):
        place(number, set())
    outcome = Outcome(row)
    outcome.right = [(candidates[owner[i]], row.labels[i]) for i in sorted(owner)]
    placed = set(owner.values())
    outcome.wrong = [one for number, one in enumerate(candidates) if number not in placed]
    outcome.missed = [label for index, label in enumerate(row.labels) if index not in owner]
    return outcome


def measure(extractor: Extractor, of: Sequence[Row]) -> tuple[list[Outcome], float]:
    """Every row's outcome, and the seconds that extraction alone took."""
    began = time.perf_counter()
    proposed = [extractor.extract([row.turn]) for row in of]
    seconds = time.perf_counter() - began
    return [judge(row, found) for row, found in zip(of, proposed, strict=True)], seconds


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0


def _of_category(outcomes: Sequence[Outcome], category: str) -> dict[str, float]:
    right = [pair for outcome in outcomes for pair in outcome.right]
    wrong = sum(one.category == category for outcome in outcomes for one in outcome.wrong)
    missed = sum(label.categories[0] == category for o in outcomes for label in o.missed)
    labelled = missed + sum(label.categories[0] == category for _, label in right)
    mine = sum(candidate.category == category for candidate, _ in right)
    return {
        "labelled": labelled,
        "proposed": mine + wrong,
        "right": mine,
        "wrong": wrong,
        "missed": missed,
        "precision": _share(mine, mine + wrong),
        "recall": _share(labelled - missed, labelled),
    }


def _totals(outcomes: Sequence[Outcome], seconds: float) -> dict[str, Any]:
    right = sum(len(outcome.right) for outcome in outcomes)
    wrong = sum(len(outcome.wrong) for outcome in outcomes)
    missed = sum(len(outcome.missed) for outcome in outcomes)
    silent = [outcome for outcome in outcomes if not outcome.row.labels]
    dated = [pair for outcome in outcomes for pair in outcome.right if pair[1].due]
    return {
        "turns": len(outcomes),
        "labelled": right + missed,
        "proposed": right + wrong,
        "right": right,
        "wrong": wrong,
        "missed": missed,
        "precision": _share(right, right + wrong),
        "recall": _share(right, right + missed),
        "nothing_to_keep": len(silent),
        "nothing_to_keep_but_proposed": sum(bool(outcome.wrong) for outcome in silent),
        "dated": len(dated),
        "dated_right": sum(dict(one.fields).get("due") == label.due for one, label in dated),
        "turns_per_second": round(len(outcomes) / seconds, 1) if seconds else 0.0,
        "categories": {name: _of_category(outcomes, name) for name in CATEGORIES},
    }


def figures(split: str = "all") -> dict[str, Any]:
    """The figures of one split: totals by name, and under `categories` the row of each category.

    `dated` counts the right candidates whose label has a due day, `dated_right` those whose
    field `due` is that day; `turns_per_second` is the only figure that differs between runs.
    """
    return _totals(*measure(RulesTier(shipped("rules")), rows(split)))


def _matrix(name: str, found: dict[str, Any]) -> Iterator[str]:
    heads = ("labelled", "proposed", "right", "wrong", "missed", "precision", "recall")
    yield f"{name:14}" + "".join(f"{head:>11}" for head in heads)
    for label, line in [*found["categories"].items(), ("all", found)]:
        cells = (
            f"{line[h]:>11.3f}" if isinstance(line[h], float) else f"{line[h]:>11}" for h in heads
        )
        yield f"{label:14}" + "".join(cells)
    yield (
        f"{found['turns']} turns, {found['nothing_to_keep']} with nothing to keep "
        f"({found['nothing_to_keep_but_proposed']} proposed all the same); due dates "
        f"{found['dated_right']} of {found['dated']}; {found['turns_per_second']} turns/s"
    )


def _misses(outcomes: Sequence[Outcome]) -> Iterator[str]:
    for outcome in outcomes:
        for label in outcome.missed:
            yield f"missed  {'/'.join(label.categories)}: {label.quote!r}"
        for one in outcome.wrong:
            yield f"wrong   {one.category} [{one.rule}]: {one.text!r} <- {one.receipt.quote!r}"


def main() -> None:
    """Print the matrix of each split asked for; `all` prints dev, held and both together."""
    parser = argparse.ArgumentParser(description="how much the rules tier finds")
    parser.add_argument("--split", choices=SPLITS, default="all")
    parser.add_argument("--show-misses", action="store_true")
    asked = parser.parse_args()
    for split in SPLITS if asked.split == "all" else (asked.split,):
        outcomes, seconds = measure(RulesTier(shipped("rules")), rows(split))
        print("\n".join(_matrix(split, _totals(outcomes, seconds))), end="\n\n")
        if asked.show_misses and split != "all":
            print("\n".join(_misses(outcomes)), end="\n\n")


if __name__ == "__main__":
    main()
