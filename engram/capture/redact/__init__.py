"""Redaction: credentials, cards and account numbers in text -> placeholders, before any write."""
