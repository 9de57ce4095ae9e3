"""The documents are held to the program: commands, links, the map, the fact in the README."""

from __future__ import annotations

import contextlib
import json
import re
import shlex
import shutil
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest

import engram
from engram.capture.sources import SOURCES
from engram.consolidate.passes.order import DECIDING, SHOWING
from engram.daemon.inbox import KINDS
from engram.daemon.service.units import ServiceDefinition, systemd_unit
from engram.model.authority import AUTHORITIES
from engram.model.errors import EngramError
from engram.model.memory import CATEGORIES, SCHEMAS, SPACES, SPECULATIVE_DAYS, STATUSES
from engram.model.refusal_codes import MEANINGS
from engram.model.schemas import SCHEMA_TABLE, Schema
from engram.model.settings import Settings
from engram.recall import unasked_blocks as blocks
from engram.settings.keys import CHOICES, RANGES, known_keys
from engram.settings.load import VAULT_KEYS
from engram.settings.paths import places_of
from engram.settings.policy_files import load_policy
from engram.settings.policy_keys import POLICY_KEYS, PRESETS
from engram.store.base.clock import FixedClock
from engram.store.files.content_file import read_content
from engram.store.files.memory_file import KEYS, read_memory
from engram.store.files.summary_file import render_summary
from engram.surfaces.cli.app import cli
from engram.surfaces.cli.policy import in_words
from engram.surfaces.cli.verbs import FACES, GROUPS, HIDDEN, VERBS
from engram.surfaces.hooks.agents import AGENTS
from engram.surfaces.hooks.process import DEADLINE
from engram.surfaces.qmd.app import LIKE
from engram.surfaces.qmd.mcp_offer import TOOLS
from engram.surfaces.qmd.usage import usage
from engram.surfaces.remote.client import HANDED
from engram.vault import Vault
from tests.golden.console import Ran, run
from tests.kit import summary
from tests.tree import ROOT, modules

README = (ROOT / "README.md").read_text(encoding="utf-8")
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))
#: the pages for users, by name: all of docs/ but those about the code
MANUAL = {
    path.stem: path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "docs").glob("*.md"))
    if path.stem not in ("architecture", "glossary")
}
#: what is held to the program line by line
USER_PAGES = {"README": README, **MANUAL}
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]

#: the clock of the demo, on which the day of expiry depends
DEMO_CLOCK = "2026-03-06T21:00:00Z"


def between(text: str, name: str) -> str:
    """What stands in a page between `<!-- name -->` and `<!-- /name -->`."""
    return re.split(f"<!-- {name} -->\n?", text)[1].split(f"<!-- /{name} -->")[0]


def codes(text: str, name: str) -> list[str]:
    """The words in code spans between the two marks of a name, in order."""
    return re.findall(r"`([^`]+)`", between(text, name))


def table(text: str, name: str) -> list[list[str]]:
    """The cells of the table between the two marks of a name, without its head."""
    rows = [row for row in between(text, name).splitlines() if row.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows[2:]]


def first_codes(text: str, name: str) -> list[str]:
    """The words in code spans of the first column of such a table, in order."""
    return [code for row in table(text, name) for code in re.findall(r"`([^`]+)`", row[0])]


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


def test_the_readme_is_short_and_begins_with_what_a_newcomer_does() -> None:
    assert len(README.splitlines()) <= 150
    places = [README.index(words) for words in (
        "pip install .", "engram import auto", "engram search", "make demo", "make test",
        "<!-- fact -->", "## What engram is not", "## Features", "## What is not there yet",
    )]  # fmt: skip
    assert places == sorted(places)


def test_the_readme_shows_the_four_commands_of_daily_use() -> None:
    first = next(block for block in code_blocks(README, "sh") if "pip install" in block)
    assert [line.split()[:2] for line in first.splitlines()] == [
        ["pip", "install"], ["engram", "init"], ["engram", "import"], ["engram", "search"],
    ]  # fmt: skip
    assert "pip install .\n" in first
    assert "engram import auto\n" in first


