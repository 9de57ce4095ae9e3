"""Capture: bytes of transcripts -> clean, redacted, numbered turns, logged durably."""
