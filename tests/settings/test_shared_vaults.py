"""Which shared vault serves a folder, and which takes a memory; what the registry decides."""

from __future__ import annotations

from pathlib import Path

import pytest

from engram.settings.registry import Registered, Sharing
from engram.settings.shared_vaults import serving, sharing_problem, takers
from tests.kit import failing


@pytest.fixture
def entries(tmp_path: Path) -> list[Registered]:
    """Shared vaults of a repository, of none, and of the system; and one of the person's own."""
    for name in ("shop/.git", "shop/memory", "notes", "rules", "own"):
        (tmp_path / name).mkdir(parents=True)
    return [
        Registered(tmp_path / "shop" / "memory", "a", Sharing("project", ("till-*",))),
        Registered(tmp_path / "notes", "b", Sharing("project", ("mill", "sho?"))),
        Registered(tmp_path / "rules", "c", Sharing("system", ("*",))),
        Registered(tmp_path / "own", "d"),
    ]


def test_whom_a_shared_vault_serves_and_what_it_takes(
    tmp_path: Path, entries: list[Registered]
) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "shop")
    (tmp_path / "shopkeeper").mkdir()
    rows = [
        (serving(entries, str(tmp_path / "shop" / "src"), ("shop",), tmp_path), "abc"),
        (serving(entries, str(tmp_path / "link"), ("link",), tmp_path), "ac"),
        (serving(entries, str(tmp_path / "shopkeeper"), ("shopkeeper",), tmp_path), "c"),
        (serving(entries, str(tmp_path / "till-2"), ("till-2",), tmp_path), "ac"),
        (serving(entries, "src", (), tmp_path), ""),
        (takers(entries, "project", "shop", tmp_path), "a"),
        (takers(entries, "project", "mill", tmp_path), "b"),
        (takers(entries, "project", "till-2", tmp_path), "a"),
        (takers(entries, "project", "", tmp_path), ""),
        (takers(entries, "system", "", tmp_path), "c"),
        (takers(entries, "user", "shop", tmp_path), ""),
    ]

    def as_said(row: tuple[list[Registered], str]) -> None:
        assert "".join(one.vault_id for one in row[0]) == row[1]

    assert failing(rows, as_said) == ""


def test_a_vault_and_the_registry_have_to_agree(tmp_path: Path, entries: list[Registered]) -> None:
    shared, own = entries[0], entries[3]
    assert sharing_problem(tmp_path, "project", shared) is None
    assert sharing_problem(tmp_path, "", own) is sharing_problem(tmp_path, "project", None) is None
    for claimed, entry in (("", shared), ("system", shared), ("project", own)):
        problem = sharing_problem(tmp_path, claimed, entry)
        assert problem is not None and f"engram trust {tmp_path}" in problem.hint
