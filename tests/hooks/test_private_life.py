"""What agents are given of a vault that holds a year of private chats and two coding projects."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from engram.recall.unasked_blocks import MOST_LINES
from tests.cli.shop import Shop
from tests.hooks.conversation import hook, said_by
from tests.hooks.year_of_chats import (
    ASIDES,
    CODING,
    PRIVATE,
    said_privately,
    write_export,
    write_sessions,
)

#: words of the private chats, as a person might ask an agent at work for them
_PROMPTS = (
    "what is my daughter's name?", "what's our wifi called", "where do I live, what is my rent",
    "which cake do I prefer, lemon or chocolate?", "what is my partner's name and my allergy",
    "do I prefer oat milk in my coffee", "where does my mother live", "when is my birthday",
    "what did we decide about the car and the wedding party at the Elbhof",
)  # fmt: skip

#: the same as questions of time, for which turns are read too
_OF_TIME = (
    "when do I call my grandmother?", "since when am I allergic to penicillin?",
    "when did I meet my partner Arne?", "how long have I preferred oat milk?",
    "when did we decide to move to Bremen?", "when is our wedding at the Elbhof?",
)  # fmt: skip


@pytest.fixture(scope="module")
def year(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """A vault with both; nothing in these tests changes it."""
    year = Shop(tmp_path_factory.mktemp("year"))
    assert year.run("init", "vault").code == 0
    export = write_export(year.folder / "export" / "conversations.json")
    assert year.run("import", "chatgpt", str(export)).code == 0
    sessions = write_sessions(year.folder / "sessions", year.folder / "work")
    assert year.run("import", "claude-code", str(sessions)).code == 0
    assert len(json.loads(year.run("list", "--json", "--limit", "200").out)) > 40
    for name in (*CODING, "webshop2", "krabbe", "ida", "garden"):
        (year.folder / "work" / name).mkdir(parents=True, exist_ok=True)
    return year


def given(year: Shop, folder: Path | str, prompt: str = "", **more: str) -> str:
    """The context of a session, or of a prompt, in a folder."""
    event = "prompt" if prompt else "session-start"
    data = said_by("SessionStart", folder=folder, prompt=prompt)
    out, complaints = hook(year, event, data, more=more)
    assert complaints == []
    return str(json.loads(out)["hookSpecificOutput"]["additionalContext"]) if out else ""


def telling(lines: list[str]) -> list[str]:
    """The words of private statements that nothing at work holds."""
    at_work = " ".join(line for lines in CODING.values() for line in lines).casefold()
    words = {word.strip(".,'s") for line in lines for word in line.casefold().split()}
    return sorted(word for word in words if len(word) > 4 and word not in at_work)


def statements(text: str) -> list[str]:
    """The lines of a block that are no frame, without what says where a neighbour stood."""
    lines = [line for line in text.splitlines() if line.startswith(("- ", "  "))]
    return [re.sub(r"^  (?:before|after), ", "  ", line) for line in lines]


def private_words(text: str) -> list[str]:
    """Those words that a block says, but for its frame, which names question and project."""
    asides = [line for lines in ASIDES.values() for line in lines]
    said = "\n".join(statements(text)).casefold()
    return [word for word in telling([*said_privately(), *asides]) if word in said]


def test_a_new_project_is_given_how_the_person_works_and_nothing_else(year: Shop) -> None:
    text = given(year, year.folder / "work" / "webshop2")
    assert [line.split(": ")[1][:40] for line in statements(text)] == [
        "The user prefers small commits with one "
    ]


def test_each_project_is_given_its_own(year: Shop) -> None:
    text = given(year, year.folder / "work" / "krabbenkorb")
    assert "Postgres" in text and "8088" in text and "small commits" in text
    assert "Rust" not in text
    assert private_words(text) == []
    text = given(year, year.folder / "work" / "till")
    assert "Rust" in text and "push to main" in text
    assert "Postgres" not in text and "8088" not in text
    assert private_words(text) == []


def test_no_folder_is_given_private_words(year: Shop) -> None:
    work = year.folder / "work"
    (work / "krabbenkorb" / ".git").mkdir(exist_ok=True)
    (work / "krabbenkorb" / "inner" / ".git").mkdir(parents=True, exist_ok=True)
    link = year.folder / "shortcut"
    if not link.is_symlink():
        link.symlink_to(work / "till")
    folders = [
        work, work / "krabbenkorb" / "inner", link, year.folder, year.vault, year.vault / "facts",
        work / "krabbe", work / "ida", work / "garden", "/", "/tmp", "", "relative", "/nowhere/ida",
        os.environ.get("HOME", "/root"),
    ]  # fmt: skip
    for folder in folders:
        assert private_words(given(year, folder)) == []
        for prompt in _PROMPTS:
            assert private_words(given(year, folder, prompt)) == [], (folder, prompt)
    assert "Rust" in given(year, link)
    assert "Postgres" not in given(year, work / "krabbenkorb" / "inner")


def at(year: Shop, project: str, **more: str) -> Shop:
    """The same vault, seen from the folder of a project."""
    home = {"HOME": str(year.folder), "ENGRAM_HOME": str(year.folder / "home")}
    seen = {"ENGRAM_VAULT": str(year.vault), **home, **more}
    return Shop(year.folder / "work" / project, seen)


def test_recall_in_the_shell_of_an_agent_answers_as_the_hooks_do(year: Shop) -> None:
    asked = [*_PROMPTS, *_OF_TIME, *(title for title, _ in PRIVATE)]
    for question in asked:
        for name in ("krabbenkorb", "webshop2"):
            answer = at(year, name, GEMINI_CLI="1").run("recall", question)
            assert private_words(answer.out.replace(question, "")) == [], question
    till = at(year, "till", GEMINI_CLI="1")
    question = "which database and how do I like commits"
    for more in ([], ["--project", "till"]):
        shown = till.run("recall", question, *more).out
        assert "small commits" in shown and "Postgres" not in shown
    for more in (["--everywhere"], ["--project", "krabbenkorb"]):
        refused = till.run("recall", question, *more)
        assert (refused.code, refused.out) == (1, "") and "an agent is given" in refused.err


def test_recall_by_hand_in_a_project_is_of_that_project_and_of_the_person(year: Shop) -> None:
    till = at(year, "till")
    question = "which database do we use, and what is my daughter's name?"
    for shop, more in ((till, []), (year, ["--project", "till"])):
        assert "Rust" in shop.run("recall", "what is the till written in", *more).out
        told = shop.run("recall", question, *more).out
        assert "Ida" in told and "Postgres" not in told
    assert "Postgres" in till.run("recall", question, "--everywhere").out
    nothing = till.run("recall", "krabbenkorb postgres port 8088")
    assert "8088" not in nothing.out
    assert "Ida" in year.run("recall", "what is my daughter's name?").out


def test_private_memories_are_given_when_the_person_says_so(year: Shop) -> None:
    folder = year.folder / "work" / "webshop2"
    shared = given(year, folder, ENGRAM_RECALL_SHARE_PERSONAL="true")
    assert private_words(shared) != []
    assert len(shared.splitlines()) == MOST_LINES
    asked = given(year, folder, "what is my daughter's name?", ENGRAM_RECALL_SHARE_PERSONAL="true")
    assert "Ida" in asked
    assert "8088" not in shared


def test_an_excluded_project_is_given_to_no_agent(year: Shop) -> None:
    folder = year.folder / "work" / "krabbenkorb"
    excluded = {"ENGRAM_CAPTURE_EXCLUDE": "krabbenkorb"}
    assert given(year, folder, **excluded) == ""
    assert given(year, year.folder / "work" / "webshop2", **excluded) == ""
    below = {"ENGRAM_CAPTURE_EXCLUDE": "*/work/*"}
    assert "Postgres" not in given(year, folder, **below)


def test_a_vault_of_private_chats_gives_an_agent_nothing(tmp_path: Path) -> None:
    only = Shop(tmp_path)
    assert only.run("init", "vault").code == 0
    export = write_export(tmp_path / "export" / "conversations.json")
    assert only.run("import", "chatgpt", str(export)).code == 0
    for folder in (tmp_path / "webshop2", tmp_path / "krabbe", tmp_path):
        out, complaints = hook(only, "session-start", said_by("SessionStart", folder=folder))
        assert (out, complaints) == ("", [])
    assert only.run("consolidate").code == 0
    assert hook(only, "session-start", said_by("SessionStart", folder=tmp_path))[0] == ""
    shutil.rmtree(tmp_path / "home" / "cache")
    assert only.run("rebuild").code == 0
    assert hook(only, "session-start", said_by("SessionStart", folder=tmp_path))[0] == ""
