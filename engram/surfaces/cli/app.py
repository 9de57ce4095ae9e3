"""`engram`: a router that imports a verb's file only when the verb is called.

Turns arguments into one verb's call and every EngramError into one `error:` and one `hint:` line
with its exit code; anything else is a bug (exit 70). `--vault` and `--json` may stand before or
after the command.
"""

from __future__ import annotations

import importlib
import keyword
import os
import sys
from types import TracebackType
from typing import NoReturn

import click

from engram import __version__
from engram.model.errors import EngramError

#: verb -> one line of help, in the order in which a newcomer needs them
VERBS: dict[str, str] = {
    "init": "make a vault and register it",
    "trust": "register an existing vault on this machine",
    "import": "take in transcripts of an agent, once",
    "sources": "the kinds of transcripts, and what is on this machine",
    "capture": "take in turns from stdin, or follow a folder",
    "remember": "write one memory down, in your words",
    "extract": "turn pending turns into memories now",
    "retry": "queue again what failed too often",
    "search": "find memories and turns by words",
    "grep": "find lines by a regular expression",
    "recall": "a ranked, budgeted answer with sources, for a person or an agent",
    "today": "what was learnt today",
    "list": "the memories, filtered",
    "show": "one memory as it is on disk",
    "why": "where a memory came from, and all that happened to it",
    "links": "what a memory points to, and what points to it",
    "forget": "take a memory out of use; its file stays",
    "restore": "bring a memory back",
    "purge": "destroy a memory's content for good",
    "undo": "take a change back; undo an undo to have it again",
    "log": "the changes, newest first",
    "status": "what is pending, captured, refused, and when",
    "doctor": "check the vault, with one fix for each finding",
    "rebuild": "make catalog, index and views anew from the files",
    "config": "show, set and locate the configuration",
}  # fmt: skip


class Router(click.Group):
    """Looks a verb's module up by its name and imports only that."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All verbs, in the order of VERBS."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a verb's module: `engram.surfaces.cli.<verb>`, `command`."""
        if cmd_name not in VERBS:
            return None
        # `import` is a keyword of the language, so its file is called import_
        name = f"{cmd_name}_" if keyword.iskeyword(cmd_name) else cmd_name
        module = importlib.import_module(f"engram.surfaces.cli.{name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of verbs, without importing any of them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with the nearest verb suggested for a misspelt one."""
        name = args[0] if args else ""
        if name and name not in VERBS and not name.startswith("-"):
            import difflib

            near = difflib.get_close_matches(name, VERBS, n=1)
            more = f" Did you mean `{near[0]}`?" if near else " See `engram --help`."
            raise click.UsageError(f"there is no command `{name}`.{more}")
        return super().resolve_command(ctx, args)


@click.command(
    cls=Router,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Vault: --vault, else ENGRAM_VAULT, else the nearest parent with engram.toml,"
    " else the default.",
)
@click.version_option(__version__, prog_name="engram")
@click.option("--vault", "vault", metavar="PATH", help="the vault to work on")
@click.option("--json", "as_json", is_flag=True, help="data as JSON")
@click.pass_context
def cli(ctx: click.Context, vault: str | None, as_json: bool) -> None:
    """Your conversations with AI agents as dated, sourced Markdown facts."""
    ctx.obj = {"vault": vault, "json": as_json}


def main(arguments: list[str] | None = None) -> NoReturn:
    """The console script."""
    sys.excepthook = _bug
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        cli.main(args=arguments, prog_name="engram", standalone_mode=False)
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except click.Abort:
        _say("interrupted; what was captured before is kept")
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except EngramError as error:
        _fail(error)
    except BrokenPipeError:
        # the reader went away (`engram list | head`): nothing to say, and nowhere to say it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except MemoryError:
        _say("error: out of memory\nhint: close something, or import in smaller parts")
        sys.exit(1)
    sys.exit(0)


def _fail(error: EngramError) -> NoReturn:
    from engram.model.display import plain

    _say(f"error: {' '.join(plain(str(error)).split())}")
    if error.hint:
        _say(f"hint: {' '.join(plain(error.hint).split())}")
    sys.exit(error.exit_code)


def _bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Whatever reaches the top and is none of our errors: say so, show where, exit 70."""
    sys.__excepthook__(kind, error, trace)
    _say("error: this is a bug in engram; nothing that was committed is lost")
    _say("hint: run `engram doctor`, and report the lines above")
    sys.stdout.flush()
    os._exit(70)


def _say(text: str) -> None:
    print(text, file=sys.stderr)
