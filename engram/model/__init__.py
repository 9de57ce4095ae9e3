"""Values, ports and pure functions of every package: standard library only, no I/O, no clock.

Two modules are for the adapters alone, which may not see each other: `atomic_file`, `file_lock`.
"""
