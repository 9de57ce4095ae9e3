"""File formats: the bytes of a vault's files <-> memories, boxes, entities, transcripts."""
