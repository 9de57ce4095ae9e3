"""The documents are held to the program: commands, links, the map, the fact in the README."""

from __future__ import annotations

import ast
import contextlib
import re
import shlex
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import pytest

from engram.settings.keys import known_keys
from engram.store.base.clock import FixedClock
from engram.surfaces.cli.app import FACES, VERBS, cli
from engram.vault import Vault
from tests import map as ports

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]

#: the clock of the demo, on which the day of expiry depends
DEMO_CLOCK = "2026-03-06T21:00:00Z"
#: modules with which a program reaches out
NETWORK = frozenset({
    "aiohttp", "anthropic", "asyncio", "ftplib", "http", "httpx", "httpx2", "imaplib", "openai",
    "poplib", "requests", "smtplib", "socket", "socketserver", "ssl", "urllib", "urllib3",
    "webbrowser", "websockets", "xmlrpc",
})  # fmt: skip
#: the one module that reaches out, and with what
WIRE = {"engram/llm/wire.py: openai", "engram/llm/wire.py: httpx2"}
#: those that listen: the HTTP server of the qmd face, on loopback only, and the door of the daemon,
#: a file that is this user's alone
LISTENING = {
    "engram/daemon/rpc/server.py: socket",
    *(
        f"engram/surfaces/qmd/mcp_http.py: {name}"
        for name in ("http.server", "socket", "socketserver")
    ),
}
#: those that start a process: the editor, the daemon away from its terminal, the command set to
#: run before an update of qmd's index, and the service manager of the system
STARTING = {
    "engram/surfaces/cli/editor.py: subprocess", "engram/daemon/service/detached.py: subprocess",
    "engram/surfaces/qmd/updating.py: subprocess", "engram/daemon/service/systems.py: subprocess",
}  # fmt: skip
PROCESSES = frozenset(["multiprocessing", "pty", "subprocess"])


def between(text: str, name: str) -> str:
    """What stands in a page between `<!-- name -->` and `<!-- /name -->`."""
    return text.split(f"<!-- {name} -->\n")[1].split(f"<!-- /{name} -->")[0]


def code_blocks(text: str, language: str) -> Iterator[str]:
    yield from re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def shell_lines(text: str) -> list[str]:
    """Every `engram ...` line of a page's shell blocks."""
    lines = [line for block in code_blocks(text, "sh") for line in block.splitlines()]
    return [line for line in lines if line.startswith("engram ")]


