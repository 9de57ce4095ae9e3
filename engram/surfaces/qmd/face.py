"""Facade of the qmd commands on one index: search, get, multi-get, status.

What the command line and the protocol servers both call. Guarantees: reading never writes; results
are what the last `update` saw, less what a vault has forgotten since, and what the borders of a
client keep from it. Refuses an invalid query
(BadQuery) and files that cannot be used (Unusable). An unknown collection finds nothing here; the
command line asks first. Every call opens the index anew, so that a long-lived server sees every
update.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from engram.surfaces.qmd import addresses, fulltext
from engram.surfaces.qmd.config import Config, load
from engram.surfaces.qmd.index import DocumentIndex, IndexedDocument
from engram.surfaces.qmd.locations import DEFAULT, FaceLocations, places_of
from engram.surfaces.qmd.rows import DocumentText, Mode, NotThere, ResultRow, Skipped, Typed
from engram.surfaces.qmd.snippets import numbered, snippet
from engram.surfaces.qmd.vaults import still_given, with_own

if TYPE_CHECKING:
    from engram.surfaces.qmd.mcp_borders import Borders
    from engram.vault import Vault

#: least number of results of `search` that are read before those below the least score are dropped
_FETCH = 50
ALL = 100_000


class Face:
    """Called by the command line and the servers; plain data in, plain data out."""

    def __init__(
        self, places: FaceLocations, environment: Mapping[str, str], borders: Borders | None = None
    ) -> None:
        self.places = places
        self.environment = environment
        self._borders = borders

    @classmethod
    def open(
        cls, environment: Mapping[str, str], index: str = DEFAULT, borders: Borders | None = None
    ) -> Face:
        """The face on the index of that name, with configuration and cache as qmd places them.

        Nothing has to exist: without either, the index is empty. `borders` are those of a client.
        """
        return cls(places_of(environment, index), environment, borders)

    def config(self) -> Config:
        """The configuration as it is now, with the person's own vault. Raises Unusable."""
        config = load(self.places.config, self.places.project, self.places.home)
        return config if self.places.project else with_own(config, self.environment, self.folder)

    @property
    def folder(self) -> Path | None:
        """The folder in which is asked; None for a server that has several clients."""
        return self.places.here if self._borders is None else self._borders.folder

    @contextmanager
    def vault(self, root: str) -> Iterator[Vault]:
        """The vault at a path, opened, that of the client's borders if there are any.

        Raises EngramError.
        """
        if self._borders is not None:
            yield self._borders.vault(root)
            return
        # imported here: most that is asked is about other notes
        from engram.vault import Vault

        with Vault.open(root, environment=self.environment) as opened:
            yield opened

    def index(self, *, writable: bool = False) -> DocumentIndex:
        """The index, opened; close it. Raises Unusable."""
        patience = self.environment.get("QMD_SQLITE_BUSY_TIMEOUT", "")
        wait = int(patience) if patience.isascii() and patience.isdigit() else 120_000
        return DocumentIndex(self.places.index, writable=writable, patience=min(wait, 3_600_000))

    # -- asking --------------------------------------------------------------------------------

    def search(
        self,
        query: str,
        *,
        mode: Mode = "query",
        collections: Sequence[str] = (),
        limit: int = 10,
        min_score: float = 0.0,
        searches: Sequence[Typed] = (),
        intent: str = "",
        full: bool = False,
        snippet_length: int = 300,
        explain: bool = False,
    ) -> list[ResultRow]:
        """The best rows, best first. Without collections: those that are included by default.

        mode `search` and `vsearch` score raw/(1+raw), `query` scores 1/rank; `query` reads typed
        lines (`lex: ...`). With `searches`, these are asked and `query` is not read. Raises
        BadQuery.
        """
        config = self.config()
        names = tuple(dict.fromkeys(collections)) or config.included
        known = tuple(name for name in names if config.collection(name))
        if not known:
            return []  # all collections may be excluded: nothing was asked to be searched
        shown = query
        with self.index() as index:
            if searches or mode == "query":
                question = (
                    fulltext.Question(tuple(searches), intent=intent)
                    if searches
                    else fulltext.question_of(query)
                )
                fulltext.check(question.typed)
                shown, intent = question.shown, intent or question.intent
                ranked = fulltext.fused(index, question, known, explain=explain)
            else:
                fetch = ALL if limit >= ALL else max(_FETCH, limit * 2)
                ranked = fulltext.by_score(index, query, known, fetch, relaxed=mode == "vsearch")
            rows: list[ResultRow] = []
            for one in ranked:
                if len(rows) >= limit:
                    break
                if one.score >= min_score and self._is_given(config, one.document):
                    body = index.text(one.document)
                    part = snippet(body, shown, snippet_length, intent)
                    rows.append(
                        ResultRow(
                            one.document.docid,
                            one.score,
                            self.uri(one.document),
                            one.document.collection,
                            one.document.path,
                            one.document.title,
                            config.context_of(one.document.collection, one.document.path),
                            part.line,
                            part.text,
                            body if full else "",
                            one.explain,
                        )
                    )
        return rows

    def get(
        self,
        file: str,
        *,
        from_line: int | None = None,
        max_lines: int | None = None,
        line_numbers: bool = False,
    ) -> DocumentText | NotThere:
        """A document by docid, URI, path or end of one, with `:from[:count]` behind it if asked.

        from_line and max_lines beat what stands behind the name.
        """
        name, first, count = addresses.cut_range(file)
        other = self._other_index(name)
        if other is not None:
            return other.get(
                file, from_line=from_line, max_lines=max_lines, line_numbers=line_numbers
            )
        name = self._expanded(name)
        first = first if from_line is None else from_line
        count = count if max_lines is None else max_lines
        config = self.config()
        with self.index() as index:
            found = addresses.find(index, config, name)
            if found is None or not self._is_given(config, found):
                return self._not_there(index, config, file, name)
            whole = index.text(found).split("\n")
        start = max(1, first or 1)
        end = None if count is None else start - 1 + max(0, count)
        text = "\n".join(whole[start - 1 : end])
        return self._text(
            config, found, numbered(text, start) if line_numbers else text, start, len(whole)
        )

    def multi_get(
        self,
        pattern: str,
        *,
        max_lines: int | None = None,
        max_bytes: int = 10240,
        line_numbers: bool = False,
    ) -> list[DocumentText | Skipped]:
        """All documents of a glob, a comma list or one docid, in that order.

        What is not there is a Skipped with `absent` set, whose reason is the error line.
        """
        config = self.config()
        names = addresses.names_of(pattern)
        given: list[DocumentText | Skipped] = []
        with self.index() as index:
            if names is None:
                found = [
                    one for one in addresses.by_glob(index, pattern) if self._is_given(config, one)
                ]
                if not found:
                    given.append(_absent(pattern, f"No files matched pattern: {pattern}"))
                for one in found:
                    given.append(
                        self._part(index, config, one, one.path, max_lines, max_bytes, line_numbers)
                    )
            for name in names or ():
                document, fault = addresses.listed(index, name, self._may_be_named(config))
                if document is None or not self._is_given(config, document):
                    given.append(_absent(name, fault or f"File not found: {name}"))
                    continue
                shown = self.uri(document)
                given.append(
                    self._part(index, config, document, shown, max_lines, max_bytes, line_numbers)
                )
        return given

    def status(self) -> Mapping[str, object]:
        """totalDocuments, needsEmbedding, hasVectorIndex, collections[{name, path, pattern,
        documents, lastUpdated}], contexts, index, size.

        Nothing needs an embedding: nothing is searched by one.
        """
        config = self.config()
        with self.index() as index:
            counts = index.counts()
        rows = []
        for name, (count, last) in counts.items():
            one = config.collection(name)
            if one is None and name.startswith("@"):
                continue  # a shared vault of another folder
            rows.append({
                "name": name, "path": one.path if one else None,
                "pattern": one.pattern if one else None, "documents": count, "lastUpdated": last,
            })  # fmt: skip
        rows.sort(key=lambda row: str(row["lastUpdated"]), reverse=True)
        return {
            "totalDocuments": sum(count for count, _ in counts.values()),
            "needsEmbedding": 0,
            "hasVectorIndex": False,
            "collections": rows,
            "contexts": [list(pair) for pair in self.contexts()],
            "index": str(self.places.index),
            "size": self.size(),
        }

    def contexts(self) -> Sequence[tuple[str, str]]:
        """(where, text) of every context; `/` is the global one, else qmd://collection/prefix."""
        return [
            ("/" if name == "*" else f"qmd://{name}/{prefix.lstrip('/')}", text)
            for name, prefix, text in self.config().contexts()
        ]

    # -- what both surfaces show ---------------------------------------------------------------

    def size(self) -> int:
        """The bytes of the index, 0 when there is none."""
        try:
            return os.stat(self.places.index).st_size
        except OSError:
            return 0

    def uri(self, document: IndexedDocument) -> str:
        """The URI of a document, with the name of the index unless it is the default."""
        if not self.places.name:
            return document.uri
        from urllib.parse import quote

        return f"{document.uri}?index={quote(self.places.name, safe='')}"

    def on_disk(self, collection: str, path: str) -> str | None:
        """The absolute path of a document's file, if it is there and inside its collection."""
        one = self.config().collection(collection)
        if one is None:
            return None
        place = os.path.normpath(os.path.join(one.path, path))
        inside = os.path.realpath(place).startswith(os.path.realpath(one.path) + os.sep)
        return place if inside and os.path.exists(place) else None

    # -- inside --------------------------------------------------------------------------------

    def _is_given(self, config: Config, document: IndexedDocument) -> bool:
        """Whether a document may still be shown: of a vault, only live ones."""
        one = config.collection(document.collection)
        if one is None or not one.vault:
            return one is not None
        if not still_given(one.path, document.path, document.size, document.mtime_ns):
            return False
        # a shared vault is there where it may be given, and holds nothing that is private
        return (
            self._borders is None
            or bool(one.shares)
            or self._borders.admit(one.path, document.path)
        )

    def _may_be_named(self, config: Config) -> Callable[[IndexedDocument], bool]:
        """Whether a path may be told that was not asked for."""
        if self._borders is None:
            return lambda document: True
        return partial(self._is_given, config)

    def _text(
        self,
        config: Config,
        found: IndexedDocument,
        text: str,
        first: int,
        total: int,
        listed: str = "",
    ) -> DocumentText:
        context = config.context_of(found.collection, found.path)
        return DocumentText(
            found.docid, self.uri(found), found.collection, found.path, found.title, context, text,
            first, total, listed or self.uri(found),
        )  # fmt: skip

    def _part(
        self,
        index: DocumentIndex,
        config: Config,
        found: IndexedDocument,
        listed: str,
        max_lines: int | None,
        max_bytes: int,
        line_numbers: bool,
    ) -> DocumentText | Skipped:
        """One document of a multi-get: its text, or why it is too large."""
        if found.length > max_bytes:
            sizes = f"{_kilobytes(found.length)}KB > {_kilobytes(max_bytes)}KB"
            return Skipped(
                found.docid, self.uri(found), found.collection, found.path,
                found.path.rpartition("/")[2], config.context_of(found.collection, found.path),
                f"File too large ({sizes})", found.length, listed=listed,
            )  # fmt: skip
        text = index.text(found)
        lines = text.split("\n")
        if max_lines is not None and max_lines >= 0:
            text = "\n".join(lines[:max_lines])
            if len(lines) > max_lines:
                text += f"\n\n[... truncated {len(lines) - max_lines} more lines]"
        shown = numbered(text) if line_numbers else text
        part = self._text(config, found, shown, 1, len(lines), listed)
        return part if part.title else replace(part, title=found.path.rpartition("/")[2])

    def _not_there(self, index: DocumentIndex, config: Config, asked: str, name: str) -> NotThere:
        if not addresses.is_docid(name):
            if rule := addresses.ignored(config, name):
                notes = (f"Collection: {rule[0]}", f"Matched path: {rule[1]}",
                         f"Ignore rule: {rule[2]}")  # fmt: skip
                return NotThere(f"Document is excluded by ignore rule: {asked}", (), notes)
            near = addresses.similar(index, name, may=self._may_be_named(config))
            return NotThere(f"Document not found: {asked}", near)
        return NotThere(f"Document not found: {asked}")

    def _other_index(self, name: str) -> Face | None:
        """The face on the index that a URI names, if that is another."""
        address = addresses.address_of(name)
        if address is None or address.index in ("", self.places.name):
            return None
        return Face.open(self.environment, address.index, self._borders)

    def _expanded(self, name: str) -> str:
        return f"{self.places.home}{name[1:]}" if name.startswith("~/") else name


def _absent(name: str, reason: str) -> Skipped:
    return Skipped("", "", "", name, name, "", reason, absent=True, listed=name)


def _kilobytes(size: int) -> int:
    return (size + 512) // 1024
