"""The admission decider: one candidate and what the vault knows of it -> one verdict.

A table of rows, asked from top to bottom; the first that has an opinion decides. Each verdict has
a stable code that is safe to log. Guarantees: no file without a receipt, a secret, an injection or
junk; nothing is superseded by what stands below it. Later deciders add rows here, never beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from engram.admit.admission_context import AdmissionContext
from engram.admit.draft import memory_of
from engram.admit.gate.worth import LEAST, factors_of, unworthy
from engram.admit.ladder import OLDER, gives_way, is_news, outranks, ruled, stood
from engram.admit.prepared import prepared
from engram.admit.same import may_confirm, standing, unsupported_mention
from engram.admit.slot import contest
from engram.model.authority import AUTHORITIES
from engram.model.candidate import Candidate, Voice
from engram.model.memory import CATEGORIES, PARTICIPANT, SESSION, Memory
from engram.model.speaker import is_of_owner
from engram.model.step import Opinion
from engram.model.succession import CONTRADICTION, STANDS, UNLIKELY
from engram.model.text import content_hash
from engram.model.verdict import CASTS_DOUBT, GIVEN_BEFORE, Decision, Verdict
from engram.model.write_rules import AFTER_PRIVACY, PolicyStep, border

#: what the candidates of one quote may replace by name, and those of one answer together: a change
#: is of one thing, and a conversation changes few
MOST_NAMED, MOST_NAMED_IN_ALL = 3, 12
#: words that two statements share whatever they are about
_ANYBODY = "the user and the team, their project"
#: places in which something is tried: what is so there leaves what is so elsewhere
_TRIAL = re.compile(r"\b(?:staging|dev|qa|canary|sandbox|preview)\b", re.IGNORECASE)
#: how a statement about the owner of the vault begins
_OF_PERSON = "The user "
#: the code of what replaces the memories that it names
NAMED = "named"
#: the code of what the conversation does not say, or not so
UNSUPPORTED = "unsupported"
Row = Callable[[Candidate, AdmissionContext], Verdict | None]


def admit(candidate: Candidate, admission: AdmissionContext) -> Verdict:
    """The verdict of the first row that has one.

    The text is made inert first, so that the content judged and hashed is what the file will say.
    """
    candidate, admission = prepared(candidate, admission.policy), admission.of_one()
    for row in ROWS:
        verdict = row(candidate, admission)
        if verdict is not None:
            break
    else:
        verdict = Verdict("new", "new", candidate)
    return _scored(ruled(verdict, admission.view), admission)


def _scored(verdict: Verdict, admission: AdmissionContext) -> Verdict:
    """What would be written, with the factors of its score; a refusal where that is low.

    What the person asked to remember or asks of a session, what another store held, and what a
    model names the predecessor of, is written whatever it scores: the vault would go on saying what
    was so before.
    """
    candidate = verdict.candidate
    if verdict.decision in ("same", "refuse") or candidate.wanted:
        return verdict
    # imported here: a vault that is only read needs none of its patterns
    from engram.admit.gate.for_session import is_asked_for
    from engram.admit.gate.sensitivity import sensitivity_of

    if is_asked_for(candidate):
        return verdict
    view = admission.view
    near = [
        one
        for one in admission.around(candidate)
        if one.scope == candidate.scope and one.id not in verdict.memories
    ]
    known = any(view.entity(name) or view.about(name) for name in candidate.entities)
    known = known or _of_person(candidate)
    internal = sensitivity_of(candidate.text) == "internal"
    written = admission.rules.says(candidate.text, candidate.project)
    factors = factors_of(candidate, near, written=written, known=known, sensitivity=int(internal))
    receipt = candidate.receipt
    if factors.score == LEAST - 1 and admission.heard.said_again(receipt.quote, receipt.link):
        factors = factors._replace(reuse=min(factors.reuse + 1, 2))
    numbers = tuple(factors._asdict().items())
    if factors.score < LEAST and verdict.code != NAMED:
        return Verdict("refuse", "low_score", candidate, factors=numbers)
    return replace(verdict, factors=numbers)


def _of_person(candidate: Candidate) -> bool:
    """Whether a model says it of the owner, wherever they are, or of one who speaks by name."""
    if candidate.origin != "model":
        return False
    return candidate.space == "user" or PARTICIPANT in dict(candidate.fields)


def _receipt(candidate: Candidate, admission: AdmissionContext) -> Verdict | None:
    """No provenance, no memory (seed 000); the person's own `remember` is its own receipt."""
    if candidate.origin == "person":
        return None
    receipt = candidate.receipt
    if not (receipt.quote.strip() and receipt.link and receipt.message):
        return Verdict("refuse", "no_receipt", candidate)
    return None


