"""What people look for weeks later: `python -m tests.benchmarks.other_words [--show-misses]`.

Six conversations of months (tests/fixtures/other_words) in one vault, and 90 questions with the
turns that answer them: in other words than were said, by the day, who, where and which, and pieces
of what was said. recall@k is the share of questions with such a turn among the first k. Of the two
halves `dev` may be tuned on; `held` is only measured, and its misses are never shown.

Beside the public search with its default settings: SQLite's FTS5 (porter, any of the words) on the
same turns, which knows nothing of days.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engram.store.base.clock import FixedClock
from engram.vault import Vault
from tests.benchmarks import fts5

DATA = Path(__file__).parents[1] / "fixtures" / "other_words"
HALVES = ("dev", "held")
#: a Monday, after the last turn
_NOW = "2026-09-14T09:00:00Z"
_DEEP = 10


@dataclass(frozen=True, slots=True)
class Question:
    """A question of one kind, and the ids of the turns of which each answers it."""

    kind: str
    text: str
    gold: frozenset[str]


@dataclass(frozen=True, slots=True)
class Found:
    """For one question: the place of the first turn that answers it, from 1; 0 for none."""

    question: Question
    place: int
    first: str


def turns() -> list[dict[str, Any]]:
    """The turns of both halves: id, session, date, time, role, text, and a speaker in some."""
    return [
        turn
        for half in HALVES
        for talk in json.loads((DATA / f"{half}.json").read_text(encoding="utf-8"))["conversations"]
        for turn in talk["turns"]
    ]


def questions(half: str) -> list[Question]:
    """The questions of a half, in file order."""
    rows = map(json.loads, (DATA / f"{half}.jsonl").read_text(encoding="utf-8").splitlines())
    return [Question(row["kind"], row["question"], frozenset(row["gold"])) for row in rows]


def furnished(folder: Path, said: Sequence[dict[str, Any]]) -> tuple[Vault, dict[str, str]]:
    """A vault in a folder with these turns, and the turn of each id that a search gives."""
    file = folder / "talks.jsonl"
    rows = (
        {
            "id": turn["id"], "session": turn["session"], "role": turn["role"],
            "speaker": turn.get("speaker", ""), "content": turn["text"],
            "timestamp": f"{turn['date']}T{turn['time']}:00Z",
        }
        for turn in said
    )  # fmt: skip
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    environment = {"ENGRAM_HOME": str(folder / "home"), "HOME": str(folder)}
    vault = Vault.create(folder / "vault", environment=environment, clock=FixedClock(_NOW))
    vault.import_files("jsonl", file)
    # turns are captured in the order of the lines, and none of them is left out
    entries = list(vault.parts.turn_log.entries())
    return vault, {
        f"{entry.turn.transcript}#^{entry.turn.block}": turn["id"]
        for entry, turn in zip(entries, said, strict=True)
    }


def measure(asked: Sequence[Question], search: Callable[[str], list[str]]) -> list[Found]:
    """Every question put to a search, which gives ids of turns, best first."""
    told: list[Found] = []
    for question in asked:
        ranked = search(question.text)
        place = next((at for at, name in enumerate(ranked, 1) if name in question.gold), 0)
        told.append(Found(question, place, ranked[0] if ranked else ""))
    return told


def figures(told: Sequence[Found]) -> tuple[float, float, float, float]:
    """Recall@1, @5 and @10, and the mean reciprocal rank of the first turn that answers."""
    one, five, ten = (sum(0 < found.place <= deep for found in told) for deep in (1, 5, _DEEP))
    reciprocal = sum(1 / found.place for found in told if found.place)
    count = len(told)
    return one / count, five / count, ten / count, reciprocal / count


def table(name: str, half: str, told: Sequence[Found]) -> Iterator[str]:
    """A row for each kind, and one for all."""
    kinds = dict.fromkeys(found.question.kind for found in told)
    for kind in (*kinds, "all"):
        rows = [found for found in told if kind in (found.question.kind, "all")]
        numbers = " | ".join(f"{figure:.3f}" for figure in figures(rows))
        yield f"| {name} | {half}, {kind} | {len(rows)} | {numbers} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="how well turns are found in other words")
    parser.add_argument("--show-misses", action="store_true", help="those of dev")
    options = parser.parse_args()
    said = turns()
    texts = {turn["id"]: turn["text"] for turn in said}
    with tempfile.TemporaryDirectory(prefix="engram-bench-") as name:
        vault, ids = furnished(Path(name), said)
        with vault:
            own = {
                half: measure(
                    questions(half),
                    lambda text: [ids[hit.id] for hit in vault.search(text, limit=_DEEP).turns],
                )
                for half in HALVES
            }
    print(f"{len(said)} turns, {sum(map(len, own.values()))} questions\n")
    print("| search | questions | n | recall@1 | recall@5 | recall@10 | MRR |")
    print("|---|---|---|---|---|---|---|")
    for half, told in own.items():
        print(*table("engram", half, told), sep="\n")
    if fts5.available():
        with fts5.Texts() as index:
            index.build(texts.items())
            for half in HALVES:
                told = measure(questions(half), lambda text: index.search(text, _DEEP))
                print(*table("FTS5", half, told), sep="\n")
    if options.show_misses:
        for found in own["dev"]:
            if found.place != 1:
                first = f"{found.first} {texts.get(found.first, '')[:100]!r}"
                print(f"{found.place or '-':>2}  {found.question.text!r} <- {first}")


if __name__ == "__main__":
    main()
