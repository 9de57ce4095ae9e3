"""Plain sentences: events that say one thing of a memory -> that thing, from a table.

    memory_replaced_in_part, by=decision-...  ->  "“We use uv.” replaced a part of it"

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from engram.model.trace import FORGET

#: of events with a plain sentence: `{name}` is a detail, `{name:memory}` the memory that it names
PLAIN: Mapping[str, str] = {
    FORGET: "Nobody confirmed it in time",
    "memory_fulfilled": "It was said that this is done",
    "memory_updated": "More was said about it: {fields}",
    "memory_replaced_in_part": "{by:memory} replaced a part of it",
    "memory_disputed": "{by:memory} contradicts it; `engram review` asks which holds",
    "memory_restored": "You restored it; it was {was}",
    "promotion_declined": "You said that it stays where it is",
    "contradiction_settled": "You said that both hold: it, and {with:memory}",
    "refusal_kept": "It had been refused ({code}); you kept it all the same",
    "memory_collected": "Its file was moved away: it was out of use since {retired}",
    "retirement_dated": "It was noted since when it is out of use",
    "memory_purged": "You had its words destroyed",
    "copy_reunited": "A copy of its file that a sync tool had left was brought together with it",
    "copy_kept": "A copy of its file says something else; `engram review` asks which holds",
}


def plain_sentence(name: str, details: Mapping[str, str], named: Callable[[str], str]) -> str:
    """The sentence of an event of the table; `named` gives other memories in words."""
    return PLAIN[name].format_map(_Details(details, named))


class _Details(dict[str, object]):
    """Details as a plain sentence takes them; what an older version did not log is left out."""

    def __init__(self, details: Mapping[str, str], named: Callable[[str], str]) -> None:
        super().__init__({key: _Detail(value, named) for key, value in details.items()})
        self._named = named

    def __missing__(self, key: str) -> object:
        return _Detail("", self._named)


class _Detail(NamedTuple):
    value: str
    named: Callable[[str], str]

    def __format__(self, form: str) -> str:
        return self.named(self.value) if form == "memory" else self.value or "not known"
