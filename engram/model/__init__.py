"""Values, ports and pure functions of every package: standard library only, no I/O, no clock.


`ids` alone reads a table of another package: how the letters of other scripts are read.
Two modules are for the adapters alone, which may not see each other: `atomic_file`, `file_lock`.
"""
