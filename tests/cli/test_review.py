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


# -- what an import brought -----------------------------------------------------------------------

OLD = """\
{"role": "user", "content": "I prefer tabs in Makefiles.", \
"timestamp": "2024-05-04T09:00:00Z", "session": "old-1", "project": "shop"}
{"role": "user", "content": "I promised Katja to send the photos by 2024-06-01.", \
"timestamp": "2024-05-05T09:00:00Z", "session": "old-2"}
"""
NEWER = """\
{"role": "user", "content": "Our bakery has two ovens in Lisbon.", \
"timestamp": "2024-05-06T09:00:00Z", "session": "old-3", "project": "bakery"}
"""


@pytest.fixture
def history(shop: Shop) -> Shop:
    """A shop into which two files of old conversations were imported."""
    for name, lines in (("old.jsonl", OLD), ("newer.jsonl", NEWER)):
        shop.write(name, lines)
        assert shop.run("import", "jsonl", name).code == 0
    return shop


def imports(shop: Shop) -> list[str]:
    """The names of the imports, oldest first."""
    rows = json.loads(shop.run("log", "--json").out)
    return list(dict.fromkeys(row["batch"] for row in reversed(rows) if row["batch"]))


def questions(shop: Shop, *arguments: str) -> list[str]:
    found = json.loads(shop.run("review", "--json", *arguments).out)
    return [row["memories"][0]["text"] for row in found]


def test_what_is_new_to_the_vault_is_asked_about_however_old_it_is(history: Shop) -> None:
    assert len(questions(history)) == 5
    # a promise that is overdue is asked about, whenever it was written
    assert len(questions(history, "--since", "2026-03-07")) == 1


def test_only_what_an_import_brought_is_asked_about_until_it_is_confirmed(history: Shop) -> None:
    _, old, newer = imports(history)
    assert len(questions(history, old)) == 2 and len(questions(history, newer)) == 1
    assert len(questions(history, old, newer)) == 3
    said = history.run("review", old, stdin=b"s\nk\n")
    assert "I prefer tabs in Makefiles." in said.out and "said by you 2024-05-04 09:00" in said.out
    assert len(questions(history, old)) == 1
    assert history.run("undo", newer).code == 0
    assert questions(history, newer) == []


def test_a_change_is_named_by_its_number_and_an_unknown_one_is_refused(history: Shop) -> None:
    rows = json.loads(history.run("log", "--json").out)
    number = next(row["number"] for row in rows if row["kind"] == "extract")
    assert len(questions(history, str(number))) == 1
    ran = history.run("review", "import-999")
    assert ran.code == 1 and "there is no change 'import-999'" in ran.err


def test_what_was_done_is_closed_by_a_key_and_only_a_promise_has_that_key(history: Shop) -> None:
    _, old, _ = imports(history)
    keys = {
        row["memories"][0]["category"]: row["keys"]
        for row in json.loads(history.run("review", old, "--json").out)
    }
    assert "d" in keys["commitment"] and "d" not in keys["preference"]
    ran = history.run("review", old, stdin=b"d\n")
    assert "done 1" in ran.out and "is done" in ran.out
    shown = history.run("show", "commitment").out
    assert "fulfilled: 2026-03-06" in shown and "commitment_state: done" in shown
    history.run("consolidate")
    assert "commitment" not in [
        row["memories"][0]["category"] for row in json.loads(history.run("review", "--json").out)
        if row["reason"] == "review"
    ]  # fmt: skip


def test_what_is_never_to_be_learnt_again_is_refused_until_it_is_restored(history: Shop) -> None:
    _, _, newer = imports(history)
    assert "forgot for good 1" in history.run("review", newer, stdin=b"n").out
    history.write("again.jsonl", NEWER.replace("old-3", "new-4").replace("2024-05", "2026-02"))
    assert "1 unwanted" in history.run("import", "jsonl", "again.jsonl").out
    retired = json.loads(history.run("list", "--status", "retired", "--json").out)
    assert history.run("restore", retired[0]["id"]).code == 0
    assert "never_again" not in history.run("show", retired[0]["id"]).out


def test_forget_never_also_marks_what_was_forgotten_before(history: Shop) -> None:
    name = json.loads(history.run("list", "--project", "bakery", "--json").out)[0]["id"]
    history.run("forget", name)
    assert history.run("forget", "--never", name).code == 0
    assert "never_again: 2026-03-06" in history.run("show", name).out
    assert "forgotten already" in history.run("forget", "--never", name).out


def test_the_last_answer_is_taken_back_by_one_key_and_asked_again(history: Shop) -> None:
    _, old, _ = imports(history)
    before = statuses(history)
    ran = history.run("review", old, stdin=b"d\nu\ns\nu\nq\n")
    assert ran.out.count("1/2") == 3 and ran.out.count("2/2") == 2
    assert ran.out.count("took back: ") == 1 and "done 1" not in ran.out
    assert statuses(history) == before
    assert "nothing was answered yet" in history.run("review", old, stdin=b"u\n").out


def test_without_a_terminal_and_without_an_answer_it_says_so(history: Shop) -> None:
    ran = history.run("review", stdin=b"")
    assert ran.code == 0 and "there is no terminal" in ran.err


def test_the_whole_statement_is_shown_on_a_narrow_terminal(shop: Shop) -> None:
    long = "The till prints " + ", ".join(f"column{number}" for number in range(30)) + " and totals"
    shop.run("remember", f"{long}.")
    number = json.loads(shop.run("log", "--json").out)[0]["number"]
    shown = on_terminal(shop, "review", str(number), stream="stdout", width=40)
    assert " ".join(shown.split()).count(long) == 1


# -- edit ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("usual", ["sensible-editor", "nano"])
def test_without_a_setting_the_first_usual_editor_is_used_on_a_terminal(
    shop: Shop, usual: str
) -> None:
    folder = shop.folder / "bin"
    folder.mkdir()
    (folder / usual).write_text('#!/bin/sh\n/bin/sed -i s/Postgres/MariaDB/ "$1"\n')
    (folder / usual).chmod(0o755)
    on_terminal(shop, "edit", "decision", typed=" ", stream="stderr", PATH=str(folder))
    assert "MariaDB" in shop.run("show", "decision").out


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
