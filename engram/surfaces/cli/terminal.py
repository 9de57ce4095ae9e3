"""Text -> what a terminal of some width and some colours shows of it; all else gets plain text.

Colour, bold and progress bars appear on a terminal only, and not with NO_COLOR or TERM=dumb. Text
is fitted to COLUMNS, else to the terminal; where neither says how wide a line may be it stays in
one piece, so that a pipe gets whole lines. What is foreign has its control characters taken out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import click

from engram.model.display import columns, plain, plain_line
from engram.surfaces.remote.call_context import caller

#: (start, end) offsets of words in a text
Spans = Sequence[tuple[int, int]]

#: Narrower than this, lines are not fitted: nothing would be left of them.
_NARROWEST = 20
#: work that takes no longer is not shown, seconds
_LONG = 1.0


def styled(text: str, **style: Any) -> str:
    """ANSI style on a terminal that wants it, the plain text elsewhere (NO_COLOR, pipes)."""
    environment = caller().environment
    wanted = caller().out.isatty() and not environment.get("NO_COLOR")
    return click.style(text, **style) if wanted and environment.get("TERM") != "dumb" else text


def has_blocks() -> bool:
    """Whether the locale takes block characters; one that nobody set does."""
    environment = caller().environment
    names = (environment.get(name, "") for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    locale = next((name for name in names if name), "UTF-8")
    return "utf" in locale.casefold()


def fitted(text: str, indent: int = 0) -> str:
    """One line of text, cut with `…` where it would not fit beside its indentation."""
    indent = _margin(indent)
    room = _room(indent)
    line = plain_line(text)
    if room is None or columns(line) <= room:
        return " " * indent + line
    used = end = 0
    while used + columns(line[end]) < room:
        used += columns(line[end])
        end += 1
    return " " * indent + line[:end].rstrip() + "…"


def paragraph(text: str, indent: int, spans: Spans = ()) -> str:
    """A harmless one-line text over as many indented lines as it takes, its spans made bold.

    `text` has been through `plain`: spans are offsets into what is shown.
    """
    margin = " " * (indent := _margin(indent))
    lines = [
        margin + _marked(text[start:end], [(a - start, b - start) for a, b in spans])
        for start, end in _lines(text, _room(indent))
    ]
    return "\n".join(lines)


def hanging(text: str, indent: int) -> str:
    """A harmless one-line text; what does not fit into the first line goes on below, indented."""
    indent = _margin(indent)
    first, *more = (text[start:end] for start, end in _lines(text, _room(indent)))
    return "\n".join([first.rstrip(), *(" " * indent + line.rstrip() for line in more)])


def marked(text: str, spans: Spans) -> str:
    """A foreign line with its spans made bold and its control characters taken out."""
    return _marked(text, spans, show=plain)


def _marked(text: str, spans: Spans, show: Callable[[str], str] = str) -> str:
    parts: list[str] = []
    done = 0
    for start, end in spans:
        start, end = max(start, done), min(end, len(text))
        if start < end:
            found = styled(show(text[start:end]), fg="red", bold=True)
            parts += [show(text[done:start]), found]
            done = end
    return "".join(parts) + show(text[done:])


def width() -> int | None:
    """The columns of the caller's terminal; None when nothing says how wide a line may be."""
    try:
        wide = int(caller().environment.get("COLUMNS", ""))
    except ValueError:
        wide = caller().columns()
    return None if wide < 1 else max(wide, _NARROWEST)


def _room(indent: int) -> int | None:
    """The columns beside an indentation; None when there is no end to them."""
    wide = width()
    return None if wide is None else wide - indent


def _margin(indent: int) -> int:
    """An indentation, less of it where a terminal is so narrow that it would be half of a line."""
    wide = width()
    return indent if wide is None else min(indent, wide // 5)


def _lines(text: str, room: int | None) -> Iterator[tuple[int, int]]:
    """Start and end of each line of a text that is broken between words.

    A word that is too long stays whole, so that an id or a path can be copied; text without blanks
    (Chinese, Japanese) is broken between letters.
    """
    start = 0
    while room is not None and columns(text[start:]) > room:
        used, end = 0, start
        while used + columns(text[end]) <= room:
            used += columns(text[end])
            end += 1
        blank = end if text[end] == " " else text.rfind(" ", start, end)
        stop = blank if blank > start else _word_end(text, end)
        yield start, stop
        if stop == len(text):
            return
        start = stop + 1 if text[stop] == " " else stop
    yield start, len(text)


def _word_end(text: str, at: int) -> int:
    """Where a word ends that is too long for a line; for wide letters here."""
    end = text.find(" ", at)
    end = len(text) if end < 0 else end
    return end if text[at:end].isascii() else at


@contextmanager
def bar_of_long_work(names: Mapping[str, str]) -> Iterator[Callable[[str, int, int], None]]:
    """A bar on stderr once work takes over a second: told which part of it, how much of it is done,
    and of how much. On a terminal alone; without one nothing is shown.
    """
    began, bars = time.monotonic(), ExitStack()
    shown: dict[str, tuple[int, Callable[[int], None]]] = {}

    def advance(part: str, done: int, total: int) -> None:
        if part not in shown:
            if done >= total or time.monotonic() < began + _LONG:
                return
            bars.close()
            shown[part] = 0, bars.enter_context(progress((names[part], total)))[0]
        before, tell = shown[part]
        shown[part] = done, tell
        tell(done - before)

    with bars:
        yield advance


@contextmanager
def progress(*steps: tuple[str, int | None]) -> Iterator[list[Callable[[int], None]]]:
    """A bar on stderr for each step, of `total` units or of nobody knows how many.

    Yields one function a step, to be told how many units were done.
    """
    if not caller().err.isatty() or caller().environment.get("TERM") == "dumb":
        yield [lambda _: None for _ in steps]
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:

        def teller(task: TaskID) -> Callable[[int], None]:
            return lambda done: bars.update(task, advance=done)

        yield [teller(bars.add_task(plain(what), total=total)) for what, total in steps]
