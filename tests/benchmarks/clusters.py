"""Clusters of labelled statements: `python -m tests.benchmarks.clusters [FILE...] [--show]`.

A line of FILE (JSON) is a statement and what it is about, empty for a subject of its own:

    {"text", "category", "space", "project", "subject", "day"}

Without FILE: those of `tests/fixtures/subjects`; `held` was looked at for one bound. For each file:
pairs of one cluster that are of one subject (precision), pairs of one subject that are in one
cluster (recall), the adjusted Rand index, and how many clusters are of one subject. `--show` prints
them. Then the same of what a model would put on pages that is always right: of each loose cluster
those of its most frequent subject, at least three. Beside it the CPU time of the clusters of
invented memories.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from math import comb
from pathlib import Path

from engram.consolidate.clusters import Cluster, clusters_of
from engram.consolidate.summary_sources import LEAST_SOURCES
from engram.language.keywords import entities_of
from engram.language.tokens import telling_terms
from engram.model.ids import memory_id
from engram.model.memory import Memory
from tests.benchmarks.invented import Invented
from tests.consolidate.cases import context
from tests.consolidate.view import Remembered

_OWN = [Path(__file__).parents[1] / f"fixtures/subjects/{half}.jsonl" for half in ("dev", "held")]


class _Vault(Remembered):
    """The view of a vault that cuts words as the catalog does."""

    def terms(self, text: str) -> frozenset[str]:
        return frozenset(telling_terms(text))


def statements(file: Path) -> list[tuple[Memory, str]]:
    """The memories of a file, each with its subject."""
    found = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines()):
        row = json.loads(line)
        created = f"{row['day']}T{number // 60 % 24:02}:{number % 60:02}:00Z"
        one = Memory(
            memory_id(row["category"], created, row["text"]), row["category"], row["text"],
            created=created, space=row["space"], project=row["project"],
            entities=entities_of(row["text"]),
        )  # fmt: skip
        found.append((one, row["subject"]))
    return found


def clusters(memories: Iterable[Memory], *, loose: bool = False) -> list[Cluster]:
    """The clusters of a vault that has these memories."""
    return clusters_of(context(_Vault({memory.id: memory for memory in memories})), loose=loose)


def _told_by_a_model(said: Sequence[tuple[Memory, str]], asked: Sequence[Cluster]) -> list[Cluster]:
    """What a model that knows the subjects leaves of these clusters."""
    about = {one.id: subject for one, subject in said}
    found = []
    for cluster in asked:
        counts = Counter(about[one.id] for one in cluster.memories if about[one.id])
        subject, count = max(counts.items(), key=lambda one: (one[1], one[0]), default=("", 0))
        if count >= LEAST_SOURCES:
            kept = tuple(one for one in cluster.memories if about[one.id] == subject)
            found.append(Cluster(kept, 1.0))
    return found


def scores(said: Sequence[tuple[Memory, str]], found: Sequence[Cluster]) -> dict[str, float]:
    """Precision and recall of pairs, and the adjusted Rand index."""
    cluster_of: dict[str, Hashable] = {
        one.id: number for number, cluster in enumerate(found) for one in cluster.memories
    }
    wanted = [(one.space, one.project, subject) if subject else one.id for one, subject in said]
    made = [cluster_of.get(one.id, one.id) for one, _ in said]
    both = _pairs(zip(wanted, made, strict=True))
    right, grouped, all = _pairs(wanted), _pairs(made), comb(len(said), 2)
    chance = right * grouped / all if all else 0.0
    mean = (right + grouped) / 2
    return {
        "precision": both / grouped if grouped else 0.0,
        "recall": both / right if right else 0.0,
        "rand": (both - chance) / (mean - chance) if mean != chance else 1.0,
    }


def _pairs(labels: Iterable[Hashable]) -> int:
    return sum(comb(count, 2) for count in Counter(labels).values())


def _report(file: Path, *, show: bool) -> None:
    said = statements(file)
    subject = {one.id: about for one, about in said}
    found = clusters(one for one, _ in said)
    told = [Counter(subject[one.id] for one in cluster.memories) for cluster in found]
    pure = sum(len(one) == 1 and "" not in one for one in told)
    many = len({(one.space, one.project, about) for one, about in said if about})
    figures = " ".join(f"{name} {value:.3f}" for name, value in scores(said, found).items())
    print(f"{file.name}: {figures}; {len(found)} clusters, {pure} of one subject; {many} subjects")
    asked = clusters((one for one, _ in said), loose=True)
    pages = _told_by_a_model(said, asked)
    figures = " ".join(f"{name} {value:.3f}" for name, value in scores(said, pages).items())
    print(f"  with a model that is right: {figures}; {len(asked)} asked about, {len(pages)} pages")
    for cluster in found if show else ():
        print(f"  {cluster.likeness:.2f} {cluster.about}")
        for one in cluster.memories:
            print(f"    {subject[one.id] or '-':<40} {one.text}")


def _speed(count: int) -> None:
    invented = Invented()
    memories = [invented.memory(number) for number in range(count)]
    for name, some in (
        ("seven projects", memories),
        ("one project", [replace(one, space="project", project="one") for one in memories]),
    ):
        begin = time.process_time()
        found = clusters(some)
        spent = time.process_time() - begin
        print(
            f"{count} invented memories, {name}: {spent:.2f} s of CPU time, {len(found)} clusters"
        )


def main() -> None:
    """Print the figures of each file, and the speed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--sizes", default="1000,10000")
    given = parser.parse_args()
    for file in given.files or _OWN:
        if not file.is_file():
            parser.error(f"there is no file {file}")
        _report(file, show=given.show)
    for count in map(int, given.sizes.split(",")):
        _speed(count)


if __name__ == "__main__":
    main()
