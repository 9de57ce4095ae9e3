"""Question about a cluster: sources of a summary -> what a model is asked, and was shown.

    m2 2026-03-04 decision: We use RS256 for tokens.
       reason: the gateway can check them without the secret
    m3 2026-03-01 fact: Tokens are signed with HS256. (superseded by m2)

Guarantees: a source is one line with its reasons below, so that none can pretend to be another; the
fence cannot be closed from inside; the question fits into one call, for which long sources are cut;
equal sources give equal bytes. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engram.consolidate.summary_sources import SummarySources, said
from engram.consolidate.summary_text import MOST_SHARE
from engram.model.instant import local_day
from engram.model.memory import Memory
from engram.model.model_request import Request, fenced, prompt_of, strict_object
from engram.model.summary_identity import reasons_of
from engram.model.text import tokens_of

PROMPT, KEY, BELONGS = "summary", "summary", "belongs"
#: as much of one statement, reason or outcome is shown, characters
_MOST_TEXT = 1_000
#: a text is not cut below so many characters
_LEAST_TEXT = 200
#: room for the fence, and for what redaction makes longer, tokens
_SPARE_TOKENS = 300
#: characters of a word and the blank behind it
_WORD = 7
#: the share of what is allowed that is asked for: who writes counts roughly
_ASKED_FOR = 0.8
_TEXT = {"type": "string"}
_SOURCES = {"type": "array", "items": _TEXT}
_LINES = {"type": "array", "items": strict_object({"text": _TEXT, "sources": _SOURCES})}
_DECISION = {"decision": _TEXT, "reason": _TEXT, "outcome": _TEXT, "sources": _SOURCES}
_REPLACED = {"old": _TEXT, "new": _TEXT, "sources": _SOURCES}
SCHEMA = strict_object({
    BELONGS: _SOURCES,
    KEY: _LINES,
    "key_facts": _LINES,
    "decisions": {"type": "array", "items": strict_object(_DECISION)},
    "replaced": {"type": "array", "items": strict_object(_REPLACED)},
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class ShownMemory:
    """A source as a model was shown it: its name, its day and its texts; what replaced it."""

    name: str
    memory: Memory
    day: str
    texts: tuple[str, ...]
    superseded_by: str = ""

    @property
    def lines(self) -> list[str]:
        """What a line that names this source is held against."""
        mark = " (superseded)" if self.superseded_by else ""
        return [f"{self.day}: {self.texts[0]}{mark}", *filter(None, self.texts[1:])]

    def __str__(self) -> str:
        """Its lines in the question."""
        mark = f" (superseded by {self.superseded_by})" if self.superseded_by else ""
        parts = [f"{self.name} {self.day} {self.memory.category}: {self.texts[0]}{mark}"]
        for label, text in zip(("reason", "outcome"), self.texts[1:], strict=True):
            parts += [f"   {label}: {text}"] if text else []
        return "\n".join(parts)


@dataclass(frozen=True, slots=True)
class SummaryQuestion:
    """The request, the sources that it is about, and all that it shows by their names in it."""

    request: Request
    sources: SummarySources
    shown: Mapping[str, ShownMemory]

    @property
    def room(self) -> int:
        """How long the answer may be, characters."""
        return int(MOST_SHARE * self.sources.length)

    @property
    def id(self) -> str:
        """The id of the page that the answer is for."""
        return self.request.subject

    def about(self, names: Collection[str]) -> SummaryQuestion:
        """The same question, held against these of its sources and what they replaced."""
        told = tuple(
            one.memory for one in self.shown.values() if one.name in names and not one.superseded_by
        )
        mine = {one.id for one in told}
        replaced = tuple(pair for pair in self.sources.replaced if pair[1].id in mine)
        mine |= {old.id for old, _ in replaced}
        shown = {name: one for name, one in self.shown.items() if one.memory.id in mine}
        return replace(self, sources=SummarySources(told, replaced), shown=shown)

    def again(self, faults: Sequence[str]) -> Request:
        """The same question once more, with what was wrong with the first answer."""
        told = "\n".join(f"- {fault}" for fault in faults)
        note = f"Your answer was not taken:\n{told}\nWrite it again without these faults."
        return replace(self.request, text=f"{self.request.text}\n\n{note}")


def question_of(
    sources: SummarySources, prompt: Mapping[str, Any], most: int, timezone: str
) -> SummaryQuestion:
    """The question about these sources; `most` tokens fit. Raises ConfigError for no prompt."""
    version, instructions = prompt_of(prompt, PROMPT)
    own = tokens_of(instructions) + tokens_of(str(SCHEMA)) + _SPARE_TOKENS
    many = len(sources.told)
    words = int(_ASKED_FOR * MOST_SHARE * sources.length) // _WORD
    last = (
        f"All texts together: at most {words} words where all {many} notes belong,"
        f" at most {words // many} for each that belongs where fewer do."
    )
    width = _MOST_TEXT
    shown = _shown(sources, width, timezone)
    while tokens_of("\n".join(map(str, shown))) > most - own and width > _LEAST_TEXT:
        width = max(width * 3 // 4, _LEAST_TEXT)
        shown = _shown(sources, width, timezone)
    text = fenced("\n".join([*map(str, shown), "", last]))
    request = Request(
        version, instructions, text, SCHEMA, KEY, subject=sources.id, turns=len(shown)
    )
    return SummaryQuestion(request, sources, {one.name: one for one in shown})


def _shown(sources: SummarySources, width: int, timezone: str) -> list[ShownMemory]:
    """The sources and what they replaced, the oldest first, named in that order."""
    heirs = {old.id: new.id for old, new in sources.replaced}
    known = {one.id: one for one in (*sources.told, *(old for old, _ in sources.replaced))}
    ordered = sorted(known.values(), key=lambda one: (one.created, one.id))
    names = {one.id: f"m{number}" for number, one in enumerate(ordered, 1)}
    return [
        ShownMemory(
            names[one.id],
            one,
            local_day(one.created, timezone),
            tuple(_cut(text, width) for text in (said(one), *reasons_of(one))),
            names[heirs[one.id]] if one.id in heirs else "",
        )
        for one in ordered
    ]


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[:width]} [...]"
