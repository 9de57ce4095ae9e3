"""What is asked of a vault: search, lookup, recall, pages, checks. Writes nothing."""
