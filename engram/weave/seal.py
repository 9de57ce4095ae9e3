"""Box sealing: memories that no box holds yet -> sealed boxes with ids and traces, to be written.

The Weaver port, made of the box fold (`boxes`) and the threading of traces (`traces`); it adds what
depends on the vault: a new box never takes an existing id, is called by its conversation
(`box_title`), and its trace is chosen among the boxes near it. Pure: nothing is written, and an
open box is only ever computed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from engram.language.conversation_name import conversation_name
from engram.model.box import Box
from engram.model.instant import Instant
from engram.model.memory import SESSION, Memory
from engram.model.settings import BoxSettings
from engram.model.view import VaultView
from engram.weave.box_title import box_title, is_made, is_of_topics
from engram.weave.boxes import in_time, line_of, weave, without
from engram.weave.traces import join, reach, thread


class BoxSealer:
    """Seals boxes by the settings of `[boxes]`."""

    def __init__(self, settings: BoxSettings) -> None:
        self._settings = settings

    def line(self, memory: Memory) -> str:
        """The line with which a box lists a memory."""
        return line_of(memory)

    def thread(self, boxes: Iterable[Box]) -> list[tuple[Box, Box]]:
        """`(before, after)` of the boxes whose links to their trace neighbours are missing."""
        return thread(boxes)

    def without(self, box: Box, names: Collection[str], view: VaultView) -> Box | None:
        """A box without these memories; None when none is left in it."""
        held = (view.memory(name) for name in box.memories)
        left = without(box, names, [memory for memory in held if memory is not None])
        return self._renamed(box, left, view, ()) if left else None

    def retold(self, box: Box, after: Box, links: Collection[str], view: VaultView) -> Box:
        """A box `after` a change, where the turns of these links are no longer told.

        Their words leave its goal and its title; what a person called it stays.
        """
        if after.goal and any(link.partition("#")[0] == box.session for link in links):
            first = next(iter(view.beginning(box.session, without=links)), None)
            said = " ".join(first.text.split()) if first else ""
            after = after if said.startswith(after.goal) else replace(after, goal="")
        return self._renamed(box, after, view, links)

    def shown(self, boxes: Iterable[Box], view: VaultView) -> list[Box]:
        """Boxes in time, those that are called by their topics as they would be called today."""
        told: list[Box] = []
        begun: set[tuple[str, str]] = set()
        for box in sorted(boxes, key=in_time):
            if is_of_topics(box):
                box = replace(box, title=_title(box, view, later=_talk(box) in begun))
            begun.add(_talk(box))
            told.append(box)
        return told

    def silence(
        self, names: Collection[str], links: Collection[str], view: VaultView
    ) -> list[tuple[Box, Box | None]]:
        """`(before, after)` of the boxes that tell of memories or turns to be forgotten.

        Their lines are removed, and the goal of a conversation, where that is one of the turns.
        """
        sessions = {link.partition("#")[0] for link in links}
        pairs: list[tuple[Box, Box | None]] = []
        for box in view.boxes():
            after: Box | None = box
            if not set(names).isdisjoint(box.memories):
                after = self.without(box, names, view)
            if after and box.session in sessions:
                after = self.retold(box, after, links, view)
            if after != box:
                pairs.append((box, after))
        return pairs

    def unsealed(self, view: VaultView) -> list[Box]:
        """The boxes that have no file yet, oldest first; a box that has ended has its `seal`."""
        ended, left = weave(view.unboxed(), self._settings, beginning=view.beginning)
        found = sorted((*ended, *left), key=in_time)
        return _titled(found, view.boxes(*reach(found, self._settings)) if found else (), view)

    def seal(
        self,
        view: VaultView,
        now: Instant,
        reason: str = "",
        *,
        born: Sequence[Memory] | None = None,
        waiting: Collection[str] = (),
    ) -> list[Box]:
        """New boxes of what no box holds, oldest first, each with its trace and predecessor.

        Sealed are boxes that ended by themselves, every conversation that has been silent for the
        gap, and for a `reason` (`shutdown`, `consolidation`) the rest too. With `born`, memories
        that are about to be written, only their conversations are looked at. Silence does not seal
        those in `waiting`: more of them is still to be extracted. What holds for a session is in no
        box.
        """
        unboxed = {memory.id: memory for memory in view.unboxed()}
        if born is not None:
            lasting = [memory for memory in born if memory.space != SESSION]
            unboxed.update((memory.id, memory) for memory in lasting)
            concerned = {_stream(memory) for memory in lasting}
            unboxed = {name: one for name, one in unboxed.items() if _stream(one) in concerned}
        sealed, _ = weave(
            unboxed.values(), self._settings, now,
            seal=reason, beginning=view.beginning, waiting=waiting,
        )  # fmt: skip
        if not sealed:
            return []
        named = _named(sealed, view)
        known = view.boxes(*reach(named, self._settings))
        return join(_titled(named, known, view), known, self._settings)

    def _renamed(self, box: Box, after: Box, view: VaultView, links: Collection[str]) -> Box:
        """A box with the title that it has without these turns, where nobody else gave it one."""
        name = conversation_name(view.beginning(box.session))
        if not is_made(box, name):
            return after
        near = view.boxes(*reach([box], self._settings))
        later = any(_talk(one) == _talk(box) and in_time(one) < in_time(box) for one in near)
        return replace(after, title=_title(after, view, later=later, links=links))


def _titled(boxes: Sequence[Box], known: Iterable[Box], view: VaultView) -> list[Box]:
    """New boxes, oldest first, with their titles; `known` are those before them."""
    begun = {_talk(box) for box in known}
    titled = []
    for box in boxes:
        titled.append(replace(box, title=_title(box, view, later=_talk(box) in begun)))
        begun.add(_talk(box))
    return titled


def _title(box: Box, view: VaultView, *, later: bool, links: Collection[str] = ()) -> str:
    name = conversation_name(view.beginning(box.session, without=links))
    return box_title(box, name, later=later)


def _stream(memory: Memory) -> tuple[str, str]:
    return memory.conversation, memory.project


def _talk(box: Box) -> tuple[str, str]:
    return box.session, box.project


def _named(boxes: Iterable[Box], view: VaultView) -> list[Box]:
    """The boxes with unique ids: an existing box may no longer hold the memory that named it."""
    taken: set[str] = set()
    named = []
    for box in boxes:
        name, number = box.id, 1
        while name in taken or view.box(name) is not None:
            number += 1
            name = f"{box.id}-{number}"
        taken.add(name)
        named.append(replace(box, id=name))
    return named
