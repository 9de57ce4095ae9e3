"""Remains of what was purged, on other pages and in other texts: found, and taken out.

Turns the bytes of a box, an entity, a summary or a plain page into the same without what was
purged: the program's own lines are written again or go; topics, titles and names that hold one of
its words go, and so does any other line that links to it, begins with its words, or holds a word
that nothing else in the vault has. In any other text such a word is replaced by a mark. Pure;
idempotent; every other byte stays. A list item that links to another memory belongs to that, and
loses such words alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from engram.language.distinct_words import tells, unspoken
from engram.model.box import Box
from engram.model.entity import Entity
from engram.model.errors import BadInput
from engram.model.link_targets import NamedFile
from engram.model.summary import Summary, texts_of, without_memories
from engram.model.text import normalise
from engram.model.titles import title_of
from engram.store.base.layout import ENTITIES, Content
from engram.store.files.box_file import box_changes, box_remains
from engram.store.files.content_file import read_content
from engram.store.files.entity_file import entity_changes
from engram.store.files.link_names import LinkNames
from engram.store.files.links import LINK, target_of
from engram.store.files.summary_file import summary_changes, summary_remains

#: length of the beginning of a statement, normalised, by which a line is recognised
_BEGINNING = 40
#: a shorter statement ("yes") is not searched inside other texts
_LEAST = 12
_ITEM = re.compile(r"\s*[-*+] ")
#: lines of a header that hold no words: ids, times, links, codes
_PLAIN = re.compile(
    r"(?:id|created|sealed|seal|session|trace|previous|next|type|category|kind|status|status_since"
    r"|schema|valid_from|valid_until|expires|confidence|importance|authority|space|merged_into"
    r"|synthesis_by|synthesis_digest|digest|consolidates|supersedes|superseded_by|first|last"
    r"|extracted|started|source):"
    r"|[ \t]*- [\"']?\[\[[a-z0-9#^-]+\]\][\"']?[ \t]*\r?$"
)
#: what stands in the place of a word in a text that is not the program's to write again
MARK = "(purged)"


@dataclass(frozen=True)
class PurgeRemains:
    """What was purged, as other pages show it.

    `ids` are those of the memories and of the pages that go with them, `said` is how its texts
    begin, normalised, `words` are those that nothing else in the vault says, `rare` those of them
    that the program's own files do not say either, `phrase` is what a person named, normalised,
    `pages` are those of the ids that belong to pages, and `names` has path and id of their files
    that a person named.
    """

    ids: frozenset[str] = frozenset()
    said: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    rare: frozenset[str] = frozenset()
    phrase: str = ""
    pages: frozenset[str] = frozenset()
    names: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, ids: Iterable[str], said: Iterable[str]) -> PurgeRemains:
        """What can be told of texts without looking at any other."""
        lines = (normalise(line) for text in said for line in (text, *text.splitlines()))
        return cls(frozenset(ids), frozenset(_beginning(line) for line in lines if line))

    def without(self, path: str, data: bytes) -> bytes | None:
        """A page's bytes without what was purged; None when the page goes with it."""
        if self.names:
            data = LinkNames.of([NamedFile(*one) for one in self.names]).with_ids(path, data)
        content = read_content(path, data).content
        if content.id in self.pages:
            return None
        try:
            rewritten = self._rewritten(content, data)
        except BadInput:
            rewritten = data  # its header cannot be patched: lines are removed one by one
        if rewritten is None:
            return None
        text = rewritten.decode("utf-8", "surrogateescape")
        lines = text.splitlines(keepends=True)
        kept = "".join(self._left(line) for line in lines if not self._in(line))
        return kept.encode("utf-8", "surrogateescape")

    def _rewritten(self, content: Content, data: bytes) -> bytes | None:
        """A page's bytes with the program's own lines as they are now; None when it goes."""
        if isinstance(content, Box):
            box = self._unboxed(content)
            if content.lines and not box.lines and box_remains(data, content) is None:
                return None
            return box_changes(data, content, box)
        if isinstance(content, Entity):
            return entity_changes(data, content, self.unmentioned(content))
        if isinstance(content, Summary):
            left = self.unsummarised(content)
            if left is None:
                return summary_remains(data, content)
            return summary_changes(data, content, left)
        return data

    def cleaned(self, text: str) -> str:
        """A text with marks for what only the purged texts say."""
        return unspoken(text, self.rare, self.phrase, MARK)

    def cleaned_bytes(self, data: bytes) -> bytes:
        """The same for the bytes of a file; of no text nothing changes."""
        text = data.decode("utf-8", "surrogateescape")
        if self.cleaned(text) == text:
            return data
        lines = (line if _PLAIN.match(line) else self.cleaned(line)
                 for line in text.splitlines(keepends=True))  # fmt: skip
        return "".join(lines).encode("utf-8", "surrogateescape")

    def names_file(self, path: str) -> bool:
        """Whether a word of what was purged stands in the name of a file."""
        return tells(path, self.rare)

    def cleaned_path(self, path: str) -> str:
        """The name of a file with marks for words of it; that of a page that went is a word."""
        folder, _, name = path.rpartition("/")
        if folder == ENTITIES and name.removesuffix(".md") in self.pages:
            return f"{folder}/{MARK}.md"
        return self.cleaned(path)

    def named_in(self, text: str) -> bool:
        """Whether a title, a topic or a name holds a word of what was purged."""
        return tells(text, self.words, self.phrase)

    def _unboxed(self, box: Box) -> Box:
        lines = tuple(line for line in box.lines if line[0] not in self.ids)
        # where these were the only memories the topics are their words
        topics = tuple(one for one in box.topics if lines and not self.named_in(one))
        return replace(
            box,
            lines=lines,
            topics=topics,
            title="" if not lines else self._title(box.title, lines[0][1]),
            goal="" if self._told_of(box.goal) else box.goal,
            outcome="" if self._told_of(box.outcome) else box.outcome,
            previous="" if box.previous in self.ids else box.previous,
            next="" if box.next in self.ids else box.next,
        )

    def _title(self, title: str, line: str) -> str:
        """A title that holds no word of what was purged: else what the first memory left says."""
        if not self._told_of(title):
            return title
        said = title_of(self.cleaned(line))
        return "" if self._told_of(said) else said

    def _told_of(self, text: str) -> bool:
        return bool(text) and (self._said(text) or self.named_in(text))

    def unmentioned(self, entity: Entity) -> Entity:
        """An entity without what was purged; what a person wrote of it stays."""
        lines = entity.synthesis.split("\n")
        person = entity.synthesis_by == "person"
        kept = lines if person else [line for line in lines if not self._in(line)]
        if entity.synthesis_by == "listed" and len(kept) < len(lines):
            # who it is may be known from what goes: it is told anew when the page is
            kept = [line for line in kept if line.startswith("- ")]
        return replace(
            entity,
            aliases=tuple(one for one in entity.aliases if not self.named_in(one)),
            timeline=tuple(item for item in entity.timeline if item[1] not in self.ids),
            relations=tuple(
                item for item in entity.relations if not self.ids.intersection((item[0], item[2]))
            ),
            activity=tuple(item for item in entity.activity if item[1] not in self.ids),
            synthesis="\n".join(kept),
        )

    def unsummarised(self, summary: Summary) -> Summary | None:
        """A summary without what was purged; None when it is none any more.

        A line that has a word of it goes although it comes from other memories.
        """
        said = [
            line for line in summary.lines
            if any(self.cleaned(text) != text for text in texts_of(line))
        ]  # fmt: skip
        left = without_memories(summary, self.ids)
        if left is None:
            return None
        left = replace(
            left,
            summary=tuple(line for line in left.summary if line not in said),
            facts=tuple(line for line in left.facts if line not in said),
            decisions=tuple(line for line in left.decisions if line not in said),
            replaced=tuple(line for line in left.replaced if line not in said),
            supersedes=tuple(name for name in left.supersedes if name not in self.ids),
            superseded_by="" if left.superseded_by in self.ids else left.superseded_by,
        )
        if not left.summary and summary.summary:
            return None
        return replace(left, title="") if self._told_of(left.title) else left

    @cached_property
    def _by_start(self) -> dict[str, list[str]]:
        """The beginnings that are looked for inside of texts, by how they start."""
        found: dict[str, list[str]] = {}
        for words in self.said:
            if len(words) >= _LEAST:
                found.setdefault(words[:_LEAST], []).append(words)
        return found

    def _in(self, line: str) -> bool:
        """Whether a line is to be removed."""
        names = {target_of(link).partition("#")[0] for link in LINK.findall(line)}
        if names & self.ids or names & self.pages:
            return True
        if (names and _ITEM.match(line)) or _PLAIN.match(line):
            return False
        # a heading that is as short as a short statement is still a heading
        said = self._told(line) if line.startswith("#") else self._said(line)
        return said or tells(line, self.rare, self.phrase)

    def _left(self, line: str) -> str:
        """A line that stays: another memory that was taken back may have had the same words."""
        return self.cleaned(line) if _ITEM.match(line) and not _PLAIN.match(line) else line

    def _said(self, text: str) -> bool:
        """Whether a text is what was purged, or contains it."""
        return normalise(text) in self.said or self._told(text)

    def _told(self, text: str) -> bool:
        normal, known = normalise(text), self._by_start
        starts = {normal[at : at + _LEAST] for at in range(len(normal) - _LEAST + 1)}
        return any(words in normal for start in starts & known.keys() for words in known[start])


def _beginning(line: str) -> str:
    """The first words of a normalised line."""
    if len(line) <= _BEGINNING:
        return line
    return line[:_BEGINNING].rpartition(" ")[0] or line[:_BEGINNING]
