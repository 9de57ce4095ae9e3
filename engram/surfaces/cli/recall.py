"""`engram recall QUESTION`: a ranked, budgeted answer with sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from engram.model.errors import BadInput
from engram.model.given import PERSON
from engram.model.ids import slugs_of
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import FreeWords, as_of, common, mode
from engram.surfaces.cli.output import emit_json, opened_beside, plural, say, talk, wants_json
from engram.surfaces.hooks.agents import reader_in
from engram.surfaces.remote.call_context import caller

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.model.tier import RetrievalMode


@click.command("recall", cls=FreeWords)
@click.argument("question", nargs=-1, required=True)
@click.option("--budget", type=click.IntRange(50), metavar="N", help="The most tokens it may take.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="The most memories.")
@click.option("--project", default="", metavar="NAME",
              help="What belongs to NAME, to no project, and to you.")  # fmt: skip
@click.option("--everywhere", is_flag=True, help="All of the vault, in a project's folder too.")
@click.option("--reason/--no-reason", default=None,
              help="Answer any question, or none; --reason sends it, and what was found for it,"
              " to the model that you named, if any.")  # fmt: skip
@mode
@as_of
@click.option("--history", is_flag=True, help="What each memory replaced, and what replaced it.")
@common
def command(
    question: tuple[str, ...], budget: int | None, limit: int | None, project: str,
    everywhere: bool, reason: bool | None, mode: RetrievalMode | None, as_of: str, history: bool,
) -> None:  # fmt: skip
    """What the vault knows about QUESTION, fenced as data for an agent, within a token budget.

    A question of time ("when did we ...", "how long ago ...") is answered first, by rules, with the
    words that tell it, from memories and from conversations.

    In the folder of a project (a git repository, or one that conversations were had in), or with
    --project, nothing of another project; --everywhere asks all of the vault. In the shell of an
    agent only what an agent in that folder may be given.
    """
    if project and everywhere:
        raise click.UsageError("--project and --everywhere exclude each other")
    asked, reader = " ".join(question), reader_in(caller().environment)
    with opened_beside(project) as vault:
        here = vault.projects_in(caller().folder)
        if reader.by != PERSON:
            _check_agent(project, here, everywhere=everywhere)
        projects = () if everywhere else (project,) if project else here
        block = vault.recall(
            asked, budget=budget, limit=limit, projects=projects, reason=reason, as_of=as_of,
            history=history, mode=mode, reader=reader,
        )  # fmt: skip
    if wants_json():
        emit_json(shapes.context_block(block))
    elif block.text:
        say(block.text.removesuffix("\n"))
    if block.left_out and not wants_json():
        talk(f"{plural(block.left_out, 'more memory', 'more memories')} did not fit the budget")
    if block.answer is not None and block.answer.found:
        if not block.text:
            talk("note: the answer does not fit the budget: --budget 400 has room for it")
        if reason and not (block.answer.asked_model or block.answer.model_fault):
            talk("note: no model was asked (`engram config set llm.model NAME` names one)")
    if block.answer is not None and block.answer.model_fault:
        talk(f"note: {block.answer.model_fault}; this is what the rules answer")
    if projects and not block.text:
        asked_of = f"what belongs to {projects[0]}, or to no project, was asked (--everywhere)"
        if reader.by != PERSON:
            asked_of = f"what an agent in {projects[0]} may be given was asked"
        talk(f"note: only {asked_of}")


def _check_agent(project: str, here: Sequence[str], *, everywhere: bool) -> None:
    """Raise BadInput where an agent asks for more than belongs to the folder in which it works."""
    if everywhere:
        message = "an agent is given what belongs to its project: --everywhere is for the person"
        raise BadInput(message, "ask without --everywhere, or let the person run it in a terminal")
    if project and set(here).isdisjoint(slugs_of(project)):
        message = (
            f"an agent is given what belongs to its project, and this is no folder of {project!r}"
        )
        raise BadInput(message, f"ask in the folder of {project}")
