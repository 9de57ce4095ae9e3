"""A conversation that triage picked out -> drafts of records, by one question to a model.

    scores -> question -> answer -> drafts with receipts -> what the excerpt says -> a second model

Guarantees: one question for all schemas together, and one to the checking model if there is one;
every draft has a verbatim receipt; a statement that the excerpt does not bear out blocks its draft,
a field goes alone. An agent's choice that the person did not take up is proposed, not accepted;
preferences are the person's alone; a runbook has steps and a check. Failures of the model are
raised (ModelError, BudgetExceeded): nothing was drafted, and it may be asked again. Whether a draft
is new, and what becomes of it, is for admission to say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from engram.extract.llm.draft_check import DraftCheck
from engram.extract.llm.record_answer import AnsweredRecord, answered
from engram.extract.llm.record_prompt import RecordPrompt, RecordQuestion
from engram.extract.triage import TriagePatterns, triage
from engram.extract.verified_fields import ShownExcerpt, verified
from engram.extract.voice import voices_of
from engram.language.anchor import anchored
from engram.language.wording import telling, terms_of
from engram.model.candidate import TRUST, Receipt, Voice
from engram.model.memory import SESSION, Memory
from engram.model.model_request import Request
from engram.model.ports import Heard, Model
from engram.model.record import Record, made_record, record_of
from engram.model.record_draft import RecordDraft
from engram.model.records_found import (
    INCOMPLETE,
    LOW_TRUST,
    NO_EXCERPT,
    NO_ROOM,
    UNTRUE,
    DraftFound,
    RecordFault,
    RecordsFound,
)
from engram.model.schema_score import SchemaScore
from engram.model.sentences import sentences_around
from engram.model.turn import Turn

#: the schema that only the person's words may fill
_OF_PERSON = "preference"
#: what only an agent says is no more than inferred
_INFERRED = 0.69
#: so many words of a statement make a quote one of the statement
_TAKEN_UP = 2


class RecordTier:
    """The RecordAsker that asks a model."""

    def __init__(
        self, patterns: TriagePatterns, prompt: RecordPrompt, model: Model,
        heard: Callable[[], Heard], check: DraftCheck | None = None,
    ) -> None:  # fmt: skip
        self._patterns = patterns
        self._prompt = prompt
        self._model = model
        self._heard = heard
        self._check = check

    def request(self, turns: Sequence[Turn], known: Sequence[Memory]) -> Request | None:
        """The question that `drafts` would ask; None where it asks nothing."""
        asked = self._question(self._triggered(turns), turns, known)
        return asked.request if asked else None

    def drafts(self, turns: Sequence[Turn], known: Sequence[Memory]) -> RecordsFound:
        """The drafts of a conversation; none, and nothing asked, where nothing points to any."""
        triggered = self._triggered(turns)
        asked = self._question(triggered, turns, known)
        warned = _left_out(triggered, asked)
        if asked is None:
            return RecordsFound((), tuple(warned))
        reply = self._model.ask(asked.request)
        items, faults = answered(reply.value, asked, turns)
        heard, shown = self._heard(), _shown(asked, turns)
        found: list[DraftFound] = []
        for item in items:
            one = _drafted(item, turns, heard, shown)
            if isinstance(one, RecordFault):
                faults.append(one)
            else:
                found.append(one)
        if self._check is not None:
            found, checked = self._check.checked(found, asked.excerpt.text)
            faults += checked
        return RecordsFound(tuple(found), (*warned, *faults))

    def _triggered(self, turns: Sequence[Turn]) -> list[SchemaScore]:
        """The schemas that are to be drafted; sessions are made without a model.

        A preference that no line of a person points to would be refused: nobody pays for it.
        """
        scores = triage(turns, self._patterns)
        return [
            one
            for one in scores
            if one.triggers
            and one.schema != SESSION
            and (one.schema != _OF_PERSON or not one.hits or _by_person(one, turns))
        ]

    def _question(
        self, triggered: Sequence[SchemaScore], turns: Sequence[Turn], known: Sequence[Memory]
    ) -> RecordQuestion | None:
        return self._prompt.question(triggered, turns, known) if triggered else None


def _by_person(score: SchemaScore, turns: Sequence[Turn]) -> bool:
    return any(turns[hit.turn].by_person for hit in score.hits)


def _left_out(triggered: Sequence[SchemaScore], asked: RecordQuestion | None) -> list[RecordFault]:
    """The schemas that are to be drafted and are not asked about."""
    names = asked.schemas if asked else ()
    return [
        RecordFault(one.schema, NO_ROOM if one.hits else NO_EXCERPT)
        for one in triggered
        if one.schema not in names
    ]


def _shown(asked: RecordQuestion, turns: Sequence[Turn]) -> ShownExcerpt:
    told = [turns[place] for place in asked.excerpt.turns]
    known = (
        text
        for memory in asked.known
        for text in (memory.text, memory.title, *(text for _, text in memory.sections))
    )
    return ShownExcerpt(
        [asked.excerpt.text, *(turn.project for turn in told[:1]), *known],
        (turn.day for turn in told),
    )


def _drafted(
    item: AnsweredRecord, turns: Sequence[Turn], heard: Heard, shown: ShownExcerpt
) -> DraftFound | RecordFault:
    """The draft of an item, or why there is none."""
    voices = voices_of(item.receipts, turns, heard)
    receipts, voice = _ordered(item, voices)
    record, schema = item.record, item.record.schema
    held = record_of(item.known) if item.known else None
    if held is None or record.statement != held.statement:
        code = shown.untrue(record.statement, _sentences(receipts, turns), receipts)
        if code:
            return RecordFault(schema, UNTRUE, code)
    if schema == _OF_PERSON and TRUST[voice] < TRUST["typed"]:
        return RecordFault(schema, LOW_TRUST)
    left = verified(record, shown, receipts)
    record = _by_voice(left.record, voice, receipts[0])
    if item.action == "create" and schema == "runbook" and not _is_whole(record):
        return RecordFault(schema, INCOMPLETE)
    confidence = record.confidence if voice == "typed" else min(record.confidence, _INFERRED)
    first = next(turn for turn in turns if turn.message == receipts[0].message)
    draft = RecordDraft(
        replace(record, confidence=confidence), item.action, receipts, first.project,
        event=item.event, target=item.known.id if item.known else "", reason=item.why,
        origin="model", confidence=confidence, voice=voice,
    )  # fmt: skip
    return DraftFound(draft, left.advisories)


def _ordered(
    item: AnsweredRecord, voices: Sequence[Voice]
) -> tuple[tuple[Receipt, ...], Voice]:  # fmt: skip
    """The receipts with the person's words first, if they say the statement, and whose they are."""
    said = telling(terms_of(item.record.statement))
    for place, (one, voice) in enumerate(zip(item.receipts, voices, strict=True)):
        if voice == "typed" and len(said & telling(terms_of(one.quote))) >= _TAKEN_UP:
            others = (*item.receipts[:place], *item.receipts[place + 1 :])
            return (one, *others), voice
    # the person's words beside it, such as "yes", make it nobody's statement but the agent's
    others_first = sorted(
        zip(item.receipts, voices, strict=True), key=lambda pair: pair[1] == "typed"
    )
    receipts = tuple(one for one, _ in others_first)
    voice = others_first[0][1]
    return receipts, voice


def _by_voice(record: Record, voice: Voice, first: Receipt) -> Record:
    """The record with days for relative times, and with the state that its speaker may give it."""
    fields = dict(record.values)
    name = record.form.statement.name
    fields[name] = record.statement if first.guessed else anchored(record.statement, first.day)
    if record.schema == "decision" and voice != "typed" and fields.get("status") == "accepted":
        fields["status"] = "proposed"
    return made_record(
        record.schema, fields, title=record.title, tags=record.tags,
        related_files=record.related_files, confidence=record.confidence,
    )  # fmt: skip


def _is_whole(runbook: Record) -> bool:
    return bool(runbook.items("steps") and runbook.text("verification"))


def _sentences(receipts: Sequence[Receipt], turns: Sequence[Turn]) -> str:
    """The sentences that a draft quotes, on one line."""
    texts = {turn.message: turn.text for turn in turns}
    return " ".join(
        sentences_around(texts[one.message], one.quote) or one.quote for one in receipts
    )
