"""Memories -> boxes -> traces; entities, profile, topics: pure folds over what is in the vault."""
