"""Help: what click knows of a command -> a page that fits the terminal, with examples at its end.

Lines are broken between words only. A terminal too narrow for two columns gets each option and verb
on a line of its own and what it does below it. Summaries are never cut.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

import click

from engram.surfaces.cli.terminal import width

#: the widest page, and how much of a line the texts of two columns need
_WIDEST, _TEXT = 78, 22
#: of a page that nothing says the width of
_USUAL = 80
_NARROWEST = 18


class HelpPage(click.HelpFormatter):
    """click's formatter, with the width of the caller's terminal."""

    def __init__(
        self, indent_increment: int = 2, width: int | None = None, max_width: int | None = None
    ) -> None:
        super().__init__(indent_increment, width or _page_width(), max_width)

    def write_text(self, text: str) -> None:
        """Paragraphs; one that begins with `\\b` keeps its lines."""
        margin = " " * self.current_indent
        parts = [part.strip("\n") for part in text.split("\n\n")]
        for number, part in enumerate(parts):
            if number:
                self.write("\n")
            if part.startswith("\b\n"):
                for line in part.splitlines()[1:]:
                    begin = margin + line[: len(line) - len(line.lstrip())]
                    self._fill(line.strip(), begin, f"{begin}    ", self.width + 2)
            else:
                self._fill(" ".join(part.split()), margin, margin)

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """`Usage: engram list [OPTIONS]`, broken between arguments."""
        usage = f"{prefix or 'Usage: '}{prog} {args}".rstrip()
        self._fill(usage, " " * self.current_indent, " " * (self.current_indent + 4))

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        """Terms and their texts, in two columns or below each other."""
        listed: Sequence[tuple[str, str]] = list(rows)
        margin = " " * self.current_indent
        column = min(max((len(term) for term, _ in listed), default=0), col_max) + col_spacing
        below = self.width - self.current_indent - column < _TEXT
        for term, text in listed:
            rest = f"{margin}    " if below else margin + " " * column
            if below or len(term) > column - col_spacing:
                self._fill(term, margin, f"{margin}  ")
                self._fill(text, rest, rest)
            else:
                self._fill(text, f"{margin}{term:<{column}}", rest)

    def _fill(self, text: str, first: str, rest: str, width: int = 0) -> None:
        lines = textwrap.wrap(
            text, width or self.width, initial_indent=first, subsequent_indent=rest,
            break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip
        self.write("".join(f"{line}\n" for line in lines))


def _page_width() -> int:
    return min(max((width() or _USUAL) - 2, _NARROWEST), _WIDEST)
