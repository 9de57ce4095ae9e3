"""Summary: a page that tells in few lines what a cluster of related memories says.

Each line names the memories that it comes from and follows them: `without_memories` is the page
that is left when some of them are forgotten or destroyed. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeVar

from engram.model.text import first_line, normalise

if TYPE_CHECKING:
    from engram.model.instant import Day, Instant

SummaryStatus = Literal["active", "superseded"]

#: a page of fewer sources tells nothing that they do not tell themselves
_FEWEST = 2
#: characters of a title that is made of a line
_TITLE = 80


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """One line of a summary, and the ids of the memories that it comes from (at least one)."""

    text: str
    memories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SummaryDecision:
    """A decision, why it was taken and what came of it; `reason` and `outcome` may be empty."""

    decision: str
    reason: str
    outcome: str
    memories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReplacedFact:
    """What was so, and what holds instead; `memories` are the replaced and their successors."""

    old: str
    new: str
    memories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary as its file says it; `id` is `sum-<digest8>` of the sources and their content.

    `created` is when the page was made, `first` and `last` are the days of its oldest and newest
    source; `space` and `project` are those of all its sources. `summary` are its first lines (two
    or three sentences by a model), `consolidates` the ids of its sources, oldest first.
    `confidence` is computed, 0 to 1; `model` is who wrote it, empty for the memories' own lines.
    One that a newer page took the place of has `superseded_by`, and the newer one `supersedes`.
    `edited`: a person changed lines of it, and it is theirs from then on.
    """

    id: str
    title: str
    created: Instant
    first: Day
    last: Day
    consolidates: tuple[str, ...]
    summary: tuple[SummaryLine, ...] = ()
    facts: tuple[SummaryLine, ...] = ()
    decisions: tuple[SummaryDecision, ...] = ()
    replaced: tuple[ReplacedFact, ...] = ()
    confidence: float = 0.0
    model: str = ""
    space: str = "user"
    project: str = ""
    status: SummaryStatus = "active"
    supersedes: tuple[str, ...] = ()
    superseded_by: str = ""
    edited: bool = False
    path: str = ""

    @property
    def lines(self) -> Iterator[SummaryPart]:
        """All that it says, in the order of the page."""
        yield from self.summary
        yield from self.facts
        yield from self.decisions
        yield from self.replaced

    @property
    def told(self) -> tuple[str, ...]:
        """The memories that its lines come from; a source that no line tells is not among them."""
        return tuple(dict.fromkeys(name for line in self.lines for name in line.memories))

    @property
    def memories(self) -> tuple[str, ...]:
        """Its sources, and all else that its lines come from: what replaced facts were told by."""
        return tuple(dict.fromkeys((*self.consolidates, *self.told)))


SummaryPart = SummaryLine | SummaryDecision | ReplacedFact
_Part = TypeVar("_Part", SummaryLine, SummaryDecision, ReplacedFact)


def without_memories(page: Summary, lost: Collection[str]) -> Summary | None:
    """The page without some memories and without each line that comes from any of them.

    A line of several may need the words of each. A title with a word that only lost lines have
    becomes the first line that is left. None: fewer than two sources, or no line of the summary, is
    left. One that a person edited is superseded then, unless nothing of it is left.
    """
    if not set(lost).intersection(page.memories):
        return page
    left = replace(
        page,
        consolidates=tuple(name for name in page.consolidates if name not in lost),
        summary=_without(page.summary, lost),
        facts=_without(page.facts, lost),
        decisions=_without(page.decisions, lost),
        replaced=_without(page.replaced, lost),
    )
    left = replace(left, title=_title(page, left))
    if len(left.consolidates) >= _FEWEST and left.summary:
        return left
    return replace(left, status="superseded") if page.edited and any(left.lines) else None


def _without(lines: tuple[_Part, ...], lost: Collection[str]) -> tuple[_Part, ...]:
    return tuple(line for line in lines if not set(lost).intersection(line.memories))


def _title(page: Summary, left: Summary) -> str:
    """The title, unless a word of it stands in none but the lines that are lost."""
    lost = _words(page) - _words(left)
    if lost.isdisjoint(normalise(page.title).split()):
        return page.title
    return next((first_line(texts_of(line)[0], _TITLE) for line in left.lines), "")


def _words(page: Summary) -> set[str]:
    said = (text for line in page.lines for text in texts_of(line))
    return {word for text in said for word in normalise(text).split()}


def texts_of(line: SummaryPart) -> tuple[str, ...]:
    """What a line says, in the order of the page."""
    if isinstance(line, SummaryDecision):
        return line.decision, line.reason, line.outcome
    return (line.text,) if isinstance(line, SummaryLine) else (line.old, line.new)
