"""Conversations and a model's answers written by hand -> what the model tier makes of them.

    python -m tests.benchmarks.model_tier [FOLDER] [--half open|held|all] [--show]

FOLDER (tests/fixtures/model) holds (only run.toml has to be there):

    run.toml         now = "2026-08-01T12:00:00Z"; [settings] of the vault, by their variables;
                     [[source]] name and path: one import each, in this order
    q/  a/           questions and answers, as tests/fakes/stored_answers.py describes them
    labels.jsonl     {"answer": NAME, "item": 3, "why": ...}: an item of an answer that is not true;
                     all others are
    questions.jsonl  {"id", "half", "question", "needs": [[regex, ...], ...]}: a text answers it
                     that has a match for each group, by any regex of the group
    expected.toml    [[change]] old, new: memories told anew in a later conversation
                     [[repeated]] text: what is said in three conversations
                     [[fulfilled]] text: a commitment that was carried out
                     [[absent]] text: what must be no live memory; each a regex
    hostile.toml     answers that are wrong on purpose, as tests/benchmarks/hostile_answers.py reads

Runs the whole way through the real client and a local server into a vault made for the run, and the
rules alone into another beside it. Questions without an answer get an empty one, are written to q/
and counted as open: write answers to a/, and run again until none is open. Prints and returns
figures; asserts nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from engram.model.memory import Memory
from engram.model.model_request import Tier
from engram.model.verdict import Verdict
from engram.pipeline import extraction
from engram.store.base.clock import FixedClock
from engram.vault import Vault
from tests.benchmarks.hostile_answers import cases, outcome
from tests.fakes.model_server import ModelServer
from tests.fakes.stored_answers import Question, StoredAnswers
from tests.llm.office import Office

FIXTURES = Path(__file__).parents[1] / "fixtures" / "model"
#: turns that a search gives where the turns alone are to answer
_TURNS = 5
#: refusals of a name in an item, not of the item
_NO_ITEM = frozenset(["unknown_memory"])


@dataclass(slots=True)
class Lived:
    """A vault after all conversations, and how it came about."""

    vault: Vault
    turns: int = 0
    verdicts: list[Verdict] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)

    @property
    def extractions(self) -> list[Question]:
        """The questions about conversations."""
        return [one for one in self.questions if one.extracts]

    @property
    def memories(self) -> list[Memory]:
        """All of them, also those that were replaced, but where the conversations stopped."""
        known = self.vault.parts.catalog.memories()
        return [memory for memory in known if memory.schema != "session"]


@contextmanager
def lived(folder: Path, tier: Tier) -> Iterator[Lived]:
    """The conversations of a folder in a vault of their own, read by a model or by the rules."""
    run = tomllib.loads((folder / "run.toml").read_text(encoding="utf-8"))
    stored = StoredAnswers(folder)
    with (
        tempfile.TemporaryDirectory(prefix="engram-bench-") as home,
        ModelServer([stored]) as server,
    ):
        environment = {
            "ENGRAM_HOME": f"{home}/home", "HOME": home, "OPENAI_API_KEY": "of-nobody",
            "ENGRAM_LLM_MODEL": "gpt-5-nano", "ENGRAM_LLM_BASE_URL": server.base_url,
            **run.get("settings", {}),
        }  # fmt: skip
        clock = FixedClock(run["now"])
        with Vault.create(Path(home) / "vault", environment=environment, clock=clock) as vault:
            found = Lived(vault, questions=stored.asked)
            admit_all = extraction.admit_all

            def recorded(*given: Any) -> list[Verdict]:
                verdicts = admit_all(*given)
                found.verdicts += verdicts
                return verdicts

            with patch.object(extraction, "admit_all", recorded):
                for one in run["source"]:
                    path = folder / os.path.expandvars(one["path"])
                    report, outcome = vault.import_files(one["name"], path, tier=tier)
                    if outcome.failed or outcome.postponed:
                        raise RuntimeError(f"{path.name}: {outcome.message or 'not extracted'}")
                    found.turns += report.new_turns
            yield found


# -- what is counted ----------------------------------------------------------------------------


def admission(run: Lived, untrue: Mapping[tuple[str, int], str]) -> dict[str, Any]:
    """Items proposed, admitted, and refused by code; beside them what is said again, and rules."""
    items = [
        (name, number, item)
        for name, answer in {one.answered_by: one.answer for one in run.extractions}.items()
        if name
        for number, item in enumerate(json.loads(answer)["facts"])
    ]
    mentions = [one for one in run.verdicts if one.candidate.confirms or one.candidate.fulfils]
    model = [
        one
        for one in run.verdicts
        if one.candidate.origin == "model" and one not in mentions and one.code not in _NO_ITEM
    ]
    refused = Counter(one.code for one in model if one.decision == "refuse")
    kept = {_words(one.candidate.receipt.quote) for one in model if one.decision != "refuse"}
    false = [item for name, number, item in items if (name, number) in untrue]
    false_kept = sum(_words(item["quote"]) in kept for item in false)
    lost = max(refused.total() - (len(false) - false_kept), 0)
    return {
        "items": len(items),
        "decisions": dict(Counter(one.decision for one in model)),
        "refused": dict(refused),
        "true ones refused": (lost, len(items) - len(false)),
        "share": _share(lost, len(items) - len(false)),
        "untrue ones admitted": (false_kept, len(false)),
        "said again": dict(Counter(one.code for one in mentions)),
        "names of no memory": sum(one.code in _NO_ITEM for one in run.verdicts),
        "by rules beside it": sum(
            one.candidate.origin == "rules" and one.decision != "refuse" for one in run.verdicts
        ),
        "memories": len(run.memories),
        "live": sum(memory.live for memory in run.memories),
    }


def tokens(run: Lived) -> dict[str, float]:
    """What the questions took, for a hundred turns of the conversations."""
    asked, hundred = run.extractions, max(run.turns, 1) / 100
    own = sum(one.own_tokens for one in asked)
    whole = sum(one.tokens for one in asked)
    return {
        "turns": run.turns,
        "questions": len(asked),
        "in": round(whole / hundred),
        "out": round(
            sum(len(one.answer.encode()) / 4.2 for one in asked if one.answered_by) / hundred
        ),
        "share of instructions": _share(own, whole),
        "largest question": max((one.tokens for one in asked), default=0),
    }


def changes(run: Lived, expected: Sequence[Mapping[str, str]]) -> list[bool]:
    """Whether what was told anew took the place of what had been told."""
    return [_replaced(run.memories, one["old"], one["new"]) for one in expected]


def _replaced(memories: Sequence[Memory], old: str, new: str) -> bool:
    newer = _saying(memories, new)
    older = [one for one in _saying(memories, old) if one not in newer]
    return (
        any(one.live for one in newer)
        and any(one.status == "superseded" for one in older)
        and not any(one.live for one in older)
    )


def receipts(run: Lived, expected: Sequence[Mapping[str, str]]) -> list[int]:
    """How many receipts the best of the memories has that say it."""
    return [
        max((len(one.sources) for one in _saying(run.memories, row["text"]) if one.live), default=0)
        for row in expected
    ]


def _saying(memories: Sequence[Memory], regex: str) -> list[Memory]:
    return [one for one in memories if re.search(regex, one.text, re.IGNORECASE)]


def hostile(folder: Path) -> dict[str, list[str]]:
    """What of each hostile answer gets in, by the name of its case; empty lists for none."""
    found = {}
    for case in cases(folder / "hostile.toml"):
        with tempfile.TemporaryDirectory(prefix="engram-bench-") as home:
            office = Office(Path(home))
            found[case["name"]] = outcome(case, office)
            office.close()
    return found


def answered(run: Lived, questions: Sequence[Mapping[str, Any]]) -> dict[str, set[str]]:
    """The ids of the questions that are answered by `recall`, by the memories in it alone, and by
    turns that a search finds."""
    found: dict[str, set[str]] = {"recall": set(), "memories": set(), "turns": set()}
    for one in questions:
        block = run.vault.recall(one["question"])
        shown = map(run.vault.memory, block.shown)
        kept = "\n".join(f"{memory.text}\n{memory.quote}" for memory in shown)
        hits = run.vault.search(one["question"], limit=_TURNS).turns[:_TURNS]
        turns = run.vault.parts.lookup.turns([hit.id for hit in hits])
        said = "\n".join(turn.text for turn in turns.values())
        for name, text in (("recall", block.text), ("memories", kept), ("turns", said)):
            if answers(text, one["needs"]):
                found[name].add(one["id"])
    return found


def answers(text: str, needs: Sequence[Sequence[str]]) -> bool:
    """Whether a text has a match for each group."""
    return all(any(re.search(one, text, re.IGNORECASE) for one in group) for group in needs)


def _words(quote: str) -> str:
    return " ".join(re.findall(r"\w+", quote.casefold()))


def _share(part: float, whole: float) -> float:
    return round(part / whole, 3) if whole else 0.0


# -- the folder, and what is printed ------------------------------------------------------------


def _rows(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line.strip()]


def _expected(folder: Path) -> dict[str, list[dict[str, str]]]:
    path = folder / "expected.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def measure(folder: Path, half: str = "open") -> dict[str, Any]:
    """The figures by name; `missed` holds the ids of questions and the regexes behind them."""
    questions = [
        one for one in _rows(folder / "questions.jsonl") if half in ("all", one.get("half", "open"))
    ]
    untrue = {(one["answer"], one["item"]): one["why"] for one in _rows(folder / "labels.jsonl")}
    expected = _expected(folder)
    with lived(folder, "model") as run:
        asked = run.extractions
        figures: dict[str, Any] = {
            "admission": admission(run, untrue),
            "open": sum(not one.answered_by for one in asked),
            "answered beside other memories": sum(one.other_memories for one in asked),
            "tokens of 100 turns": tokens(run),
        }
        changed = changes(run, expected.get("change", ()))
        repeated = receipts(run, expected.get("repeated", ()))
        waiting = {
            "open": [one.key for one in asked if not one.answered_by],
            "beside other memories": [
                f"{one.key} (answer of {one.answered_by})" for one in asked if one.other_memories
            ],
        }
        wrong = [
            row["text"]
            for row in expected.get("absent", ())
            if any(one.live for one in _saying(run.memories, row["text"]))
        ]
        fulfilled = [
            any("fulfilled" in one.extras for one in _saying(run.memories, row["text"]))
            for row in expected.get("fulfilled", ())
        ]
        found = answered(run, questions)
        refused = [
            (one.code, one.candidate.text, one.candidate.receipt.quote)
            for one in run.verdicts
            if one.decision == "refuse"
        ]
    with lived(folder, "rules") as run:
        by_rules = answered(run, questions)["memories"]
        rules_memories = len(run.memories)
    harm = hostile(folder)
    asked_for = {one["id"] for one in questions}
    figures |= {
        "replaced": (sum(changed), len(changed)),
        "three receipts": (sum(many >= 3 for many in repeated), len(repeated)),
        "fulfilled": (sum(fulfilled), len(fulfilled)),
        "there and should not": (len(wrong), len(expected.get("absent", ()))),
        "hostile ones that get something in": (sum(map(bool, harm.values())), len(harm)),
        "questions": len(questions),
        "answered by recall": len(found["recall"]),
        "answered by memories": len(found["memories"]),
        "answered by the best turns": len(found["turns"]),
        "answered by either": len(found["recall"] | found["turns"]),
        "answered by memories of the rules": len(by_rules),
        "memories of the rules": rules_memories,
        "missed": {
            **waiting,
            "questions": sorted(asked_for - found["recall"]),
            "changes": _missing(expected.get("change", ()), changed, "new"),
            "receipts": _missing(
                expected.get("repeated", ()), [many >= 3 for many in repeated], "text"
            ),
            "fulfilled": _missing(expected.get("fulfilled", ()), fulfilled, "text"),
            "absent": wrong,
            "hostile": [(name, *got) for name, got in harm.items() if got],
            "refused": refused,
        },
    }
    return figures


def _missing(rows: Sequence[Mapping[str, str]], done: Sequence[bool], name: str) -> list[str]:
    return [row[name] for row, good in zip(rows, done, strict=True) if not good]


def _lines(figures: Mapping[str, Any], indent: str = "") -> Iterator[str]:
    for name, value in figures.items():
        if name == "missed":
            continue
        if isinstance(value, Mapping):
            yield f"{indent}{name}:"
            yield from _lines(value, indent + "  ")
        else:
            shown = " of ".join(map(str, value)) if isinstance(value, tuple) else value
            yield f"{indent}{name}: {shown}"


def main(given: Sequence[str] | None = None) -> dict[str, Any]:
    """Measure one folder."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.model_tier")
    parser.add_argument("folder", type=Path, nargs="?", default=FIXTURES)
    parser.add_argument("--half", choices=("open", "held", "all"), default="open")
    parser.add_argument("--show", action="store_true", help="what is missing, and what was refused")
    asked = parser.parse_args(given)
    figures = measure(asked.folder, asked.half)
    print("\n".join(_lines(figures)))
    if asked.show:
        for name, rows in figures["missed"].items():
            print(f"-- {name}", *rows, sep="\n   ")
    return figures


if __name__ == "__main__":
    main()
