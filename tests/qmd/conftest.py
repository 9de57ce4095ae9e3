"""A desk with notes, and one whose notes are a collection already."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.qmd.desk import Desk


@pytest.fixture
def bare(tmp_path: Path) -> Desk:
    """Notes that nothing was told of."""
    return Desk(tmp_path)


@pytest.fixture
def machine(bare: Desk) -> Desk:
    """Notes that are the collection `notes`."""
    assert bare.run("collection", "add", "notes").code == 0
    return bare
