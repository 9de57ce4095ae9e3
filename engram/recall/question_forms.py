"""The form of a question -> the records that it asks for, what it asks about, where they tell it.

    what did we decide about auth?   decision, "auth"
    why did we choose JWT?           decision, "choose JWT", its Rationale
    where did I stop?                session, "", its Next actions

English and German, in the words of questions that people wrote. A question of such a form brings
records of that schema to the top and keeps none out: who asks may mean something else. What is not
said in the form is what the question is about; empty when the form is all that it says.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from engram.language.stop_words import GERMAN_FILLERS
from engram.language.tokens import telling_terms

#: a question that is longer than this is a text, characters
_LONGEST = 400


class QuestionForm(NamedTuple):
    """The schema that is asked for, the words that are left, and the sections with the answer."""

    schema: str
    about: str
    sections: tuple[str, ...]


_WE = r"(?:we|i|you(?: and i)?)"
_WIR = r"(?:wir|ich)"
_BEGINNING = r"^\W*(?:(?:so|and|und|also|please|bitte|engram)\b\W*)?"

#: schema, the sections that answer, and the words that make the form, which are taken out
_FORMS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    (
        "decision",
        ("Rationale",),
        (
            rf"what (?:did|have|had) {_WE} (?:ever )?(?:decided?|agreed?|settled?)"
            r"(?: (?:about|on|for|to|with|upon))?\b",
            r"what (?:was|has been|is) (?:decided|agreed)(?: (?:about|on|for|to|with))?\b",
            rf"(?:which|what) decisions?\b(?: (?:did|have|had) {_WE} (?:take|taken|make|made|reach"
            r"(?:ed)?))?(?: (?:about|on|for)\b)?",
            rf"why (?:did|do|don't|didn't|have|haven't|are|aren't) {_WE}\b",
            rf"was (?:haben|hatten|habe|hatte) {_WIR}\b(?=.*\b(?:entschieden|beschlossen)\b)",
            r"was (?:wurde|ist)\b(?=.*\b(?:entschieden|beschlossen)\b)",
            r"welche entscheidung(?:en)?\b",
            rf"(?:warum|wieso|weshalb) (?:haben|nutzen|nehmen|verwenden|habe|nutze|nehme) {_WIR}\b",
        ),
    ),
    (
        "runbook",
        ("Steps",),
        (
            rf"how (?:did|do|can|could|should|have) {_WE} (?:fix(?:ed)?|solved?|repair(?:ed)?|"
            r"resolved?)\b",
            rf"how (?:did|do|can|could) {_WE} get\b(?=.* (?:working|running|going|stable)\b)",
            r"how (?:was|were|is|are)\b(?=.* (?:fixed|solved|repaired|resolved)\b)",
            rf"what did {_WE} do (?:when|about|against|if)\b",
            rf"wie (?:haben|habe|hatten|hatte) {_WIR}\b"
            r"(?=.*\b(?:repariert|behoben|gelöst|geloest)\b)",
            r"wie (?:wurde|wird|kann|können|behebe|repariere|löse)\b"
            r"(?=.*\b(?:repariert|behoben|gelöst|geloest|ich|wir|man)\b)",
        ),
    ),
    (
        "constraint",
        ("Impact", "Workarounds"),
        (
            r"what(?:'s| is| was| stands?)(?: standing)? in (?:the|our|my) way(?: of)?\b",
            r"what (?:keeps|stops|prevents|blocks|limits|hinders|is blocking|is limiting|"
            r"is stopping|is holding up)\b(?: (?:us|me) from\b)?",
            r"was steht\b(?=.*\bim weg\b)",
            r"was (?:hindert|blockiert|begrenzt|bremst)\b(?: (?:uns|mich)\b)?",
        ),
    ),
    (
        "tech_debt",
        ("Why deferred", "Impact"),
        (
            rf"what (?:did|have|had) {_WE} (?:put off|postponed?|defer(?:red)?|delay(?:ed)?)\b"
            r"(?: (?:about|in|on|for|with)\b)?",
            rf"what (?:did|have|had) {_WE} (?:leave|left)\b(?=.* (?:for later|undone|open)\b)",
            rf"(?:which|what) (?:tech(?:nical)? )?debts?\b(?: (?:do|did) {_WE} have\b)?",
            rf"was (?:haben|hatten|habe|hatte) {_WIR}\b"
            r"(?=.*\b(?:aufgeschoben|verschoben|vertagt|zurückgestellt|liegen ?gelassen)\b)",
            r"welche (?:technischen? )?schuld(?:en)?\b(?: haben wir\b)?",
        ),
    ),
    (
        "preference",
        ("Reason", "Prefer", "Avoid"),
        (
            r"how (?:do|did|would) i (?:want|like|prefer)\b",
            r"how should (?:my |the |our )?(?=\w+(?: \w+)? (?:be|look)\b)",
            r"what (?:do|did) i prefer\b(?: for\b)?",
            r"wie (?:will|möchte|moechte|mag|hätte|haette|wollte) ich\b",
        ),
    ),
    (
        "session",
        ("Next actions", "In progress", "Blockers"),
        (
            r"where (?:did|do|had) (?:we|i) (?:stop(?:ped)?|leave off|left off|leave it|get to)\b"
            r"(?: (?:with|on|in|at)\b)?",
            r"where (?:was i|were we)\b(?: (?:with|on|in|at)\b)?",
            r"what (?:was i|were we) (?:doing|working on|up to)\b(?: last(?: time)?\b)?",
            r"what (?:happened|did (?:we|i) do) in (?:the|my|our) (?:last|previous) session\b",
            r"wo(?:mit)? (?:habe|hatte|haben|hatten|war|waren|bin|sind) (?:ich|wir)\b"
            r"(?=.*\b(?:aufgehört|aufgehoert|stehen ?geblieben|dran)\b)",
        ),
    ),
)
#: what the forms with a verb at the end leave behind
_ENDINGS = re.compile(
    r"\b(?:entschieden|beschlossen|repariert|behoben|gelöst|geloest|aufgeschoben|verschoben|vertagt|"
    r"zurückgestellt|liegen ?gelassen|aufgehört|aufgehoert|stehen ?geblieben|dran|im weg|zuletzt|"
    r"fixed|solved|repaired|resolved|for later|last time|the last time|haben|"
    r"(?:working|running|going|stable)(?=\W*$))\b",
    re.IGNORECASE,
)
_COMPILED = tuple(
    (schema, sections, re.compile(_BEGINNING + f"(?:{'|'.join(forms)})", re.IGNORECASE))
    for schema, sections, forms in _FORMS
)  # fmt: skip


def form_of(question: str) -> QuestionForm | None:
    """The form of a question; None for any other text."""
    if len(question) > _LONGEST:
        return None
    text = " ".join(question.replace("’", "'").split())
    for schema, sections, form in _COMPILED:
        match = form.match(text)
        if match is not None:
            about = _ENDINGS.sub(" ", text[match.end() :]).strip(" \t?!.,;:")
            told = set(telling_terms(about)) - GERMAN_FILLERS
            return QuestionForm(schema, " ".join(about.split()) if told else "", sections)
    return None
