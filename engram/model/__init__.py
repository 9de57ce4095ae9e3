"""Values, ports and pure functions of every package: standard library only, no I/O, no clock."""
