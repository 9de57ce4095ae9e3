"""The examination: look at everything in a vault, judge nothing (that is `health.doctor`).

Reads files, catalog, journal and index of one vault and returns plain values. Writes nothing.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from engram.health.doctor import Examination
from engram.model.errors import EngramError
from engram.model.memory import SCHEMAS
from engram.model.record import faults_of, record_of
from engram.model.view import VaultView
from engram.queries.index_sync import IndexSync
from engram.store.base import layout
from engram.store.base.disk import VaultDisk
from engram.store.base.exposure import unguarded
from engram.store.catalog.trace_rows import trace_list
from engram.store.catalog.turn_rows import DEAD
from engram.store.commits.link_following import LinkFollowing
from engram.store.commits.projections import Projections
from engram.store.commits.purge_secrets import unlinked
from engram.store.commits.scan import LINK, TOO_LARGE, scan
from engram.store.commits.transaction_log import TransactionLog
from engram.store.commits.views import hash_lines, topics_are_stale, trace_lines
from engram.store.files.content_file import NO_MEMORY
from engram.store.files.phases_file import PhasesFile
from engram.store.merge.conflict_copies import conflict_copies

_GROUP_AND_OTHERS = 0o077
#: a decision that is a sentence and no more is held to no schema
_LEAST_FIELDS = 2


def examine(
    disk: VaultDisk,
    projections: Projections,
    transaction_log: TransactionLog,
    index_sync: IndexSync,
    secrets: Sequence[str],
    why_left: Callable[[Path], str],
    stuck: str = "",
    policy: tuple[str, str] | None = None,
    idle_policy: Mapping[str, str] = MappingProxyType({}),
    sharing: tuple[str, str] | None = None,
    shared: bool = False,
) -> Examination:
    """Look at a vault whose hand edits were settled as far as they may be.

    `secrets` are the files that hold some; `why_left` tells why the inbox does not take a file, and
    nothing of one that it takes; `stuck` is why edits could not be settled, if so; `policy`,
    `idle_policy` and `sharing` are as in Examination. One that is `shared` may be read by others.
    """
    catalog = projections.catalog
    rows = catalog.files()
    found = scan(disk, rows, projections.names)
    missing, damaged = transaction_log.missing(), transaction_log.unreadable()
    links = LinkFollowing(disk, projections, transaction_log).plan()
    problems = {path: row.problem for path, row in rows.items() if row.problem}
    refused = found.refused | _strange(disk)
    no_memories = {
        path: why.removeprefix(NO_MEMORY)
        for path, why in problems.items()
        if why.startswith(NO_MEMORY)
    } | {path: why for path, why in refused.items() if why == TOO_LARGE}
    return Examination(
        unfollowed=[change.path for change in links.changes],
        problems={path: why for path, why in problems.items() if path not in no_memories},
        no_memories=no_memories,
        refused={path: why for path, why in refused.items() if path not in no_memories},
        conflict_copies=conflict_copies(disk.root),
        pending_transactions=sum(map(layout.is_transaction, disk.names(layout.PENDING))),
        stale_views=stale_views(disk, projections, transaction_log)
        if not (missing or damaged)
        else (),
        missing_transactions=missing,
        damaged_transactions=damaged,
        stuck=stuck,
        damaged_lines=projections.damaged_turns(),
        dead_turns=len(catalog.turns.in_state(DEAD)),
        unsettled=len(found.changed) + len(found.gone),
        index_reason=index_sync.index_reason,
        exposed=_exposed(disk.root, shared),
        unguarded=unguarded(disk.root),
        left=left_in_inbox(disk, why_left),
        records=_faulty_records(projections.view),
        secrets=secrets,
        phases=PhasesFile(disk).problems(),
        missing_sources=catalog.pages.missing_sources(),
        policy=policy,
        idle_policy=idle_policy,
        sharing=sharing,
    )


def stale_views(
    disk: VaultDisk, projections: Projections, transaction_log: TransactionLog, *, due: bool = False
) -> list[str]:
    """The views in state/ whose files do not say what the vault says.

    With `due` also those that nothing is wrong with, but that would be written next time.
    """
    live = hash_lines(projections.catalog.live_hashes())
    hashes = _bytes(disk, layout.HASHES)
    stale = []
    # between consolidations the list is appended to, so its order is not part of the promise
    if sorted(hashes.splitlines()) != live.splitlines():
        stale.append(layout.HASHES)
    if _bytes(disk, layout.TRACE) != b"".join(map(trace_lines, transaction_log.all())):
        stale.append(layout.TRACE)
    if topics_are_stale(_bytes(disk, layout.TOPICS), projections.catalog, due=due):
        stale.append(layout.TOPICS)
    if _bytes(disk, layout.TRACES) != trace_list(projections.view.boxes()):
        stale.append(layout.TRACES)
    return stale


def _strange(disk: VaultDisk) -> dict[str, str]:
    """What lies in state/ and among the transcripts and is not read: links, pipes, garbage."""
    found: dict[str, str] = {}
    for top in (layout.STATE, layout.TRANSCRIPTS):
        if os.path.islink(disk.root / top):
            found[top] = LINK
            continue
        for folder, folders, names in os.walk(disk.root / top):
            for name in (*folders, *names):
                path = Path(folder, name)
                if path.is_symlink():
                    found[path.relative_to(disk.root).as_posix()] = LINK
                elif not (path.is_file() or path.is_dir()):
                    found[path.relative_to(disk.root).as_posix()] = "no regular file"
    for name in disk.names(layout.PENDING):
        if not (name.endswith(".tmp") or layout.is_transaction(name)):
            found.setdefault(f"{layout.PENDING}/{name}", "no transaction: it does not belong here")
    return found


def left_in_inbox(disk: VaultDisk, why: Callable[[Path], str]) -> dict[str, str]:
    """What the inbox does not take, and why."""
    found: dict[str, str] = {}
    for name in disk.names(layout.INBOX):
        path = f"{layout.INBOX}/{name}"
        if layout.is_foreign_name(name) or path == layout.TAKEN:
            continue
        storable = layout.is_storable(name)
        reason = why(disk.root / path) if storable else "its name cannot be stored everywhere"
        if reason:
            found[path] = reason
    return found


def _faulty_records(view: VaultView) -> dict[str, str]:
    """The files of records that are not as their schema says, with what is wrong."""
    found: dict[str, str] = {}
    for memory in (memory for schema in SCHEMAS for memory in view.records(schema)):
        record = record_of(memory)
        if record is None or len(record.values) < _LEAST_FIELDS:
            continue
        told = [str(fault) for fault in faults_of(record, whole=False)]
        headings = Counter(heading.casefold() for heading, _ in memory.sections)
        told += [
            f"{count} sections are called {name!r}" for name, count in headings.items() if count > 1
        ]
        if told:
            found[memory.path] = "; ".join(told)
    return found


def _bytes(disk: VaultDisk, path: str) -> bytes:
    """A file's bytes; what cannot be read is told of elsewhere and counts as empty."""
    try:
        return disk.read(path) or b""
    except EngramError:
        return b""


def _exposed(root: Path, shared: bool) -> list[str]:
    """The vault and its state, when other people of this machine may read what is not theirs."""
    if os.name == "nt":
        return []
    private = (root / layout.STATE,) if shared else (root, root / layout.STATE)
    return [
        str(path) for path in private if path.exists() and path.stat().st_mode & _GROUP_AND_OTHERS
    ]


def with_secrets(disk: VaultDisk, paths: Iterable[str], clean: Callable[[str], bool]) -> list[str]:
    """The files that hold something that looks like a secret, in order."""
    texts = ((path, _bytes(disk, path).decode("utf-8", "replace")) for path in sorted(paths))
    return [path for path, text in texts if not clean(unlinked(text))]
