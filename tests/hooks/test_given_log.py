"""What hooks, `recall` and MCP give is in the access log: to whom, why, and provable afterwards."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engram.model.given import GivenBlock, content_hash, recall_hash
from engram.store.base import layout
from engram.store.catalog.given_line import block_of
from engram.store.files.memory_file import read_memory
from engram.vault import Vault
from tests.cli.shop import Shop
from tests.golden.console import prompt_context
from tests.hooks.conversation import given, hook, said_by
from tests.kit import where

SESSION = {"session_id": "shop-9"}


def blocks(shop: Shop) -> list[GivenBlock]:
    """The blocks of the access log, all of whose lines hold one."""
    data = (shop.vault / layout.ACCESS).read_bytes()
    found = [block_of(line) for line in data.splitlines()]
    assert None not in found and data.isascii()
    return [one for one in found if one is not None]


def claude(shop: Shop) -> dict[str, str]:
    """The fields of a session of Claude Code whose transcript is not there yet."""
    return {"transcript_path": f"{shop.folder}/.claude/projects/shop/9.jsonl", **SESSION}


def test_a_hook_tells_to_whom_it_gave_what_and_why(shop: Shop) -> None:
    shop.run("status")
    assert given(shop, "session-start", **claude(shop))
    assert given(shop, "prompt", prompt="why postgres?", **claude(shop))
    start, prompt = blocks(shop)
    assert (start.by, start.how, prompt.how) == ("claude-code", "session-start", "prompt")
    assert start.session == prompt.session and start.session.startswith("claude-code-")
    assert [one.id.partition("-")[0] for one in start.items] == ["preference", "decision"]
    assert [one.codes for one in prompt.items] == [("matches_query", "space:project")]
    assert start.items[1].item.startswith("project:shop:semantic:")
    assert start.counts == {"session": 0, "user": 1, "project": 1, "system": 0}
    assert not (start.asked or prompt.asked or prompt.question) and start.last > 0
    assert not where(shop.vault / "state", "why postgres?")


def test_nothing_given_is_no_line_and_an_unknown_agent_is_called_so(shop: Shop) -> None:
    assert not given(shop, "prompt", prompt="fix the bug", **claude(shop))
    assert not (shop.vault / layout.ACCESS).exists()
    assert given(shop, "prompt", prompt="why postgres?")
    assert [(one.by, one.session) for one in blocks(shop)] == [("unknown", "by-hand")]


def test_the_hashes_are_those_of_the_files(shop: Shop) -> None:
    given(shop, "session-start", **claude(shop))
    shop.run("recall", "why postgres", "--project", "shop")
    texts = {
        path.stem: read.text
        for path in shop.vault.glob("facts/*/*.md")
        if (read := read_memory(path.name, path.read_bytes()).memory)
    }
    for block in blocks(shop):
        assert block.content_hash == content_hash((one.id, texts[one.id]) for one in block.items)
        named = [(one.kind, one.item) for one in block.items]
        assert block.deterministic_hash == recall_hash(named)


@pytest.mark.parametrize("event", ["session-start", "prompt"])
def test_the_block_is_the_same_where_nothing_can_be_written(event: str, shop: Shop) -> None:
    expected = given(shop, event, prompt="why postgres?")
    (shop.vault / layout.ACCESS).unlink()
    (shop.vault / layout.ACCESS).mkdir()
    out, complaints = hook(shop, event, said_by("UserPromptSubmit", prompt="why postgres?"))
    assert json.loads(out)["hookSpecificOutput"]["additionalContext"] == expected
    assert complaints == [f"engram hook {event}: StorageError"]


def test_a_vault_without_the_right_to_write_is_no_failure(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert given(shop, "prompt", prompt="why postgres?")  # and complains of nothing
    assert not (shop.vault / layout.ACCESS).exists()


def test_hooks_at_the_same_time_write_whole_lines(shop: Shop) -> None:
    shop.run("status")
    seen = prompt_context(shop.folder) | {
        "ENGRAM_VAULT": str(shop.vault), "PYTHONPATH": str(Path(__file__).parents[2]),
    }  # fmt: skip
    script = (
        "import os, sys\n"
        "from engram.surfaces.hooks.process import respond\n"
        "for _ in range(40):\n"
        "    assert respond(['prompt'], lambda: sys.argv[1].encode(), os.environ)\n"
    )
    asked = said_by("UserPromptSubmit", prompt="why postgres?").decode()
    running = [
        subprocess.Popen([sys.executable, "-c", script, asked], env=seen) for _ in range(2)
    ]  # fmt: skip
    assert [one.wait(60) for one in running] == [0, 0]
    assert len(blocks(shop)) == 80


def test_a_session_that_was_compacted_is_given_its_block_again(shop: Shop) -> None:
    for source in ("startup", "compact"):
        assert given(shop, "session-start", source=source, **claude(shop))
    first, again = blocks(shop)
    assert first.items == again.items and first.content_hash == again.content_hash


# -- by asking -------------------------------------------------------------------------------------


def test_recall_keeps_its_question_redacted_and_who_asked(shop: Shop) -> None:
    words = "why postgres, my password is hunter2hunter2 " + "and so on " * 40
    agent = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "shop-9"}
    shop.environment |= agent
    here = shop.write("shop/README.md", "").parent
    at = Shop(here, {**shop.environment, "ENGRAM_VAULT": str(shop.vault)})
    at.environment |= {"HOME": str(shop.folder), "ENGRAM_HOME": str(shop.folder / "home")}
    assert at.run("recall", words).code == 0
    given(shop, "prompt", prompt="why postgres?", **claude(shop))
    asked, prompt = blocks(shop)
    assert asked.question.startswith("why postgres, my password is [REDACTED:password:")
    assert len(asked.question) <= 200 and not where(shop.vault, "hunter2hunter2")
    assert asked.asked and (asked.by, asked.session) == (prompt.by, prompt.session)
    for name in agent:
        shop.environment.pop(name)
    shop.run("recall", "why postgres")
    assert [(one.by, one.session) for one in blocks(shop)[-1:]] == [("person", "by-hand")]


# -- told again ------------------------------------------------------------------------------------


def prompted(shop: Shop) -> str:
    """A prompt that was given a decision, and its turn as it was captured; the decision's id."""
    shop.run("status")
    given(shop, "prompt", prompt="why postgres?", **claude(shop))
    chat = Path(f"{shop.folder}/.claude/projects/shop/9.jsonl")
    line = {
        "type": "user", "sessionId": "shop-9", "uuid": "u1", "cwd": "/home/kim/shop",
        "timestamp": "2026-03-06T12:00:03Z",
        "message": {"role": "user", "content": "why postgres?"},
    }  # fmt: skip
    shop.write(str(chat.relative_to(shop.folder)), json.dumps(line) + "\n")
    assert shop.run("import", "claude-code", str(chat)).code == 0
    return next(shop.vault.glob("facts/*/decision*.md")).stem


