"""Transactions: commit, recovery, undo, purge, and the projections that follow them."""
