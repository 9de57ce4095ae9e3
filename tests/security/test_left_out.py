"""What is excluded, private or off the record: no word of it in any file of the home folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from engram.model.turn import Turn
from engram.vault import Vault
from tests.kit import reopened
from tests.security.canaries import contents

SHOP, ACME = "/home/kim/shop", "/home/kim/acme/tapirwork"
#: words that stand only in what is left out: texts, titles, queued prompts, names of folders
LEFT_OUT = (
    "acme", "tapirwork", "quokka", "narwhal", "platypus", "axolotl", "ocelot", "wombat", "numbat",
)  # fmt: skip


class Clock:
    """Times of lines, one second after the other."""

    def __init__(self) -> None:
        self.count = 0

    def next(self) -> str:
        self.count += 1
        return f"2026-03-05T10:{self.count // 60:02d}:{self.count % 60:02d}Z"


def claude(clock: Clock) -> Iterator[tuple[str, dict[str, object]]]:
    """Lines of sessions by file: an excluded one, one that moves there and back, private ones."""

    def user(session: str, text: str, folder: str) -> dict[str, object]:
        return said("user", session, text, folder)

    def said(role: str, session: str, text: str, folder: str) -> dict[str, object]:
        content = text if role == "user" else [{"type": "text", "text": text}]
        time = clock.next()
        return {
            "type": role, "sessionId": session, "cwd": folder, "uuid": time, "timestamp": time,
            "message": {"id": time, "role": role, "content": content},
        }  # fmt: skip

    def title(session: str, text: str) -> dict[str, object]:
        return {"type": "ai-title", "aiTitle": text, "sessionId": session}

    def queued(session: str, text: str) -> dict[str, object]:
        return {
            "type": "queue-operation", "operation": "enqueue", "content": text,
            "sessionId": session, "timestamp": clock.next(),
        }  # fmt: skip

    inside, shop = "-home-kim-acme-tapirwork/s1.jsonl", "-home-kim-shop/{}.jsonl"
    yield inside, user("s1", "We decided to use quokka.", ACME)
    yield inside, title("s1", "Quokka for all")
    yield inside, queued("s1", "platypus please")
    yield shop.format("s2"), user("s2", "We decided to use Postgres.", SHOP)
    yield shop.format("s2"), user("s2", "We decided to use narwhal.", ACME)
    yield shop.format("s2"), said("assistant", "s2", "The narwhal, then.", ACME)
    yield shop.format("s2"), title("s2", "Narwhal and Postgres")
    yield shop.format("s2"), queued("s2", "and the platypus")
    yield shop.format("s2"), user("s2", "We decided to use Redis.", SHOP)
    yield shop.format("s3"), user("s3", "We decided to use axolotl.", ACME)
    yield shop.format("s3"), user("s3", "We decided to use uv.", SHOP)
    yield shop.format("s4"), title("s4", "An ocelot and a wombat")
    yield shop.format("s4"), user("s4", "<private>The ocelot.</private> We use mypy.", SHOP)
    yield shop.format("s4"), title("s4", "The ocelot")
    yield shop.format("s4"), queued("s4", "<private>the ocelot</private>")
    yield shop.format("s4"), user("s4", "Off the record: the wombat.", SHOP)
    yield shop.format("s4"), said("assistant", "s4", "The wombat, I see.", SHOP)
    yield shop.format("s4"), queued("s4", "off the record: the wombat")
    yield shop.format("s4"), user("s4", "We decided to use ruff.", SHOP)


def codex(clock: Clock) -> Iterator[tuple[str, dict[str, object]]]:
    """A session whose file's path does not tell the folder, and that moves."""
    time = clock.next()
    yield (
        "r.jsonl",
        {"type": "session_meta", "payload": {"id": "r", "cwd": SHOP}, "timestamp": time},
    )
    for folder, text in (
        (SHOP, "We decided to use tox."),
        (ACME, "We decided to use numbat."),
        (SHOP, "We decided to use nox."),
    ):
        time = clock.next()
        yield "r.jsonl", {"type": "turn_context", "timestamp": time, "payload": {"cwd": folder}}
        payload = {"type": "user_message", "message": text}
        yield "r.jsonl", {"type": "event_msg", "timestamp": time, "payload": payload}
        payload = {"type": "agent_message", "message": f"Done: {text}"}
        yield "r.jsonl", {"type": "event_msg", "timestamp": time, "payload": payload}


