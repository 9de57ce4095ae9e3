"""`engram completion SHELL`: the script that lets a shell complete verbs and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import emit_json, say, talk, wants_json

#: shell -> how its script is loaded from the next session on
LOADED = {
    "bash": "echo 'eval \"$(engram completion bash)\"' >> ~/.bashrc",
    "zsh": "echo 'eval \"$(engram completion zsh)\"' >> ~/.zshrc  # below compinit",
    "fish": "engram completion fish > ~/.config/fish/completions/engram.fish",
}
#: the variable by which click's scripts ask this program what fits
_VARIABLE = "_ENGRAM_COMPLETE"


@click.command("completion")
@click.argument("shell", type=click.Choice([*LOADED]), metavar="SHELL")
@common
def command(shell: str) -> None:
    """Print the completion script of SHELL: bash (4.4 or newer), zsh or fish.

    Load it in this session with `eval`, or for good with the line that is said beside it.
    """
    # imported here: it is the root that is completed
    from engram.surfaces.cli.app import cli

    found = get_completion_class(shell)
    assert found is not None, shell
    script = found(cli, {}, "engram", _VARIABLE)
    text = script.source_template % script.source_vars()
    if wants_json():
        emit_json(shapes.completion(shell, text, LOADED[shell]))
        return
    say(text.strip("\n"))
    talk(f"for good: {LOADED[shell]}")
