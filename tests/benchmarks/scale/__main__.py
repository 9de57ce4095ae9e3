"""`python -m tests.benchmarks.scale`."""

from tests.benchmarks.scale import main

main()
