"""Search: the words of a query -> ranked memories, turns and pages, or a block for an agent.

Guarantees: nothing is written; a forgotten memory's source turns stay hidden; a secret that a
person wrote into a file is shown as a placeholder; equal questions on equal vaults give equal
answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Literal

from engram.language.snippet import excerpt
from engram.language.tokens import query_terms
from engram.model.errors import BadInput
from engram.model.hit import Answers, ContextBlock, Found, Hints, HistoryStep, Hit
from engram.model.ids import docid
from engram.model.instant import day_of
from engram.model.memory import SCHEMAS
from engram.model.tier import TIERS, RetrievalMode, tiers_of
from engram.model.titles import shown_title
from engram.model.validity import ONCE_TRUE
from engram.queries.page_search import PageSearch
from engram.queries.turn_hits import TurnHits
from engram.recall.citations import MOST_CITED, MOST_CITING, cited_shares, citing
from engram.recall.query import Query, parse
from engram.recall.rank import Ranked, Setting, rank_memories, rank_newest, rank_turns

if TYPE_CHECKING:
    from engram.model.answer import ReasonedAnswer
    from engram.model.hit import Admit
    from engram.model.hit import Collection as Searched
    from engram.model.memory import Memory
    from engram.model.turn import Turn
    from engram.queries.index_sync import IndexSync
    from engram.queries.lookup import Lookup
    from engram.queries.meaning_search import MeaningSearch
    from engram.queries.memories import Memories
    from engram.recall.answer_item import FoundTurn
    from engram.recall.borders import Recipient
    from engram.recall.disputed import Given
    from engram.recall.question_words import QuestionWords
    from engram.recall.telling_section import TellingLine
    from engram.store.base.disk import VaultDisk
    from engram.store.commits.projections import Projections

#: asked of the index for each answer wanted: filters and hidden turns are taken out afterwards
_HEADROOM, _LEAST = 5, 50
#: records of a schema that are looked at for a question of form alone
_MOST_NEWEST = 200
#: words of a query for which others are looked for, how many there may be, and how many are told
_MOST_MISSPELT, _TERMS_LIKE, _MOST_MEANT = 5, 5_000, 3
#: whether what lies near a question is found too: never, beside what its words find, or always
ByMeaning = Literal["no", "beside", "alone"]
#: the tiers that are looked at: those of a mode that was named, or the usual ones
Reach = Literal[RetrievalMode, "usual"]


class SearchQueries:
    """What a vault's memories, turns and pages say, by word."""

    def __init__(
        self, disk: VaultDisk, projections: Projections, lookup: Lookup, index_sync: IndexSync,
        redacted: Callable[[str], str], memories: Memories, meaning: MeaningSearch | None = None,
    ) -> None:  # fmt: skip
        """`memories` are those of all vaults that are read; `meaning` finds what lies near a
        question; without it words alone do."""
        self._projections = projections
        self._lookup = lookup
        self._index_sync = index_sync
        self._redacted = redacted
        self._memories = memories
        self._meaning = meaning
        self._pages = PageSearch(disk, projections, index_sync)
        self._shown_turns = TurnHits(lookup)

    def search(
        self, text: str, *, limit: int, setting: Setting, mode: RetrievalMode | None = None,
        as_of: str = "", around: bool = False, fold: bool = False,
    ) -> Answers:  # fmt: skip
        """The best memories, turns and pages for a query, `limit` of each.

        A `mode` that is named gives memories of its tiers alone; without one cold ones count less.
        `as_of`, an Instant or a Day, asks for what was true and said by then. With `around` a turn
        comes with those beside it; with `fold` at most two of a conversation come while there are
        others.
        Where nothing holds a phrase that stands among other words, its words count as words; where
        nothing holds any word of it, words that the vault knows may have been meant.
        """

        def answers(query: Query) -> Answers:
            looked_at = max(limit, MOST_CITING)
            memories = self.best_memories(
                query, looked_at, setting, mode=mode or "usual", by_meaning="alone"
            )
            # of one conversation there may be many turns before others come
            most = _asked(limit) if fold else limit
            turns = self.best_turns(query, most, setting, memories=memories, by_meaning="alone")
            best = [one for _, one in (*memories[:limit], *turns[:limit])]
            return Answers(
                self._memory_hits(query, memories[:limit], setting),
                self._shown_turns.hits(turns, limit, query, around=around, fold=fold),
                self._pages.hits(
                    query, _asked(limit), limit, setting, all_statuses=mode == "exhaustive"
                ),
                other_words=bool(best) and all(one.by_others for one in best),
                words_alone=self._meaning.told if self._meaning else "",
            )

        query = checked(parse(text, setting.timezone, as_of))
        if any(":" in word for word in query.words):
            _refuse_slips(query)
        found = answers(query)
        if query.phrases and query.words and not found.hits:
            found = answers(query.loose())
            return replace(found, inexact=bool(found.hits))
        if found.hits and not found.other_words:
            return found
        return replace(found, meant=self._meant(query))

    def _memory_hits(
        self, query: Query, found: list[tuple[Memory, Ranked]], setting: Setting
    ) -> list[Hit]:
        whole = list(self._whole(found, query))
        tiers = self._memories.tiers((memory.id for memory, _ in whole), setting.now)
        hits = (self._memory_hit(memory, one, query) for memory, one in whole)
        return [hit._replace(tier=tiers.get(hit.id, "")) for hit in hits]

    def _whole(
        self, found: list[tuple[Memory, Ranked]], query: Query
    ) -> Iterator[tuple[Memory, Ranked]]:
        """Also what a disputed memory stands against, behind it, where its words were not found."""
        told = {memory.id for memory, _ in found}
        for memory, one in found:
            yield memory, one
            if memory.status == "needs-review" and memory.conflicts:
                for other in self._memories.memories(memory.conflicts):
                    if other.live and other.id not in told and query.was_true(other):
                        told.add(other.id)
                        why = (f"stands against {docid(memory.id)}",)
                        yield other, one._replace(key=other.id, why=why)

    def best_memories(
        self, query: Query, limit: int, setting: Setting, *, mode: Reach = "exhaustive",
        open_to: Callable[[Memory], bool] = lambda memory: True, by_meaning: ByMeaning = "no",
    ) -> list[tuple[Memory, Ranked]]:  # fmt: skip
        """The best memories that the query admits and that are open to the one who asks.

        Of the tiers of a `mode`; in the usual reach all that are live, of which those that are cold
        count less unless a time is asked about. With `by_meaning` also those that lie near the
        query, where there are vectors.
        """
        memories: dict[str, Memory] = {}
        all_statuses, fades = mode == "exhaustive", False
        wanted = TIERS if mode == "usual" else tiers_of(mode)

        def let_through(found: Iterable[Memory]) -> list[str]:
            names = [
                memory.id
                for memory in found
                if query.admits(memory, all_statuses=all_statuses) and open_to(memory)
            ]
            if wanted == TIERS:
                return names
            tiers = self._memories.tiers(names, setting.now)
            return [name for name in names if tiers[name] in wanted]

        def admit(keys: list[str]) -> list[str]:
            known = {memory.id: memory for memory in self._memories.memories(keys)}
            memories.update(known)
            return let_through(known.values())

        if query.form and not (query.sought or query.prefixes):
            newest = self._newest(query.form.schema, query.as_of, let_through)
            if newest:
                known = {memory.id: memory for memory in newest}
                first = rank_newest(newest, query.form.schema, setting, limit)
                return [(known[one.key], one) for one in first]
            query = query._replace(form=None)
        if query.asks:
            hints = query.hints(setting.today, related=setting.related)
            of_time = query.as_of or hints.when or hints.spans or hints.since or hints.before
            fades = mode == "usual" and not of_time

            def looked_for(words: str) -> list[Found]:
                return self._memories.find(words, _asked(limit), hints, admit)

            found = looked_for(query.sought)
            if not found and query.sought != query.text:
                found = looked_for(query.text)
            if by_meaning == "alone" or (by_meaning == "beside" and found):
                found = self._with_meaning(found, query, "memories", limit, admit)
        else:
            memories = {memory.id: memory for memory in self._memories.memories()}
            found = [Found(name, "memories", 1.0) for name in let_through(memories.values())]
        if self._memories.others:
            once = self._memories.said_once(memories[hit.key] for hit in found)
            found = [hit for hit in found if hit.key in once]
        tiers = self._memories.tiers((hit.key for hit in found), setting.now) if fades else {}
        ranked = rank_memories(
            query, [found], memories, setting, limit, all_statuses=all_statuses, tiers=tiers
        )
        return [(memories[one.key], one) for one in ranked]

    def _newest(
        self, schema: str, as_of: str, let_through: Callable[[Iterable[Memory]], list[str]]
    ) -> list[Memory]:  # fmt: skip
        """The records of a schema that may be given and are, or were, in force, newest first."""
        from engram.recall.filter import Filter

        wanted = Filter(statuses=in_force(as_of), schemas=(schema,), as_of=as_of)
        found = {one.id: one for one in self._memories.listing(wanted, _MOST_NEWEST)}
        newest = [found[name] for name in let_through(found.values())]
        once = self._memories.said_once(newest)
        return [one for one in newest if one.id in once]

    def _meant(self, query: Query) -> list[str]:
        """Words of memories that are spelt nearly like those of a query that found nothing."""
        from difflib import get_close_matches

        found: dict[str, None] = {}
        for word in query_terms(query.text)[:_MOST_MISSPELT]:
            near = self._index_sync.terms_like(word, _TERMS_LIKE)
            others = [term for term in near if term != word]
            for term in get_close_matches(word, others, n=2, cutoff=0.75):
                found[self._spelt(term)] = None
        return [word for word in found if word][:_MOST_MEANT]

    def _spelt(self, term: str) -> str:
        """A word of a live memory whose term this is: stems are no words for people."""

        catalog = self._projections.catalog

        def live(keys: list[str]) -> list[str]:
            known = [memory.id for memory in catalog.memories(keys) if memory.live]
            return [name for name in known if catalog.audience(name) != "nobody"]

        itself = Hints(related=False)
        for hit in self._index_sync.find(term, "memories", 1, itself, live):
            memory = catalog.memory(hit.key)
            for word in re.findall(r"[\w.+#/-]+", memory.text if memory else ""):
                if term in query_terms(word):
                    return str(word).strip(".,-/").casefold()
        return ""

    def _memory_hit(self, memory: Memory, one: Ranked, query: Query) -> Hit:
        """A hit that shows the statement, or the line of a section that says more of it."""
        told = _telling_line(query, memory)
        wanted, heading = (told.line.strip(), told.heading) if told else (memory.text, "")
        line = self._memories.line_of(memory, wanted, heading)
        quoted = told.text if told else ""
        if self._memories.audience(memory.id) == "nobody":
            said = self._redacted(memory.text)
            memory = replace(memory, text=said, title=self._redacted(memory.title))
            quoted = self._redacted(quoted)
            # the terms that were matched may be those of the secret
            one = one._replace(why=one.why[:1], instead=())
        shown = excerpt(quoted or memory.text, query.sought, instead=one.instead)
        return Hit(
            docid=docid(memory.id),
            score=one.score,
            file=memory.path,
            line=line,
            title=shown_title(memory),
            snippet=shown.text,
            id=memory.id,
            collection="memories",
            category=memory.category,
            status=memory.status,
            created=memory.created,
            project=memory.project,
            source=memory.sources[-1] if memory.sources else "",
            why=one.reasons(shown.others),
            spans=shown.spans,
            section=told.heading if told else "",
            date_guessed=memory.date_guessed,
        )

    def best_turns(
        self, query: Query, limit: int, setting: Setting, *,
        open_to: Callable[[Turn], bool] = lambda turn: True,
        projects: Collection[str] | None = None, memories: Sequence[tuple[Memory, Ranked]] = (),
        by_meaning: ByMeaning = "no",
    ) -> list[tuple[Turn, Ranked]]:  # fmt: skip
        """The best turns in sight that the query admits and that are open to the one who asks.

        With `projects` only theirs; the words of others are not even read. What the best of the
        `memories` cite that were found for the query counts more. With `by_meaning` also those that
        lie near the query, where there are vectors.
        """
        if not query.asks:
            return []
        catalog = self._projections.catalog
        hidden = catalog.hidden()
        turns: dict[str, Turn] = {}

        def admit(keys: list[str]) -> list[str]:
            if projects is not None:
                rows = catalog.turns.behind_links(keys)
                keys = [key for key in keys if key in rows and rows[key].project in projects]
            known = self._lookup.turns([key for key in keys if key not in hidden])
            turns.update(known)
            return [
                key
                for key in keys
                if key in known and query.admits_turn(known[key]) and open_to(known[key])
            ]

        hints = query.turn_hints(setting.today, related=setting.related)
        found = self._index_sync.find(query.text, "turns", _asked(limit), hints, admit)
        if by_meaning == "alone" or (by_meaning == "beside" and found):
            found = self._with_meaning(found, query, "turns", limit, admit)
        telling = citing(memories)
        links = (link for one, _ in telling for link in one.sources[:MOST_CITED])
        cited = admit(list(dict.fromkeys(links)))
        shares = cited_shares(query.sought, telling, {key: turns[key] for key in cited})
        ranked = rank_turns(query, [found], turns, setting, limit, shares)
        return [(turns[one.key], one) for one in ranked]

    def _with_meaning(
        self, found: list[Found], query: Query, collection: Searched, limit: int, admit: Admit
    ) -> list[Found]:
        if self._meaning is None:
            return found
        return self._meaning.beside(found, query.text, collection, _asked(limit), admit)

    def recall(
        self, question: str, *, budget: int, limit: int, setting: Setting,
        recipient: Recipient, answer: ReasonedAnswer | None = None,
        turns: Callable[[QuestionWords], Iterable[FoundTurn]] = lambda words: (), as_of: str = "",
        history: bool = False, mode: RetrievalMode | None = None,
    ) -> ContextBlock:  # fmt: skip
        """A ranked block of memories with receipts, within `budget` tokens, below their `answer`.

        `as_of`, an Instant or a Day, asks for what was true then, also what was replaced since.
        Those that stand against each other come as one, or not at all. Only what `recipient` may be
        given: where that is nothing, there is no block but for a person who asks for everything.
        What is over comes only as of a time, in mode "exhaustive" or where its status is asked for.
        `turns` are asked for where there is no answer, and no memory says nearly all that is asked
        (`told_items`). With `history` each memory tells what it replaced, and what replaced it.
        `mode` is that of `search`; what was retired is never given.
        """
        from engram.recall.answer_item import answer_items, turn_items, without_neighbours
        from engram.recall.blocks import context_block
        from engram.recall.disputed import members, undisputed_or_whole
        from engram.recall.injection import is_given, is_told
        from engram.recall.told_items import (
            MOST_TURNS,
            NEARLY_ALL,
            is_telling,
            share_of,
            told_memories,
        )

        memories, day = self._memories, day_of(as_of or setting.now)
        statuses = in_force(as_of)
        query = checked(parse(question, setting.timezone, as_of))
        # of a day to come nothing is over yet
        told_on = min(day, day_of(setting.now))
        if query.statuses or mode == "exhaustive":
            told_on = ""

        def open_to(memory: Memory) -> bool:
            audience = memories.audience(memory.id)
            if recipient.person:
                return is_told(memory, audience, recipient, told_on)
            return is_given(memory, audience, recipient, day, statuses)

        found = self.best_memories(
            query, limit, setting, mode=mode or "usual", open_to=open_to, by_meaning="beside"
        )
        given = list(
            undisputed_or_whole(
                (self._as_it_stood(memory, query) for memory, _ in found),
                lambda memory: filter(open_to, memories.memories(memory.conflicts)),
            )
        )
        asked = self._question_words(query)
        shares = [share_of(asked, each) for each in given]
        said: list[FoundTurn] = []
        best = max(shares, default=0.0)
        if not answer and best < NEARLY_ALL:
            is_left_out = self._left_out(given, query, open_to)
            telling = (
                without_neighbours(one, is_left_out)
                for one in turns(asked)
                if is_telling(one.share, best) and not is_left_out(one.source.id, one.source.text)
            )
            said = list(islice(telling, min(limit, MOST_TURNS)))
        turn_shares = [one.share for one in said]
        # what vectors found need not have a word of the question
        if self._meaning is None:
            given = told_memories(given, shares, turn_shares)
        words = {one.id: f"{one.text}\n{one.quote}" for each in given for one in members(each)}
        if answer is not None:
            resting_on = {one.id for one in answer.source_memories if answer.found}
            given.sort(key=lambda each: resting_on.isdisjoint(one.id for one in members(each)))
        nothing = not (given or said or (answer and answer.source_memories))
        if nothing and (recipient.projects or not recipient.person):
            return ContextBlock(answer=answer)
        opening = answer_items(answer, words) if answer else ()

        def chain(memory: Memory) -> tuple[HistoryStep, ...]:
            if not history:
                return ()
            # imported here: few ask for it
            from engram.queries.chains import chains

            return chains(memories, self._projections, recipient, setting.timezone)(memory)

        block = context_block(
            question, given, budget, partial(_told, query), opening=opening,
            turns=turn_items(said), turns_first=max(turn_shares, default=0.0) > best,
            as_of=day if as_of else "", history=chain, timezone=setting.timezone,
        )  # fmt: skip
        if history:
            shown = memories.memories(block.shown)
            found_chains = ((memory.id, chain(memory)) for memory in shown)
            block = block._replace(history=tuple(one for one in found_chains if one[1]))
        return block._replace(answer=answer)

    def _left_out(
        self, given: Iterable[Given], query: Query, open_to: Callable[[Memory], bool]
    ) -> Callable[[str, str], bool]:
        """Whether a memory says all that is shown of the turn of a link, and is given, is not open
        to the one who asks, or was replaced by the time that is asked about."""
        from engram.recall.disputed import members
        from engram.recall.told_items import covers

        told = {memory.id for each in given for memory in members(each)}

        def ends(memory: Memory) -> bool:
            replaced = memory.status == "superseded"
            return replaced and not (query.as_of and query.was_true(memory))

        def is_left_out(link: str, shown: str) -> bool:
            kept = self._memories.memories(self._projections.catalog.cited_by(link))
            return any(
                covers(one, shown)
                for one in kept
                if one.id in told or not open_to(one) or ends(one)
            )

        return is_left_out

    def _question_words(self, query: Query) -> QuestionWords:
        from engram.recall.question_words import QuestionWords

        terms = query_terms(query.sought)
        telling = dict(zip(terms, self._index_sync.surprises(terms), strict=True))
        return QuestionWords.of(query.sought, telling.__getitem__)

    def _as_it_stood(self, memory: Memory, query: Query) -> Memory:
        """A memory with those that stood against it at the time that is asked about."""
        if not query.as_of or not memory.conflicts:
            return memory
        others = self._memories.memories(memory.conflicts)
        return replace(memory, conflicts=tuple(one.id for one in filter(query.was_true, others)))


