"""A reasoned answer, and turns that were found -> items of the block that an agent is given.

    - answer (confidence 0.92): 7 May 2023
      "yesterday" in a turn of 8 May 2023 -> 7 May 2023
      > 2023-05-08, Caroline: "I went to a support group yesterday."
      source: [[jsonl-8b624710e9e6#^m184b78dc56]]
    - unsure answer (confidence 0.50): in 2019
    - answer: not found; what came nearest:
      > 2023-05-08, assistant: "The support group was so powerful."
      source: [[jsonl-8b624710e9e6#^m184b78dc56]]
    - 2023-05-08 turn, Caroline: I went to a support group yesterday.
      before, Melanie (0b77aa): What have you been up to?
      after, Melanie (c1f90e): How was it?
      source: [[jsonl-8b624710e9e6#^m184b78dc56]]

Guarantees: every answer that was found has its receipt, the link of a turn or the name of a memory;
a memory that has ended says so; all is inert (`blocks`), each quote one line; a turn that gives
orders to an agent is linked and not quoted. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from engram.model.ids import docid
from engram.model.text import first_line
from engram.recall.blocks import QUOTE_WIDTH, STANDING, OpeningItem, inert, source_line

if TYPE_CHECKING:
    from engram.model.answer import AnswerSource, ReasonedAnswer
    from engram.model.hit import TurnBeside

#: an answer that is no surer than this is called unsure: it may be of something else
_UNSURE = 0.5
#: sources that are told
_MOST_SOURCES = 3
#: characters of a turn beside one that was found
_BESIDE_WIDTH = 120
_NOT_QUOTED = "(not quoted: it gives orders to an agent)"


def answer_items(answer: ReasonedAnswer, given: Mapping[str, str]) -> Iterator[OpeningItem]:
    """An answer as an item, in ever fewer words.

    `given` are the ids and the words of the memories that follow it: what stands in those is not
    quoted here too.
    """
    sources = answer.source_memories[:_MOST_SOURCES]
    if not answer.found:
        nearest = [one for one in sources if one.id not in given]
        for most in dict.fromkeys((len(nearest), min(1, len(nearest)), 0)):
            nearer = "; what came nearest:" if most else ""
            yield _item([f"- answer: {_line(answer.answer)}{nearer}"], nearest[:most], given)
        return
    called = "unsure answer" if answer.confidence <= _UNSURE else "answer"
    head = f"- {called} (confidence {answer.confidence:.2f}): {_line(answer.answer)}"
    # the first steps tell how the time of each source was reckoned
    steps = [f"  {_line(step)}" for step in answer.reasoning.splitlines()]
    yield _item([head, *steps[: len(sources) or 1]], sources, given)
    yield _item([head, *steps[:1]], sources[:1], given)
    yield OpeningItem("\n".join((head, *(source_line(one.id) for one in sources[:1]))))


class FoundTurn(NamedTuple):
    """A turn that was found, and those before and after it that may be given with it.

    `share` is how much of the question it says, 0..1.
    """

    source: AnswerSource
    before: TurnBeside | None = None
    after: TurnBeside | None = None
    share: float = 0.0


def without_neighbours(found: FoundTurn, is_left_out: Callable[[str, str], bool]) -> FoundTurn:
    """A turn without those beside it that are to be left out, by their links and what is shown."""
    before, after = (
        None if near is None or is_left_out(near.id, near.snippet) else near
        for near in (found.before, found.after)
    )
    return found._replace(before=before, after=after)


def turn_items(turns: Iterable[FoundTurn]) -> Iterator[tuple[str, ...]]:
    """Turns as items of their own, for what no memory was made of; each in ever fewer words.

    First with the turns beside it, each named by its docid, then alone.
    """
    for found in turns:
        turn = found.source
        about = ", ".join(filter(None, (f"{turn.said} turn".strip(), _who(turn))))
        head, link = f"- {inert(about)}: {_quotable(turn)}", source_line(turn.id)
        beside = [
            f"  {where}, {_line(one.speaker or one.category)} ({docid(one.id)[1:]}): "
            + inert(first_line(one.snippet, _BESIDE_WIDTH))
            for where, one in (("before", found.before), ("after", found.after))
            if one
        ]
        yield tuple(dict.fromkeys(("\n".join((head, *beside, link)), f"{head}\n{link}")))


def _item(
    head: Iterable[str], sources: Iterable[AnswerSource], given: Mapping[str, str]
) -> OpeningItem:
    lines, quoted = [*head], []
    for one in sources:
        if one.text not in given.get(one.id, ""):
            lines.append(f"  > {_said(one)}")
            quoted += [one.id] if one.kind == "memory" else []
        lines.append(source_line(one.id))
    return OpeningItem("\n".join(lines), tuple(quoted))


def _who(source: AnswerSource) -> str:
    return "memory" if source.kind == "memory" else source.speaker or source.role


def _said(source: AnswerSource) -> str:
    about = ", ".join(filter(None, (source.said, _who(source), STANDING.get(source.status, ""))))
    said = _quotable(source)
    quoted = said if said == _NOT_QUOTED else f'"{said}"'
    return f"{inert(about)}: {quoted}" if about else quoted


def _quotable(source: AnswerSource) -> str:
    # imported here: its patterns take a while
    from engram.language.agent_orders import injection

    if source.kind == "turn" and injection(source.text, own=source.role == "user"):
        return _NOT_QUOTED
    return _line(" ".join(source.text.split()))


def _line(text: str) -> str:
    return inert(first_line(text, QUOTE_WIDTH))
