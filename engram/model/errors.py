"""The whole tree of errors a person can see; each carries a hint that says what to do next.

    EngramError                 exit 1
      BadInput                  a path, a format or an argument that cannot be used
      NotFound                  no memory, turn, transaction or vault of that name
      ConfigError               a configuration file, key or value is wrong
      Untrusted                 the vault is not registered on this machine
      StorageError              the disk is full, read-only or refuses
        FormatTooNew            the vault was written by a newer engram
      Conflict                  exit 3: the person, or a later change, was faster
      Locked                    exit 3: another process holds the vault
      BudgetExceeded            exit 4: the daily or per-run limit is reached

Anything else that reaches the command line is a bug (exit 70).
"""

from __future__ import annotations


class EngramError(Exception):
    """What went wrong, in one line; `hint` says what the person can do about it."""

    exit_code = 1
    default_hint = "run `engram doctor` to see the state of the vault"

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint if hint is not None else self.default_hint


class BadInput(EngramError):
    """A path, a format or an argument cannot be used; nothing was changed."""

    default_hint = "check the path and the format; `engram import --help` lists the sources"


class NotFound(EngramError):
    """There is no such memory, turn, transaction or vault."""

    default_hint = "`engram list` shows the memories, `engram log` the changes"


class ConfigError(EngramError):
    """A configuration file, key or value is wrong; the message names file, key and value."""

    default_hint = "`engram config show` prints every key with its value and origin"


class Untrusted(EngramError):
    """The vault is not registered here: it can be searched, and nothing else (design 1.9)."""

    default_hint = "look at the folder first; then `engram trust PATH` registers it"


class StorageError(EngramError):
    """The disk is full, read-only or refuses; what was captured before stays."""

    default_hint = "free some space or check the permissions, then run the command again"


class FormatTooNew(StorageError):
    """A newer engram wrote this vault: it can be read but not written."""

    default_hint = "upgrade engram to write to this vault"


class Conflict(EngramError):
    """A file is not what the change expected: the person or a later change was faster."""

    exit_code = 3
    default_hint = "look at both versions and decide; nothing was overwritten"


class Locked(EngramError):
    """Another process holds the vault's writer lock for longer than the time-out."""

    exit_code = 3
    default_hint = "wait for the other engram command to finish, then try again"


class BudgetExceeded(EngramError):
    """The limit of tokens or money is reached; turns stay pending."""

    exit_code = 4
    default_hint = "raise the limit in the configuration or wait until tomorrow"