def spans(text: str) -> list[str]:
    """Every `engram ...` in a page's prose."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return [span for span in re.findall(r"`(engram [^`]+)`", prose) if "COMMAND" not in span]


def parse(command: click.Command, words: Sequence[str], parent: click.Context | None) -> None:
    """Parse words as the command line does, down to the last sub-command; run nothing."""
    if not isinstance(command, click.Group):
        command.make_context(command.name, list(words), parent=parent)
        return
    settings = (
        command.context_settings
    )  # commands keep the help option that they are first asked for
    context = click.Context(command, parent=parent, info_name=command.name, **settings)
    rest = command.make_parser(context).parse_args(list(words))[1]
    if not rest and command.invoke_without_command:
        return
    _, child, rest = command.resolve_command(context, rest)
    assert child is not None
    parse(child, rest, context)


# -- the README --------------------------------------------------------------------------------


def test_the_command_table_is_the_list_of_verbs() -> None:
    rows = "".join(f"| `{verb}` | {help} |\n" for verb, help in [*VERBS.items(), *FACES.items()])
    expected = f"\n| command | does |\n|---|---|\n{rows}\n"
    assert between(README, "commands") == expected, f"README, commands:\n{expected}"


@pytest.mark.parametrize("line", shell_lines(README))
def test_every_command_in_the_readme_parses(line: str) -> None:
    parse(cli, shlex.split(line, comments=True)[1:], None)


@pytest.mark.parametrize("span", sorted({*spans(README), *spans(CHANGELOG)}))
def test_every_command_that_a_page_mentions_exists(span: str) -> None:
    # prose may leave the arguments out
    with contextlib.suppress(click.MissingParameter):
        parse(cli, shlex.split(span)[1:], None)


def test_the_readme_shows_the_four_commands_of_daily_use() -> None:
    first = next(block for block in code_blocks(README, "sh") if "pip install" in block)
    assert [line.split()[:2] for line in first.splitlines()] == [
        ["pip", "install"], ["engram", "init"], ["engram", "import"], ["engram", "recall"],
    ]  # fmt: skip


def test_the_fact_in_the_readme_is_one_that_the_demo_makes(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    clock = FixedClock(DEMO_CLOCK)
    with Vault.create(tmp_path / "vault", environment=environment, clock=clock) as vault:
        vault.import_files("claude-code", ROOT / "tests" / "demo" / "conversation")
        made = [path.read_text(encoding="utf-8") for path in vault.root.glob("facts/*/*.md")]
    shown = "".join(code_blocks(between(README, "fact"), "markdown"))
    near = next((text for text in made if "category: decision" in text and "writers" in text), "")
    assert shown in made, f"README, fact:\n{near}"


def test_the_demo_runs_by_the_clock_of_the_fact() -> None:
    script = (ROOT / "tests" / "demo" / "run.sh").read_text(encoding="utf-8")
    assert f"ENGRAM_CLOCK={DEMO_CLOCK}" in script


def test_every_setting_that_a_page_names_exists() -> None:
    tables = {name.partition(".")[0] for name in known_keys() if "." in name}
    named = {
        name
        for page in PAGES
        for name in re.findall(r"`([a-z_]+\.[a-z_.]+)`", page.read_text(encoding="utf-8"))
        if name.partition(".")[0] in tables and not name.endswith((".py", ".md", ".toml"))
    }
    assert "capture.exclude" in named
    assert named <= set(known_keys())


def test_one_module_reaches_the_network_one_listens_and_few_start_a_process() -> None:
    reached = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in ports.modules()
        for name in _imported(path)
        if name.partition(".")[0] in NETWORK | PROCESSES and name != "urllib.parse"
    }
    assert reached == WIRE | LISTENING | STARTING


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


# -- pages and links ---------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_inside_the_repository_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if target.startswith(("https://", "http://", "mailto:")):
            continue
        name, _, anchor = target.partition("#")
        found = page.parent / name if name else page
        assert found.exists(), f"{page.name}: {target}"
        assert not anchor or anchor in _anchors(found), f"{page.name}: {target}"


def _anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_no_file_names_a_place_on_somebodys_machine() -> None:
    """Only Kim, who is invented, has a home here."""
    homes = re.compile(
        r"(?:(?<![\w}>\]])/home/|/Users/|[A-Z]:\\{1,2}Users\\{1,2})(?!kim\b)\w+|/root/\w"
    )
    places = [str(ROOT)] if len(ROOT.parts) > 2 else []
    guilty = {
        f"{path.relative_to(ROOT)}: {place}"
        for path in _tracked()
        for text in (path.read_text(encoding="utf-8", errors="replace"),)
        for place in (*homes.findall(text), *(place for place in places if place in text))
        if path != Path(__file__).resolve()
    }
    assert guilty == set()


def _tracked() -> Iterator[Path]:
    """The files that make up the project, without what the tools leave behind."""
    for top in ("engram", "config", "vault-template", "docs", "tests", ".ci"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path
    yield from (path for path in sorted(ROOT.iterdir()) if path.is_file())


def test_the_changelog_begins_with_what_is_to_come() -> None:
    assert re.search(r"^## \[Unreleased\]", CHANGELOG, re.MULTILINE)


# -- decisions ---------------------------------------------------------------------------------


def test_decisions_are_numbered_without_gaps() -> None:
    assert [int(page.name[:4]) for page in DECISIONS] == list(range(1, len(DECISIONS) + 1))


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.name[:4])
def test_a_decision_is_short_and_has_its_three_parts(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 30
    assert text.startswith(f"# {page.name[:4]}: ")
    assert re.findall(r"^\*\*(\w+)\.\*\*", text, re.MULTILINE) == [
        "Context", "Decision", "Consequence",
    ]  # fmt: skip


def test_every_dependency_is_justified() -> None:
    with (ROOT / "pyproject.toml").open("rb") as stream:
        project = tomllib.load(stream)["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    names = {re.split(r"[<>=~! ]", requirement)[0] for requirement in wanted}
    page = next(page for page in DECISIONS if "dependencies" in page.name)
    justified = set(re.findall(r"^- `([\w-]+)`", page.read_text(encoding="utf-8"), re.MULTILINE))
    assert justified == names


def test_each_library_is_imported_in_one_place() -> None:
    """click is the command line's, Whoosh has its codec beside it, and YAML is the header of a note
    and the configuration of qmd; the others have one module."""
    libraries = {
        "click", "platformdirs", "frontmatter", "yaml", "rich", "watchdog", "whoosh", "openai",
        "httpx2", "tenacity",
    }  # fmt: skip
    homes: dict[str, set[Path]] = {library: set() for library in libraries}
    for path in ports.modules():
        for name in _imported(path):
            homes.get(name.partition(".")[0], set()).add(path)
    assert {path.parent.name for path in homes.pop("click")} == {"cli"}
    assert {path.stem for path in homes.pop("whoosh")} == {"whoosh_codec", "whoosh_index"}
    assert {path.stem for path in homes.pop("yaml")} == {"foreign_header", "yaml_text"}
    assert {library: len(paths) for library, paths in homes.items()} == dict.fromkeys(homes, 1)


# -- the house ---------------------------------------------------------------------------------


def test_the_map_is_up_to_date() -> None:
    assert ports.PAGE.read_text(encoding="utf-8") == ports.page(), "run `make map`"


def test_every_room_has_its_place_in_the_flow() -> None:
    assert set(ports.ORDER) == ports.rooms()
    assert len(set(ports.ORDER)) == len(ports.ORDER)


def test_every_module_says_what_it_does() -> None:
    firsts = {path: ports.docstring(path).splitlines()[0] for path in ports.modules()}
    assert [path for path, first in firsts.items() if len(first) < 20] == []


def test_no_module_is_named_after_nothing() -> None:
    empty = re.compile(r"util|manager|helper|common|misc")
    assert [path.stem for path in ports.modules() if empty.search(path.stem)] == []
