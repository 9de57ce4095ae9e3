"""`update`, also after `collection add`: a folder on disk -> documents of the index.

Every file is read and compared by its hash, as qmd does: a file is new, changed, unchanged or gone.
Guarantees: one collection is one transaction; a missing folder keeps what is known of it; of a
vault nothing that was removed stays in the file, not even as a deleted word.

The commands that run before an update are those of the user's own configuration. Those of a
project's own `.qmd/`, which somebody else may have written, run only when the user says so, and
the same holds for folders outside of the project.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from engram.surfaces.qmd import folder, vaults
from engram.surfaces.qmd.arguments import Arguments
from engram.surfaces.qmd.config import Collection
from engram.surfaces.qmd.face import Face
from engram.surfaces.qmd.index import DocumentIndex, IndexedDocument
from engram.surfaces.qmd.locations import all_places
from engram.surfaces.qmd.output import Ended, say, tell


@dataclass(slots=True)
class UpdateReport:
    """What an update of one collection did."""

    new: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    orphans: int = 0
    unread: list[folder.Unread] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        """Whether something was taken out or replaced."""
        return bool(self.updated or self.removed)


def update(face: Face, asked: Arguments) -> int:
    """Bring all collections up to date. Raises Ended (a command failed), Unusable."""
    config = face.config()
    if not config.collections:
        say("No collections found. Run 'qmd collection add .' to index markdown files.")
        return 0
    count = len(config.collections)
    say(f"Updating {count} collection(s)...\n")
    with face.index(writable=True) as index:
        for number, one in enumerate(config.collections, 1):
            say(f"[{number}/{count}] {one.name} ({one.pattern})")
            if not _may_be_read(face, one):
                say(f"Skipping collection '{one.name}': {one.path} is outside this project.")
                say("Set QMD_TRUST_LOCAL_CONFIG=1 if its configuration is yours.\n")
                continue
            if one.update:
                _run_command(face, one)
            index_collection(index, one, face.environment)
            say()
    say("✓ All collections updated.")
    return 0


def take_out(environment: Mapping[str, str], root: Path) -> None:
    """Remove what a vault no longer shows from the user's indexes. Raises Unusable."""
    for places in all_places(environment):
        face = Face(places, environment)
        holding = [one for one in face.config().collections if _is_same(one.path, root)]
        if holding:
            with face.index(writable=True) as index:
                for one in holding:
                    with index.change():
                        _bring_up(index, one, environment)
                index.pack()


def index_collection(
    index: DocumentIndex,
    one: Collection,
    environment: Mapping[str, str],
    *,
    first: bool = False,
) -> UpdateReport:
    """Bring one collection up to date, and say what was done. Raises Unusable."""
    say(f"Collection: {one.path} ({one.pattern})")
    if not os.path.isdir(one.path):
        tell(f"⚠ Skipped: the folder {one.path} is not there; what is known of it stays")
        say("\nIndexed: 0 new, 0 updated, 0 unchanged, 0 removed")
        return UpdateReport()
    with index.change():
        report = _bring_up(index, one, environment)
    if one.vault and report.changed:
        index.pack()
    if first and not (report.new or report.unread):
        say("No files found matching pattern.")
    say(
        f"\nIndexed: {report.new} new, {report.updated} updated, {report.unchanged} unchanged,"
        f" {report.removed} removed"
    )
    for unread in report.unread:
        tell(f"⚠ Skipped unreadable file: {unread.path} ({unread.code})")
    if report.unread:
        tell(f"Skipped {len(report.unread)} unreadable file(s)")
    if report.orphans:
        say(f"Cleaned up {report.orphans} orphaned content hash(es)")
    return report


def ago(instant: str) -> str:
    """How long ago an instant of the index was: `5s ago`, `3d ago`; now for ""."""
    if not instant:
        return "0s ago"
    try:
        then = datetime.fromisoformat(instant.replace("Z", "+00:00")).timestamp()
    except ValueError:
        return "never"
    seconds = max(0, int(time.time() - then))
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "m")):
        if seconds >= size:
            return f"{seconds // size}{unit} ago"
    return f"{seconds}s ago"


def _bring_up(
    index: DocumentIndex, one: Collection, environment: Mapping[str, str]
) -> UpdateReport:
    report = UpdateReport()
    cleaned = vaults.cleaner(environment) if one.vault else None
    known = index.known(one.name)
    seen: set[str] = set()
    for found in _files(one):
        if isinstance(found, folder.Unread):
            report.unread.append(found)
            seen.add(found.path)
            continue
        if not found.text.strip("\ufeff \t\r\n\v\f\xa0\u2028\u2029"):
            # as qmd: a file that was emptied keeps what was known of it until it is gone
            seen.add(found.path)
            continue
        if one.vault and not vaults.is_live(found.text):
            continue
        seen.add(found.path)
        if cleaned is not None:
            found = replace(found, text=cleaned(found.text))
        _take(index, one.name, found, known.get(found.path), report)
    gone = [document for path, document in known.items() if path not in seen]
    index.retire(gone)
    report.removed = len(gone)
    if one.vault:
        _, report.orphans = index.clean()
    else:
        report.orphans = index.drop_orphans()
    return report


def _take(
    index: DocumentIndex,
    name: str,
    found: folder.FolderFile,
    old: IndexedDocument | None,
    report: UpdateReport,
) -> None:
    """One file into the index, if that is needed."""
    digest = found.hash
    title = folder.title_of(found.path, found.text)
    if old is None:
        report.new += 1
    elif (old.hash, old.title) == (digest, title):
        report.unchanged += 1
        if (old.size, old.mtime_ns) != (found.size, found.mtime_ns):
            index.touch(old, found)
        return
    else:
        report.updated += 1
    index.put(name, found, title, digest)


def _files(one: Collection) -> Iterator[folder.FolderFile | folder.Unread]:
    paths = folder.paths(one.path, one.pattern, one.ignore)
    for path in vaults.shown(paths) if one.vault else paths:
        yield folder.read(one.path, path)


def _is_same(path: str, root: Path) -> bool:
    return os.path.realpath(path) == os.path.realpath(root)


def _may_be_read(face: Face, one: Collection) -> bool:
    """Whether a project's own configuration may name this folder."""
    project = face.places.project
    if project is None or face.places.trusted:
        return True
    root, path = os.path.realpath(project), os.path.realpath(one.path)
    return path == root or path.startswith(root + os.sep)


def _run_command(face: Face, one: Collection) -> None:
    """The command of a collection, in its folder; what it prints is shown indented."""
    if face.places.project is not None and not face.places.trusted:
        say("    Not running the update command of a project's own configuration:")
        say("    set QMD_TRUST_LOCAL_CONFIG=1 if you wrote it, or read it.")
        return
    say(f"    Running update command: {one.update}")
    try:
        done = subprocess.run(
            ["bash", "-c", one.update], cwd=one.path, stdin=subprocess.DEVNULL,
            capture_output=True, check=False,
        )  # fmt: skip
    except (OSError, ValueError) as error:
        raise Ended(1, f"✗ Update command failed: {error}") from error
    for output in (done.stdout, done.stderr):
        text = output.decode("utf-8", "replace").strip()
        if text:
            say("\n".join(f"    {line}" for line in text.split("\n")))
    if done.returncode:
        code = done.returncode if done.returncode > 0 else 1
        say(f"✗ Update command failed with exit code {code}")
        raise Ended(code)
