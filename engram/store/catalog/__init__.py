"""What the vault holds, in SQLite in the user's cache, to answer without its files."""
