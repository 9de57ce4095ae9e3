"""Guards of the rules tier: what speaks against taking a sentence literally.

Hedged, hypothetical, reported and passing statements are no memories, whatever pattern they match.
Only the main clause is looked at: the reason after "because" may wonder as much as it likes.
A hedged statement, and a plan that failed ("we wanted to go, but ..."), is never kept, unless a
space is asked for it; a rule may tolerate a condition ("if it fails, always ..."), a would ("I'd
rather ..."), what holds for now ("let's use sqlite for now") or what was reported ("you wrote that
...", for a correction of it).
"""

from __future__ import annotations

import re


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_REASON = _compiled(r",? \b(?:because|since|so that|so (?:we|i|it|they)|as (?:we|it|i)|due to)\b")
_HEDGED = _compiled(
    r"\b(?:maybe|perhaps|might|possibly|probably|likely|unlikely|apparently|supposedly|hopefully"
    r"|ideally|undecided|unsure|tempted|kinda|imagine|suppose|pretend|hypothetically|hoping"
    r"|not (?:really )?sure|not necessarily|not decided|haven't decided|no idea|in theory"
    r"|i (?:guess|suppose|assume|doubt|think|believe|wish|feel like)|i'd say|wonder(?:ing)?"
    r"|thinking (?:of|about|we)|considering|toying with|leaning towards?|depends on whether"
    r"|(?:it )?seems? (?:like|to)|it seems|let'?s say|(?:looks|feels|sounds|kind of) like|sort of"
    r"|what if"
    r"|(?:we|i) (?:wanted|hoped|had planned|were going|was going|meant) to\b[^.;]* but"
    r"(?!.*\b(?:went|chose|took|tak(?:e|ing)|picked|settled|decided|booked|use|using|used"
    r"|switched|stayed|kept|now we|we now)\b)"
    r"|(?:we|i) should(?! (?:always|never|not|only|also)| [^.]{3,80} before \w+ing\b)"
    r"|should (?:we|i)"
    r"|(?:we|i|you) could"
    r"|(?:we|i) can (?:use|try|do|just)|or (?:something|whatever))\b"
)
_TOLERABLE = {
    "if": _compiled(
        r"(?:if|unless|assuming|supposing)\b"
        r"|.*\bif (?:we|i|they) (?:used|switched|moved|went|had|were|wanted|decided?|ever|could|can"
        r"|get)\b"
    ),
    "would": _compiled(
        r".*\b(?:would|wouldn't|couldn't|could|(?:i|you|he|she|we|they|it|that)'d)\b"
    ),
    "reported": _compiled(
        r".*\b(?:you (?:said|told|wrote|mentioned|claim(?:ed)?|suggested|just)|according to"
        r"|(?:it|docs?|error|log|message|terminal|console|screen|bot|readme|output|compiler"
        r"|linter|page|article|tutorial"
        r"|comment|warning|that) (?:says|said|tells|claims))\b"
    ),
    "passing": _compiled(
        r".*\b(?:for now|just this once|(?:only )?this (?:time|once)|temporar(?:y|ily)|right now"
        r"|at the moment|for the moment|in the meantime|just today"
        r"|for this (?:pr|task|branch|commit|file|test|one|case|session|change|run|exercise"
        r"|example))\b"
    ),
}
#: a "because" this early belongs to the statement itself
_SHORTEST_MAIN = 12


def main_clause(said: str) -> str:
    """The sentence up to the word that opens its reason."""
    reason = _REASON.search(said)
    return said[: reason.end()] if reason and reason.start() > _SHORTEST_MAIN else said


def objections(said: str) -> frozenset[str] | None:
    """The guards that match: "if", "would", ...; None when nothing may be kept."""
    main = main_clause(said)
    if _HEDGED.search(main):
        return None
    return frozenset([name for name, guard in _TOLERABLE.items() if guard.match(main)])
