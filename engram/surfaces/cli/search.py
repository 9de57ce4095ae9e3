"""`engram search QUERY`: memories first, then turns, each with its receipt."""

from __future__ import annotations

import dataclasses
import shutil

import click

from engram.model.display import plain
from engram.model.hit import Hit
from engram.surfaces.cli.output import common, emit_json, opened, say, styled, talk, wants_json

#: the keys of one answer in `--json`, in this order (design 6)
KEYS = (
    "docid", "score", "file", "line", "title", "snippet", "id", "collection", "category", "status",
    "created", "project",
)  # fmt: skip


@click.command("search")
@click.argument("query", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1), help="the most of each group")
@click.option("--project", default="", help="memories of this project first")
@click.option("--all-status", is_flag=True, help="superseded, archived and forgotten ones too")
@click.option("--explain", is_flag=True, help="say why each was found")
@common
def command(
    query: tuple[str, ...], limit: int | None, project: str, all_status: bool, explain: bool,
    vault_path: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Find memories and turns by words; also "a phrase" -without category:fact since:2026-03."""
    with opened(vault_path) as vault:
        found = vault.search(" ".join(query), limit=limit, project=project, all_statuses=all_status)
    if explain and found.behind:
        talk("behind: some files changed by hand are not taken up yet; ask again")
    if wants_json(as_json):
        emit_json([_row(hit, explain) for hit in (*found.memories, *found.turns)])
        return
    for heading, hits in (("memories", found.memories), ("conversation", found.turns)):
        if hits:
            say(styled(heading, bold=True), raw=True)
        for hit in hits:
            _show(hit, explain)
    if not (found.memories or found.turns):
        talk("nothing found")


def _row(hit: Hit, explain: bool) -> dict[str, object]:
    row = dataclasses.asdict(hit)
    return {key: row[key] for key in (*KEYS, *(("source", "why") if explain else ()))}


def _show(hit: Hit, explain: bool) -> None:
    width = max(40, shutil.get_terminal_size((100, 24)).columns)
    flag = f" {hit.status}" if hit.status not in ("", "active") else ""
    project = f" {hit.project}" if hit.project else ""
    about = plain(f"{hit.created[:10]} {hit.category}{project}{flag}")
    say(f"  {styled(hit.docid, fg='cyan')}  {about}", raw=True)
    snippet = hit.snippet if len(hit.snippet) <= width * 2 else hit.snippet[: width * 2 - 1] + "…"
    say(f"    {snippet}")
    say(styled(plain(f"    {hit.file}:{hit.line}"), dim=True), raw=True)
    for reason in hit.why if explain else ():
        say(f"      {reason}")
