"""A vault that came by git: without logs and cache it gives the same as where it was filled."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.markdown import neutralise
from engram.model.said_words import said_words
from engram.model.turn import Turn, turn_of
from engram.vault import Vault
from tests.effort import examples
from tests.machines import Machine

NOW = "2026-03-06T12:00:00Z"

#: role, words, tools
_SAID: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("user", "We decided to use Postgres instead of SQLite because two writers need it.", ()),
    ("assistant", "# Plan\n\nUse [[Postgres]], #db and `compose.yaml`:\n\n```\nSELECT 1\n```",
     ("Bash ls", "Write compose.yaml")),
    ("user", "I prefer tabs over spaces in Go code. C:\\_old stays, <b>bold</b> too", ()),
    ("assistant", "Noted:\n\n- **tabs**\n- *slanted* words", ("Edit main.go",)),
    ("user", "Ab Jänner leitet Maria Huber das Projekt Donaubrücke in Linz.", ()),
    ("assistant", "", ("Read notes_2026.md",)),
    ("user", "From now on never push to main without a review.", ()),
)  # fmt: skip
_ASKED = (
    "postgres", "compose.yaml", "bash ls", "tabs go", "Donaubrücke", "which database do we use?",
    "when does Maria lead the project?", "never push", "bold", "#db",
)  # fmt: skip


def conversation() -> list[Turn]:
    return [
        replace(
            turn_of(
                "assistant" if role == "assistant" else "user", text,
                f"2026-03-06T10:{minute:02d}:00Z", source="claude-code", session="s",
                message=str(minute), project="shop", title="Two *writers* & a [[store]]",
            ),
            tools=tools, guessed=True,
        )
        for minute, (role, text, tools) in enumerate(_SAID)
    ]  # fmt: skip


def filled(home: Path) -> Machine:
    """A machine where something was said, remembered, forgotten, replaced and put together."""
    one = Machine(home)
    with one.vault() as vault:
        vault.capture(conversation())
        vault.flush()
        vault.remember("The staging shop is at port 8080", project="shop")
        old = vault.remember("The build takes ten minutes", project="shop")
        new = vault.remember("Since Friday a build needs two minutes only", project="shop")
        gone = vault.remember("The printer stands in the cellar", project="shop")
        vault.supersede(old.memory.id, new.memory.id)
        vault.forget(gone.memory.id)
        vault.consolidate()
    one.git("init", "-b", "main")
    one.git("add", "-A")
    one.git("commit", "-m", "as it is")
    return one


def cloned(machine: Machine, home: Path) -> Machine:
    home.mkdir()
    machine.git("clone", str(machine.root), str(home / "vault"))
    (home / "vault").chmod(0o700)
    return Machine(home)


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Machine, Machine]:
    if shutil.which("git") is None:
        pytest.skip("git is not here")
    one = filled(tmp_path / "one")
    return one, cloned(one, tmp_path / "two")


def _found(vault: Vault, asked: str) -> object:
    return replace(vault.search(asked, around=True), behind=False)


def _turns(vault: Vault) -> object:
    links = sorted(vault.parts.catalog.turns.every_link())
    return {
        link: (turn.role, turn.text, turn.tools, turn.title, turn.session, turn.time, turn.project,
               turn.guessed)
        for link, turn in vault.parts.lookup.turns(links).items()
    }  # fmt: skip


#: what is asked of both machines; no answer may depend on where it is asked
_VIEWS: dict[str, Callable[[Vault], object]] = {
    "list": lambda vault: vault.list(statuses=("active", "superseded", "archived", "retracted")),
    "tiers": lambda vault: vault.tiers(),
    "entities": lambda vault: vault.entities(),
    "boxes": lambda vault: vault.boxes(),
    "traces": lambda vault: vault.traces(),
    "summaries": lambda vault: vault.summaries(),
    "doctor": lambda vault: vault.doctor(),
    "turns": _turns,
    "counts": lambda vault: (
        vault.status().memories, vault.status().turns, vault.status().transcripts,
        vault.status().pending, vault.status().index.memories, vault.status().index.turns,
    ),
    **{f"search {asked}": lambda vault, asked=asked: _found(vault, asked) for asked in _ASKED},
    **{f"recall {asked}": lambda vault, asked=asked: vault.recall(asked).text for asked in _ASKED},
}  # fmt: skip


def test_a_clone_answers_as_the_vault_it_came_from(pair: tuple[Machine, Machine]) -> None:
    one, two = pair
    for name, view in _VIEWS.items():
        # reading counts as access: each machine is asked the same questions in the same order
        with one.vault() as here, two.vault() as there:
            assert view(there) == view(here), name


def test_a_clone_writes_no_file_of_its_own_accord(pair: tuple[Machine, Machine]) -> None:
    _, two = pair
    before = two.travelling()
    with two.vault() as vault:
        vault.ready_to_read()
        assert not vault.doctor()
    assert two.travelling() == before
    assert not two.git("status", "--porcelain").strip()


def test_what_was_learnt_on_the_clone_comes_back(pair: tuple[Machine, Machine]) -> None:
    one, two = pair
    with two.vault() as vault:
        vault.remember("The oven needs a new seal", project="shop")
    two.git("add", "-A")
    two.git("commit", "-m", "the oven")
    one.git("pull", "--no-edit", str(two.root), "main")
    one.consolidates()
    with one.vault() as here, two.vault() as there:
        assert here.list() == there.list()
        found = here.search("oven seal")
        assert found.memories == there.search("oven seal").memories
        assert not here.doctor()


def test_the_label_of_a_code_block_is_known_to_one_machine_alone(tmp_path: Path) -> None:
    said = "```python\nprint(1)\n```"
    assert said_words(neutralise(said)) == "```\nprint(1)\n```"


def test_a_line_that_is_no_tool_stays_among_the_words(pair: tuple[Machine, Machine]) -> None:
    with pair[1].vault() as vault:
        shown = [turn for turn in vault.parts.lookup.turns(
            sorted(vault.parts.catalog.turns.every_link())
        ).values() if turn.text.startswith("Noted")]  # fmt: skip
    assert [(turn.text, turn.tools) for turn in shown] == [(_SAID[3][1], _SAID[3][2])]


@given(st.text(alphabet="ab #[]<>`*_\\$%^{}:/!-\n.1", max_size=60))
@examples(400)
def test_taking_back_escapes_keeps_what_is_shown(text: str) -> None:
    shown = neutralise(text)
    assert neutralise(said_words(shown)) == shown
    if "\\" not in text and "`" not in text and "~" not in text:
        assert said_words(shown).split() == text.split()


def test_trust_says_what_it_takes_up_and_what_cannot_be_known(
    pair: tuple[Machine, Machine],
) -> None:
    from click.testing import CliRunner

    from engram.surfaces.cli.app import cli

    _, two = pair
    homes = {"HOME": str(two.home), "ENGRAM_HOME": str(two.home / "user")}
    told = [
        json.loads(CliRunner(env=homes).invoke(cli, ["trust", str(two.root), "--json"]).stdout)
        for _ in range(2)
    ]
    assert told[0]["turns"] > len(_SAID) and len(told[0]["unknown"]) == 2
    assert told[1] == told[0] | {"unknown": []}
