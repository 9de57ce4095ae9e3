"""Starting again adds no block: what a resumed session has already is not given a second time."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from engram.model.injected_block import without_own
from tests.cli.shop import Shop
from tests.hooks.conversation import given


class Session:
    """A transcript of Claude Code, which keeps what its hooks gave as attachments."""

    def __init__(self, shop: Shop, name: str = ".claude/projects/shop/s1.jsonl") -> None:
        self._shop = shop
        self.path = shop.write(name, "")

    def add(self, line: object) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, separators=(",", ":")) + "\n")

    def attach(self, context: str, event: str = "SessionStart") -> None:
        attached = {"type": "hook_additional_context", "content": [context], "hookEvent": event}
        self.add({"type": "attachment", "attachment": attached})

    def start(self, source: str, **more: object) -> str:
        """One start of it, with what the host does with the answer."""
        asked = {"source": source, "transcript_path": str(self.path), **more}
        context = given(self._shop, "session-start", **asked)
        if context:
            self.attach(context)
        return context


def _line(text: str) -> object:
    return {"type": "user", "message": {"role": "user", "content": text}}


def say(session: Session, text: str) -> None:
    session.add(_line(text))


def blocks(session: Session) -> int:
    return session.path.read_text("utf-8").count("<engram-memory version=")


def test_criterion_7_many_starts_give_exactly_one_block(shop: Shop) -> None:
    session = Session(shop)
    first = session.start("startup")
    assert first.startswith("<engram-memory version=")
    for number in range(3):
        say(session, f"Question {number}?")
        # what a prompt was given is no block of a session
        session.attach(given(shop, "prompt", prompt="why postgres?"), "UserPromptSubmit")
        assert session.start("resume") == ""
    assert blocks(session) == 1
    # another vault: one more, that says so; and it is not repeated either
    shop.run("remember", "We decided to use Redis as the cache.", "--project", "shop")
    second = session.start("resume")
    assert "It takes the place of the earlier block." in second and "Redis" in second
    assert session.start("resume") == ""
    assert second.replace(" It takes the place of the earlier block.", "") == given(
        shop, "session-start", source="startup"
    )
    assert blocks(session) == 2


def test_what_a_session_told_itself_is_not_given_back_to_it(shop: Shop) -> None:
    session = Session(shop)
    assert session.start("startup", session_id="s1")
    for number, text in enumerate((
        "We decided to use Redis as the cache.", "I prefer long commit messages."
    )):  # fmt: skip
        session.add({
            "type": "user", "uuid": f"u{number}", "sessionId": "s1", "cwd": "/home/kim/shop",
            "timestamp": "2026-03-06T11:00:00Z", "message": {"role": "user", "content": text},
        })  # fmt: skip
    assert shop.run("import", "claude-code", str(session.path)).code == 0
    assert "Redis" in given(shop, "session-start")
    assert session.start("resume", session_id="s1") == ""
    # of another one it is news
    assert "Redis" in session.start("resume", session_id="s2")
    assert session.start("resume", session_id="s2") == ""


def test_criterion_8_a_start_changes_nothing_of_the_conversation(shop: Shop) -> None:
    session = Session(shop)
    say(session, "Before <b>\r\n")
    before, stat = session.path.read_bytes(), session.path.stat()
    context = given(shop, "session-start", source="resume", transcript_path=str(session.path))
    assert without_own(context) == ""  # the block and nothing else
    assert session.path.read_bytes() == before
    assert session.path.stat().st_mtime_ns == stat.st_mtime_ns


@pytest.mark.parametrize("source", ["clear", "compact"])
def test_what_begins_anew_is_given_the_block(source: str, shop: Shop) -> None:
    session = Session(shop)
    first = session.start("startup")
    assert session.start(source) == first


@pytest.mark.parametrize(
    "compacted",
    [
        {"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"},
        {"timestamp": "2026-03-06T10:00:00Z", "type": "compacted", "payload": {"message": "x"}},
    ],
)
def test_a_block_from_before_a_compaction_is_gone(compacted: object, shop: Shop) -> None:
    session = Session(shop)
    first = session.start("startup")
    session.add(compacted)
    assert session.start("resume") == first
    assert session.start("resume") == ""


def test_a_block_is_found_in_a_long_transcript_and_in_what_codex_keeps(shop: Shop) -> None:
    session = Session(shop, ".codex/sessions/2026/03/06/rollout-1.jsonl")
    text = given(shop, "session-start")
    content = [{"type": "input_text", "text": text}]
    session.add({"type": "response_item", "payload": {"role": "developer", "content": content}})
    for number in range(40):
        say(session, f"{number} " + "x" * 100_000)
    assert session.start("resume") == ""
    # where two pieces of it meet, in the middle of the tag
    data = session.path.read_bytes()
    middle = data.index(b"<engram-memory") + 20
    say(session, "")
    empty = session.path.stat().st_size - len(data)
    session.path.write_bytes(data)
    say(session, "y" * ((middle - len(data) - empty) % (1 << 20)))
    assert (session.path.stat().st_size - middle) % (1 << 20) == 0
    assert session.start("resume") == ""


def test_only_a_file_in_the_folder_of_its_agent_is_looked_at(shop: Shop) -> None:
    context = given(shop, "session-start")
    elsewhere = Session(shop, "elsewhere/s1.jsonl")
    elsewhere.attach(context)
    assert elsewhere.start("resume") == context
    link = shop.folder / ".claude" / "projects" / "link.jsonl"
    link.parent.mkdir(parents=True)
    link.symlink_to(elsewhere.path)
    fifo = shop.folder / ".claude" / "fifo.jsonl"
    os.mkfifo(fifo)
    for path in (link, fifo, Path("relative.jsonl"), shop.folder / ".claude", Path("/nowhere")):
        assert given(shop, "session-start", source="resume", transcript_path=str(path)) == context
