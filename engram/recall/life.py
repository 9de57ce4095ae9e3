"""Life of a memory: what is known of it -> sentences that a person reads, oldest first.

    turns, events, and who was given it  ->  (day, transaction, sentence)

Who said it, when, in which conversation; what was kept and by which rule; what it replaced or what
replaced it, and why that one stands; what a consolidation, an undo or an edit by hand did; how
often it was given. An event without a sentence is shown as it stands in the log. What happened
again is told once, with how often. Pure: what other memories say is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from engram.model.given import PERSON
from engram.model.instant import Day, Instant, local_day
from engram.model.item import event_type_of
from engram.model.shown import LifeLine
from engram.model.text import first_line
from engram.model.trace import (
    BORDER_CHECK,
    CONFLICT,
    DELETED,
    FORGET,
    PROMOTED,
    PROMOTION_DENIED,
    UNDONE,
    WHY,
    WRITE,
)
from engram.recall.history import REASONS
from engram.recall.plain_sentences import PLAIN, plain_sentence
from engram.recall.promotion_sentences import promotion_sentence, where_it_holds

if TYPE_CHECKING:
    from engram.model.change import Event
    from engram.model.memory import Memory

#: the source of what a person told the program itself
_TOLD = "remember"
_CONSOLIDATED = "consolidated"
#: characters of another memory's statement
_WIDTH = 80
_VOUCHED: Mapping[str, str] = {
    "ai_inferred": "what an agent concluded", "user_asserted": "what a person said",
    "tool_verified": "what a tool verified", "system_imposed": "what the system imposes",
}  # fmt: skip
_RUNGS: Mapping[str, str] = {
    "authority": "its source has the higher authority",
    "correction": "a correction stands above what was said before",
    "recency": "it was said later",
    "importance": "it is the more important of the two",
}
#: what a consolidation did, by its action
_ACTIONS: Mapping[str, str] = {
    "merge": "merged another memory into it",
    "supersede": "replaced another memory by it",
    "dispute": "found that another memory contradicts it; `engram review` asks which holds",
    "settle": "found that nothing contradicts it any more",
    "renew": "renewed its term",
    "review": "put it up for review",
    "expire": "took it out of use",
    "archive": "put it into the archive",
    "retire": "took it out of use",
    "collect": "moved its file away",
    "refuse": "would have made a fact of it, which the policy denies",
    "date": "noted since when it is out of use",
}
#: what a consolidation made of it, by its pass
_MADE: Mapping[str, str] = {
    "profile": "took it up into the profile", "summaries": "told it in a summary",
}  # fmt: skip
#: codes of a replacement that the person decided
_DECIDED = frozenset({"by_hand", "resolved"})
_EDITS: Mapping[str, str] = {
    "created": "You wrote its file by hand", "edited": "You edited its file",
    "moved": "You moved its file", "removed": "You removed its file",
}  # fmt: skip
_ENDS: Mapping[str, str] = {
    "forgotten": "You forgot it, and the turns that it came from",
    "retired": "You retired it",
    "archived": "You put it into the archive",
    "promoted": "It was taken over into another space",
    "expired": "Its term was over",
}
#: an event that says no more than another one of its transaction
_IMPLIED: Mapping[str, frozenset[str]] = {
    FORGET: frozenset({DELETED}),
    CONFLICT: frozenset({DELETED}),
    UNDONE: frozenset({DELETED, WRITE}),
    BORDER_CHECK: frozenset({PROMOTED, PROMOTION_DENIED}),
    _CONSOLIDATED: frozenset({DELETED, WRITE}),
}
#: the events with a sentence
TOLD = frozenset(
    (
        WRITE,
        DELETED,
        CONFLICT,
        PROMOTED,
        PROMOTION_DENIED,
        BORDER_CHECK,
        "memory_confirmed",
        "hand_edit",
        UNDONE,
        _CONSOLIDATED,
        *PLAIN,
    )
)


class SourceTurn(NamedTuple):
    """A turn behind a memory; all but the link is empty where nothing shows it any more.

    `speaker` is a name where the conversation names people.
    """

    link: str
    time: Instant = ""
    role: str = ""
    speaker: str = ""
    source: str = ""
    title: str = ""


class Happened(NamedTuple):
    """An event, and its transaction: number, time, kind (`extract`), batch, policy's digest."""

    number: int
    time: Instant
    kind: str
    batch: str
    policy: str
    event: Event


