"""A record and a question -> the line of its sections that answers, with the heading.

    Rationale: stateless, so any node can answer

A line is told when words that are asked for stand there and not in the statement; else, for a
question of a known form, the section that answers it (why: the rationale). None where the statement
says all that is asked. The history of a record (`## Changes`) is quoted only for its own words.
Pure; what is shown is one plain line without links to turns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from engram.language.tokens import query_terms
from engram.model.display import plain_line
from engram.model.memory import schema_name
from engram.model.text import first_line

if TYPE_CHECKING:
    from engram.model.memory import Memory
    from engram.recall.question_forms import QuestionForm

#: lines of one record that are looked at, and characters of a line
_MOST_LINES, _WIDEST = 400, 240


class TellingLine(NamedTuple):
    """`heading` and what stands there in one line; `line` is the first one as the file has it."""

    heading: str
    said: str
    line: str

    @property
    def text(self) -> str:
        """As it is quoted."""
        return f"{self.heading}: {self.said}" if self.said else self.heading


def telling_line(memory: Memory, asked: str, form: QuestionForm | None) -> TellingLine | None:
    """The line of a record's sections that says what was asked beyond its statement."""
    if not memory.sections:
        return None
    terms = frozenset(query_terms(asked)) if asked else frozenset()
    said = _held("\n".join((memory.title, memory.text)), terms)
    best, found = 0, ("", "")
    lines = [(heading, line) for heading, text in memory.sections for line in text.splitlines()]
    for heading, line in lines[:_MOST_LINES] if terms else ():
        held = _held(line, terms)
        if held - said and len(held) > best:
            best, found = len(held), (heading, line)
    if best:
        heading, line = found
        return TellingLine(plain_line(heading), _shown(line.strip()), line)
    if form is None or schema_name(memory) != form.schema:
        return None
    for wanted in form.sections:
        texts = [part for name, part in memory.sections if name.casefold() == wanted.casefold()]
        if text := "\n".join(filter(None, texts)):
            first = next((line for line in text.splitlines() if line.strip()), "")
            return TellingLine(wanted, _shown(text), first)
    return None


def _held(text: str, terms: frozenset[str]) -> frozenset[str]:
    return terms.intersection(query_terms(text, len(text) + 1)) if terms else terms


def _shown(text: str) -> str:
    """The items of a text on one line, without bullets and receipts."""
    # imported here: most that is found is told by its statement
    from engram.model.record import items_in, without_receipt

    said = "; ".join(without_receipt(item) for item in items_in(text))
    return first_line(plain_line(said), _WIDEST)
