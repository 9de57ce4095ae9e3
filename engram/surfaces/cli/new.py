"""`engram new SCHEMA`: one record, filled in in an editor, or given by a program."""

from __future__ import annotations

import os
import textwrap
from typing import TYPE_CHECKING

import click

from engram.model.errors import BadInput, EngramError
from engram.model.memory import SCHEMAS
from engram.model.schemas import SCHEMA_TABLE, SchemaField
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.editor import dispose, edited
from engram.surfaces.cli.given import given_bytes
from engram.surfaces.cli.output import emit_json, opened, say, talk, wants_json

if TYPE_CHECKING:
    from engram.model.report import Remembered
    from engram.vault import Vault


def _fields() -> str:
    """The shape of the JSON, and the fields of each schema, for the help text."""
    lines = [
        "\b",
        'JSON for --from: {"title": "...", "tags": ["..."], "content": {FIELD: VALUE}}.',
        "Title, one tag at least and the fields that end in * are needed; those in []",
        "are lists of texts, alternatives of {option, rejected_reason}; a.b stands as b",
        "in an object a.",
    ]
    for form in SCHEMA_TABLE.values():
        told = " ".join([f"{form.name}:", *map(_field, form.fields)])
        lines += textwrap.wrap(told, 78, initial_indent="  ", subsequent_indent="    ")
    return "\n".join(lines)


def _field(field: SchemaField) -> str:
    name = f"{field.within}.{field.name}" if field.within else field.name
    name = f"[{name}]" if field.is_list else name
    choices = f"({'|'.join(field.choices)})" if field.choices else ""
    return f"{name}{'*' if field.required else ''}{choices}"


@click.command("new", epilog=_fields())
@click.argument("schema", type=click.Choice(SCHEMAS), metavar="SCHEMA")
@click.option("--from", "source", metavar="FILE", help="A filled-in form, or JSON; `-` for stdin.")
@click.option("--title", default="", metavar="TEXT", help="What it is called.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="May be given several times.")
@click.option(
    "--project", default="", metavar="NAME", help="The project it is about; else it is about you."
)
@click.option("--dry-run", is_flag=True, help="Say what would be written, and stop.")
@common
def command(
    schema: str, source: str | None, title: str, tags: tuple[str, ...], project: str, dry_run: bool
) -> None:
    """Write one record down: session, decision, runbook, constraint, tech_debt or preference.
    Without --from its form is opened in VISUAL or EDITOR."""
    with opened() as vault:
        if source is None:
            done = _filled_in(vault, schema, title, tags, project, dry_run)
        else:
            done = vault.new(
                given_bytes(source), schema, title=title, tags=tags, project=project,
                dry_run=dry_run,
            )  # fmt: skip
    if done is None:
        talk("the form was saved as it was: nothing was written")
    elif wants_json():
        emit_json(shapes.remembered(done))
    elif done.decision == "same":
        say(f"there already: {done.memory.id}")
    else:
        say(f"{'would write' if dry_run else 'wrote'} {schema}: {done.memory.id}")


def _filled_in(
    vault: Vault, schema: str, title: str, tags: tuple[str, ...], project: str, dry_run: bool
) -> Remembered | None:
    """What the person made of the form; what is refused stays where the hint says."""
    form, copy = vault.form(schema, title=title, tags=tags)
    try:
        filled = edited(form, copy, os.environ)
    except EngramError:
        dispose(copy)
        raise
    try:
        done = (
            None if filled == form
            else vault.new(filled, schema, project=project, dry_run=dry_run)
        )  # fmt: skip
    except BadInput as error:
        hint = f"{error.hint}; what you wrote is in {copy}"
        raise BadInput(str(error), hint, code=error.told) from error
    dispose(copy)
    return done
