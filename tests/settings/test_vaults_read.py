"""Which vaults are read in a folder, and of which spaces."""

from __future__ import annotations

from pathlib import Path

import pytest

from engram.settings.registry import Registered, Sharing
from engram.settings.vaults_read import ReadVault, vaults_read
from tests.settings.test_vault_folders import vault

EVERY = ("session", "user", "project", "system")


class Kim:
    """A person with an own vault, and what else is registered."""

    def __init__(self, root: Path) -> None:
        self.home = root / "kim"
        self.own = self.add(self.home / "engram", "own")
        self.entries = [self.own]

    def add(self, root: Path, name: str, sharing: Sharing = Sharing()) -> Registered:
        entry = Registered(vault(root, name, shares=sharing.space), name, sharing)
        if name != "own":
            self.entries.append(entry)
        return entry

    def read(
        self, folder: Path, first: Registered | None = None, *projects: str
    ) -> list[tuple[str, str, tuple[str, ...]]]:
        found = vaults_read(
            first or self.own, self.own.path, sorted(self.entries), str(folder), projects, self.home
        )
        return [(one.id, one.label, one.spaces) for one in found]


@pytest.fixture
def kim(tmp_path: Path) -> Kim:
    return Kim(tmp_path)


OWN = ("own", "", EVERY)


def test_outside_of_all_vaults_the_own_one_alone_is_read(kim: Kim, tmp_path: Path) -> None:
    kim.add(tmp_path / "notes", "notes")
    assert kim.read(tmp_path / "shop") == [OWN]
    assert kim.read(tmp_path / "notes-of-2019") == [OWN]  # a name that begins alike
    assert kim.read(Path("relative")) == [OWN]


def test_of_the_vault_around_a_folder_the_projects_are_read(kim: Kim, tmp_path: Path) -> None:
    kim.add(tmp_path / "shop", "shop")
    beside = ("shop", "@shop", ("project",))
    assert kim.read(tmp_path / "shop") == kim.read(tmp_path / "shop" / "src") == [OWN, beside]
    inner = kim.add(tmp_path / "shop" / "till", "till")
    assert kim.read(inner.path / "src") == [OWN, ("till", "@till", ("project",))]


def test_by_hand_the_own_vault_is_read_beside_that_of_the_folder(kim: Kim, tmp_path: Path) -> None:
    shop = kim.add(tmp_path / "shop", "shop")
    everywhere = ("own", "@engram", ("session", "user", "system"))
    assert kim.read(shop.path, shop) == [("shop", "", EVERY), everywhere]


def test_a_vault_inside_the_own_one_is_beside_it_and_one_around_it_is_not(
    kim: Kim, tmp_path: Path
) -> None:
    inner = kim.add(kim.own.path / "till", "till")
    assert kim.read(inner.path) == [OWN, ("till", "@till", ("project",))]
    kim.add(tmp_path / "kim" / "around", "around")  # no parent of the own vault
    kim.entries.append(Registered(kim.home, "home"))
    (kim.home / "engram.toml").write_text('format = 1\nid = "home"\n', encoding="utf-8")
    assert kim.read(kim.own.path / "facts") == [OWN]
    assert kim.read(kim.home / "shop") == [OWN, ("home", "@kim", ("project",))]


def test_what_is_not_registered_or_is_another_vault_now_is_not_read(
    kim: Kim, tmp_path: Path
) -> None:
    vault(tmp_path / "cloned", "cloned")
    assert kim.read(tmp_path / "cloned") == [OWN]
    shop = kim.add(tmp_path / "shop", "shop")
    for text in ('format = 1\nid = "other"\n', "format = 1\nid = ???\n", "\udcff"):
        settings = shop.path / "engram.toml"
        settings.write_bytes(text.encode("utf-8", "surrogateescape"))
        assert kim.read(shop.path) == [OWN]
    settings.unlink()
    settings.symlink_to(tmp_path / "cloned" / "engram.toml")
    assert kim.read(shop.path) == [OWN]


def test_two_vaults_with_one_id_are_two(kim: Kim, tmp_path: Path) -> None:
    copy = vault(tmp_path / "clone", "own")
    assert kim.read(copy) == [OWN]
    kim.entries.append(Registered(copy, "own"))
    assert kim.read(copy) == [OWN, ("own", "@clone", ("project",))]


def test_a_link_is_the_folder_that_it_leads_to(kim: Kim, tmp_path: Path) -> None:
    shop = kim.add(tmp_path / "shop", "shop")
    (tmp_path / "link").symlink_to(shop.path / "src")
    (shop.path / "src").mkdir()
    (shop.path / "away").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").mkdir()
    assert kim.read(tmp_path / "link") == [OWN, ("shop", "@shop", ("project",))]
    assert kim.read(shop.path / "away") == [OWN]


def test_shared_vaults_that_serve_the_folder_are_read_after_all_others(
    kim: Kim, tmp_path: Path
) -> None:
    shop = kim.add(tmp_path / "Web Shop" / "notes", "notes")
    sharing = Sharing("project", ("till*",))
    team = kim.add(tmp_path / "Web Shop" / "memory", "team", sharing)
    rules = kim.add(tmp_path / "rules", "rules", Sharing("system", ("*",)))
    (tmp_path / "Web Shop" / ".git").mkdir()
    found = [("team", "@web-shop", ("project",)), ("rules", "@rules", ("system",))]
    assert kim.read(tmp_path / "Web Shop", None, "web-shop") == [OWN, *found]
    noted = ("notes", "@web-shop", ("project",))
    again = ("team", "@web-shop-2", ("project",))
    assert kim.read(shop.path, None, "web-shop") == [OWN, noted, again, found[1]]
    assert kim.read(tmp_path, None, "till-fix") == [OWN, *found]
    kept = vaults_read(kim.own, kim.own.path, kim.entries, str(team.path), ["web-shop"], kim.home)
    assert ReadVault(team.path, "team", "@web-shop", ("project",), sharing) in kept
    assert rules.sharing in [one.sharing for one in kept]
