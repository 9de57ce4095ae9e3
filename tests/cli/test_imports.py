"""What a command does not need is not imported: a cold start pays for little."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.cli.shop import Shop
from tests.golden.console import prompt_context

ROOT = Path(__file__).parents[2]
_PROBE = (
    "import sys\n"
    "from engram.surfaces.cli.app import main\n"
    "try:\n"
    "    main(sys.argv[1:])\n"
    "except SystemExit as end:\n"
    "    print('exit', end.code, *sorted(sys.modules), file=sys.stderr)\n"
)
_HOOK_PROBE = (
    "import os, sys\n"
    "def end(code):\n"
    "    print('exit', code, *sorted(sys.modules), file=sys.stderr)\n"
    "    sys.stderr.flush()\n"
    "    leave(code)\n"
    "leave, os._exit = os._exit, end\n"
    "from engram.surfaces.entry import main\n"
    "main()\n"
)
#: modules of ours, packages included, that a command may import
_SEARCH, _HOOK = 131, 81


def imported(
    folder: Path, *arguments: str, probe: str = _PROBE, said: str = "", **more: str
) -> set[str]:
    """The modules that a command has imported when it ends well, `said` being its input."""
    python = {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    environment = prompt_context(folder) | python | more
    done = subprocess.run(
        [sys.executable, "-c", probe, *arguments], cwd=folder, capture_output=True, text=True,
        env=environment, check=True, input=said,
    )  # fmt: skip
    ended, code, *modules = done.stderr.splitlines()[-1].split(" ")
    assert (ended, code) == ("exit", "0"), done.stderr
    return set(modules)


def test_help_imports_nearly_nothing(tmp_path: Path) -> None:
    for arguments in (["--help"], ["--version"], []):
        modules = imported(tmp_path, *arguments)
        assert not modules & {
            "whoosh", "yaml", "frontmatter", "watchdog", "rich", "sqlite3", "openai",
            "platformdirs", "engram.vault", "engram.pipeline", "engram.queries", "engram.settings",
            "engram.store", "engram.index", "logging", "tempfile", "difflib",
        }  # fmt: skip


def test_help_of_a_command_imports_that_command_only(tmp_path: Path) -> None:
    modules = imported(tmp_path, "search", "--help")
    assert "engram.surfaces.cli.search" in modules
    assert not modules & {"whoosh", "sqlite3", "engram.vault", "engram.surfaces.cli.import_"}


def test_a_search_imports_what_it_asks_only(shop: Shop) -> None:
    modules = imported(shop.folder, "search", "writers", **shop.environment)
    assert {"whoosh", "sqlite3"} <= modules
    assert not modules & {
        "yaml", "frontmatter", "watchdog", "rich", "openai", "platformdirs", "regex", "tomlkit",
        "engram.extract.rules", "engram.surfaces.cli.import_",
    }  # fmt: skip


def test_regex_and_tomlkit_are_imported_where_they_are_used_only(shop: Shop) -> None:
    def of(*arguments: str, **more: str) -> set[str]:
        found = imported(shop.folder, *arguments, **{**shop.environment, **more})
        return found & {"regex", "tomlkit"}

    own = {"ENGRAM_CAPTURE_HIGH_SIGNAL_PATTERNS": "lion"}
    assert of("remember", "The logo is blue.") == set()
    assert of("config", "show", **own) == of("list", **own) == set()
    assert of("grep", "writers") == of("remember", "The logo is red.", **own) == {"regex"}
    assert of("config", "set", "recall.limit", "7") == {"tomlkit"}


def test_a_header_that_needs_yaml_may_have_it(shop: Shop) -> None:
    shop.write(
        "vault/facts/2026-03-06/fact-a.md",
        "---\nid: fact-a\ncategory: fact\nstatus: active\ncreated: 2026-03-06T09:00:00Z\n"
        "title: >-\n  a folded\n  title\n---\nThe shop has two writers.\n",
    )
    assert "yaml" in imported(shop.folder, "search", "writers", **shop.environment)


def test_a_search_imports_few_modules(shop: Shop) -> None:
    ours = _ours(imported(shop.folder, "search", "writers", **shop.environment))
    assert len(ours) <= _SEARCH, "\n".join(ours)


def test_a_hook_imports_few_modules_and_no_index(shop: Shop) -> None:
    for event, asked in (
        ("session-start", {"cwd": str(shop.folder / "shop")}),
        ("prompt", {"cwd": str(shop.folder / "shop"), "prompt": "which database has two writers?"}),
    ):
        modules = imported(
            shop.folder, "hook", event, probe=_HOOK_PROBE, said=json.dumps(asked),
            **shop.environment,
        )  # fmt: skip
        ours = _ours(modules)
        assert "engram.store.catalog.readonly" in ours  # it has asked the catalog
        assert len(ours) <= _HOOK, "\n".join(ours)
        assert not modules & {
            "whoosh", "click", "yaml", "frontmatter", "engram.vault", "engram.index",
            "engram.pipeline", "engram.queries",
        }  # fmt: skip


def _ours(modules: set[str]) -> list[str]:
    return sorted(name for name in modules if name.partition(".")[0] == "engram")
