"""What the index found -> an order for a reader, with the reasons in words.

A score is the match (its share of the best match of this query, 0..1) raised a little for what is
recent and what is important, and lowered for what belongs to another project: the current project
and what holds everywhere come first unless something elsewhere fits much better. So it is with the
records that a question of a known form asks for ("what did we decide ..."), where one is found.
The record of a session repeats what was said in it: it comes after a memory of the same turn that
answers nearly as well.
A turn counts more where words of the query stand in it side by side (`side_by_side`) and where a
memory cites it that answers (`citations`), less where an agent only reports what it does.
Scores are 0..1, comparable within one answer; equal ones are ordered by key. What the query keeps
out, and keys that nobody knows any more (the index may lag behind), are left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from engram.language.tokens import query_terms
from engram.model.hit import STANDING_IN, Collection, Found
from engram.model.instant import Day, Instant, local_day, minutes_between
from engram.model.memory import SESSION, Memory, importance_level, schema_name
from engram.recall.side_by_side import asked_words, share_side_by_side

if TYPE_CHECKING:
    from engram.model.tier import MemoryTier
    from engram.model.turn import Turn
    from engram.recall.query import Query

#: The most that being learnt just now, or mattering most, can add to a perfect match: enough to
#: order matches that are alike, too little to bring up one that is not.
RECENCY = 0.10
IMPORTANCE = 0.10
#: Days in which recency halves.
HALF_LIFE_DAYS = 60.0
#: What a match in another project is worth.
ELSEWHERE = 0.6
#: What a match in a low tier is worth: it gives way to one that matches nearly as well, and to no
#: weaker one, because an old fact may be the only answer.
FADED: dict[MemoryTier, float] = {"cold": 0.95, "archived": 0.9}
#: What a match is worth that is no record of the schema asked for, where there is one.
NOT_ASKED_FOR = 0.5
#: So much of the score of a session's record is nearly as well.
_NEARLY = 0.5
#: what such a record then scores less than that memory, and says of it
_LEAST, _REPEATS = 1e-6, "repeats a memory that goes before"
#: A memory without a word of the query has so much of it in other words: one that stands for one of
#: many tells nothing, and would keep from `recall` the turns that do.
STOOD_FOR = 1 / 3
#: The part of a match that is due to vectors.
MEANING_PART = "meaning"
#: The most that it adds to a turn that words of the query stand side by side in it: enough to bring
#: up what was typed word for word; and where an agent said them, who may only repeat them.
SIDE_BY_SIDE, REPEATED = 0.5, 0.25
#: The most that it adds to a turn that a memory cites it: a share of the best match.
CITED = 0.25
#: What an agent's turn is worth that is short and stands beside calls of tools.
REPORT = 0.8
#: These hold in every project.
_EVERYWHERE = frozenset({"user", "system"})


class Ranked(NamedTuple):
    """One answer: `why` names each part of the score in words.

    `instead` are the terms that stand in it for others that were asked for; `by_others`: nothing
    else of the question does.
    """

    key: str
    collection: Collection
    score: float
    why: tuple[str, ...]
    instead: tuple[str, ...] = ()
    by_others: bool = False

    def reasons(self, words: Sequence[str]) -> tuple[str, ...]:
        """`why`, with `words` that stand for those asked for, as they are in its text."""
        named = f": {', '.join(words)}" if words else ""
        return tuple(f"{one}{named}" if one.startswith(STANDING_IN) else one for one in self.why)


class Setting(NamedTuple):
    """Where and when a question is asked; `project` is empty outside of any.

    `timezone` is the vault's, in which days begin and end. `related`: words that mean nearly the
    same as those of the question are looked for, too.
    """

    now: Instant
    project: str = ""
    timezone: str = "UTC"
    related: bool = True

    @property
    def today(self) -> Day:
        """The day on which it is asked. Raises ValueError for a time zone that there is none of."""
        return local_day(self.now, self.timezone)


def fuse(lists: Iterable[Sequence[Found]]) -> list[Found]:
    """Several answers to one question as one: each counts as its share of its list's best.

    Scores of different queries are not comparable, so each list is put on a scale of its own
    first; a key that several lists hold adds up. Best first, scores 0..1, equal ones by key.
    """
    shares: defaultdict[tuple[str, Collection], float] = defaultdict(float)
    first: dict[tuple[str, Collection], Found] = {}
    for found in lists:
        best = max((hit.score for hit in found), default=0.0)
        for hit in found:
            shares[hit.key, hit.collection] += hit.score / best if best > 0 else 1.0
            first.setdefault((hit.key, hit.collection), hit)
    top = max(shares.values(), default=1.0)
    fused = [first[name]._replace(score=share / top) for name, share in shares.items()]
    return sorted(fused, key=lambda hit: (-hit.score, hit.key))


def rank_memories(
    query: Query,
    found: Iterable[Sequence[Found]],
    memories: Mapping[str, Memory],
    setting: Setting,
    limit: int,
    *,
    all_statuses: bool = False,
    tiers: Mapping[str, MemoryTier] = {},
) -> list[Ranked]:
    """The best memories for a query, at most `limit`; `memories` by the keys of `found`.

    Those whose `tiers` are given count less where they are low.
    """
    least = STOOD_FOR * len(query_terms(query.sought))
    fitting = [
        (hit, memory)
        for hit in fuse(found)
        if (memory := memories.get(hit.key))
        and len(hit.instead) >= (least if hit.by_others else 0)
        and query.admits(memory, all_statuses=all_statuses)
    ]
    asked_for = query.form.schema if query.form else ""
    if asked_for not in {schema_name(one) for _, one in fitting}:
        asked_for = ""
    ranked = []
    for hit, memory in fitting:
        added, factor, words = _memory_factors(memory, setting)
        if asked_for and schema_name(memory) != asked_for:
            factor, words = factor * NOT_ASKED_FOR, [*words, f"no {asked_for} (x{NOT_ASKED_FOR})"]
        tier = tiers.get(hit.key, "hot")
        if tier in FADED:
            factor, words = factor * FADED[tier], [*words, f"{tier} (x{FADED[tier]})"]
        score = hit.score * (1.0 + _sum(added)) / (1.0 + RECENCY + IMPORTANCE) * factor
        ranked.append(_ranked(hit, score, added, words))
    if asked_for != SESSION:
        ranked = _sessions_last(ranked, memories)
    return _best(ranked, limit)


def _sessions_last(ranked: Sequence[Ranked], memories: Mapping[str, Memory]) -> list[Ranked]:
    """Records of sessions below memories of the same turns that score nearly as well."""
    sessions = {one.key for one in ranked if schema_name(memories[one.key]) == SESSION}
    told: dict[str, float] = {}
    for one in ranked if sessions else ():
        for source in memories[one.key].sources if one.key not in sessions else ():
            told[source] = max(one.score, told.get(source, 0.0))
    lowered = []
    for one in ranked:
        if one.key in sessions:
            best = max((told.get(source, 0.0) for source in memories[one.key].sources), default=0.0)
            if one.score * _NEARLY <= best <= one.score:
                one = one._replace(score=best - _LEAST, why=(*one.why, _REPEATS))
        lowered.append(one)
    return lowered


def rank_newest(
    memories: Iterable[Memory], schema: str, setting: Setting, limit: int
) -> list[Ranked]:
    """The newest records, those of the current project first, for a question of form alone."""

    def place(memory: Memory) -> tuple[bool, str, str]:
        here = not setting.project or memory.project == setting.project
        return here, memory.created, memory.id

    ordered = sorted(memories, key=place, reverse=True)[: max(0, limit)]
    why = f"the newest {schema} first"
    return [
        Ranked(memory.id, "memories", round(1 - number / (len(ordered) + 1), 6), (why,))
        for number, memory in enumerate(ordered)
    ]


def rank_turns(
    query: Query,
    found: Iterable[Sequence[Found]],
    turns: Mapping[str, Turn],
    setting: Setting,
    limit: int,
    cited: Mapping[str, float] | None = None,
) -> list[Ranked]:
    """The best turns for a query, at most `limit`; `turns` by the keys of `found`.

    `cited` are those that a memory cites which answers, each with the memory's share of the best.
    """
    asked, shares = asked_words(query.text), cited or {}
    hits = fuse(found)
    known = {hit.key for hit in hits}
    hits += [Found(key, "turns", 0.0) for key in shares if key not in known]
    fitting: list[tuple[Found, Turn, list[tuple[float, str]]]] = []
    for hit in hits:
        if (turn := turns.get(hit.key)) and query.admits_turn(turn):
            added = [
                (hit.score * _side_by_side(asked, turn), "words side by side"),
                (CITED * shares.get(hit.key, 0.0), "a memory cites it"),
            ]
            fitting.append((hit, turn, [one for one in added if one[0] > 0]))
    most = max([1.0, *(hit.score + _sum(added) for hit, _, added in fitting)])
    ranked = []
    for hit, turn, added in fitting:
        factor, words = _place(turn.project, False, setting)
        if turn.may_report and turn.tools:
            factor, words = factor * REPORT, [*words, f"a report of progress (x{REPORT})"]
        ranked.append(_ranked(hit, (hit.score + _sum(added)) / most * factor, added, words))
    return _best(ranked, limit)


def _side_by_side(asked: Sequence[str], turn: Turn) -> float:
    most = SIDE_BY_SIDE if turn.by_person or turn.speaker else REPEATED
    return most * share_side_by_side(asked, turn.text)


def rank_pages(
    found: Iterable[Sequence[Found]], projects: Mapping[str, str], setting: Setting, limit: int
) -> list[Ranked]:
    """The best pages, at most `limit`; `projects` by the keys of `found`, empty for none."""
    ranked = []
    for hit in fuse(found):
        if hit.key in projects:
            factor, words = _place(projects[hit.key], False, setting)
            ranked.append(_ranked(hit, hit.score * factor, [], words))
    return _best(ranked, limit)


def _memory_factors(
    memory: Memory, setting: Setting
) -> tuple[list[tuple[float, str]], float, list[str]]:
    """What is added to a memory's match, the factor of its place, and the words for the latter."""
    added: list[tuple[float, str]] = []
    if memory.created:
        days = max(0.0, minutes_between(memory.created, setting.now) / 1440)
        added.append((RECENCY * 0.5 ** (days / HALF_LIFE_DAYS), _age(days)))
    importance = min(1.0, max(0.0, memory.importance))
    added.append((IMPORTANCE * importance, f"importance {importance_level(importance)}"))
    factor, words = _place(memory.project, memory.space in _EVERYWHERE, setting)
    return added, factor, words


