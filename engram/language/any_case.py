"""A regular expression in which case does not matter -> where it stands in a text, found fast.

It is compiled when it is first needed. An ASCII text is searched in lower case: `re` needs two to
four times as long where it is told to ignore case. Guarantees: the same place as with
`re.IGNORECASE`, and the same answer; the groups of a match may be in lower case. An expression with
a capital in it (`(?-i:[A-Z])`) is searched for as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

#: an escape, or the beginning of a named group: its capital is none
_NO_CAPITAL = re.compile(r"\\.|\(\?P")
_CAPITAL = re.compile(r"[A-Z]")


class AnyCase:
    """One expression."""

    def __init__(self, *sources: str) -> None:
        """Any of these is looked for."""
        self.source = "|".join(sources)
        self._lowers = _CAPITAL.search(_NO_CAPITAL.sub("", self.source)) is None

    def search(self, text: str) -> re.Match[str] | None:
        """The first place."""
        pattern, text = self._for(text)
        return pattern.search(text)

    def match(self, text: str) -> re.Match[str] | None:
        """The place at the beginning."""
        pattern, text = self._for(text)
        return pattern.match(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All places."""
        pattern, text = self._for(text)
        return pattern.finditer(text)

    def without(self, text: str) -> str:
        """The text without what stands at the first place."""
        found = self.search(text)
        return text if found is None else text[: found.start()] + text[found.end() :]

    def _for(self, text: str) -> tuple[re.Pattern[str], str]:
        if self._lowers and text.isascii():
            return self._lower, text.lower()
        return self._any, text

    @cached_property
    def _lower(self) -> re.Pattern[str]:
        return re.compile(self.source)

    @cached_property
    def _any(self) -> re.Pattern[str]:
        return re.compile(self.source, re.IGNORECASE)
