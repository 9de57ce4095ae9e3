"""Where a person's files lie."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from engram.settings.paths import places_of


def test_engram_home_moves_all_but_the_vault(tmp_path: Path) -> None:
    places = places_of({"ENGRAM_HOME": str(tmp_path), "HOME": "/home/kim"})
    assert places.config_file == tmp_path / "config.toml"
    assert places.registry_file == tmp_path / "vaults.json"
    assert places.cache_dir == tmp_path / "cache"
    assert places.vault == Path("/home/kim/engram")
    assert places.home == Path("/home/kim")
    assert not list(tmp_path.iterdir())


def test_engram_home_may_be_relative_or_start_with_a_tilde(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert places_of({"ENGRAM_HOME": "here"}).config_file == tmp_path / "here" / "config.toml"
    places = places_of({"ENGRAM_HOME": "~/there", "HOME": str(tmp_path)})
    assert places.config_file == tmp_path / "there" / "config.toml"


@pytest.mark.skipif(sys.platform != "linux", reason="other folders there")
def test_without_it_the_folders_of_the_platform_are_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    places = places_of({"ENGRAM_HOME": "", "HOME": str(tmp_path)})
    assert places.config_file == tmp_path / "XDG_CONFIG_HOME" / "engram" / "config.toml"
    assert places.registry_file == tmp_path / "XDG_STATE_HOME" / "engram" / "vaults.json"
    assert places.cache_dir == tmp_path / "XDG_CACHE_HOME" / "engram"
    assert places.vault == tmp_path / "engram"


@pytest.mark.skipif(sys.platform != "linux", reason="platformdirs is asked itself there")
@pytest.mark.parametrize("moved", ["", " ", "/somewhere/else"])
def test_the_folders_are_those_of_platformdirs(
    moved: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its import costs more than a hook may take, so its rule is written again for Linux."""
    from platformdirs import PlatformDirs

    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, moved)
    dirs, places = PlatformDirs("engram", appauthor=False), places_of({"HOME": str(tmp_path)})
    assert places.config_file.parent == dirs.user_config_path
    assert places.state_dir == dirs.user_state_path
    assert places.cache_dir == dirs.user_cache_path
