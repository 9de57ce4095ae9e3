"""Words of conversations are run by no program that reads notes, wherever they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from engram.model.ids import message_digest
from engram.model.turn import Turn
from engram.vault import Vault
from tests.kit import files

_RUN = [
    "<%* require('x') %>", "<% tp.date.now() %>", "<%- y -%>", "<%_ z _%>", "{{ config }}",
    "{% raw %}", "{{{a}}}", "`= this.file.name`", "`$= dv.pages()`", "`BUTTON[go]`",
    "`INPUT[text:a]`",
    "[a](javascript:go())", "[b](<obsidian://open?vault=x>)", "[c](data:text/html,go)",
    "[d](java&#115;cript:go())", "obsidian://advanced-uri?commandid=go", "<script>go()</script>",
    "<iframe src=x>", "![[secret]]", "![p](http://x.y/z.png)", "%%go%%", "[[profile]]", "#go",
    "`{{ a }}` ``<% b %>``",
]  # fmt: skip
WORDS = " ".join(_RUN)
CODE = (
    "\n\n```dataviewjs\ndv.pages()\n<% a %> {{ b }}\n```\n~~~tasks\nx\n~~~\n```mermaid\ngraph TD\n"
)
#: What acts as soon as it stands anywhere in a note, its header and its code included.
_ANYWHERE = re.compile(
    r"<%|\{\{|\{%|`\s*\$?=|`(?:BUTTON|INPUT)\[|(?<!\\)(?:!\[|obsidian:/|<\w|%%|#go)"
)


def _turns(count: int) -> list[Turn]:
    """Turns in whose every field such words stand."""
    made = []
    for number in range(count):
        words = _RUN[number % len(_RUN)]
        said = f"{words} is what we start with.{CODE}" if not number else ""
        said = said or f"We decided to use {words} for the oak{number} tables."
        made.append(
            Turn(
                "api", f"s {WORDS}", "user", said, f"2026-03-06T10:{number:02d}:00Z",
                message_digest("api", "s", str(number)), f"p {WORDS}", WORDS,
                (f"Edit {WORDS}", words), speaker=WORDS,
            )
        )  # fmt: skip
    return made


def _live(root: Path) -> list[str]:
    """Each line of a note that another program would run, but for the program's own home page."""
    notes = [path for path in files(root) if path.suffix == ".md" and "state" not in path.parts]
    return [
        f"{path.relative_to(root)}: {line}"
        for path in notes
        if path.name not in ("home.md", "README.md")
        for line in path.read_text(encoding="utf-8").split("\n")
        if _ANYWHERE.search(line) or re.match(r"\s*(?:```|~~~)\s*\w", line)
    ]


def _links(root: Path) -> set[str]:
    """Where the links of all notes lead."""
    renderer = MarkdownIt("commonmark")
    renderer.validateLink = lambda url: True  # type: ignore[method-assign]
    tokens = [
        child
        for path in files(root)
        if path.suffix == ".md" and path.name not in ("home.md", "README.md")
        for token in renderer.parse(path.read_text(encoding="utf-8"))
        for child in token.children or []
    ]
    return {str(token.attrs["href"]) for token in tokens if token.type == "link_open"}


@pytest.mark.parametrize("again", [False, True])
def test_no_field_of_a_conversation_is_run_from_a_note(
    vault: Vault, tmp_path: Path, again: bool
) -> None:
    vault.capture(_turns(len(_RUN) + 1))
    vault.flush()
    vault.remember(f"We use {WORDS} for oak.")
    vault.consolidate(full=True)
    identifiers = [memory.id for memory in vault.list(limit=100)]
    assert len(identifiers) > 5
    vault.forget(identifiers[0], reason=WORDS)
    vault.retire([identifiers[1]], WORDS)
    if again:
        vault.rebuild()
        vault.capture(_turns(len(_RUN) + 3))
        vault.flush()
        vault.consolidate(full=True)
    root = tmp_path / "vault"
    assert _live(root) == []
    assert not [url for url in _links(root) if not url.startswith("http")]
    goals = [path for path in files(root / "boxes") if "goal:" in path.read_text("utf-8")]
    assert goals
    for words in ("require", "advanced", "oak7"):
        assert vault.search(words)
