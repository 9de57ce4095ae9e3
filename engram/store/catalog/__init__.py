"""Catalog: content of the vault in SQLite, in the user's cache, so that queries read no files."""
