"""`engram qmd ...`: the qmd face, called by way of the command line (`--vault PATH qmd`).

The console script goes the short way (`surfaces.entry`); here is the same with the vault that was
chosen as the collection `vault`.
"""

from __future__ import annotations

import os

import click

from engram.surfaces.cli.arguments import chosen


@click.command(
    "qmd",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> int:
    """Search any folder of Markdown as qmd does; `engram qmd --help` says how."""
    from engram.surfaces.qmd.app import run

    if chosen().vault:
        os.environ["ENGRAM_VAULT"] = chosen().vault
    return run(["--json", *arguments] if chosen().json else list(arguments))
