"""`python -m engram`: the command line."""

from engram.surfaces.entry import main

main()
