"""Project names of a working folder."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from engram.settings.project_folders import project_names, repository, worktree

HOME = Path("/home/kim")


def test_a_folder_is_a_project_by_its_name() -> None:
    assert project_names("/home/kim/work/Web Shop", HOME) == ("web-shop",)
    assert project_names("C:\\work\\shop\\", HOME) == ("shop",)
    assert project_names("", HOME) == ()


@pytest.mark.parametrize("folder", ["/", "/home", "/home/kim", "/home/kim/", "/tmp", "/srv/kim"])
def test_home_and_temporary_folders_are_no_projects(folder: str) -> None:
    assert project_names(folder, HOME) == ()


def test_of_nested_repositories_the_nearest_counts(tmp_path: Path) -> None:
    inner = tmp_path / "shop" / "vendor" / "till" / "src"
    inner.mkdir(parents=True)
    assert project_names(str(inner), HOME) == ("src",)
    (tmp_path / "shop" / ".git").mkdir()
    assert project_names(str(inner), HOME) == ("src", "shop")
    (inner.parent / ".git").write_text("gitdir: ../../.git/modules/till\n")
    assert project_names(str(inner), HOME) == ("src", "till")


def test_a_repository_of_the_home_folder_makes_no_projects(tmp_path: Path) -> None:
    (tmp_path / "kim" / ".git").mkdir(parents=True)
    (tmp_path / "kim" / "notes").mkdir()
    home = tmp_path / "kim"
    assert project_names(str(home / "notes"), home) == ("notes",)
    assert repository(str(home / "notes"), home) is None


def test_the_vault_that_asks_is_no_repository_and_another_one_is(tmp_path: Path) -> None:
    root, facts = tmp_path / "vault", tmp_path / "vault" / "facts"
    facts.mkdir(parents=True)
    (root / ".git").mkdir()
    (root / "engram.toml").write_text("")
    assert repository(str(facts), HOME, root) is None
    assert project_names(str(facts), HOME, root) == ("facts",)
    assert repository(str(facts), HOME, tmp_path / "engram") == root
    assert project_names(str(facts), HOME, tmp_path / "engram") == ("facts", "vault")


def test_a_link_is_the_folder_that_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "diary").symlink_to(tmp_path / "shop")
    assert project_names(str(tmp_path / "diary"), HOME) == ("shop",)


def test_a_worktree_is_of_its_repository(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        named = ["-c", "user.name=Kim", "-c", "user.email=kim@example.org"]
        subprocess.run(["git", *named, *arguments], cwd=shop, check=True, capture_output=True)

    shop = tmp_path / "shop"
    shop.mkdir()
    git("init")
    git("commit", "--allow-empty", "-m", "begin")
    git("worktree", "add", "../feature")
    assert project_names(str(tmp_path / "feature"), HOME) == ("feature", "shop")
    (tmp_path / "feature" / "src").mkdir()
    for folder in ("feature", "feature/src"):
        assert worktree(str(tmp_path / folder), HOME) == ("feature", "shop")
    assert worktree(str(shop), HOME) == ("", "")


@pytest.mark.parametrize(
    "folder, names",
    [
        ("/home/kim/work/shop/.worktrees/2", ("2", "shop")),
        ("/home/kim/work/shop/.claude/worktrees/till-fix/src", ("till-fix", "shop")),
        ("/home/kim/work/shop__worktrees/faster", ("faster", "shop")),
        ("C:\\work\\shop.worktrees\\faster", ("faster", "shop")),
        ("/home/kim/.cursor/worktrees/shop/a1b2", ("a1b2", "shop")),
        ("/home/kim/work/shop/src", ("", "")), ("/home/kim/worktrees", ("", "")), ("", ("", "")),
    ],
)  # fmt: skip
def test_a_worktree_that_is_gone_is_known_by_its_place(folder: str, names: tuple[str, str]) -> None:
    assert worktree(folder, HOME) == names


def test_a_folder_that_claims_to_be_a_worktree_is_not_believed(tmp_path: Path) -> None:
    for name in ("shop", "cloned"):
        (tmp_path / name).mkdir()
    kept = tmp_path / "shop" / ".git" / "worktrees" / "feature"
    kept.mkdir(parents=True)
    (kept / "gitdir").write_text(f"{tmp_path}/feature/.git\n")
    (tmp_path / "cloned" / ".git").write_text(f"gitdir: {kept}\n")
    assert project_names(str(tmp_path / "cloned"), HOME) == ("cloned",)
    (tmp_path / "cloned" / ".git").write_bytes(b"\xff\0" * 9000)
    assert project_names(str(tmp_path / "cloned"), HOME) == ("cloned",)