def _mention(candidate: Candidate, admission: AdmissionContext) -> Verdict | None:
    """A known memory that was said again, or carried out; nothing else is made of it."""
    name = candidate.confirms or candidate.fulfils
    if not name:
        return None
    owner = admission.view.memory(name)
    if owner is None or not owner.live or _of_other_session(owner, candidate):
        return Verdict("refuse", "unknown_memory", candidate)
    if unsupported_mention(owner, candidate, admission.view.terms, admission.judge):
        return Verdict("refuse", UNSUPPORTED, candidate)
    if candidate.confirms:
        return _again(candidate, owner, admission)
    return Verdict("same", "fulfilled", candidate, (owner.id,))


#: what no voice but the person's own may become, and with which code it is refused then
_OF_PERSON_ONLY: Mapping[Voice, tuple[str, frozenset[str]]] = {
    "agent": (
        "low_trust", frozenset(["preference", "principle", "commitment", "correction"]),
    ),
    "pasted": ("not_own_words", frozenset(CATEGORIES) - {"fact", "entity"}),
    "program": ("program_prompt", frozenset(CATEGORIES) - {"fact", "entity"}),
}  # fmt: skip


def _voice(candidate: Candidate, admission: AdmissionContext) -> Verdict | None:
    """What the person did not type is a fact at most; rules, which read forms, take nothing of it.

    An agent's own words may also tell what happened, what was decided, and how something is done;
    what another person says is of themselves, and never of the owner.
    """
    code, categories = _OF_PERSON_ONLY.get(candidate.voice, ("", frozenset[str]()))
    if code and (candidate.origin == "rules" or candidate.category in categories):
        return Verdict("refuse", code, candidate)
    if candidate.voice == "participant" and is_of_owner(candidate.text):
        return Verdict("refuse", "not_the_person", candidate)
    return None


def _ordered(candidate: Candidate, admission: AdmissionContext) -> Verdict | None:
    # imported here: a vault that is only read needs none of its patterns
    from engram.admit.gate.secure import ordered

    code = ordered(candidate)
    return Verdict("refuse", code, candidate) if code else None


def _low_trust(candidate: Candidate, admission: AdmissionContext) -> Verdict | None:
    from engram.admit.gate.secure import instructs

    return Verdict("refuse", "low_trust", candidate) if instructs(candidate) else None


def _border(candidate: Candidate, admission: AdmissionContext) -> Verdict | None:
    """Whether anything may be written to its space, if the rules of promotion have not said so."""
    if candidate.leaves:
        return None
    from engram.admit.gate.write_policy import attempt_of

    return _denied(candidate, border(admission.policy, attempt_of(candidate)))


def _of_session(candidate: Candidate, admission: AdmissionContext) -> Verdict | None:
    """What holds for one session, and that is over; what is asked to outlive it does."""
    if candidate.space != SESSION or candidate.wish is not None:
        return None
    from engram.admit.gate.for_session import is_of_past

    over = is_of_past(candidate, admission.spoken(candidate.conversation), admission.now)
    return Verdict("refuse", "session_over", candidate) if over else None


