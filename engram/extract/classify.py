"""Classification of a statement without a model: episode or note, and importance (seed 003).

Both are decided on the raw words, before any date is resolved: "fixed it yesterday" is an episode
because it says "yesterday". Guarantees: pure, ASCII word boundaries, case ignored, any category
string is accepted. What `engram.model.memory` defines (levels and tiers) is not repeated here.

Reachable importance: 0.10 for chatter, 0.20 to 1.00 for the rest. Seed 003 archives facts below
0.30; facts that are hedged, passing or mere feeling are pulled below it here, for nothing would
ever be archived otherwise (design 5.16: 5 to 15 % of ordinary facts).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from engram.language.scripts import latin_length

Kind = Literal["episode", "note"]

_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"

_HAPPENED = re.compile(
    r"\b(?:yesterday|today|recently|earlier|this (?:morning|afternoon)"
    rf"|last (?:week|month|year|{_WEEKDAY})|on {_WEEKDAY})\b",
    re.IGNORECASE | re.ASCII,
)
_NOTE_CATEGORIES = frozenset(
    ["preference", "constraint", "goal", "habit", "policy", "standard", "belief",
     "decision", "principle", "commitment", "relationship", "skill", "correction", "entity"]
)  # fmt: skip
_EPISODE_CATEGORIES = frozenset(
    ["event", "action", "observation", "issue", "bug", "incident", "moment"]
)
_NOTE_TAGS = frozenset(["preference", "constraint", "goal", "habit", "policy", "belief"])
_EPISODE_TAGS = frozenset(["bug", "fix", "deploy", "incident", "release", "merge", "event"])
_DONE = re.compile(
    r"\b(?:deployed|pushed|fixed|merged|reported|mentioned|said|happened|failed|completed|shipped)\b",
    re.IGNORECASE | re.ASCII,
)
_STANDING = re.compile(
    r"\b(?:prefer(?:red|s|ring)?|(?:want|need)(?:ed|s|ing)?|always|never|must|should|goals?"
    r"|decid(?:ed|es?|ing)|polic(?:y|ies)|requir(?:e[ds]?|ements?|ing)|constraints?|standards?"
    r"|conventions?)\b",
    re.IGNORECASE | re.ASCII,
)


def memory_kind(category: str, content: str, tags: Iterable[str] = ()) -> Kind:
    """episode or note: seed 003's six rules in order, first hit wins."""
    if _HAPPENED.search(content):
        return "episode"
    if category in _NOTE_CATEGORIES:
        return "note"
    if category in _EPISODE_CATEGORIES:
        return "episode"
    named = {tag.casefold() for tag in tags}
    if named & _NOTE_TAGS:
        return "note"
    if named & _EPISODE_TAGS or _DONE.search(content):
        return "episode"
    return "note" if _STANDING.search(content) else "episode"


#: the importance of chatter
TRIVIAL = 0.10
_BASE = 0.50
_BOOST = {
    "correction": 0.15, "principle": 0.12, "preference": 0.10, "commitment": 0.10,
    "decision": 0.08, "relationship": 0.05, "skill": 0.05, "moment": 0.03, "entity": 0.02,
}  # fmt: skip
_WEIGHTY_TAGS = frozenset(["important", "critical", "preference", "decision", "rule", "principle"])
#: Seed 003's archival threshold, and how far a fact of level "low" is pulled to lie below it.
_ARCHIVED_BELOW = 0.30
_PULL = 0.10

_CHATTER = re.compile(
    r"\W*(?:hi|hiya|hello|hey|yo|good (?:morning|afternoon|evening|night)|ok|okay|k|kk|sure|yes|yep"
    r"|yeah|no|nope|nah|right|great|cool|nice|perfect|awesome|got it|sounds good|makes sense|done"
    r"|will do|thanks|thank you|thanks a lot|thank you so much|thx|ty|cheers|ha(?:ha)+|lo+l|lmao"
    r"|hm+|u+h+|u+m+|well|bye|goodbye|see you|see you later|talk to you later|later|heartbeat|ping)"
    r"(?: there| all)?\W*",
    re.IGNORECASE,
)
_CRITICAL = re.compile(
    r"\b(?:critical|crucial|essential|must|always|never|important|remember (?:this|that)|my name is"
    r"|i am|my (?:e-?mail|phone|address|birthday|passport)|i (?:hate|love|said|meant)"
    r"|absolutely (?:not|must)|correction|that(?:['’]s| is) (?:wrong|not right|incorrect))\b",
    re.IGNORECASE,
)
_HIGH = re.compile(
    rf"\b(?:decided|chose|chosen|instructions?|you should|{_WEEKDAY}|deadlines?|tomorrow|today"
    r"|i (?:prefer|like|want|need)|i(?:['’]ll| will)|promised?|meeting|call)\b",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:maybe|perhaps|possibly|might|i (?:think|guess|suppose|believe|hope)|probably|kind ?of"
    r"|sort ?of|kinda|sorta|not sure|seems?|(?:looks?|feels?|sounds?) like|apparently|supposedly"
    r"|somewhat|a (?:bit|little)|roughly|or so|sometimes|afaik|(?:i|we) heard|nothing fancy"
    r"|no big deal|or something)\b",
    re.IGNORECASE,
)
#: words of statements that hold only for the moment
_PASSING = re.compile(
    r"\b(?:for now|temporar(?:y|ily)|at the moment|right now|currently|this time|just this once"
    r"|for this (?:pr|branch|task|session|run)|so far|not yet|lately|these days|nowadays"
    r"|this (?:week|weekend|month|sprint)|soon|in the meantime|tonight|stuck|just now"
    r"|the other day|for a while|almost|nearly)\b",
    re.IGNORECASE,
)
#: words of statements that tell only how something feels
_CHEER = re.compile(
    r"\b(?:amazing|awesome|wonderful|fantastic|incredible|inspiring|excit(?:ed|ing)|adorable|wow"
    r"|lovely|glad|paradise|really helps?|(?:so|such an?|really|pretty) (?:happy|cool|fun|nice"
    r"|great|good|proud))\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|myself)\b", re.IGNORECASE)
_CONCRETE = re.compile(r"\d{2}|\b(?:version|api|config)\b", re.IGNORECASE)


def score_importance(content: str, category: str, tags: Iterable[str] = ()) -> float:
    """How much a statement matters, 0..1 with two decimals; its level is `importance_level`'s."""
    stripped = content.strip()
    if _is_trivial(stripped):
        return TRIVIAL
    score = _BASE + _BOOST.get(category, 0.0) + min(max(len(stripped) - 200, 0) / 1000, 0.1)
    if _CRITICAL.search(stripped):
        score += 0.20
    if _HIGH.search(stripped):
        score += 0.12
    slight = _HEDGE.search(stripped) or _PASSING.search(stripped)
    if slight or (category == "fact" and _CHEER.search(stripped)):
        score -= 0.15
    if _FIRST_PERSON.search(stripped):
        score += 0.05
    if _CONCRETE.search(stripped):
        score += 0.03
    score += 0.05 * len({tag.casefold() for tag in tags} & _WEIGHTY_TAGS)
    score = round(min(max(score, 0.0), 1.0), 2)
    if category == "fact" and _ARCHIVED_BELOW <= score < _ARCHIVED_BELOW + _PULL:
        return round(score - _PULL, 2)
    return score


def _is_trivial(stripped: str) -> bool:
    """Chatter, or one line of up to ten characters of Latin script."""
    if "\n" in stripped:
        return False
    return latin_length(stripped) <= 10 or (
        len(stripped) <= 40 and _CHATTER.fullmatch(stripped) is not None
    )