def in_force(as_of: str) -> tuple[str, ...]:
    """The statuses of what stands, or stood at a time, without anybody's doubt."""
    return tuple(sorted(ONCE_TRUE - {"needs-review"})) if as_of else ("active",)


def _told(query: Query, memory: Memory) -> str:
    """The line of a memory's sections that a question is answered with; empty for none."""
    found = _telling_line(query, memory)
    return found.text if found else ""


def _telling_line(query: Query, memory: Memory) -> TellingLine | None:
    statement = f"{memory.title}\n{memory.text}"
    told = {*query_terms(statement, len(statement) + 1)}
    if not memory.sections or (query.form is None and told.issuperset(query_terms(query.sought))):
        return None  # the statement says all that is asked
    # imported here: most that is found needs it not
    from engram.recall.telling_section import telling_line

    return telling_line(memory, query.sought, query.form)


def _refuse_slips(query: Query) -> None:
    # imported here: few queries have such a word
    from engram.recall.mistyped_filters import mistyped_filter

    if slip := mistyped_filter(query.words):
        raise BadInput(slip.problem, slip.fix)


def checked(query: Query) -> Query:
    """A query whose schemas there are. Raises BadInput that lists them."""
    if query.unknown_schemas:
        raise BadInput(
            f"there is no schema {query.unknown_schemas[0]!r}", f"one of: {', '.join(SCHEMAS)}"
        )
    return query


def _asked(limit: int) -> int:
    return max(limit * _HEADROOM, _LEAST)
