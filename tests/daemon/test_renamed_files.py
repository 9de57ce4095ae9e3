"""Obsidian renames many files while the daemon runs: real processes, real events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.vault import Vault
from tests.daemon.life import daemon, until
from tests.obsidian import Obsidian

#: sees how much time passes, or keeps the machine busy: one of these at a time
pytestmark = pytest.mark.xdist_group("clock")

WORDS = ("tea", "milk", "rye", "plums", "rice", "oats", "figs", "salt")


def test_daemon_sees_many_renamed_files_as_the_same_memories(
    tmp_path: Path, environment: dict[str, str], open_vault: Callable[..., Vault]
) -> None:
    with open_vault() as vault:
        root = vault.root
        for word in WORDS:
            vault.remember(f"I prefer {word} over everything else.")
        vault.consolidate()

    def told() -> list[tuple[str, str]]:
        with open_vault() as vault:
            return sorted((one.id, one.text) for one in vault.list())

    def moved() -> int:
        with open_vault() as vault:
            named = vault.parts.catalog.links.resolver.files
            return len({one.id for one in named if not one.former})

    before, editor = told(), Obsidian(root)
    assert len(before) == len(WORDS)
    with daemon(environment, root):
        for number, word in enumerate(WORDS):
            note = next(
                name for name, path in editor.notes().items()
                if name.startswith("facts/") and f"prefer {word}" in path.read_text("utf-8")
            )  # fmt: skip
            editor.rename(note, f"facts/kitchen/{word} {number}.md")
            if number % 2:
                editor.rename(f"facts/kitchen/{word} {number}.md", f"facts/{word.upper()}.md")
        until(lambda: moved() == len(WORDS), "the new names")
    for _ in range(2):
        with open_vault() as vault:
            vault.consolidate()
    assert told() == before
    assert not list(editor.dead())
    lines = Counter((root / "profile.md").read_text("utf-8").splitlines())
    assert [count for line, count in lines.items() if "[[" in line] == [1] * len(WORDS)
    with open_vault() as vault:
        assert vault.doctor() == []
        vault.forget("TEA" if (root / "facts/TEA.md").exists() else "tea 0")
    assert "tea" not in (root / "profile.md").read_text("utf-8")
