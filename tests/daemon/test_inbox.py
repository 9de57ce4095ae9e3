"""What is dropped into a vault's inbox: taken once, never lost."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.daemon.inbox import Inbox
from engram.vault import Vault
from tests.kit import reopened
from tests.security.canaries import contents

STATEMENTS = {
    "note.md": "We decided to use Postgres because two writers need it.\n",
    "chat.txt": "I prefer small commits with one topic each.\n",
    "turns.jsonl": '{"role": "user", "content": "I prefer dark mode in every editor."}\n',
}


class Seconds:
    """A clock in seconds."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def seconds() -> Seconds:
    return Seconds()


def drop(vault: Vault, name: str, text: str) -> Path:
    path = vault.root / "inbox" / name
    path.write_text(text, encoding="utf-8")
    return path


def taken(vault: Vault) -> list[str]:
    folder = vault.root / "inbox" / "taken"
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def twice(inbox: Inbox, vault: Vault, seconds: Seconds) -> int:
    """Look, and look again when everything has rested; returns how many files were taken."""
    inbox.take(vault)
    seconds.now += 2
    return inbox.take(vault).files


def test_every_kind_is_taken_in_and_put_away(vault: Vault, seconds: Seconds) -> None:
    for name, text in STATEMENTS.items():
        drop(vault, name, text)
    assert twice(Inbox(seconds), vault, seconds) == 3
    assert taken(vault) == sorted(STATEMENTS)
    status = vault.status()
    assert (status.turns, status.memories) == (3, {"active": 3})
    assert vault.doctor() == []


def test_what_is_still_written_rests_first(vault: Vault, seconds: Seconds) -> None:
    inbox, path = Inbox(seconds), drop(vault, "note.md", "I prefer tabs.\n")
    for _ in range(5):
        assert inbox.take(vault).more
        seconds.now += 0.5
        with path.open("a", encoding="utf-8") as stream:
            stream.write("More of it.\n")
    inbox.take(vault)
    seconds.now += 0.5
    assert inbox.take(vault).more
    assert taken(vault) == []
    assert twice(inbox, vault, seconds) == 1


def test_the_same_name_and_the_same_words_again_lose_nothing_and_add_nothing(
    vault: Vault, seconds: Seconds
) -> None:
    inbox = Inbox(seconds)
    for _ in range(2):
        drop(vault, "note.md", STATEMENTS["note.md"])
        assert twice(inbox, vault, seconds) == 1
    drop(vault, "note.md", "I prefer dark mode in every editor.\n")
    assert twice(inbox, vault, seconds) == 1
    assert taken(vault) == ["note-2.md", "note.md"]
    assert vault.status().turns == 2


def test_a_crash_before_it_is_put_away_takes_it_once(vault: Vault, seconds: Seconds) -> None:
    class Crashing(Inbox):
        def _put_away(self, *_: object) -> None:
            raise KeyboardInterrupt

    drop(vault, "note.md", STATEMENTS["note.md"])
    with pytest.raises(KeyboardInterrupt):
        twice(Crashing(seconds), vault, seconds)
    assert twice(Inbox(seconds), vault, seconds) == 1
    assert vault.status().turns == 1
    assert taken(vault) == ["note.md"]


def leaving(vault: Vault, copies: str) -> Vault:
    capture = vault.settings.capture._replace(inbox_copies=copies)
    return reopened(vault, settings=vault.settings._replace(capture=capture))


TOKEN = "gh" + "p_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
DROPPED = {
    "note.md": f"I prefer tea.\n\ntoken: {TOKEN}\n\n<private>ocelot</private>\n\n---\n\n"
    "Off the record: wombat.\n\n---\n\nI prefer small commits.\n",
    "the ocelot.txt": "<private>The ocelot is ill.</private>\nI prefer dark mode.\n",
    f"{TOKEN}.txt": "I prefer tabs.\n",
    "only.md": "<private>ocelot</private>\n",
    "talk.jsonl": "".join(
        json.dumps(row) + "\n"
        for row in (
            {"role": "user", "content": f"We decided to use uv. {TOKEN} <private>ocelot</private>"},
            {"role": "user", "content": "Off the record: the wombat."},
            {"role": "assistant", "content": "The wombat, I see."},
            {"role": "system", "content": f"ocelot wombat {TOKEN}"},
        )
    ),
}


