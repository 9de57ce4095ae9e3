"""What may stand on every command line: the common options, days, and words that begin with `-`.

`--vault` and `--json` are read wherever they stand, before or after a command, and land in one
place, `chosen()`; the last one counts. Refused, as usage errors: an empty `--vault`, which a script
with an unset variable would give, and days that are none.
"""

from __future__ import annotations

import itertools
import re
import shlex
import sys
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeVar

import click

from engram.model.memory import CATEGORIES
from engram.model.tier import MODES

#: for an option that takes a category
CATEGORY = click.Choice(CATEGORIES)

_Command = TypeVar("_Command", bound=Callable[..., Any])
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_PERIOD = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")


@dataclass(slots=True)
class Chosen:
    """What the common options said; an empty `vault` was not given.

    `answered` is set when data was written: an error that follows is no second document.
    `named` is whether `--json` stands anywhere: what ends the parsing comes before it is read.
    `timezone` is that of the vault which was opened: times are shown in it.
    """

    vault: str = ""
    json: bool = False
    answered: bool = False
    named: bool = False
    timezone: str = "UTC"


_of_command: ContextVar[Chosen] = ContextVar("chosen")


def begin(arguments: Sequence[str] = ()) -> None:
    """A command begins: nothing is chosen yet."""
    options = itertools.takewhile(lambda one: one != "--", arguments)
    _of_command.set(Chosen(named="--json" in options))


def chosen() -> Chosen:
    """The common options of the command that is running, or has just ended."""
    try:
        return _of_command.get()
    except LookupError:
        begin()
        return _of_command.get()


def program() -> str:
    """How a command begins that is to work on the same vault: `engram`, or with its --vault."""
    return f"engram --vault {shlex.quote(chosen().vault)}" if chosen().vault else "engram"


def common(function: _Command) -> _Command:
    """The options that every command takes: `--vault PATH` and `--json`."""
    for option in (
        click.option(
            "--json", is_flag=True, expose_value=False, callback=_json, help="Print data as JSON."
        ),
        click.option(
            "--vault", metavar="PATH", expose_value=False, callback=_vault,
            help="The vault to work on.",
        ),
    ):  # fmt: skip
        function = option(function)
    return function


def _json(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        chosen().json = True


def _vault(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    if value == "":
        raise click.BadParameter("it is empty", context, parameter)
    if value is not None:
        chosen().vault = value


def day(context: click.Context, parameter: click.Parameter, value: str | None) -> str:
    """For an option's callback: `YYYY-MM-DD` as it was written, or '' when it was not given."""
    try:
        if value is not None and not _DAY.fullmatch(value):
            raise click.BadParameter("")
        return period(context, parameter, value)
    except click.BadParameter as error:
        message = f"{value!r} is no day like 2026-03-06"
        raise click.BadParameter(message, context, parameter) from error


def period(context: click.Context, parameter: click.Parameter, value: str | None) -> str:
    """The same for a day, a month (`2026-03`) or a year, which compare as text with days."""
    if value is None:
        return ""
    parts = _PERIOD.fullmatch(value)
    try:
        if parts is None:
            raise ValueError
        date(int(parts[1]), int(parts[2] or 1), int(parts[3] or 1))
    except ValueError as error:
        message = f"{value!r} is no day like 2026-03-06, nor a month like 2026-03"
        raise click.BadParameter(message, context, parameter) from error
    return value


def as_of(command: _Command) -> _Command:
    """The option `--as-of DAY` of whatever tells memories."""
    return click.option(
        "--as-of", callback=day, metavar="DAY",
        help="What was true on that day, also if it was replaced since.",
    )(command)  # fmt: skip


def mode(command: _Command) -> _Command:
    """The option `--mode NAME` of whatever ranks memories."""
    return click.option(
        "--mode", type=click.Choice(MODES), metavar="NAME",
        help="Only memories that are hot (reflexive), or warm too (standard), or cold too (deep),"
        " or all, whatever became of them (exhaustive).",
    )(command)  # fmt: skip


class HelpContext(click.Context):
    """The context of every command; its help is a page that fits the terminal, with examples."""

    def get_help(self) -> str:
        """The page of the command."""
        from engram.surfaces.cli.examples import epilog_of

        shown = epilog_of(self.command_path.partition(" ")[2])
        if shown and shown not in (self.command.epilog or ""):
            self.command.epilog = "\n\n".join(filter(None, (self.command.epilog, shown)))
        return super().get_help()

    def make_formatter(self) -> click.HelpFormatter:
        """As click's, with the width of the caller's terminal."""
        from engram.surfaces.cli.help_page import HelpPage

        return HelpPage()


class Verbs(click.Group):
    """A group that suggests the nearest of its commands for a misspelt one."""

    context_class = HelpContext

    def found(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """One of its commands, None where there is none of that name."""
        return super().get_command(ctx, cmd_name)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The same, with help as all commands have it."""
        command = self.found(ctx, cmd_name)
        if command is not None:
            command.context_class = HelpContext
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Each command with the whole first sentence of its help."""
        named = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, one.get_short_help_str(10_000)) for name, one in named if one is not None]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does. Raises UsageError for a command that there is none of."""
        name, known = args[0], self.list_commands(ctx)
        if name not in known and not name.startswith("-"):
            # imported here: only a mistake needs it
            from difflib import get_close_matches

            near = get_close_matches(name[:50], known, n=1)
            more = f"; did you mean `{near[0]}`?" if near else ""
            raise click.UsageError(f"there is no command `{name}`{more}", ctx)
        return super().resolve_command(ctx, args)


class FreeWords(click.Command):
    """A command whose arguments are words of a person: `-word` is one, not a bundle of options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does, with the words behind a `--`, in their order."""
        options = [option for option in self.params if isinstance(option, click.Option)]
        flags = {name for one in options if one.is_flag for name in one.opts}
        valued = {name for one in options if not one.is_flag for name in one.opts}
        kept: list[str] = []
        words: list[str] = []
        rest = iter(args)
        for given in rest:
            if given == "--":
                words.extend(rest)
            elif given in valued:
                value = next(rest, None)
                if value is None:
                    raise click.BadOptionUsage(given, f"option {given} needs a value", ctx)
                kept += (given, value)
            elif given.startswith("--") or given in flags or given in ctx.help_option_names:
                kept.append(given)
            else:
                words.append(given)
        return super().parse_args(ctx, [*kept, "--", *words])


def scope_arguments(command: _Command) -> _Command:
    """The arguments that name memories, turns and conversations, or all that holds a text."""
    command = click.argument("what", nargs=-1, metavar="[ID | TURN | CONVERSATION]...")(command)
    return click.option(
        "--matching", default="", metavar="TEXT",
        help="All that holds TEXT, in any case; `-` reads it from stdin.",
    )(command)  # fmt: skip


def named(what: tuple[str, ...], matching: str) -> tuple[tuple[str, ...], str]:
    """What `scope_arguments` were given; a text of `-` is read, so that no shell keeps it."""
    if bool(what) == bool(matching):
        raise click.UsageError(
            "name what is meant, or give --matching TEXT", click.get_current_context()
        )
    return what, sys.stdin.readline().strip("\r\n") if matching == "-" else matching
