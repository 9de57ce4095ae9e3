"""`engram search QUERY`: memories first, then turns, then pages, with receipts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from engram.model.display import plain, plain_line
from engram.model.ids import docid
from engram.model.link_targets import stem_of
from engram.model.memory import LIVE
from engram.model.vault_label import split_id
from engram.surfaces.cli.arguments import FreeWords, as_of, common, mode
from engram.surfaces.cli.memory_line import line_of, shown_day
from engram.surfaces.cli.output import emit_json, opened_beside, say, talk, wants_json
from engram.surfaces.cli.terminal import fitted, paragraph, styled

if TYPE_CHECKING:
    from engram.model.hit import Hit, TurnBeside
    from engram.model.tier import RetrievalMode


@click.command("search", cls=FreeWords)
@click.argument("query", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1), metavar="N", help="The most of each group.")
@click.option("--project", default="", metavar="NAME", help="Memories of this project first.")
@click.option("--all-status", is_flag=True, help="Superseded, archived and forgotten ones too:"
              " --mode exhaustive.")  # fmt: skip
@mode
@as_of
@click.option("--around", is_flag=True, help="Each turn with the one before and the one after.")
@click.option("--fold/--no-fold", default=None,
              help="Two turns of a conversation at most while there are others; so it is unless"
              " --json is given.")  # fmt: skip
@click.option("--explain", is_flag=True, help="Say why each was found.")
@common
def command(
    query: tuple[str, ...], limit: int | None, project: str, all_status: bool,
    mode: RetrievalMode | None, as_of: str, around: bool, fold: bool | None, explain: bool,
) -> None:  # fmt: skip
    """Find memories, turns, boxes, entities and summaries by words.

    Also '"a phrase"', -without, migrat* and filters: category: schema: project: status: tag: kind:
    space: entity: source: since: before: (as in category:decision since:2026-03).

    A question such as "what did we decide about auth" brings decisions to the top; so do "how did
    we fix", "what is in the way of", "what did we put off", "how do I want", "where did I stop".
    """
    if all_status and mode not in (None, "exhaustive"):
        raise click.UsageError(f"--all-status and --mode {mode} exclude each other")
    folded = not wants_json() if fold is None else fold
    with opened_beside(project) as vault:
        found = vault.search(
            " ".join(query), limit=limit, project=project, all_statuses=all_status, mode=mode,
            as_of=as_of, around=around, fold=folded,
        )  # fmt: skip
        if not vault.trusted:
            talk(f"not registered on this machine, so it is only read: engram trust {vault.root}")
    if explain and found.behind:
        talk("behind: the latest changes are not taken up yet; ask again")
    if found.words_alone:
        talk(f"found by words alone: {found.words_alone}")
    if found.inexact:
        talk("nothing holds that phrase; its words were looked for instead")
    near = f"; perhaps you meant: {', '.join(found.meant)}" if found.meant else ""
    if found.other_words:
        talk(f"nothing holds these words; others were found that mean or begin alike{near}")
    if wants_json():
        from engram.surfaces import json as shapes

        emit_json([shapes.hit(hit, explain, around=around, fold=folded) for hit in found.hits])
        return
    groups = (
        ("memories", found.memories), ("conversation", found.turns),
        ("boxes, entities, summaries", found.pages),
    )  # fmt: skip
    for heading, hits in groups:
        if hits:
            say(styled(heading, bold=True), raw=True)
        for hit in hits:
            _show(hit, explain)
    if not found.hits:
        talk(f"nothing found{near}")


def _show(hit: Hit, explain: bool) -> None:
    status = hit.status if hit.status != "active" else ""
    told = ("cold", "archived") if explain else ("archived",)
    tier = hit.tier if hit.status in LIVE and hit.tier in told else ""
    label, _ = split_id(hit.id)
    # the name of a transcript's file tells nobody anything
    title = "" if hit.title == stem_of(hit.file) else hit.title
    day = f"about {shown_day(hit.created)}" if hit.date_guessed else shown_day(hit.created)
    line = line_of(
        hit.docid, day, hit.category, hit.project, title, status, tier, label,
        before="  ",
    )  # fmt: skip
    say(line, raw=True)
    _show_beside("before", hit.before)
    if hit.snippet.rstrip(".") != hit.title:
        say(paragraph(hit.snippet, 4, hit.spans), raw=True)
    _show_beside("after", hit.after)
    say(styled(plain(f"    {hit.file}:{hit.line}"), dim=True), raw=True)
    if hit.more:
        say(styled(f"    +{hit.more} more in it (--no-fold shows them)", dim=True), raw=True)
    for reason in hit.why if explain else ():
        say(f"      {reason}")


def _show_beside(where: str, turn: TurnBeside | None) -> None:
    if turn is not None:
        who = plain_line(turn.speaker or turn.category)
        said = fitted(f"{where} {docid(turn.id)} {who}: {turn.snippet}", 4)
        say(styled(said, dim=True), raw=True)
