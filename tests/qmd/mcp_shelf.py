"""A face that needs no index: a few invented notes, found by plain containment.

What the real one finds is tested where it is built; here it only has to answer in its forms.
"""

from __future__ import annotations

import fnmatch
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from engram.surfaces.qmd.mcp_protocol import Endpoint
from engram.surfaces.qmd.rows import (
    BadQuery,
    DocumentText,
    NotThere,
    ResultRow,
    Skipped,
    Typed,
    Unusable,
)

NOTES = {
    "garden/beans.md": "# Runner beans\n\nSow after the last frost.\nWater in the evening.\n",
    "garden/über uns & mehr.md": "# Über uns\n\nDie Bohnen sind grün.\n",
    "kitchen/stew.md": "# Bean stew\n\nSoak the beans overnight.\n",
    "kitchen/long.md": "# Long\n\n" + "beans and rice\n" * 10_000,
}
CONTEXTS = {"/": "What I grow and eat", "qmd://garden/": "The allotment"}


class Shelf:
    """The notes as a Face; `broken` is raised by every call, `calls` is what was asked."""

    def __init__(self, broken: Exception | None = None) -> None:
        self.broken = broken
        self.calls: list[dict[str, Any]] = []

    def search(
        self,
        query: str,
        *,
        collections: Sequence[str] = (),
        limit: int = 10,
        min_score: float = 0.0,
        searches: Sequence[Typed] = (),
        intent: str = "",
    ) -> list[ResultRow]:
        self._asked(
            query=query, collections=collections, limit=limit, searches=searches, intent=intent
        )
        asked = [one.query for one in searches] or [query]
        if any(text.count('"') % 2 for text in asked):
            raise BadQuery('Lex query has an unmatched double quote (").')
        words = [word.lower() for text in asked for word in text.split()]
        found = [
            name
            for name, text in NOTES.items()
            if any(word in text.lower() for word in words)
            and (not collections or name.partition("/")[0] in collections)
        ]
        return [
            _row(name, 1 / rank) for rank, name in enumerate(found, 1) if 1 / rank >= min_score
        ][:limit]

    def get(
        self,
        file: str,
        *,
        from_line: int | None = None,
        max_lines: int | None = None,
        line_numbers: bool = False,
    ) -> DocumentText | NotThere:
        self._asked(file=file, from_line=from_line, max_lines=max_lines, line_numbers=line_numbers)
        if file not in NOTES:
            near = tuple(name for name in NOTES if name[:7] == file[:7])
            return NotThere(f"Document not found: {file}", near)
        return _text(file, from_line or 1, max_lines, line_numbers)

    def multi_get(
        self,
        pattern: str,
        *,
        max_lines: int | None = None,
        max_bytes: int = 10240,
        line_numbers: bool = False,
    ) -> list[DocumentText | Skipped]:
        self._asked(pattern=pattern, max_bytes=max_bytes)
        found: list[DocumentText | Skipped] = []
        for name, text in NOTES.items():
            if not any(fnmatch.fnmatch(name, one.strip()) for one in pattern.split(",")):
                continue
            if len(text) > max_bytes:
                collection, _, path = name.partition("/")
                reason = f"File too large (147KB > 64KB). Use 'qmd get {path}' to retrieve."
                found.append(
                    Skipped("#123456", f"qmd://{name}", collection, path, path, "", reason)
                )
            else:
                found.append(_text(name, 1, max_lines, line_numbers))
        if not found:
            reason = f"No files matched pattern: {pattern}"
            return [Skipped("", pattern, "", pattern, "", "", reason, absent=True)]
        return found

    def status(self) -> Mapping[str, Any]:
        self._asked()
        collections = [
            {"name": name, "path": f"/notes/{name}", "pattern": "**/*.md", "documents": 2,
             "lastUpdated": "2026-03-06T12:00:00.000Z", "secret": "no"}
            for name in ("garden", "kitchen")
        ]  # fmt: skip
        return {"totalDocuments": 4, "needsEmbedding": 4, "hasVectorIndex": False,
                "collections": collections, "index": "/cache/index", "size": 9}  # fmt: skip

    def contexts(self) -> Sequence[tuple[str, str]]:
        return tuple(CONTEXTS.items())

    def _asked(self, **what: Any) -> None:
        self.calls.append(what)
        if self.broken is not None:
            raise self.broken


class Desk:
    """An endpoint over a shelf, with what it complained of and how many used it at once."""

    def __init__(self, broken: Exception | None = None, locked: Unusable | None = None) -> None:
        self.index_sync = Shelf(broken)
        self.complaints: list[str] = []
        self.most = 0
        self._now = 0
        self._count = threading.Lock()
        self._locked = locked
        self.endpoint = Endpoint(self.lend, self.complaints.append)

    @contextmanager
    def lend(self) -> Iterator[Any]:
        if self._locked is not None:
            raise self._locked
        with self._count:
            self._now += 1
            self.most = max(self.most, self._now)
        try:
            yield self.index_sync
        finally:
            with self._count:
                self._now -= 1

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """The answer to one request, checked to be its answer."""
        message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
        answer = self.endpoint.answer(message)
        assert isinstance(answer, dict) and answer["id"] == 7
        return answer

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The result of one tool call."""
        result: dict[str, Any] = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        return result


def _row(name: str, score: float) -> ResultRow:
    collection, _, path = name.partition("/")
    snippet = "@@ -1,2 @@ (0 before, 3 after)\n" + "\n".join(NOTES[name].split("\n")[:2])
    return ResultRow(
        "#123456",
        score,
        f"qmd://{name}",
        collection,
        path,
        NOTES[name].split("\n")[0][2:],
        CONTEXTS["/"] if collection == "garden" else "",
        3,
        snippet,
    )


def _text(name: str, first: int, count: int | None, numbered: bool) -> DocumentText:
    lines = NOTES[name].split("\n")[first - 1 :][:count]
    text = "\n".join(f"{at}: {line}" if numbered else line for at, line in enumerate(lines, first))
    collection, _, path = name.partition("/")
    title = NOTES[name].split("\n")[0][2:]
    context = CONTEXTS["/"] if collection == "garden" else ""
    return DocumentText("#123456", f"qmd://{name}", collection, path, title, context, text, first)
