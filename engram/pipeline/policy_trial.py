"""Trial of a policy: a text -> what would become of it, step by step; nothing is written.

The text goes the way that it would go if it was said now: redacted as capture does it, one
candidate, the steps of the policy, and all that admission asks besides. By hand it is what
`remember` makes of it; in a conversation what the rules make of the words, and where they make
nothing of them, a fact that a model proposes. The text is in no part of the answer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from engram.capture.accept import cleaned, legible
from engram.model.errors import BadInput
from engram.model.instant import day_of
from engram.model.item import store_of
from engram.model.report import PolicyTrial, Saying
from engram.model.turn import turn_of

if TYPE_CHECKING:
    from engram.model.candidate import Candidate
    from engram.model.turn import Role, Turn
    from engram.pipeline.ports import Ports


def policy_trial(
    text: str, said_by: Saying, category: str, project: str, ports: Ports
) -> PolicyTrial:
    """What the policy that holds would make of a text. Raises BadInput, ConfigError."""
    # imported here: a vault that is only read needs none of its patterns
    from engram.admit.admission_context import AdmissionContext
    from engram.admit.decide import admit
    from engram.admit.draft import AdmissionDraft
    from engram.admit.gate.secure import read_by_privacy
    from engram.admit.gate.write_policy import attempt_of, evaluate_write

    words = " ".join(legible(text).split())
    if not words:
        raise BadInput("there is nothing to try", "give the text as an argument")
    policy, now = ports.policy, ports.clock.now()
    role: Role = "assistant" if said_by == "agent" else "user"
    turn = turn_of(role, words, now, source="trial", session=day_of(now), project=project)
    turn = cleaned(turn, ports.redactor)[0].in_zone(ports.timezone)
    draft = AdmissionDraft(ports.view, ports.terms, now)
    admission = AdmissionContext(
        draft.view, ports.redactor.clean, ports.settings, now, ports.judge, policy=policy
    )
    verdict = admit(_candidate(turn, said_by, category, ports), admission)
    tried = verdict.candidate
    attempt = attempt_of(tried)
    told = evaluate_write(policy, attempt, read_by_privacy(tried), ports.redactor.clean)
    return PolicyTrial(
        attempt.event_type,
        attempt.kind,
        str(store_of(tried.space, tried.project, tried.conversation)),
        tried.category,
        tried.authority,
        told.steps,
        verdict.decision,
        verdict.code,
        verdict.memories,
    )


def _candidate(turn: Turn, said_by: Saying, category: str, ports: Ports) -> Candidate:
    from engram.extract.classify import memory_kind, score_importance
    from engram.pipeline.dictation import dictated

    guesses = ports.rules.extract([turn])
    guess = guesses[0] if len(guesses) == 1 else None
    chosen = category or (guess.category if guess else "fact")
    kind, importance = memory_kind(chosen, turn.text, ()), score_importance(turn.text, chosen, ())
    asked = dictated(turn, chosen, kind, importance, guess)
    if said_by == "hand":
        return asked
    if guess is not None and chosen == guess.category:
        return guess
    agent = said_by == "agent"
    return replace(
        asked,
        confidence=0.8,
        importance=importance,
        authority="ai_inferred" if agent else "user_asserted",
        origin="model",
        voice="agent" if agent else "typed",
        sentence=turn.text,
    )
