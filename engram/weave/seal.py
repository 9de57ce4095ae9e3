"""The loom: what no box holds yet -> sealed boxes with names and traces, ready to be written.

The Weaver port. Made of the fold (`boxes`) and the threads (`traces`); what it adds is the vault: a
new box never takes the name of one that is there, and finds its trace among those near it. Pure:
nothing is written, and an open box is only ever computed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from engram.model.box import Box
from engram.model.instant import Instant
from engram.model.memory import Memory
from engram.model.ports import Contents
from engram.model.settings import BoxSettings
from engram.weave.boxes import in_time, line_of, session_of, weave, without
from engram.weave.traces import join, reach, thread


class BoxSealer:
    """Weaves by the settings of `[boxes]`."""

    def __init__(self, settings: BoxSettings) -> None:
        self._settings = settings

    def line(self, memory: Memory) -> str:
        """How a box shows a memory."""
        return line_of(memory)

    def thread(self, boxes: Iterable[Box]) -> list[tuple[Box, Box]]:
        """`(before, after)` of the boxes that do not say who stands beside them in their trace."""
        return thread(boxes)

    def without(self, box: Box, names: Collection[str], contents: Contents) -> Box | None:
        """A box that does not tell of these memories any more; None when none is left in it."""
        held = (contents.memory(name) for name in box.memories)
        return without(box, names, [memory for memory in held if memory is not None])

    def silence(self, memory: Memory, contents: Contents) -> list[tuple[Box, Box | None]]:
        """`(before, after)` of the boxes that tell of a memory which is to be forgotten.

        Its line goes, and the goal of its conversation, where that is what it was learnt from.
        """
        sessions = {link.partition("#")[0] for link in memory.sources}
        pairs: list[tuple[Box, Box | None]] = []
        for box in contents.boxes():
            after: Box | None = box
            if memory.id in box.memories:
                after = self.without(box, [memory.id], contents)
            if after and after.goal and box.session in sessions:
                told = contents.opening(box.session, without=memory.sources)
                after = after if told else replace(after, goal="")
            if after != box:
                pairs.append((box, after))
        return pairs

    def unsealed(self, contents: Contents) -> list[Box]:
        """The boxes that have no file yet, oldest first; a `seal` says what has ended one."""
        ended, left = weave(contents.unboxed(), self._settings, opening=contents.opening)
        return sorted((*ended, *left), key=in_time)

    def seal(
        self,
        contents: Contents,
        now: Instant,
        reason: str = "",
        *,
        born: Sequence[Memory] | None = None,
        waiting: Collection[str] = (),
    ) -> list[Box]:
        """New boxes of what no box holds, oldest first, each with its trace and the box before it.

        Sealed is what ended by itself, every conversation that has been silent for the gap, and for
        a `reason` (`shutdown`, `consolidation`) the rest too. With `born`, memories that the vault
        is about to have, only their conversations are looked at. Silence does not seal those in
        `waiting`: more of them is still to be extracted.
        """
        unboxed = {memory.id: memory for memory in contents.unboxed()}
        if born is not None:
            unboxed.update((memory.id, memory) for memory in born)
            concerned = {_stream(memory) for memory in born}
            unboxed = {name: one for name, one in unboxed.items() if _stream(one) in concerned}
        sealed, _ = weave(
            unboxed.values(), self._settings, now,
            seal=reason, opening=contents.opening, waiting=waiting,
        )  # fmt: skip
        if not sealed:
            return []
        named = _named(sealed, contents)
        return join(named, contents.boxes(*reach(named, self._settings)), self._settings)


def _stream(memory: Memory) -> tuple[str, str]:
    return session_of(memory), memory.project


def _named(boxes: Iterable[Box], contents: Contents) -> list[Box]:
    """The boxes with ids that no other has: one may have lost the memory that it is named after."""
    taken: set[str] = set()
    named = []
    for box in boxes:
        name, number = box.id, 1
        while name in taken or contents.box(name) is not None:
            number += 1
            name = f"{box.id}-{number}"
        taken.add(name)
        named.append(replace(box, id=name))
    return named
