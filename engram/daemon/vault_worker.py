"""Worker of one vault: every task that is due in it, by the clock that is passed in.

Settles hand edits, empties the inbox, extracts what the triggers say, seals boxes after their gap,
consolidates after an idle time, after many new memories and once a day, rebuilds the index once a
day when anything changed, and makes vectors where a model is named for it. One that is shared with
others is only read, for hooks. Guarantees: a vault that is moved away is closed, not taken for
emptied, and opened again when it comes back; without work nothing is written. Imported turns are
consolidated without a model.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from engram.daemon.change_detector import FolderChangeDetector
from engram.daemon.inbox import Inbox
from engram.daemon.source_worker import SourceResult
from engram.daemon.state.last_runs import LastRuns
from engram.daemon.watch import FolderWatch
from engram.model.errors import EngramError, NotFound, StorageError, Untrusted
from engram.model.instant import Instant, minutes_between
from engram.model.intake import ExtractionResult
from engram.model.model_request import Tier
from engram.model.ports import Clock
from engram.model.report import Consolidated
from engram.store.base import layout
from engram.vault import Vault

#: what is watched: folders that a person edits, and the vault's own settings
_CONCERNS = frozenset({*layout.CONTENT, layout.INBOX, layout.CONFIG})
_DAY = 24 * 60.0
#: so many new memories are consolidated without waiting for an idle time (seed 004)
_MANY_MEMORIES = 50
_TABLE = "vaults"
#: vectors that are made at once: other tasks wait meanwhile
_VECTORS = 256


class VaultWorker:
    """Works on one vault; `vault` is None while it is unavailable."""

    def __init__(
        self, root: Path, open_vault: Callable[[Path], Vault], notes: LastRuns, clock: Clock,
        seconds: Callable[[], float],
    ) -> None:  # fmt: skip
        self.root = root
        self.vault: Vault | None = None
        #: why it is unavailable: a code
        self.away = "NotFound"
        self._open = open_vault
        self._notes = notes
        self._clock = clock
        self._inbox = Inbox(seconds)
        self._news: Instant = clock.now()
        self._unwatched = False
        #: the version of the vault whose vectors are all made
        self._embedded = ""

    # -- opening and closing -------------------------------------------------------------------

    def look(self, watch: FolderWatch) -> None:
        """Open the vault when it is there, close it when it is not.

        Raises EngramError when it cannot be opened, and StorageError once when it cannot be
        watched: it is scanned all the same.
        """
        if self.vault is not None:
            if not self.is_here(watch):
                self.close_vault(watch)
                self.away = "NotFound"
            return
        if not (self.root / layout.CONFIG).is_file():
            self.away = "NotFound"
            return
        try:
            self.vault = self._opened()
        except EngramError as error:
            self.away = error.code
            raise
        self.away = ""
        self.mark_used()
        watch.remove(self.root)
        self._watch(watch)

    def is_here(self, watch: FolderWatch) -> bool:
        """Whether the folder is the one that was opened: nothing is done in any other."""
        watched = self._unwatched or watch.holds(self.root)
        return self.vault is not None and watched and (self.root / layout.CONFIG).is_file()

    def close_vault(self, watch: FolderWatch) -> None:
        """Close the vault and stop watching it."""
        if self.vault is not None:
            self.vault.close()
            self.vault = None
        watch.remove(self.root)

    def reload(self) -> None:
        """Open it again with new settings. Raises ConfigError and keeps the old ones."""
        if self.vault is not None:
            fresh = self._opened()
            self.vault.close()
            self.vault = fresh

    def _opened(self) -> Vault:
        vault = self._open(self.root)
        self._embedded = ""
        if vault.writable:
            # what is captured need not look at every file of the vault before
            vault.keep_open(FolderChangeDetector(vault.root))
            return vault
        vault.close()
        if not vault.trusted:
            raise Untrusted(f"{self.root} is not registered on this machine")
        raise StorageError(f"{self.root} was written by a newer engram")

    def _watch(self, watch: FolderWatch) -> None:
        self._unwatched = True
        watch.add(self.root, concerns=self._concerns)
        self._unwatched = False

    def _concerns(self, path: Path) -> bool:
        parts = path.parts[len(self.root.parts) :]
        return not parts or parts[0] in _CONCERNS

    def note(self, path: Path) -> str:
        """Which task a changed path calls for: "edits", "inbox", "settings", ""."""
        if not path.is_relative_to(self.root):
            return ""
        top = path.relative_to(self.root).parts[:1]
        if top == (layout.CONFIG,):
            return "settings"
        if top == (layout.INBOX,):
            return "inbox"
        return "edits" if top and top[0] in layout.CONTENT else ""

    def mark_used(self) -> None:
        """The vault was used: its idle time starts again."""
        self._news = self._clock.now()

    @property
    def here(self) -> Vault:
        """The vault. Raises NotFound while it is unavailable."""
        if self.vault is None:
            raise NotFound(f"{self.root} is away")
        return self.vault

    # -- tasks ---------------------------------------------------------------------------------

    def edits(self) -> int:
        """Settle hand edits; returns how many files. Of a shared vault nothing is written."""
        if self.here.shared:
            self.here.ready_for_readers()
            return 0
        return self._counted(self.here.take_up_edits())

    def inbox(self) -> SourceResult:
        """Import the files in the inbox."""
        fed = self._inbox.take(self.here)
        self._counted(fed.turns)
        return fed

    def extract(self) -> ExtractionResult:
        """Extract what the triggers say is due, and retry what failed."""
        outcome = self.here.tick()
        self._counted(outcome.turns)
        return outcome

    def boxes(self, reason: str = "") -> int:
        """Seal boxes that were silent for the gap, or for a reason all; returns how many."""
        return self.here.seal_boxes(reason)

    def consolidate(self, idle_minutes: float) -> Consolidated | None:
        """Consolidate if it is due: after an idle time with changes, after many new memories, and
        at least once a day.

        What the consolidations after extractions have seen counts as well: they leave clusters and
        summaries out.
        """
        vault, now, row = self.here, self._clock.now(), self._row()
        if not row.get("closed"):
            self._put(closed=now)
        elif _since(row["closed"], now) >= _DAY:
            done = vault.consolidate(closing=True, tier=self._tier())
            self._put(closed=now)
            return done
        if _since(self._news, now) >= idle_minutes:
            due = vault.news()
        else:
            due = vault.new_memories() >= _MANY_MEMORIES
        return vault.consolidate(closing=False, tier=self._tier()) if due else None

    def rebuild_index(self) -> bool:
        """Rebuild the index once a day when anything changed; returns whether it was."""
        vault, now = self.here, self._clock.now()
        row = self._row()
        seen = vault.version()
        if not row.get("built"):
            self._put(built=now, held=seen)
        if not row.get("built") or _since(row["built"], now) < _DAY or row.get("held") == seen:
            return False
        vault.rebuild_index()
        self._put(built=now, held=seen)
        return True

    def embed(self) -> bool:
        """Make vectors of what came, if a model makes any; returns whether there is more to do."""
        vault = self.here
        if not vault.embeds or self._embedded == (version := vault.version()):
            return False
        done = vault.embed(most=_VECTORS)
        more = done.made == _VECTORS
        if not more and not done.reason:
            self._embedded = version
        return more

    @property
    def pending(self) -> int:
        """How many turns wait for extraction."""
        if self.vault is None:
            return 0
        return sum(waiting.turns for waiting in self.vault.waiting())

    def _tier(self) -> Tier:
        return "rules" if self.here.imported_news() else "auto"

    def _counted(self, count: int) -> int:
        if count:
            self.mark_used()
        return count

    def _row(self) -> dict[str, str]:
        return self._notes.get(_TABLE, self._name())

    def _put(self, **values: str) -> None:
        self._notes.put(_TABLE, self._name(), {**self._row(), **values})

    def _name(self) -> str:
        return self.here.id


def _since(earlier: Instant, now: Instant) -> float:
    """Minutes since then; a clock that was set back counts as long ago, so that nothing waits."""
    minutes = minutes_between(earlier, now)
    return minutes if minutes >= 0 else _DAY
