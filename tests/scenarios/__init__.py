"""Scenarios: what a person and agents do with one vault, and byte for byte what became of it."""
