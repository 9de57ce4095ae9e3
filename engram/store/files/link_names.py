"""Links in the bytes of a file: names that people gave to files <-> the ids of what is in them.

In the program every link is an id; on disk it is the name of a file, which an editor can follow.
`with_ids` is what is read of a file, `with_names` what is written to it. Guarantees: where no file
was renamed nothing is looked at; labels, folders of other links, and every line that was not
changed come back byte for byte. Of a memory only its header and links to turns are links of the
program's: its statement stays as it was written.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from engram.model.entity import TYPES
from engram.model.ids import is_memory_id
from engram.model.link_targets import LinkResolver, link_key
from engram.model.markdown import code_lines
from engram.store.base import layout

if TYPE_CHECKING:
    from engram.model.link_targets import NamedFile

_LINK = re.compile(r"\[\[(?P<target>[^\[\]|\n]+)(?P<label>\|[^\[\]\n]*)?\]\]")
_HEADER = re.compile(r"\A---[ \t]*\r?\n.*?^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_TURN = re.compile(r"#\^m[0-9a-f]{10}$")
#: names that the program gives to boxes, summaries and conversations
_GIVEN = re.compile(r"(?:box|sum)-[0-9a-f]{8}(?:-\d+)?|[a-z0-9-]+-[0-9a-f]{12}")
#: how a sign is written between these quotation marks of a header
_ESCAPES: Mapping[str, tuple[tuple[str, str], ...]] = {
    '"': (("\\", "\\\\"), ('"', '\\"')),
    "'": (("'", "''"),),
}


def is_given(name: str) -> bool:
    """Whether a name has a form that only the program gives to files."""
    return is_memory_id(name) or _GIVEN.fullmatch(name) is not None


def no_files() -> Iterable[NamedFile]:
    """The conversations of a vault in which none was renamed."""
    return ()


def no_transcript(block: str) -> str:
    """The transcript of a turn in a vault that knows of none."""
    return ""


class LinkNames:
    """The names of one vault's files, as they are now.

    `renamed` finds the transcripts that people renamed; it is asked where some other file was, or
    a link leads to none that is known. `spoken_in` has the transcript in which a turn was said, by
    its block: for one whose file was moved out of its folder.
    """

    def __init__(
        self,
        files: LinkResolver,
        renamed: Callable[[], Iterable[NamedFile]] = no_files,
        spoken_in: Callable[[str], str] = no_transcript,
    ) -> None:
        self._files = files
        self._renamed = renamed
        self._spoken_in = spoken_in
        #: transcripts by what links to their turns call them, where no file is called so
        self._elsewhere: dict[str, str] = {}
        #: the transcripts that people renamed, once they were looked for
        self.transcripts: list[NamedFile] | None = None
        if files:
            self._look()

    @classmethod
    def of(cls, files: Iterable[NamedFile]) -> LinkNames:
        """Those of some files alone."""
        return cls(LinkResolver(files))

    def any(self) -> bool:
        """Whether there is a file that people named, or named before."""
        return bool(self._look())

    def _look(self) -> LinkResolver:
        """All files that people named, transcripts too."""
        if self.transcripts is None:
            self.transcripts = list(self._renamed())
            self._files = LinkResolver([*self._files.files, *self.transcripts])
        return self._files

    # -- reading -------------------------------------------------------------------------------

    def id_of(self, target: str, source: str = "") -> str:
        """The id, or the turn, that a link's target means; the target where that is not known."""
        below = f"{layout.TRANSCRIPTS}/" if _TURN.search(target) else ""
        if self._files and (found := self._files.id_of(target, source, below)):
            return found
        name, _, mark = target.partition("#")
        if is_given(name) or (not mark and name.partition("-")[0] in TYPES):
            return target
        if found := self._look().id_of(target, source, below):
            return found
        if below and (found := self._transcript(name, mark)):
            return f"{found}{target[len(name) :]}"
        return target

    def _transcript(self, name: str, turn: str) -> str:
        """The transcript that a link to a turn means, under whatever name; '' for none."""
        if name not in self._elsewhere:
            self._elsewhere[name] = self._spoken_in(turn.lstrip("^"))
        return self._elsewhere[name]

    def with_ids(self, path: str, data: bytes) -> bytes:
        """A file's bytes with ids for names; `path` is its own, in the vault."""
        if b"[[" not in data:
            return data
        text = data.decode("utf-8", "surrogateescape")
        return _encoded(self._translated(path, text, lambda one: self.id_of(one, path)))

    def foreign_names(self, path: str, data: bytes) -> set[str]:
        """What the links of a file say that do not have the form of the program's own ids."""
        if b"[[" not in data:
            return set()
        text = data.decode("utf-8", "surrogateescape")
        names = (target.partition("#")[0] for target in _targets(path, text))
        return {link_key(one).rpartition("/")[2] for one in names if one and not is_given(one)}

    # -- writing -------------------------------------------------------------------------------

    def with_names(self, path: str, data: bytes, before: bytes | None) -> bytes:
        """New bytes of a file with names for ids; `before` is what stands on disk.

        A line that stands there, but for its links, is kept as it stands there.
        """
        if b"[[" not in data or not self._files:
            return data
        text = data.decode("utf-8", "surrogateescape")
        old = (before or b"").decode("utf-8", "surrogateescape")
        kept: dict[str, list[str]] = defaultdict(list)
        if old:
            read = self.with_ids(path, before or b"").decode("utf-8", "surrogateescape")
            for line, own in zip(read.split("\n"), old.split("\n"), strict=True):
                kept[line].insert(0, own)
        named = self.named(path, text).split("\n")
        lines = [
            kept[line].pop() if kept.get(line) else new
            for line, new in zip(text.split("\n"), named, strict=True)
        ]
        return _encoded("\n".join(lines))

    def named(self, path: str, text: str) -> str:
        """A text with names for ids in every link."""
        return self._translated(path, text, self.link_to)

    def link_to(self, target: str) -> str:
        """What a link to an id or a turn has to say for an editor to follow it."""
        name, mark, block = target.partition("#")
        found = self._files.link_to(name)
        return f"{found}{mark}{block}" if found else target

    def followed(self, path: str, data: bytes, is_there: Callable[[str], bool]) -> bytes:
        """A file's bytes in which a link that leads to no file any more has the name of today.

        `is_there` tells whether a file has an id. Links in code stay as they are.
        """
        if b"[[" not in data:
            return data
        text = data.decode("utf-8", "surrogateescape")

        files = self._look()

        def now(target: str) -> str:
            if files.leads(target):
                return target
            meant = self.id_of(target, path)
            named = self.link_to(meant)
            if named != meant:
                return named
            return meant if is_there(meant.partition("#")[0]) else target

        done = self._translated(path, text, now).split("\n")
        lines = text.split("\n")
        kept = zip(lines, done, code_lines(lines), strict=True)
        return _encoded("\n".join(old if code else new for old, new, code in kept))

    # -- both ----------------------------------------------------------------------------------

    def _translated(self, path: str, text: str, translate: Callable[[str], str]) -> str:
        """A text with other targets in the links that are the program's."""
        header = _HEADER.match(text)
        end = header.end() if header else 0
        plain = layout.kind_of(path) == "memory"

        def replaced(hit: re.Match[str]) -> str:
            said = hit["target"]
            if plain and hit.start() >= end and not _TURN.search(said):
                return hit[0]
            quote = text[hit.start() - 1 : hit.start()] if hit.start() < end else ""
            target = _unescaped(said, quote)
            found = translate(target)
            if found == target:
                return hit[0]
            return f"[[{_escaped(found, quote)}{hit['label'] or ''}]]"

        return _LINK.sub(replaced, text)


def _targets(path: str, text: str) -> Iterator[str]:
    """The targets of the links that are the program's."""
    header = _HEADER.match(text)
    end = header.end() if header else 0
    plain = layout.kind_of(path) == "memory"
    for hit in _LINK.finditer(text):
        inside = hit.start() < end
        if inside or not plain or _TURN.search(hit["target"]):
            yield _unescaped(hit["target"], text[hit.start() - 1 : hit.start()] if inside else "")


def _escaped(text: str, quote: str) -> str:
    for plain, written in _ESCAPES.get(quote, ()):
        text = text.replace(plain, written)
    return text


def _unescaped(text: str, quote: str) -> str:
    for plain, written in reversed(_ESCAPES.get(quote, ())):
        text = text.replace(written, plain)
    return text


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
