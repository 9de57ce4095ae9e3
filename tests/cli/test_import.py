"""`engram import`: what is read when little is said, and what is never read."""

from __future__ import annotations

import json
import shlex
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


def test_several_sources_are_one_import_that_ends_with_what_was_learnt(shop: Shop) -> None:
    shop.write("mixed/session.jsonl", FIXTURE.read_bytes())
    shop.write(
        "mixed/turns.jsonl",
        '{"role": "user", "content": "I prefer rye over wheat.", "session": "r",'
        ' "timestamp": "2026-03-05T09:00:00Z"}\n',
    )
    before = tree_digest(shop.vault / "facts")
    ran = shop.run("import", "auto", "mixed", "--yes")
    taken, learnt, *rest = ran.out.splitlines()[1:]
    assert taken == "jsonl: took in 1 new turn of 1 from 1 file"
    assert learnt.startswith("learnt ")
    # the person's own before where a session stopped
    categories = [line.split()[2] for line in rest if line.startswith("  #")]
    assert categories == sorted(categories, key=lambda one: one == "moment")
    assert "preference" in categories
    hints = ran.err.splitlines()
    assert hints[0] == "next: engram list"
    assert hints[-2:] == [
        "      engram review import-2", "take it back with: engram undo import-2",
    ]  # fmt: skip
    assert shop.run("undo", "import-2").code == 0
    assert tree_digest(shop.vault / "facts") == before
    again = json.loads(shop.run("import", "auto", "mixed", "--yes", "--json").out)
    assert {row["batch"] for row in again} == {"import-3"}


def test_the_question_that_an_import_offers_has_an_answer(shop: Shop) -> None:
    shop.write(
        "more.jsonl",
        '{"role": "user", "content": "We decided to bake the rye bread at night.",'
        ' "session": "r", "timestamp": "2026-03-05T09:00:00Z"}\n',
    )
    ran = shop.run("import", "jsonl", "more.jsonl")
    (offered,) = (line for line in ran.err.splitlines() if " recall " in line)
    _, verb, question = shlex.split(offered)
    assert "bake the rye bread at night" in shop.run(verb, question).out


def test_a_file_of_another_source_is_named_and_nothing_is_written(shop: Shop) -> None:
    with_an_agent(shop)
    before, file = tree_digest(shop.vault), ".claude/projects/shop/session.jsonl"
    ran = shop.run("import", "codex", file)
    assert ran.code == 1 and f"error: {file} is of claude-code, not of codex" in ran.err
    assert f"hint: engram import claude-code {file}\n" in ran.err
    ran = shop.run("import", "claude")
    assert ran.code == 1 and "did you mean claude-code or claude-ai or " in ran.err
    ran = shop.run("import", file)
    assert ran.code == 1 and f"hint: engram import auto {file}\n" in ran.err
    assert tree_digest(shop.vault) == before


def test_messages_in_the_wrong_order_are_told_by_time_and_come_once(shop: Shop) -> None:
    said = [
        {"role": "user", "content": f"Number {hour}.", "session": "late", "id": f"n{hour}",
         "timestamp": f"2026-03-05T{hour:02d}:00:00Z"}
        for hour in (14, 9, 11)
    ]  # fmt: skip
    shop.write("late.jsonl", "".join(json.dumps(one) + "\n" for one in said))
    assert shop.run("import", "jsonl", "late.jsonl").code == 0
    (transcript,) = (shop.vault / "transcripts" / "2026-03-05").glob("*.md")
    text = transcript.read_text(encoding="utf-8")
    assert text.index("Number 9.") < text.index("Number 11.") < text.index("Number 14.")
    assert shop.run("import", "jsonl", "late.jsonl").out == "nothing new in 1 file\n"
