"""Box pass: seals open boxes and updates sealed ones.

Plans new boxes for all that no box holds, with their traces; new lines for memories whose text was
changed, and removal of lines whose memory is gone or forgotten; links to the boxes before and after
in each trace. A line that begins with its memory's words stays: a person may have added to it. A
line is never removed because its memory was superseded or archived: that it was said stays true. A
box without memories is removed, unless a person wrote into it; undo brings it back.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from engram.consolidate.context import PassContext
from engram.model.box import Box
from engram.model.ids import is_memory_id
from engram.model.memory import Memory
from engram.model.ports import BoxWeaver
from engram.model.step import Step

_TASK = "boxes"
#: reasons of a seal, in words for a person
_SEALED = {
    "topic_shift": "the talk turned to something else",
    "time_gap": "nothing came for a while",
    "max_memories": "it was full",
    "shutdown": "the program was stopped",
    "consolidation": "what was open is put away",
}


def plan(context: PassContext) -> list[Step]:
    """A step for each box that is sealed, changed or removed; oldest first."""
    box_weaver = context.box_weaver
    born = box_weaver.seal(context.view, context.now, "consolidation" if context.closing else "")
    concerned = _concerned(context)
    if not born and not concerned:
        return []
    known = {box.id: box for box in context.view.boxes()}
    machine = _BoxChanges(known)
    for box in born:
        count = f"{len(box.lines)} {'memory' if len(box.lines) == 1 else 'memories'}"
        machine.put(box, f"{count}: {_SEALED[box.seal]}")
    for name in concerned:
        _mend_lines(known[name], context, box_weaver, machine)
    held = [box for box in machine.boxes.values() if box.lines]
    for before, after in box_weaver.thread(held):
        machine.put(after, "" if before.id not in known else "its neighbours in the trace changed")
    return machine.steps()


@dataclass(slots=True)
class _BoxChanges:
    """The boxes to write or remove, and why."""

    known: dict[str, Box]
    boxes: dict[str, Box] = field(init=False)
    reasons: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.boxes = dict(self.known)

    def put(self, box: Box, why: str) -> None:
        self.boxes[box.id] = box
        if why:
            self.reasons.setdefault(box.id, []).append(why)

    def drop(self, box: Box, why: str) -> None:
        del self.boxes[box.id]
        self.reasons[box.id] = [why]

    def steps(self) -> list[Step]:
        pages = [(self.known.get(name), self.boxes.get(name)) for name in self.reasons]
        pages.sort(key=lambda pair: [(box.created, box.id) for box in pair if box][-1])
        return [self._step(before, after) for before, after in pages]

    def _step(self, before: Box | None, after: Box | None) -> Step:
        box = after or before
        assert box is not None  # put and drop each set one of them
        action = "seal" if before is None else "remove" if after is None else "amend"
        why = "; ".join(self.reasons[box.id])
        return Step(_TASK, action, (box.id,), why, pages=((before, after),))


def _concerned(context: PassContext) -> list[str]:
    """The boxes whose lines are to be checked."""
    if context.changed is None:
        return [box.id for box in context.view.boxes()]
    found = (context.view.box_of(name) for name in sorted(context.changed))
    return list(dict.fromkeys(box.id for box in found if box))


def _mend_lines(
    box: Box, context: PassContext, box_weaver: BoxWeaver, machine: _BoxChanges
) -> None:
    """Update the lines of a box to what its memories say now."""
    looked_at = [name for name in box.memories if context.concerns(name)]
    known = {name: context.view.memory(name) for name in looked_at}
    gone = [name for name in looked_at if _is_gone(name, known[name])]
    left = box_weaver.without(box, gone, context.view) if gone else box
    if left is None:
        machine.drop(box, "none of its memories is left")
        return
    lines = []
    for name, text in left.lines:
        memory = known.get(name)
        line = box_weaver.line(memory) if memory else text
        lines.append((name, text if text.startswith(line) else line))
    if gone or tuple(lines) != box.lines:
        why = f"{len(gone)} of its memories gone or forgotten" if gone else ""
        after = box_weaver.retold(box, replace(left, lines=tuple(lines)), (), context.view)
        machine.put(after, why or "a memory in it was edited")


def _is_gone(name: str, memory: Memory | None) -> bool:
    """Whether a line is to be removed; a person's link to another page stays."""
    if memory is None:
        return is_memory_id(name)
    return memory.status == "retired" and memory.status_reason == "forgotten"
