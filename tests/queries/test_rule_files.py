"""What the rule files of a project say."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from engram.model.turn import turn_of
from engram.queries.rule_files import ProjectRuleFiles
from engram.vault import Vault

SAID = "We never commit to main."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "shop"
    (made / ".git").mkdir(parents=True)
    return made


@pytest.fixture
def rules(tmp_path: Path, folder: Path) -> ProjectRuleFiles:
    found = ProjectRuleFiles(tmp_path / "home")
    found.note("shop", str(folder))
    return found


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("name", ["CLAUDE.md", "AGENTS.md", ".claude/rules/git/main.md"])
def test_a_line_of_a_rule_file_says_a_statement(
    rules: ProjectRuleFiles, folder: Path, name: str
) -> None:
    assert not rules.says(SAID, "shop")
    write(folder / name, "# Work\n\n- [ ] Never commit to main, open a PR. Tests come first.\n")
    assert rules.says(SAID, "shop")
    assert not rules.says("We commit to main.", "shop")
    assert not rules.says("We never commit to staging.", "shop")
    assert not rules.says(SAID, "blog")


def test_a_file_is_read_again_when_it_changed(rules: ProjectRuleFiles, folder: Path) -> None:
    write(folder / "CLAUDE.md", "Never commit to main.\n")
    assert rules.says(SAID, "shop")
    write(folder / "CLAUDE.md", "Nothing is agreed.\n")
    assert not rules.says(SAID, "shop")


def test_what_cannot_be_read_says_nothing(rules: ProjectRuleFiles, folder: Path) -> None:
    outside = folder.parent / "rules.md"
    write(outside, SAID)
    (folder / "CLAUDE.md").symlink_to(outside)
    os.mkfifo(folder / "AGENTS.md")
    (folder / ".claude").symlink_to(folder.parent)
    write(folder.parent / "rules" / "a.md", SAID)
    assert not rules.says(SAID, "shop")
    rules.note("shop", str(folder / "gone"))
    assert not rules.says(SAID, "shop")


def test_of_a_huge_file_the_beginning_is_read(rules: ProjectRuleFiles, folder: Path) -> None:
    write(folder / "CLAUDE.md", f"{SAID}\n" + "x" * 10_000_000 + "\nWe always squash.\n")
    assert rules.says(SAID, "shop") and not rules.says("We always squash.", "shop")


def test_what_a_rule_file_says_already_is_less_new(vault: Vault, folder: Path) -> None:
    write(folder / "CLAUDE.md", "Never commit to main.\n")
    turns = [
        turn_of("user", said, "2026-03-06T09:00:00Z", session="s", project="shop")
        for said in ("Never commit to main.", "Always squash before a merge.")
    ]
    vault.capture([replace(turn, folder=str(folder)) for turn in turns])
    vault.flush()
    found = {
        memory.text: dict(vault.origin(memory.id).events[0][2].details)["novelty"]
        for memory in vault.list()
    }
    assert found == {"Never commit to main.": "1", "Always squash before a merge.": "2"}
