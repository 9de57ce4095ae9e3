"""What a connected agent is given: by transactions, hand edits, purges, projects, trust."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from engram.model.text import tokens_of
from engram.recall.unasked_blocks import MOST_LINES
from engram.store.base import layout
from tests.cli.shop import Shop
from tests.hooks.conversation import given, hook, said_by
from tests.kit import tree_digest, where


def fact(shop: Shop, beginning: str) -> Path:
    return next(shop.vault.glob(f"facts/*/{beginning}*.md"))


# -- at the start of a session ---------------------------------------------------------------------


def test_a_session_is_given_what_holds_for_its_project(shop: Shop) -> None:
    text = given(shop, "session-start")
    assert "We decided to use Postgres" in text
    assert "The user prefers small commits" in text
    assert text == given(shop, "session-start", source="compact")


def test_another_project_is_given_nothing_of_this_one(shop: Shop) -> None:
    text = given(shop, "session-start", folder="/home/kim/till")
    assert "The user prefers small commits" in text  # that is how this person works
    assert "Postgres" not in text
    assert given(shop, "prompt", folder="/home/kim/till", prompt="why postgres?") == ""


def test_the_budget_of_the_settings_holds(shop: Shop) -> None:
    for number in range(40):
        shop.run("remember", f"The shelf {number} holds {number} jars of jam.", "--project", "shop")
    for budget in ("120", "400"):
        seen = {"ENGRAM_RECALL_BUDGET_TOKENS": budget}
        out, _ = hook(shop, "session-start", said_by("SessionStart"), more=seen)
        text = json.loads(out)["hookSpecificOutput"]["additionalContext"]
        assert 0 < tokens_of(text, typical=True) <= int(budget)
        assert "More was left out" in text
        assert len(text.splitlines()) <= MOST_LINES


def test_a_repository_names_the_project_too(shop: Shop, tmp_path: Path) -> None:
    inner = tmp_path / "shop" / "src" / "orders"
    inner.mkdir(parents=True)
    assert "Postgres" not in given(shop, "session-start", folder=inner)
    (tmp_path / "shop" / ".git").mkdir()
    assert "Postgres" in given(shop, "session-start", folder=inner)


# -- beside a prompt -------------------------------------------------------------------------------


def test_a_prompt_is_given_what_it_is_about_or_nothing(shop: Shop) -> None:
    assert "We decided to use Postgres" in given(shop, "prompt", prompt="why postgres?")
    assert given(shop, "prompt", prompt="fix the bug") == ""
    assert given(shop, "prompt", prompt="/postgres") == ""
    assert given(shop, "prompt", prompt="") == given(shop, "prompt") == ""


def test_gemini_calls_a_prompt_by_another_name(shop: Shop) -> None:
    out, _ = hook(shop, "prompt", said_by("BeforeAgent", prompt="why postgres?"))
    assert json.loads(out)["hookSpecificOutput"]["hookEventName"] == "BeforeAgent"
    out, _ = hook(shop, "prompt", said_by("Stop", prompt="why postgres?"))
    assert json.loads(out)["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"


def test_what_is_printed_is_one_line_of_ascii(shop: Shop) -> None:
    shop.run("remember", "The café is called Øresund \U0001f600.", "--project", "shop")
    out, _ = hook(shop, "session-start", said_by("SessionStart"))
    assert out.isascii() and out.count("\n") == 1
    assert "Øresund \U0001f600" in json.loads(out)["hookSpecificOutput"]["additionalContext"]


# -- in dispute ------------------------------------------------------------------------------------

LIMITS = [
    ("2026-03-07T09:00:00Z", "The upload limit is 20 MB."),
    ("2026-03-09T09:00:00Z", "The upload limit is 50 MB."),
]


def disputed(shop: Shop) -> None:
    said = (
        json.dumps({
            "role": "user", "content": text, "timestamp": at, "session": at, "project": "shop",
        })
        for at, text in LIMITS
    )  # fmt: skip
    shop.write("limits.jsonl", "\n".join(said))
    assert shop.run("import", "jsonl", "limits.jsonl").code == 0


def test_of_a_dispute_all_sides_are_given_in_one_dated_line(shop: Shop) -> None:
    disputed(shop)
    for text in (
        given(shop, "session-start"),
        given(shop, "prompt", prompt="what is the upload limit?"),
        shop.run("recall", "upload limit", "--everywhere").out,
        shop.run("recall", "upload limit", "--project", "shop").out,
    ):
        (line,) = [line for line in text.splitlines() if "upload limit is" in line]
        assert "disputed" in line
        assert all(at[:10] in line and said in line for at, said in LIMITS)
    found = json.loads(shop.run("search", "20 MB", "--json").out)
    sides = [one["status"] for one in found if one["snippet"] in {said for _, said in LIMITS}][:2]
    assert sides == ["needs-review", "needs-review"]


def test_one_side_of_a_dispute_is_not_given_alone(shop: Shop) -> None:
    disputed(shop)
    older = next(
        path for path in shop.vault.glob("facts/*/fact*.md") if "20 MB" in path.read_text()
    )
    text = older.read_text(encoding="utf-8")
    older.write_text(text.replace("project: shop", "project: till"), encoding="utf-8")
    assert "upload limit" not in given(shop, "session-start")
    assert "upload limit" not in given(shop, "prompt", prompt="what is the upload limit?")
    older.write_text(text, encoding="utf-8")
    (newer,) = [path.stem for path in shop.vault.glob("facts/*/fact*.md") if path != older]
    shop.run("resolve", newer)
    assert "- fact 2026-03-09: The upload limit is 50 MB." in given(shop, "session-start")


# -- as the files say ------------------------------------------------------------------------------


def test_every_change_shows_at_once(shop: Shop) -> None:
    prompt = {"prompt": "why postgres?"}
    shop.run("forget", "decision")
    assert given(shop, "prompt", **prompt) == ""
    assert "Postgres" not in given(shop, "session-start")
    shop.run("restore", "decision")
    assert "Postgres" in given(shop, "prompt", **prompt)
    shop.run("undo")
    assert given(shop, "prompt", **prompt) == ""
    shop.run("undo")
    assert "Postgres" in given(shop, "prompt", **prompt)
    shop.run("undo", "import-1")
    assert given(shop, "session-start") == ""


def test_a_hand_edit_counts_before_any_command_took_it_up(shop: Shop) -> None:
    path = fact(shop, "decision")
    before = path.read_text(encoding="utf-8")
    path.write_text(before.replace("We decided to use", "We chose"), encoding="utf-8")
    assert "We chose Postgres" in given(shop, "prompt", prompt="why postgres?")
    assert "We chose Postgres" in given(shop, "session-start")
    path.write_text(before.replace("status: active", "status: retired"), encoding="utf-8")
    assert "Postgres" not in given(shop, "session-start")
    path.write_text(before.replace("project: shop", "project: till"), encoding="utf-8")
    assert "Postgres" not in given(shop, "session-start")
    path.unlink()
    assert "Postgres" not in given(shop, "session-start")
    path.symlink_to(shop.write("elsewhere.md", before))
    assert "Postgres" not in given(shop, "session-start")


def test_a_secret_typed_into_a_file_is_given_to_nobody(shop: Shop) -> None:
    path = fact(shop, "decision")
    before = path.read_text(encoding="utf-8")
    secret = "Zwiebel-77-kuchen!x"

    def answers() -> str:
        asked = {"prompt": "why postgres, and what is the password?"}
        return given(shop, "session-start") + given(shop, "prompt", **asked)

    path.write_text(before.replace("need it.", f"need it; the password is {secret}", 1), "utf-8")
    assert secret not in answers()  # before any command took it up
    for command in (["status"], ["consolidate"], ["rebuild"]):
        assert shop.run(*command).code == 0
        assert secret not in answers()
        asked = shop.run("recall", "postgres password", "--limit", "20")
        found = shop.run("search", "postgres password zwiebel", "--json")
        assert secret not in asked.out + found.out
        assert "[REDACTED:password:" in found.out
    path.write_text(before, encoding="utf-8")
    assert shop.run("status").code == 0
    assert "Postgres" in answers()


def test_what_the_person_allows_is_no_secret(shop: Shop) -> None:
    path = fact(shop, "decision")
    text = path.read_text(encoding="utf-8")
    said = "need it; the password is Zwiebel-77-kuchen!x"
    path.write_text(text.replace("need it.", said, 1), encoding="utf-8")
    assert shop.run("status").code == 0
    assert "Postgres" not in given(shop, "session-start")
    assert shop.run("config", "set", "capture.redact_allow", "Zwiebel-77-*").code == 0
    assert given_or_nothing(shop) == ""  # the catalog was judged by other rules
    assert shop.run("status").code == 0
    assert said in given(shop, "session-start")


def test_a_hand_edit_that_was_taken_up_is_found_by_its_new_words(shop: Shop) -> None:
    path = fact(shop, "preference")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("small commits", "zeppelin commits"), encoding="utf-8")
    shop.write(
        "vault/facts/2026-03-06/fact-by-hand.md",
        "---\nid: fact-by-hand\ncategory: fact\nstatus: active\ncreated: 2026-03-06T10:00:00Z\n"
        "project: shop\n---\nThe bakery opens at six.\n",
    )
    assert shop.run("list").code == 0  # reads settle what it finds
    assert "zeppelin" in given(shop, "prompt", prompt="zeppelin")
    assert "bakery" in given(shop, "prompt", prompt="when does the bakery open")
    path.rename(path.with_name("moved.md"))
    assert shop.run("status").code == 0
    assert "zeppelin" in given(shop, "prompt", prompt="zeppelin")


def test_purged_words_are_nowhere(shop: Shop) -> None:
    shop.run("remember", "The vault door opens with zanzibarino.", "--project", "shop")
    assert "zanzibarino" in given(shop, "prompt", prompt="zanzibarino?")
    name = json.loads(shop.run("list", "--json").out)[0]["id"]
    assert shop.run("purge", name, "--yes").code == 0
    assert given(shop, "prompt", prompt="zanzibarino?") == ""
    home = shop.folder / "home"
    # the terms of the index are stems
    assert where(home, "zanzibarino") == where(home, "zanzibar") == []


def test_a_rebuilt_catalog_gives_the_same(shop: Shop) -> None:
    first = given(shop, "session-start"), given(shop, "prompt", prompt="why postgres?")
    shutil.rmtree(shop.folder / "home" / "cache")
    assert given_or_nothing(shop) == ""
    shop.run("status")
    again = given(shop, "session-start"), given(shop, "prompt", prompt="why postgres?")
    assert again == first
    shop.run("rebuild")
    assert given(shop, "session-start") == first[0]


def given_or_nothing(shop: Shop) -> str:
    return hook(shop, "session-start", said_by("SessionStart"))[0]


def test_what_is_to_be_reviewed_is_not_given_unasked(shop: Shop) -> None:
    path = fact(shop, "decision")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("status: active", "status: needs-review"), encoding="utf-8")
    shop.run("status")
    assert "Postgres" not in given(shop, "session-start")
    assert given(shop, "prompt", prompt="why postgres?") == ""


# -- from which vault ------------------------------------------------------------------------------


def test_nothing_is_given_from_a_vault_that_is_not_registered(shop: Shop) -> None:
    cloned = shop.folder / "cloned"
    shutil.copytree(shop.vault, cloned)
    assert shop.run("--vault", "cloned", "search", "postgres").code == 0  # it has a catalog
    for options in (["--vault", str(cloned)], [f"--vault={cloned}"]):
        for event in ("session-start", "prompt"):
            data = said_by("SessionStart", prompt="why postgres?")
            assert hook(shop, event, data, *options) == ("", [])
    # nor where it is the nearest one: the person's own vault is read there
    assert shop.run("init", "own").code == shop.run("--vault", "own", "status").code == 0
    assert shop.run("config", "set", "vault", str(shop.folder / "own")).code == 0
    inside = said_by("SessionStart", folder=cloned / "facts" / "shop")
    assert hook(shop, "session-start", inside, more={"ENGRAM_VAULT": ""}) == ("", [])


def test_the_persons_own_vault_is_read_in_every_folder(shop: Shop) -> None:
    none = {"ENGRAM_VAULT": ""}
    elsewhere = shop.folder / "elsewhere"
    assert shop.run("init", str(elsewhere)).code == 0
    inside = said_by("SessionStart", folder=elsewhere / "shop")
    assert hook(shop, "session-start", inside, more=none)[0] == ""  # the default, which is none
    shop.run("config", "set", "vault", str(shop.vault))
    assert "Postgres" in hook(shop, "session-start", inside, more=none)[0]
    assert "Postgres" in hook(shop, "session-start", said_by("SessionStart"), more=none)[0]


def test_an_own_vault_that_is_gone_or_shared_gives_nothing(shop: Shop) -> None:
    told = "engram hook session-start: "
    gone = {"ENGRAM_VAULT": str(shop.folder / "gone")}
    inside = said_by("SessionStart", folder=shop.vault / "shop")
    assert hook(shop, "session-start", inside, more=gone) == ("", [f"{told}NotFound"])
    text = (shop.vault / "engram.toml").read_text("utf-8")
    (shop.vault / "engram.toml").write_text(f'shares = "project"\n{text}', "utf-8")
    assert hook(shop, "session-start", inside) == ("", [f"{told}BadInput"])


def test_a_relative_name_of_the_vault_is_seen_from_the_working_folder(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop.folder)
    more = {"ENGRAM_VAULT": "vault"}
    assert "Postgres" in hook(shop, "session-start", said_by("SessionStart"), more=more)[0]
    monkeypatch.chdir(shop.vault)
    told = ["engram hook session-start: NotFound"]
    assert hook(shop, "session-start", said_by("SessionStart"), more=more) == ("", told)


def test_nothing_is_written_but_the_access_log_and_what_a_reader_of_sqlite_needs(
    shop: Shop,
) -> None:
    shop.run("status")
    before = tree_digest(shop.vault), names(shop.folder / "home")
    for _ in range(2):
        given(shop, "session-start")
        given(shop, "prompt", prompt="why postgres?")
    log = shop.vault / layout.ACCESS
    assert len(log.read_bytes().splitlines()) == 4
    log.unlink()
    after = tree_digest(shop.vault), names(shop.folder / "home")
    assert after == before


def names(folder: Path) -> set[str]:
    return {
        os.path.relpath(path, folder)
        for path in folder.rglob("*")
        if not path.name.endswith(("-wal", "-shm"))
    }


# -- and never taken in again ----------------------------------------------------------------------


@pytest.mark.parametrize("event", ["session-start", "prompt"])
def test_what_was_given_is_never_captured(event: str, shop: Shop) -> None:
    context = given(shop, event, prompt="why postgres?")
    lines = [
        {
            "type": "user", "uuid": "1", "sessionId": "s9", "timestamp": "2026-03-06T11:00:00Z",
            "cwd": "/home/kim/shop", "message": {"role": "user", "content": context},
        },
        {
            "type": "user", "uuid": "2", "sessionId": "s9", "timestamp": "2026-03-06T11:00:01Z",
            "cwd": "/home/kim/shop",
            "message": {"role": "user", "content": f"Where are we?\n\n{context}\nTell me."},
        },
    ]  # fmt: skip
    shop.write("s9.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    assert shop.run("import", "claude-code", "s9.jsonl").code == 0
    transcript = next(shop.vault.glob("transcripts/*/claude-code-*.md")).read_text("utf-8")
    assert "Where are we?" in transcript and "Tell me." in transcript
    assert "engram-memory" not in transcript and "Postgres" not in transcript
    assert "from 1 conversation" not in transcript
    assert json.loads(shop.run("status", "--json").out)["turns"] == 4


def test_only_the_current_phase_is_given_where_the_policy_says_so(shop: Shop) -> None:
    (shop.vault / "phases.md").write_text(
        "- 2026-03-06T11:00:00Z project/shop: a new start\n- 2027-01-01T00:00:00Z project/shop\n",
        encoding="utf-8",
    )
    asked = {"folder": "/home/kim/shop", "prompt": "why postgres?"}
    assert "Postgres" in given(shop, "prompt", **asked)
    (shop.vault / "policy.toml").write_text('[phase]\nmode = "current_only"\n', encoding="utf-8")
    assert "Postgres" not in given(shop, "prompt", **asked)
    assert "Postgres" not in given(shop, "session-start")
    shop.run("list")  # from now on the policy is known without its files
    shop.run("remember", "Cakes are sold by weight.", "--project", "shop")
    assert "Postgres" not in given(shop, "session-start")
    assert "Cakes are sold" in given(shop, "session-start")
