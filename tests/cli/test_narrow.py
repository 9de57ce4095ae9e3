"""What a person reads fits a narrow terminal: no line is wider but for an id, a path or a link."""

from __future__ import annotations

from pathlib import Path

import pytest

from engram.model.display import columns
from tests.cli.shop import Shop, make_shop

#: verbs that only read, without those that print a file as it is
READING = (
    ["search", "writers"], ["list"], ["today", "--day", "2026-03-04"], ["entities"], ["boxes"],
    ["traces"], ["summaries"], ["links", "decision"], ["links", "tool-postgres"],
    ["why", "decision"], ["why", "--refused"], ["log"], ["log", "2"], ["tiers"],
    ["tiers", "--at-risk", "--days", "300"], ["status"], ["phases", "list"], ["events"],
    ["daemon", "status"], ["review"], ["audit"], ["doctor", "--quick"], ["stats"],
    ["forget", "decision", "--dry-run"], ["undo", "--dry-run"], ["gc", "--dry-run"],
    ["consolidate", "--dry-run"], ["sources"],
)  # fmt: skip


@pytest.fixture(scope="module")
def full_shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """A shop after a consolidation, and after a change by hand."""
    shop = make_shop(tmp_path_factory.mktemp("narrow"))
    shop.run("remember", "The till in the back room runs on a Raspberry Pi 4.", "--project", "shop")
    shop.run("consolidate")
    shop.run("forget", "fact")
    return shop


@pytest.mark.parametrize("wide", [20, 40, 80])
def test_no_line_is_wider_than_the_terminal(wide: int, full_shop: Shop) -> None:
    full_shop.environment["COLUMNS"] = str(wide)
    too_wide: list[tuple[str, str]] = []
    for arguments in READING:
        ran = full_shop.run(*arguments)
        assert ran.code in (0, 1) and "Traceback" not in ran.err, (arguments, ran.err)
        for line in ran.out.splitlines():
            if columns(line) > wide and not _is_one_word(line, wide):
                too_wide.append((" ".join(arguments), line))
    assert too_wide == []


def _is_one_word(line: str, wide: int) -> bool:
    """Whether a line is too wide because of one word that nothing can break, or is a path."""
    return "/" in line or max(map(columns, line.split())) > wide - 12 or len(line.split()) == 1


def test_a_terminal_without_utf_8_and_without_colours_gets_text(full_shop: Shop) -> None:
    full_shop.environment |= {"COLUMNS": "80", "LC_ALL": "C", "NO_COLOR": "1", "PYTHONUTF8": "0"}
    for arguments in READING[:6]:
        ran = full_shop.run(*arguments)
        assert ran.code == 0 and "\x1b" not in ran.out + ran.err
    assert Path(full_shop.vault).is_dir()
