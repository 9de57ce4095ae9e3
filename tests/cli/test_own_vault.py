"""The person's own vault and that of a folder, as `status` and `doctor` tell them."""

from __future__ import annotations

import json
import shutil

import pytest

from engram.daemon.spool import noted
from engram.surfaces.hooks.process import respond
from tests.cli.shop import Shop
from tests.golden.console import prompt_context
from tests.hooks.conversation import said_by

HOOKS = ["connect", "codex", "--command", "/opt/engram"]


@pytest.fixture
def till(shop: Shop) -> Shop:
    """A repository with a vault of its own, and a person whose own vault is another one."""
    (shop.folder / "till" / ".git").mkdir(parents=True)
    shop.environment = {"ENGRAM_VAULT": "", "HOME": str(shop.folder)}
    assert shop.run("init", "till").code == 0
    assert shop.run("config", "set", "vault", str(shop.vault)).code == 0
    inside = Shop(shop.folder / "till", shop.environment)
    inside.environment["ENGRAM_HOME"] = str(shop.folder / "home")
    return inside


def agents(shop: Shop) -> tuple[object, object]:
    told = json.loads(shop.run("status", "--json").out)
    return told["own_vault"], [(one["label"], one["spaces"]) for one in told["beside"]]


def test_status_tells_what_agents_are_given_of_in_a_folder(till: Shop, shop: Shop) -> None:
    assert agents(shop) == ({"path": str(shop.vault)}, [])
    assert "own vault" not in shop.run("status").out
    assert agents(till) == ({"path": str(shop.vault)}, [("@till", ["project"])])
    told = till.run("status").out
    assert told.startswith(f"vault      {till.folder}\nown vault  {shop.vault}\nbeside     ")
    assert "@till (project)" in told


def test_status_and_doctor_tell_of_an_own_vault_that_is_gone(till: Shop, shop: Shop) -> None:
    shutil.move(shop.vault, shop.folder / "moved")
    own = {"path": str(shop.vault), "problem": f"{shop.vault} does not exist"}
    told, beside = agents(till)
    assert isinstance(told, dict) and told.pop("fix")
    assert (told, beside) == (own, [])
    assert "agents are given nothing" in till.run("status").out
    assert without_vault(till) == []  # no agent is connected
    assert shop.run(*HOOKS).code == 0
    assert without_vault(till) == ["codex"]
    assert till.run("config", "set", "vault", str(shop.folder / "moved")).code == 0
    assert without_vault(till) == ["codex"]  # not registered there
    assert till.run("trust", str(shop.folder / "moved")).code == 0
    assert without_vault(till) == []


def test_doctor_asks_for_the_vault_that_the_hooks_name(till: Shop, shop: Shop) -> None:
    other = shop.folder / "with a space"
    assert till.run("init", str(other)).code == till.run(*HOOKS, "--vault", str(other)).code == 0
    assert without_vault(till) == []
    shutil.rmtree(other)
    assert without_vault(till) == ["codex"]


def hooked(shop: Shop) -> str:
    """What the hooks of Codex name after their event."""
    hooks = json.loads((shop.folder / ".codex" / "hooks.json").read_text("utf-8"))["hooks"]
    command: str = hooks["SessionEnd"][0]["hooks"][0]["command"]
    return command.partition("session-end")[2].strip()


def test_hooks_name_the_vault_that_they_would_not_find_by_themselves(
    till: Shop, shop: Shop
) -> None:
    """They are called in another environment, and in other folders."""
    ran = till.run(*HOOKS)
    assert (hooked(shop), ran.code, "given nothing" in ran.err) == ("", 0, False)
    other = shop.folder / "other"
    assert till.run("init", str(other)).code == 0
    assert till.run(*HOOKS, "--vault", str(other)).code == 0
    assert hooked(shop) == f"--vault {other}"
    till.environment["ENGRAM_VAULT"] = str(other)
    assert till.run("disconnect", "codex").code == till.run(*HOOKS).code == 0
    assert hooked(shop) == f"--vault {other}"
    till.environment["ENGRAM_VAULT"] = ""
    shutil.move(shop.vault, shop.folder / "moved")
    assert till.run(*HOOKS).code == 0
    assert hooked(shop) == f"--vault {till.folder}", "the one that other verbs work on there"
    ran = shop.run(*HOOKS)
    assert hooked(shop) == ""
    assert f"agents are given nothing yet: {shop.vault} does not exist" in ran.err


