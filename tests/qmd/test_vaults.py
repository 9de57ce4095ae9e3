"""A vault as a collection: what of it is shown, and that what is forgotten is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from engram.store.base.clock import FixedClock
from engram.surfaces.cli.app import cli
from engram.vault import Vault
from tests.qmd.desk import Desk


def memory(status: str, text: str) -> str:
    return f"---\nid: x\nstatus: {status}\n---\n\n{text}\n"


@pytest.fixture
def vault(bare: Desk) -> Path:
    """A registered vault that is the default, with files of every kind in it."""
    place = Path(bare.environment["HOME"]) / "engram"
    with Vault.create(
        place, environment=bare.environment, clock=FixedClock("2026-03-06T12:00:00Z")
    ):
        pass
    for path, text in {
        "facts/2026-03-06/a.md": memory("active", "The harbour is at Bergen."),
        "facts/2026-03-06/b.md": memory("needs-review", "The harbour is at Oslo."),
        "facts/2026-03-06/c.md": memory("superseded", "The harbour is at Kiel."),
        "facts/2026-03-06/d.md": memory('"retired"', "The harbour is at Hull."),
        "facts/2026-03-06/a (conflicted copy).md": memory("active", "The harbour is at Ghent."),
        "entities/place-harbour.md": "# Harbour\n",
        "summaries/2026-03-06/sum-1.md": memory("active", "The harbour has a summary."),
        "summaries/2026-03-06/sum-2.md": memory("superseded", "The harbour was a town."),
        "archive/2026-03-06/e.md": memory("active", "The harbour is at Riga."),
        "transcripts/2026-03-06/t.md": "Is the harbour at Riga?\n",
        "inbox/note.md": "harbour\n",
        "profile.md": "# Profile of the harbour\n",
        "README.md": "harbour\n",
    }.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text, encoding="utf-8")
    return place


SHOWN = {
    "facts/2026-03-06/a.md", "facts/2026-03-06/b.md", "entities/place-harbour.md", "profile.md",
    "summaries/2026-03-06/sum-1.md",
}  # fmt: skip


def test_the_persons_own_vault_is_there_by_itself(bare: Desk, vault: Path) -> None:
    assert bare.run("collection", "list").out.startswith(
        "Collections (1):\n\nvault (qmd://vault/)\n"
    )
    ran = bare.search("harbour")
    assert ran.json == [] and "is not indexed yet" in ran.err
    assert "Indexed: 5 new" in bare.run("update").out
    assert set(bare.search("harbour", "-c", "vault").files) == SHOWN
    assert not bare.config.exists()


def test_a_vault_that_is_not_registered_is_not_there_by_itself(bare: Desk, vault: Path) -> None:
    for file in Path(bare.environment["ENGRAM_HOME"]).glob("vaults.json"):
        file.unlink()
    assert bare.run("collection", "list").out.startswith("No collections found")
    bare.run("collection", "add", str(vault))
    assert set(bare.search("harbour", "-c", "vault").files) == SHOWN


def test_adding_it_under_another_name_replaces_it(bare: Desk, vault: Path) -> None:
    bare.run("update")
    assert bare.run("collection", "add", str(vault), "--name", "memories").code == 0
    assert "Collections (1):" in bare.run("collection", "list").out
    assert [row["file"].split("/")[2] for row in bare.search("bergen").json] == ["memories"]


def test_what_is_forgotten_is_not_given_any_more(bare: Desk, vault: Path) -> None:
    bare.run("update")
    first, second = vault / "facts/2026-03-06/a.md", vault / "facts/2026-03-06/b.md"
    first.write_text(memory("retired", "The harbour is at Bergen."), encoding="utf-8")
    second.unlink()
    for words in (["search", "bergen"], ["search", "oslo"], ["query", "bergen or oslo"]):
        assert bare.run(*words, "--json").json == []
    assert bare.run("get", "a.md").code == bare.run("get", "b.md").code == 1
    assert bare.run("multi-get", "facts/**").code == 1
    assert "2 removed" in bare.run("update").out
    places = (bare.folder / "cache" / "qmd").glob("*.engram*")
    held = b"".join(place.read_bytes() for place in places).lower()
    assert b"bergen" not in held and b"oslo" not in held


def test_it_is_left_out_and_not_removed(bare: Desk, vault: Path) -> None:
    bare.run("update")
    assert bare.run("collection", "remove", "vault").code == 1
    bare.run("collection", "exclude", "vault")
    assert bare.search("harbour").json == []
    assert len(bare.search("harbour", "-c", "vault").json) == len(SHOWN)


def test_nothing_in_the_vault_changes(bare: Desk, vault: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in vault.rglob("*")}
    for words in (
        ["update"],
        ["search", "harbour"],
        ["cleanup"],
        ["collection", "exclude", "vault"],
    ):
        bare.run(*words)
    assert {path: path.stat().st_mtime_ns for path in vault.rglob("*")} == before


def test_a_purge_reaches_every_index_that_holds_the_vault(bare: Desk) -> None:
    place = Path(bare.environment["HOME"]) / "engram"
    with Vault.create(place, environment=bare.environment) as vault:
        unwanted = vault.remember("The mooring code is zanzibar-quartz.").memory.id
        vault.remember("The dinghy is kept in the boathouse.")
    for index in ([], ["--index", "other"]):
        bare.run(*index, "collection", "add", str(place), "--name", "mine")
        bare.run(*index, "update")
    held = sorted(Path(bare.environment["XDG_CACHE_HOME"]).rglob("*.engram"))
    assert len(held) == 2 and all(b"zanzibar" in one.read_bytes() for one in held)
    done = CliRunner(env=bare.environment).invoke(
        cli, ["--vault", str(place), "purge", unwanted, "--yes"]
    )
    assert done.exit_code == 0, done.output
    for one in held:
        copies = one.parent.glob(f"{one.name}*")
        assert not any(b"zanzibar" in copy.read_bytes() for copy in copies)
        assert b"boathouse" in one.read_bytes()


def test_a_secret_typed_into_a_file_is_given_by_no_command(bare: Desk, vault: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    link = "[[decision-20260306-101000-9c1f03aa]]"
    fact, box = vault / "facts/2026-03-06/a.md", vault / "boxes/2026-03-06/box.md"
    fact.write_text(memory("active", f"The harbour opens with token {secret}, see {link}."))
    box.parent.mkdir(parents=True)
    box.write_text(f"# Harbour {secret}\n\npassword: Seagull-2019-Blue\n")
    bare.run("update")
    for given in (
        bare.search("harbour", "--full"), bare.search("token"), bare.search("password", "--full"),
        bare.run("query", "harbour", "--json", "--full"), bare.run("multi-get", "**/*.md"),
        bare.run("get", "qmd://vault/facts/2026-03-06/a.md"), bare.run("ls", "vault"),
    ):  # fmt: skip
        assert secret not in given.out and "Seagull" not in given.out
    assert link in bare.run("get", "qmd://vault/facts/2026-03-06/a.md").out
    for path in bare.folder.rglob("*.engram*"):
        assert secret.encode() not in path.read_bytes()
    assert "0 new, 0 updated" in bare.run("update").out
