"""Errors that a user can see; each carries a hint that says what to do next.

    EngramError                 exit 1
      BadInput                  a path, a format or an argument that cannot be used
      NotFound                  no memory, turn, transaction or vault of that name
      ConfigError               a configuration file, key or value is wrong
      Untrusted                 the vault is not registered on this machine
      StorageError              the disk is full, read-only or refuses
        FormatTooNew            the vault was written by a newer engram
      Conflict                  exit 3: the person, or a later change, was faster
      Locked                    exit 3: another process holds the vault
      ModelError                a model gave no usable answer; turns stay pending
        ModelAway               unreachable for now: it is tried again later, for ever
        ModelRefuses            key, quota, model name or request: the user has to act
        BadAnswer               there was an answer, and it is unusable
      BudgetExceeded            exit 4: the daily or per-run limit is reached

Anything else that reaches the command line is a bug (exit 70).

Two names are stable: `code`, by which the trace counts failures, and `told`, which programs are
given (`--json`). One that is given to an error is both; else `told` is what seed 001 calls it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class EngramError(Exception):
    """What went wrong, in one line; `hint` says what the user can do about it."""

    exit_code = 1
    default_hint = "run `engram doctor` to see the state of the vault"
    #: what programs are told, where the error itself says nothing
    told_by_default = "ERROR"

    #: whether turns that failed by it stay pending however often, and never go to the dead letter
    patient = False

    def __init__(self, message: str, hint: str | None = None, *, code: str = "") -> None:
        super().__init__(message)
        self.hint = hint if hint is not None else self.default_hint
        self._given = code

    @property
    def code(self) -> str:
        """A stable name for the trace and for counting."""
        return self._given or type(self).__name__

    @property
    def told(self) -> str:
        """A stable name for programs: the one that was given, else that of the kind of error."""
        return self._given or self.told_by_default


@contextmanager
def called(code: str) -> Iterator[None]:
    """Errors about what is asked for are told to programs by a code of the verb (seed 001)."""
    try:
        yield
    except (BadInput, NotFound) as error:
        error.told_by_default = code or error.told_by_default
        raise


class BadInput(EngramError):
    """A path, a format or an argument cannot be used; nothing was changed."""

    told_by_default = "INPUT_ERROR"
    default_hint = "check the path and the format; `engram import --help` lists the sources"


class NotFound(EngramError):
    """There is no such memory, turn, transaction or vault."""

    told_by_default = "NOT_FOUND"
    default_hint = "`engram list` shows the memories, `engram log` the changes"


class ConfigError(EngramError):
    """A configuration file, key or value is wrong; the message names file, key and value."""

    told_by_default = "CONFIG_ERROR"
    default_hint = "`engram config show` prints every key with its value and origin"


class Untrusted(EngramError):
    """The vault is not registered here: it can be searched, and nothing else (design 1.9)."""

    told_by_default = "UNTRUSTED"
    default_hint = "look at the folder first; then `engram trust PATH` registers it"


class StorageError(EngramError):
    """The disk is full, read-only or refuses; what was captured before stays."""

    told_by_default = "STORAGE_ERROR"
    default_hint = "free some space or check the permissions, then run the command again"


class FormatTooNew(StorageError):
    """A newer engram wrote this vault: it can be read but not written."""

    told_by_default = "FORMAT_TOO_NEW"
    default_hint = "upgrade engram to write to this vault"


class Conflict(EngramError):
    """A file is not what the change expected: the person or a later change was faster."""

    told_by_default = "OCC_CONFLICT"
    exit_code = 3
    default_hint = "look at both versions and decide; nothing was overwritten"


class Locked(EngramError):
    """Another process holds the vault's writer lock for longer than the time-out."""

    told_by_default = "LOCK_TIMEOUT_ERROR"
    exit_code = 3
    patient = True
    default_hint = "wait for the other engram command to finish, then try again"


class ModelError(EngramError):
    """A model gave no usable answer. `reason` is one of a closed list of words (`engram.llm`)."""

    told_by_default = "MODEL_ERROR"
    default_hint = "`engram status` shows what waits; `engram extract --rules` needs no model"

    def __init__(self, reason: str, message: str, hint: str | None = None) -> None:
        super().__init__(message, hint)
        self.reason = reason

    @property
    def code(self) -> str:
        """The reason, as it is counted."""
        return self.reason


class ModelAway(ModelError):
    """No provider answers now: a time-out, an outage, a rate limit. Tried again later."""

    patient = True


class ModelRefuses(ModelError):
    """The provider will not answer until the person acts: key, quota, model name, request."""

    patient = True
    default_hint = "check `llm.` in `engram config show` and the key's variable, then run it again"


class BadAnswer(ModelError):
    """An unusable answer; after some attempts the turns go to the dead letter."""


class BudgetExceeded(EngramError):
    """The limit of tokens or money is reached; turns stay pending."""

    told_by_default = "BUDGET_EXCEEDED"
    exit_code = 4
    patient = True
    default_hint = (
        "it is free again tomorrow (UTC); or raise llm.daily_usd or llm.daily_tokens,"
        " or go on without a model: `engram extract --rules`"
    )

    @property
    def code(self) -> str:
        """As it is counted."""
        return "budget"
