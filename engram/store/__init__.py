"""Vault storage: files, catalog, transactions, one writer at a time; nothing else writes vaults."""
