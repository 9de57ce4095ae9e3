"""`engram grep REGEX`: lines of memories and transcripts."""

from __future__ import annotations

import click

from engram.surfaces.cli.output import common, emit_json, opened, say, styled, wants_json


@click.command("grep")
@click.argument("regex")
@click.option("--ignore-case", "-i", is_flag=True)
@click.option("--category", multiple=True, help="only memories of these categories")
@click.option("--project", default="", help="only memories of this project")
@click.option("--memories-only", is_flag=True, help="leave the transcripts out")
@click.option("--limit", default=1000, show_default=True, type=click.IntRange(1))
@common
def command(
    regex: str, ignore_case: bool, category: tuple[str, ...], project: str, memories_only: bool,
    limit: int, vault_path: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Find the lines that match REGEX, in the files of memories first. Exit code 1 for none."""
    from itertools import islice

    from engram.library import Filter

    with opened(vault_path) as vault:
        vault.settle_within(vault.settings.recall.settle_ms)
        wanted = Filter(categories=category, project=project)
        turns = not (memories_only or category or project)
        lines = vault.library.grep(regex, wanted, ignore_case=ignore_case, turns=turns)
        found = list(islice(lines, limit))
    if wants_json(as_json):
        emit_json([{"file": path, "line": line.number, "text": line.text} for path, line in found])
    else:
        for path, line in found:
            say(f"{path}:{line.number}:{_marked(line.text, line.spans)}", raw=True)
    if not found:
        raise click.exceptions.Exit(1)


def _marked(text: str, spans: tuple[tuple[int, int], ...]) -> str:
    from engram.model.display import plain

    parts, done = [], 0
    for start, end in spans:
        parts += [plain(text[done:start]), styled(plain(text[start:end]), fg="red", bold=True)]
        done = end
    return "".join(parts) + plain(text[done:])
