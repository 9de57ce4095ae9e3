"""Habits of each provider: the request form it understands, what it refuses, whether it rests.

Kept in one small file of the user, `providers.json`, so that a probe happens once and not with
every command. A damaged or foreign file counts as none: the habits are found again. After
`FAILURES` unanswered questions in a row a provider rests for `REST_MINUTES` (a circuit breaker): it
is not asked; then one question is let through, and of several threads the others wait for what
comes of it. Another address or model is another provider.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace

from engram.llm.provider import Provider
from engram.model.errors import StorageError
from engram.model.ids import message_digest
from engram.model.instant import Instant, instant_of, plus_minutes
from engram.model.model_request import ModelAbsence
from engram.model.ports import Clock, Disk

_FILE = "providers.json"
FAILURES = 2
REST_MINUTES = 5.0
#: the longest rest that a provider can ask for, minutes
LONGEST_REST = 24 * 60.0

#: Request forms, best first: the Responses API with a strict schema, chat completions with one,
#: chat completions whose text is to be JSON.
FORMS = ("responses", "chat-schema", "chat-text")


@dataclass(frozen=True, slots=True)
class Habits:
    """Habits of one provider. `failures` in a row; `until` it rests, and the reason."""

    form: str = FORMS[0]
    refused: tuple[str, ...] = ()
    failures: int = 0
    until: Instant = ""
    reason: str = ""


@dataclass(slots=True)
class ProviderHabits:
    """The habits of all providers, read at first use and written when they change."""

    disk: Disk
    clock: Clock
    _known: dict[str, Habits] = field(default_factory=dict)
    _read: bool = False
    _writing: threading.RLock = field(default_factory=threading.RLock)
    _trial: threading.Lock = field(default_factory=threading.Lock)

    def of(self, provider: Provider) -> Habits:
        """The known habits of a provider."""
        with self._writing:
            if not self._read:
                self._known = _parsed(self.disk.read(_FILE))
                self._read = True
            return self._known.get(_key(provider), Habits())

    @contextmanager
    def asking(self, provider: Provider) -> Iterator[None]:
        """Around a question: one at a time where the one before was not answered."""
        if not self.of(provider).failures:
            yield
            return
        with self._trial:
            yield

    def resting(self, provider: Provider) -> ModelAbsence | None:
        """Why a provider is not to be asked now; None when it may be."""
        habits, now = self.of(provider), self.clock.now()
        # a rest that ends later than any that is written: the clock was wrong then
        if habits.until and now < habits.until <= plus_minutes(now, LONGEST_REST):
            return ModelAbsence(provider.name, habits.reason, habits.until)
        return None

    def other_form(self, provider: Provider, sent: Habits) -> bool:
        """Use another request form than was `sent` from now on; False when there is none left.

        A provider that understood none is asked in the best one next time: it may have been ill.
        """
        place = FORMS.index(sent.form) + 1
        left = place < len(FORMS)
        with self._writing:
            habits = self.of(provider)
            # another thread may have found it out meanwhile
            if habits.form == sent.form:
                self._note(provider, replace(habits, form=FORMS[place if left else 0]))
        return left

    def refuses(self, provider: Provider, parameter: str, sent: Habits) -> bool:
        """Omit a parameter from now on; False when what was `sent` was without it already."""
        if parameter in sent.refused:
            return False
        with self._writing:
            habits = self.of(provider)
            if parameter not in habits.refused:
                self._note(provider, replace(habits, refused=(*habits.refused, parameter)))
        return True

    def answered(self, provider: Provider) -> None:
        """A successful answer: failures are forgotten."""
        with self._writing:
            habits = self.of(provider)
            if habits.failures or habits.until:
                self._note(provider, replace(habits, failures=0, until="", reason=""))

    def failed(self, provider: Provider, reason: str, retry_after: float | None) -> None:
        """One more unanswered question; after some, or when the provider says so, it rests."""
        with self._writing:
            habits = self.of(provider)
            failures = habits.failures + 1
            minutes = REST_MINUTES if failures >= FAILURES else 0.0
            minutes = max(minutes, min((retry_after or 0.0) / 60, LONGEST_REST))
            until = plus_minutes(self.clock.now(), minutes) if minutes else ""
            self._note(provider, replace(habits, failures=failures, until=until, reason=reason))

    def _note(self, provider: Provider, habits: Habits) -> None:
        # another process may have written meanwhile; what is lost is found again
        self._known = {**_parsed(self.disk.read(_FILE)), _key(provider): habits}
        rows = {
            key: {"form": one.form, "refused": list(one.refused), "failures": one.failures,
                  "until": one.until, "reason": one.reason}
            for key, one in sorted(self._known.items())
        }  # fmt: skip
        with suppress(StorageError):  # two processes at once, a full disk: it is kept in memory
            self.disk.put(_FILE, json.dumps(rows, indent=1).encode("ascii") + b"\n")


def _key(provider: Provider) -> str:
    return message_digest("provider", provider.base_url, provider.model)


def _parsed(data: bytes | None) -> dict[str, Habits]:
    try:
        rows = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        return {}
    if not isinstance(rows, dict):
        return {}
    return {key: habits for key, row in rows.items() if (habits := _habits(row)) is not None}


def _habits(row: object) -> Habits | None:
    if not isinstance(row, dict) or row.get("form") not in FORMS:
        return None
    refused, failures = row.get("refused"), row.get("failures")
    until, reason = row.get("until"), row.get("reason")
    if not isinstance(refused, list) or not all(isinstance(name, str) for name in refused):
        return None
    if type(failures) is not int or not isinstance(until, str) or not isinstance(reason, str):
        return None
    try:
        until = instant_of(until) if until else ""
    except ValueError:
        return None
    return Habits(str(row["form"]), tuple(refused), failures, until, reason)
