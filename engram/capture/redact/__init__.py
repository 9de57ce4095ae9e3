"""Credentials, cards and account numbers in text -> placeholders, before anything is written."""
