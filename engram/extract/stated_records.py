"""Turns of one conversation -> the debts and runbooks that they state, without a model.

    "let's leave the retry out for now because the vendor's api changes"  -> a debt with its reason
    a failure that the person tells, then its cause, its fix, a check     -> a runbook

The patterns are those of `stated_fields`. Precision before recall: hedged sentences state nothing,
a debt has a reason, a runbook has all four parts, each with a verbatim receipt; only typed words
and, for a runbook, an agent's count. Decisions and preferences are the rules' own, with sections
that their sentences fill. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from engram.extract.receipt import receipt_of
from engram.extract.rules.guards import objections
from engram.extract.stated_fields import StatedPatterns, plain
from engram.extract.voice import voices_of
from engram.language.anchor import anchored
from engram.language.keywords import tags_of
from engram.language.own_ranges import own_ranges
from engram.language.own_statements import statements
from engram.language.third_person import third_person
from engram.model.candidate import Receipt
from engram.model.markdown import code_lines
from engram.model.ports import Heard
from engram.model.record import FieldValue, made_record
from engram.model.record_draft import RecordDraft
from engram.model.schemas import SCHEMA_TABLE
from engram.model.sentences import sentence_ranges
from engram.model.text import first_line
from engram.model.turn import Turn

#: what one speaker tells of a failure
_TOLD = ("cause", "fix", "check")
#: what rules are sure of, in the person's words and in an agent's
_TYPED, _AGENTS = 0.75, 0.6
#: turns before a cause in which the failure is told; longer sentences are no statement
_LOOK_BACK, _LONGEST = 8, 400
#: what a person asks behind the failure that they tell
_ASKING = re.compile(r"[,;.]? (?:can|could|would|will) you\b.*|[,;]? (?:please|pls)\b.*", re.I)


class _StatedSentence(NamedTuple):
    """A sentence of a turn: its place, its words, and what a pattern names in them."""

    turn: int
    quote: str
    what: str


def stated_drafts(
    turns: Sequence[Turn], patterns: StatedPatterns, heard: Heard
) -> list[RecordDraft]:
    """The debts and runbooks that the turns of one conversation state, in order."""
    found = [*_debts(turns, patterns), *_runbooks(turns, patterns)]
    return [one for one in found if _is_own(one, turns, heard)]


def _is_own(draft: RecordDraft, turns: Sequence[Turn], heard: Heard) -> bool:
    """Whether each receipt is typed, or an agent's in a draft that an agent may state."""
    voices = voices_of(draft.receipts, turns, heard)
    return all(voice == "typed" or voice == draft.voice for voice in voices)


def _debts(turns: Sequence[Turn], patterns: StatedPatterns) -> Iterator[RecordDraft]:
    for turn in turns:
        told = turn.role == "user" and patterns.may_hold("deferral", turn.text.lower())
        for sentence in statements(turn.text) if told else ():
            reason = patterns.at_start("deferral", sentence.said)
            # "for now" is what a debt is about
            if not reason or (objections(sentence.said) or {"passing"}) != {"passing"}:
                continue
            text = third_person(sentence.said)
            text = text if turn.guessed else anchored(text, turn.day)
            fields = {"description": text, "reason_deferred": plain(reason)}
            receipt = receipt_of(turn, turn.text[sentence.start : sentence.end])
            yield _draft("tech_debt", fields, (receipt,), turn, _TYPED)


def _runbooks(turns: Sequence[Turn], patterns: StatedPatterns) -> Iterator[RecordDraft]:
    texts = [turn.text.lower() for turn in turns]
    for first, last in _stretches(turns):
        if not all(_may_tell(name, texts[first:last], patterns) for name in _TOLD):
            continue
        parts = dict(_told_parts(turns, texts, range(first, last), patterns))
        if len(parts) < len(_TOLD):
            continue
        cause, fix, check = (parts[name] for name in _TOLD)
        failure = _failure(turns, cause, patterns)
        if failure is None:
            continue
        trigger = plain(failure.what)
        fields: dict[str, FieldValue] = {
            "summary": f"{trigger.rstrip('.!')} — {_lowered(plain(fix.what))}",
            "trigger": trigger,
            "steps": (plain(fix.what),),
            "verification": plain(check.what),
            "root_cause": plain(cause.what),
        }
        told_by = (receipt_of(turns[one.turn], one.quote) for one in (fix, cause, check, failure))
        receipts = tuple(dict.fromkeys(told_by))
        yield _draft("runbook", fields, receipts, turns[fix.turn], _AGENTS)


