"""Memories -> boxes -> traces, and entity pages: pure folds over what is in the vault."""
