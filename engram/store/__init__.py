"""Verdicts <-> files: the vault on disk, one transaction at a time. Nothing else writes it."""
