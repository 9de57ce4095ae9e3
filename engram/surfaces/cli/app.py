"""`engram`: a router that imports a verb's file only when the verb is called.

Turns arguments into one verb's call, and every EngramError and every mistake in the arguments into
one `error:` and one `hint:` line with its exit code; anything else is a bug (exit 70). With
`--json` an error is also an object on stdout, `{code, message, hint}`, if no data was written
before it. `--vault` and `--json` may stand before or after the command.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import keyword
import os
import sys
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, NoReturn

import click

from engram import __version__
from engram.model.display import plain_line
from engram.model.errors import EngramError, StorageError
from engram.surfaces.cli.arguments import Verbs, begin, chosen, common
from engram.surfaces.cli.output import emit_json, finish, not_taken, say, talk
from engram.surfaces.cli.verbs import FACES, GROUPS, VERBS
from engram.surfaces.remote.call_context import caller
from engram.surfaces.streams import prepare_streams

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

#: behind a traceback
BUG = (
    "error: this is a bug in engram; nothing that was committed is lost\n"
    "hint: run `engram doctor`, and report the lines above"
)
#: what a stream says that cannot take more
_NOT_TAKEN = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


class Router(Verbs):
    """Looks a verb's module up by its name and imports only that."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All verbs, those that the list leaves out at the end."""
        return [*VERBS, *FACES]

    def found(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a verb's module: `engram.surfaces.cli.<verb>`, `command`."""
        if cmd_name not in VERBS and cmd_name not in FACES:
            return None
        # `import` is a keyword of the language, so its file is called import_
        name = f"{cmd_name}_" if keyword.iskeyword(cmd_name) else cmd_name
        module = importlib.import_module(f"engram.surfaces.cli.{name}")
        command: click.Command = module.command
        return command

    def invoke(self, ctx: click.Context) -> object:
        """As click does; a reader that went away (`engram grep . | head -1`) is no failure.

        click itself would end the process with 1.
        """
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            caller().drop_output()
            return 0

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The verbs by group, without importing any of them."""
        for heading, verbs in GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl([*verbs.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The listed verbs that begin so, without importing any of them, and the options."""
        from click.shell_completion import CompletionItem

        if incomplete.startswith("-"):
            return click.Command.shell_complete(self, ctx, incomplete)
        listed = {verb: does for group in GROUPS.values() for verb, does in group.items()}
        return [
            CompletionItem(verb, help=does)
            for verb, does in listed.items()
            if verb.startswith(incomplete)
        ]


@click.command(
    cls=Router,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Begin with `engram init`, `engram import auto` and `engram search WORDS`."
    " `engram COMMAND --help` has examples. A vault is a folder of text files: a copy of it is a"
    " backup.\n\n"
    "Vault: --vault, else ENGRAM_VAULT, else the nearest parent that is one and is not"
    " shared, else your own (the setting `vault`).",
)
@click.version_option(__version__, prog_name="engram")
@common
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Your conversations with AI agents as dated, sourced Markdown facts."""
    if ctx.invoked_subcommand is None:
        say(ctx.get_help())


def main(arguments: list[str] | None = None) -> NoReturn:
    """The console script; ends the process with the exit code of design 6."""
    sys.excepthook = _bug
    prepare_streams()
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Run a command for its caller; returns the exit code of design 6."""

    def command() -> object:
        begin(sys.argv[1:] if arguments is None else arguments)
        # a code, or None; what a person quoted (`grep "*"`) is not to be expanded on Windows
        code = cli.main(arguments, "engram", standalone_mode=False, windows_expand_args=False)
        finish()
        return code

    return concluded(command)


def concluded(command: Callable[[], object]) -> int:
    """What a command returns as an exit code, what it raises as two lines and one; bugs pass."""
    try:
        code = command()
    except click.Abort as end:
        if isinstance(end.__cause__, EOFError):
            # click takes it for a closed terminal; here nothing asks one
            raise end.__cause__ from None
        talk("interrupted; what was captured before is kept")
        return 130
    except click.ClickException as error:
        return _refuse(_sentence(error), _usage_hint(error), error.exit_code, "USAGE_ERROR")
    except EngramError as error:
        return _refuse(str(error), error.hint, error.exit_code, error.told)
    except BrokenPipeError:
        # the reader went away (`engram list | head`): nothing to say, and nowhere to say it
        caller().drop_output()
        return 0
    except OSError as error:
        if error.filename is not None or error.errno not in _NOT_TAKEN:
            raise
        # the help, which click prints itself; whatever else writes says so by itself
        failed = not_taken(error)
        return _refuse(str(failed), failed.hint, 1, failed.told)
    except MemoryError:
        hint = "close something, or import in smaller parts"
        return _refuse("out of memory", hint, 1, "OUT_OF_MEMORY")
    return code if isinstance(code, int) else 0


def untaken(error: OSError) -> int:
    """The exit code, and the lines, when standard output does not take what a command said."""

    def finished() -> None:
        raise error if isinstance(error, BrokenPipeError) else not_taken(error)

    return concluded(finished)


def _refuse(message: str, hint: str, code: int, told: str) -> int:
    """Exactly two lines on stderr, for programs an object on stdout, and the exit code."""
    talk(f"error: {plain_line(message)}")
    talk(f"hint: {plain_line(hint)}")
    try:
        wanted = chosen().json or (told == "USAGE_ERROR" and chosen().named)
        if wanted and not chosen().answered:
            from engram.surfaces import json as shapes

            emit_json(shapes.error(told, plain_line(message), plain_line(hint)))
        finish()
    except (StorageError, BrokenPipeError):
        caller().drop_output()
    return code


def _sentence(error: click.ClickException) -> str:
    """What click says, as this program says things: no capital, no full stop."""
    if isinstance(error, click.NoSuchOption):
        return f"there is no option {error.option_name}"
    text = error.format_message().strip().removesuffix(".")
    return text[:1].lower() + text[1:]


def _usage_hint(error: click.ClickException) -> str:
    context = error.ctx if isinstance(error, click.UsageError) else None
    return f"see `{context.command_path if context else 'engram'} --help`"


def _bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Whatever reaches the top and is none of our errors: say so, show where, exit 70."""
    if issubclass(kind, KeyboardInterrupt):  # before or after the command itself
        os._exit(130)
    sys.__excepthook__(kind, error, trace)
    talk(BUG)
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    os._exit(70)
