"""Readable transcripts: one Markdown file a session, one block a turn.

    **user** 2026-03-06 10:10:00 ^m3f9a2c1d04

    we need two writers, so sqlite is out

Guarantees: appending is idempotent by block id, a block is never half (one write, and `mend` cuts
a torn one), what a person added or changed stays, and nothing in a turn's text can forge a block.
The header's `extracted` names the last block whose turns were settled, so that no one pays for an
extraction twice. Refuses: changing a file whose header it cannot read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from engram.model.errors import BadInput, StorageError
from engram.model.ids import session_digest
from engram.model.instant import day_of
from engram.model.link_targets import NamedFile, stem_of
from engram.model.memory import DATE_GUESSED
from engram.store.base import layout
from engram.store.files import document

if TYPE_CHECKING:
    from engram.model.turn import Turn
    from engram.store.base.disk import VaultDisk
    from engram.store.files.foreign_header import Value

SPEAKER = re.compile(
    r"^\*\*(?P<role>user|participant|assistant)(?:: (?P<name>[^*\n]{1,80}))?\*\*"
    r" (?P<day>\d{4}-\d\d-\d\d) (?P<time>\d\d:\d\d:\d\d) \^(?P<block>m[0-9a-f]{10})\r?$",
    re.MULTILINE,
)
#: a letter of a name takes up to four bytes
_SPEAKER_BYTES = re.compile(
    SPEAKER.pattern.replace("{1,80}", "{1,320}").encode("ascii"), re.MULTILINE
)
#: before a speaker line that is no more than words
_UNFORGED = re.compile(rf"^\\(?={SPEAKER.pattern.removeprefix('^')})", re.MULTILINE)
#: what `_block` puts below the words
_TOOLS = re.compile(r"(?:\A|\n\n)(?:- \*[^\s*\n](?:[^*\n]*[^\s*\n])?\*(?:\n|\Z))+\Z")
PURGED = "*(purged)*"
#: new transcripts that one group fsync makes durable; bounds the open file handles
_GROUP = 200
#: most headers end within so many bytes
_HEAD = 4_096
#: folders that people make below the folder of transcripts are looked into so deep
_DEPTH = 8
#: the names that the program gives
_OWN = re.compile(r"[a-z0-9-]+-[0-9a-f]{12}")
#: how often a transcript is read again while a person writes to it
_ATTEMPTS = 5


class TurnBlock(NamedTuple):
    """One turn as its transcript shows it; `line` is the 1-based line of the speaker line.

    `speaker` is a name, where the conversation has one.
    """

    link: str
    role: str
    time: str
    text: str
    line: int
    speaker: str = ""

    @property
    def said(self) -> Said:
        """Its words and tools as they were said, as far as the block tells.

        A list of nothing but slanted items that ends an agent's block stands for its tools.
        """
        from engram.model.said_words import said_words

        shown = _UNFORGED.sub("", self.text)
        tools = _TOOLS.search(shown) if self.role == "assistant" else None
        if tools is None:
            return Said(said_words(shown))
        lines = tools.group().strip("\n").split("\n")
        return Said(
            said_words(shown[: tools.start()]),
            tuple(said_words(line[len("- *") : -len("*")]) for line in lines),
        )


class Said(NamedTuple):
    """What was said in a turn, and the lines of its tools."""

    text: str
    tools: tuple[str, ...] = ()


class Transcripts:
    """The transcripts folder of one vault; the writer lock must be held to write."""

    def __init__(self, disk: VaultDisk) -> None:
        self._disk = disk
        self._paths: dict[str, str] | None = None
        #: what the headers of those say that bear another name
        self._names: dict[str, str] = {}
        #: sizes of the files that ended with one of our blocks when we last wrote them
        self._ends: dict[str, int] = {}
        #: sizes of the files whose turns were recorded, as they were then
        self._looked: dict[str, int] = {}

    def find(self, name: str) -> str | None:
        """The path of a transcript by its base name, wherever a person moved it in the folder."""
        if self._paths is None or name not in self._paths:
            self._look()
        return self._paths.get(name) if self._paths else None

    def news_of(self, names: Sequence[str]) -> list[str]:
        """The paths of those transcripts that may show turns neither recorded nor written here."""
        if any(name not in (self._paths or {}) for name in names):
            self._look()
        paths = [self._paths[name] for name in names if self._paths and name in self._paths]
        return [
            path
            for path in paths
            if self._disk.size(path) not in (self._ends.get(path), self._looked.get(path))
        ]

    def looked(self, path: str) -> None:
        """Note that the turns of a transcript are recorded, as it is now."""
        self._looked[path] = self._disk.size(path) or 0

    def name_of(self, path: str) -> str:
        """The name of a transcript, `<source>-<session12>`, whatever a person called its file."""
        stem = _name_of(path)
        if _OWN.fullmatch(stem):
            return stem
        if path not in self._names:
            said = self.header(path)
            source, session = said.get("source", ""), said.get("session", "")
            known = source and session
            self._names[path] = f"{source}-{session_digest(source, session)}" if known else stem
        return self._names[path]

    def renamed(self) -> list[NamedFile]:
        """The transcripts that people called otherwise, by their names."""
        found = (NamedFile(path, name) for name, path in self._look().items())
        return [one for one in found if stem_of(one.path) != one.id]

    def _look(self) -> dict[str, str]:
        self._names.clear()
        found: dict[str, str] = {}
        for path in self.paths():
            name = self.name_of(path)
            # of two files of one conversation the one that bears its name is written to
            if name not in found or stem_of(path) == name:
                found[name] = path
        self._paths = found
        return found

    def paths(self) -> Iterator[str]:
        """Every transcript, in order; no links, no folders, no names that cannot be stored."""
        return self._below(layout.TRANSCRIPTS, 0)

    def _below(self, folder: str, depth: int) -> Iterator[str]:
        for entry in self._entries(folder):
            path = f"{folder}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                if depth < _DEPTH and not layout.is_foreign_name(entry.name):
                    yield from self._below(path, depth + 1)
                continue
            shown = layout.kind_of(path) == "transcript" and layout.is_storable(path)
            if shown and entry.is_file(follow_symlinks=False):
                yield path

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(self._disk.path(folder)) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except (OSError, BadInput):
            return []

    def append(self, turns: Sequence[Turn]) -> None:
        """Add the blocks of turns to their transcripts, making the files that are missing."""
        groups = _grouped(turns)
        paths = self._paths or {}
        # read again also when one was moved or withdrawn meanwhile
        if any(name not in paths or self._disk.size(paths[name]) is None for name in groups):
            paths = self._look()
        born: list[tuple[str, str, bytes]] = []
        for name, own in groups.items():
            body = "".join(map(_block, own)).encode("utf-8")
            if name in paths:
                self._extend(paths[name], body)
            else:
                born.append((name, layout.transcript_path(own[0]), _head(own[0]) + body))
        for start in range(0, len(born), _GROUP):
            self._make(born[start : start + _GROUP])
            paths.update((name, path) for name, path, _ in born[start : start + _GROUP])

    def _extend(self, path: str, body: bytes) -> None:
        """Append blocks, on a line of their own even below a note that a person left unended."""
        size = self._disk.size(path)
        if self._ends.get(path) != size:
            data = self._disk.read(path) or b""
            body = (b"" if data.endswith(b"\n\n") else b"\n" * (2 - data.endswith(b"\n"))) + body
        self._disk.append(path, body)
        self._ends[path] = (size or 0) + len(body)

    def _make(self, born: Sequence[tuple[str, str, bytes]]) -> None:
        """New transcripts, durable as a group."""
        self._disk.stage([(f"{layout.PENDING}/{name}.tmp", body) for name, _, body in born])
        for name, path, _ in born:
            try:
                self._disk.place(f"{layout.PENDING}/{name}.tmp", path, fresh=True)
            except FileExistsError as error:
                raise StorageError(
                    f"{path} is in the way of the transcript", "move it away; nothing is lost"
                ) from error
        self._ends.update((path, len(body)) for _, path, body in born)
        self._disk.sync(path.rpartition("/")[0] for _, path, _ in born)

    def mend(self, turns: Sequence[Turn]) -> None:
        """After a crash: cut a half-written last block, then add the blocks that are missing."""
        for name, own in _grouped(turns).items():
            path = self.find(name)
            data = self._disk.read(path) if path else None
            if path is None or data is None:
                self.append(own)
                continue
            missing = []
            starts = {
                hit["block"].decode("ascii"): hit.start() for hit in _SPEAKER_BYTES.finditer(data)
            }
            for turn in own:
                whole = _block(turn).encode("utf-8")
                # without its speaker line, what is torn is at most the last line
                tail = data[starts.get(turn.block, data.rfind(b"\n") + 1) :]
                if tail and tail != whole and whole.startswith(tail):
                    data = data[: len(data) - len(tail)]
                    self._disk.put(path, data)
                    missing.append(turn)
                elif turn.block not in starts:
                    missing.append(turn)
            if missing:
                self.append(missing)

    def mark(self, name: str, block: str) -> None:
        """Record in the header how far a transcript is extracted; a damaged one is left alone."""

        def marked(data: bytes) -> bytes:
            try:
                return document.patch(data, {"extracted": block or None})
            except BadInput:
                return data

        path = self.find(name)
        if path:
            self._rewrite(path, marked)

    def withdraw(self, turns: Sequence[Turn]) -> None:
        """Remove blocks; a block that a person changed stays, an emptied file is removed."""
        for name, own in _grouped(turns).items():
            path = self.find(name)
            if path:
                self._rewrite(path, partial(_without, [_block(turn) for turn in own]))

    def readmit(self, turns: Sequence[Turn]) -> None:
        """Put the blocks of turns back where their time says: others may have come meanwhile."""
        for name, own in _grouped(turns).items():
            path = self.find(name)
            if path and self._disk.size(path) is not None:
                self._rewrite(path, partial(_with, own))
            else:
                self.append(own)

    def purge(
        self, links: Iterable[str],
        untitled: Callable[[str, str], bool] = lambda *_: False,
        named: Callable[[str], bool] = lambda _: False,
    ) -> None:  # fmt: skip
        """Replace the text of blocks by a mark; their speaker lines stay: links resolve.

        Also in the conflict copies of their transcripts. `untitled(transcript, title)` tells
        whether a title is to be taken out, `named` the same of a session's name.
        """
        copies = self._copies()
        every = [*self.paths(), *(path for found in copies.values() for path in found)]
        for path in every:
            header, name = self.header(path), self.name_of(path)
            keys = ["title"] if untitled(name, header.get("title", "")) else []
            keys += ["session"] if named(header.get("session", "")) else []
            if keys:
                self._rewrite(path, partial(_nameless, name, keys))
        blocks: dict[str, set[str]] = {}
        for link in links:
            name, _, block = link.partition("#^")
            blocks.setdefault(name, set()).add(block)
        for name, own in blocks.items():
            found = self.find(name)
            for one in (*([found] if found else []), *copies.get(name, ())):
                self._rewrite(one, partial(_purged, own))

    def redact(self, turns: Mapping[Turn, Turn], cleaned: Callable[[str], str]) -> None:
        """Write blocks as those of other turns, and all other words as `cleaned` makes them."""
        pairs = [(_block(old), _block(new)) for old, new in turns.items()]

        def redacted(data: bytes) -> bytes:
            text = data.decode("utf-8", "surrogateescape")
            for old, new in pairs:
                text = text.replace(old, new)
            return cleaned(text).encode("utf-8", "surrogateescape")

        copies = [path for found in self._copies().values() for path in found]
        for path in (*self.paths(), *copies):
            self._rewrite(path, redacted)

    def remove(self, name: str) -> None:
        """Remove a transcript and its conflict copies."""
        found = self.find(name)
        for path in (*([found] if found else []), *self._copies().get(name, ())):
            self._rewrite(path, lambda _: None)

    def _copies(self) -> dict[str, list[str]]:
        """The conflict copies among the transcripts, by the names of those."""
        found: dict[str, list[str]] = {}
        for day in self._entries(layout.TRANSCRIPTS):
            folder = f"{layout.TRANSCRIPTS}/{day.name}"
            for entry in self._entries(folder) if day.is_dir(follow_symlinks=False) else ():
                original = layout.original_of(f"{folder}/{entry.name}")
                if original != f"{folder}/{entry.name}" and entry.is_file(follow_symlinks=False):
                    name = stem_of(original)
                    found.setdefault(name, []).append(f"{folder}/{entry.name}")
        return found

    def replace(self, path: str, before: bytes, after: bytes) -> None:
        """Give a transcript other bytes. Raises StorageError when it is not as before any more."""

        def replaced(data: bytes) -> bytes:
            if data != before:
                raise StorageError(f"{path} has changed meanwhile", "try again")
            return after

        self._rewrite(path, replaced)

    def _rewrite(self, path: str, change: Callable[[bytes], bytes | None]) -> None:
        """Rewrite a transcript (None: remove it), based on what a person left there.

        Raises StorageError when it changes each time between reading and replacing it.
        """
        staged = f"{layout.PENDING}/{path.rpartition('/')[2][:-3]}.tmp"
        for _ in range(_ATTEMPTS):
            data = self._disk.read(path)
            after = None if data is None else change(data)
            if after == data:
                return
            if after is not None:
                self._disk.stage([(staged, after)])
            if self._disk.read(path) != data:
                continue  # the person was faster: their version is read at the next attempt
            if after is None:
                self._disk.remove(path)
                self._paths = None
            else:
                self._disk.place(staged, path, fresh=False)
                for sizes in (self._ends, self._looked):
                    if sizes.get(path) == len(data or b""):
                        sizes[path] = len(after)
            return
        raise StorageError(f"{path} keeps changing", "wait until no other program writes to it")

    def blocks(self, path: str) -> list[TurnBlock]:
        """The turns that a transcript shows, in its order."""
        text = (self._disk.read(path) or b"").decode("utf-8", "replace").replace("\r\n", "\n")
        name = self.name_of(path)
        found = list(SPEAKER.finditer(text))
        ends = [hit.start() for hit in found[1:]] + [len(text)]
        blocks, line, at = [], 1, 0
        for hit, end in zip(found, ends, strict=False):
            line += text.count("\n", at, hit.start())
            at = hit.start()
            words = text[hit.end() : end].strip("\n")
            blocks.append(
                TurnBlock(
                    f"{name}#^{hit['block']}", hit["role"], f"{hit['day']}T{hit['time']}Z", words,
                    line, hit["name"] or "",
                )
            )  # fmt: skip
        return blocks

    def lines(self, path: str, links: Iterable[str]) -> dict[str, int]:
        """The 1-based line where each of these turns begins, of those that a transcript shows."""
        wanted = {link.rpartition("^")[2].encode("utf-8", "replace"): link for link in links}
        data = self._disk.read(path) or b""
        return {
            wanted[hit["block"]]: data.count(b"\n", 0, hit.start()) + 1
            for hit in _SPEAKER_BYTES.finditer(data)
            if hit["block"] in wanted
        }

    def header(self, path: str) -> dict[str, str]:
        """The scalars of a transcript's header."""
        parsed = document.parse(self._disk.pieces(path, [(0, _HEAD)])[0])
        if parsed.problem:  # one that is cut off, or damaged
            parsed = document.parse(self._disk.read(path) or b"")
        return {key: value for key, value in parsed.header.items() if isinstance(value, str)}


