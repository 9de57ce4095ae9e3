"""The text of a query -> words, phrases, exclusions and filters; and what those let through.

    postgres "two writers" -sqlite migrat* category:decision project:shop since:2026-03 tag:db

Words are for the index; one that ends with `*` stands for all that begin like it. Phrases must
stand in the text, exclusions must not; filters must hold (`category schema project status tag kind
space entity source since before`). A schema may be written by its beginning (`schema:dec`); one
that there is none of is kept apart (`unknown_schemas`), for whoever asks to refuse.
Days that the words speak of ("in March", "last week") count for what was said then; a question for
a time (`asked`) looks for words of time, and one of a known form ("what did we decide about") asks
for records of a schema (`question_forms`).
Every text is a query: an unbalanced quote runs to the end, and what only looks like a filter
(`https://a.b`, `category:nonsense`, `since:soon`) is a word. `-5` and `--force` are words too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from engram.model.hit import Hints
from engram.model.instant import Day, local_day, plus_days
from engram.model.memory import CATEGORIES, LIVE, SCHEMAS, SPACES, STATUSES, Memory, schema_name
from engram.model.text import normalise
from engram.model.validity import ONCE_TRUE, is_valid_as_of, was_by
from engram.recall.asked import past_readings, what_is_asked

if TYPE_CHECKING:
    from engram.model.turn import Turn
    from engram.recall.question_forms import QuestionForm

#: What is longer than this is a pasted page: only its beginning is the query.
MAX_QUERY = 20_000
#: so many days of which a question speaks count
_MOST_SPANS = 8
#: a span of days that is less certain does not count
_SURE = 0.6
#: words that ask for a name
_NAMES = frozenset({"who", "whom", "whose", "where", "which"})

_ITEM = re.compile(r'(-?)(?:(\w+):)?"([^"]*)(?:"|$)|(\S+)')
_FILTER = re.compile(r"(\w+):(.+)", re.DOTALL)
_EXCLUDED = re.compile(r"-(?=[^\W\d])")
#: the beginning of a word, of at least two letters or digits
_PREFIX = re.compile(r"([^\W_]{2,60})\*")
_DAY = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")

#: the fields beside those of filters
_LISTS = ("words", "prefixes", "phrases", "excluded", "unknown_schemas")
#: filter -> the field it fills, and the values it takes when they are a closed list
_VALUES: dict[str, tuple[str, tuple[str, ...]]] = {
    "category": ("categories", CATEGORIES),
    "schema": ("schemas", SCHEMAS),
    "project": ("projects", ()),
    "status": ("statuses", STATUSES),
    "tag": ("tags", ()),
    "kind": ("kinds", ("episode", "note")),
    "space": ("spaces", SPACES),
    "entity": ("entities", ()),
    "source": ("sources", ()),
}


class Query(NamedTuple):
    """A parsed query. Of several values of one filter any will do; of several tags, all must.

    `prefixes` are beginnings of words; an entity is named as in the header (`tool-postgres`) or by
    its name alone; a source by the agent whose conversation it was. `form` is that of the words.
    `since` is the first day that counts, `before` the first that does not; both empty when open.
    `as_of`, an Instant or a Day, asks for what was true and said by then; it is none of the words.
    Days are those of `timezone`.
    """

    words: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    spaces: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    since: Day = ""
    before: Day = ""
    schemas: tuple[str, ...] = ()
    unknown_schemas: tuple[str, ...] = ()
    form: QuestionForm | None = None
    timezone: str = "UTC"
    as_of: str = ""

    @property
    def sought(self) -> str:
        """What memories are asked for: the words without those of a question's form."""
        if self.form is None:
            return self.text
        return " ".join(filter(None, (self.form.about, *self.phrases)))

    @property
    def text(self) -> str:
        """What the index is asked for; empty when the query has filters or exclusions only."""
        return " ".join((*self.words, *self.phrases))

    @property
    def asks(self) -> bool:
        """Whether there is anything to look for in the index."""
        return bool(self.text or self.prefixes)

    def loose(self) -> Query:
        """The same query with the words of its phrases as words."""
        return self._replace(words=(*self.words, *self.phrases), phrases=())

    def hints(self, today: Day, *, related: bool = True) -> Hints:
        """What the index is told beside the words; with `related` to look for related ones."""
        asked = what_is_asked(self.text, today)
        sure = [span for span in asked.spans if span.confidence >= _SURE]
        spans = (*((span.start, span.end) for span in sure), *past_readings(sure, today))
        named = not _NAMES.isdisjoint(self.text.casefold().split())
        return Hints(
            self.prefixes, spans[:_MOST_SPANS], self.since, self.before, bool(asked.wanted), named,
            related,
        )  # fmt: skip

    def turn_hints(self, today: Day, *, related: bool = True) -> Hints:
        """The same for turns, of which nothing counts that was said after the time asked about."""
        hints = self.hints(today, related=related)
        if not self.as_of or self.as_of >= "9999":
            return hints
        # no time zone is further from UTC than a day
        after = plus_days(self.as_of, 2)
        return hints._replace(before=min(after, hints.before or after))

    def admits(self, memory: Memory, *, all_statuses: bool = False) -> bool:
        """Whether phrases, exclusions and filters let a memory through.

        Without `status:`, only live ones pass unless `all_statuses` (design 5.20); as of a time
        also those that were replaced since.
        """
        usual = ONCE_TRUE if self.as_of else LIVE
        statuses = self.statuses or (STATUSES if all_statuses else usual)
        return (
            memory.status in statuses
            and _any(memory.category, self.categories)
            and _any(schema_name(memory), self.schemas)
            and _any(memory.project, self.projects)
            and _any(memory.kind, self.kinds)
            and _any(memory.space, self.spaces)
            and self._dated(memory.created)
            and self._tagged(memory.tags)
            and self._about(memory.entities)
            and self._from(memory.sources)
            and self.was_true(memory)
            and self._says(f"{memory.title}\n{memory.text}\n{memory.quote}")
        )

    def was_true(self, memory: Memory) -> bool:
        """Whether a memory was true at the time that is asked about, where one is."""
        return not self.as_of or is_valid_as_of(memory, self.as_of)

    def admits_turn(self, turn: Turn) -> bool:
        """The same for a turn: it has no category, status or tag, so a filter on one refuses it."""
        return (
            not (self.categories or self.schemas or self.statuses or self.tags or self.kinds)
            and not (self.spaces or self.entities)
            and _any(turn.project, self.projects)
            and self._from([turn.transcript])
            and self._dated(turn.time)
            and (not self.as_of or was_by(turn.time, self.as_of))
            and self._says(turn.text)
        )

    def admits_page(
        self, category: str, project: str, day: Day, text: str, ended: str = ""
    ) -> bool:
        """The same for a page (its `category` says which): no status or tag, maybe no day.

        As of a time only what had `ended`: what else is on a page may have come later.
        """
        return (
            not (self.schemas or self.statuses or self.tags or self.kinds)
            and not (self.spaces or self.entities or self.sources)
            and _any(category, self.categories)
            and _any(project, self.projects)
            and self._within(day)
            and (not self.as_of or was_by(ended, self.as_of))
            and self._says(text)
        )

    def _dated(self, created: str) -> bool:
        return self._within(local_day(created, self.timezone))

    def _within(self, day: Day) -> bool:
        return day >= self.since and (not self.before or "" < day < self.before)

    def _tagged(self, tags: Iterable[str]) -> bool:
        return {tag.casefold() for tag in self.tags} <= {tag.casefold() for tag in tags}

    def _about(self, entities: Iterable[str]) -> bool:
        """Whether one of the entities that are asked for is among these."""
        named = {name for entity in entities for name in (entity, entity.partition("-")[2])}
        return not self.entities or not named.isdisjoint(self.entities)

    def _from(self, links: Iterable[str]) -> bool:
        return not self.sources or any(
            link.startswith(f"{source}-") for link in links for source in self.sources
        )

    def _says(self, text: str) -> bool:
        if not (self.phrases or self.excluded):
            return True
        normal = normalise(text)
        return all(_stands_in(normal, phrase) for phrase in self.phrases) and not any(
            _stands_in(normal, phrase) for phrase in self.excluded
        )


