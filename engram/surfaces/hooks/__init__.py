"""Hooks that agents call: memories as context, and notification that a transcript has grown."""