def _private(candidate: Candidate, admission: AdmissionContext) -> Verdict | None:
    """What is never stored, whoever says it, and what the policy keeps out for privacy."""
    from engram.admit.gate.secure import personal, read_by_privacy
    from engram.admit.gate.write_policy import attempt_of, privacy

    if code := personal(candidate):
        return Verdict("refuse", code, candidate)
    own = admission.policy.of_space(candidate.space)
    texts = read_by_privacy(candidate)
    return _denied(candidate, privacy(own, attempt_of(candidate), texts, admission.clean))


def _policy(candidate: Candidate, admission: AdmissionContext) -> Verdict | None:
    """The write policy, the event types, the rule of the kind, and what says nothing."""
    from engram.admit.gate.write_policy import attempt_of

    own, attempt = admission.policy.of_space(candidate.space), attempt_of(candidate)
    steps = (step(own, attempt) for step in AFTER_PRIVACY)
    return next((_denied(candidate, one) for one in steps if not one.passed), None)


def _denied(candidate: Candidate, step: PolicyStep) -> Verdict | None:
    return None if step.passed else Verdict("refuse", step.said, candidate, denied_by=step.rule)


def _worth(candidate: Candidate, admission: AdmissionContext) -> Verdict | None:
    code = unworthy(candidate, admission.settings.extract.min_importance)
    return Verdict("refuse", code, candidate) if code else None


def _bearing(candidate: Candidate, admission: AdmissionContext) -> Verdict | None:
    """It stands alone and lasts; what the person asked to remember is taken as it is."""
    if candidate.wanted:
        return None
    # imported here, as above
    from engram.admit.gate.bearing import PASSING, REQUEST, bearing
    from engram.admit.gate.for_session import is_asked_for, order_of

    code, receipt = bearing(order_of(candidate)), candidate.receipt
    if code in (PASSING, REQUEST) and is_asked_for(candidate):
        return None
    if code == REQUEST and admission.heard.said_again(receipt.quote, receipt.link):
        code = bearing(candidate, said_again=True)
    return Verdict("refuse", code, candidate) if code else None


def _unsupported(candidate: Candidate, admission: AdmissionContext) -> Verdict | None:
    """What is told other than it was said is asked of who said it, and replaces nothing."""
    if candidate.support == "full":
        return None
    known = admission.view.owners(content_hash(candidate.text, candidate.scope))
    if candidate.support == "none" or known or not candidate.in_own_words:
        return Verdict("refuse", UNSUPPORTED, candidate)
    return Verdict("review", UNSUPPORTED, replace(candidate, supersedes=(), corrects=False))


def _same(candidate: Candidate, admission: AdmissionContext) -> Verdict | None:
    owners = admission.view.owners(content_hash(candidate.text, candidate.scope))
    state, owner = standing(owners, admission.now, admission.settings.retention.resurrection_hours)
    if owner is None:
        return _restated(candidate, admission)
    if state == "owned":
        return _again(candidate, owner, admission)
    if candidate.origin == "person":
        return None  # the person may bring back at any time what was retired
    code = "unwanted" if state == "unwanted" else "retired_recently"
    return Verdict("refuse", code, candidate, (owner.id,))


def _restated(candidate: Candidate, admission: AdmissionContext) -> Verdict | None:
    """The same said in other words; what those around do not show is merged by consolidation."""
    # imported here, as above
    from engram.language.paraphrase.restatement import restates

    newer = memory_of(candidate)
    for one in admission.around(candidate):
        if one.id not in candidate.supersedes and not one.conflicts and restates(newer, one):
            return _again(candidate, one, admission)
    return None


def _of_other_session(memory: Memory, candidate: Candidate) -> bool:
    """Whether a memory belongs to a session, and that is not the candidate's."""
    return memory.space == SESSION and memory.conversation != candidate.conversation


def _again(candidate: Candidate, owner: Memory, admission: AdmissionContext) -> Verdict:
    code = "confirmed" if may_confirm(owner, candidate) else "low_trust"
    if candidate.receipt.link in owner.sources:
        code = "same_receipt"
    elif candidate.voice == "agent" and _was_given(candidate, owner, admission):
        code = GIVEN_BEFORE
    return Verdict("same", code, candidate, (owner.id,))