def test_why_given_tells_who_asked_what(shop: Shop) -> None:
    decision = prompted(shop)
    shop.run("recall", "postgres")
    out = shop.run("why", decision, "--given").out
    assert out.index("person, by recall") < out.index("claude-code, with a prompt")
    assert '"why postgres?"' in out and '"postgres"' in out and "its words match" in out
    (newest,) = json.loads(shop.run("why", decision, "--given", "--limit", "1", "--json").out)
    assert newest["by"] == "person" and newest["question"] == "postgres"
    assert shop.run("why", "--given").code == 2


def test_a_question_is_forgotten_with_its_turn(shop: Shop) -> None:
    decision = prompted(shop)
    (link,) = [
        row["source"] for row in json.loads(shop.run("why", decision, "--given", "--json").out)
    ]  # fmt: skip
    assert link
    assert shop.run("forget", link).code == 0
    (row,) = json.loads(shop.run("why", decision, "--given", "--json").out)
    assert (row["question"], row["source"]) == (None, None)


def test_who_was_given_a_purged_memory_is_still_known(shop: Shop) -> None:
    decision = prompted(shop)
    assert shop.run("purge", decision, "--yes").code == 0
    told = shop.run("why", decision, "--given")
    assert "claude-code, with a prompt" in told.out
    assert shop.run("why", "decision-20200101-000000-00000000", "--given").code != 0


# -- by which policy -------------------------------------------------------------------------------


def test_a_hook_tells_the_policy_that_holds_now(shop: Shop) -> None:
    shop.run("remember", "The till is green.")  # who writes tells hooks of the policy
    own = shop.folder / "home" / "policy.toml"
    digests = []
    for text in ("", 'write_policy = "minimal"\n', None):
        own.unlink(missing_ok=True)
        if text is not None:
            own.write_text(text)
        given(shop, "prompt", prompt="why postgres?")
        digests.append(blocks(shop)[-1].policy)
    assert digests[0] == digests[2] != digests[1]
    with Vault.open(shop.vault, environment=prompt_context(shop.folder)) as vault:
        assert vault.parts.policy.digest == digests[0]


def test_by_a_policy_that_is_not_understood_nothing_is_given(shop: Shop) -> None:
    (shop.vault / "policy.toml").write_text('write_polciy = "none"\n')
    for event in ("session-start", "prompt"):
        out, complaints = hook(shop, event, said_by("UserPromptSubmit", prompt="why postgres?"))
        assert (out, complaints) == ("", [f"engram hook {event}: ConfigError"])
    assert not (shop.vault / layout.ACCESS).exists()
