"""Promotion: a memory that is to leave its space, and the vault -> the memory there, or why not.

    session -> user, "Remember this for me: ..."  ->  space: user, promoted_from
    session -> project, on too little a word      ->  promotion_authority: it waits
    the target's own memory stands against it     ->  promotion_conflict: it waits
    the target says the same already              ->  that is confirmed, this one gives way

The rules of the policy are asked first, then `admit`, as for whatever else comes into the target.
A person who asks by hand is authority enough where the pair of spaces has a rule. One file, one
change of its header; nothing of its words. What is denied stays where it is, and where the person
may allow it the header says so (`promotion_target`). Pure but for the draft, which it fills.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from engram.admit.admission_context import AdmissionContext
from engram.admit.decide import admit
from engram.admit.draft import AdmissionDraft
from engram.model.authority import authority_rank
from engram.model.candidate import Candidate, Receipt
from engram.model.item import event_type_of
from engram.model.memory import SESSION, Memory
from engram.model.overlay import Overlay
from engram.model.promotion import (
    ALLOWED,
    BY_AGENT,
    BY_HAND,
    PERSONS_WORD,
    PROMOTED_FROM,
    PROMOTION_CONFLICT,
    PROMOTION_REASON,
    PROMOTION_TARGET,
    has_rule,
    promotion_code,
)
from engram.model.report import Promotion
from engram.model.retention import Terms, expiry
from engram.model.trace import FROM
from engram.model.verdict import Verdict


class PromotionRequest(NamedTuple):
    """What is asked: the memory, the space that it is to be in, and the words that ask.

    `project` names the project of the target; `item` is the one that the memory is now; `by` is
    `by_hand`, `by_agent`, or the code of a hint; `source` links to the turn that asks, or names its
    conversation; `agent` is the agent that asks by itself.
    """

    memory: Memory
    to_space: str
    project: str
    by: str
    item: str
    source: str = ""
    agent: str = ""


def promote(
    request: PromotionRequest, draft: AdmissionDraft, admission: AdmissionContext
) -> Promotion:
    """Judge a promotion, and enter it into the draft of a transaction.

    `admission` is that of the draft. The memory is in use, and in another space than the target.
    """
    memory, by_hand = request.memory, request.by == BY_HAND
    authority = authority_of(request)
    code: str = promotion_code(
        admission.policy, memory.space, request.to_space,
        event_type_of(memory.category, memory.schema), authority,
    )  # fmt: skip
    ruled = has_rule(admission.policy, memory.space, request.to_space)
    if by_hand and ruled:
        code = ALLOWED
    elif request.by == BY_AGENT and ruled:
        code = "promotion_authority"
    elif code == ALLOWED and memory.status != "active" and not by_hand:
        code = PROMOTION_CONFLICT  # it is in dispute where it is
    told = {
        FROM: request.item, "from_space": memory.space, "to_space": request.to_space,
        "by": request.by, "source": request.source, "agent": request.agent,
    }  # fmt: skip
    draft.check(memory.id, code=code, **told)
    if code != ALLOWED:
        return _denied(request, code, told, None, draft, waits=ruled)
    verdict = _judged(request, draft, admission)
    told["authority"] = authority
    if verdict.decision == "refuse":
        return _denied(request, verdict.code, told, None, draft, waits=False)
    if verdict.decision == "review" or verdict.code == "older_than_holder":
        return _denied(request, PROMOTION_CONFLICT, told, verdict, draft, waits=True)
    if verdict.decision == "same":
        return Promotion(ALLOWED, memory, draft.join(memory, verdict, told))
    after = replace(
        _marked(memory, {PROMOTED_FROM: request.item or memory.id, PROMOTION_REASON: request.by}),
        space=request.to_space,
        project=request.project if request.to_space == "project" else memory.project,
    )
    if memory.space == SESSION:
        # what ends with a session ends by days from now on
        terms = Terms(admission.settings.retention, admission.policy)
        after = replace(after, expires=expiry(after, admission.now, terms))
    draft.move(after, verdict, told)
    return Promotion(ALLOWED, memory, draft.view.memory(memory.id) or after)


def authority_of(request: PromotionRequest) -> str:
    """Whose word the promotion is: that of the memory, or of the person who asks by hand."""
    held = request.memory.authority
    if request.by != BY_HAND:
        return held
    return max(held, PERSONS_WORD, key=authority_rank)


def _judged(
    request: PromotionRequest, draft: AdmissionDraft, admission: AdmissionContext
) -> Verdict:
    """What the target says of the memory, as of any candidate; the memory itself is not there."""
    memory = request.memory
    link = memory.sources[0] if memory.sources else ""
    # who asks by hand says it now
    said = admission.now if request.by == BY_HAND else memory.created
    words = memory.quote or memory.text
    receipt = Receipt(link.partition("#")[2], link, words, "user", said)
    there = Overlay(draft.view)
    there.remove(memory.id)
    return admit(candidate_of(request, receipt), replace(admission, view=there))


def candidate_of(request: PromotionRequest, receipt: Receipt) -> Candidate:
    """The memory that is to leave its space, as the target judges it."""
    memory = request.memory
    return Candidate(
        category=memory.category,
        text=memory.text,
        receipt=receipt,
        confidence=memory.confidence,
        importance=memory.importance,
        kind="episode" if memory.kind == "episode" else "note",
        schema=memory.schema,
        title=memory.title,
        tags=memory.tags,
        entities=memory.entities,
        project=request.project if request.to_space == "project" else memory.project,
        space=request.to_space,
        slot=memory.key,
        valid_from=memory.valid_from,
        fields=memory.extra,
        authority=authority_of(request),
        origin="person" if request.by == BY_HAND else "rules",
        sections=memory.sections,
        related_files=memory.related_files,
        aliases=memory.aliases,
        leaves=memory.space,
    )


def _denied(
    request: PromotionRequest, code: str, told: dict[str, str], verdict: Verdict | None,
    draft: AdmissionDraft, *, waits: bool,
) -> Promotion:  # fmt: skip
    """The memory where it was; it `waits` for the person where they may allow it."""
    memory = request.memory
    asked = {PROMOTION_TARGET: request.to_space, PROMOTION_REASON: request.by}
    after = _marked(memory, asked) if waits else memory
    draft.stay(after, verdict, told | {"code": code})
    return Promotion(code, memory, after)


def withdrawn(memory: Memory) -> Memory:
    """A memory for which nobody asks for another space any more."""
    return _marked(memory, {})


def _marked(memory: Memory, marks: dict[str, str]) -> Memory:
    """A memory with these marks of promotion and no others of a wish."""
    wish = (PROMOTION_TARGET, PROMOTION_REASON, *marks)
    kept = tuple(pair for pair in memory.extra if pair[0] not in wish)
    return replace(memory, extra=(*kept, *marks.items()))
