"""How fast candidates are judged: `python -m tests.benchmarks.gate [--memories N]`.

The 300 candidates of tests/fixtures/gate through the whole decider, against a vault that knows N
statements of the same project; extraction and writing apart.
"""

from __future__ import annotations

import argparse
import time

from engram.admit.decide import AdmissionContext, admit
from engram.admit.draft import AdmissionDraft
from engram.model.candidate import Candidate
from engram.model.verdict import Verdict
from tests.admit.cases import candidate
from tests.admit.test_gate_candidates import proposed, rows
from tests.benchmarks.imports import prose, scratch

#: the fixtures are gone through so often
_ROUNDS = 5


def candidates() -> list[Candidate]:
    """All of the fixtures."""
    return [proposed(row) for name in ("hostile", "junk", "worthwhile") for row in rows(name)]


def measure(memories: int) -> tuple[float, dict[str, int]]:
    """Candidates a second of CPU time, and how many of one round were refused, by code."""
    with scratch() as (_, make), make() as vault:
        parts, now = vault.parts, "2026-03-06T12:00:00Z"
        draft = AdmissionDraft(parts.view, parts.settings, now)
        for number in range(memories):
            draft.enter(Verdict("new", "new", candidate(prose(number, 12), message=str(number))))
        plan = parts.writer.changes(draft.born, draft.amended)
        from engram.model.change import Plan

        parts.committer.commit(Plan("remember", tuple(plan), tuple(draft.events)))
        context = AdmissionContext(parts.view, parts.redactor.clean, parts.settings, now)
        found = candidates()
        codes: dict[str, int] = {}
        for one in found:
            verdict = admit(one, context)
            if verdict.decision == "refuse":
                codes[verdict.code] = codes.get(verdict.code, 0) + 1
        start = time.process_time()
        for _ in range(_ROUNDS):
            for one in found:
                admit(one, context)
        return _ROUNDS * len(found) / (time.process_time() - start), codes


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=1_000)
    rate, codes = measure(parser.parse_args().memories)
    refused = ", ".join(f"{code} {count}" for code, count in sorted(codes.items()))
    print(f"judged {rate:,.0f} candidates a second of CPU time; of 300 refused: {refused}")


if __name__ == "__main__":
    main()
