"""Which questions ask for a time: `python -m tests.benchmarks.time_questions [FILE [DATED]]`.

Without a file: the questions of tests/recall/asked_questions.toml. FILE is a set of conversations
like LoCoMo (JSON: `conversations`, each with `qa`, of which a row has `qid`, `question` and
`category`; 2 are the temporal ones), DATED (JSON lines, `case_id`) names those of its questions
that a date answers. They are counted in two halves, by the checksum of their ids. `--show` prints
the ones that are told otherwise than labelled.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

from engram.recall.asked import time_asked

TABLE = Path(__file__).parents[1] / "recall" / "asked_questions.toml"


def own() -> Iterator[tuple[str, str, bool]]:
    """Group, question and whether it asks for a time, of the project's own questions."""
    for half, kinds in tomllib.loads(TABLE.read_text(encoding="utf-8")).items():
        for kind, rows in kinds.items():
            yield from ((f"{half}, {kind}", text, kind != "other") for text in rows)


def of_conversations(path: Path, dated: Path | None) -> Iterator[tuple[str, str, bool]]:
    """The same of conversations; only the temporal ones ask for a time."""
    lines = dated.read_text(encoding="utf-8").splitlines() if dated else []
    answered = {json.loads(line)["case_id"].replace("#", "/") for line in lines}
    for talk in json.loads(path.read_text(encoding="utf-8"))["conversations"]:
        for row in talk["qa"]:
            temporal = row["category"] == 2
            kind = "temporal, a date" if row["qid"] in answered else "temporal, no date"
            half = "ab"[crc32(row["qid"].encode()) % 2]
            yield f"{kind if temporal else 'other'}, half {half}", row["question"], temporal


def main() -> None:
    """Print for each group how many are taken for a question of time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    file, dated = (*options.files, None, None)[:2]
    counts: defaultdict[str, list[bool]] = defaultdict(list)
    for group, question, timed in of_conversations(file, dated) if file else own():
        taken = bool(time_asked(question).wanted)
        counts[group].append(taken)
        if options.show and taken != timed:
            print(f"  {group}: {question}")
    for group, told in sorted(counts.items()):
        print(f"{group:28} {sum(told):4} of {len(told):4}  {sum(told) / len(told):.3f}")


if __name__ == "__main__":
    main()
