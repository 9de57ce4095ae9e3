"""`engram events`: what happened to memories, event by event, in the words of the contract."""

from __future__ import annotations

from collections.abc import Mapping

import click

from engram.model.contract_event import ContractEvent
from engram.model.display import plain_line
from engram.model.item import SPACES
from engram.model.plain_view import plain_view
from engram.model.refusal_codes import meaning
from engram.surfaces.cli.arguments import common, day
from engram.surfaces.cli.output import emit_json, opened, say, talk, wants_json
from engram.surfaces.cli.terminal import paragraph, styled

#: a sentence for each event of the contract, of its fields by name
_SENTENCES: Mapping[str, str] = {
    "memory_denied": "not kept: {why}",
    "memory_conflict": "{winner_id} stands, {loser_id} does not: {rule}",
    "memory_forget": "{memory_id} was not confirmed in time: {reason}",
    "memory_border_check": "{action} from {from_space}{to}: {reason}",
    "memory_promoted": "{from_id} is {to_id} from now on: {reason}",
    "memory_promotion_denied": "{memory_id} stays in {from_space}: {reason}",
    "memory_phase_started": "{phase_id} of {space}:{owner} began: {reason}",
    "memory_deleted": "{memory_id} is out of use: {reason}{by}",
    "memory_phase_diff": "{space}:{owner} from {from_phase_id} to {to_phase_id}",
}


@click.command("events")
@click.option("--event", "name", default="", metavar="NAME", help="Only events of this name.")
@click.option("--since", callback=day, metavar="DAY", help="From this day on: 2026-03-06.")
@click.option("--space", default="", type=click.Choice(["", *SPACES]), metavar="SPACE",
              help="Only about memories of session, user, project or system.")  # fmt: skip
@click.option("--session", default="", metavar="NAME",
              help="Only of one conversation, by its transcript; or by-hand.")  # fmt: skip
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1), metavar="N",
              help="The most events.")  # fmt: skip
@click.option("--expand", is_flag=True, help="With the whole policy in place of its digest.")
@click.option("--plain", is_flag=True, help="One `key: value` a line, for reading and diffing.")
@common
def command(
    name: str, since: str, space: str, session: str, limit: int, expand: bool, plain: bool
) -> None:  # fmt: skip
    """The last events of the memory contract, the newest at the end.

    What was written, refused, replaced, deleted and given, to whom and under which policy.
    """
    with opened() as vault:
        found = vault.events(
            limit, event=name, since=since, space=space, session=session, expand=expand
        )
    if wants_json():
        emit_json([one.row for one in found])
        return
    for number, one in enumerate(found):
        if plain:
            say("\n" * bool(number) + plain_view(one.row))
        else:
            _tell(one)
    if not found:
        talk("nothing has happened yet" if not (name or since or space or session) else "none")


def _tell(one: ContractEvent) -> None:
    head = f"{one.number:>6}  {one.time}  "
    say(
        head + styled(plain_line(one.type), fg="cyan") + f"  {plain_line(one.ai_profile)}", raw=True
    )
    for line in _lines(one):
        say(paragraph(plain_line(line), 8), raw=True)


def _lines(one: ContractEvent) -> list[str]:
    fields = one.fields
    for name in ("written", "recalled"):
        if name in fields:
            asked = fields.get("query")
            told = [f"for: {asked}"] if asked else []
            return told + [f"{row['id']}: {row['text']}" for row in _rows(fields[name])]
    sentence = _SENTENCES.get(one.type)
    if sentence is None:
        details = fields.get("details")
        pairs = details.items() if isinstance(details, dict) else ()
        told = [str(fields.get("subject", "")), *(f"{key}={value}" for key, value in pairs)]
        return [" ".join(filter(None, told))]
    more = {
        "why": meaning(str(fields.get("reason", ""))),
        "to": f" to {fields['to_space']}" if "to_space" in fields else "",
        "by": f" by {fields['replaced_by']}" if "replaced_by" in fields else "",
    }
    lines = [sentence.format_map({**fields, **more})]
    attempted = fields.get("attempted")
    if isinstance(attempted, dict) and "id" in attempted:
        lines[0] = f"{attempted['id']} {lines[0]} ({fields['reason']})"
    return lines


def _rows(value: object) -> list[dict[str, object]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []
