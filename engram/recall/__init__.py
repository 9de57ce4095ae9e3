"""Question -> ranked, explained, budgeted answer. Pure: no index, no disk, no clock.

`parse` reads a query and decides what it keeps out, `rank` orders what the index found, `snippet`
cuts the words around a match, `answer` packs memories for an agent, `grep` matches lines.
"""