class GivenCount(NamedTuple):
    """Who was given it, how often, and when last."""

    by: str
    times: int
    last: Instant


@dataclass(frozen=True, slots=True)
class LifeEvidence:
    """What is known of a memory: its turns, its events, and those of others that name it.

    `other` gives another memory by its id, None where there is none; `policy` what the policy of a
    digest said, empty where that is not known.
    """

    memory: Memory
    heard: Sequence[SourceTurn]
    happened: Sequence[Happened]
    other: Callable[[str], Memory | None]
    policy: Callable[[str], Mapping[str, object]] = lambda digest: {}
    given: Sequence[GivenCount] = ()


def life(evidence: LifeEvidence, timezone: str) -> tuple[LifeLine, ...]:
    """The sentences, oldest first; days are those of `timezone`, `""` where none is known."""
    sentences = _Sentences(evidence)
    found: list[tuple[Instant, int, str]] = []
    for one in evidence.heard[:1]:
        found.append((one.time or evidence.memory.created, 0, sentences.said_first(one)))
    ordered = sorted(evidence.happened, key=lambda one: one.number)
    for number, happened in groupby(ordered, lambda one: one.number):
        deed = _Deed(list(happened))
        texts = dict.fromkeys(sentences.of_deed(deed))
        found += [(deed.happened[0].time, number, text) for text in texts]
    found += [(one.last, 0, sentences.given(one)) for one in evidence.given]
    return _once(found, timezone)


def _once(found: Sequence[tuple[Instant, int, str]], timezone: str) -> tuple[LifeLine, ...]:
    """One line for what happened several times on end, with how often and when last."""
    lines = []
    for text, group in groupby(found, lambda one: one[2]):
        same = list(group)
        first, last = (_day(time, timezone) for time in (same[0][0], same[-1][0]))
        often = f" ({len(same)} times, the last on {last})" if len(same) > 1 else ""
        lines.append(LifeLine(first, same[0][1], f"{text}{often}."))
    return tuple(lines)


class _Deed:
    """The events of one transaction that concern a memory."""

    def __init__(self, happened: Sequence[Happened]) -> None:
        self.happened = happened
        self.batch, self.policy = happened[0].batch, happened[0].policy

    def details(self, name: str, subject: str) -> Mapping[str, str]:
        """The details of the first event of a name about a memory; empty without one."""
        found = (one.event for one in self.happened)
        return next((dict(one.details) for one in found if one[:2] == (name, subject)), {})


