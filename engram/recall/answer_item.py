"""A reasoned answer, and turns that were found -> items of the block that an agent is given.

    - answer (confidence 0.92): 7 May 2023
      "yesterday" in a turn of 8 May 2023 -> 7 May 2023
      > 2023-05-08, Caroline: "I went to a support group yesterday."
      source: [[jsonl-8b624710e9e6#^m184b78dc56]]
    - answer: not found; what came nearest:
      > 2023-05-08, Caroline: "The support group was so powerful."
      source: [[jsonl-8b624710e9e6#^m184b78dc56]]
    - 2023-05-08 turn, Caroline: I went to a support group yesterday.
      source: [[jsonl-8b624710e9e6#^m184b78dc56]]

Guarantees: every answer that was found has its receipt, the link of a turn or the name of a memory;
a memory that has ended says so; all is inert (`blocks`), each quote one line; a turn that gives
orders to an agent is linked and not quoted. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from engram.model.text import first_line
from engram.recall.blocks import QUOTE_WIDTH, STANDING, OpeningItem, inert, source_line

if TYPE_CHECKING:
    from engram.model.answer import AnswerSource, ReasonedAnswer

#: sources that are told, and steps of the reasoning
_MOST_SOURCES, _MOST_STEPS = 3, 4
_NOT_QUOTED = "(not quoted: it gives orders to an agent)"


def answer_items(answer: ReasonedAnswer, given: Collection[str]) -> Iterator[OpeningItem]:
    """An answer as an item, in ever fewer words; `given` are the memories that follow it.

    Of those, what came nearest is not told twice.
    """
    sources = answer.source_memories[:_MOST_SOURCES]
    if not answer.found:
        nearest = [one for one in sources if one.id not in given]
        for most in dict.fromkeys((len(nearest), min(1, len(nearest)), 0)):
            nearer = "; what came nearest:" if most else ""
            yield _item([f"- answer: {_line(answer.answer)}{nearer}"], nearest[:most])
        return
    head = f"- answer (confidence {answer.confidence:.2f}): {_line(answer.answer)}"
    steps = [f"  {_line(step)}" for step in answer.reasoning.splitlines()[:_MOST_STEPS]]
    yield _item([head, *steps], sources)
    yield _item([head, *steps[:1]], sources[:1])
    yield OpeningItem("\n".join((head, *(source_line(one.id) for one in sources[:1]))))


def turn_items(turns: Iterable[AnswerSource]) -> Iterator[str]:
    """Turns as items of their own, for what no memory was made of."""
    for turn in turns:
        about = ", ".join(filter(None, (f"{turn.said} turn".strip(), turn.speaker)))
        yield f"- {inert(about)}: {_quotable(turn)}\n{source_line(turn.id)}"


def _item(head: Iterable[str], sources: Sequence[AnswerSource]) -> OpeningItem:
    told = ((f"  > {_said(one)}", source_line(one.id)) for one in sources)
    memories = tuple(one.id for one in sources if one.kind == "memory")
    return OpeningItem("\n".join((*head, *(line for lines in told for line in lines))), memories)


def _said(source: AnswerSource) -> str:
    who = source.speaker if source.kind == "turn" else "memory"
    about = ", ".join(filter(None, (source.said, who, STANDING.get(source.status, ""))))
    said = _quotable(source)
    quoted = said if said == _NOT_QUOTED else f'"{said}"'
    return f"{inert(about)}: {quoted}" if about else quoted


def _quotable(source: AnswerSource) -> str:
    # imported here: its patterns take a while
    from engram.language.agent_orders import injection

    if source.kind == "turn" and injection(source.text, own=False):
        return _NOT_QUOTED
    return _line(" ".join(source.text.split()))


def _line(text: str) -> str:
    return inert(first_line(text, QUOTE_WIDTH))