def test_the_first_commands_of_the_readme_give_an_answer_from_an_agents_history(
    tmp_path: Path,
) -> None:
    shutil.copytree(ROOT / "tests" / "demo" / "conversation", tmp_path / ".claude/projects/shop")
    first = next(block for block in code_blocks(README, "sh") if "pip install" in block)
    init, taken, asked = (shlex.split(line)[1:] for line in first.splitlines()[1:])
    assert run(init, tmp_path).code == 0
    ran = run([*taken, "--yes"], tmp_path)
    assert ran.code == 0 and "learnt" in ran.out
    assert "two writers need it" in run(asked, tmp_path).out
    # so does the question that the import offers
    offered = next(shlex.split(line)[1:] for line in ran.err.splitlines() if " recall " in line)
    answer = run(offered[offered.index("recall") :], tmp_path)
    assert answer.code == 0 and "\n- 2026-" in answer.out


def test_the_two_commands_that_the_readme_promises_are_targets() -> None:
    promised = re.findall(r"^make (\w+) ", README, re.MULTILINE)
    assert promised == ["demo", "test"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(re.search(f"^{target}:", makefile, re.MULTILINE) for target in promised)
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert all(f"make {target}\n" in ci for target in promised)


def test_the_readme_leads_to_every_page_of_the_manual() -> None:
    linked = set(re.findall(r"\]\(docs/([\w-]+)\.md", README))
    assert linked == {*MANUAL, "architecture"}
    features = README.split("## Features\n")[1].split("\nSettings")[0]
    assert len(features.strip().splitlines()) == 10


def test_what_the_readme_says_is_not_there_is_not_there() -> None:
    missing = README.split("## What is not there yet\n")[1].split("\n## ")[0]
    line = next(line for line in missing.splitlines() if "commands" in line)
    named = re.findall(r"`(\w+)`", line)
    assert len(named) == 3
    assert {*named}.isdisjoint({*VERBS, *FACES})


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


# -- the pages of the manual -------------------------------------------------------------------


class DemoVault(NamedTuple):
    """The vault of the demo, consolidated, and how to run a command on it."""

    root: Path
    home: Path

    def run(self, line: str) -> Ran:
        settings = {"ENGRAM_VAULT": str(self.root), "ENGRAM_CLOCK": DEMO_CLOCK}
        return run(shlex.split(line)[1:], self.home, settings)


@pytest.fixture(scope="module")
def demo_vault(tmp_path_factory: pytest.TempPathFactory) -> DemoVault:
    """What `make demo` makes of its conversations, after the consolidation."""
    home = tmp_path_factory.mktemp("manual")
    environment = {"ENGRAM_HOME": str(home / "home"), "HOME": str(home)}
    clock = FixedClock(DEMO_CLOCK)
    with Vault.create(home / "vault", environment=environment, clock=clock) as vault:
        vault.import_files("claude-code", ROOT / "tests" / "demo" / "conversation")
        vault.consolidate()
    return DemoVault(home / "vault", home)


def test_the_command_table_is_the_list_of_verbs() -> None:
    groups = {**GROUPS, "Not listed": {**HIDDEN, **FACES}}
    parts = (
        f"\n| {heading} | |\n|---|---|\n"
        + "".join(f"| `{verb}` | {does} |\n" for verb, does in verbs.items())
        for heading, verbs in groups.items()
    )
    expected = "".join(parts) + "\n"
    page = between(MANUAL["commands"], "commands")
    assert page == expected, f"docs/commands.md, commands:\n{expected}"


@pytest.mark.parametrize(
    "line", sorted({line for page in USER_PAGES.values() for line in shell_lines(page)})
)
def test_every_command_in_a_shell_block_parses(line: str) -> None:
    parse(cli, shlex.split(line, comments=True)[1:], None)


@pytest.mark.parametrize(
    "span", sorted({span for page in [*USER_PAGES.values(), CHANGELOG] for span in spans(page)})
)
def test_every_command_that_a_page_mentions_exists(span: str) -> None:
    # prose may leave the arguments out
    with contextlib.suppress(click.MissingParameter):
        parse(cli, shlex.split(re.split(" [|<>] ", span)[0], comments=True)[1:], None)


@pytest.mark.parametrize("page", MANUAL)
def test_a_page_of_the_manual_has_one_title(page: str) -> None:
    prose = re.sub(r"^```.*?^```", "", MANUAL[page], flags=re.MULTILINE | re.DOTALL)
    assert MANUAL[page].startswith("# ")
    assert len(re.findall(r"^# ", prose, re.MULTILINE)) == 1


@pytest.mark.parametrize("line", shell_lines(between(MANUAL["commands"], "demo")))
def test_every_example_finds_something_in_the_vault_of_the_demo(
    line: str, demo_vault: DemoVault
) -> None:
    ran = demo_vault.run(line)
    assert ran.code == 0, ran.err
    assert ran.out.strip()
    assert "nothing" not in ran.out.splitlines()[0]


def test_the_keys_of_a_hit_are_those_of_the_program(demo_vault: DemoVault) -> None:
    hits = json.loads(demo_vault.run("engram search hosting --json").out)
    assert {tuple(hit) for hit in hits} == {tuple(codes(MANUAL["commands"], "hit"))}
    around = json.loads(demo_vault.run("engram search hosting --json --around").out)
    beside = [one for hit in around for one in (hit["before"], hit["after"]) if one]
    assert {tuple(one) for one in beside} == {tuple(codes(MANUAL["commands"], "beside"))}


def test_the_keys_of_an_answer_are_those_of_the_program(demo_vault: DemoVault) -> None:
    block = json.loads(demo_vault.run('engram recall "when did we decide on postgres?" --json').out)
    assert [*block] == codes(MANUAL["commands"], "block")
    assert [*block["answer"]] == codes(MANUAL["commands"], "answer")


def test_the_answer_in_the_readme_is_what_the_demo_gives(demo_vault: DemoVault) -> None:
    asked = between(README, "asked")
    (line,) = shell_lines(asked)
    shown = asked.rpartition("```\n- ")[2].partition("```")[0]
    assert shown and f"\n- {shown}" in demo_vault.run(line).out


def test_the_exit_codes_are_those_of_the_program() -> None:
    found = {error.exit_code for error in subclasses(EngramError)} | {0, 2, 70, 130}
    listed = [int(row[0]) for row in table(MANUAL["commands"], "exit-codes")]
    assert listed == sorted(found)


def test_the_refusals_are_those_of_the_program() -> None:
    rows = [(code.strip("`"), means) for code, means in table(MANUAL["commands"], "refusals")]
    assert rows == list(MEANINGS.items())


def subclasses(error: type[EngramError]) -> Iterator[type[EngramError]]:
    yield error
    for below in error.__subclasses__():
        yield from subclasses(below)


def test_the_sources_are_those_that_import_takes() -> None:
    rows = table(MANUAL["sources"], "sources")
    listed = [name for row in rows for name in re.findall(r"`([^`]+)`", row[1])]
    assert sorted(listed) == sorted(SOURCES)


def test_the_turns_that_a_page_shows_are_taken_in(demo_vault: DemoVault) -> None:
    turns = between(MANUAL["sources"], "turns").replace("```json\n", "").replace("```\n", "")
    settings = {"ENGRAM_VAULT": "new"}
    assert run(["init", "new"], demo_vault.home, settings).code == 0
    ran = run(["capture", "-", "--json"], demo_vault.home, settings, turns.encode())
    assert json.loads(ran.out)["new_turns"] == 2


def test_the_tree_of_a_vault_is_what_the_demo_leaves(demo_vault: DemoVault) -> None:
    lines = "".join(code_blocks(between(MANUAL["vault-format"], "tree"), "")).splitlines()
    listed = [line.split()[0] for line in lines]
    assert [name for name in listed if not (demo_vault.root / name).exists()] == []
    tops = {name.partition("/")[0] for name in listed}
    assert {path.name for path in demo_vault.root.iterdir()} == tops


def test_the_header_keys_are_those_of_the_program() -> None:
    listed = first_codes(MANUAL["vault-format"], "keys")
    assert len(listed) == len(set(listed))
    assert set(listed) == KEYS


def test_the_header_keys_of_a_summary_are_those_of_the_program() -> None:
    page = summary("sum-a", "fact-1", model="m", supersedes=("sum-b",), superseded_by="sum-c")
    written = list(read_content("summaries/a.md", render_summary(page)).document.header)
    assert first_codes(MANUAL["vault-format"], "summary-keys") == written


def test_the_order_of_the_header_keys_is_that_of_a_file() -> None:
    shown = "".join(code_blocks(between(README, "fact"), "markdown"))
    listed = first_codes(MANUAL["vault-format"], "keys")
    written = [key for key in re.findall(r"^(\w+):", shown, re.MULTILINE) if key in listed]
    assert written == [key for key in listed if key in written]


def test_what_an_absent_header_key_means_is_as_the_page_says() -> None:
    memory = read_memory("facts/2026-03-06/x.md", b"---\nid: x\n---\nA note.\n").memory
    for name, _, absent in table(MANUAL["vault-format"], "keys"):
        value = getattr(memory, name.strip("`"))
        if absent in ("none", "never", "made of the statement"):
            assert not value, name
        elif absent == "that day":
            assert value == "2026-03-06T12:00:00Z", name
        elif name != "`id`":
            assert float(absent) == value if absent[0].isdigit() else absent == f"`{value}`", name


def test_the_closed_lists_of_a_header_are_those_of_the_program() -> None:
    page = MANUAL["vault-format"]
    assert tuple(codes(page, "categories")) == CATEGORIES
    assert tuple(first_codes(page, "statuses")) == STATUSES
    meanings = {row[0].strip("`"): row[1] for row in table(page, "keys")}
    assert tuple(re.findall(r"`([^`]+)`", meanings["schema"])) == SCHEMAS
    assert tuple(re.findall(r"`([^`]+)`", meanings["authority"])) == AUTHORITIES
    assert tuple(re.findall(r"`([^`]+)`", meanings["space"])) == SPACES


def test_there_is_a_row_for_each_pass_of_a_consolidation() -> None:
    assert len(table(MANUAL["consolidation"], "passes")) == len((*DECIDING, *SHOWING))


def test_the_numbers_of_consolidation_are_the_shipped_ones() -> None:
    page, shipped = MANUAL["consolidation"], Settings()
    days = dict(shipped.retention.days)
    for words in (
        f"after {days['episodic']} days for moments, {days['semantic']} for facts",
        f"{days['procedural']} for skills, {days['commitment']} for commitments",
        f"(confidence below 0.4) end after {SPECULATIVE_DAYS} days",
        f"older than {shipped.consolidate.archive_age_days} days, of importance below"
        f" {shipped.consolidate.archive_max_importance}",
        f"after {shipped.boxes.gap_minutes:.0f} minutes of silence",
        f"at {shipped.boxes.max_memories} memories",
    ):
        assert words in " ".join(page.split())
    assert shipped.consolidate.every_extractions == 3  # "every third extraction"
    assert shipped.consolidate.archive_max_access == 2  # "at most twice"


def test_the_agents_are_those_that_connect_knows(tmp_path: Path) -> None:
    rows = table(MANUAL["agents"], "agents")
    expected = [
        [
            f"`{agent.name}`",
            f"`{agent.settings_file({}, tmp_path).relative_to(tmp_path).as_posix()}`",
            " ".join(f"`{theirs}`" for _, theirs in agent.events),
        ]
        for agent in AGENTS.values()
    ]
    assert rows == expected


def test_the_limits_of_what_an_agent_is_given_are_those_of_the_program() -> None:
    page = MANUAL["agents"]
    assert between(page, "session-tokens") == f"{blocks.MOST_TOKENS:,}"
    assert between(page, "lines") == f"{blocks.MOST_LINES}"
    assert between(page, "prompt-tokens") == str(blocks.PROMPT_TOKENS)
    assert between(page, "prompt-memories") == str(blocks.PROMPT_MEMORIES)
    assert between(page, "deadline") == f"{DEADLINE:g}"


def test_the_commands_that_the_daemon_carries_out_are_listed() -> None:
    assert set(codes(MANUAL["daemon"], "handed")) == HANDED


def test_the_limits_of_the_service_are_those_of_its_unit() -> None:
    unit = systemd_unit(
        ServiceDefinition("/usr/bin/engram", ("daemon", "run"), "/state", ("/vault",), "/log")
    )
    limits = codes(MANUAL["daemon"], "limits")
    assert len(limits) == 4
    assert [limit for limit in limits if limit not in unit.splitlines()] == []


def test_what_an_inbox_takes_is_listed() -> None:
    assert codes(MANUAL["daemon"], "inbox") == list(KINDS)


def test_every_kind_of_secret_is_listed() -> None:
    with (ROOT / "config" / "redaction.toml").open("rb") as stream:
        rules = tomllib.load(stream)["rule"]
    assert codes(MANUAL["privacy"], "kinds") == list(dict.fromkeys(rule["kind"] for rule in rules))


def test_every_command_of_the_qmd_interface_that_a_page_mentions_exists() -> None:
    words = {
        word for page in USER_PAGES.values() for word in re.findall(r"\bengram-qmd ([a-z-]+)", page)
    }
    known = set(re.findall(r"^  qmd ([a-z-]+)", usage("index"), re.MULTILINE))
    assert "mcp" in words
    assert words - known - {"answers"} == set()
    assert {"trust", "bench", "skill"}.isdisjoint(known)


def test_the_qmd_interface_is_like_the_version_that_its_page_names() -> None:
    assert between(MANUAL["qmd"], "like") == LIKE
    assert codes(MANUAL["qmd"], "tools") == list(TOOLS)


def test_the_program_in_the_library_page_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ENGRAM_HOME", str(tmp_path / "home"))
    source = "".join(code_blocks(MANUAL["library"], "python"))
    exec(compile(source, "docs/library.md", "exec"), {"path": tmp_path / "vault"})
    assert "The user prefers tabs over spaces in Go." in capsys.readouterr().out
    assert codes(MANUAL["library"], "names") == sorted(engram.__all__)


# -- settings ----------------------------------------------------------------------------------


def policy_rows() -> list[list[str]]:
    """Key, value of the preset `vault`, value of `contract`, as docs/contract.md prints them."""
    loaded = []
    for preset in PRESETS:
        with tempfile.TemporaryDirectory() as folder:
            places = places_of({"ENGRAM_HOME": folder, "HOME": folder})
            places.policy_file.write_text(f'preset = "{preset}"\n', encoding="utf-8")
            loaded.append(load_policy(places, None).values)
    keys = dict.fromkeys(name for values in loaded for name in sorted(values))
    return [
        [f"`{key}`", *("; ".join(in_words(key, one[key])) if key in one else "" for one in loaded)]
        for key in keys
    ]


def test_the_table_of_policies_is_that_of_both_presets() -> None:
    rows = [row[:3] for row in table(MANUAL["contract"], "policy")]
    assert rows == policy_rows()


def test_the_settings_are_those_of_the_program() -> None:
    """Each key of the shipped file, with its value, what is allowed, and who may set it."""
    with (ROOT / "config" / "engram.toml").open("rb") as stream:
        shipped = dict(_flat(tomllib.load(stream)))
    expected = [
        [f"`{name}`" + " \\*" * (_base(name) in VAULT_KEYS), f"`{_toml(value)}`", _allowed(name)]
        for name, value in shipped.items()
    ]
    rows = table(MANUAL["configuration"], "settings")
    lines = "\n".join(" | ".join(row) for row in expected)
    assert [row[:3] for row in rows] == expected, f"docs/configuration.md, settings:\n{lines}"
    assert all(len(row[3]) > 10 for row in rows)


def test_every_key_that_may_be_set_is_in_the_page_of_settings() -> None:
    page = MANUAL["configuration"]
    entries = [
        code for name in ("types", "days-categories", "schemas") for code in codes(page, name)
    ]
    named = {f"retention.days.{entry}" for entry in entries}
    named |= {
        f"records.{name}.{schema}"
        for name in ("capture", "describe", "thresholds")
        for schema in codes(page, "record-schemas")
    }
    assert set(first_codes(page, "settings")) | named == set(known_keys())
    assert codes(page, "record-schemas") == list(SCHEMAS)
    assert tuple(codes(page, "capture")) == CHOICES["records.capture"]


def _flat(values: dict[str, Any], above: str = "") -> Iterator[tuple[str, object]]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{name}.")
        else:
            yield above + name, value


def _base(name: str) -> str:
    """The key itself, or the table that it is an entry of."""
    return known_keys()[name].table or name


def _toml(value: object) -> str:
    """A value as the page shows it: bare words, but lists and nothing as in TOML."""
    if isinstance(value, list):
        return json.dumps(value)
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) or '""'