class _Sentences:
    """Sentences about one memory, without the full stop."""

    def __init__(self, evidence: LifeEvidence) -> None:
        self._evidence = evidence
        self._memory = evidence.memory
        self._heard = {one.link: one for one in evidence.heard}

    def said_first(self, one: SourceTurn) -> str:
        """Who said it, in which conversation."""
        return self._said(one) if one.role else "It was said where no transcript shows it any more"

    def given(self, one: GivenCount) -> str:
        """How often somebody was given it."""
        who = "You were" if one.by == PERSON else f"{one.by} was"
        return f"{who} given it {'once' if one.times == 1 else f'{one.times} times until then'}"

    def of_deed(self, deed: _Deed) -> Iterator[str]:
        """What a transaction did with it."""
        own = [one.event for one in deed.happened if one.event.subject == self._memory.id]
        names = {event.name for event in own}
        others = [one.event for one in deed.happened if one.event.subject != self._memory.id]
        told = [text for event in others for text in self._of_another(event, deed)]
        for event in own:
            implied = _IMPLIED.get(event.name, frozenset()) & names
            if event.name == DELETED or implied:
                continue
            if not (told and event.name == _CONSOLIDATED and _of_two(event)):
                yield self._own(event, deed)
        yield from told  # what took its place in the same step came after what it replaced
        yield from (self._own(event, deed) for event in own if event.name == DELETED)

    def _own(self, event: Event, deed: _Deed) -> str:
        details = dict(event.details)
        why = f": {details[WHY]}" if details.get(WHY) else ""
        if event.name == WRITE:
            return self._kept(details, deed)
        if event.name == DELETED:
            return self._gone(details, deed) + why
        if event.name == CONFLICT:
            winner = details.get("winner", "")
            because = self._because(self._memory.id, winner, details.get("rule", ""))
            return f"{self._named(winner)} stands against it{because}"
        if event.name == "memory_confirmed":
            heard = self._heard.get(details.get("source", ""))
            return "You confirmed it" if heard is None else self._said(heard, " again")
        if event.name == UNDONE:
            return f"{_undoing(details)}: its file was {details.get('what', 'changed')}"
        if event.name in (PROMOTED, PROMOTION_DENIED):
            return promotion_sentence(event.name, details, self._named)
        if event.name == "hand_edit":
            return _EDITS.get(details.get("what", ""), "Its file changed")
        if event.name == _CONSOLIDATED:
            action, task = details.get("action", ""), details.get("task", "")
            if task in _MADE:  # why the whole page was written says nothing of one memory
                return f"A consolidation {_MADE[task]}"
            return f"A consolidation {_ACTIONS.get(action, action)}{why}"
        if event.name in PLAIN:
            return plain_sentence(event.name, details, self._named) + why
        return " ".join((event.name, *(f"{key}={value}" for key, value in event.details)))

    def _kept(self, details: Mapping[str, str], deed: _Deed) -> str:
        if details.get("reason") == UNDONE:
            return f"{_undoing(deed.details(UNDONE, self._memory.id))}: it is in use again"
        rule, origin = details.get("rule", ""), details.get("origin", "")
        by = {
            "rules": f", found by the rule “{rule}”" if rule else ", found by rules",
            "model": ", found by a model", "person": ", as you asked",
            "consolidation": ", made by a consolidation",
        }.get(origin, "")  # fmt: skip
        category = details.get("category") or self._memory.category
        article = "an" if category[:1] in "aeiou" else "a"
        kept = f"It was kept as {article} {category}{by}"
        if details.get("code") == "session":
            kept = "The record of the conversation was kept"
        if details.get("wish"):
            kept += f"; you asked for it to hold {where_it_holds(details)}"
        batch = f" ({deed.batch})" if deed.batch else ""
        left = f"; left out: {details['left_out']}" if details.get("left_out") else ""
        return f"{kept}{batch}{left}{self._allowed(deed.policy)}"

    def _allowed(self, digest: str) -> str:
        """The policy under which it was let in; its tags in words."""
        if not digest:
            return ""
        whole = self._evidence.policy(digest)
        spaces = whole.get("space")
        own = spaces.get(self._memory.space) if isinstance(spaces, dict) else None
        said = {**whole, **own} if isinstance(own, dict) else whole
        told = [f"write policy “{said['write_policy']}”"] if "write_policy" in said else []
        if said.get("allow_event_types") or said.get("deny_event_types"):
            kind = event_type_of(self._memory.category, self._memory.schema)
            told.append(f"event type “{kind}”")
        if not told:  # its snapshot is lost
            return f"; the policy {digest} allowed it"
        return f"; the policy allowed it: nothing private in it, {', '.join(told)}"

    def _gone(self, details: Mapping[str, str], deed: _Deed) -> str:
        """Why it left what is in use."""
        reason, me = details.get("reason", ""), self._memory.id
        step = deed.details(_CONSOLIDATED, me)
        why = f": {step[WHY]}" if step.get(WHY) else ""
        if reason == UNDONE:
            return f"{_undoing(deed.details(UNDONE, me))}: it is not in use any more"
        if reason == "superseded":
            by = details.get("replaced_by") or "".join(self._memory.superseded_by[:1])
            if step.get("action") == "merge":
                return f"A consolidation merged it into {self._named(by)}{why}"
            if details.get("code") in _DECIDED:
                return f"You put {self._named(by)} in its place"
            rule = deed.details(CONFLICT, me).get("rule", "")
            because = self._because(me, by, rule, details.get("code", ""))
            who = "A consolidation replaced it by" if step else "It was replaced by"
            return f"{who} {self._named(by)}{because}{why}"
        if step:
            return f"A consolidation {_ACTIONS.get(step.get('action', ''), 'ended it')}{why}"
        if reason == "retired" and details.get("source"):
            heard = self._heard.get(details["source"])
            where = f": {self._said(heard)}" if heard is not None else ""
            return f"It was said that it is over{where}"
        return _ENDS.get(reason, f"It left what is in use ({reason})")

    def _of_another(self, event: Event, deed: _Deed) -> Iterator[str]:
        """What an event of another memory says of this one."""
        details, me, other = dict(event.details), self._memory.id, event.subject
        if event.name == "memory_disputed" and details.get("by") == me:
            yield f"It contradicts {self._named(other)}; `engram review` asks which holds"
        if event.name == DELETED and details.get("replaced_by") == me:
            step = deed.details(_CONSOLIDATED, other)
            why = f": {step[WHY]}" if step.get(WHY) else ""
            if step.get("action") == "merge":
                yield f"A consolidation merged {self._named(other)} into it{why}"
                return
            if details.get("code") in _DECIDED:
                yield f"You put it in the place of {self._named(other)}"
                return
            rule = deed.details(CONFLICT, other).get("rule", "")
            because = self._because(other, me, rule, details.get("code", ""))
            yield f"It replaced {self._named(other)}{because}{why}"

    # -- words ---------------------------------------------------------------------------------

    def _said(self, one: SourceTurn, again: str = "") -> str:
        who = one.speaker or ("You" if one.role == "user" else one.source or "An agent")
        if one.source == _TOLD:
            return f"{who} told it to engram{again}"
        title = f" “{one.title}”" if one.title else ""
        return f"{who} said it{again} in the conversation{title} ({one.link.partition('#')[0]})"

    def _because(self, loser: str, winner: str, rule: str, code: str = "") -> str:
        """Why one of two statements stands: by the rung of the ladder, else by a code."""
        if rule == "authority":
            ours, theirs = (self._vouched(name) for name in (winner, loser))
            if ours and theirs and ours != theirs:
                return f", because {ours} stands above {theirs}"
        if rule in _RUNGS:
            return f", because {_RUNGS[rule]}"
        return f": {REASONS[code]}" if code in REASONS else ""

    def _vouched(self, name: str) -> str:
        found = self._memory if name == self._memory.id else self._evidence.other(name)
        return _VOUCHED.get(found.authority, "") if found is not None else ""

    def _named(self, names: str) -> str:
        """Other memories by what they say; one that is gone by its id."""
        found = ((name, self._evidence.other(name)) for name in names.split())
        said = (f"“{first_line(one.text, _WIDTH)}”" if one else name for name, one in found)
        return " and ".join(said) or "another memory"


def _of_two(event: Event) -> bool:
    """Whether a step was about two memories, so that the other one's events tell it too."""
    return dict(event.details).get("action") in ("merge", "supersede", "dispute")


def _undoing(details: Mapping[str, str]) -> str:
    """`undoes` has numbers of transactions, or the name of a batch."""
    what = details.get("undoes", "")
    if not what:
        return "A change was undone"
    *before, last = what.split()
    if not all(map(str.isdecimal, (*before, last))):
        return f"You undid {what}"
    return (
        f"You undid changes {', '.join(before)} and {last}"
        if before
        else f"You undid change {last}"
    )


def _day(time: Instant, timezone: str) -> Day:
    return local_day(time, timezone) if time else ""
