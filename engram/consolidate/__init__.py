"""Consolidation: what a vault knows -> planned steps that keep it current; one module a pass."""
