"""Which vault is meant: the person's own one, or the one that a folder lies in."""

from __future__ import annotations

from pathlib import Path

import pytest

from engram.settings.paths import places_of
from engram.settings.registry import Registry, Sharing
from engram.settings.vault_folders import find_vault, own_vault


def vault(root: Path, name: str, *, shares: str = "") -> Path:
    """A folder with the settings file of a vault."""
    root.mkdir(parents=True)
    claim = f'shares = "{shares}"\n' if shares else ""
    (root / "engram.toml").write_text(f'format = 1\nid = "{name}"\n{claim}', encoding="utf-8")
    return root


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path / "kim"), "ENGRAM_HOME": str(tmp_path / "kim" / ".engram")}


def test_the_own_vault_is_named_or_that_of_the_settings(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    assert own_vault("", environment) == tmp_path / "kim" / "engram"
    config = places_of(environment).config_file
    config.parent.mkdir(parents=True)
    config.write_text('vault = "~/notes"\n', encoding="utf-8")
    assert own_vault("", environment) == tmp_path / "kim" / "notes"
    assert own_vault("", environment | {"ENGRAM_VAULT": ""}) == tmp_path / "kim" / "notes"
    named = environment | {"ENGRAM_VAULT": "named"}
    assert (own_vault("", named), own_vault("chosen", named)) == (Path("named"), Path("chosen"))


def test_of_registered_vaults_the_one_that_is_one_s_own_is_meant(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    registry = Registry(places_of(environment))
    usual = tmp_path / "kim" / "engram"
    registry.add(vault(tmp_path / "team", "vault-20260101-000000", shares="project"),
                 "vault-20260101-000000", Sharing("project"))  # fmt: skip
    assert own_vault("", environment) == usual
    second = vault(tmp_path / "a", "vault-20260302-000000")
    registry.add(second, "vault-20260302-000000")
    assert own_vault("", environment) == second  # the only one
    first = vault(tmp_path / "b", "vault-20260301-000000")
    registry.add(first, "vault-20260301-000000")
    assert own_vault("", environment) == first  # made before the other one
    first.rename(tmp_path / "elsewhere")
    assert own_vault("", environment) == second
    registry.add(vault(usual, "vault-20260401-000000"), "vault-20260401-000000")
    assert own_vault("", environment) == usual
    config = places_of(environment).config_file
    config.write_text(f'vault = "{second}"\n', encoding="utf-8")
    assert own_vault("", environment) == second


def test_a_verb_works_on_the_vault_that_its_folder_lies_in(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    notes = vault(tmp_path / "notes", "notes")
    inner = vault(notes / "work" / "till", "till")
    src = inner / "src"
    src.mkdir()
    assert find_vault("", environment, src) == inner
    assert find_vault("", environment, notes / "work") == notes
    assert find_vault("", environment, tmp_path) == own_vault("", environment)
    assert find_vault("", environment | {"ENGRAM_VAULT": "named"}, src) == Path("named")


@pytest.mark.parametrize("who", ["itself", "its registration"])
def test_a_shared_vault_is_passed_over(
    who: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    shop = tmp_path / "shop"
    if who == "itself":
        shared = vault(shop / "memory", "team", shares="project")
    else:
        shared = vault(shop / "memory", "team")
        assert find_vault("", environment, shared) == shared
        Registry(places_of(environment)).add(shared, "team", Sharing("project"))
    assert find_vault("", environment, shared) == own_vault("", environment)
    above = vault(tmp_path / "above", "above")
    shared.rename(above / "memory")
    if who == "itself":
        assert find_vault("", environment, above / "memory") == above


def test_a_settings_file_that_is_not_understood_is_told_by_whoever_opens_it(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    broken = vault(tmp_path / "broken", "NO ID")
    assert find_vault("", environment, broken) == broken
