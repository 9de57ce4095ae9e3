"""Turns -> candidates: what is worth proposing, each with a verbatim receipt.

    turns -> rules  (prose -> guards -> families)  -> candidates -> receipt.verify
          -> model  (when a provider is configured)

`classify` says what kind of thing a statement is and how much it matters. Nothing here decides
what is kept: that is `engram.admit`.
"""
