"""`status`, `cleanup`, `embed`, `doctor`, `init`, `pull`: state and maintenance of an index."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from engram.surfaces.qmd import config as configuration
from engram.surfaces.qmd.arguments import Arguments
from engram.surfaces.qmd.config import Config
from engram.surfaces.qmd.face import Face
from engram.surfaces.qmd.output import Ended, say, size_of
from engram.surfaces.qmd.rows import Unusable
from engram.surfaces.qmd.searching import known_collections
from engram.surfaces.qmd.updating import ago

_PREVIEW = 60
_NO_MODEL = "engram searches by words and asks no model"


def status(face: Face, asked: Arguments) -> int:
    """Print what the index holds. Raises Unusable."""
    config = face.config()
    with face.index() as index:
        counts = index.counts()
    say("QMD Status\n")
    say(f"Index: {face.places.index}\nSize:  {size_of(face.size())}\n")
    say(f"Documents\n  Total:    {sum(count for count, _ in counts.values())} files indexed")
    say(f"  Vectors:  0 embedded ({_NO_MODEL})\n  Pending:  0 need embedding")
    if counts:
        say(f"  Updated:  {ago(max(last for _, last in counts.values()))}")
    if not config.collections:
        say("\nNo collections. Run 'qmd collection add .' to index markdown files.")
        return 0
    say("\nCollections")
    for one in config.collections:
        count, last = counts.get(one.name, (0, ""))
        say(f"  {one.name} (qmd://{one.name}/)\n    Pattern:  {one.pattern}")
        say(f"    Files:    {count} (updated {ago(last) if last else 'never'})")
        if one.context:
            say(f"    Contexts: {len(one.context)}")
            for prefix, text in one.context:
                shown = text if len(text) <= _PREVIEW else text[: _PREVIEW - 3] + "..."
                say(f"      /{prefix.lstrip('/')}: {shown}")
    first = config.collections[0].name
    say("\nExamples\n  # List files in a collection")
    say(f"  qmd ls {first}\n  # Get a document\n  qmd get qmd://{first}/path/to/file.md")
    say(f'  # Search within a collection\n  qmd search "query" -c {first}')
    _tips(config)
    return 0


def cleanup(face: Face, asked: Arguments) -> int:
    """Throw away what is gone. Raises Unusable."""
    if asked.has("dry-run"):
        with face.index() as index:
            gone, texts = index.stale()
        say("Dry run — no changes made.\n\nWould clear 0 cached API responses")
        say("No orphaned embeddings to remove")
        if gone:
            say(f"Would remove {gone} inactive document records")
        if texts:
            say(f"Would remove {texts} orphaned content hashes")
        say("Would compact FTS and vacuum the database")
        return 0
    with face.index(writable=True) as index:
        with index.change():
            gone, texts = index.clean()
        index.pack()
    say("✓ Cleared 0 cached API responses\nNo orphaned embeddings to remove")
    if gone:
        say(f"✓ Removed {gone} inactive document records")
    if texts:
        say(f"✓ Removed {texts} orphaned content hashes")
    say("✓ FTS compacted, database vacuumed")
    return 0


def embed(face: Face, asked: Arguments) -> int:
    """Nothing to do, and that is success: a caller that fails here does not come back soon."""
    known_collections(face, asked)
    say(f"✓ All content hashes already have embeddings: {_NO_MODEL}.")
    return 0


def pull(face: Face, asked: Arguments) -> int:
    """No model is fetched."""
    say(f"✓ Nothing to pull: {_NO_MODEL}.")
    return 0


def doctor(face: Face, asked: Arguments) -> int:
    """Print what works and what does not; 1 when something does not."""
    say(f"QMD Doctor\n\nIndex: {face.places.index}\nConfig: {face.places.config}")
    say(f"✓ SQLite runtime: {sqlite3.sqlite_version}")
    faults: list[str] = []
    try:
        sqlite3.connect(":memory:").execute("create virtual table t using fts5(a)")
        say("✓ full-text search: FTS5")
    except sqlite3.Error as error:
        faults.append(f"full-text search: {error}. Use a Python whose SQLite has FTS5.")
    config = Config()
    try:
        config = face.config()
        say(f"✓ configuration: {len(config.collections)} collection(s)")
    except Unusable as error:
        faults.append(str(error))
    for one in config.collections:
        if not os.path.isdir(one.path):
            faults.append(f"collection {one.name}: the folder {one.path} is not there")
    try:
        with face.index() as index:
            say(f"✓ index: {sum(count for count, _ in index.counts().values())} files")
    except Unusable as error:
        faults.append(str(error))
    say(f"✓ embeddings: none; {_NO_MODEL}")
    for fault in faults:
        say(f"⚠ {fault}")
    return 1 if faults else 0


def init(face: Face, asked: Arguments) -> int:
    """A `.qmd` folder here, with an index of its own. Raises Ended, Unusable."""
    here = face.places.here
    if os.path.realpath(here) == os.path.realpath(face.places.home):
        raise Ended(
            1,
            "Error: Refusing to initialize a local index in $HOME. The global index is"
            " automatically created; run `qmd collection add <path>` for the global index, or run"
            " `qmd init` inside a project folder.",
        )
    place = here / ".qmd"
    if not any((place / name).is_file() for name in ("index.yaml", "index.yml")):
        configuration.change(
            place / "index.yml", Config(), lambda tree: tree.update(collections={})
        )
    local = Face.open(_in(face, here))
    with local.index(writable=True):
        say("ready to go with new local index")
    return 0


def _in(face: Face, here: Path) -> dict[str, str]:
    return {**face.environment, "PWD": str(here)}


def _tips(config: Config) -> None:
    without = [one.name for one in config.collections if not one.context]
    if without:
        more = f" +{len(without) - 3} more" if len(without) > 3 else ""
        say("\nTips")
        named = ", ".join(without[:3]) + more
        say(f"  Add context to collections for better search results: {named}")
        say('    qmd context add qmd://<name>/ "What this collection contains"')
