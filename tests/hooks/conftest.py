"""A small vault of a shop."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.shop import Shop, make_shop


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """A shop of the test's own."""
    return make_shop(tmp_path)
