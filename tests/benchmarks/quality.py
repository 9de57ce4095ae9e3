"""Real turns with what is worth keeping in them marked -> what a vault makes of them by rules.

    python -m tests.benchmarks.quality FILE... [--misses N] [--half dev|held]

The files stay where they are: turns of real people are for measuring on one machine and never come
into the repository. A line is a row `{id, project, time, before, text, keep: [{quote, grade}]}`:
what the person typed after the agent had said `before`, and every statement of it worth keeping,
`strong` when any reader would keep it. `half` says whether rules may be tuned on the row (`dev`;
so may they on a row that names none) or only be measured (`held`). `found`, a list of
`{quote, label}`, tells what somebody thought of earlier memories of the row; `M` is not the
person's own words.

Each row is a conversation of its own in one vault, taken in and decided about as an extraction by
rules would. A quote is worth keeping when it is, or is part of, or has for a part, a statement
marked in its row, or shares .7 of the words of the shorter of the two. A statement is found when
a quote of its row that was not refused is such a one. Prints and returns figures; asserts nothing.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from engram.model.turn import Turn, turn_of
from engram.model.verdict import Verdict
from engram.pipeline import extraction, ingest
from engram.store.base.clock import FixedClock
from engram.vault import Vault
from tests.kit import LIGHT

HALVES = ("dev", "held")
#: for rows that name none
SOME_TIME = "2026-01-05T10:00:00Z"
_WORD = re.compile(r"\w+")
#: the share of the shorter one's words that two quotes of one statement have in common
_ALIKE = 0.7


class Kept(NamedTuple):
    """A statement worth keeping: its words, and how sure a reader would be."""

    quote: str
    grade: str


@dataclass(frozen=True, slots=True)
class Row:
    """One turn of a person, what stands before it, and what in it is worth keeping.

    `strange` are quotes of earlier memories that were not the person's own words.
    """

    id: str
    project: str
    time: str
    before: str
    text: str
    kept: tuple[Kept, ...]
    strange: tuple[str, ...] = ()
    half: str = "dev"

    @property
    def turns(self) -> list[Turn]:
        """The conversation of this row: the agent, where it said something, and the person."""
        said = (("assistant", self.before), ("user", self.text))
        return [
            turn_of(
                "user" if role == "user" else "assistant", text, self.time, source="quality",
                session=self.id, project=self.project, message=f"{self.id} {role}",
            )
            for role, text in said
            if text.strip()
        ]  # fmt: skip


@dataclass(slots=True)
class Outcome:
    """What became of one row: the verdicts on its candidates."""

    row: Row
    verdicts: list[Verdict] = field(default_factory=list)

    @property
    def made(self) -> list[Verdict]:
        """Those that made a memory."""
        return [one for one in self.verdicts if one.decision not in ("refuse", "same")]

    @property
    def refused(self) -> list[Verdict]:
        """Those that made none."""
        return [one for one in self.verdicts if one.decision == "refuse"]

    @property
    def junk(self) -> list[Verdict]:
        """Those that made a memory of what is not worth keeping."""
        return [one for one in self.made if not self.worth(one)]

    @property
    def found(self) -> list[Kept]:
        """The statements that a memory holds: of this row, or the same one of a row before."""
        held = [_quote(one) for one in self.verdicts if one.decision != "refuse"]
        return [kept for kept in self.row.kept if any(alike(kept.quote, one) for one in held)]

    def worth(self, verdict: Verdict) -> bool:
        """Whether a verdict's quote is worth keeping."""
        return any(alike(kept.quote, _quote(verdict)) for kept in self.row.kept)

    def strange(self, verdict: Verdict) -> bool:
        """Whether a verdict's quote is known to be not the person's own words."""
        return any(alike(quote, _quote(verdict)) for quote in self.row.strange)


def rows(files: Iterable[Path], half: str = "") -> list[Row]:
    """The rows of the files, of one half or of both, in the order of the files."""
    read = [
        _row(json.loads(line))
        for file in files
        for line in file.read_text(encoding="utf-8").split("\n")
        if line.strip()
    ]
    return [row for row in read if half in ("", row.half)]


def _row(raw: dict[str, Any]) -> Row:
    return Row(
        raw["id"], raw.get("project") or "p", raw.get("time") or SOME_TIME, raw.get("before") or "",
        raw["text"], tuple(Kept(one["quote"], one["grade"]) for one in raw["keep"]),
        tuple(one["quote"] for one in raw.get("found") or () if one["label"] == "M"),
        raw.get("half") or "dev",
    )  # fmt: skip


def _quote(verdict: Verdict) -> str:
    return verdict.candidate.receipt.quote


def alike(one: str, other: str) -> bool:
    """Whether two quotes of a turn say the same, by their words alone."""
    first, second = (_WORD.findall(text.casefold()) for text in (one, other))
    if not first or not second:
        return False
    left, right = f" {' '.join(first)} ", f" {' '.join(second)} "
    words, others = set(first), set(second)
    return (
        left in right
        or right in left
        or len(words & others) >= _ALIKE * min(len(words), len(others))
    )


