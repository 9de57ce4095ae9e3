"""What holds for every command: help, and `--json` and `--vault` wherever they stand."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import click
import pytest

import engram.surfaces.cli
from engram.surfaces.cli.app import cli
from engram.surfaces.cli.verbs import FACES, GROUPS, HIDDEN, VERBS
from tests.cli.shop import Shop, make_shop
from tests.golden.console import run

#: for each verb, arguments with which it has something to say
RECORD = """{"title": "Logo", "tags": ["logo"], "content": {"topic": "logo", "value": "It is blue.",
"reason": "the sea", "strength": "default"}}"""
EXAMPLES: dict[str, list[str]] = {
    "init": ["another"], "trust": ["vault"], "import": ["jsonl", "chat.jsonl"], "sources": [],
    "capture": ["-"], "remember": ["The", "logo", "is", "blue."],
    "new": ["preference", "--from", "record.json"], "extract": [], "retry": [],
    "search": ["writers"], "grep": ["writers"], "recall": ["writers"], "today": [], "list": [],
    "show": ["decision"], "why": ["decision"], "tiers": [], "links": ["decision"], "entities": [],
    "boxes": [], "traces": [], "summaries": [],
    "consolidate": [], "gc": [], "conflicts": [], "forget": ["decision"],
    "restore": ["preference"], "purge": ["decision", "--yes"], "undo": [], "log": [], "status": [],
    "stats": [],
    "events": [],
    "edit": ["decision"], "confirm": ["decision"], "retire": ["decision"],
    "archive": ["decision"], "supersede": ["decision", "preference"], "resolve": ["decision"],
    "promote": ["preference", "--to", "user"], "review": [], "audit": [], "doctor": [],
    "embed": ["--dry-run"], "rebuild": [],
    "config": ["show"], "phases": ["list"], "policy": ["show"], "daemon": ["status"],
    "connect": ["codex"], "disconnect": ["codex"], "hook": ["catch-up"],
    "export": ["claude", "--project", "shop", "--to", "CLAUDE.md"],
    "completion": ["bash"], "man": [],
}  # fmt: skip

#: a note that says the opposite of the shop's decision
CONTRADICTING = """\
---
id: other
category: decision
status: active
conflicts:
  - "[[decision-20260304-090000-839ac264]]"
---
We decided to use SQLite.
"""


@pytest.fixture(scope="module")
def context() -> click.Context:
    return click.Context(cli, info_name="engram", **cli.context_settings)


def command(verb: str, context: click.Context) -> click.Command:
    found = cli.get_command(context, verb)  # type: ignore[attr-defined]
    assert isinstance(found, click.Command)
    return found


def test_the_examples_are_complete() -> None:
    assert set(EXAMPLES) == set(VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_it_helps(verb: str, tmp_path: Path) -> None:
    for arguments in ([verb, "--help"], [verb, "-h"], ["--json", verb, "--help"]):
        ran = run(arguments, tmp_path)
        assert (ran.code, ran.err) == (0, "")
        assert ran.out.startswith(f"Usage: engram {verb} ")
        assert "--json" in ran.out and "--vault PATH" in ran.out
        assert max(map(len, ran.out.splitlines())) <= 80


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_says_what_it_does(verb: str, context: click.Context) -> None:
    found = command(verb, context)
    commands = [found]
    if isinstance(found, click.Group):
        commands += list(found.commands.values())
    for one in commands:
        assert one.help, one.name
        for option in one.params:
            if isinstance(option, click.Option):
                assert option.help and option.help.endswith("."), option.name


def answer(folder: Path, verb: str, *, before: bool, as_json: bool = True) -> str:
    """What a verb prints on a shop of its own, with the common options before or after it."""
    folder.mkdir()
    shop = make_shop(folder)
    if verb == "restore":
        shop.run("forget", "preference")
    if verb == "resolve":
        shop.write("vault/facts/2026-03-06/other.md", CONTRADICTING)
    shop.write("record.json", RECORD)
    shop.environment.clear()
    shop.environment["EDITOR"] = "true"
    if verb == "embed":
        shop.environment["ENGRAM_LLM_EMBEDDING_MODEL"] = "m"
    common = [*(["--json"] if as_json else []), "--vault", "vault"]
    words = [verb, *EXAMPLES[verb]]
    ran = shop.run(*common, *words) if before else shop.run(*words, *common)
    assert ran.code == 0, ran.err
    assert "error:" not in ran.err
    return ran.out.replace(str(folder), "[TMP]")


@pytest.mark.parametrize("verb", VERBS)
def test_the_common_options_stand_before_or_after_it(verb: str, tmp_path: Path) -> None:
    first = answer(tmp_path / "a", verb, before=True)
    json.loads(first)
    assert answer(tmp_path / "b", verb, before=False) == first


@pytest.mark.parametrize("verb", VERBS)
def test_without_json_it_is_text(verb: str, tmp_path: Path) -> None:
    out = answer(tmp_path / "a", verb, before=False, as_json=False)
    assert not out.startswith(("{", "["))
    assert "\x1b" not in out


def test_the_last_vault_counts(shop: Shop) -> None:
    shop.run("init", "other")
    ran = shop.run("--vault", "vault", "status", "--vault", "other", "--json")
    assert json.loads(ran.out)["vault"] == str(shop.folder.resolve() / "other")


def test_options_of_a_group_stand_anywhere(shop: Shop) -> None:
    for arguments in (
        ["--json", "config", "show"], ["config", "--json", "show"], ["config", "show", "--json"],
    ):  # fmt: skip
        assert json.loads(shop.run(*arguments).out)["recall.limit"]["value"] == 10


def test_alone_it_prints_the_list_of_commands(tmp_path: Path) -> None:
    ran = run([], tmp_path)
    assert (ran.code, ran.err) == (0, "")
    listed = [verb for group in GROUPS.values() for verb in group]
    assert all(f"\n  {verb} " in ran.out for verb in listed)
    assert not any(f"\n  {verb} " in ran.out for verb in (*HIDDEN, *FACES))
    assert run(["--help"], tmp_path).out == ran.out


def test_it_tells_its_version(tmp_path: Path) -> None:
    ran = run(["--version"], tmp_path)
    assert ran.code == 0 and ran.out.startswith("engram, version ")


def test_json_holds_nothing_that_a_terminal_obeys_and_loses_nothing(shop: Shop) -> None:
    words = "Sale \x9b31m \u202e reversed \u2066 isolate \u2028 line"
    shop.write("vault/facts/2026-03-06/evil.md", f"{words}\n")
    out = shop.run("show", "evil", "--json").out
    assert not set(out) & set("\x9b\u202e\u2066\u2028")
    assert json.loads(out)["markdown"] == f"{words}\n"


def test_no_verb_has_a_json_shape_of_its_own() -> None:
    own = {
        path.stem
        for path in Path(engram.surfaces.cli.__path__[0]).glob("*.py")
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "emit_json"
        for part in ast.walk(call)
        if isinstance(part, ast.Dict) or "asdict" in ast.unparse(part)
    }
    assert own == set()
