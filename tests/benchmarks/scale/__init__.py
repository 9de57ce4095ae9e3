"""How it goes with size: what `python -m tests.benchmarks.scale` measures."""

from tests.benchmarks.scale.program import main

__all__ = ["main"]
