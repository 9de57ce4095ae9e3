"""Answering: a question -> evidence from turns and memories -> a reasoned answer.

Evidence is what `search` finds: the best turns with the two before them, and memories of every
status but retired and expired. A memory and the turn that it was made of are one piece. Guarantees:
what was forgotten and what is hidden is no evidence, nor is a memory with a secret; only what may
be given to who asks is; nothing is written.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from engram.model.answer import AnswerSource
from engram.model.instant import day_of, local_day
from engram.model.memory import SESSION, has_expired
from engram.model.text import first_line
from engram.queries.search import checked, in_force
from engram.recall.answer_item import FoundTurn
from engram.recall.asked import what_is_asked
from engram.recall.audience import turn_audience
from engram.recall.borders import is_memory_open_to, is_turn_open_to
from engram.recall.evidence import Evidence, with_source
from engram.recall.injection import is_given
from engram.recall.query import parse
from engram.recall.reasoned import reasoned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engram.model.answer import ReasonedAnswer
    from engram.model.memory import Memory
    from engram.model.tier import RetrievalMode
    from engram.model.turn import Turn
    from engram.queries.lookup import Lookup
    from engram.queries.memories import Memories
    from engram.queries.model_answering import ModelAnswering
    from engram.queries.search import SearchQueries
    from engram.recall.borders import Recipient
    from engram.recall.query import Query
    from engram.recall.question_words import QuestionWords
    from engram.recall.rank import Ranked, Setting

#: turns and memories that are looked at, and turns before one that are read with it
_TURNS, _MEMORIES, _BEFORE = 12, 8, 2
#: as much of a text is read, and as much of it stands for a source that tells no time, characters
_MOST_TEXT, _MOST_SHOWN = 20_000, 200


class Answering:
    """Of one vault."""

    def __init__(
        self, memories: Memories, search: SearchQueries, lookup: Lookup,
        by_model: Callable[[], ModelAnswering | None] = lambda: None,
    ) -> None:  # fmt: skip
        """`by_model` gives who asks a model, None where none may be asked."""
        self._memories = memories
        self._search = search
        self._lookup = lookup
        self._by_model = by_model

    def answer(
        self, question: str, *, setting: Setting, recipient: Recipient,
        as_of: str = "", ask_model: bool = False, mode: RetrievalMode | None = None,
    ) -> ReasonedAnswer:  # fmt: skip
        """The answer by rules, or of a model where one is to be asked and may be.

        Raises as `evidence` does.
        """
        found = self.evidence(
            question, setting=setting, recipient=recipient, as_of=as_of, mode=mode
        )
        asked = what_is_asked(question, setting.today)
        answer = reasoned(question, asked, found, setting.today)
        model = self._by_model() if ask_model and found else None
        return model.answer(question, asked, found, answer, setting.today) if model else answer

    def evidence(
        self, question: str, *, setting: Setting, recipient: Recipient,
        as_of: str = "", mode: RetrievalMode | None = None,
    ) -> list[Evidence]:  # fmt: skip
        """The turns and memories that may answer, best first; only what `recipient` may be given.

        With `as_of`, an Instant or a Day, what was said by then, and was true. With a `mode`
        memories of its tiers alone, without one of all. Raises BadInput for a filter of a schema
        that there is none of.
        """
        query = checked(parse(question, setting.timezone, as_of))
        found = self._found(query, setting, recipient, as_of, mode)
        if query.phrases and query.words and not any(found):
            found = self._found(query.loose(), setting, recipient, as_of, mode)
        turns, memories = found
        turns = [pair for pair in turns if not _gives_orders(pair[0], recipient)]
        best = {"turns": 0.0, "memories": 0.0}
        for _, one in (*turns, *memories):
            best[one.collection] = max(best[one.collection], one.score)
        open_to = self._open_turns(recipient)
        by_turn: dict[str, Evidence] = {}
        pieces: list[Evidence] = []
        # a session record repeats what was said: another memory of that turn goes before it
        for memory, one in sorted(memories, key=lambda pair: pair[0].schema == SESSION):
            link, piece = self._of_memory(memory, setting, open_to)
            piece = piece._replace(score=one.score / (best["memories"] or 1.0))
            if link and link not in by_turn:
                by_turn[link] = piece
            else:
                pieces.append(piece)
        places = self._lookup.places(one.key for _, one in turns)
        for turn, one in turns:
            piece = self._of_turn(turn, one.key, places[one.key], setting, open_to)
            piece = piece._replace(score=one.score / (best["turns"] or 1.0))
            made = by_turn.pop(one.key, None)
            pieces.append(piece if made is None else _joined(made, piece))
        return sorted((*pieces, *by_turn.values()), key=lambda piece: -piece.score)

    def turns(
        self, question: str, words: QuestionWords, *, setting: Setting, recipient: Recipient,
        as_of: str = "",
    ) -> Iterator[FoundTurn]:  # fmt: skip
        """The turns that may answer, the first two of each conversation before all others.

        Each with those before and after it that `recipient` may be given and that did not come
        themselves, and shown by the stretch that has most of the question. They are looked up when
        it is asked for. Raises as `evidence` does.
        """
        # imported here: most questions are answered from memories
        from engram.language.snippet import excerpt
        from engram.queries.turn_hits import turns_beside, two_of_each
        from engram.recall.told_items import weighed_turns

        query = checked(parse(question, setting.timezone, as_of))
        open_turns = self._open_turns(recipient)
        found = self._turns_found(query, setting, recipient)
        if query.phrases and query.words and not found:
            found = self._turns_found(query.loose(), setting, recipient)
        query = query._replace(phrases=())

        def may(turn: Turn) -> bool:
            return query.admits_turn(turn) and open_turns(turn) and not _gives_orders(turn)

        found = [pair for pair in found if not _gives_orders(pair[0])]
        best = max((one.score for _, one in found), default=0.0) or 1.0
        places = self._lookup.places(one.key for _, one in found)
        pieces = [
            self._of_turn(turn, one.key, places[one.key], setting, open_turns)._replace(
                score=one.score / best
            )
            for turn, one in found
        ]
        weighed = weighed_turns(words, pieces)
        told: set[str] = set()
        for one in chain(*two_of_each(weighed, lambda one: one.evidence.turn)):
            source = one.evidence.source
            turn = self._lookup.turn(source.id)
            if turn is not None:
                beside = turns_beside(self._lookup, source.id, turn, query.text, may)
                before, after = (near if near and near.id not in told else None for near in beside)
                shown = excerpt(turn.text, query.text, width=_MOST_SHOWN).text
                yield FoundTurn(source._replace(text=shown), before, after, one.share)
                told.add(source.id)

    def _turns_found(
        self, query: Query, setting: Setting, recipient: Recipient
    ) -> list[tuple[Turn, Ranked]]:
        if not query.asks:
            return []
        mine: tuple[str, ...] | None = recipient.projects
        if recipient.person:
            mine = ("", *recipient.projects) if mine else None
        open_turns = self._open_turns(recipient)
        return self._search.best_turns(query, _TURNS, setting, open_to=open_turns, projects=mine)

    def _found(
        self, query: Query, setting: Setting, recipient: Recipient, as_of: str,
        mode: RetrievalMode | None,
    ) -> tuple[list[tuple[Turn, Ranked]], list[tuple[Memory, Ranked]]]:  # fmt: skip
        if not query.asks:
            return [], []
        ended = mode == "exhaustive" or bool(query.statuses)
        open_memories = self._open_memories(setting, recipient, as_of, ended=ended)
        return (
            self._turns_found(query, setting, recipient),
            self._search.best_memories(
                query, _MEMORIES, setting, mode=mode or "exhaustive", open_to=open_memories
            ),
        )

    def _open_memories(
        self, setting: Setting, recipient: Recipient, as_of: str, *, ended: bool
    ) -> Callable[[Memory], bool]:
        """Of the past the person is told what was replaced too; what has expired where `ended`."""
        day = day_of(as_of or setting.now)

        def is_open(memory: Memory) -> bool:
            audience = self._memories.audience(memory.id)
            if not recipient.person:
                return is_given(memory, audience, recipient, day, in_force(as_of))
            return (
                memory.status != "retired"
                and is_memory_open_to(recipient, audience, memory)
                and (ended or not has_expired(memory, min(day, setting.today)))
            )

        return is_open

    def _of_memory(
        self, memory: Memory, setting: Setting, open_to: Callable[[Turn], bool]
    ) -> tuple[str, Evidence]:
        """A memory, and the link of the turn that its quote stands in; empty for none.

        Of a session record it is that turn itself, if it may be given.
        """
        turns = self._lookup.turns_in_sight(memory.sources)
        quoted = first_line(memory.quote, len(memory.quote))
        links = sorted(turns, key=lambda link: (quoted not in turns[link].text, turns[link].time))
        turn = turns[links[0]] if links else None
        if turn and memory.schema == SESSION and open_to(turn):
            place = self._lookup.places(links[:1])[links[0]]
            said = self._of_turn(turn, links[0], place, setting, open_to)
            return links[0], said._replace(turn="")
        day = local_day(turn.time if turn else memory.created, setting.timezone)
        guess = day if (turn.guessed if turn else memory.date_guessed) else ""
        source = AnswerSource(
            "memory", memory.id, memory.path, self._memories.line_of(memory, memory.text),
            first_line(memory.text, _MOST_SHOWN), "" if guess else day,
            turn.speaker if turn else "", memory.status,
        )  # fmt: skip
        statement = "\n".join((memory.text, *(text for _, text in memory.sections)))
        text = with_source(statement, memory.quote, day)[:_MOST_TEXT]
        piece = Evidence(source, text, 1.0, (memory.title,), guess=guess)
        return links[0] if links else "", piece

    def _of_turn(
        self, turn: Turn, link: str, place: tuple[str, int], setting: Setting,
        open_to: Callable[[Turn], bool],
    ) -> Evidence:  # fmt: skip
        file, line = place
        day = local_day(turn.time, setting.timezone)
        source = AnswerSource(
            "turn", link, file, line, first_line(turn.text, _MOST_SHOWN),
            "" if turn.guessed else day, turn.speaker, role=turn.role,
        )  # fmt: skip
        around = filter(open_to, self._lookup.with_turns_before(link, _BEFORE)[-2::-1])
        before = tuple(one.text[:_MOST_TEXT] for one in around)
        guess = day if turn.guessed else ""
        return Evidence(source, turn.text[:_MOST_TEXT], 1.0, before, link, guess)

    def _open_turns(self, recipient: Recipient) -> Callable[[Turn], bool]:
        def is_open(turn: Turn) -> bool:
            if recipient.person:
                # of the person's own question the audience does not count
                return is_turn_open_to(recipient, "project", turn.project)
            if not is_turn_open_to(recipient, turn_audience(turn), turn.project):
                return False
            # what was asked of one conversation is told no other one, by its turn either
            return turn.transcript == recipient.session or not self._lookup.is_of_session(turn)

        return is_open


def _joined(memory: Evidence, turn: Evidence) -> Evidence:
    """A memory and the turn that it was made of."""
    if memory.source.kind == "turn":
        return turn._replace(score=max(memory.score, turn.score))
    text = with_source(memory.text, turn.text, turn.source.said or turn.guess)
    score = max(memory.score, turn.score)
    return Evidence(memory.source, text, score, turn.before, turn.turn, turn.guess)


def _gives_orders(turn: Turn, asking: Recipient | None = None) -> bool:
    """Whether a turn orders an agent about, whoever is said to speak: it may have been pasted.

    The date in what they wrote themselves still answers a person who is `asking`.
    """
    own = asking is not None and turn.role == "user"
    if own and asking is not None and asking.person:
        return False
    # imported here: its patterns take a while
    from engram.language.agent_orders import injection

    return injection(turn.text, own=own) != ""
