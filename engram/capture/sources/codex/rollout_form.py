"""Form of a Codex log: read by its events or by its items, decided while it is read.

In most logs each text stands twice, as an item and as an event; a log without such events has the
items only. Which it is cannot be known before something is said, and a log that grows is read in
several readings. So:

- The first event with a message decides for events; from then on items say nothing.
- Until then prompts among the items wait. The event of a prompt stands before anything the model
  makes of it: an item of the model (an answer, a thought, a call) that comes before any event
  decides for items, and what waited is said. The bare form has no events at all.
- A reading that ends before there is a decision leaves its place before the first prompt that
  waits; the next one begins there, and finds what one reading at once would have found.
- A log that was begun without events and goes on with them changes over; the copy of the prompt
  that was said last is not said again.

The decision is kept in the state of the reading. Prompts that wait are bounded in number and size.
"""

from __future__ import annotations

from engram.capture.clean import remember
from engram.capture.sources.shared.dialogue import Dialogue, SpokenWords
from engram.model.ids import message_digest

#: the most waiting prompts, and characters of them: a log with more has no events
_MAX_WAITING = 64
_MAX_SIZE = 1 << 20
_KEY, _EVENTS, _ITEMS = "form", "events", "items"
#: Key of the state: a digest of the prompt that was said last from an item.
_COPY = "copy"


class RolloutForm:
    """The messages of one log, of which every text is to be said once."""

    def __init__(self, dialogue: Dialogue) -> None:
        self._dialogue = dialogue
        self._state = dialogue.state
        self._waiting: list[SpokenWords] = []
        self._size = 0

    def without_events(self) -> None:
        """There is a sign that no event has been written for what waits."""
        if _KEY not in self._state:
            self._by_items()

    def asked(self, words: SpokenWords) -> None:
        """A person's words in an event."""
        copy = self._state.get(_COPY, "")
        self._by_events()
        if not copy or copy != _name(words):
            self._dialogue.asked(words)

    def heard(self, words: SpokenWords) -> None:
        """The assistant's words in an event."""
        self._by_events()
        self._dialogue.answered(words)

    def item_asked(self, words: SpokenWords) -> None:
        """A person's words in an item."""
        form = self._state.get(_KEY)
        if form == _EVENTS or not words.text:
            return
        if form is not None:
            self._say(words)
            return
        self._waiting.append(words)
        self._size += len(words.text)
        self._dialogue.undecided = self._waiting[0].place
        if len(self._waiting) > _MAX_WAITING or self._size > _MAX_SIZE:
            self._by_items()

    def item_heard(self, words: SpokenWords) -> None:
        """The assistant's words in an item."""
        if words.text.strip():
            self.without_events()
            if self._state[_KEY] != _EVENTS:
                self._dialogue.answered(words)

    def _say(self, words: SpokenWords) -> None:
        remember(self._state, _COPY, _name(words))
        self._dialogue.asked(words)

    def _by_events(self) -> None:
        self._decide(_EVENTS)
        self._waiting = []
        self._state.pop(_COPY, None)

    def _by_items(self) -> None:
        waiting, self._waiting = self._waiting, []
        self._decide(_ITEMS)
        for words in waiting:
            self._say(words)

    def _decide(self, form: str) -> None:
        remember(self._state, _KEY, form)
        self._dialogue.undecided = None


def _name(words: SpokenWords) -> str:
    return message_digest("prompt", words.text)
