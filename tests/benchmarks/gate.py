"""How fast candidates are judged: `python -m tests.benchmarks.gate [--memories N]`.

The 300 candidates of tests/fixtures/gate and every sentence of the labelled turns, each text once,
through the whole decider and into drafts as large as an extraction's, against a vault whose N
memories share words with them. Compared with the one question to the catalog in it: what is around
a candidate. Extraction and writing apart.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from engram.admit.admission_context import AdmissionContext
from engram.admit.decide import admit
from engram.admit.draft import AdmissionDraft
from engram.language.sentences import sentences_of
from engram.model.candidate import Candidate
from engram.model.change import Plan
from engram.model.verdict import Verdict
from engram.vault import Vault
from tests.admit.cases import candidate
from tests.admit.test_gate_candidates import proposed, rows
from tests.benchmarks.imports import prose, scratch

_TURNS = Path(__file__).with_name("data") / "rules_turns.jsonl"
_NOW = "2026-03-06T12:00:00Z"
#: candidates of one draft
_BATCH = 300
#: every so many are judged before the clock starts: patterns compile when they are first needed
_WARM = 5


def candidates() -> list[Candidate]:
    """Those of the fixtures, and the sentences of the turns as the person's own."""
    fixtures = [proposed(row) for name in ("hostile", "junk", "worthwhile") for row in rows(name)]
    turns = map(json.loads, _TURNS.read_text(encoding="utf-8").splitlines())
    said = dict.fromkeys(one for turn in turns for one in sentences_of(turn["text"]))
    spoken = [
        candidate(one, message=str(number), sentence=one, authority="user_asserted")
        for number, one in enumerate(said)
    ]
    return fixtures + spoken


def remember(vault: Vault, memories: int) -> None:
    """Memories of the project that the candidates are of, in words that some of them have."""
    draft = AdmissionDraft(vault.parts.view, vault.parts.settings, _NOW)
    known = [str(row["text"]) for row in rows("worthwhile")]
    for number in range(memories):
        text = f"{known[number % len(known)]} ({prose(number, 4)})"
        draft.enter(Verdict("new", "new", candidate(text, message=str(number))))
    plan = vault.parts.writer.changes(draft.born, draft.amended)
    vault.parts.committer.commit(Plan("remember", tuple(plan), tuple(draft.events)))


def judged(found: Sequence[Candidate], vault: Vault) -> Counter[str]:
    """What is decided about them, by the code of a refusal."""
    parts, codes = vault.parts, Counter[str]()
    for start in range(0, len(found), _BATCH):
        draft = AdmissionDraft(parts.view, parts.settings, _NOW)
        admission = AdmissionContext(
            draft.view, parts.redactor.clean, parts.settings, _NOW,
            heard=parts.heard, rules=parts.rule_files,
        )  # fmt: skip
        for one in found[start : start + _BATCH]:
            verdict = admit(one, admission)
            draft.enter(verdict)
            codes[verdict.code if verdict.decision == "refuse" else "kept"] += 1
    return codes


def measure(memories: int) -> tuple[float, float, Counter[str]]:
    """Candidates judged and candidates asked about a second of CPU time, and what was decided."""
    with scratch() as (_, make), make() as vault:
        remember(vault, memories)
        found = candidates()
        judged(found[::_WARM], vault)
        del found[::_WARM]
        start = time.process_time()
        codes = judged(found, vault)
        decided = time.process_time()
        for one in found:
            vault.parts.view.around(one)
        asked = time.process_time()
        return len(found) / (decided - start), len(found) / (asked - decided), codes


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=500)
    judged_a_second, asked_a_second, codes = measure(parser.parse_args().memories)
    told = ", ".join(f"{code} {count}" for code, count in sorted(codes.items()))
    print(
        f"judged {judged_a_second:,.0f} candidates a second of CPU time, "
        f"{judged_a_second / asked_a_second:.0%} of only asking what is around each "
        f"({asked_a_second:,.0f}); of {codes.total()}: {told}"
    )


if __name__ == "__main__":
    main()
