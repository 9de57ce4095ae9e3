"""The qmd face: what calls qmd today can call engram, on any folder of Markdown."""
