"""Only vaults that the person registered are trusted (design 1.9): others are only read."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.model.errors import ConfigError, Untrusted
from engram.recall.filter import Filter
from engram.settings.paths import places_of
from engram.store.base import layout
from engram.store.base.clock import FixedClock
from engram.vault import Vault, create
from tests.conftest import NOW
from tests.kit import tree_digest, turns


@pytest.fixture
def copied(
    tmp_path: Path, environment: dict[str, str], open_vault: Callable[..., Vault]
) -> Callable[[], Vault]:
    """A vault with two memories that was copied to another folder, as a clone of a repository."""
    original = open_vault("original")
    original.remember("The shop uses Postgres because two writers are needed.")
    original.remember("The shop ships on Fridays.", category="decision")
    original.close()
    clone = tmp_path / "clone"
    shutil.copytree(original.root, clone)
    (clone / layout.LOCK).unlink()

    def open_clone() -> Vault:
        return Vault.open(clone, environment=environment, clock=FixedClock(NOW))

    return open_clone


def test_an_unregistered_vault_is_read_and_not_a_byte_in_it_changes(
    copied: Callable[[], Vault],
) -> None:
    with copied() as vault:
        before = tree_digest(vault.root)
        assert not vault.trusted
        found = vault.search("postgres writers")
        assert [hit.snippet for hit in found.memories] == [
            "The shop uses Postgres because two writers are needed."
        ]
        memory = vault.parts.lookup.memory(found.memories[0].id)
        assert "two writers" in vault.parts.lookup.text_of(memory)
        assert len(vault.parts.lookup.listing(Filter(), 10)) == 2
        assert vault.parts.lookup.origin(memory).events
        assert vault.links(memory.id)
        assert list(vault.parts.lookup.grep("Postgres", Filter()))
        with pytest.raises(Untrusted):
            vault.recall("what does the shop use?")
        assert vault.status().memories == {"active": 2}
        assert vault.doctor() == []
        assert len(vault.log()) == 2
        vault.rebuild()
        assert vault.search("fridays").memories
        assert tree_digest(vault.root) == before
        assert not (vault.root / layout.LOCK).exists()


def test_hand_edits_in_an_unregistered_vault_are_seen_and_not_recorded(
    copied: Callable[[], Vault],
) -> None:
    with copied() as vault:
        vault.search("shop")
        state = tree_digest(vault.root, "state")
        path = next(vault.root.glob("facts/*/decision-*.md"))
        path.write_text(
            "---\nid: by-hand\ncategory: fact\nstatus: active\n---\nA zebra fell.\n",
            encoding="utf-8",
        )
        assert [hit.snippet for hit in vault.search("zebra").memories] == ["A zebra fell."]
        path.unlink()
        assert not vault.search("zebra").memories
        assert len(vault.parts.lookup.listing(Filter(), 10)) == 1
        assert len(vault.log()) == 2
        assert tree_digest(vault.root, "state") == state


_WRITING: dict[str, Callable[[Vault, str, Path], object]] = {
    "capture": lambda vault, name, path: vault.capture(turns(1)),
    "capture_stream": lambda vault, name, path: vault.capture_stream(io.BytesIO(path.read_bytes())),
    "import": lambda vault, name, path: vault.import_files("text", path),
    "flush": lambda vault, name, path: vault.flush(),
    "extract": lambda vault, name, path: vault.extract_transcripts(["x"]),
    "retry": lambda vault, name, path: vault.retry(),
    "remember": lambda vault, name, path: vault.remember("The shop is closed on Sundays."),
    "forget": lambda vault, name, path: vault.forget(name),
    "restore": lambda vault, name, path: vault.restore(name),
    "purge": lambda vault, name, path: vault.purge(name),
    "undo": lambda vault, name, path: vault.undo(),
}


@pytest.mark.parametrize("verb", sorted(_WRITING))
def test_every_verb_that_writes_is_refused(
    verb: str, copied: Callable[[], Vault], tmp_path: Path, environment: dict[str, str]
) -> None:
    note = tmp_path / "note.txt"
    note.write_text("The shop has two doors.\n", encoding="utf-8")
    with copied() as vault:
        name = vault.parts.lookup.listing(Filter(), 10)[0].id if vault.ready_to_read() else ""
        before = tree_digest(vault.root)
        with pytest.raises(Untrusted) as refused:
            _WRITING[verb](vault, name, note)
        assert "engram trust" in refused.value.hint
        assert tree_digest(vault.root) == before


def test_after_trust_it_is_written(
    copied: Callable[[], Vault], environment: dict[str, str]
) -> None:
    with copied() as vault:
        root = vault.root
        vault.search("shop")
    create.register(root, places_of(environment))
    with copied() as vault:
        assert vault.trusted
        vault.remember("The shop is closed on Sundays.")
        assert vault.search("sundays").memories
        assert vault.doctor() == []


def test_another_vault_at_a_registered_path_is_not_trusted(
    open_vault: Callable[..., Vault], environment: dict[str, str]
) -> None:
    vault = open_vault("place")
    vault.close()
    config = vault.root / layout.CONFIG
    text = config.read_text(encoding="utf-8")
    config.write_text(text.replace('id = "vault-', 'id = "stranger-'), encoding="utf-8")
    with Vault.open(vault.root, environment=environment, clock=FixedClock(NOW)) as stranger:
        assert not stranger.trusted
        with pytest.raises(Untrusted):
            stranger.remember("The shop uses Postgres.")


def test_a_registered_path_is_the_real_one(
    open_vault: Callable[..., Vault], environment: dict[str, str], tmp_path: Path
) -> None:
    """A link to a trusted vault leads to it; turned round, it does not take the trust along."""
    trusted = open_vault("mine")
    link = tmp_path / "link"
    link.symlink_to(trusted.root)
    with Vault.open(link, environment=environment, clock=FixedClock(NOW)) as vault:
        assert vault.trusted
    stranger = tmp_path / "stranger"
    shutil.copytree(trusted.root, stranger)
    link.unlink()
    link.symlink_to(stranger)
    with Vault.open(link, environment=environment, clock=FixedClock(NOW)) as vault:
        assert not vault.trusted


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("vault", 'vault = "/tmp/elsewhere"'),
        ("capture.redact_allow", "[capture]\nredact_allow = ['*']"),
        ("capture.high_signal_patterns", "[capture]\nhigh_signal_patterns = ['.']"),
        ("capture.exclude", "[capture]\nexclude = ['*']"),
        ("store.lock_timeout_seconds", "[store]\nlock_timeout_seconds = 600"),
        ("recall.settle_ms", "[recall]\nsettle_ms = 60000"),
    ],
)
def test_a_vault_may_not_set_what_a_stranger_could_abuse(
    key: str, line: str, copied: Callable[[], Vault]
) -> None:
    with copied() as vault:
        config = vault.root / layout.CONFIG
    config.write_text(config.read_text(encoding="utf-8") + f"\n{line}\n", encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        copied()
    assert str(config) in str(refused.value)
    assert key in str(refused.value)


@pytest.mark.skipif(os.name == "nt", reason="links and pipes of POSIX")
@pytest.mark.parametrize("kind", ["symlink", "fifo", "binary", "huge", "deep"])
def test_a_hostile_engram_toml_is_an_error_that_names_it(
    kind: str, copied: Callable[[], Vault], tmp_path: Path
) -> None:
    with copied() as vault:
        config = vault.root / layout.CONFIG
    text = config.read_bytes()
    config.unlink()
    if kind == "symlink":
        elsewhere = tmp_path / "elsewhere.toml"
        elsewhere.write_bytes(text)
        config.symlink_to(elsewhere)
    elif kind == "fifo":
        os.mkfifo(config)
    elif kind == "binary":
        config.write_bytes(text + b"\xff\xfe\0")
    elif kind == "huge":
        config.write_bytes(text + b"#" * 5_000_000)
    else:
        config.write_bytes(text + b"x = " + b"[" * 20_000)
    with pytest.raises(ConfigError) as refused:
        copied()
    assert str(config) in str(refused.value)
