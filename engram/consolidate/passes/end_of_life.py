"""End of a memory's active life: the step that sets status, time and reason.

Shared by the passes that age memories. Only these header fields change: text, quote, sources and
`created` stay, so that `engram restore` brings back what was.
"""

from __future__ import annotations

from dataclasses import replace

from engram.consolidate.context import PassContext
from engram.model.memory import Memory
from engram.model.step import Step

#: status -> the operation that leads to it
ACTIONS = {"needs-review": "review", "expired": "expire", "archived": "archive"}


def ended(
    context: PassContext, task: str, memory: Memory, status: str, reason: str, why: str,
    mark: tuple[str, str] | None = None,
) -> Step:  # fmt: skip
    """The step that gives a memory a status, as of now, for a reason (a stable code).

    `mark` is a header key that outlives a return to `active`: what a person decided against once
    is not proposed again.
    """
    after = replace(memory, status=status, status_since=context.now, status_reason=reason)
    if mark is not None:
        others = tuple(pair for pair in memory.extra if pair[0] != mark[0])
        after = replace(after, extra=(*others, mark))
    return Step(task, ACTIONS[status], (memory.id,), why, amended=((memory, after),))
