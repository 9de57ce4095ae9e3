"""Every link that is written leads to a file, after each step of a vault's life."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from engram.model.turn import turn_of
from engram.vault import Vault
from tests.effort import examples
from tests.kit import LIGHT

_LINK = re.compile(r"(?<!\\)\[\[([^\[\]|#]+)[^\[\]]*\]\]")
_DEMO = Path(__file__).parents[1] / "demo" / "conversation"


def dead_links(vault: Vault) -> set[str]:
    """Targets of links in notes that are the name of no file, as Obsidian looks for them."""
    files = [path for path in vault.root.rglob("*") if path.is_file()]
    notes = [path for path in files if path.suffix == ".md" and "state" not in path.parts]
    names = {path.name for path in files} | {path.stem for path in notes}
    return {
        target
        for path in notes
        for target in _LINK.findall(path.read_text(encoding="utf-8"))
        if target not in names
    }


def test_no_link_of_an_import_is_dead_at_any_time(vault: Vault) -> None:
    vault.import_files("claude-code", _DEMO)
    assert (vault.root / "entities" / "tool-python.md").is_file()
    assert dead_links(vault) == set()
    vault.consolidate()
    home = (vault.root / "home.md").read_text(encoding="utf-8")
    assert "[[profile]]" in home and "[[person-deniz|Deniz]]: the user's designer" in home
    assert dead_links(vault) == set()
    for memory in vault.list()[:5]:
        vault.forget(memory.id)
    assert dead_links(vault) == set()
    vault.consolidate(full=True)
    vault.undo("import-1")
    assert dead_links(vault) == set()
    home = (vault.root / "home.md").read_text(encoding="utf-8")
    assert "Deniz" not in home and "box-" not in home


_SAID = (
    "My sister Katja works with Postgres.", "We moved from Dovetail to Condens.",
    "Katja is my sister.", "Dr Weber is my dentist.", "I work at Northwind as a nurse.",
    "We use Python and Redis for the shop.", "My manager is Tobias.", "I live in Kiel.",
    "K8s is Kubernetes, we deploy on it.",
)  # fmt: skip


@given(st.lists(st.sampled_from(_SAID), min_size=1, max_size=4), st.booleans(), st.booleans())
@examples(8)
def test_no_link_is_dead_whatever_is_said(
    said: list[str], consolidated: bool, forgotten: bool
) -> None:
    with TemporaryDirectory() as folder:
        vault = Vault.create(
            Path(folder) / "vault", environment={"ENGRAM_HOME": f"{folder}/home"}, adapters=LIGHT
        )
        _live(vault, said, consolidated=consolidated, forgotten=forgotten)
        vault.close()


def _live(vault: Vault, said: list[str], *, consolidated: bool, forgotten: bool) -> None:
    vault.capture([
        turn_of("user", text, f"2026-03-05T10:0{number}:00Z", session="s", message=str(number))
        for number, text in enumerate(said)
    ])  # fmt: skip
    vault.flush()
    assert dead_links(vault) == set()
    if consolidated:
        vault.consolidate()
    if forgotten:
        for memory in vault.list()[:1]:
            vault.forget(memory.id)
        vault.consolidate(full=True)
    assert dead_links(vault) == set()