def measure(of: Sequence[Row]) -> list[Outcome]:
    """What a vault with all these conversations in it, oldest first, decides about each."""
    outcomes = {row.id: Outcome(row) for row in of}
    if len(outcomes) < len(of):
        raise ValueError("two rows have one id")
    with tempfile.TemporaryDirectory(prefix="engram-bench-") as name, _vault(name, of) as vault:
        rows_of: dict[str, str] = {}
        for row in sorted(of, key=lambda row: (row.time, row.id)):
            taken = ingest.take_in(row.turns, vault.parts)
            rows_of |= dict.fromkeys(taken.transcripts, row.id)
        for verdict in extraction.preview(rows_of, vault.parts, "rules"):
            transcript = verdict.candidate.receipt.link.partition("#")[0]
            outcomes[rows_of[transcript]].verdicts.append(verdict)
    return list(outcomes.values())


def _vault(folder: str, of: Sequence[Row]) -> Vault:
    """A vault in a folder, that goes by the time of the last row."""
    now = max((row.time for row in of), default=SOME_TIME)
    environment = {"ENGRAM_HOME": f"{folder}/home", "HOME": folder}
    return Vault.create(
        Path(folder) / "vault", environment=environment, clock=FixedClock(now), adapters=LIGHT
    )


def _share(part: int, whole: int) -> float:
    return round(part / whole, 3) if whole else 0.0


def figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The totals by name; `refused` by code and `rules` by name as `(all, worth keeping)`."""
    made = [(outcome, one) for outcome in outcomes for one in outcome.made]
    worth = sum(outcome.worth(one) for outcome, one in made)
    strange = sum(outcome.strange(one) and not outcome.worth(one) for outcome, one in made)
    kept = [one for outcome in outcomes for one in outcome.row.kept]
    found = [one for outcome in outcomes for one in outcome.found]
    strong = sum(one.grade == "strong" for one in kept)
    found_strong = sum(one.grade == "strong" for one in found)
    refused = [(outcome, one) for outcome in outcomes for one in outcome.refused]
    return {
        "turns": len(outcomes),
        "memories": len(made),
        "worth": worth,
        "precision": _share(worth, len(made)),
        "strange": strange,
        "strange_share": _share(strange, len(made)),
        "strong": strong,
        "found_strong": found_strong,
        "recall_strong": _share(found_strong, strong),
        "kept": len(kept),
        "found": len(found),
        "recall": _share(len(found), len(kept)),
        "silent": sum(not outcome.row.kept for outcome in outcomes),
        "silent_with_memories": sum(
            bool(outcome.made) for outcome in outcomes if not outcome.row.kept
        ),
        "refused": _counted((one.code, outcome.worth(one)) for outcome, one in refused),
        "rules": _counted((one.candidate.rule, outcome.worth(one)) for outcome, one in made),
    }


def _counted(pairs: Iterable[tuple[str, bool]]) -> dict[str, tuple[int, int]]:
    """name -> how often it stands there and how often as worth keeping; the most frequent first."""
    counts, worth = Counter[str](), Counter[str]()
    for name, is_worth in pairs:
        counts[name] += 1
        worth[name] += is_worth
    return {name: (count, worth[name]) for name, count in counts.most_common()}


def _table(found: dict[str, Any]) -> Iterator[str]:
    yield (
        f"{found['turns']} turns, {found['silent']} with nothing to keep "
        f"({found['silent_with_memories']} made a memory all the same)"
    )
    yield (
        f"{found['memories']} memories, {found['worth']} worth keeping "
        f"({found['precision']:.3f}); {found['strange']} known to be not their words "
        f"({found['strange_share']:.3f})"
    )
    yield (
        f"found {found['found_strong']} of {found['strong']} strong statements "
        f"({found['recall_strong']:.3f}), {found['found']} of all {found['kept']} "
        f"({found['recall']:.3f})"
    )
    for title, head in (("refused", "refused as"), ("rules", "made by rule")):
        yield f"\n{head:32}{'all':>6}{'worth':>7}"
        for name, (count, worth) in found[title].items():
            yield f"{name or '-':32}{count:>6}{worth:>7}"


def _misses(outcomes: Sequence[Outcome], most: int) -> Iterator[str]:
    """At most so many lines each: junk, statements that were refused, statements never proposed.

    Strong statements come first.
    """
    junk = [
        f"junk     {outcome.row.id} [{one.candidate.rule}] {one.candidate.text!r}"
        for outcome in outcomes
        for one in outcome.junk
    ]
    lost, missed = list[str](), list[str]()
    absent = [(one, kept) for one in outcomes for kept in one.row.kept if kept not in one.found]
    for outcome, kept in sorted(absent, key=lambda pair: pair[1].grade != "strong"):
        codes = {one.code for one in outcome.refused if alike(kept.quote, _quote(one))}
        if codes:
            lost.append(f"refused  {outcome.row.id} [{', '.join(sorted(codes))}] {kept.quote!r}")
        else:
            missed.append(f"missed   {outcome.row.id} [{kept.grade}] {kept.quote!r}")
    yield from (*junk[:most], *lost[:most], *missed[:most])


def main() -> None:
    """Print the figures, and what was wrong and missed."""
    parser = argparse.ArgumentParser(description="what the rules make of labelled real turns")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--misses", type=int, default=0, metavar="N")
    parser.add_argument("--half", choices=HALVES, default="")
    asked = parser.parse_args()
    outcomes = measure(rows(asked.files, asked.half))
    print("\n".join(_table(figures(outcomes))))
    if asked.misses > 0:
        print("\n" + "\n".join(_misses(outcomes, asked.misses)))


if __name__ == "__main__":
    main()
