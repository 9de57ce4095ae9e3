"""The layout of the package: names, docstrings, libraries, and the pages that describe them."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable
from graphlib import TopologicalSorter
from pathlib import Path

from engram.capture.sources import SOURCES, source
from engram.surfaces.cli.verbs import FACES, VERBS
from tests.tree import (
    PACKAGE,
    ROOT,
    classes,
    docstring,
    dotted,
    imported,
    modules,
    parsed,
    rooms,
)

CLI = PACKAGE / "surfaces" / "cli"
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

#: what a fresh clone shows at its top (design 2); `editors/` may come
TOP = {
    "CHANGELOG.md", "LICENSE", "Makefile", "README.md", "config", "docs", "editors", "engram",
    "pyproject.toml", "tests", "vault-template",
}  # fmt: skip
#: more packages than this at the top do not fit on one screen of names
MOST_ROOMS = 22
#: imports, questions and the answer: a verb of the vault has no more statements than this
MOST_STATEMENTS = 8
#: words that a module's first line was once told in: the thing has a name of its field
RETIRED = re.compile(
    r"\b(?:house|shel(?:f|ves)|desk|seat|nights?|doors?|knocks?|pen|loom|court|sketch|rota|lots?"
    r"|tending|furnish\w*|pokes?|rounds|pulse|keepers?|feeds|sentry|logbook|eraser|visitors?"
    r"|nobody|somebody|anybody|whoever)\b",
    re.IGNORECASE,
)
#: modules with which a program reaches out
NETWORK = frozenset({
    "aiohttp", "anthropic", "asyncio", "ftplib", "http", "httpx", "httpx2", "imaplib", "openai",
    "poplib", "requests", "smtplib", "socket", "socketserver", "ssl", "urllib", "urllib3",
    "webbrowser", "websockets", "xmlrpc",
})  # fmt: skip
#: the one module that reaches out, and with what
WIRE = {"engram/llm/wire.py: openai", "engram/llm/wire.py: httpx2"}
#: those that listen: the HTTP server of the qmd face, on loopback only, and the control socket of
#: the daemon, a file that is this user's alone
LISTENING = {
    "engram/daemon/rpc/server.py: socket",
    *(
        f"engram/surfaces/qmd/mcp_http.py: {name}"
        for name in ("http.server", "socket", "socketserver")
    ),
}
#: those that start a process: the editor, the daemon away from its terminal, the command set to
#: run before an update of qmd's index, the service manager of the system, and the hooks in the
#: settings of agents, which doctor tries; git is asked what it ignores among notes
STARTING = {
    "engram/surfaces/cli/editor.py: subprocess", "engram/daemon/service/detached.py: subprocess",
    "engram/surfaces/qmd/updating.py: subprocess", "engram/daemon/service/systems.py: subprocess",
    "engram/surfaces/hooks/hook_trial.py: subprocess", "engram/capture/note_folders.py: subprocess",
}  # fmt: skip
PROCESSES = frozenset(["multiprocessing", "pty", "subprocess"])


def twice(named: Iterable[tuple[str, Path]]) -> dict[str, list[str]]:
    """The names that stand in several places, with those places."""
    found: dict[str, list[str]] = defaultdict(list)
    for name, path in named:
        found[name].append(path.relative_to(ROOT).as_posix())
    return {name: places for name, places in sorted(found.items()) if len(places) > 1}


# -- names -------------------------------------------------------------------------------------


def test_no_base_name_stands_twice() -> None:
    own = [path for path in modules() if path.stem != "__init__" and CLI not in path.parents]
    assert twice((path.stem, path) for path in own) == {}


def test_no_class_name_stands_twice() -> None:
    assert twice((name, path) for path in modules() for name in classes(path)) == {}


def test_no_module_is_named_after_nothing() -> None:
    empty = re.compile(r"util|manager|helper|common|misc")
    assert [path.stem for path in modules() if empty.search(path.stem)] == []


def test_the_first_line_of_a_module_names_it_in_plain_words() -> None:
    firsts = {dotted(path): docstring(path).splitlines()[0] for path in modules()}
    short = {name: first for name, first in firsts.items() if len(first) < 20}
    retired = {name: first for name, first in firsts.items() if RETIRED.search(first)}
    assert (short, retired) == ({}, {})


# -- packages ----------------------------------------------------------------------------------


def test_the_top_of_the_package_fits_on_one_screen() -> None:
    loose = {path.stem for path in modules() if path.parent == PACKAGE}
    assert loose == {"__init__", "__main__"}
    assert len(rooms()) <= MOST_ROOMS


def test_each_module_is_imported_or_an_entry_point() -> None:
    """What is named in a table and imported by it: the verbs and the sources of transcripts."""
    scripts = [*PROJECT["project"]["scripts"].values(), *PROJECT["project"]["gui-scripts"].values()]
    entries = {"engram.__main__", *(script.partition(":")[0] for script in scripts)}
    verbs = {f"engram.surfaces.cli.{verb}" for verb in (*VERBS, *FACES, "import_")}
    homes = {type(source(name)).__module__ for name in SOURCES}
    used = {name for path in modules() for name in imported(path)} | entries | verbs | homes
    packages = {dotted(path) for path in modules() if path.stem == "__init__"}
    assert {dotted(path) for path in modules()} - packages - used == set()


def test_surfaces_ask_verbs_of_the_vault_and_no_part_of_it() -> None:
    """What a verb of the vault does by itself, hand edits first, is not written out above it."""
    part = re.compile(
        r"\bvault\.(?:parts|settings\.recall)\b|\.(?:projections|catalog|library|settler)\b"
        r"|settle_within|count_access"
    )
    own = [path for path in modules() if PACKAGE / "surfaces" in path.parents]
    exempt = {PACKAGE / "surfaces" / "hooks", PACKAGE / "surfaces" / "qmd"}
    found = {
        f"{path.relative_to(ROOT).as_posix()}: {match.group()}"
        for path in own
        if exempt.isdisjoint(path.parents)
        for match in part.finditer(path.read_text(encoding="utf-8"))
    }
    assert len(own) > 60
    assert found == set()


def test_nothing_lies_at_the_top_but_what_belongs_there() -> None:
    """A vault or a file that a trial left would be shipped and read by everybody."""
    ignored = {name.rstrip("/") for name in (ROOT / ".gitignore").read_text("utf-8").split()}
    shown = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    assert {name for name in shown - ignored if not name.endswith(".egg-info")} <= TOP


def test_each_verb_of_the_vault_is_a_short_method() -> None:
    """Where a verb takes more steps, they are a use case of the pipeline, or a query."""
    (vault,) = (
        node
        for node in ast.walk(parsed(PACKAGE / "vault" / "__init__.py"))
        if isinstance(node, ast.ClassDef)
    )
    lengths = {
        node.name: sum(isinstance(one, ast.stmt) for one in ast.walk(node)) - 2
        for node in vault.body
        if isinstance(node, ast.FunctionDef)
    }
    assert len(lengths) > 60
    assert {name: count for name, count in lengths.items() if count > MOST_STATEMENTS} == {}


# -- libraries ---------------------------------------------------------------------------------


def test_each_library_is_imported_in_one_place() -> None:
    """click is the command line's, YAML the header of a note and the configuration of qmd; the
    others have one module."""
    libraries = {
        "click", "platformdirs", "frontmatter", "yaml", "rich", "watchdog", "whoosh", "openai",
        "httpx2", "tenacity", "regex", "tomlkit",
    }  # fmt: skip
    homes: dict[str, set[Path]] = {library: set() for library in libraries}
    for path in modules():
        for name in imported(path):
            homes.get(name.partition(".")[0], set()).add(path)
    assert {path.parent.name for path in homes.pop("click")} == {"cli"}
    assert {path.stem for path in homes.pop("yaml")} == {"foreign_header", "yaml_text"}
    assert {library: len(paths) for library, paths in homes.items()} == dict.fromkeys(homes, 1)


def test_one_module_reaches_the_network_one_listens_and_few_start_a_process() -> None:
    reached = {
        f"{path.relative_to(ROOT).as_posix()}: {name}"
        for path in modules()
        for name in imported(path, members=False)
        if name.partition(".")[0] in NETWORK | PROCESSES and name != "urllib.parse"
    }
    assert reached == WIRE | LISTENING | STARTING


# -- the pages ---------------------------------------------------------------------------------


def test_the_architecture_page_shows_the_import_contract() -> None:
    contracts = PROJECT["tool"]["importlinter"]["contracts"]
    layers = next(one["layers"] for one in contracts if one["type"] == "layers")
    shown = ARCHITECTURE.split("<!-- contract -->\n```\n")[1].split("```\n<!-- /contract -->")[0]
    assert shown.splitlines() == [layer.replace("engram.", "") for layer in layers]


def test_the_architecture_page_names_every_room_once() -> None:
    headings = re.findall(r"^- \*\*\[`(\w+)/`\]\(\.\./engram/(\w+)\)\*\*", ARCHITECTURE, re.M)
    assert sorted(name for name, _ in headings) == rooms()
    assert all(name == folder for name, folder in headings)


def test_every_module_that_a_page_names_exists() -> None:
    named = {
        name
        for page in (ARCHITECTURE, GLOSSARY)
        for name in re.findall(r"`([a-z_]+(?:/[a-z_]+)+(?:\.py)?)/?`", page)
        if name.partition("/")[0] in rooms()
    }
    assert len(named) > 60
    gone = [
        name
        for name in sorted(named)
        if not (PACKAGE / name).is_dir()
        and not (PACKAGE / name).is_file()
        and not (PACKAGE / f"{name}.py").is_file()
    ]
    assert gone == []


def test_every_class_that_the_glossary_names_exists() -> None:
    known = {name for path in modules() for name in classes(path)}
    named = set(re.findall(r"`([A-Z][A-Za-z]+)`", GLOSSARY))
    assert len(named) > 30
    assert named - known == set()


def test_modules_import_each_other_in_no_circle() -> None:
    own = {dotted(path): path for path in modules()}
    needs = {
        name: {one for one in imported(path) if one in own and one != name}
        for name, path in own.items()
        if path.stem != "__init__" or name == "engram.vault"
    }
    # what is taken from a package by name needs the module, not the package
    packages = {dotted(path) for path in modules() if path.stem == "__init__"} - {"engram.vault"}
    order = TopologicalSorter({name: found - packages for name, found in needs.items()})
    order.prepare()  # raises CycleError, which names the modules of a circle
