"""`engram import`: what is read when little is said, and what is never read."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.shop import Shop
from tests.kit import tree_digest

FIXTURE = Path(__file__).parents[1] / "fixtures" / "claude_code" / "plain.jsonl"


def with_an_agent(shop: Shop) -> None:
    shop.write(".claude/projects/shop/session.jsonl", FIXTURE.read_bytes())


def test_auto_reads_what_is_on_this_machine(shop: Shop) -> None:
    with_an_agent(shop)
    [row] = json.loads(shop.run("import", "auto", "--yes", "--json").out)
    assert row["source"] == "claude-code" and row["new_turns"] > 0
    assert shop.run("import", "auto").out == "claude-code: nothing new in 1 file\n"


def test_auto_without_a_terminal_only_says_what_it_would_do(shop: Shop) -> None:
    with_an_agent(shop)
    before = tree_digest(shop.vault)
    ran = shop.run("import", "auto")
    assert ran.code == 0 and ran.out.startswith("claude-code: would take in 5 new turns of 5")
    assert "--yes" in ran.err
    [row] = json.loads(shop.run("import", "auto", "--json").out)
    assert row["new_turns"] == 5 and row["batch"] == "" and row["estimate"]["calls"] == 1
    assert tree_digest(shop.vault) == before


def test_a_model_is_refused_where_none_is_configured(shop: Shop) -> None:
    with_an_agent(shop)
    ran = shop.run("import", "claude-code", "--model", "--yes")
    assert ran.code == 1 and "no model is configured" in ran.err


def test_history_is_read_by_a_model_only_when_the_price_was_confirmed(shop: Shop) -> None:
    with_an_agent(shop)
    shop.environment["ENGRAM_LLM_MODEL"] = "gpt-5.4-nano"
    ran = shop.run("import", "claude-code", "--model", "--yes")
    assert ran.code == 1 and "there is no key" in ran.err and not ran.out
    shop.environment["ENGRAM_LLM_KEY_VARIABLE"] = "A_KEY"
    shop.environment["A_KEY"] = "none"
    ran = shop.run("import", "claude-code", "--model")
    assert ran.code == 0 and "the model costs about $0.00" in ran.out and "--yes" in ran.err
    # and by the rules without being asked, although a model is configured: nothing is sent
    assert shop.run("import", "claude-code").out.startswith("took in 5 new turns")
    assert not (shop.vault / "state" / "llm-ledger.jsonl").exists()


def test_a_source_without_a_path_is_read_where_it_lies(shop: Shop) -> None:
    with_an_agent(shop)
    row = json.loads(shop.run("import", "claude-code", "--json").out)
    assert row["files"] == 1 and row["new_turns"] > 0 and row["batch"] == "import-2"
    assert shop.run("undo", "import-2").code == 0


def test_auto_takes_each_file_for_what_it_looks_like(shop: Shop) -> None:
    shop.write("mixed/session.jsonl", FIXTURE.read_bytes())
    shop.write("mixed/turns.jsonl", '{"role": "user", "content": "The oven has two doors."}\n')
    shop.write("mixed/notes.txt", "The oven is hot.\n")
    shop.write("mixed/photo.jpg", b"\xff\xd8\xff")
    rows = json.loads(shop.run("import", "auto", "mixed", "--yes", "--json").out)
    assert [(row["source"], row["files"]) for row in rows] == [
        ("claude-code", 1), ("jsonl", 1), ("text", 1),
    ]  # fmt: skip


def test_the_vault_does_not_eat_what_it_wrote_itself(shop: Shop) -> None:
    before = json.loads(shop.run("status", "--json").out)["turns"]
    assert json.loads(shop.run("import", "jsonl", ".", "--json").out)["files"] == 1
    ran = shop.run("import", "markdown", "vault/transcripts")
    assert ran.code == 1 and "there is no file that markdown could be in" in ran.err
    assert json.loads(shop.run("status", "--json").out)["turns"] == before


def test_a_file_of_a_folder_that_cannot_be_read_is_skipped_and_named(shop: Shop) -> None:
    shop.write("two/good.jsonl", '{"role": "user", "content": "The oven has two doors."}\n')
    (shop.folder / "two" / "gone").mkdir()
    (shop.folder / "two" / "bad.jsonl").symlink_to("nowhere")
    ran = shop.run("import", "jsonl", "two")
    assert ran.code == 0 and ran.out.startswith("took in 1 new turn of 1 from 1 file\n")


def test_a_dry_run_writes_nothing(shop: Shop) -> None:
    shop.write("more.jsonl", '{"role": "user", "content": "I prefer rye over wheat."}\n')
    before = tree_digest(shop.vault)
    foretold = shop.run("import", "jsonl", "more.jsonl", "--dry-run", "--json")
    assert json.loads(foretold.out)["new_turns"] == 1
    assert tree_digest(shop.vault) == before
    assert shop.run("import", "jsonl", "more.jsonl", "--no-extract").code == 0
    before = tree_digest(shop.vault)
    assert "rye over wheat" in shop.run("extract", "--dry-run").out
    for arguments in (["purge", "decision"], ["undo"], ["undo", "import-1"], ["rebuild"]):
        assert shop.run(*arguments, "--dry-run").code == 0
    assert tree_digest(shop.vault) == before
