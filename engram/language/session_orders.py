"""Session orders: what a person asks of an agent for the conversation alone.

    "For this session, answer in German"   "skip the tests just this once"
    "for now only edit files under src"    not "we keep Postgres for now", not "fix it for now"

Two things make one: words that say how long it holds, where a sentence begins or ends, and an order
that is no task: how to answer, what to leave alone, where to stay. The weaker the words ("for now"
is said of decisions too), the plainer the order has to be. English; when in doubt it is none.
"""

from __future__ import annotations

import re

_TALK = r"(?:session|conversation|chat)"
#: words that can mean nothing else
_STRONG = (
    rf"(?:(?:only |just |but )*(?:for|in|during|throughout) (?:the (?:rest|remainder) of )?"
    rf"(?:this|today's|the current) {_TALK}|(?:only |just |but )*for the (?:rest|remainder) of the"
    rf" {_TALK}|(?:only |just |but )*(?:this|today's) {_TALK}(?: only)?"
    r"|(?:only |just |but )+this once|this once)"
)
_THIS_TIME = r"(?:(?:only |just |but )*(?:for )?this time(?: only)?)"
_FOR_NOW = r"(?:(?:only |just )?for (?:now|the moment|the time being))"
#: what may stand before an order
_POLITE = (
    r"(?:(?:please|pls|ok|so|and|but|also|then|i(?:'d like| want| need) you to|make sure (?:to|you)"
    r"|try to|you (?:should|must|have to))[,:]? )*"
)
_NOT_IT = r"(?! ?(?:it|this|that|them|these|those)\b(?! (?:session|file|folder|repo)))"
_DO_NOT = (
    r"(?:(?:don'?t|do not|never|stop|avoid|no need to|(?:you )?(?:don'?t|do not) (?:need|have) to"
    r"|(?:you )?needn'?t)(?! (?:forget|worry|bother)\b))"
)
#: how an agent behaves: no task is among them
_MANNER = (
    r"(?:(?:only |just )?(?:answer|reply|respond|speak|talk)\b"
    r"|(?:let's|let us) (?:speak|talk|skip)\b"
    r"|(?:stick|stay|keep) (?:to|in|within|inside)\b|(?:skip|ignore)\b(?= (?:the|all|any|my"
    r"|every|\w+s\b))|leave (?:\S+ ){1,6}?(?:alone|untouched|out|as (?:is|it is|they are))\b"
    r"|keep (?:your|the|all|every) (?:answers?|repl(?:y|ies)|responses?|explanations?|messages?"
    r"|summar(?:y|ies)|diffs?|changes|commits?)\b"
    r"|(?:ask|tell|warn|check with) me (?:before|first)\b"
    r"|only (?:edit|touch|change|modify|work|look|read|write|use|commit|run|answer|suggest)\b"
    r"|(?:just|only) (?:explain|discuss|plan|brainstorm|suggest)\b(?! (?:what|how|why|me)\b)"
    r"|always (?:show|ask|answer|reply|explain|quote|use|run|check|write|keep|tell)\b"
    rf"|{_DO_NOT} (?:commit|push|run|touch|change|edit|modify|delete|remove|create|deploy|merge"
    r"|install|refactor|rename|reformat|format|ask|explain|write|running|touching|changing|editing"
    r"|committing|pushing|asking|explaining)\b)"
)
_KEEP = r"keep\b(?! (?:going|trying|working|track|on)\b)"
_WRITE = r"write .{3,60}? in [a-z]\w+"
#: beside words that are said of conversations alone
_ANY = (
    rf"(?:{_MANNER}|{_DO_NOT} \w|no (?![^,;:.]*\b(?:was|were|is|are|has|have|had|got)\b)[\w-]+"
    rf"|use\b|treat\b|assume\b|call me\b|{_KEEP}|be (?!back\b)\w|(?:i(?:'d)? )?prefer\b"
    r"|follow\b"
    rf"|you (?:may|can) \w|{_WRITE})"
)
#: "this time" is said of tasks, too: how, not what
_HOW = rf"(?:{_MANNER}|(?:use|prefer)\b|{_KEEP}|{_WRITE})"


def _order(when: str, order: str) -> str:
    """`when` before an order, or behind it."""
    verb = rf"{_POLITE}{order}{_NOT_IT}"
    return (
        rf"(?:from (?:here|now) on,? )?{when}[,:;]? {verb}"
        rf"|{verb}[^.;?]{{0,200}}?[,;]? {when}(?:,? (?:please|pls))?"
        r"(?:[.!]*$|, (?:i|because|since|the|so|no|not)\b)"
    )


_ORDERS = tuple(
    re.compile(f"(?:{_order(when, order)})", re.IGNORECASE)
    for when, order in ((_STRONG, _ANY), (_THIS_TIME, _HOW), (_FOR_NOW, _MANNER))
)
_OPENING = re.compile(rf"(?:{_STRONG}|{_THIS_TIME}|{_FOR_NOW})[,:;]? ", re.IGNORECASE)
_ALONE = re.compile(
    rf"\s*(?:from (?:here|now) on,? )?(?:{_STRONG}|{_THIS_TIME}|{_FOR_NOW}"
    rf"|throughout the {_TALK})[\s.!]*",
    re.IGNORECASE,
)
#: no other sentence is looked at more closely
_WORDS = re.compile(
    rf"\b{_TALK}\b|\bthis (?:once|time)\b|\bfor (?:now|the (?:moment|time))\b", re.IGNORECASE
)


def names_session(said: str) -> bool:
    """Whether a text has words that can say so."""
    return _WORDS.search(said) is not None


def order_in(said: str) -> str:
    """A sentence without the words that open it and say for how long: "This time, use tabs"."""
    opening = _OPENING.match(said)
    return said[opening.end() :] if opening else said


def says_how_long(words: str) -> bool:
    """Whether words say how long something holds, and nothing else."""
    return _ALONE.fullmatch(words) is not None


def is_for_session(said: str) -> bool:
    """Whether a sentence, on one line with plain apostrophes, orders something for a session."""
    return names_session(said) and any(one.match(said) for one in _ORDERS)
