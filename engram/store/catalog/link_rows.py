"""Names of files in the catalog: what people call the vault's files, and who links to those names.

A file whose name is its id needs no row. Rows are never removed: a name that a file had before
still means it. Where a name comes to mean something else, `naming` tells which files to read again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from engram.model.link_targets import LinkResolver, NamedFile, stem_of

if TYPE_CHECKING:
    from engram.store.catalog.database import CacheDatabase


class LinkRows:
    """Rows of names and of links to them."""

    def __init__(self, database: CacheDatabase) -> None:
        self._db = database
        self._known: tuple[tuple[int, int], frozenset[NamedFile], LinkResolver] | None = None
        self._changes = 0

    def named(self, path: str, identifier: str) -> None:
        """Record under which name people have a file."""
        self._changes += 1
        if identifier and stem_of(path) != identifier:
            self._db.do("insert or ignore into file_names values(?,?)", path, identifier)

    def dropped(self) -> None:
        """Note that a file is gone: its name is a former one."""
        self._changes += 1

    def linked(self, path: str, names: Iterable[str]) -> None:
        """Record the names in a file's links that are none of the program's own."""
        self._db.do("delete from foreign_links where path = ?", path)
        self._db.many("insert into foreign_links values(?,?)", [(one, path) for one in names])

    def naming(self, names: Iterable[str]) -> list[str]:
        """The files with a link to one of these names, sorted."""
        asked = "select path from foreign_links where name = ?"
        return sorted({row[0] for name in names for row in self._db.rows(asked, name)})

    @property
    def files(self) -> frozenset[NamedFile]:
        """Every file that people named, and those that they named before."""
        return self._now()[1]

    @property
    def resolver(self) -> LinkResolver:
        """What links to these mean."""
        return self._now()[2]

    def _now(self) -> tuple[tuple[int, int], frozenset[NamedFile], LinkResolver]:
        # another process may write as well
        mark = self._changes, self._db.number("pragma data_version")
        if self._known is None or self._known[0] != mark:
            rows = self._db.rows(
                "select named.path, named.id, files.id is not named.id from file_names named"
                " left join files using (path)"
            )
            found = frozenset(NamedFile(path, name, bool(former)) for path, name, former in rows)
            self._known = mark, found, LinkResolver(found)
        return self._known
