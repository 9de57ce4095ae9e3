"""Memory Boxes: a pure fold over the memories of one conversation (seed 003, design 5.9).

The memories of one session and project are taken in the order in which they were said. A box ends
before the memory that comes after too long a gap, that would be one too many, or with which the
topic shifts (in this order, so that the reason given is the right one); the rest is the open box.
No state is kept between two runs: the open box is what no sealed box holds.

A topic shift needs evidence. The tags of single sentences hardly ever agree, and a remark between
two sentences on a topic is no new topic. So a shift is found when the next few memories together
leave the former topics, and on one side of the border there is a topic at all: one that two
memories share. Where the next few are not known yet the box stays open.

Guarantees: every memory that has a source and a time is in exactly one sealed box, or in the open
one; the order in which memories are passed does not matter; a fold of all of them seals what folds
of parts of them do, one part after another, as long as nothing was sealed early. The id of a box
comes from its first memory; its title is given where the conversation is known (`box_title`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice, pairwise

from engram.language.spelling import preferred, spellings
from engram.model.box import Box
from engram.model.entity import TYPES
from engram.model.ids import without_digest
from engram.model.instant import Instant, minutes_between
from engram.model.markdown import inert_line
from engram.model.memory import CATEGORIES, Memory
from engram.model.settings import BoxSettings
from engram.model.text import first_line, overlap, sha256_text
from engram.model.turn import Turn

#: topics of one memory at most, and of a box: a longer list says nothing
MEMORY_TOPICS, BOX_TOPICS = 16, 8
#: Topics are compared with those of the last memories, not with the whole box: its list only grows,
#: until it shares something with everything and no shift is found.
RECENT = 5
#: how many memories must leave a topic together
AHEAD = 3
#: seed 003: the goal of a box is the beginning of the first user turn
GOAL_LENGTH = 100

Topics = tuple[str, ...]


def topics_of(memory: Memory) -> Topics:
    """What a memory is about: its tags and the names of its entities, lower case.

    A category is no topic: two facts about different things share nothing by being facts. A name
    with letters that an id has not is taken as the statement writes it.
    """
    tags = [tag.strip().lower() for tag in memory.tags]
    names = [_bare_name(entity) for entity in memory.entities]
    if not memory.text.isascii():
        names = [_written(name, memory.text) for name in names]
    topics = (topic for topic in (*tags, *names) if topic and topic not in CATEGORIES)
    return tuple(dict.fromkeys(topics))[:MEMORY_TOPICS]


def line_of(memory: Memory) -> str:
    """First line of a memory as a box lists it."""
    return inert_line(first_line(memory.text))


def fold(
    memories: Iterable[Memory], settings: BoxSettings, *, seal: str = "", ahead: int = AHEAD
) -> tuple[list[Box], Box | None]:
    """The sealed boxes of one session and project, oldest first, and the open one.

    With a `seal` no further memory is waited for: the open box is sealed for that reason. Memories
    without a source or a time are left out: they belong to no conversation.
    """
    placed = [memory for memory in memories if memory.created and memory.conversation]
    placed.sort(key=lambda memory: (memory.created, memory.id))
    stretches = _stretches(placed, settings)
    sealed: list[Box] = []
    for number, stretch in enumerate(stretches, 1):
        last = number == len(stretches)
        start = 0
        for end, reason in _borders(stretch, settings, ahead, open_end=last and not seal):
            sealed.append(_box(stretch[start:end], reason))
            start = end
        if last and not seal:
            return sealed, _box(stretch[start:])
        sealed.append(_box(stretch[start:], seal if last else "time_gap"))
    return sealed, None


def weave(
    memories: Iterable[Memory],
    settings: BoxSettings,
    now: Instant = "",
    *,
    seal: str = "",
    beginning: Callable[[str], Iterable[Turn]] = lambda _: (),
    waiting: Collection[str] = (),
) -> tuple[list[Box], list[Box]]:
    """The sealed and the open boxes of many sessions and projects, in the order of their time.

    A session that has been silent for the gap by `now` is sealed for it, unless in `waiting`; any
    other for `seal`, if that is given. `beginning` gives the first user turns of a session; how the
    first begins is the goal of the boxes.
    """
    streams: dict[tuple[str, str], list[Memory]] = defaultdict(list)
    for memory in memories:
        streams[memory.conversation, memory.project].append(memory)
    sealed: list[Box] = []
    still_open: list[Box] = []
    for (session, _), stream in streams.items():
        last = max(memory.created for memory in stream)
        heard = bool(now and last) and session not in waiting
        silent = heard and minutes_between(last, now) >= settings.gap_minutes
        done, left = fold(stream, settings, seal="time_gap" if silent else seal)
        first = next(iter(beginning(session)), None) if done or left else None
        goal = goal_of(first.text) if first else ""
        sealed += (replace(box, goal=goal) for box in done)
        still_open += [replace(left, goal=goal)] if left else []
    return sorted(sealed, key=in_time), sorted(still_open, key=in_time)


def goal_of(said: str) -> str:
    """How a turn begins, on one line: it ends at a word, and within no bracket that is open."""
    line = " ".join(said.split())
    if len(line) > GOAL_LENGTH:
        line = line[: GOAL_LENGTH + 1].rpartition(" ")[0] or line[:GOAL_LENGTH]
        for opened, closed in ("()", "[]", "{}"):
            place = line.rfind(opened)
            if place > line.rfind(closed) and place > GOAL_LENGTH // 3:
                line = line[:place]
    return inert_line(line.rstrip(" ,;:([{"))


def without(box: Box, names: Collection[str], held: Sequence[Memory]) -> Box | None:
    """A box without these memories, its title as it is; None when none is left in it.

    `held` are its memories as far as they are known.
    """
    lines = tuple(line for line in box.lines if line[0] not in names)
    if not lines:
        return None
    left = [memory for memory in held if memory.id not in names]
    topics = _most_frequent(left)
    said = {_outcome([memory]) for memory in held if memory.id in names}
    return replace(
        box,
        lines=lines,
        topics=topics,
        outcome=_outcome(left) if box.outcome in said else box.outcome,
    )


def in_time(box: Box) -> tuple[Instant, str]:
    """Sort key of boxes: the order in which they began; no two are equal."""
    return box.created, box.id


def box_id(session: str, project: str, first: str) -> str:
    """`box-<digest8>`: a function of session, project and first memory."""
    return f"box-{sha256_text(chr(31).join((session, project, first)))[:8]}"


def _stretches(memories: Sequence[Memory], settings: BoxSettings) -> list[Sequence[Memory]]:
    """Memories in order, cut at every gap that is too long."""
    cuts = [
        number
        for number, (one, other) in enumerate(pairwise(memories), 1)
        if minutes_between(one.created, other.created) >= settings.gap_minutes
    ]
    ends = [*cuts, len(memories)] if memories else []
    return [memories[start:end] for start, end in zip([0, *cuts], ends, strict=False)]


def _borders(
    stretch: Sequence[Memory], settings: BoxSettings, ahead: int, *, open_end: bool
) -> Iterator[tuple[int, str]]:
    """The index and reason of each box's end in a stretch; with an open end, those certain."""
    topics = [topics_of(memory) for memory in stretch]
    start = 0
    for here in range(1, len(stretch)):
        if open_end and len(stretch) - here < ahead:
            return
        # memories of one message stay together, as far as there is room
        parted = stretch[here].sources[0] != stretch[here - 1].sources[0]
        before, after = topics[start:here], topics[here : here + ahead]
        if len(before) >= max(1, settings.max_memories):
            start = here
            yield here, "max_memories"
        elif parted and _topic_shifts(before, after, settings.topic_shift, min(2, ahead)):
            start = here
            yield here, "topic_shift"


