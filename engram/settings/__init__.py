"""Layered settings: shipped < user < vault allow-list < ENGRAM_* < flags, with origins."""
