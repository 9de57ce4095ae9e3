"""Prompt queue of Claude Code: `queue-operation` lines -> prompts without a user line of their own.

What is typed while the agent works is put into a queue (`enqueue`, with the text). It leaves it in
one of three ways: `dequeue`, and the text comes again as a user line; `remove`, because the agent
read it on its way, and no user line follows; `popAll`, back into the editor. Only removed prompts
are turns of their own; machine notices wait in the same queue and are none. A user line with the
text of a waiting prompt settles it as well, for not every version writes `dequeue`.

The queue is kept from one reading to the next in the reading's state, without private parts and
without what is said off the record.
"""

from __future__ import annotations

import json
from collections.abc import MutableMapping
from dataclasses import dataclass, replace

from engram.capture.clean import off_the_record, remember, said, without_private
from engram.model.instant import Instant

#: How the queue's content begins when a machine wrote it: tags, JSON; and slash commands.
_NO_PROMPT = ("<", "{", "/")
_KEY = "queue"
_MAX_WAITING = 32
#: Up to this length words may stand in another prompt by chance.
_SHORT = 20


@dataclass(frozen=True, slots=True)
class QueuedPrompt:
    """One entry: its words (empty when a machine wrote them), and the line that put it there.

    `time` is the line's own, empty when it has none. `left` entries have been removed.
    """

    text: str
    session: str
    time: Instant
    line: int
    left: bool = False


class PromptQueue:
    """The entries that wait, and those that were removed and not yet made into turns."""

    def __init__(self, state: MutableMapping[str, str]) -> None:
        self._state = state
        self._entries = _loaded(state.get(_KEY, ""))
        self._changed = False

    def put(self, content: object, session: str, time: Instant, line: int) -> None:
        """An entry joins the queue; when it is full, the oldest one counts as removed."""
        text = _prompt(content)
        self._entries.append(QueuedPrompt(text, session, time, line))
        waiting = self._waiting()
        if len(waiting) > _MAX_WAITING:
            self._leave(waiting[0])
        self._changed = True

    def take(self, operation: object, content: object) -> None:
        """An entry leaves the queue: the one of that content, or else the first."""
        waiting = self._waiting()
        if not waiting:
            return
        text = _prompt(content) if content is not None else None
        same = (index for index in waiting if self._entries[index].text == text)
        index = next(same, waiting[0])
        if operation == "remove":
            self._leave(index)
        elif operation == "popAll":
            self._entries = [entry for entry in self._entries if entry.left]
        else:
            del self._entries[index]
        self._changed = True

    def heard(self, text: str) -> None:
        """A user line says this: entries that it repeats are settled."""
        if self._entries:
            kept = [entry for entry in self._entries if entry.left or not _repeats(text, entry)]
            self._changed |= len(kept) < len(self._entries)
            self._entries = kept

    def removed(self) -> list[QueuedPrompt]:
        """The prompts that were removed, once."""
        gone = [entry for entry in self._entries if entry.left]
        if gone:
            self._entries = [entry for entry in self._entries if not entry.left]
            self._changed = True
        return [entry for entry in gone if entry.text]

    def settle(self) -> None:
        """Bring the state up to date."""
        if self._changed:
            self._changed = False
            if self._entries:
                remember(self._state, _KEY, _saved(self._entries))
            else:
                self._state.pop(_KEY, None)

    def _waiting(self) -> list[int]:
        return [index for index, entry in enumerate(self._entries) if not entry.left]

    def _leave(self, index: int) -> None:
        self._entries[index] = replace(self._entries[index], left=True)


def _prompt(content: object) -> str:
    """The words that a person put into the queue; empty when it was a machine."""
    text = said(content) if isinstance(content, str) else ""
    return "" if text.startswith(_NO_PROMPT) else text


def _repeats(text: str, entry: QueuedPrompt) -> bool:
    """Whether a user line says what was queued; several entries may have become one line."""
    return text == entry.text or (len(entry.text) > _SHORT and entry.text in text)


def _saved(entries: list[QueuedPrompt]) -> str:
    """The entries as text that may lie on a disk."""
    rows = []
    for entry in entries:
        text = "" if off_the_record(entry.text) else without_private(entry.text)[0]
        rows.append([text, entry.session, entry.time, entry.line, entry.left])
    return json.dumps(rows, ensure_ascii=False)


def _loaded(text: str) -> list[QueuedPrompt]:
    """The entries of such a text; none where it is not one."""
    try:
        rows = json.loads(text) if text else []
        return [
            QueuedPrompt(str(words), str(session), str(time), int(line), bool(left))
            for words, session, time, line, left in rows
        ]
    except (ValueError, TypeError, RecursionError):
        return []
