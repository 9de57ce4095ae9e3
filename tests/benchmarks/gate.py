"""How fast candidates are judged: `python -m tests.benchmarks.gate [--memories N] [--policy]`.

The 300 candidates of tests/fixtures/gate and every sentence of the labelled turns, each text once,
through the whole decider and into drafts as large as an extraction's, against a vault whose N
memories share words with them. Compared with the one question to the catalog in it: what is around
a candidate. Extraction and writing apart. `--policy`: the same again and again under a policy that
denies nothing but has everything to ask, beside the default, and the share of time it takes more.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from engram.admit import decide
from engram.admit.admission_context import AdmissionContext
from engram.admit.decide import admit
from engram.admit.draft import AdmissionDraft
from engram.model.candidate import Candidate
from engram.model.change import Plan
from engram.model.item import EVENT_TYPES, KINDS
from engram.model.policy import Policy
from engram.model.sentences import sentences_of
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
    draft = AdmissionDraft(vault.parts.view, vault.parts.terms, _NOW)
    known = [str(row["text"]) for row in rows("worthwhile")]
    for number in range(memories):
        text = f"{known[number % len(known)]} ({prose(number, 4)})"
        draft.enter(Verdict("new", "new", candidate(text, message=str(number))))
    plan = vault.parts.writer.changes(draft.born, draft.amended)
    vault.parts.committer.commit(Plan("remember", tuple(plan), tuple(draft.events)))


#: lists and patterns that are all asked, and none of which any candidate meets
_ASKED = Policy(
    allow_event_types=EVENT_TYPES, deny_event_types=("nothing",),
    promotion=dict.fromkeys(KINDS, EVENT_TYPES),
    deny_patterns=tuple(f"{word} of nobody" for word in "abcdefghi"),
)  # fmt: skip
#: how often each side is measured in turn
_ROUNDS = 5


def judged(found: Sequence[Candidate], vault: Vault, policy: Policy | None = None) -> Counter[str]:
    """What is decided about them, by the code of a refusal."""
    parts, codes = vault.parts, Counter[str]()
    for start in range(0, len(found), _BATCH):
        draft = AdmissionDraft(parts.view, parts.terms, _NOW)
        admission = AdmissionContext(
            draft.view, parts.redactor.clean, parts.settings, _NOW,
            heard=parts.heard, rules=parts.rule_files, policy=policy or Policy(),
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


def _without_policy(found: Sequence[Candidate], vault: Vault) -> Counter[str]:
    """The same without a row that asks the policy alone; secrets are looked for all the same."""
    rows = decide.ROWS
    decide.ROWS = tuple(row for row in rows if row.__name__ not in ("_border", "_policy"))
    try:
        return judged(found, vault)
    finally:
        decide.ROWS = rows


def compare(memories: int) -> float:
    """CPU time with a policy, as a multiple of the same without one; the fastest of some rounds."""
    with scratch() as (_, make), make() as vault:
        remember(vault, memories)
        found = candidates()
        judged(found[::_WARM], vault, _ASKED)
        best = {"with": float("inf"), "without": float("inf")}
        for _ in range(_ROUNDS):
            for name in best:
                start = time.process_time()
                if name == "with":
                    judged(found, vault, _ASKED)
                else:
                    _without_policy(found, vault)
                best[name] = min(best[name], time.process_time() - start)
        return best["with"] / best["without"]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=500)
    parser.add_argument("--policy", action="store_true")
    options = parser.parse_args()
    if options.policy:
        print(f"admission with a policy takes {compare(options.memories):.3f} of that without")
        return
    judged_a_second, asked_a_second, codes = measure(options.memories)
    told = ", ".join(f"{code} {count}" for code, count in sorted(codes.items()))
    print(
        f"judged {judged_a_second:,.0f} candidates a second of CPU time, "
        f"{judged_a_second / asked_a_second:.0%} of only asking what is around each "
        f"({asked_a_second:,.0f}); of {codes.total()}: {told}"
    )


if __name__ == "__main__":
    main()
