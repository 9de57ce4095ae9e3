"""Obsidian as far as a vault notices it: renames, merges and cuts of notes, and which links live.

It knows nothing of the program: links are found and rewritten as Obsidian does it, in the header
and in the body of every note of the folder, by the names of files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

LINK = re.compile(r"\[\[([^\[\]|#\n]*)(#[^\[\]|\n]*)?(\|[^\[\]\n]*)?\]\]")
_BLOCK = re.compile(r"(?:^|\s)\^([A-Za-z0-9-]+)[ \t]*\r?$", re.MULTILINE)
_HEADER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


class Obsidian:
    """A folder as it is open in Obsidian."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def notes(self) -> dict[str, Path]:
        """Every note by its path in the vault; hidden folders are not shown."""
        found = sorted(self.root.rglob("*.md"))
        shown = {path.relative_to(self.root).as_posix(): path for path in found}
        return {name: path for name, path in shown.items() if not name.startswith((".", "state/"))}

    def leads_to(self, target: str, source: str) -> str:
        """The note that a link means, '' for none."""
        wanted = target.strip().removesuffix(".md").casefold().lstrip("/")
        if wanted.endswith(".base"):
            return next((f"views/{wanted}" for _ in self.root.rglob(wanted)), "")
        found = [
            name
            for name in self.notes()
            if f"/{name.removesuffix('.md')}".casefold().endswith(f"/{wanted}")
        ]
        folder = source.rpartition("/")[0]
        found.sort(key=lambda name: (name.rpartition("/")[0] != folder, name.count("/"), name))
        return found[0] if wanted and found else ""

    def rename(self, old: str, new: str, *, links: bool = True) -> None:
        """Give a note another path; `links`: those to it are rewritten, as Obsidian does."""
        was = self._linking(old) if links else {}
        (self.root / new).parent.mkdir(parents=True, exist_ok=True)
        (self.root / old).rename(self.root / new)
        self._relink({new if name == old else name: places for name, places in was.items()}, new)

    def merge(self, old: str, into: str) -> None:
        """`Merge entire file with`: the text of one note goes below another, links follow."""
        was = self._linking(old)
        body = _HEADER.sub("", (self.root / old).read_text("utf-8"))
        target = self.root / into
        target.write_text(target.read_text("utf-8") + "\n" + body, "utf-8")
        (self.root / old).unlink()
        was.pop(old, None)
        self._relink(was, into)

    def extract(self, source: str, text: str, name: str) -> str:
        """`Extract current selection`: a text becomes a note in the same folder, a link stays."""
        path = self.root / source
        head, body, rest = path.read_text("utf-8").partition("\n---\n")
        assert text in rest
        (path.parent / f"{name}.md").write_text(text, "utf-8")
        path.write_text(head + body + rest.replace(text, f"[[{name}]]", 1), "utf-8")
        return f"{source.rpartition('/')[0]}/{name}.md"

    def _linking(self, note: str) -> dict[str, set[str]]:
        """The targets by which notes link to one, by note."""
        found: dict[str, set[str]] = {}
        for name, path in self.notes().items():
            said = {hit[1] for hit in LINK.finditer(path.read_text("utf-8"))}
            found[name] = {one for one in said if self.leads_to(_plain(one), name) == note}
        return {name: targets for name, targets in found.items() if targets}

    def _relink(self, was: dict[str, set[str]], new: str) -> None:
        stem = new.rpartition("/")[2].removesuffix(".md")
        twins = [one for one in self.notes() if f"/{one}".endswith(f"/{stem}.md")]
        link = stem if len(twins) == 1 else new.removesuffix(".md")
        for name, targets in was.items():

            def moved(hit: re.Match[str], targets: set[str] = targets) -> str:
                if hit[1] not in targets:
                    return hit[0]
                quoted = hit.string[hit.start() - 1 : hit.start()] == '"'
                said = link.replace('"', '\\"') if quoted else link
                return f"[[{said}{hit[2] or ''}{hit[3] or ''}]]"

            path = self.root / name
            text = path.read_text("utf-8")
            if (after := LINK.sub(moved, text)) != text:
                path.write_text(after, "utf-8")

    def dead(self) -> Iterator[tuple[str, str]]:
        """`(note, link)` of every link to a note or a block that is not there."""
        for name, path in self.notes().items():
            for hit in LINK.finditer(path.read_text("utf-8")):
                found = self.leads_to(_plain(hit[1]), name) if hit[1] else name
                block = (hit[2] or "").removeprefix("#")
                there = found and (self.root / found).read_text("utf-8")
                if not there or (block.startswith("^") and block[1:] not in _BLOCK.findall(there)):
                    yield name, hit[0]


def _plain(target: str) -> str:
    return target.replace('\\"', '"')
