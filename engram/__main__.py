"""`python -m engram`: the command line."""

from engram.surfaces.cli.app import main

main()
