"""Candidate + what the vault knows -> verdict: the only place that decides what is written."""
