"""`engram daemon`: capture in the background."""

from __future__ import annotations

import click

from engram.surfaces.cli.arguments import Verbs, common
from engram.surfaces.cli.daemon_service import install, uninstall


@click.group("daemon", cls=Verbs, no_args_is_help=False)
@common
def command() -> None:
    """Capture in the background."""


command.add_command(install)
command.add_command(uninstall)
