"""Values that the qmd face returns: result rows, texts, and reasons for a missing one.

Plain frozen data, no behaviour: the command line and the protocol servers print the same values,
each in its own form. Importing it loads nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

#: how a search matches: all words (search), any word (query, vsearch)
Mode = Literal["search", "query", "vsearch"]
#: the three kinds of typed lines of a query document; only the first has an own language here
Kind = Literal["lex", "vec", "hyde"]


class BadQuery(ValueError):
    """An invalid query; its text is one sentence for the caller."""


class Unusable(Exception):
    """Configuration or index that cannot be used; its text says which and why, in one line."""


@dataclass(frozen=True, slots=True)
class Typed:
    """One typed sub-query; `line` is its line in the document, 0 outside one."""

    kind: Kind
    query: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One hit. `file` is the URI qmd://collection/path; `snippet` begins with its `@@` header.

    `docid` has its `#`; `path` is relative to the collection; `line` is 1-based; `context` is ""
    where there is none; `score` is within [0, 1] and not rounded.
    """

    docid: str
    score: float
    file: str
    collection: str
    path: str
    title: str
    context: str
    line: int
    snippet: str
    body: str = ""
    explain: Mapping[str, object] | None = None

    @property
    def display(self) -> str:
        """collection/path, as the protocol servers name a file."""
        return f"{self.collection}/{self.path}"


@dataclass(frozen=True, slots=True)
class DocumentText:
    """One document's text as it was asked for: cut to its lines, numbered if that was asked.

    `first` is the number of its first line, `total` the lines of the whole document. `listed` is
    the name under which a multi-get shows it: the URI, or for a glob the path alone.
    """

    docid: str
    file: str
    collection: str
    path: str
    title: str
    context: str
    text: str
    first: int = 1
    total: int = 0
    listed: str = ""

    @property
    def display(self) -> str:
        """collection/path, as the protocol servers name a file."""
        return f"{self.collection}/{self.path}"


@dataclass(frozen=True, slots=True)
class Skipped:
    """A document that a multi-get does not give: too large, or (`absent`) not there.

    `reason` is one sentence; of an absent item it is the whole error line, and `docid` and
    `collection` are "".
    """

    docid: str
    file: str
    collection: str
    path: str
    title: str
    context: str
    reason: str
    size: int = 0
    absent: bool = False
    listed: str = ""

    @property
    def display(self) -> str:
        """collection/path; what was asked, for an absent item."""
        return f"{self.collection}/{self.path}" if self.collection else self.path


@dataclass(frozen=True, slots=True)
class NotThere:
    """A missing document: one line of message, and up to five similar paths."""

    message: str
    similar: tuple[str, ...] = ()
    #: further lines, of a file that an ignore rule keeps out
    notes: tuple[str, ...] = field(default=())
