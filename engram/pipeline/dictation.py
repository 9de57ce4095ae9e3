"""Dictation: words that a person asks to remember -> one memory with a receipt, or a refusal.

They are the person's own: nothing of them is a guess, and no model is asked. What is never stored,
whoever says it, is refused here for every text that comes in by hand (`refuse_text`). Refuses by
BadInput; no text that was refused is repeated.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from engram.capture.accept import cleaned, legible
from engram.model.change import Plan, Range
from engram.model.errors import BadInput, StorageError
from engram.model.ids import slug
from engram.model.instant import day_of
from engram.model.memory import CATEGORIES
from engram.model.refusal_codes import is_private, meaning, of_policy
from engram.model.report import Remembered
from engram.model.turn import turn_of
from engram.pipeline.first_pages import first_pages
from engram.pipeline.writing import writing

if TYPE_CHECKING:
    from engram.capture.redact.redactor import Redactor
    from engram.model.candidate import Candidate
    from engram.model.instant import Instant
    from engram.model.memory import Memory
    from engram.model.turn import Turn
    from engram.model.verdict import Verdict
    from engram.pipeline.ports import Ports

_PLAINLY = "say it as a plain statement"
#: what helps who is refused by the policy
_ASK_POLICY = "`engram policy show` tells what is kept"


def remember(text: str, category: str, project: str, ports: Ports) -> Remembered:
    """One explicit memory in the person's words. Raises BadInput for what is refused."""
    # imported here: a vault that is only read needs none of its patterns
    from engram.language.hidden_text import without_hidden_signs

    redactor = ports.redactor
    if category and category not in CATEGORIES:
        named = redactor.redact(category).text
        raise BadInput(f"there is no category {named!r}", f"one of {', '.join(CATEGORIES)}")
    now, words = ports.clock.now(), " ".join(without_hidden_signs(legible(text)).split())
    if not words:
        raise BadInput("there is nothing to remember", "give the text as an argument")
    if (harm := harm_in_words(words, redactor))[0]:
        place = slug(project) if project and redactor.clean(project) else ""
        log_refusal(unheard(words, category or "fact", place, now), *harm, ports)
        raise _harmful(harm[0])
    turn = turn_of("user", words, now, source="remember", session=day_of(now), project=project)
    turn = cleaned(turn, redactor)[0].in_zone(ports.timezone)
    ports.check_writable()
    # once without the lock: what deciding loads and compiles takes longer than all that follows
    with suppress(StorageError):  # a catalog that is broken is made anew under the lock
        found, _, plan = _decided(turn, category, ports)
        if is_private(found.code):
            with ports.committer.lock():
                ports.committer.commit(plan)  # the event, and nothing that was said
            raise BadInput(f"refused: {found.code} ({meaning(found.code)})", _ASK_POLICY)
    with writing(ports):
        verdict, memory = dictate(turn, category, ports)
        stands = ports.view.memory(memory.id) if memory is not None else None
        if stands is None:
            why = f"refused: {verdict.code} ({meaning(verdict.code)})"
            raise BadInput(why, _ASK_POLICY if of_policy(verdict.code) else _PLAINLY)
        return Remembered(verdict.decision, verdict.code, stands)


def harm_in_words(words: str, redactor: Redactor) -> tuple[str, str]:
    """Why a text is never stored, whoever says it: a code and the rule that found it; or ''."""
    # imported here: a vault that is only read needs none of its patterns
    from engram.admit.gate.sensitivity import tells_of_another
    from engram.admit.secret_rule import secret_rule
    from engram.language.agent_orders import injection

    if tells_of_another(words):
        return "personal", ""
    if rule := secret_rule(words, redactor.clean):
        return "privacy_deny_sensitive", rule
    return injection(words), ""


def refuse_text(words: str, redactor: Redactor) -> None:
    """Raise BadInput for what is never stored, whoever says it."""
    if code := harm_in_words(words, redactor)[0]:
        raise _harmful(code)


def _harmful(code: str) -> BadInput:
    refused = "SECURITY_ERROR"
    if code == "personal":
        return BadInput(
            "this is somebody else's health, pay or number; it was not written",
            "say what you want to mind, without it", code=refused,
        )  # fmt: skip
    if code == "privacy_deny_sensitive":
        return BadInput(
            "this holds a secret; it was not written", "say it without the secret", code=refused
        )
    return BadInput(
        f"refused: {code} ({meaning(code)}); it was not written", _PLAINLY, code=refused
    )