def _allowed(name: str) -> str:
    base = _base(name)
    if base in CHOICES:
        return ", ".join(f"`{choice}`" for choice in CHOICES[base])
    if base in RANGES:
        least, most = RANGES[base]
        return f"{least:,} to {most:,}"
    return known_keys()[name].kind


def test_every_variable_of_the_program_is_in_the_page_of_settings() -> None:
    """The variables that the package reads, without those of settings and of other programs."""
    read = {
        name
        for path in modules()
        for name in re.findall(r'"(ENGRAM_[A-Z_]+)"', path.read_text(encoding="utf-8"))
    }
    others = {"ENGRAM_DATA_DIR", "ENGRAM_PORT", "ENGRAM_MEMORY_DIR"}
    settings = {key.variable for key in known_keys().values()}
    # a setting, and the vault that goes before the one that is nearest
    expected = read - others - settings | {"ENGRAM_VAULT"}
    assert set(first_codes(MANUAL["configuration"], "variables")) == expected
    named = {
        name for page in USER_PAGES.values() for name in re.findall(r"ENGRAM_[A-Z_]+[A-Z]", page)
    }
    assert named <= read | settings


def test_every_setting_that_a_page_names_exists() -> None:
    tables = {name.partition(".")[0] for name in known_keys() if "." in name}
    named = {
        name
        for page in PAGES
        for name in re.findall(r"`([a-z_]+\.[a-z_.]+)`", page.read_text(encoding="utf-8"))
        if name.partition(".")[0] in tables and not name.endswith((".py", ".md", ".toml"))
    }
    assert "capture.exclude" in named
    assert named <= {*known_keys(), *POLICY_KEYS}


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
    decision, _, _ = text.partition("\n## ")  # what shows it may follow under headings
    assert len(decision.splitlines()) <= 30
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


# -- records -----------------------------------------------------------------------------------


def test_the_forms_of_records_are_those_of_the_program() -> None:
    assert table(MANUAL["records"], "schemas") == [
        [f"`{schema.name}`", schema.category, schema.meaning, _fields_of(schema)]
        for schema in SCHEMA_TABLE.values()
    ]


def _fields_of(schema: Schema) -> str:
    """Each field by its name, bold where it is needed, with its choices."""
    shown = []
    for field in schema.fields:
        name = f"**`{field.name}`**" if field.required else f"`{field.name}`"
        shown.append(f"{name} ({', '.join(field.choices)})" if field.choices else name)
    return ", ".join(shown)


def test_the_codes_of_errors_are_those_of_the_program() -> None:
    listed = set(first_codes(MANUAL["records"], "codes"))
    kinds = {error.told_by_default for error in subclasses(EngramError)} - {"ERROR"}
    said = "\n".join(path.read_text(encoding="utf-8") for path in modules())
    given = set(re.findall(r"\"([A-Z_]+_(?:ERROR|CONFLICT))\"", said))
    assert kinds <= listed
    assert given <= listed
    assert all(f'"{code}"' in said for code in listed)