def parse(text: str, timezone: str = "UTC", as_of: str = "") -> Query:
    """The query that a text means, of a time or of now, its days in a time zone that is known.

    Never raises.
    """
    lists = (field for field, _ in _VALUES.values())
    parts: dict[str, list[str]] = {name: [] for name in (*_LISTS, *lists, "since", "before")}
    for match in _ITEM.finditer(text[:MAX_QUERY]):
        minus, name, quoted, bare = match.groups()
        if bare is None:
            _take_quoted(parts, minus, name, quoted)
        else:
            _take_bare(parts, bare)
    since, before = parts.pop("since"), parts.pop("before")
    return Query(
        **{name: tuple(dict.fromkeys(values)) for name, values in parts.items()},
        since=max(since, default=""),
        before=min(before, default=""),
        form=_form(parts["words"]),
        timezone=timezone,
        as_of=as_of,
    )


def _form(words: list[str]) -> QuestionForm | None:
    """The form of a question, which has two words at least."""
    if not words[1:]:
        return None
    # imported here: its patterns take a while
    from engram.recall.question_forms import form_of

    return form_of(" ".join(words))


def _take_quoted(parts: dict[str, list[str]], minus: str, name: str | None, quoted: str) -> None:
    if name and not minus and _take_filter(parts, name, quoted):
        return
    if name:
        parts["words"].append(name)
    if normalise(quoted):
        parts["excluded" if minus else "phrases"].append(quoted)


