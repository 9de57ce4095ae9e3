"""The weekly habit and the editor, as a person uses them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.cli.shop import Shop
from tests.cli.test_on_a_terminal import on_terminal

DECISION = "decision-20260304-090000-839ac264"
PREFERENCE = "preference-20260306-100000-e3472bef"
OTHER = f"""\
---
id: sqlite
category: decision
status: needs-review
created: 2026-03-05T00:00:00Z
conflicts:
  - "[[{DECISION}]]"
---
The shop uses SQLite.
"""


@pytest.fixture
def disputed(shop: Shop) -> Shop:
    """A shop in which a note stands against the decision."""
    shop.write("vault/facts/2026-03-05/sqlite.md", OTHER)
    return shop


REPLACED = """\
---
id: sqlite
category: decision
status: superseded
status_since: 2026-03-06T09:00:00Z
status_reason: judged_by_model
created: 2026-03-01T00:00:00Z
authority: user_asserted
superseded_by:
  - "[[postgres]]"
---
The shop uses SQLite.
"""
SUCCESSOR = """\
---
id: postgres
category: decision
created: 2026-02-28T00:00:00Z
confidence: 0.8
supersedes:
  - "[[sqlite]]"
---
Orders are kept by Postgres.
"""


@pytest.mark.parametrize(
    ("key", "sqlite", "left"),
    [(b"k", "superseded", 0), (b"b", "active", 0), (b"s", "superseded", 1)],
)
def test_what_a_model_replaced_of_the_person_s_words_is_shown_and_can_hold_again(
    shop: Shop, key: bytes, sqlite: str, left: int
) -> None:
    shop.write("vault/facts/2026-03-01/sqlite.md", REPLACED)
    shop.write("vault/facts/2026-02-28/postgres.md", SUCCESSOR)
    said = shop.run("review", "--limit", "1", stdin=key)
    assert "The shop uses SQLite" in said.out and "Orders are kept by Postgres" in said.out
    assert f"status: {sqlite}" in shop.run("show", "sqlite").out or sqlite == "active"
    again = [row["reason"] for row in json.loads(shop.run("review", "--json").out)]
    assert again.count("replaced") == left


def statuses(shop: Shop) -> dict[str, str]:
    rows = json.loads(shop.run("list", "--json", "--limit", "50").out)
    return {row["id"]: row["status"] for row in rows}


def editor(shop: Shop, code: str) -> None:
    """An editor with a space in its name that runs this on its file, `path`."""
    script = shop.write(
        "my editor.py", f"import pathlib, sys\npath = pathlib.Path(sys.argv[1])\n{code}"
    )
    shop.environment["VISUAL"] = f"'{sys.executable}' '{script}'"


@pytest.mark.parametrize(
    ("key", "live"),
    [
        (b"r", {"sqlite": "active", PREFERENCE: "active"}),
        (b"o", {DECISION: "active", PREFERENCE: "active"}),
        (b"b", {"sqlite": "active", DECISION: "active", PREFERENCE: "active"}),
        (b"f", {DECISION: "active", PREFERENCE: "active"}),
        (b"s", {"sqlite": "needs-review", DECISION: "active", PREFERENCE: "active"}),
        (b"q", {"sqlite": "needs-review", DECISION: "active", PREFERENCE: "active"}),
        (b"", {"sqlite": "needs-review", DECISION: "active", PREFERENCE: "active"}),
    ],
)
def test_one_key_settles_a_contradiction(disputed: Shop, key: bytes, live: dict[str, str]) -> None:
    before = statuses(disputed)
    ran = disputed.run("review", "--limit", "1", stdin=key)
    assert ran.code == 0
    assert statuses(disputed) == live
    if key in (b"r", b"o", b"b", b"f"):
        assert disputed.run("undo").code == 0
    assert statuses(disputed) == before


def test_what_an_answer_settled_is_not_asked_again(disputed: Shop) -> None:
    first = disputed.run("review", stdin=b"b\ns\n")
    assert "resolved 1, skipped 1; 1 question left" in first.out
    assert "contradiction" not in disputed.run("review", stdin=b"").out


def test_an_edited_memory_is_asked_about_again(disputed: Shop) -> None:
    editor(disputed, "path.write_text(path.read_text().replace('SQLite', 'MariaDB'))")
    ran = disputed.run("review", "--limit", "1", stdin=b"e\nr\n")
    assert ran.out.count("stand against") == 2 and "The shop uses MariaDB" in ran.out
    assert "edited 1, resolved 1" in ran.out


def test_an_editor_that_fails_loses_nothing_and_asks_again(disputed: Shop) -> None:
    editor(disputed, "sys.exit(3)")
    ran = disputed.run("review", "--limit", "1", stdin=b"e\ns\n")
    assert "failed (exit code 3)" in ran.err and "skipped 1" in ran.out


def test_printing_the_queue_changes_nothing(disputed: Shop) -> None:
    rows = json.loads(disputed.run("review", "--json", stdin=b"f\n").out)
    assert [row["reason"] for row in rows] == ["contradiction", "new"]
    assert [one["id"] for one in rows[0]["memories"]] == ["sqlite", DECISION]
    assert statuses(disputed)["sqlite"] == "needs-review"


def test_on_a_terminal_one_key_is_enough_and_an_arrow_is_none(disputed: Shop) -> None:
    shown = on_terminal(
        disputed, "review", "--limit", "1", stream="stderr", typed="\x1b[Bs"
    )  # fmt: skip
    assert "press one of" in shown
    assert statuses(disputed)["sqlite"] == "needs-review"
    on_terminal(disputed, "review", "--limit", "1", stream="stderr", typed="b")
    assert statuses(disputed)["sqlite"] == "active"


# -- edit ---------------------------------------------------------------------------------------


def test_what_the_editor_saves_is_one_change(shop: Shop) -> None:
    editor(shop, "path.write_text(path.read_text().replace('Postgres', 'MariaDB'))")
    ran = shop.run("edit", "decision")
    assert "MariaDB" in ran.out and ran.code == 0
    assert "MariaDB" in shop.run("show", "decision").out
    shop.run("undo")
    assert "MariaDB" not in shop.run("show", "decision").out


def test_sections_that_were_edited_are_named(shop: Shop) -> None:
    editor(
        shop,
        "said = path.read_text().replace('- two writers', '- three writers')\n"
        "path.write_text(said + '\\n## Impact\\nmore memory')",
    )
    out = shop.run("edit", "decision").out
    assert "## Impact: added" in out and "(" not in out


def test_an_emptied_file_is_no_edit(shop: Shop) -> None:
    editor(shop, "path.write_text('')")
    ran = shop.run("edit", "decision")
    assert (ran.code, ran.out) == (1, "") and "nothing was changed" in ran.err
    assert "Postgres" in shop.run("show", "decision").out


def test_what_the_person_wrote_stays_when_somebody_was_faster(shop: Shop) -> None:
    path = next((shop.vault / "facts").rglob("decision-*.md"))
    editor(
        shop,
        f"other = pathlib.Path({str(path)!r})\nother.write_text(other.read_text() + 'more')\n"
        "path.write_text('my words')",
    )
    ran = shop.run("edit", "decision")
    assert ran.code == 3
    copy = Path(ran.err.rpartition("your version is in ")[2].strip())
    assert copy.read_text("utf-8") == "my words"
    assert path.read_text("utf-8").endswith("more")


@pytest.mark.parametrize("chosen", ["", '"open', "nothing-of-that-name"])
def test_without_a_working_editor_it_says_so(shop: Shop, chosen: str) -> None:
    shop.environment["EDITOR"] = chosen
    ran = shop.run("edit", "decision")
    assert ran.code == 1 and "VISUAL or EDITOR" in ran.err


LEFT_SESSION = """\
---
id: session-till
category: moment
schema: session
status: retired
status_since: 2026-03-06T09:00:00Z
status_reason: session_window
created: 2026-02-01T00:00:00Z
project: shop
---
Make the till retry.

