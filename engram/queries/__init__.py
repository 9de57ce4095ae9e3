"""What is asked of a vault: search, lookup, recall, entities, boxes, checks. Writes nothing."""
