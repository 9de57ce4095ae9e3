"""Values and pure functions that every package shares: standard library only, no I/O, no clock."""
