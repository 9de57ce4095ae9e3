"""Promotion into a shared vault: a copy there, then the original out of use here.

    promote ID --to project, of what is in project space  ->  @shop has it, the original gave way
    the shared vault says the same already                ->  nothing is written there
    the shared vault says something else                  ->  promotion_conflict: it stays here

Two vaults cannot commit at once: the copy comes first, so that a crash between the two loses
nothing, and the same request finds it and finishes. What is there under the same id with other
words was changed by somebody and stands. Refuses (BadInput) what the person alone may know, unless
they say so, what waits for them, and every agent that asks.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from engram.admit.admission_context import AdmissionContext
from engram.admit.draft import AdmissionDraft
from engram.admit.space_change import PromotionRequest, authority_of, candidate_of
from engram.model.candidate import Receipt
from engram.model.change import Plan
from engram.model.errors import BadInput
from engram.model.memory import Memory
from engram.model.promotion import (
    ALLOWED,
    ALREADY,
    BY_HAND,
    PROMOTION_CONFLICT,
    PROMOTION_ERROR,
    has_rule,
)
from engram.model.refusal_codes import is_private, meaning
from engram.model.report import Promotion
from engram.model.shared_copy import PROMOTED_TO, shared_copy
from engram.model.text import content_hash, normalise
from engram.model.trace import FROM, PROMOTED_AS
from engram.model.verdict import Verdict
from engram.pipeline.writing import writing
from engram.recall.audience import audience_of

if TYPE_CHECKING:
    from engram.model.policy import Policy
    from engram.pipeline.ports import Ports


class SharedVault(NamedTuple):
    """A shared vault as the target: its ports, id, folder, `@NAME`, the space of its memories."""

    ports: Ports
    id: str
    root: str
    label: str
    space: str


class SharingTerms(NamedTuple):
    """What the person says to it: whether the quote goes along, and whether private things may.

    `agent` is who asks in place of the person, '' for the person.
    """

    with_quote: bool = False
    private: bool = False
    agent: str = ""


def is_shared(memory: Memory) -> bool:
    """Whether a memory was promoted into a shared vault."""
    return memory.status_reason == PROMOTED_AS and PROMOTED_TO in memory.extras


def promote_into(
    reference: str, target: SharedVault, terms: SharingTerms, ports: Ports, *, dry_run: bool = False
) -> Promotion:
    """Promote one memory, by the id of its file, in two transactions; a dry run writes nothing.

    Raises BadInput for what is refused; the denial is logged where it is for the rules.
    """
    if dry_run:
        for one in (ports, target.ports):
            one.settler.within(math.inf)
        return _promoted(reference, target, terms, ports, dry_run=True)
    with writing(ports), writing(target.ports):
        return _promoted(reference, target, terms, ports, dry_run=False)


def _promoted(
    reference: str, target: SharedVault, terms: SharingTerms, ports: Ports, *, dry_run: bool
) -> Promotion:
    memory = ports.view.memory(reference)
    assert memory is not None  # whoever asks has looked it up
    if is_shared(memory):
        _check_stands(memory, target)
        return Promotion(ALREADY, memory, memory, target.label)
    _check_may_leave(memory, target, terms, ports)
    item = ports.committer.item_of(memory.id)
    request = PromotionRequest(memory, target.space, memory.project, BY_HAND, item)
    told = {
        FROM: item, "from_space": memory.space, "to_space": target.space, "by": BY_HAND,
        "to_vault": target.id,
    }  # fmt: skip
    draft = AdmissionDraft(ports.view, ports.terms, ports.clock.now())
    ruled = all(has_rule(one.policy, memory.space, target.space) for one in (ports, target.ports))
    draft.check(memory.id, code=ALLOWED if ruled else "promotion_disallowed", **told)
    verdict, copied = _judged(request, target, terms, ports.policy)
    code = _code_of(verdict) if ruled else "promotion_disallowed"
    if code != ALLOWED:
        against = "".join(verdict.memories[:1]) if ruled else ""
        draft.stay(memory, None, told | {"code": code, "against": against})
        if not dry_run:
            ports.committer.commit(Plan("promote", events=tuple(draft.events)))
        raise _denied(memory, target, code, verdict)
    now = ports.clock.now()
    after = replace(
        memory, status="superseded", status_since=now, status_reason=PROMOTED_AS,
        extra=(*_unmarked(memory), (PROMOTED_TO, target.label)),
    )  # fmt: skip
    if dry_run:
        return Promotion(ALLOWED, memory, after, target.label)
    found = _written(verdict, copied, target)
    draft.leave(after, told | {
        "authority": authority_of(request), "to_item": target.ports.committer.item_of(found.id),
    })  # fmt: skip
    changes = ports.writer.changes(draft.born, draft.amended)
    ports.committer.commit(Plan("promote", tuple(changes), tuple(draft.events)))
    return Promotion(ALLOWED, memory, after, target.label, found.path)


def _check_stands(memory: Memory, target: SharedVault) -> None:
    """Raise BadInput for what was promoted and is in use there no more: then it is so nowhere."""
    view = target.ports.view
    copy = shared_copy(memory, target.space, "", "")
    there = (view.memory(memory.id), *view.owners(content_hash(copy.text, copy.scope)))
    if not any(one is not None and one.live for one in there):
        raise BadInput(
            f"{memory.id} was promoted into {target.label}, and is in use there no more",
            f"`engram restore {memory.id}` takes your own one into use", code=PROMOTION_ERROR,
        )  # fmt: skip


def _check_may_leave(
    memory: Memory, target: SharedVault, terms: SharingTerms, ports: Ports
) -> None:  # fmt: skip
    """Raise BadInput for what is out of use or in doubt, for agents, and for what is private."""
    if terms.agent:
        raise BadInput(
            f"{terms.agent} asks to share {memory.id} with others: that is the person's to decide",
            f"`engram promote {memory.id} --to {target.space}` in a terminal of your own",
            code=PROMOTION_ERROR,
        )
    if memory.status != "active":
        mend = "confirm" if memory.live else "restore"
        raise BadInput(
            f"{memory.id} is {memory.status}: it is not shared",
            f"`engram {mend} {memory.id}` first", code=PROMOTION_ERROR,
        )  # fmt: skip
    audience = audience_of(memory, ports.redactor.clean)
    if audience == "nobody":
        raise BadInput(
            f"{memory.id} holds what looks like a secret, or what git could not merge:"
            " it is not shared",
            "`engram doctor` names the file", code=PROMOTION_ERROR,
        )  # fmt: skip
    private = audience == "person" or not memory.of_owner
    if private and not terms.private:
        raise BadInput(
            f"{memory.id} is for you alone: of your own life, from a private source, or another's",
            f"if all who have {target.label} may read it: --yes", code=PROMOTION_ERROR,
        )  # fmt: skip


def _judged(
    request: PromotionRequest, target: SharedVault, terms: SharingTerms, own: Policy
) -> tuple[Verdict, Memory]:
    """What the shared vault says of a memory, as of any candidate; and the copy it would get.

    What the policy of the person's `own` vault keeps out leaves it for no other one either.
    """
    memory, there = request.memory, target.ports
    copy = shared_copy(
        memory, target.space, BY_HAND, authority_of(request), with_quote=terms.with_quote
    )
    candidate = candidate_of(
        request._replace(memory=copy), Receipt("", "", copy.quote, "user", copy.created)
    )
    candidate = replace(candidate, leaves=memory.space)
    held = there.view.memory(memory.id)
    if held is not None:
        same = held.live and normalise(held.text) == normalise(copy.text)
        if same:
            return Verdict("same", "same", candidate, (held.id,)), copy
        return Verdict("review", PROMOTION_CONFLICT, candidate, (held.id,)), copy
    # imported here: most promotions stay inside one vault
    from engram.admit.decide import admit, harm

    admission = AdmissionContext(
        there.view, there.redactor.clean, there.settings, there.clock.now(), there.judge,
        policy=there.policy,
    )  # fmt: skip
    kept_out = harm(candidate, replace(admission, policy=own))
    return kept_out or admit(candidate, admission), copy


def _code_of(verdict: Verdict) -> str:
    """`allowed`, or why the shared vault does not take it."""
    if verdict.decision == "refuse":
        return verdict.code
    stands = verdict.decision in ("review", "update") or verdict.code == "older_than_holder"
    return PROMOTION_CONFLICT if stands else ALLOWED


def _written(verdict: Verdict, copied: Memory, target: SharedVault) -> Memory:
    """The memory in the shared vault; where that says the same already, no file changes there.

    A second promotion, from another machine or by another person, then leaves git nothing to merge.
    """
    there = target.ports
    held = there.view.memory(verdict.memories[0]) if verdict.decision == "same" else None
    if held is not None:
        return held
    draft = AdmissionDraft(there.view, there.terms, there.clock.now())
    draft.take(copied, verdict)
    changes = there.writer.changes(draft.born, draft.amended)
    there.committer.commit(Plan("promote", tuple(changes), tuple(draft.events)))
    return there.view.memory(copied.id) or copied


def _unmarked(memory: Memory) -> tuple[tuple[str, str], ...]:
    return tuple(pair for pair in memory.extra if pair[0] != PROMOTED_TO)


def _denied(
    memory: Memory, target: SharedVault, code: str, verdict: Verdict
) -> BadInput:  # fmt: skip
    if code == "promotion_disallowed":
        return BadInput(
            f"{memory.id} is not shared: {code}: no rule of the policy lets anything leave"
            f" {memory.space} for {target.space}",
            "`engram policy show` has the rules: promotions", code=PROMOTION_ERROR,
        )  # fmt: skip
    if code == PROMOTION_CONFLICT:
        other = next(iter(verdict.memories), memory.id)
        return BadInput(
            f"{memory.id} is not shared: {code}: {target.label} says otherwise ({other})",
            f"`engram --vault {target.root} show {other}`; retire or edit it there first",
            code=PROMOTION_ERROR,
        )
    hint = "`engram policy show` says what is kept out" if is_private(code) else "say it plainly"
    return BadInput(
        f"{memory.id} is not shared: {code} ({meaning(code)})", hint, code=PROMOTION_ERROR
    )
