"""`engram connect AGENT`: put our hooks into an agent's settings, and a skill beside them."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Sequence
from contextlib import suppress

import click

from engram.daemon.service.program import program_command
from engram.model.errors import BadInput, EngramError
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import chosen, common
from engram.surfaces.cli.output import emit_json, say, talk, wants_json
from engram.surfaces.hooks.agent_settings import Changed, command_of, connect
from engram.surfaces.hooks.agents import AGENTS, Agent, Command
from engram.surfaces.hooks.skill import TYPED, SkillFile, put_in


@click.command("connect")
@click.argument("agent", type=click.Choice(list(AGENTS)), metavar="AGENT")
@click.option("--dry-run", is_flag=True, help="Show what would change, change nothing.")
@click.option(
    "--command", "program", metavar="PATH", default="",
    help="The engram that the agent runs; this one if not given.",
)  # fmt: skip
@common
def command(agent: str, dry_run: bool, program: str) -> None:
    """Let AGENT (claude-code, codex, gemini-cli) learn and be given memories by itself.

    Adds four hooks to its settings: at the start of a session, with each prompt, before a
    compaction and at the end. The file is kept beside it as it was. Claude Code is also given a
    skill (remember, forget, what did we decide ...) and the commands /engram, /engram:search,
    /engram:save and /engram:config. `engram disconnect` takes all of it out. Memories are of your
    own vault, the setting `vault`; another one, named by --vault or ENGRAM_VAULT, is named in what
    is put in. Sessions are learnt when they end, and by the daemon while they go on.
    """
    from engram.settings.paths import places_of

    chosen_agent = AGENTS[agent]
    path = chosen_agent.settings_file(os.environ, places_of(os.environ).home)
    vault, problem = _vault()
    wanted = _command(program, vault)
    if command_of(chosen_agent.entry("prompt", wanted)) is None:
        raise BadInput(f"{program} is not called engram", "give the path of an engram")
    changed = connect(path, chosen_agent, wanted, dry_run=dry_run)
    skill = put_in(path.parent, chosen_agent, wanted, dry_run=dry_run)
    _tell(chosen_agent, changed, skill, wanted, dry_run)
    if problem is not None:
        talk(f"note: agents are given nothing yet: {problem}")
        talk(f"hint: {problem.hint}")


def _tell(
    agent: Agent, changed: Changed, skill: Sequence[SkillFile], command: Command, dry_run: bool
) -> None:
    shown = "".join([diff(changed), *map(diff, skill)])
    if wants_json():
        shape = shapes.agent_settings(
            agent.name, changed, skill, dry_run, shown, command=command.line("EVENT")
        )
        emit_json(shape)
        return
    if not shown:
        say(f"{agent.title} is connected already: {changed.path}")
    elif dry_run:
        say(shown.removesuffix("\n"))
    else:
        say(f"connected {agent.title}: {changed.path}")
        if any(one.differs for one in skill):
            say(f"put in a skill, and {', '.join(TYPED)}: {changed.path.parent}")
        talk(f"next: start a new session; take it back with: engram disconnect {agent.name}")
        talk("note: a session is learnt when it ends; with `engram daemon start` while it goes on")
        if agent.hint:
            talk(f"note: {agent.hint}")
    tell_left(skill)


def tell_left(skill: Iterable[SkillFile]) -> None:
    """Name the files that were left as they are."""
    for reason in dict.fromkeys(one.left for one in skill if one.left):
        talk(f"note: {reason}; it was left as it is")


def diff(changed: Changed | SkillFile) -> str:
    """What changes, as a unified diff; nothing for a file that stays."""
    # imported here: only this needs it
    from difflib import unified_diff

    texts = (changed.before, changed.after)
    before, after = (os.devnull if text is None else str(changed.path) for text in texts)
    old, new = ((text or "").splitlines() for text in texts)
    return "".join(f"{line}\n" for line in unified_diff(old, new, before, after, lineterm=""))


def _command(program: str, vault: str) -> Command:
    """What the agent's shell is to run: absolute, found without a PATH."""
    options = f"--vault {_quoted(os.path.abspath(vault))}" if vault else ""
    return Command(" ".join(map(_quoted, program_command(program))), options)


def _vault() -> tuple[str, EngramError | None]:
    """The vault that hooks are to name, '' for the one that they find by themselves in another
    environment and folder than ours; and why agents are given nothing of it.

    Where there is none of the person's own, it is the registered one that other verbs work on here.
    """
    from engram.settings.load import load
    from engram.settings.paths import places_of
    from engram.settings.vault_folders import find_vault, own_vault
    from engram.settings.vaults_read import own_entry

    named, places = chosen().vault, places_of(os.environ)
    bare = {name: value for name, value in os.environ.items() if name != "ENGRAM_VAULT"}
    vault, problem = own_vault(named, os.environ), None
    try:
        own_entry(str(vault), bare, places)
    except EngramError as error:
        problem = error
        around = str(find_vault(named, os.environ))
        with suppress(EngramError):
            own_entry(around, bare, places)
            return around, None
    # not the only one that is registered: another may be made, and moves no hook
    by_itself = load(None, bare, home=places).settings.vault
    if not named and os.path.realpath(vault) == os.path.realpath(by_itself):
        return "", problem
    return str(vault), problem


def _quoted(path: str) -> str:
    """A path as one word of a shell; on Windows hosts use several, which agree on this."""
    if os.name == "nt":  # pragma: no cover
        path = path.replace("\\", "/")
        return f'"{path}"' if " " in path else path
    return shlex.quote(path)
