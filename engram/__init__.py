"""engram: conversations with AI agents become dated, sourced Markdown facts.

    transcripts -> capture -> journal -> extract -> admit -> store -> index -> recall -> agent
                   (redact, signals,     (rules,    (the one  (files, one
                    cursors)              receipts)  decider)  transaction)

Read `flow.py` first (the flows, one screen each), then `vault.py` (every verb as one method).
`model/` holds the values that cross the house, `ports.py` what the deciders are handed.
"""

__version__ = "0.1.0"
