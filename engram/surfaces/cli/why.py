"""`engram why ID`: the life of a memory in sentences; or what was refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from engram.model.display import plain_line
from engram.model.refusal_codes import meaning
from engram.model.vault_label import split_id
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.given_times import tell_given
from engram.surfaces.cli.output import emit_json, line, opened_beside, plural, say, talk, wants_json
from engram.surfaces.cli.shown_times import shown_instant, shown_minute
from engram.surfaces.cli.terminal import paragraph, styled
from engram.surfaces.cli.tiers import described

if TYPE_CHECKING:
    from engram.model.instant import Instant
    from engram.model.shown import MemoryOrigin, Refusal

#: what `--refused` without a code stands for
_EVERY = "*"
#: the column at which the sentences of a life begin
_SENTENCE = 14


@click.command("why")
@click.argument("identifier", metavar="[ID]", required=False)
@click.option(
    "--refused", is_flag=False, flag_value=_EVERY, metavar="[CODE]",
    help="What became no memory and why, newest first.",
)  # fmt: skip
@click.option(
    "--given", is_flag=True, help="To whom it was given, when and for what, newest first."
)
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1), metavar="N",
              help="The most refusals, or times it was given.")  # fmt: skip
@common
def command(identifier: str | None, refused: str | None, limit: int, given: bool) -> None:
    """The life of memory ID in sentences, oldest first, and the turns that it rests on.

    With --json also every event, as it stands in the log.

    With --refused what was proposed and refused: when, why, by which rule, and what the turn says.
    `engram review --refused` asks about those of the last 30 days.
    """
    if (identifier is None) == (refused is None):
        raise click.UsageError("name a memory, or give --refused", click.get_current_context())
    if given and identifier is None:
        raise click.UsageError("--given is about a memory: name it", click.get_current_context())
    with opened_beside() as vault:
        if identifier is not None and given:
            tell_given(vault.given(identifier, limit=limit + 1), limit)
        elif identifier is not None:
            _tell(vault.origin(identifier))
        else:
            _tell_refused(vault.refusals("" if refused == _EVERY else refused or ""), limit)


def _tell(origin: MemoryOrigin) -> None:
    if wants_json():
        emit_json(shapes.origin(origin))
        return
    memory = origin.memory
    say(styled(memory.id, fg="cyan") + f" ({memory.status})", raw=True)
    say(paragraph(plain_line(memory.text), 2), raw=True)
    if origin.retention is not None:
        line(f"  {described(origin.retention)}", 4)
    label, _ = split_id(memory.id)
    if label:
        say(f"  of {label}: {memory.path}, which counts as {memory.authority}")
    if origin.life:
        say(styled("life", bold=True), raw=True)
    for day, _, text in origin.life:
        line(f"  {day:<{_SENTENCE - 2}}{plain_line(text)}", _SENTENCE)
    if origin.receipts:
        say(styled("from", bold=True), raw=True)
    for (link, time, role, said), (file, at) in zip(origin.receipts, origin.places, strict=True):
        say(f"  {_told(time, guessed=memory.date_guessed)} {role} [[{link}]]")
        if file:
            say(f"    {file}:{at}")
        say(paragraph(plain_line(said), 4), raw=True)
    if memory.quote:
        say(styled("quoted", bold=True), raw=True)
        say(paragraph(plain_line(memory.quote), 4), raw=True)


def _told(time: Instant, *, guessed: bool) -> str:
    if not time:
        return "unknown time"
    return f"about {shown_minute(time)[:10]}" if guessed else shown_instant(time)


def _tell_refused(found: Sequence[Refusal], limit: int) -> None:
    if wants_json():
        emit_json([shapes.refusal(one) for one in found[:limit]])
        return
    for one in found[:limit]:
        by = " ".join(filter(None, (one.origin, one.rule)))
        factors = "".join(f" {name}={value}" for name, value in one.factors)
        code = styled(one.code, fg="yellow")
        say(f"{shown_instant(one.time)}  {code}: {meaning(one.code)}  ({by}){factors}", raw=True)
        if one.link:
            say(f"    [[{one.link}]]")
        if one.said:
            say(paragraph(plain_line(one.said), 4), raw=True)
    if not found:
        talk("nothing was refused")
    elif len(found) > limit:
        talk(f"and {plural(len(found) - limit, 'refusal')} before: `--limit N`")