def _topic_shifts(
    before: Sequence[Topics], after: Sequence[Topics], threshold: float, subject: int
) -> bool:
    """Whether the topics shift here: at once, for a while, and towards or away from a topic.

    A topic counts when so many memories on one side share it. Without topics there is no shift.
    """
    recent = list(islice(filter(None, reversed(before)), RECENT))
    known = set(chain(*recent))
    if not known or not after[0]:
        return False
    shared = max(count for side in (recent, after) for count in Counter(chain(*side)).values())
    return (
        shared >= subject
        and overlap(known, after[0]) < threshold
        and overlap(known, chain(*after)) < threshold
    )


def _box(memories: Sequence[Memory], seal: str = "") -> Box:
    first, last = memories[0], memories[-1]
    topics = _most_frequent(memories)
    session = first.conversation
    return Box(
        id=box_id(session, first.project, first.id),
        lines=tuple((memory.id, line_of(memory)) for memory in memories),
        created=first.created,
        sealed=last.created,
        session=session,
        project=first.project,
        topics=topics,
        seal=seal,
        outcome=_outcome(memories),
    )


def _written(name: str, text: str) -> str:
    """A name as the text writes it, where it has other letters there."""
    found = preferred(spellings([text], [name]), "")
    return without_digest(name) if found.isascii() else found.casefold()


def _bare_name(entity: str) -> str:
    """`tool-postgres` -> `postgres`, as a tag says it."""
    kind, _, name = entity.lower().partition("-")
    return name if name and kind in TYPES else entity.lower()


def _most_frequent(memories: Sequence[Memory]) -> Topics:
    """The topics of most memories; among equals the first."""
    counts = Counter(topic for memory in memories for topic in topics_of(memory))
    return tuple(topic for topic, _ in counts.most_common(BOX_TOPICS))


def _outcome(memories: Sequence[Memory]) -> str:
    """The last memory that states an outcome, in its own words; nothing is inferred."""
    said = (memory.extras.get("outcome", "") for memory in reversed(memories))
    return next((inert_line(outcome) for outcome in said if outcome), "")
