"""Disk, lock, clock and layout: what every other part of the store stands on."""
