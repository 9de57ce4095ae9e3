"""What people really search, memories: `python -m tests.benchmarks.facts [--now DAY]`.

The rules tier makes a vault of the shipped conversations (tests/demo/conversation), and
`data/facts_questions.jsonl` holds 100 questions about it, as people ask them: whole sentences, bare
words, other words than were said, other forms, days, names, one misspelt. Gold are the memories of
which each alone answers, named by a piece of their text that no other live memory has. Twenty
questions are about what changed: the memory that holds now has to come first. The questions were
written from the memories before anything was searched; nothing is tuned on them. With `--now` they
are asked on a later day, when most memories are cold because nobody has read them.

Beside the public search with its default settings: SQLite's FTS5 (porter, any of the words) on the
same texts, once on those that hold now and once on all, because it cannot know which do.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from engram.model.memory import SESSION, Memory
from engram.queries.index_sync import document_of
from engram.store.base.clock import FixedClock
from engram.vault import Vault
from tests.benchmarks import fts5

DATA = Path(__file__).parent / "data" / "facts_questions.jsonl"
TALK = Path(__file__).parents[1] / "demo" / "conversation"
#: the evening after the last conversation
_NOW = "2026-03-06T21:00:00Z"
_DEEP = 10


@dataclass(frozen=True, slots=True)
class Question:
    """A question, pieces of the memories that answer it, and whether its answer has changed."""

    text: str
    gold: tuple[str, ...]
    changed: bool


@dataclass(frozen=True, slots=True)
class Found:
    """For one question: the place of the first memory that answers it, from 1; 0 for none."""

    question: Question
    place: int
    first: str


def questions() -> list[Question]:
    """All of them, in file order."""
    with DATA.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [Question(row["question"], tuple(row["gold"]), row["superseded"]) for row in rows]


def furnished(folder: Path) -> Vault:
    """A vault in a folder, with what the rules tier finds in the shipped conversations."""
    vault = Vault.create(folder / "vault", environment=_environment(folder), clock=FixedClock(_NOW))
    vault.import_files("claude-code", TALK, tier="rules")
    return vault


def _environment(folder: Path) -> dict[str, str]:
    return {"ENGRAM_HOME": str(folder / "home"), "HOME": str(folder)}


def resolved(asked: Sequence[Question], memories: Iterable[Memory]) -> list[frozenset[str]]:
    """The ids behind the gold; raises ValueError for a piece that not one live memory has."""
    live = [memory for memory in memories if memory.live and memory.schema != SESSION]
    found: list[frozenset[str]] = []
    for question in asked:
        ids: set[str] = set()
        for piece in question.gold:
            holding = [memory.id for memory in live if piece in memory.text]
            if len(holding) != 1:
                raise ValueError(
                    f"{question.text!r}: {len(holding)} live memories hold {piece!r}, not one"
                )
            ids.update(holding)
        found.append(frozenset(ids))
    return found


def measure(
    asked: Sequence[Question], gold: Sequence[frozenset[str]], search: Callable[[str], list[str]]
) -> list[Found]:
    """Every question put to a search, which gives ids, best first."""
    told: list[Found] = []
    for question, ids in zip(asked, gold, strict=True):
        ranked = search(question.text)
        place = next((at for at, name in enumerate(ranked, 1) if name in ids), 0)
        told.append(Found(question, place, ranked[0] if ranked else ""))
    return told


def figures(told: Sequence[Found]) -> tuple[float, float, float]:
    """Recall@1, recall@5 and the mean reciprocal rank."""
    count = len(told)
    return (
        sum(one.place == 1 for one in told) / count,
        sum(0 < one.place <= 5 for one in told) / count,
        sum(1 / one.place for one in told if one.place) / count,
    )


def _print(name: str, told: Sequence[Found]) -> None:
    groups = {
        "all": told,
        "changed": [one for one in told if one.question.changed],
        "others": [one for one in told if not one.question.changed],
    }
    for group, rows in groups.items():
        first, five, reciprocal = figures(rows)
        print(f"| {name} | {group} | {len(rows)} | {first:.3f} | {five:.3f} | {reciprocal:.3f} |")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="how well memories are found")
    parser.add_argument("--show-misses", action="store_true")
    parser.add_argument("--now", default=_NOW[:10], metavar="DAY")
    options = parser.parse_args()
    asked = questions()
    with tempfile.TemporaryDirectory(prefix="engram-bench-") as name:
        furnished(Path(name)).close()
        clock = FixedClock(f"{options.now}T21:00:00Z")
        vault = Vault.open(Path(name) / "vault", environment=_environment(Path(name)), clock=clock)
        memories = list(vault.parts.catalog.memories())
        gold = resolved(asked, memories)
        own = measure(
            asked, gold,
            lambda text: [hit.id for hit in vault.search(text, limit=_DEEP).memories],
        )  # fmt: skip
        vault.close()
    texts = {memory.id: document_of(memory).body for memory in memories}
    live = [memory.id for memory in memories if memory.live]
    print(f"{len(live)} live memories of {len(memories)}, {len(asked)} questions\n")
    print("| search | questions | n | recall@1 | recall@5 | MRR |\n|---|---|---|---|---|---|")
    _print("engram", own)
    if fts5.available():
        for peer, names in (("FTS5, live memories", live), ("FTS5, all memories", list(texts))):
            with fts5.Texts() as index:
                index.build((one, texts[one]) for one in names)
                _print(peer, measure(asked, gold, lambda text: index.search(text, _DEEP)))
    if options.show_misses:
        said = {memory.id: memory.text for memory in memories}
        for one in own:
            if one.place != 1:
                print(f"{one.place or '-'}  {one.question.text!r} <- {said.get(one.first, '')!r}")


if __name__ == "__main__":
    main()