def _take_bare(parts: dict[str, list[str]], bare: str) -> None:
    if match := _FILTER.fullmatch(bare):
        if _take_filter(parts, match[1], match[2]):
            return
    elif match := _EXCLUDED.match(bare):
        parts["excluded"].append(bare[match.end() :])
        return
    elif match := _PREFIX.fullmatch(bare):
        parts["prefixes"].append(match[1].casefold())
        return
    parts["words"].append(bare)


def _take_filter(parts: dict[str, list[str]], name: str, value: str) -> bool:
    """Whether `name:value` is a filter; a comma separates values."""
    name = name.casefold()
    if name in ("since", "before"):
        day = _day(value)
        if day:
            parts[name].append(day)
        return bool(day)
    if name not in _VALUES:
        return False
    field, known = _VALUES[name]
    values = [part.casefold() for part in value.split(",") if part]
    if name == "schema":
        for part in values:
            meant = _schemas_with(part)
            parts[field if meant else "unknown_schemas"] += meant or [part]
        return bool(values)
    if not values or (known and not set(values) <= set(known)):
        return False
    parts[field] += values
    return True


def _schemas_with(beginning: str) -> list[str]:
    """The schema of that name, else the only one that begins so; `-` and `_` are the same."""
    wanted = beginning.replace("-", "_")
    found = [name for name in SCHEMAS if name == wanted] or [
        name for name in SCHEMAS if name.startswith(wanted)
    ]
    return found if len(found) == 1 else []


def _day(text: str) -> Day:
    """`2026`, `2026-03` or `2026-03-06` as its first day; empty for anything else."""
    match = _DAY.fullmatch(text)
    if match is None:
        return ""
    try:
        return date(int(match[1]), int(match[2] or 1), int(match[3] or 1)).isoformat()
    except ValueError:
        return ""


def _any(value: str, wanted: tuple[str, ...]) -> bool:
    return not wanted or value.casefold() in wanted


#: each is looked for in thousands of texts
_normal_phrase = lru_cache(maxsize=256)(normalise)


def _stands_in(normal: str, phrase: str) -> bool:
    """Whether a phrase stands in normalised text, not within a longer word of its own script."""
    wanted = _normal_phrase(phrase)
    before = r"(?<![a-z0-9])" if wanted[:1].isascii() and wanted[:1].isalnum() else ""
    after = r"(?![a-z0-9])" if wanted[-1:].isascii() and wanted[-1:].isalnum() else ""
    return bool(wanted) and re.search(before + re.escape(wanted) + after, normal) is not None
