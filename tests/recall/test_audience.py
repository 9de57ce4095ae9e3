"""Audience of a memory: which agents it may be given to."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from engram.model.memory import Audience, Memory
from engram.recall.audience import audience_of, is_about_work
from engram.recall.borders import Recipient, is_open_to

_TABLE = tomllib.loads(
    Path(__file__).with_name("work_preferences.toml").read_text(encoding="utf-8")
)
#: what a person says about work in a session with a coding agent
COMMITS = Memory(
    "preference-1", "preference", "The user prefers small commits.", space="user", project="shop",
    authority="user_asserted", sources=("claude-code-3f2a1c9d04be#^m3f9a2c",),
)  # fmt: skip
STORE = Memory(
    "decision-1", "decision", "We decided to use Postgres.", project="shop",
    authority="user_asserted", sources=("claude-code-3f2a1c9d04be#^m3f9a2c",),
)  # fmt: skip


def audience(memory: Memory, secret: str = "\0never") -> Audience:
    return audience_of(memory, lambda text: secret not in text)


@pytest.mark.parametrize("half", ["tuned", "held_back"])
def test_no_private_preference_is_taken_for_work(half: str) -> None:
    assert [said for said in _TABLE[half]["private"] if is_about_work(said)] == []


@pytest.mark.parametrize(("half", "least"), [("tuned", 0.9), ("held_back", 0.4)])
def test_preferences_about_work_are_recognised(half: str, least: float) -> None:
    rows = _TABLE[half]["work"]
    assert sum(map(is_about_work, rows)) >= least * len(rows)


def test_what_was_said_at_work_about_work_is_for_every_agent() -> None:
    assert audience(COMMITS) == "everyone"
    told = replace(COMMITS, project="", sources=("remember-0123456789ab#^m1",))
    assert audience(told) == "everyone"
    by_hand = replace(COMMITS, project="", sources=())
    assert audience(by_hand) == "everyone"
    for private in (
        replace(COMMITS, text="The user prefers lemon cake."),
        replace(COMMITS, category="fact"),
        replace(COMMITS, authority="ai_inferred"),
        replace(COMMITS, project=""),  # a log without a folder
        replace(COMMITS, sources=("chatgpt-0123456789ab#^m1",)),
        replace(COMMITS, space="session"),
    ):
        assert audience(private) == "person"


def test_what_has_a_project_is_for_the_agents_in_it() -> None:
    assert audience(STORE) == "project"
    assert audience(replace(STORE, project="")) == "person"
    for source in ("chatgpt", "claude-ai", "text", "markdown", "mem0", "mcp-memory"):
        exported = replace(STORE, sources=(f"{source}-0123456789ab#^m1",))
        assert audience(exported) == "person"
        said_twice = replace(STORE, sources=(*exported.sources, *STORE.sources))
        assert audience(said_twice) == "project"


@pytest.mark.parametrize(
    "text",
    [
        "The user's partner's name is Arne.", "My daughter starts school in August.",
        "The user forgot their passport.", "The user has to call the dentist.",
        "The user has to send the tax form by July 31.", "The user is married.",
        "We decided to name the baby Otto.",
    ],
)  # fmt: skip
def test_the_persons_life_is_not_the_projects(text: str) -> None:
    assert audience(replace(STORE, text=text)) == "person"


@pytest.mark.parametrize(
    "text",
    [
        "We decided to store the recipes as Markdown.",
        "The parent passes its children a key.",
        "The bank import runs at night.",
        "We use the hotel API of the partner.",
    ],
)
def test_a_project_may_be_about_everyday_things(text: str) -> None:
    assert audience(replace(STORE, text=text)) == "project"


def test_who_the_person_is_is_not_the_projects() -> None:
    address = replace(STORE, category="fact", text="The user's address is Elm Street 4.")
    assert audience(address) == "person"
    assert audience(replace(address, text="The user's fork of the repo is private.")) == "project"
    signing = replace(address, category="commitment", text="The user has to sign the release.")
    assert audience(signing) == "project"


def test_a_private_principle_is_not_the_projects() -> None:
    cooking = replace(STORE, category="principle", text="We always cook on Sundays.")
    assert audience(cooking) == "person"
    parsing = replace(cooking, text="Recipes are parsed by `recipe.py`.")
    assert audience(parsing) == "project"


@pytest.mark.parametrize("field", ["text", "quote", "title", "tags", "extra"])
def test_what_holds_a_secret_is_for_nobody(field: str) -> None:
    held = {"tags": ("hunter2",), "extra": (("note", "hunter2"),)}.get(field, "It is hunter2.")
    assert audience(replace(STORE, **{field: held}), secret="hunter2") == "nobody"  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["hunter\x072", "hunter\n2"])
def test_a_secret_is_recognised_as_it_would_be_shown(text: str) -> None:
    shown = " ".join(text.replace("\x07", "").split())
    assert audience(replace(STORE, text=text), secret=shown) == "nobody"


def test_each_audience_is_open_to_its_agents_only() -> None:
    here, elsewhere = Recipient(("shop",)), Recipient(("till",))
    personal = Recipient(("till",), personal=True)
    excluding = Recipient(("shop",), personal=True, excludes=lambda name: name == "shop")
    cases: list[tuple[Audience, str, str, list[bool]]] = [
        ("everyone", "user", "shop", [True, True, True, False]),
        ("project", "project", "shop", [True, False, False, False]),
        ("person", "project", "", [False, False, True, True]),
        ("person", "project", "shop", [False, False, False, False]),
        ("person", "user", "till", [False, False, True, True]),
        ("person", "session", "", [False, False, False, False]),
        ("nobody", "project", "shop", [False, False, False, False]),
    ]
    for whose, space, project, opened in cases:
        asked = [here, elsewhere, personal, excluding]
        assert [is_open_to(one, whose, space, project) for one in asked] == opened
