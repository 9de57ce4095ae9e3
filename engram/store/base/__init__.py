"""Disk, lock, clock and layout: the lowest layer of the store."""
