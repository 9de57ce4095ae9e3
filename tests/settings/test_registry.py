"""The list of vaults that the person trusts."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.errors import BadInput, ConfigError, StorageError
from engram.settings.paths import places_of
from engram.settings.registry import Registered, Registry
from tests.effort import examples


def registry_in(home: Path) -> Registry:
    return Registry(places_of({"ENGRAM_HOME": str(home)}))


def test_a_registered_vault_is_trusted_until_it_is_removed(tmp_path: Path) -> None:
    registry = registry_in(tmp_path / "home")
    assert registry.entries() == [] and not registry.trusts(tmp_path, "one")
    registry.add(tmp_path / "b", "two")
    registry.add(tmp_path / "a", "one")
    again = registry_in(tmp_path / "home")
    real = Path(os.path.realpath(tmp_path))
    assert again.entries() == [Registered(real / "a", "one"), Registered(real / "b", "two")]
    assert again.trusts(tmp_path / "a", "one")
    assert again.remove(tmp_path / "a") and not again.remove(tmp_path / "a")
    assert not again.trusts(tmp_path / "a", "one") and again.trusts(tmp_path / "b", "two")


def test_those_who_register_at_once_all_stay_registered(tmp_path: Path) -> None:
    def register(number: int) -> None:
        for vault in range(5):
            registry_in(tmp_path / "home").add(tmp_path / f"{number}-{vault}", f"v{number}-{vault}")

    with ThreadPoolExecutor(8) as people:
        list(people.map(register, range(8)))
    assert len(registry_in(tmp_path / "home").entries()) == 40


def test_another_vault_at_the_same_path_is_not_trusted(tmp_path: Path) -> None:
    registry = registry_in(tmp_path / "home")
    registry.add(tmp_path / "vault", "one")
    assert not registry.trusts(tmp_path / "vault", "two")
    assert not registry.trusts(tmp_path / "vault", "")
    registry.add(tmp_path / "vault", "two")
    assert registry.trusts(tmp_path / "vault", "two")
    assert not registry.trusts(tmp_path / "vault", "one")


@pytest.mark.skipif(os.name == "nt", reason="symlinks need a right there")
def test_a_vault_is_known_by_its_real_path(tmp_path: Path) -> None:
    registry = registry_in(tmp_path / "home")
    (tmp_path / "vault").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "vault")
    registry.add(tmp_path / "link", "one")
    assert registry.trusts(tmp_path / "vault", "one")
    (tmp_path / "link").unlink()
    (tmp_path / "other").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "other")
    assert not registry.trusts(tmp_path / "link", "one")


@pytest.mark.skipif(os.name == "nt", reason="modes are different there")
def test_the_file_is_for_its_owner_only_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    registry_in(home).add(tmp_path, "one")
    assert stat.S_IMODE((home / "vaults.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert os.listdir(home) == ["vaults.json"]


@pytest.mark.parametrize("vault_id", ["", "@ID@", "One", "a" * 81])
def test_what_is_no_id_is_not_registered(tmp_path: Path, vault_id: str) -> None:
    with pytest.raises(BadInput, match="is no vault id"):
        registry_in(tmp_path).add(tmp_path, vault_id)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "[" * 100_000,
        '{"vaults": {}}',
        '{"vaults": [3]}',
        '{"vaults": [{"path": "/a"}]}',
        '{"vaults": [{"path": "", "id": "a"}]}',
        '{"format": 2, "vaults": []}',
    ],
)
def test_a_damaged_file_is_named_and_never_emptied(tmp_path: Path, text: str) -> None:
    file = tmp_path / "vaults.json"
    file.write_text(text, encoding="utf-8")
    registry = registry_in(tmp_path)
    for question in (
        registry.entries,
        lambda: registry.trusts(tmp_path, "one"),
        lambda: registry.add(tmp_path, "one"),
        lambda: registry.remove(tmp_path),
    ):
        with pytest.raises(ConfigError) as caught:
            question()
        assert str(file) in str(caught.value)
    assert file.read_text(encoding="utf-8") == text


def test_a_folder_that_cannot_be_made_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file", encoding="utf-8")
    with pytest.raises((StorageError, ConfigError), match=r"vaults\.json"):
        registry_in(tmp_path / "home").add(tmp_path, "one")


NAMES = st.text(st.characters(exclude_characters="/\0", codec=None), min_size=1, max_size=8)


@examples(10)
@given(st.dictionaries(NAMES, st.from_regex(r"[a-z][a-z0-9-]{0,9}", fullmatch=True), max_size=4))
def test_what_was_added_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, names: dict[str, str]
) -> None:
    base = tmp_path_factory.getbasetemp() / "round-trip"
    (base / "vaults.json").unlink(missing_ok=True)
    registry = registry_in(base)
    wanted: dict[Path, str] = {}
    for name, vault_id in names.items():
        try:
            real = Path(os.path.realpath(base / "vaults" / name))
        except UnicodeEncodeError:
            continue  # no file system path
        registry.add(base / "vaults" / name, vault_id)
        wanted[real] = vault_id
    assert {entry.path: entry.vault_id for entry in registry.entries()} == wanted
