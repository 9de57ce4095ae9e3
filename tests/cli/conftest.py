"""A small vault of a shop, and the command line on it, inside this process."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.shop import Shop, make_shop


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """A shop of the test's own."""
    return make_shop(tmp_path)


@pytest.fixture(scope="module")
def same_shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """One shop for all tests of a module, which leave it as it is."""
    return make_shop(tmp_path_factory.mktemp("shop"))
