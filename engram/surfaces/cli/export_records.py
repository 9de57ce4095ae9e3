"""`engram export claude-memory`: the records as a folder of JSON files, or as one list.

A folder holds one project, as seed 001's programs have it: `sessions/`, `decisions/` and so on. A
file there that is newer than what the vault knows is left alone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engram.model.errors import BadInput, ConfigError
from engram.model.memory import SCHEMAS, STATUSES
from engram.model.schemas import RECORD_MOST
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json
from engram.surfaces.remote.call_context import caller

if TYPE_CHECKING:
    from engram.model.report import ExportedRecord, RecordExport

#: no file of a record has more bytes
_LARGEST = 4 * RECORD_MOST

SCHEMA_OPTION = click.option(
    "--schema", "schemas", multiple=True, type=click.Choice(SCHEMAS), metavar="NAME",
    help="Only these kinds of records: decision, session, runbook ...",
)  # fmt: skip
PROJECT_OPTION = click.option(
    "--project", default="", metavar="NAME", help="Only those of this project."
)
USER_OPTION = click.option("--user", is_flag=True, help="Only those of no project.")
STATUS_OPTION = click.option(
    "--status", "statuses", multiple=True, type=click.Choice(STATUSES), metavar="NAME",
    help="Only these statuses; else active, needs-review, retired and archived.",
)  # fmt: skip


@click.command("claude-memory")
@click.argument("folder", type=click.Path(path_type=Path), required=False, metavar="[DIR]")
@SCHEMA_OPTION
@PROJECT_OPTION
@USER_OPTION
@STATUS_OPTION
@click.option("--dry-run", is_flag=True, help="Show what would be written, write nothing.")
@common
def claude_memory(
    folder: Path | None, schemas: Sequence[str], project: str, user: bool,
    statuses: Sequence[str], dry_run: bool,
) -> None:  # fmt: skip
    """Write sessions, decisions, runbooks, constraints, debts and preferences as JSON files.

    One file a record, in six folders below DIR, such as `.claude/memory` of the project; `engram
    import claude-memory DIR` reads them. With --json and no DIR they are printed as one list.
    Retired and archived ones are among them, forgotten ones never.
    """
    found = chosen_records(schemas, project, user, statuses)
    if folder is None:
        print_list(found)
        return
    if len(found.projects) > 1:
        several = ", ".join(name or "(none)" for name in found.projects)
        raise BadInput(
            f"they are of several projects: {several}",
            "give --project NAME, or --user for no one's",
        )
    _write(caller().folder / folder, found, dry_run)


def chosen_records(
    schemas: Sequence[str], project: str, user: bool, statuses: Sequence[str]
) -> RecordExport:
    """The records that the options mean."""
    if user and project:
        raise click.UsageError("--user and --project exclude each other")
    projects = ("",) if user else (project,) if project else None
    with opened() as vault:
        return vault.exported_records(schemas=schemas, projects=projects, statuses=statuses)


def print_list(found: RecordExport) -> None:
    """The records as one JSON list."""
    if not wants_json():
        raise click.UsageError("say where to: `engram export claude-memory DIR`, or --json")
    emit_json([one.data for one in found.records])
    _talk_of(found)


def _write(folder: Path, found: RecordExport, dry_run: bool) -> None:
    from engram.settings.user_files import refuse_symlink, replace

    written, same, newer = list[str](), 0, list[str]()
    for one in found.records:
        path = folder / one.path
        refuse_symlink(path.parent)
        standing = _standing(path)
        text = json.dumps(one.data, ensure_ascii=False, indent=2) + "\n"
        if standing == text:
            same += 1
        elif _is_newer(standing, one):
            newer.append(one.path)
        else:
            written.append(one.path)
            if not dry_run:
                replace(path, text.encode("utf-8"), keep_mode=True)
    if wants_json():
        emit_json(shapes.exported_records(str(folder), written, same, newer, dry_run, found))
        return
    verb = "would write" if dry_run else "wrote"
    say(
        f"{verb} {plural(len(written), 'record')} to {folder}"
        f"{f', {same} unchanged' if same else ''}"
    )
    for name in newer:
        talk(f"left alone, for it is newer: {name}")
    _talk_of(found)


def _standing(path: Path) -> str:
    """What stands in a file; empty where there is none."""
    from engram.settings.user_files import read_small

    return read_small(path, follow=False, most=_LARGEST) or ""


def _is_newer(standing: str, record: ExportedRecord) -> bool:
    """Whether a file was changed after what is to be written there; what is no record was not."""
    try:
        found = json.loads(standing) if standing else None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{record.path}: is no JSON", "move it away first") from error
    told = found.get("updated_at") if isinstance(found, dict) else None
    return isinstance(told, str) and told > str(record.data["updated_at"])


def _talk_of(found: RecordExport) -> None:
    lacking = sum(not one.whole for one in found.records)
    if not found.records:
        talk("no records")
    if lacking:
        lack = "lacks" if lacking == 1 else "lack"
        talk(f"{plural(lacking, 'record')} {lack} what the format requires")
    if found.withheld:
        talk(f"{plural(found.withheld, 'record')} kept back: there are secrets in them")
