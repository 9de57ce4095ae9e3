"""Containers of transcripts read within bounded memory: JSON, JSON lines, zip."""
