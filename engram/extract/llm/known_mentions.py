"""Known memories that an answer says are confirmed or fulfilled -> Candidates with their receipts.

    {"memory": "k3", "quote": "as I said, Postgres", "turn": 4}  ->  Candidate(confirms="fact-...")

`k3` is the third of the memories that the question showed. Guarantees: only what was shown can be
named, one mention of a memory a message, and the quote stands in a message. Whether the words are
about that memory, and who may say so, is for `admit`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from engram.extract.llm.answer_items import MALFORMED, UNKNOWN_MEMORY, known_as, placed, refused
from engram.extract.llm.quotes import Words, quoted
from engram.extract.receipt import receipt_of
from engram.model.candidate import Candidate
from engram.model.memory import Memory
from engram.model.sentences import sentences_around
from engram.model.turn import Turn

Mention = Literal["confirms", "fulfils"]
#: mentions of one list that are read
_MOST = 60


def mentions_of(
    mention: Mention, named: object, turns: Sequence[Turn], shown: Sequence[Memory]
) -> list[Candidate]:
    """A candidate for every mention, sound or refused; an answer without the list has none."""
    texts = [Words(turn.text) for turn in turns]
    found: dict[tuple[str, str], Candidate] = {}
    refusals = []
    for one in named[:_MOST] if isinstance(named, list) else ():
        candidate = _mention(mention, one, turns, texts, shown)
        if candidate.fault:
            refusals.append(placed(candidate, one, turns))
        else:
            name = candidate.confirms or candidate.fulfils
            found.setdefault((name, candidate.receipt.message), candidate)
    return [*found.values(), *refusals]


def _mention(
    mention: Mention, raw: object, turns: Sequence[Turn], texts: Sequence[Words],
    shown: Sequence[Memory],
) -> Candidate:  # fmt: skip
    fields = raw if isinstance(raw, Mapping) else {}
    label, said, number = fields.get("memory"), fields.get("quote"), fields.get("turn", 0)
    if not (isinstance(label, str) and isinstance(said, str) and type(number) is int):
        return refused(MALFORMED)
    memory = known_as(label, shown)
    if memory is None:
        return refused(UNKNOWN_MEMORY)
    turn, quote, code = quoted(said, number, turns, texts)
    if turn is None:
        return refused(code, memory.category)
    return Candidate(
        category=memory.category,
        text=memory.text,
        receipt=receipt_of(turn, quote),
        confidence=memory.confidence,
        importance=memory.importance,
        entities=memory.entities,
        project=memory.project,
        space=memory.space,
        authority="user_asserted",
        origin="model",
        confirms=memory.id if mention == "confirms" else "",
        fulfils=memory.id if mention == "fulfils" else "",
        sentence=sentences_around(turn.text, quote),
    )
