"""The goal of a conversation, and what came of it -> the title and the tags of its record.

    "can you please build a shop for the bakery and use the colours of the old one"
    -> "Build a shop for the bakery" · shop, bakery, colours
    "fix the lint errors", done: "Removed the redundant return"
    -> "Fix the lint errors: removed the redundant return"

The title is the name of the conversation (`language.conversation_name`): the one that its host gave
it, else its request. A request of few words is told with what came of it; one of no substance
("then commit") by the plan that it followed, or by what came of it alone. Equal conversations give
equal titles and tags.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engram.extract.session_goal import Goal
from engram.extract.work_words import telling_words
from engram.language.conversation_name import given_title, request_title, without_opening
from engram.language.keywords import is_tool, tags_of
from engram.language.stop_words import ENGLISH, GERMAN_FILLERS
from engram.language.topics import topic_terms
from engram.model.text import words
from engram.model.titles import title_of
from engram.model.turn import Turn

#: a request of fewer words of its own is told with what came of it, if that has as many
_FEW_WORDS = 2
#: letters of a tag from a goal without an English word: shorter ones hold sentences together
_SHORTEST_TAG = 4
_MOST_TOPICS = 3
#: who did it, or where, told before what was done: "`till.py:30` — ", "I also "
_PLACE = re.compile(
    r"(?:[A-Z]\w+ on )?`?[\w./-]+\.\w{1,5}(?::[\d-]+)?`?(?: [—–-] |: )"
    r"|(?:i|we)(?:['’]ve| have)?(?: also| now)? ",
    re.IGNORECASE,
)
#: the heading of a plan that the person let the agent carry out
_PLAN = re.compile(r"\s*Implement the following plan:\s*# *(?:plan: *)?(\S[^\n]*)", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://\S+")
#: what is asked for stands behind the verb: "create a", "read the", "have an"
_VERB = re.compile(r"\S+ (?=(?:an?|the|this|that|my|our|your|all)\b)", re.IGNORECASE)


def session_title(goal: Goal, turns: Sequence[Turn], done: Sequence[str]) -> str:
    """A short name for a conversation in which this was done; it ends at a word."""
    if named := _named(goal, turns):
        return title_of(named)
    request = request_title(goal.asked)
    if len(telling_words(request)) >= _FEW_WORDS:
        return request
    if planned := _plan_before(goal, turns):
        return title_of(planned)
    found = [title_of(_PLACE.sub("", item, count=1)) for item in done]
    best = max(found, key=lambda told: len(telling_words(told)), default="")
    if len(telling_words(best)) < _FEW_WORDS:
        return request
    if not goal.substance:
        return best
    return title_of(f"{request.rstrip('?…')}: {best[:1].lower()}{best[1:].rstrip('…')}")


def _named(goal: Goal, turns: Sequence[Turn]) -> str:
    """What the host calls the conversation, where the person did not begin like that."""
    return given_title(goal.turn.title, (turn.text for turn in turns if turn.role == "user"))


def _plan_before(goal: Goal, turns: Sequence[Turn]) -> str:
    """The heading of the last plan that the agent was given before the goal was said."""
    heading = ""
    for turn in turns:
        if turn is goal.turn:
            break
        found = _PLAN.match(turn.text) if turn.role == "user" else None
        heading = found[1] if found else heading
    return heading


def tags_of_goal(goal: Goal, turns: Sequence[Turn]) -> tuple[str, ...]:
    """One to five words that a goal, and the name of its conversation, is about."""
    said = _ADDRESS.sub(" ", f"{_named(goal, turns)} {without_opening(goal.text)}".strip())
    verb = _VERB.match(said)
    said = said[verb.end() if verb else 0 :]
    topics = topic_terms(said)
    least = _SHORTEST_TAG if ENGLISH.isdisjoint(words(goal.text)) else 0
    about = " ".join(word for word in said.split() if not _is_idle(word, least))
    tags = tuple(tag for tag in tags_of(about) if tag in topics)
    by_weight = sorted(topics, key=lambda term: (not term.isascii(), -topics[term], term))
    return tags or tuple(by_weight[:_MOST_TOPICS]) or ("session",)


def _is_idle(word: str, least: int) -> bool:
    bare = word.strip(".,;:!?¿¡()\"'").casefold()
    return bare in GERMAN_FILLERS - ENGLISH or (len(bare) < least and not is_tool(bare))