def _was_given(candidate: Candidate, owner: Memory, admission: AdmissionContext) -> bool:
    """Whether an agent had been given, in this conversation, what it says again."""
    time = candidate.receipt.time
    return admission.given.before(owner.id, candidate.conversation, time)


def _named(candidate: Candidate, admission: AdmissionContext) -> Verdict | None:
    """The candidate says itself which memories it replaces.

    It is believed where they are older than its words, of its place and of its subject, and few; an
    authority above its own stands. Any other naming, and one by pasted words, the person decides:
    it casts no doubt on what stands.
    """
    known = [
        admission.view.memory(identifier) for identifier in dict.fromkeys(candidate.supersedes)
    ]
    live = [
        memory
        for memory in known
        if memory is not None and memory.live and not _of_other_session(memory, candidate)
    ]
    if not live:
        return None
    found = [(memory.id, code) for memory in live if (code := outranks(memory, candidate))]
    if found:
        return stood(candidate, found[0][1], tuple(name for name, _ in found))
    named = tuple(memory.id for memory in live)
    most = max(len(live), admission.named.get(candidate.receipt.quote, 0))
    few = most <= MOST_NAMED and sum(admission.named.values()) <= MOST_NAMED_IN_ALL
    told = candidate.voice not in ("pasted", "program")
    if not (told and few and all(_may_replace(candidate, memory, admission) for memory in live)):
        return Verdict("review", UNLIKELY, candidate, named)
    newest = max(live, key=lambda memory: memory.created)
    if candidate.receipt.time < newest.created:
        return Verdict("new", OLDER, candidate, (newest.id,))
    return Verdict("supersede", NAMED, candidate, named)


def _may_replace(candidate: Candidate, memory: Memory, admission: AdmissionContext) -> bool:
    """Whether a memory is of the candidate's place, and of its subject or its category.

    Two facts need not be about one thing, so that a fact has to share a name or a word.
    """
    here = memory.space == "project" and memory.project == candidate.project
    if "project" in (memory.space, candidate.space) and not here:
        return False
    if SESSION in (memory.space, candidate.space) and memory.space != candidate.space:
        return False
    if _TRIAL.search(candidate.text) and not _TRIAL.search(memory.text):
        return False
    if candidate.category == memory.category != "fact":
        return True
    if set(candidate.entities) & set(memory.entities):
        return True
    said, held = candidate.text, f"{memory.text}\n{memory.quote}"
    shared = admission.view.terms(said) & admission.view.terms(held)
    return bool(shared - admission.view.terms(_ANYBODY))


def _slot(candidate: Candidate, admission: AdmissionContext) -> Verdict | None:
    if not candidate.slot:
        return None
    found = admission.view.holders(candidate.slot, candidate.space, candidate.project)
    holders = [memory for memory in found if not _of_other_session(memory, candidate)]
    if not holders:
        return None
    outcome, holder = contest(candidate, holders)
    if outcome == "stands" and is_news(candidate, holder, admission.view):
        candidate = replace(candidate, corrects=True)
        outcome, holder = contest(candidate, holders)
    if outcome == "stands":
        return stood(candidate, outranks(holder, candidate), (holder.id,))
    if outcome == "history":
        return Verdict("new", OLDER, candidate, (holder.id,))
    return Verdict("supersede", "newer_value", candidate, tuple(memory.id for memory in holders))