def _grouped(turns: Iterable[Turn]) -> dict[str, list[Turn]]:
    groups: dict[str, list[Turn]] = {}
    for turn in turns:
        groups.setdefault(turn.transcript, []).append(turn)
    return groups


def _head(turn: Turn) -> bytes:
    from engram.model.markdown import inert_value

    title = " ".join(turn.title.split())[:120]
    header: dict[str, Value] = {
        "source": inert_value(turn.source),
        "session": inert_value(turn.session[:200]),
        "title": inert_value(title),
        # what quick switchers look for: the file's name is that of no conversation
        "aliases": [inert_value(title)] if title else [],
        "project": inert_value(turn.project),
        "started": turn.time,
        "dated": DATE_GUESSED if turn.guessed else "",
    }
    kept = {key: value for key, value in header.items() if value}
    return document.render(kept, _heading(title, turn.source, day_of(turn.time)) + "\n")


def _block(turn: Turn) -> str:
    from engram.model.markdown import neutralise

    tools = "".join(f"\n- *{neutralise(tool)}*" for tool in turn.tools)
    # the rest of a forged speaker line stands in code, where nothing else is escaped
    body = SPEAKER.sub(r"\\\g<0>", f"{neutralise(turn.text)}\n{tools}".strip("\n"))
    name = "".join(sign for sign in turn.speaker if sign not in "*[]<>`{}%#$\\")
    said_by = f"{turn.role}: {name}" if name else turn.role
    return f"**{said_by}** {turn.time[:10]} {turn.time[11:19]} ^{turn.block}\n\n{body}\n\n"


