"""Turns of one conversation -> the record of it (schema `session`), without a model.

The goal is the first request in the person's words (`session_goal`). What is done stands in the
last message of each exchange (`closing_report`): what an agent supposed on the way is not read.
What a person objects to, or the agent takes back, is left out. What comes next, is in the way or
was begun is told by the end of the conversation alone, and goes when it is reported as done.

Guarantees: every item is a cut of one turn's words with the link to that turn, but for the kind
before names of files; equal turns give an equal record. No goal, no record.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from engram.extract.closing_report import plain_item, report_of
from engram.extract.exchanges import Exchange, exchanges_of
from engram.extract.key_changes import changes_of, has_changed
from engram.extract.session_goal import goal_of, only_states, request_in
from engram.extract.session_outcome import (
    complains,
    is_content,
    is_housekeeping,
    leaves,
    outcome_of,
)
from engram.extract.session_title import session_title, tags_of_goal
from engram.language.stop_words import TOPIC
from engram.model.instant import Instant
from engram.model.record import FieldValue, Record, made_record, receipt_in, with_receipt
from engram.model.text import overlap, words
from engram.model.turn import Turn

#: items of a list, of one report in it; of what is next in all
_MOST, _OF_ONE, _MOST_NEXT = 8, 5, 6
#: a program read it: what the agent reports is implied, never explicit
_CONFIDENCE = 0.69
#: reports of so many exchanges are read: what is older is in their changes
_LAST_REPORTS = 30
#: share of words by which two items tell the same
_SAME = 0.75
#: so many messages of an exchange that was cut off may report what is done
_LAST_MESSAGES = 3
#: the agent gives up what it said before
_TAKES_BACK = re.compile(
    r"(?:you['’]re (?:absolutely )?right|good catch|sorry)\b",
    re.IGNORECASE,
)


class SessionFound(NamedTuple):
    """The record of a conversation, the words of its goal, and what it comes from.

    `sources` are links of the turns that the goal and the items stand in, the goal's first;
    `message` is the digest of the goal's turn, `created` its time, `last` that of the last turn.
    """

    record: Record
    quote: str
    sources: tuple[str, ...]
    message: str
    created: Instant
    last: Instant


#: lists that tell of work done, or to be done
_OF_WORK = ("completed", "blockers", "next_actions", "key_changes")


class _Told(NamedTuple):
    """An item and the turn that says it."""

    words: str
    turn: Turn

    @property
    def item(self) -> str:
        return with_receipt(self.words, _link(self.turn))


def session_of(turns: Sequence[Turn]) -> SessionFound | None:
    """The record of a conversation; None where its goal cannot be told.

    What only states something is the goal of work that follows, and of nothing else.
    """
    exchanges = exchanges_of(turns)
    goal = goal_of(exchanges)
    if goal is None:
        return None
    changes = [with_receipt(words, link) for words, link in changes_of(turns)]
    done = _done(exchanges)
    fields: dict[str, FieldValue] = {
        "goal": goal.text,
        "outcome": outcome_of(exchanges, goal.text),
        "completed": _items(done),
        "in_progress": _items(_in_progress(exchanges)),
        "blockers": _items(_blockers(exchanges)),
        "next_actions": _items(_next_actions(exchanges)),
        "key_changes": tuple(changes),
    }
    if not any(fields[name] for name in _OF_WORK) and only_states(goal):
        return None
    record = made_record(
        "session",
        fields,
        title=session_title(goal, turns, [one.words for one in done]),
        tags=tags_of_goal(goal, turns),
        confidence=_CONFIDENCE,
    )
    lists = ("completed", "in_progress", "blockers", "next_actions", "key_changes")
    links = [receipt_in(item) for name in lists for item in record.items(name)]
    sources = tuple(dict.fromkeys([_link(goal.turn), *filter(None, links)]))
    last = max(turn.time for turn in turns)
    return SessionFound(record, goal.quote, sources, goal.turn.message, goal.turn.time, last)


def _link(turn: Turn) -> str:
    return f"{turn.transcript}#^{turn.block}"


def _items(told: Iterable[_Told]) -> tuple[str, ...]:
    return tuple(one.item for one in told)


def _done(exchanges: Sequence[Exchange]) -> list[_Told]:
    """What is done, the last first in choice, in order."""
    found: list[list[_Told]] = []
    left = _MOST
    for at in range(len(exchanges) - 1, max(-1, len(exchanges) - 1 - _LAST_REPORTS), -1):
        if not left:
            break
        if _is_taken_back(exchanges[at + 1 : at + 2]) or not exchanges[at].spoken:
            continue
        told = _of_exchange(exchanges[at])[: min(left, _OF_ONE)]
        known = [one.words for group in found for one in group]
        told = [one for one in told if not _is_among(one.words, known)]
        found.append(told)
        left -= len(told)
    return [one for group in reversed(found) for one in group]


def _of_exchange(exchange: Exchange) -> list[_Told]:
    """What the end of an exchange reports; of one that was cut off what its last messages do."""
    spoken, report = exchange.spoken, exchange.report
    if report.done or not report.goes_on:
        return [_Told(item, spoken[-1]) for item in report.done]
    before = spoken[-_LAST_MESSAGES:-1]
    return [_Told(item, turn) for turn in before for item in report_of(turn.text).done]


def _is_taken_back(following: Sequence[Exchange]) -> bool:
    """Whether the next exchange puts in doubt what was reported."""
    for one in following:
        if one.is_typed and one.asked is not None and complains(one.asked.text):
            return True
        return bool(one.spoken) and _TAKES_BACK.match(one.spoken[0].text.strip()) is not None
    return False


def _in_progress(exchanges: Sequence[Exchange]) -> list[_Told]:
    """What the agent was at when the conversation ended, and the request that nobody answered."""
    last = exchanges[-1]
    found = [_Told(item, last.spoken[-1]) for item in last.report.begun]
    return [*found, *_unanswered(exchanges, complaint=False)][:_MOST]


def _blockers(exchanges: Sequence[Exchange]) -> list[_Told]:
    """What is in the way at the end."""
    last = exchanges[-1]
    blocked = [] if has_changed(last.tools) else last.report.blocked
    found = [_Told(item, last.spoken[-1]) for item in blocked]
    return [*found, *_unanswered(exchanges, complaint=True)][:_MOST]


def _unanswered(exchanges: Sequence[Exchange], *, complaint: bool) -> list[_Told]:
    """What the person said last, where no answer follows and it is not the goal itself."""
    turn = exchanges[-1].asked
    if turn is None or exchanges[-1].answers or len(exchanges) < 2:
        return []
    if is_content(turn.text) or leaves(turn.text):
        return []
    asked = request_in(turn)
    if asked is None or complains(turn.text) != complaint:
        return []
    if not complaint and only_states(asked):
        return []
    return [_Told(plain_item(asked.quote), turn)]


def _next_actions(exchanges: Sequence[Exchange]) -> list[_Told]:
    """What comes next: as last listed, and what the agent asks at the end."""
    at = len(exchanges) - 1
    while at > 0 and not exchanges[at].report.next and is_housekeeping(exchanges[at]):
        at -= 1
    since = [item for one in exchanges[at + 1 :] for item in one.report.done]
    found = [_Told(one, exchanges[at].spoken[-1]) for one in exchanges[at].report.next]
    found = [one for one in found if not _is_among(one.words, since)]
    last = exchanges[-1]
    if not last.interrupted:
        found += [_Told(item, last.spoken[-1]) for item in last.report.asked]
    return found[:_MOST_NEXT]


def _is_among(item: str, others: Iterable[str]) -> bool:
    """Whether the words of an item that name something are mostly those of one of the others."""
    said = _telling(item)
    return any(overlap(said, _telling(other)) >= _SAME for other in others)


def _telling(item: str) -> set[str]:
    return {word for word in words(item) if word not in TOPIC}