def unheard(words: str, category: str, project: str, now: Instant) -> Candidate:
    """The candidate for words by hand that are refused before anything of them is captured."""
    from engram.model.candidate import Candidate, Receipt

    space = "project" if project else "user"
    receipt = Receipt("", "", "", "user", now)
    return Candidate(category, words, receipt, 1.0, project=project, space=space, origin="person")


def log_refusal(candidate: Candidate, code: str, rule: str, ports: Ports) -> None:
    """Leave the event of a refusal by hand, and nothing else."""
    # imported here: a vault that is only read needs none of it
    from engram.admit.refusal_event import denial
    from engram.model.verdict import Verdict

    ports.check_writable()
    with ports.committer.lock():
        event = denial(Verdict("refuse", code, candidate, denied_by=rule))
        ports.committer.commit(Plan("refuse", events=(event,)))


def dictated(
    turn: Turn, category: str, kind: str, importance: float, guess: Candidate | None
) -> Candidate:
    """The candidate for what a person asks to remember: the words as given, and full confidence.

    Only relative dates become days, as in what is extracted, and words that ask for a space are
    left out. What the rules make of the same words (`guess`) lends tags, entities, slot and dates.
    """
    from engram.extract.receipt import receipt_of
    from engram.language.anchor import anchored
    from engram.language.promotion_hints import asked_statements
    from engram.model.candidate import Candidate

    receipt = receipt_of(turn, turn.text)
    asked = asked_statements(turn.text)
    said, wish = turn.text, guess.wish if guess is not None else None
    if len(asked) == 1 and wish is not None:
        said = turn.text[asked[0].start : asked[0].end]
    text = anchored(said, turn.day)
    base = guess or Candidate(category, text, receipt, 1.0)
    told = replace(
        base,
        category=category,
        text=text,
        receipt=receipt,
        importance=importance,
        kind="episode" if kind == "episode" else "note",
        project=turn.project,
        space="project" if turn.project else "user",
        # of which project it would be, nobody said
        wish=None if wish is not None and wish.space == "project" and not turn.project else wish,
    )
    return vouched(told)


def vouched(candidate: Candidate) -> Candidate:
    """A candidate as the person's own: nothing of it is a guess."""
    return replace(
        candidate,
        confidence=1.0,
        importance=max(candidate.importance, 0.5),
        authority="user_asserted",
        origin="person",
        voice="typed",
        rule="",
        fault="",
    )


def dictate(turn: Turn, category: str, ports: Ports) -> tuple[Verdict, Memory | None]:
    """Take in a turn and what it asks to remember, in one transaction; the verdict, the memory.

    Without a category it is what the rules make of the words, else a fact. No model is asked: a
    person who dictates waits for no network, and needs no key.
    """
    from engram.pipeline.ingest import take_in

    taken = take_in([turn], ports, again=True)
    verdict, memory, plan = _decided(turn, category, ports)
    ack: tuple[Range, ...] = ((taken.first, taken.last),) if taken.new else ()
    ports.committer.commit(plan._replace(ack=ack))
    return verdict, memory


def _decided(
    turn: Turn, category: str, ports: Ports
) -> tuple[Verdict, Memory | None, Plan]:  # fmt: skip
    # imported here: a person who decides about memories extracts nothing
    from engram.admit.admission_context import AdmissionContext
    from engram.admit.decide import admit
    from engram.admit.draft import AdmissionDraft
    from engram.extract.classify import memory_kind, score_importance

    guesses = ports.rules.extract([turn])
    guess = guesses[0] if len(guesses) == 1 else None
    chosen = category or (guess.category if guess else "fact")
    kind = memory_kind(chosen, turn.text, ())
    importance = score_importance(turn.text, chosen, ())
    now = ports.clock.now()
    draft = AdmissionDraft(ports.view, ports.terms, now)
    admission = AdmissionContext(
        draft.view, ports.redactor.clean, ports.settings, now, ports.judge, policy=ports.policy
    )
    verdict = admit(dictated(turn, chosen, kind, importance, guess), admission)
    memory = draft.enter(verdict)
    changes = [*ports.writer.changes(draft.born, draft.amended), *first_pages(draft.born, ports)]
    return verdict, memory, Plan("remember", tuple(changes), tuple(draft.events))


def refuse_added(before: bytes, after: bytes, redactor: Redactor) -> None:
    """Raise BadInput for a secret, or an order to an agent, in lines that were not there before."""
    known = set(before.decode("utf-8", "replace").splitlines())
    lines = after.decode("utf-8", "replace").splitlines()
    added = [line for line in lines if line.strip() and line not in known]
    for text in dict.fromkeys(["\n".join(added), *added]):
        refuse_text(text, redactor)
