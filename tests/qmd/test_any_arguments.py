"""Whatever stands on the command line of the qmd face, it ends with a code of qmd's."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.effort import examples
from tests.qmd.desk import Desk

_COMMANDS = st.sampled_from([
    "search", "vsearch", "query", "get", "multi-get", "ls", "collection", "context", "update",
    "embed", "cleanup", "status", "doctor", "init", "pull", "--version", "--help", "nonsense",
])  # fmt: skip
#: no `update-cmd`: what it is given is run
_SUBCOMMANDS = st.sampled_from([
    "add", "list", "remove", "rename", "show", "include", "exclude", "help", "rm", "mv", "info",
])  # fmt: skip
_WORDS = st.sampled_from([
    "notes", "qmd://notes/", "qmd://notes/boats", "boats/yawl.md", "yawl.md:2:1", "#abcdef", "*.md",
    "a,b", "{a,b", "/", ".", "//", "qmd:", "qmd://", "notes/**", "mizzen", '"two', "-x", "lex: a",
    "lex: a\nvec: b", "intent: x", "expand:", "東京", "²", "", "\udcff", "\x1b[31m", "9" * 400,
    "~/x", "qmd://notes/x?index=other", "a:0:0", ":9", "[", "!", "\\", "a\0b",
])  # fmt: skip
_OPTIONS = st.sampled_from([
    "--json", "--csv", "--md", "--xml", "--files", "--full", "--all", "--explain", "--full-path",
    "--line-numbers", "-n", "-n5", "--min-score", "-c", "-l", "--from", "--max-bytes", "--format",
    "--index", "--name", "--mask", "--dry-run", "-f", "--", "-", "--index=a/b", "--intent", "---",
    "--format=json", "-c=notes",
])  # fmt: skip


@pytest.fixture(scope="module")
def same_desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """One desk for all examples; each goes on with what those before it left."""
    machine = Desk(Path(tmp_path_factory.mktemp("desk")))
    machine.run("collection", "add", "notes")
    return machine


@examples(65, shared_fixture=True)
@given(
    command=_COMMANDS,
    words=st.lists(_WORDS | _SUBCOMMANDS | _OPTIONS | st.text(max_size=8), max_size=5),
)
def test_it_ends_with_a_code_and_no_traceback(
    command: str, words: list[str], same_desk: Desk
) -> None:
    ran = same_desk.run(command, *words)
    assert ran.code in (0, 1), ran.err
    assert "Traceback" not in ran.err and "a bug in engram" not in ran.err
    assert ran.code == 0 or ran.err or "--help" in words or command == "doctor"