def _without(blocks: Sequence[str], data: bytes) -> bytes | None:
    """A transcript without blocks that are as we wrote them; None when nothing of it is left."""
    for block in blocks:
        data = data.replace(b"\n" + block.encode("utf-8"), b"\n", 1)
    return None if _only_head(data) else data


def _with(turns: Sequence[Turn], data: bytes) -> bytes:
    """A transcript with the blocks of turns that it lacks, each before the first later one."""
    text = data.decode("utf-8", "surrogateescape")
    shown = list(SPEAKER.finditer(text))
    blocks = {hit["block"] for hit in shown}
    pieces: list[str] = []
    done = 0
    for turn in sorted(turns, key=lambda turn: turn.time):
        if turn.block in blocks:
            continue
        while shown and f"{shown[0]['day']}T{shown[0]['time']}" <= turn.time[:19]:
            shown.pop(0)
        at = shown[0].start() if shown else len(text)
        pieces.append(text[done:at])
        ended = pieces[-1].endswith("\n\n") or (not pieces[-1] and done > 0)
        pieces += ["" if ended else "\n" * (2 - pieces[-1].endswith("\n")), _block(turn)]
        done = at
    return "".join([*pieces, text[done:]]).encode("utf-8", "surrogateescape")


def _purged(blocks: Set[str], data: bytes) -> bytes:
    """A transcript with a mark instead of the words of these blocks."""
    text = data.decode("utf-8", "surrogateescape")
    speakers = list(SPEAKER.finditer(text))
    pieces: list[str] = []
    done = 0
    for number, hit in enumerate(speakers, 1):
        if hit["block"] in blocks:
            pieces += text[done : hit.end()], f"\n\n{PURGED}\n\n"
            done = speakers[number].start() if number < len(speakers) else len(text)
    return "".join([*pieces, text[done:]]).encode("utf-8", "surrogateescape")