def opencode(path: Path) -> None:
    """Two projects in one file of SQLite."""
    import sqlite3

    database = sqlite3.connect(path)
    database.executescript(
        "create table session (id text, directory text, title text);"
        "create table message (id text, session_id text, time_created int, data text);"
        "create table part (id text, message_id text, data text);"
    )
    for name, folder, text in (("a", ACME, "quokka"), ("b", SHOP, "bun")):
        database.execute("insert into session values (?, ?, ?)", (name, folder, f"On {text}"))
        data = json.dumps({"role": "user", "time": {"created": 1_772_700_000_000}})
        database.execute("insert into message values (?, ?, 1772700000000, ?)", (name, name, data))
        part = json.dumps({"type": "text", "text": f"We decided to use {text}."})
        database.execute("insert into part values (?, ?, ?)", (name, name, part))
    database.commit()
    database.close()


def excluding(vault: Vault, *globs: str) -> Vault:
    capture = vault.settings.capture._replace(exclude=globs)
    return reopened(vault, settings=vault.settings._replace(capture=capture))


def nothing_is_left(vault: Vault, folder: Path) -> None:
    roots = [path for path in folder.iterdir() if path.name != "agents"]
    for name, data in contents(*roots):
        for word in LEFT_OUT:
            assert word.encode() not in data.lower(), f"{word} in {name}"


def kept(vault: Vault) -> list[str]:
    return sorted(turn.text.removeprefix("We decided to use ") for turn in all_turns(vault)
                  if turn.role == "user")  # fmt: skip


def all_turns(vault: Vault) -> list[Turn]:
    return [entry.turn for entry in vault.parts.turn_log.entries()]


KEPT = sorted(
    ["Postgres.", "Redis.", "uv.", "We use mypy.", "ruff.", "tox.", "nox.", "bun."],
)


@pytest.mark.parametrize("glob", ["acme", "*/ACME/**", "~/acme", "tapirwork", "/home/kim/acme/"])
@pytest.mark.parametrize("growing", [False, True])
def test_no_word_of_what_is_left_out_is_written_anywhere(
    vault: Vault, tmp_path: Path, glob: str, growing: bool
) -> None:
    vault, clock = excluding(vault, glob), Clock()
    agents = tmp_path / "agents"
    (agents / "codex").mkdir(parents=True)
    opencode(agents / "opencode.db")
    files = [
        ("claude-code", agents / "claude", claude(clock)),
        ("codex", agents / "codex", codex(clock)),
    ]
    for name, folder, lines in files:
        for path, line in lines:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            with (folder / path).open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(line, separators=(",", ":")) + "\n")
            if growing:
                vault = reopened(vault)
                vault.import_files(name, folder, live=True)
        vault.import_files(name, folder)
    vault.import_files("opencode", agents / "opencode.db")
    assert kept(vault) == KEPT
    assert {turn.project for turn in all_turns(vault)} == {"shop"}
    vault.flush()
    vault.consolidate()
    vault.rebuild()
    nothing_is_left(vault, tmp_path)


def test_what_was_captured_before_stays_and_its_cursor_has_no_words(
    vault: Vault, tmp_path: Path
) -> None:
    path = tmp_path / "agents" / "s1.jsonl"
    path.parent.mkdir()
    lines = [
        json.dumps(line, separators=(",", ":")) for name, line in claude(Clock()) if "s1" in name
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    vault.import_files("claude-code", path)
    vault = excluding(vault, "acme")
    before = len(all_turns(vault))
    later = json.loads(lines[0])
    later["uuid"] = "later"
    path.write_text("\n".join([*lines, json.dumps(later)]) + "\n", encoding="utf-8")
    vault.import_files("claude-code", path)
    assert len(all_turns(vault)) == before == 1
    cursors = (vault.root / "state" / "cursors.json").read_text(encoding="utf-8").lower()
    assert not [word for word in LEFT_OUT if word in cursors]
