"""`engram recall QUESTION`: a ranked, budgeted answer with sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import FreeWords, as_of, common, mode
from engram.surfaces.cli.output import emit_json, opened_beside, plural, say, talk, wants_json
from engram.surfaces.hooks.agents import reader_in
from engram.surfaces.remote.call_context import caller

if TYPE_CHECKING:
    from engram.model.tier import RetrievalMode


@click.command("recall", cls=FreeWords)
@click.argument("question", nargs=-1, required=True)
@click.option("--budget", type=click.IntRange(50), metavar="N", help="The most tokens it may take.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="The most memories.")
@click.option("--project", default="", metavar="NAME", help="What an agent in NAME may be given.")
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
    --project, only what an agent that works there may be given; --everywhere asks all of the vault.
    """
    if project and everywhere:
        raise click.UsageError("--project and --everywhere exclude each other")
    asked = " ".join(question)
    with opened_beside(project) as (vault, projects):
        if project or everywhere:
            projects = (project,) if project else ()
        block = vault.recall(
            asked, budget=budget, limit=limit, projects=projects, reason=reason, as_of=as_of,
            history=history, mode=mode, reader=reader_in(caller().environment),
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
        talk(f"note: only what an agent in {projects[0]} may be given was asked (--everywhere)")
