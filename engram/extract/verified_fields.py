"""A drafted record -> what of it stands in the excerpt that the model was shown.

Every number, date, version, link, path, identifier and name of a field has to stand there, and half
of its other words; no field may give an agent an order that nobody gave. A field or an item goes
that does not hold to this. The
statement is held to the sentences it quotes as well (`llm/support`): another number than theirs, a
denial turned round, swapped names make it untrue, and the draft with it. What is sound and poor is
kept with an advisory. Pure; time grows with record and excerpt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from engram.extract.llm.support import Shown
from engram.language.agent_orders import added_order
from engram.language.hidden_text import without_hidden_signs
from engram.language.numerals import has_other_numbers, number_words_of, values_of
from engram.language.same_language import same_language
from engram.language.supported import DAY, LEAST_SHARED, LINK, PATH, new_names
from engram.language.swapped import is_reversed
from engram.language.when import find_times
from engram.language.wording import beginnings
from engram.model.candidate import Receipt
from engram.model.instant import Day
from engram.model.record import FieldValue, Record, made_record
from engram.model.records_found import DROPPED, NO_RATIONALE, THIN_TAGS

#: fewer tags find nothing again
_LEAST_TAGS = 2
#: the fields that say why (seed 001)
_WHY = {"decision": "rationale", "tech_debt": "reason_deferred", "preference": "reason"}
#: of fewer words nothing is counted
_FEW_WORDS = 3
_NUMBER = re.compile(r"\bv?\d[\d.]*\b ?")


class Verified(NamedTuple):
    """What is left of a record, the fields that lost something, and the advisories."""

    record: Record
    dropped: tuple[str, ...]
    advisories: tuple[str, ...]


class ShownExcerpt:
    """The excerpt that a model was shown, known records included; read once for all drafts."""

    def __init__(self, texts: Iterable[str], days: Iterable[Day]) -> None:
        self._text = "\n".join(texts)
        self._folded = self._text.casefold()
        self._support = Shown([self._text], days)

    @cached_property
    def _values(self) -> set[str]:
        return values_of(self._text)

    @cached_property
    def _beginnings(self) -> set[str]:
        return set(beginnings(self._text))

    def fault(self, text: str, said: Sequence[Receipt] = ()) -> str:
        """Why a text does not stand in the excerpt, as a code; '' where it may.

        `said` are the draft's quotes: a day that one of them names may be told as a date.
        """
        text = _without_known_days(text, said)
        if any(day not in self._text for day in DAY.findall(text)):
            return "date"
        values = self._values
        counted = (one for one in number_words_of(text) if one.said.isdisjoint(values))
        if has_other_numbers(text, values) or any(counted):
            return "number"
        if any(link not in self._text for link in LINK.findall(text)):
            return "link"
        if any(not self.has(path) for path in PATH.findall(text)):
            return "path"
        if new_names(text, self._text):
            return "name"
        if self._is_strange(text):
            return "words"
        return "order" if added_order(text, self._text) else ""

    def _is_strange(self, text: str) -> bool:
        """Whether most of a text's words, if it has a few, stand nowhere in the excerpt."""
        said = set(beginnings(text))
        if len(said) < _FEW_WORDS or len(said & self._beginnings) >= LEAST_SHARED * len(said):
            return False
        return same_language(text, self._text)

    def untrue(self, statement: str, sentence: str, said: Sequence[Receipt]) -> str:
        """Why a statement is not to be believed that rests on a sentence; '' where it is."""
        if self._support.supports(statement, sentence, said[0].day) != "full":
            return "unsupported"
        # a version behind one of two names hides that they changed places
        if is_reversed(_NUMBER.sub("", statement), _NUMBER.sub("", sentence)):
            return "roles"
        return self.fault(statement, said)

    def has(self, path: str) -> bool:
        """Whether a path or an identifier stands in it."""
        return path.strip("`").casefold() in self._folded


def verified(record: Record, shown: ShownExcerpt, said: Sequence[Receipt]) -> Verified:
    """The record without what the excerpt does not say; the statement is not looked at."""
    fields: dict[str, FieldValue] = {}
    dropped: list[str] = []
    for name, value in record.values:
        if name == record.form.statement.name or record.form.field(name).choices:  # type: ignore[union-attr]
            fields[name] = value
            continue
        items = (value,) if isinstance(value, str) else value
        kept = tuple(one for item in items if (one := _clean(item)) and not shown.fault(one, said))
        if len(kept) < len(items):
            dropped.append(name)
        fields[name] = (kept[0] if kept else "") if isinstance(value, str) else kept
    title = _clean(record.title)
    title = "" if shown.fault(title, said) else title
    tags = tuple(tag for tag in record.tags if not shown.fault(tag, said))
    files = tuple(path for path in record.related_files if shown.has(path))
    left = made_record(
        record.schema, fields, title=title, tags=tags, related_files=files,
        confidence=record.confidence,
    )  # fmt: skip
    return Verified(left, tuple(dropped), _advisories(left, dropped))


def _advisories(record: Record, dropped: Sequence[str]) -> tuple[str, ...]:
    found = [f"{DROPPED}:{name}" for name in dropped]
    if len(record.tags) < _LEAST_TAGS:
        found.append(THIN_TAGS)
    why = _WHY.get(record.schema)
    return (*found, NO_RATIONALE) if why and not record.text(why) else tuple(found)


def _clean(text: str) -> str:
    return without_hidden_signs(text).strip()


def _without_known_days(text: str, said: Sequence[Receipt]) -> str:
    """A text without the dates that its quotes name in other words, or that they were said on."""
    if not DAY.search(text):
        return text
    known = {one.day for one in said}
    for one in said:
        for span in find_times(one.quote, one.day):
            known |= {span.start, span.end}
    return DAY.sub(lambda found: " " if found[0] in known else found[0], text)
