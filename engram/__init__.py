"""engram: conversations with AI agents become dated, sourced Markdown facts.

    transcripts -> capture -> journal -> extract -> admit -> store -> index -> recall -> agent
                   (redact, signals,     (rules,    (the one  (files, one
                    cursors)              receipts)  decider)  transaction)

Read `pipeline/` first (the use cases, one screen each), then `vault/` (every verb as one method).
`model/` holds the values that every package shares, `model/ports/` the protocols of all adapters.

    from engram import Vault, turn_of
    vault = Vault.open(path)                                    # or Vault.create(path)
    vault.capture([turn_of("user", "I prefer tabs.", "2026-03-06T10:10:00Z")])
    vault.flush()
    vault.search("tabs")
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing `typing` would be half of what a warm search takes
if TYPE_CHECKING:
    from engram.model.turn import Turn, turn_of
    from engram.vault import Vault

__version__ = "0.1.0"
__all__ = ["Turn", "Vault", "turn_of"]


def __getattr__(name: str) -> object:
    """The public names, imported when they are asked for: `engram --help` does not pay for them."""
    if name == "Vault":
        from engram.vault import Vault

        return Vault
    if name in ("Turn", "turn_of"):
        from engram.model import turn

        return getattr(turn, name)
    raise AttributeError(f"module 'engram' has no attribute {name!r}")
