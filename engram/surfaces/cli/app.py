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
from typing import NoReturn

import click

from engram import __version__
from engram.model.display import plain_line
from engram.model.errors import EngramError, StorageError
from engram.surfaces.cli.arguments import Verbs, begin, chosen, common
from engram.surfaces.cli.output import emit_json, finish, not_taken, say, talk
from engram.surfaces.remote.call_context import caller
from engram.surfaces.streams import prepare_streams

#: verb -> one line of help, in the order in which a newcomer needs them
VERBS: dict[str, str] = {
    "init": "make a vault and register it",
    "trust": "register an existing vault on this machine",
    "import": "take in transcripts of an agent, once",
    "sources": "the kinds of transcripts, and what is on this machine",
    "capture": "take in turns from stdin, or follow a folder",
    "remember": "write one memory down, in your words",
    "new": "write one record down: a decision, a runbook, a session ...",
    "extract": "turn pending turns into memories now",
    "retry": "queue again what failed too often",
    "search": "find memories and turns by words",
    "grep": "find lines by a regular expression",
    "recall": "a ranked, budgeted answer with sources, for a person or an agent",
    "today": "what was learnt today",
    "list": "the memories, filtered",
    "show": "one memory as it is on disk",
    "why": "where a memory came from, and all that happened to it",
    "tiers": "how many memories are hot, warm, cold and archived, and which will fall",
    "links": "what a memory or summary points to, and what points to it",
    "entities": "the people, tools and projects that memories speak of",
    "boxes": "what was learnt in each stretch of a conversation",
    "traces": "subjects that came up again, as time lines",
    "summaries": "what related memories say, in few lines",
    "forget": "take a memory out of use; its file stays",
    "restore": "bring a memory back",
    "edit": "change a memory in your editor",
    "confirm": "say that a memory holds",
    "retire": "take memories out of use, and leave what was said searchable",
    "archive": "put memories out of the way",
    "supersede": "let one memory replace another",
    "resolve": "settle a contradiction",
    "promote": "let a memory hold in another space: for you everywhere, or for a project",
    "review": "the weekly habit: what waits for you, one key each",
    "purge": "destroy a memory's content for good",
    "consolidate": "merge, replace, age and tidy now; all of it can be undone",
    "gc": "move to the archive what was retired long ago",
    "conflicts": "take in what sync tools left apart, as far as that is sure",
    "undo": "take a change back; undo an undo to have it again",
    "log": "the changes, newest first",
    "events": "what was written, refused, replaced, forgotten and given, event by event",
    "status": "what is pending, captured, refused, and when",
    "stats": "turns, memories, refusals and spending by week, as bars or a picture",
    "audit": "the quality of what was written, with one fix for each row",
    "doctor": "check the vault, with one fix for each finding",
    "embed": "make vectors of memories and turns, so that search goes by meaning too",
    "rebuild": "make catalog, index and views anew from the files",
    "config": "show, set and locate the configuration",
    "phases": "begin a phase of a project, and see what changed since the one before",
    "policy": "what may be remembered and who is given it; try it on a text",
    "daemon": "capture in the background: run, start, stop, pause, install",
    "connect": "let an agent be given memories by itself",
    "disconnect": "take that back; its settings are as before",
    "hook": "what a connected agent calls",
    "export": "put memories into a marked block of CLAUDE.md, or records into JSON files",
}  # fmt: skip
#: verbs that take the arguments of another program, and answer as that does
FACES: dict[str, str] = {
    "qmd": "what calls qmd can call this: search any folders of Markdown",
}


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
        """All verbs, in the order of VERBS and then of FACES."""
        return [*VERBS, *FACES]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a verb's module: `engram.surfaces.cli.<verb>`, `command`."""
        if cmd_name not in VERBS and cmd_name not in FACES:
            return None
        # `import` is a keyword of the language, so its file is called import_
        name = f"{cmd_name}_" if keyword.iskeyword(cmd_name) else cmd_name
        module = importlib.import_module(f"engram.surfaces.cli.{name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of verbs, without importing any of them."""
        with formatter.section("Commands"):
            formatter.write_dl([*VERBS.items(), *FACES.items()])


@click.command(
    cls=Router,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Vault: --vault, else ENGRAM_VAULT, else the nearest parent that is one and is not"
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
        begin()
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
        if chosen().json and not chosen().answered:
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
