"""Turns -> candidates: statements worth keeping, each with a verbatim receipt.

    turns -> rules  (sentences -> guards -> families)  -> candidates -> receipt.verify
          -> llm    (when a provider is configured)

`classify` says what kind of thing a statement is and how much it matters. Nothing here decides
what is kept: that is `engram.admit`.
"""