def _place(project: str, everywhere: bool, setting: Setting) -> tuple[float, list[str]]:
    if everywhere:
        return 1.0, ["holds in every project"]
    if not setting.project or not project:
        return 1.0, []
    if project == setting.project:
        return 1.0, ["this project"]
    return ELSEWHERE, [f"project {project} (x{ELSEWHERE})"]


def _sum(added: Iterable[tuple[float, str]]) -> float:
    return sum(part for part, _ in added)


def _ranked(hit: Found, score: float, added: list[tuple[float, str]], place: list[str]) -> Ranked:
    why = [
        f"{_matching(hit)} {hit.score:.0%} as well as the best",
        *_parts(hit),
        *(f"{words} (+{part:.0%})" for part, words in added),
        *place,
    ]
    return Ranked(hit.key, hit.collection, round(score, 6), tuple(why), hit.instead, hit.by_others)


def _matching(hit: Found) -> str:
    """What of a document matches the question."""
    return "meaning matches" if [name for name, _ in hit.parts] == [MEANING_PART] else "words match"


def _parts(hit: Found) -> Iterator[str]:
    """What the match is made of, when that is more than its own words."""
    total = sum(value for _, value in hit.parts)
    if total > 0 and [name for name, _ in hit.parts] not in (["words"], [MEANING_PART]):
        for name, value in hit.parts:
            yield f"{name} {value / total:.0%} of it"


def _best(ranked: list[Ranked], limit: int) -> list[Ranked]:
    return sorted(ranked, key=lambda one: (-one.score, one.key))[: max(0, limit)]


def _age(days: float) -> str:
    whole = int(days)
    if whole < 1:
        return "learnt today"
    return "learnt yesterday" if whole == 1 else f"learnt {whole} days ago"