def _judged(candidate: Candidate, admission: AdmissionContext) -> Verdict | None:
    """What it replaces, and what it does not agree with, of all that is like it."""
    # imported here, as above
    from engram.language.alternatives import rivals_of

    newer = _newer(candidate)
    beside = admission.around(candidate)
    if rivals := rivals_of(candidate.text):
        beside = (*beside, *admission.around(replace(candidate, text=rivals)))
    known = {one.id: one for one in beside}
    found = [(one, admission.judge.compare(one, newer)) for one in known.values()]
    found += _everywhere(candidate, newer, admission)
    replaced = [(one, said) for one, said in found if said.relation == "supersedes" and said.sure]
    stronger = [(one, said) for one, said in found if said.code in STANDS.values()]
    if stronger:
        return _stood(candidate, stronger[0][1].code, stronger)
    if whole := [(one, said) for one, said in replaced if not said.partial]:
        return _verdict("supersede", "judged", candidate, whole)
    if replaced:
        return _verdict("new", "replaces_part", candidate, replaced)
    doubted = [(one, said) for one, said in found if said.relation == "contradicts"]
    if not doubted:
        return None
    reasons = [outranks(one, candidate) for one, _ in doubted]
    if all(reasons):
        return _stood(candidate, reasons[0], doubted)
    if all(gives_way(one, candidate) for one, _ in doubted):
        return _verdict("new", CASTS_DOUBT, candidate, doubted)
    return _verdict("review", CONTRADICTION, candidate, doubted)


def _newer(candidate: Candidate) -> Memory:
    """A candidate as a judge compares it with what there is."""
    # the words around the quote tell whether it says that something changed
    newer = replace(memory_of(candidate), quote=candidate.sentence or candidate.receipt.quote)
    if candidate.corrects:
        newer = replace(newer, category="correction")
    return newer if candidate.in_own_words else replace(newer, authority=AUTHORITIES[0])


def opinion_of(memory: Memory, candidate: Candidate, admission: AdmissionContext) -> Opinion:
    """What the judge says of a memory beside a candidate, prepared as `admit` does."""
    return admission.judge.compare(memory, _newer(prepared(candidate, admission.policy)))


def _everywhere(
    candidate: Candidate, newer: Memory, admission: AdmissionContext
) -> list[tuple[Memory, Opinion]]:
    """What is so of the person wherever they work, and that they say in a project is no more so.

    Whether it holds for the project alone only the person knows.
    """
    if candidate.space != "project" or not candidate.text.startswith(_OF_PERSON):
        return []
    here = replace(newer, space="user")
    beside = admission.around(replace(candidate, space="user"))
    found = [(one, admission.judge.compare(one, here)) for one in beside]
    return [
        (one, said._replace(relation="contradicts"))
        for one, said in found
        if said.relation in ("supersedes", "contradicts") and said.code not in STANDS.values()
    ]


def _stood(candidate: Candidate, code: str, found: Sequence[tuple[Memory, Opinion]]) -> Verdict:
    names = tuple(one.id for one, _ in found)
    return replace(stood(candidate, code, names), judged=found[0][1].code)


def _verdict(
    decision: Decision, code: str, candidate: Candidate, found: Sequence[tuple[Memory, Opinion]]
) -> Verdict:
    names = tuple(one.id for one, _ in found)
    return Verdict(decision, code, candidate, names, judged=found[0][1].code)


ROWS: tuple[Row, ...] = (
    _ordered, _receipt, _border, _mention, _voice, _low_trust, _private, _worth, _policy,
    _of_session, _bearing, _unsupported, _same, _named, _slot, _judged,
)  # fmt: skip
#: the rows that hold a candidate against what the vault has
_COMPARING = frozenset({_mention, _unsupported, _same, _named, _slot, _judged})

#: the rows that ask what a candidate may do, whose words it is, and what the policy lets in
_HARM: tuple[Row, ...] = (_ordered, _receipt, _border, _voice, _low_trust, _private, _policy)


def harm(candidate: Candidate, admission: AdmissionContext) -> Verdict | None:
    """The refusal of a candidate for what it may do or may not be, whatever it is worth."""
    found = (row(candidate, admission) for row in _HARM)
    return next(filter(None, found), None)


def gate_code(candidate: Candidate, admission: AdmissionContext) -> str:
    """The code with which a candidate is refused for itself, whatever the vault has; else ''."""
    for row in ROWS:
        verdict = None if row in _COMPARING else row(candidate, admission)
        if verdict is not None:
            return verdict.code
    return ""