@pytest.mark.parametrize("copies", ["redacted", "none"])
def test_nothing_private_stays_of_a_file_in_any_copy_or_name(
    vault: Vault, seconds: Seconds, copies: str, tmp_path: Path
) -> None:
    vault = leaving(vault, copies)
    inbox = Inbox(seconds)
    for _ in range(2):  # the second time all of it is known
        for name, text in DROPPED.items():
            drop(vault, name, text)
        assert twice(inbox, vault, seconds) == len(DROPPED)
        vault.flush()
        vault.consolidate()
        for name, data in contents(tmp_path):
            for word in (TOKEN, "ocelot", "wombat"):
                assert word.encode() not in data.lower(), name
    assert [path.name for path in (vault.root / "inbox").iterdir() if path.is_file()] == []
    assert len(taken(vault)) == (4 if copies == "redacted" else 0)
    if copies == "redacted":
        note = (vault.root / "inbox" / "taken" / "note.md").read_text(encoding="utf-8")
        assert "I prefer tea." in note and "small commits" in note
        lines = (vault.root / "inbox" / "taken" / "talk.jsonl").read_text(encoding="utf-8")
        assert [json.loads(line)["role"] for line in lines.splitlines()] == ["user"]
    assert vault.doctor() == []


def test_a_purge_reaches_the_copies_and_a_file_dropped_again_brings_nothing_back(
    vault: Vault, seconds: Seconds
) -> None:
    inbox = Inbox(seconds)
    for name in ("note.md", "same.md"):
        drop(vault, name, STATEMENTS["note.md"])
    drop(vault, "turns.jsonl", STATEMENTS["turns.jsonl"])
    assert twice(inbox, vault, seconds) == 3
    for memory in [one for one in vault.parts.catalog.memories() if one.live]:
        vault.purge(memory.id)
    assert taken(vault) == []
    drop(vault, "note.md", STATEMENTS["note.md"])
    twice(inbox, vault, seconds)
    assert taken(vault) == []


def test_an_original_that_an_earlier_version_kept_is_named_and_cleaned(vault: Vault) -> None:
    old = vault.root / "inbox" / "taken" / "old.txt"
    old.parent.mkdir()
    old.write_text(f"I prefer tabs.\ntoken: {TOKEN}\n", encoding="utf-8")
    (found,) = vault.doctor()
    assert (found.code, found.subject) == ("secret", "inbox/taken/old.txt")
    vault.purge_secrets()
    assert not any(TOKEN.encode() in data for _, data in contents(vault.root))
    assert "I prefer tabs." in old.read_text(encoding="utf-8")
    assert vault.doctor() == []


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("torn.jsonl", b'{"role": "user", "content": "I prefer tabs."}\n{"role": "user", "con'),
        ("other.jsonl", b'{"foo": "bar"}\n'),
        ("latin.txt", "I prefer the café.\n".encode("latin-1")),
        ("wide.txt", "I prefer tabs.\n".encode("utf-16")),
        ("scan.pdf", b"%PDF-1.4"),
    ],
)
def test_what_cannot_be_read_whole_stays_as_it_is_and_is_named(
    vault: Vault, seconds: Seconds, name: str, data: bytes
) -> None:
    path = vault.root / "inbox" / name
    path.write_bytes(data)
    inbox = Inbox(seconds)
    first = inbox.take(vault)
    seconds.now += 2
    assert first.problems + inbox.take(vault).problems == 1
    assert inbox.take(vault).problems == 0
    assert path.read_bytes() == data and taken(vault) == []
    assert [(found.code, found.subject) for found in vault.doctor()] == [("inbox", f"inbox/{name}")]


def test_links_pipes_hidden_and_foreign_files_stay(
    vault: Vault, seconds: Seconds, tmp_path: Path
) -> None:
    (tmp_path / "secret.md").write_text("I prefer that nobody reads this.\n", encoding="utf-8")
    inbox = vault.root / "inbox"
    (inbox / "link.md").symlink_to(tmp_path / "secret.md")
    os.mkfifo(inbox / "pipe.md")
    drop(vault, ".hidden.md", "I prefer tabs.\n")
    drop(vault, "photo.png", "I prefer tabs.\n")
    drop(vault, "note (1).md", "I prefer tabs.\n")
    assert twice(Inbox(seconds), vault, seconds) == 0
    assert vault.status().turns == 0


def test_what_cannot_be_read_stays_until_it_changes(
    vault: Vault, seconds: Seconds, open_vault: Callable[..., Vault]
) -> None:
    path = drop(vault, "note.md", STATEMENTS["note.md"])
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("nothing is shut off from this user")
    inbox = Inbox(seconds)
    assert twice(inbox, vault, seconds) == 0
    assert not inbox.take(vault).problems
    path.chmod(0o600)
    drop(vault, "note.md", STATEMENTS["note.md"] + "\n")
    assert twice(inbox, vault, seconds) == 1
