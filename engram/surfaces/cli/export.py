"""`engram export`: memories in a marked block of an agent's file of rules, or records as JSON."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engram.model.errors import BadInput, ConfigError, StorageError
from engram.model.hit import RulesBlock
from engram.model.ids import slug
from engram.model.marked_block import with_lines, without_lines
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import Verbs, common
from engram.surfaces.cli.connect import diff
from engram.surfaces.cli.export_records import (
    PROJECT_OPTION,
    SCHEMA_OPTION,
    STATUS_OPTION,
    USER_OPTION,
    chosen_records,
    claude_memory,
    print_list,
)
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json
from engram.surfaces.hooks.agent_settings import Changed
from engram.surfaces.remote.call_context import caller

if TYPE_CHECKING:
    from engram.vault import Vault

_FILE = "CLAUDE.md"
#: no file of rules has more bytes
_LARGEST = 64 * 1_048_576


@click.group("export", cls=Verbs, no_args_is_help=False, invoke_without_command=True)
@SCHEMA_OPTION
@PROJECT_OPTION
@USER_OPTION
@STATUS_OPTION
@common
@click.pass_context
def command(
    context: click.Context, schemas: Sequence[str], project: str, user: bool,
    statuses: Sequence[str],
) -> None:  # fmt: skip
    """Put memories where another program reads them.

    Without a COMMAND the records are printed as one list: engram export --schema decision --json
    """
    if context.invoked_subcommand is None:
        print_list(chosen_records(schemas, project, user, statuses))
    elif schemas or project or user or statuses:
        name = context.invoked_subcommand
        raise click.UsageError(f"put the options behind the command: engram export {name} ...")


command.add_command(claude_memory)


@command.command("claude")
@click.option("--to", "target", metavar="FILE", type=click.Path(path_type=Path),
              help="The file; else CLAUDE.md of the project, or your own.")  # fmt: skip
@click.option("--project", default="", metavar="NAME", help="The project; else that of the folder.")
@click.option("--user", is_flag=True, help="How you work, for all projects, into your own file.")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1), metavar="N",
              help="The most memories.")  # fmt: skip
@click.option("--remove", is_flag=True, help="Take the block out again.")
@click.option("--dry-run", is_flag=True, help="Show what would change, change nothing.")
@common
def claude(
    target: Path | None, project: str, user: bool, limit: int, remove: bool, dry_run: bool
) -> None:
    """Write what is stable and agreed into a marked block of CLAUDE.md.

    Of a project: its active facts, decisions, rules and procedures, in no dispute; nothing of your
    private life, no promises, no secrets. With --user: how you work with agents. Only what stands
    between the marks is ever changed; a second time replaces it. FILE may be another, such as
    .claude/rules/engram.md.
    """
    if user and project:
        raise click.UsageError("--user and --project exclude each other")
    with opened() as vault:
        projects = () if user else _projects(vault, project, needed=not remove)
        path = caller().folder / target if target else _usual_file(project, user, vault.root)
        block = RulesBlock() if remove else vault.rules_block(projects, most=limit)
    if not (block.lines or remove):
        talk("nothing that is stable and agreed is known of it")
    changed = _changed(path, block)
    if changed.differs and not dry_run:
        _write(changed)
    _tell(changed, block, dry_run)


def _projects(vault: Vault, named: str, *, needed: bool) -> Sequence[str]:
    found = (named,) if named else vault.projects_in(caller().folder)
    if needed and not found:
        raise BadInput("this folder is no known project's", "give --project NAME, or --user")
    return found


def _usual_file(named: str, user: bool, vault: Path) -> Path:
    """CLAUDE.md of the repository around the working folder, or of the person."""
    from engram.settings.paths import places_of
    from engram.settings.project_folders import project_names, repository

    environment, home = caller().environment, places_of(caller().environment).home
    if user:
        return Path(environment.get("CLAUDE_CONFIG_DIR") or home / ".claude") / _FILE
    here = str(caller().folder.absolute())
    if named and slug(named) not in project_names(here, home, vault):
        raise BadInput(f"this folder is not that of {named}", "say where with --to FILE")
    return (repository(here, home, vault) or Path(here)) / _FILE


def _changed(path: Path, block: RulesBlock) -> Changed:
    """The file as it is and as it will be; without lines it has no block, and is gone if empty."""
    from engram.settings.user_files import read_small

    before = read_small(path, follow=False, most=_LARGEST)
    try:
        if block.lines:
            return Changed(path, before, with_lines(before or "", block.lines))
        rest = without_lines(before or "")
    except ValueError as error:
        hint = "leave one begin and one end, in this order, or take both lines out"
        raise ConfigError(f"{path}: {error}", hint) from error
    return Changed(path, before, rest if rest or before == rest else None)


def _write(changed: Changed) -> None:
    from engram.settings.user_files import refuse_symlink, replace

    refuse_symlink(changed.path)
    if changed.after is not None:
        replace(changed.path, changed.after.encode("utf-8"), keep_mode=True)
        return
    try:
        os.unlink(changed.path)
    except OSError as error:
        raise StorageError(f"{changed.path}: cannot be removed: {error.strerror}") from error


def _tell(changed: Changed, block: RulesBlock, dry_run: bool) -> None:
    if wants_json():
        emit_json(shapes.exported(changed, block, dry_run, diff(changed)))
        return
    if dry_run:
        say(diff(changed).removesuffix("\n") if changed.differs else "nothing would change")
    elif not changed.differs:
        say(f"nothing to change in {changed.path}")
    elif block.lines:
        say(f"wrote {plural(len(block.shown), 'memory', 'memories')} to {changed.path}")
        for line in block.lines:
            if line.startswith("- "):
                say(f"    {line}")
    else:
        say(f"took the block out of {changed.path}")
    if block.left_out:
        talk(f"{plural(block.left_out, 'more memory', 'more memories')} would fit: --limit N")
