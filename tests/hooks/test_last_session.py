"""Where the last session of a project stopped is what its next one is given first."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given as given_any
from hypothesis import strategies as st

from engram.model.memory import Memory
from engram.model.text import CHARACTERS_A_TOKEN
from engram.recall.last_session import last_session
from engram.recall.unasked_blocks import ShownItem, session_block
from tests.cli.shop import Shop
from tests.hooks.conversation import given


def session(shop: Shop, number: int, goal: str, *, project: str = "shop", more: str = "") -> Path:
    """A session record as a file of the vault, taken up."""
    name = f"moment-202603{number:02d}-090000-{number:08x}"
    path = shop.write(
        f"vault/facts/2026-03-{number:02d}/{name}.md",
        f"---\nid: {name}\ncategory: moment\nkind: episode\nschema: session\ntitle: {goal}\n"
        f"status: active\noutcome: partial\ncreated: 2026-03-{number:02d}T09:00:00Z\n"
        f"confidence: 0.69\nimportance: 0.6\nproject: {project}\nsources:\n"
        f'  - "[[claude-code-{number:012x}#^m0123456789]]"\n---\n{goal}\n\n'
        f"## Completed\n- the keys\n\n## Blockers\n- no staging till\n\n{more}"
        "## Next actions\n- [x] ask Mira\n- [ ] run it on staging"
        f" ([[claude-code-{number:012x}#^m0123456789|said]])\n",
    )
    assert shop.run("list").code == 0
    return path


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """A shop in which no agent has worked yet."""
    made = Shop(tmp_path)
    assert made.run("init", "vault").code == 0
    assert made.run("remember", "We decided to use Postgres.", "--project", "shop").code == 0
    return made


def lines(shop: Shop, **asked: object) -> list[str]:
    return given(shop, "session-start", **asked).splitlines()


def test_the_newest_session_of_the_project_comes_first(shop: Shop) -> None:
    session(shop, 4, "Sell jam.")
    session(shop, 5, "Make the till retry its sync")
    session(shop, 6, "Bake bread.", project="bakery")
    told = lines(shop)
    assert re.fullmatch(
        r"- last session 2026-03-05 \(partial\): Make the till retry its sync\."
        r" Blockers: no staging till\. Next: run it on staging\. Done: the keys\. \([0-9a-f]{6}\)",
        told[2],
    )
    assert "We decided to use Postgres" in "\n".join(told)
    assert "jam" not in "\n".join(told)
    assert "bread" not in "\n".join(told)
    assert "Bake bread." in lines(shop, folder="/home/kim/bakery")[2]
    assert "last session" not in "\n".join(lines(shop, folder="/home/kim/till"))
    assert given(shop, "prompt", prompt="why does the till retry its sync?") == ""


def test_a_session_that_ended_or_is_private_is_not_given(shop: Shop) -> None:
    session(shop, 4, "Sell jam.")
    path = session(shop, 5, "Make the till retry its sync.")
    text = path.read_text("utf-8")
    for before, after in (
        ("status: active", "status: retired"), ("- the keys", "- told my daughter of the doctor"),
        ("- the keys", "- the key ghp_" + "a1B2c3D4e5F6" * 3), ("project: shop\n", ""),
    ):  # fmt: skip
        path.write_text(text.replace(before, after), "utf-8")
        assert "Sell jam." in lines(shop)[2]  # the file as it is now
        assert shop.run("list").code == 0
        assert "Sell jam." in lines(shop)[2]


def test_a_session_takes_a_third_of_the_budget_at_most() -> None:
    long = "\n".join(f"- step {number} " + "word " * 40 for number in range(30))
    memory = Memory(
        id="moment-1", category="moment", schema="session", text="Make it so.",
        extra=(("outcome", "partial"),), sections=(("Next actions", long), ("Blockers", "- x")),
    )  # fmt: skip
    others = [Memory(id=f"f{n}", category="fact", text=f"Fact {n}.") for n in range(40)]

    def told(most: int) -> ShownItem | None:
        text = last_session(memory, "2026-03-05", most)
        return ShownItem(memory.id, text) if text else None

    for budget in (200, 400, 1200):
        block = session_block(others, budget, last=told)
        assert block.used_tokens <= budget
        assert block.shown[0] == memory.id
        first = block.text.splitlines()[2]
        assert first.startswith("- last session 2026-03-05 (partial): Make it so. Blockers: x.")
        assert 3 * len(first) <= budget * CHARACTERS_A_TOKEN
        assert len(block.shown) > 1
    assert session_block([], 400, last=told).shown == (memory.id,)
    assert session_block([], 10, last=told).text == ""


@given_any(st.text(max_size=200), st.lists(st.text(max_size=80), max_size=4), st.integers(20, 400))
def test_no_session_leaves_its_line_or_its_room(goal: str, items: list[str], most: int) -> None:
    memory = Memory(
        id="m", category="moment", schema="session", text=goal,
        sections=(("Next actions", "\n".join(f"- {item}" for item in items)),),
    )  # fmt: skip
    text = last_session(memory, "2026-03-05", most)
    assert len(text) <= most
    assert len(text.splitlines()) <= 1
    assert "<" not in text


def test_a_title_of_other_words_stands_before_a_thin_goal() -> None:
    memory = Memory(
        id="moment-1", category="moment", schema="session", text="then commit, and push",
        title="Report in JSON by default",
    )  # fmt: skip
    told = last_session(memory, "2026-03-05", 400)
    assert ": Report in JSON by default: then commit, and push. (" in told
    alike = replace(memory, text="let the till report in JSON by default from now on")
    assert last_session(alike, "2026-03-05", 400).startswith(
        "- last session 2026-03-05: let the till"
    )
