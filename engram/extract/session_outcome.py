"""Exchanges of a conversation -> how it ended: success, partial, blocked, abandoned.

The person's last word counts most ("still fails"), then the agent's last report; what was reported
before counts where housekeeping is all that followed. What is not sure is partial.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from engram.extract.exchanges import Exchange
from engram.extract.key_changes import has_changed

Outcome = Literal["success", "partial", "blocked", "abandoned"]

#: a person is content, and asks for nothing more
_CONTENT = re.compile(
    r"(?:(?:ok(?:ay)?|yes|yep|now|it)[\s,.!]+)*(?:(?:great|perfect|awesome|nice|good(?: job| work)?"
    r"|it works|works|works now|looks? good|thanks?(?: you)?(?: so much)?|danke)[\s,.!…]*)+",
    re.IGNORECASE,
)
_THANKS = re.compile(r"\b(?:thanks|thank you|danke)\b", re.IGNORECASE)
#: ... or is not
_COMPLAINS = re.compile(
    r"\b(?:still (?:not|broken)|(?:does|did|is|are|was)(?:n['’]?t| not) (?:correct|work\w*"
    r"|make (?:a lot of )?sense)|not (?:working|correct)|broken|broke|nope|now i get"
    r"|there was an (?:issue|error))\b|^no\b[,.]?",
    re.IGNORECASE,
)
#: an answer is all that is asked for
_ASKS = re.compile(
    r"\W*(?:(?:ok(?:ay)?|so|then|and|but|hmm|well),? )*(?:what|how|why|who|where|when|which|is"
    r"|are|do"
    r"|does|did|tell me|explain"
    r"|(?:can|could) you (?:explain|tell)|continue to explain|me explica|was|wie|warum)\b"
    r"|(?s:.*)(?:是什么|是否|在哪)[^\n]{0,12}$|.*\bhow (?:do|can"
    r"|does) (?:i|we|it|the)\b",
    re.IGNORECASE,
)
_TASK = re.compile(r"\b(?:can|could|would|will) you\b(?! (?:explain|tell))", re.IGNORECASE)
#: the repository is put in order, and nothing else is asked
_KEEPS = re.compile(
    r"(?:(?:ok(?:ay)?|yes|now|great|please|then|and|can you|could you|let['’]?s|lets"
    r"|good)[,.]? )*(?:commit|push|merge|rebase"
    r"|pull|get back to|go back to|switch)\b.{0,80}",
    re.IGNORECASE | re.DOTALL,
)
#: a person leaves, and asks for nothing any more
_LEAVES = re.compile(
    r"(?:(?:ok(?:ay)?|good|great|thanks|let['’]?s|lets|we can|i['’]?ll)[,.]? )*"
    r"(?:leave it|stop|call it a day|that['’]?s (?:it|all)|enough|go on tomorrow"
    r"|continue tomorrow)\b.{0,40}",
    re.IGNORECASE,
)
#: the host of the agent is asked for something, with nothing said
_COMMAND = re.compile(r"/[\w:-]+")


def is_content(text: str) -> bool:
    """Whether a person says no more than that they are content."""
    return _CONTENT.fullmatch(text.strip()) is not None


def leaves(text: str) -> bool:
    """Whether a person says no more than that they end here for now."""
    return _LEAVES.fullmatch(text.strip()) is not None


def complains(text: str) -> bool:
    """Whether a person says that something is not as it should be."""
    return _COMPLAINS.search(text[:400]) is not None


def is_housekeeping(exchange: Exchange) -> bool:
    """Whether an exchange only keeps, or thanks for, what was done before."""
    if exchange.asked is None:
        return False
    said = exchange.asked.text.strip()
    return any(form.fullmatch(said) for form in (_CONTENT, _KEEPS, _LEAVES, _COMMAND))


def asks_only(text: str) -> bool:
    """Whether an answer is all that is asked for."""
    said = text.strip()
    asked = said.endswith(("?", "？")) and _TASK.search(said) is None
    return asked or _ASKS.match(said) is not None


def outcome_of(exchanges: Sequence[Exchange], goal: str) -> Outcome:
    """How a conversation for a goal ended."""
    worked = [at for at, one in enumerate(exchanges) if one.answers]
    if not worked:
        return "abandoned"
    last = exchanges[-1]
    if last.interrupted:
        return "partial" if _has_done(exchanges) else "abandoned"
    if not last.answers:
        said = last.asked.text if last.asked else ""
        return "success" if is_content(said) and _has_done(exchanges) else "partial"
    report = last.report
    if is_housekeeping(last) and not report.blocked and not report.goes_on and len(worked) > 1:
        before = exchanges[: worked[-2] + 1]
        outcome = outcome_of(before, goal)
        kept = report.done and not before[-1].report.left_open
        return "success" if outcome == "partial" and kept else outcome
    return _of_last(last, goal)


def _has_done(exchanges: Sequence[Exchange]) -> bool:
    """Whether anything was changed, or reported as done."""
    return any(has_changed(one.tools) or bool(one.report.done) for one in exchanges)


def _of_last(last: Exchange, goal: str) -> Outcome:
    """How an exchange ended that the agent has the last word of."""
    report, changed = last.report, has_changed(last.tools)
    if report.goes_on or not last.spoken:
        return "partial"
    if report.blocked and not changed:
        return "partial" if report.done else "blocked"
    if report.left_open:
        return "partial"
    asked = last.asked.text if last.asked else ""
    answered = asks_only(asked) and not complains(asked) and (not report.asked or asks_only(goal))
    thanked = _THANKS.search(asked) is not None and not asks_only(asked)
    if report.done or answered or (thanked and not complains(asked)):
        return "success"
    sure = changed and not report.asked and not complains(asked)
    return "success" if sure else "partial"