def _name_of(path: str) -> str:
    """The name of a transcript, of a conflict copy that of its original."""
    return stem_of(layout.original_of(path))


def _nameless(name: str, keys: Sequence[str], data: bytes) -> bytes:
    """A transcript without its title, in the header and as its heading, or its session's name."""
    parsed = document.parse(data)
    title, header = parsed.header.get("title"), parsed.header
    other = {"title": None, "aliases": None, "session": f"#{name.rpartition('-')[2]}"}
    also = ("aliases",) if "title" in keys else ()
    try:
        data = document.patch(data, {key: other[key] for key in (*keys, *also) if key in header})
    except BadInput:
        return data
    if "title" not in keys or not isinstance(title, str):
        return data
    plain = _heading("", str(header.get("source", "")), str(header.get("started", ""))[:10])
    old, new = (one.encode("utf-8") for one in (_heading(title, "", ""), plain))
    return data.replace(b"\n" + old, b"\n" + new, 1)


def _heading(title: str, source: str, day: str) -> str:
    from engram.model.markdown import neutralise

    return f"# {neutralise(title) if title else f'{source}, {day}'}\n"


def _only_head(data: bytes) -> bool:
    """Whether nothing is left but the header and the heading that we made."""
    body = document.parse(data).body.strip()
    return "\n" not in body and SPEAKER.search(body) is None
