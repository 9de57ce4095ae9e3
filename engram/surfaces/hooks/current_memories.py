"""Memories and summaries of a catalog -> what an agent may be given of them, as the files are now.

A memory whose file changed since the catalog read it is read, and judged, again. A summary is given
where all of its memories may be and say what it was made of. What several vaults say is told once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from engram.model.errors import EngramError
from engram.model.instant import Day
from engram.model.memory import Audience, Memory
from engram.recall.disputed import Given, undisputed_or_whole
from engram.recall.injection import is_given, summed_up
from engram.recall.unasked_blocks import GivenSummary
from engram.settings.shipped import shipped

if TYPE_CHECKING:
    from engram.capture.redact.redactor import Redactor
    from engram.model.summary import Summary
    from engram.recall.borders import Recipient
    from engram.store.catalog.readonly import ReadOnlyCatalog


class FilesNow(NamedTuple):
    """The files of a vault as they are read again: where they lie, the day, what is redacted.

    `redact_allow` is the setting of that name.
    """

    root: Path
    today: Day
    redact_allow: tuple[str, ...]


def stored(
    best: Iterable[int | str], catalog_reader: ReadOnlyCatalog
) -> Iterator[tuple[Memory, Audience] | Summary]:
    """The memories of these numbers and the summaries of these ids, read one after the other."""
    for one in best:
        if isinstance(one, int):
            yield from catalog_reader.memories([one])
        elif (summary := catalog_reader.summary(one)) is not None:
            yield summary


def current(
    found: Iterable[tuple[Memory, Audience] | Summary],
    catalog_reader: ReadOnlyCatalog,
    files: FilesNow,
    recipient: Recipient,
) -> Iterator[Given | GivenSummary]:
    """Those that may be given, a memory being read again where its file changed."""

    def given(memory: Memory, audience: Audience) -> Iterator[Memory]:
        if is_given(memory, audience, recipient, files.today):
            if catalog_reader.is_fresh(memory, files.root):
                yield memory
                return
            again = partial(_read_again, files)
            now, audience = catalog_reader.read_again(memory, files.root, again)
            if is_given(now, audience, recipient, files.today):
                yield now

    told: set[str] = set()

    def once(memory: Memory, audience: Audience) -> Iterator[Memory]:
        """What several vaults say is told once, by the own one where that says it too."""
        if catalog_reader.alone:
            yield from given(memory, audience)
            return
        alike = catalog_reader.own_words(memory, recipient.projects)
        own = [one for each in alike for one in given(*each)]
        for one in own or given(memory, audience):
            if one.text not in told:
                told.add(one.text)
                yield one

    def each() -> Iterator[Memory | GivenSummary]:
        for one in found:
            if isinstance(one, tuple):
                yield from once(*one)
            else:
                yield from _given_summary(one, catalog_reader, files, recipient)

    def opponents(memory: Memory) -> Iterator[Memory]:
        return chain.from_iterable(given(*one) for one in catalog_reader.named(memory.conflicts))

    return undisputed_or_whole(each(), opponents)


def _given_summary(
    summary: Summary, catalog_reader: ReadOnlyCatalog, files: FilesNow, recipient: Recipient
) -> Iterator[GivenSummary]:
    """A summary that may be given, and that tells what its memories say as their files are now."""
    from engram.recall.summary_item import summary_item

    named = catalog_reader.named(summary.memories)
    sources = summed_up(summary, named, recipient, files.today)
    parts: list[Memory | Summary] = [summary, *(memory for memory, _ in named)]
    fresh = bool(sources) and all(catalog_reader.is_fresh(one, files.root) for one in parts)
    if fresh and _is_of(summary, [memory for memory, _ in named], catalog_reader):
        yield GivenSummary(summary.id, sources, partial(summary_item, summary))


def _is_of(summary: Summary, named: Collection[Memory], catalog_reader: ReadOnlyCatalog) -> bool:
    """Whether the words of its memories are those that a summary was made of."""
    from engram.model.summary_identity import is_replaced, summary_id

    told = [memory for memory in named if memory.id in summary.consolidates]
    names = [name for memory in told for name in memory.supersedes]
    before = [one for one, _ in catalog_reader.named(names) if is_replaced(one)]
    # what was replaced is left out where it may not be told, and a page may pass it over
    return summary.id in (summary_id(named), summary_id((*told, *before)))


def _read_again(files: FilesNow, memory: Memory, root: Path) -> tuple[Memory, Audience]:
    """A memory whose file changed as it is now; for nobody when it is gone or another."""
    # imported here: hardly ever needed
    from engram.recall.audience import audience_of
    from engram.store.base.disk import VaultDisk
    from engram.store.files.memory_file import read_memory

    try:
        data = VaultDisk(root).read(memory.path)
    except EngramError:
        data = None
    now = read_memory(memory.path, data).memory if data is not None else None
    if now is None or now.id != memory.id:
        return memory, "nobody"
    return now, audience_of(now, _redactor(files.redact_allow).clean)


@cache
def _redactor(allow: tuple[str, ...]) -> Redactor:
    from engram.capture.redact.redactor import compile_redactor

    return compile_redactor(shipped("redaction"), allow, tried=True)