def _stretches(turns: Sequence[Turn]) -> Iterator[tuple[int, int]]:
    """The turns in which one speaker tells all: an agent's in a row, or one of a person."""
    start = 0
    for at, turn in enumerate(turns):
        if turn.by_person:
            if start < at:
                yield start, at
            yield at, at + 1
            start = at + 1
    if start < len(turns):
        yield start, len(turns)


def _told_parts(
    turns: Sequence[Turn], texts: Sequence[str], places: range, patterns: StatedPatterns
) -> Iterator[tuple[str, _StatedSentence]]:
    """The first sentence for each part of a runbook, up to the first part that is not told.

    Most of what is told is no runbook: turns and lines without a word of a part are not split.
    """
    for name in _TOLD:
        wanted = partial(patterns.may_hold, name)
        told = (
            one._replace(what=what)
            for at in places
            if wanted(texts[at])
            for one in _sentences(at, turns[at], wanted)
            if (what := patterns.at_start(name, one.quote))
        )
        found = next(told, None)
        if found is None:
            return
        yield name, found


def _may_tell(name: str, texts: Sequence[str], patterns: StatedPatterns) -> bool:
    return any(patterns.may_hold(name, text) for text in texts)


def _sentences(
    place: int, turn: Turn, wanted: Callable[[str], bool] = bool
) -> Iterator[_StatedSentence]:
    """The sentences of a turn without code; of a person what they said themselves.

    Only of lines and paragraphs that are `wanted`, which is given them in lower case.
    """
    if turn.by_person:
        ranges = [] if turn.program else own_ranges(turn.text)
    else:
        ranges, at = [], 0
        lines = turn.text.split("\n")
        for line, code in zip(lines, code_lines(lines), strict=True):
            if not code and not line.startswith("#"):
                ranges.append((at, at + len(line)))
            at += len(line) + 1
    for first, last in ranges:
        if not wanted(turn.text[first:last].lower()):
            continue
        for start, end in sentence_ranges(turn.text, first, last):
            quote = turn.text[start:end].strip()
            if 0 < len(quote) <= _LONGEST:
                yield _StatedSentence(place, quote, quote)


def _failure(
    turns: Sequence[Turn], cause: _StatedSentence, patterns: StatedPatterns
) -> _StatedSentence | None:
    """The last sentence before a cause in which a person tells a failure."""
    for at in range(cause.turn, max(cause.turn - _LOOK_BACK, -1), -1):
        if turns[at].role != "user":
            continue
        for one in _sentences(at, turns[at]):
            said = _ASKING.sub("", one.quote)
            if patterns.holds("failure", said):
                return one._replace(what=said)
    return None


def _draft(
    schema: str, fields: Mapping[str, FieldValue], receipts: tuple[Receipt, ...], turn: Turn,
    confidence: float,
) -> RecordDraft:  # fmt: skip
    defaults = {one.name: one.default for one in SCHEMA_TABLE[schema].fields if one.default}
    record = made_record(schema, {**defaults, **fields})
    words = " ".join((record.statement, record.text("root_cause")))
    record = replace(
        record, title=first_line(record.statement, 80), tags=tags_of(words), confidence=confidence
    )
    return RecordDraft(
        record, "create", receipts, turn.project, confidence=confidence,
        voice="typed" if turn.by_person else "agent",
    )  # fmt: skip


def _lowered(text: str) -> str:
    """A text as it goes on behind a colon, unless it begins with a name or with code."""
    return text[0].lower() + text[1:] if text[1:2].islower() else text
