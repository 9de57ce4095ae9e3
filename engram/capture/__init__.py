"""Bytes -> clean, redacted, numbered turns: sources, cursors, redactor, signals, journal."""
