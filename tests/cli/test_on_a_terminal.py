"""The command line on a real (pseudo) terminal: colour, width, progress, and when there is none."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from tests.cli.shop import Shop
from tests.golden.console import prompt_context

ROOT = Path(__file__).parents[2]
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def on_terminal(
    shop: Shop, *arguments: str, width: int = 60, stream: str = "stdout", typed: str = "",
    **more: str,
) -> str:  # fmt: skip
    """What `engram ARGUMENTS` shows on a terminal that one of its streams is.

    With something `typed` standard input is the terminal as well.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    environment = prompt_context(shop.folder) | shop.environment | {"TERM": "xterm"} | more
    del environment["COLUMNS"]
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL} | {stream: theirs}
    process = subprocess.Popen(
        [sys.executable, "-m", "engram", *arguments], cwd=shop.folder,
        stdin=theirs if typed else subprocess.DEVNULL,
        env=environment | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}, **streams,
    )  # fmt: skip
    os.close(theirs)
    os.write(ours, typed.encode("utf-8"))
    shown = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # how Linux says that the other end was closed
            break
        if not part:
            break
        shown += part
    os.close(ours)
    assert process.wait(60) == 0
    return shown.decode("utf-8").replace("\r\n", "\n")


def test_found_words_stand_out_and_lines_fit(shop: Shop) -> None:
    shown = on_terminal(shop, "search", "writers")
    assert "\x1b[31m\x1b[1mwriters\x1b[0m" in shown
    bare = _ESCAPE.sub("", shown).splitlines()
    assert bare[0] == "memories" and bare[1].endswith("  We decided to use")
    assert bare[2:4] == [
        "    Postgres", "    We decided to use Postgres because two writers need it.",
    ]  # fmt: skip
    narrow = _ESCAPE.sub("", on_terminal(shop, "search", "writers", width=40))
    assert "    We decided to use Postgres because\n    two writers need it.\n" in narrow
    assert "\x1b[31m" in on_terminal(shop, "grep", "writers")


@pytest.mark.parametrize("more", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_person_who_wants_no_colour_gets_none(more: dict[str, str], shop: Shop) -> None:
    for arguments in (["search", "writers"], ["grep", "writers"], ["list"], ["why", "decision"]):
        assert "\x1b" not in on_terminal(shop, *arguments, **more)


def test_an_empty_no_color_is_none(shop: Shop) -> None:
    assert "\x1b[" in on_terminal(shop, "list", NO_COLOR="")


def test_json_has_no_colour(shop: Shop) -> None:
    assert "\x1b" not in on_terminal(shop, "search", "writers", "--json")


def test_a_listing_is_fitted_to_the_terminal(shop: Shop) -> None:
    shown = _ESCAPE.sub("", on_terminal(shop, "list", width=40)).splitlines()
    assert shown[-2:] == ["#9e7922 2026-03-04 decision shop  We", "    decided to use Postgres"]


def test_an_import_shows_its_progress_on_a_terminal_only(shop: Shop) -> None:
    line = '{"role": "user", "content": "Shelf %d holds flour."}\n'
    shop.write("more.jsonl", "".join(line % number for number in range(50)))
    shown = on_terminal(shop, "import", "jsonl", "more.jsonl", stream="stderr")
    assert "reading jsonl" in _ESCAPE.sub("", shown)
    shop.write("again.jsonl", "".join(line % number for number in range(50, 60)))
    assert "reading" not in shop.run("import", "jsonl", "again.jsonl").err


@pytest.mark.parametrize(("answer", "taken"), [("y\n", True), ("n\n", False), ("\n", False)])
def test_an_import_of_everything_asks_before_it_takes_anything(
    answer: str, taken: bool, shop: Shop
) -> None:
    shop.write("new/talk.jsonl", '{"role": "user", "content": "The oven has two doors."}\n')
    shown = on_terminal(
        shop, "import", "auto", "new", stream="stderr", typed=answer, width=100
    )  # fmt: skip
    assert "take in 1 turn? [y/N]" in shown
    assert ("engram undo import-" in shown) is taken
    assert ("nothing was imported" in shown) is not taken
