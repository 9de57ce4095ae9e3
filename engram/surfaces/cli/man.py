"""`engram man`: the tree of verbs -> a manual page in roff, as `man` reads it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click

from engram import __version__
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import Verbs, common
from engram.surfaces.cli.examples import examples_of
from engram.surfaces.cli.output import emit_json, say, wants_json
from engram.surfaces.cli.verbs import GROUPS

#: what every verb takes, told once
_COMMON = frozenset({"--vault", "--json", "--help"})


@click.command("man")
@common
def command() -> None:
    """Print the manual page of all verbs, with their options and examples, for `man -l -`."""
    # imported here: it is the root that is told of
    from engram.surfaces.cli.app import cli

    page = manual(cli)
    if wants_json():
        emit_json(shapes.manual_page(page))
    else:
        say(page, raw=True)


def manual(root: click.Command) -> str:
    """The page in roff, every verb that is listed in the order of the list."""
    context = click.Context(root, info_name="engram", **root.context_settings)
    lines = [
        f'.TH ENGRAM 1 "" "engram {__version__}"', ".SH NAME",
        f"engram \\- {_plain(root.help or '').removesuffix('.')}", ".SH SYNOPSIS",
        ".B engram\n[--vault PATH] COMMAND [--json] [ARGS]...", ".SH DESCRIPTION",
        *_paragraphs(root.epilog or ""), ".SH OPTIONS", *_options(root, context, frozenset()),
    ]  # fmt: skip
    for heading, verbs in GROUPS.items():
        lines.append(f'.SH "{heading.upper()}"')
        for verb in verbs:
            lines += _told(root, context, verb)
    lines += [
        ".SH EXIT STATUS",
        "0 done; 1 it cannot be done; 2 the arguments are wrong; 3 somebody else writes, or the"
        " file changed meanwhile; 4 a budget is used up; 70 a bug",
    ]
    return "\n".join(lines)


def _told(group: click.Command, context: click.Context, name: str) -> Iterator[str]:
    """A command with its usage, help, options and examples, and then its own commands."""
    assert isinstance(group, click.Group)
    command = group.get_command(context, name)
    assert command is not None, name
    inner = click.Context(command, context, info_name=name)
    path = inner.command_path
    pieces = " ".join(_literal(one) for one in command.collect_usage_pieces(inner))
    yield f'.SS "{path}"\n.B {path}\n{pieces}\n.PP'
    yield from _paragraphs(command.help or "")
    yield from _options(command, inner, _COMMON)
    yield from _paragraphs(command.epilog or "")
    for shown in examples_of(path.partition(" ")[2]):
        yield f".PP\n.RS 4\n.nf\n{_literal(shown)}\n.fi\n.RE"
    if isinstance(command, Verbs):
        for one in command.list_commands(inner):
            yield from _told(command, inner, one)


def _options(
    command: click.Command, context: click.Context, left_out: frozenset[str]
) -> Iterator[str]:
    for option in command.get_params(context):
        shown = option.get_help_record(context) if isinstance(option, click.Option) else None
        if shown is not None and left_out.isdisjoint(option.opts):
            yield f".TP\n.B {_literal(shown[0])}\n{_literal(shown[1])}"


def _paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a help text, but for examples, which come behind the options."""
    for part in inspect.cleandoc(text).split("\n\n"):
        if part.startswith("\b\n") and not part.startswith("\b\nExamples:"):
            yield f".PP\n.nf\n{_literal(part[2:])}\n.fi"
        elif part.strip("\b\n ") and not part.startswith("\b"):
            yield f".PP\n{_plain(part)}"


def _plain(text: str) -> str:
    return _literal(" ".join(text.split()))


def _literal(text: str) -> str:
    """Text that roff takes as it is: no escapes, and no request at the start of a line."""
    shown = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", shown, flags=re.MULTILINE)