## Blockers
- the bank has not sent the staging certificate
"""


@pytest.mark.parametrize(("key", "left"), [(b"k", 0), (b"s", 1), (b"q", 1)])
def test_what_a_session_left_to_be_done_is_kept_with_one_key(
    shop: Shop, key: bytes, left: int
) -> None:
    shop.write("vault/facts/2026-02-01/session-till.md", LEFT_SESSION)
    said = shop.run("review", "--limit", "1", stdin=key)
    assert "- the bank has not sent the staging certificate" in said.out
    rows = json.loads(shop.run("review", "--json").out)
    assert [row["item"] for row in rows if row["reason"] == "unheld"] == [
        "the bank has not sent the staging certificate"
    ][:left]
    kept = json.loads(shop.run("list", "--category", "commitment", "--json").out)
    assert len(kept) == 1 - left


ASKED = """\
---
id: tabs
category: preference
status: active
created: 2026-03-05T00:00:00Z
confidence: 0.9
authority: user_asserted
space: session
promotion_target: user
promotion_reason: hint:remember_for_me
---
Kim prefers tabs.
"""


@pytest.mark.parametrize(
    ("key", "agent", "space", "left"),
    [(b"p", "", "user", 0), (b"k", "", "session", 0), (b"s", "", "session", 1),
     (b"p", "1", "session", 1)],
)  # fmt: skip
def test_a_wish_for_a_space_waits_for_one_key_of_the_person(
    shop: Shop, key: bytes, agent: str, space: str, left: int
) -> None:
    shop.write("vault/facts/2026-03-05/tabs.md", ASKED)
    if agent:
        shop.environment["CLAUDECODE"] = agent
    ran = shop.run("review", "--limit", "1", stdin=key)
    assert "You asked for it to hold in user space" in ran.out
    assert f"space: {space}" in (shop.vault / "facts/2026-03-05/tabs.md").read_text("utf-8")
    asked = [row["reason"] for row in json.loads(shop.run("review", "--json").out)]
    assert asked.count("promotion") == left
