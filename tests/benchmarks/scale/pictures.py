"""Pictures of the figures."""

from __future__ import annotations

from pathlib import Path

from tests.benchmarks.scale.growth import Figures


def draw(figures: Figures, folder: Path) -> None:
    """Draw nothing yet."""
