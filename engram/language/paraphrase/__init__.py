"""Statements that say the same in other words -> one form."""