def test_settings_of_an_agent_that_are_none_are_of_no_connected_agent(till: Shop) -> None:
    path = till.folder.parent / ".codex" / "hooks.json"
    path.parent.mkdir()
    for text in ("[]", "{", '{"hooks": []}', "\udcff"):
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
        assert without_vault(till) == []


def test_a_session_that_ends_in_a_folder_with_a_vault_is_taken_into_the_own_one(
    till: Shop, shop: Shop
) -> None:
    assert till.run(*HOOKS).code == 0
    hooks = json.loads((shop.folder / ".codex" / "hooks.json").read_text("utf-8"))["hooks"]
    command = hooks["SessionEnd"][0]["hooks"][0]["command"].split()
    assert command[1:] == ["hook", "session-end"]
    line = {
        "type": "user", "uuid": "1", "sessionId": "s9", "timestamp": "2026-03-06T11:00:00Z",
        "cwd": str(till.folder),
        "message": {"role": "user", "content": "We decided to print on recycled paper."},
    }  # fmt: skip
    path = shop.write(".claude/projects/-till/s9.jsonl", json.dumps(line) + "\n")
    data = said_by("SessionEnd", till.folder, transcript_path=str(path), reason="exit")
    seen = prompt_context(shop.folder) | till.environment
    assert respond(command[2:], lambda: data, seen) == ""
    assert [one.vault for one in noted(shop.folder / "home")] == [str(shop.vault.resolve())]
    assert till.run("hook", "catch-up").out == "took in 1 new turn from 1 transcript\n"
    learnt = json.loads(shop.run("list", "--json", "--project", "till").out)
    assert [one["text"] for one in learnt if one["schema"] != "session"] == [
        "We decided to print on recycled paper."
    ]
    assert till.run("list").out == "" and not any((till.folder / "transcripts").iterdir())


OTHERS = """\
{"role": "user", "content": "We decided to label every drawer by its colour.", \
"timestamp": "2026-03-04T09:00:00Z", "session": "t-1", "project": "till"}
{"role": "user", "content": "We decided to paint the bakery oven blue.", \
"timestamp": "2026-03-04T09:00:00Z", "session": "t-2", "project": "bakery"}
{"role": "user", "content": "I prefer long commits with all topics in one.", \
"timestamp": "2026-03-06T10:00:00Z", "session": "t-3", "project": "till"}
"""


def test_in_a_folder_with_a_vault_both_are_read_each_within_its_spaces(
    till: Shop, shop: Shop
) -> None:
    path = shop.write("others.jsonl", OTHERS)
    assert till.run("import", "jsonl", str(path)).code == shop.run("status").code == 0
    seen = prompt_context(shop.folder) | till.environment
    inside = said_by("SessionStart", till.folder / "src")
    told = json.loads(respond(["session-start"], lambda: inside, seen))
    block = told["hookSpecificOutput"]["additionalContext"]
    # an agent: what the own vault has for everywhere, and what the folder's has of the project
    assert "small commits" in block and "every drawer" in block and "@till" in block
    assert not any(word in block for word in ("long commits", "oven", "Postgres"))
    # by hand: all of the folder's vault, and what the own one has for everywhere
    found = till.run("recall", "commits drawer oven topics writers", "--everywhere").out
    assert all(word in found for word in ("small commits", "long commits", "drawer", "oven"))
    assert "Postgres" not in found


def without_vault(shop: Shop) -> list[str]:
    """The agents whose hooks give nothing."""
    rows = json.loads(shop.run("doctor", "--quick", "--json").out)
    return [row["subject"] for row in rows if row["code"] == "hooks_without_vault"]
