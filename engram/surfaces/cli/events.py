"""`engram events`: what happened to memories, event by event, in the words of the contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import click

from engram.model.contract_event import ContractEvent
from engram.model.display import plain_line
from engram.model.errors import EngramError
from engram.model.item import SPACES
from engram.model.phase import AUTO
from engram.model.plain_view import plain_view
from engram.model.refusal_codes import meaning
from engram.model.text import first_line
from engram.model.trace import BORDER_CHECK, PHASE_STARTED
from engram.model.traced_text import traced_text
from engram.surfaces.cli.arguments import common, day
from engram.surfaces.cli.output import emit_json, opened_beside, say, talk, wants_json
from engram.surfaces.cli.terminal import hanging, paragraph, styled

if TYPE_CHECKING:
    from engram.vault import Vault

#: a sentence for each event of the contract, of its fields by name
_SENTENCES: Mapping[str, str] = {
    "memory_denied": "not kept: {why}",
    "memory_conflict": "{winner_id} stands, {loser_id} does not: {rule}",
    "memory_forget": "{memory_id} was not confirmed in time: {reason}",
    "memory_border_check": "{action} from {from_space}{to}: {reason}",
    "memory_promoted": "{from_id} is {to_id} from now on: {reason}",
    "memory_promotion_denied": "{memory_id} stays in {from_space}: {reason}",
    "memory_phase_started": "{phase_id}{name} of {space}:{owner} began: {reason}",
    "memory_deleted": "{memory_id} is out of use: {reason}{by}",
    "memory_phase_diff": "{space}:{owner} from {from_phase_id} to {to_phase_id}: "
    "{added_count} added, {deleted_count} deleted, {replaced_count} replaced",
}


#: how a block was given, where no question tells it
_HOW: Mapping[str, str] = {"session-start": "at the start of a session", "mcp": "over MCP"}
#: subjects that are named of an event that happened to many
_NAMED = 3
#: fields that name an item
_NAMES = ("winner_id", "loser_id", "memory_id", "replaced_by")
#: characters of what it says
_WIDTH = 60


@click.command("events")
@click.option("--event", "name", default="", metavar="NAME", help="Only events of this name.")
@click.option("--since", callback=day, metavar="DAY", help="From this day on: 2026-03-06.")
@click.option("--space", default="", type=click.Choice(["", *SPACES]), metavar="SPACE",
              help="Only about memories of session, user, project or system.")  # fmt: skip
@click.option("--session", default="", metavar="NAME",
              help="Only of one conversation, by its transcript; or by-hand.")  # fmt: skip
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1), metavar="N",
              help="The most events.")  # fmt: skip
@click.option("--verify", is_flag=True,
              help="Check that the log is whole, and explains every file.")  # fmt: skip
@click.option("--expand", is_flag=True, help="With the whole policy in place of its digest.")
@click.option("--plain", is_flag=True, help="One `key: value` a line, for reading and diffing.")
@common
def command(
    name: str, since: str, space: str, session: str, limit: int, verify: bool, expand: bool,
    plain: bool,
) -> None:  # fmt: skip
    """The last events of the memory contract, the newest at the end.

    What was written, refused, replaced, deleted and given, to whom and under which policy.
    Told in short: first phases, and checks that let something pass, are left out unless --event
    asks for them, and what one step did to many is one line. --plain and --json have every event.

    With --verify the chain of digests over all of them is recomputed. It names the first line that
    does not hold, and each file in facts/ and archive/ that no transaction and no hand edit
    explains. Exit code 1 when there is one.
    """
    if verify:
        from engram.surfaces.cli.log_check import check_log

        check_log()
        return
    with opened_beside() as vault:
        found = vault.events(
            limit, event=name, since=since, space=space, session=session, expand=expand
        )
        if wants_json():
            emit_json([one.row for one in found])
            return
        if plain:
            for number, one in enumerate(found):
                say("\n" * bool(number) + plain_view(one.row))
        else:
            _Telling(vault).tell([one for one in found if name or not _passed(one)])
    if not found:
        talk("nothing has happened yet" if not (name or since or space or session) else "none")
    elif len(found) == limit and not plain:
        talk(f"these are the last {limit} events: `--limit {limit * 10}` shows older ones too")


def _passed(one: ContractEvent) -> bool:
    if one.type == PHASE_STARTED:
        return one.fields.get("reason") == AUTO
    return one.type == BORDER_CHECK and one.fields.get("allowed") is True


def _head(one: ContractEvent) -> tuple[int, str, str, str]:
    return one.number, one.time, one.type, one.ai_profile


class _Telling:
    """Events for a person: a heading for what one step did, and a line for each of its events."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    def tell(self, found: Sequence[ContractEvent]) -> None:
        """Print them; what happened to many in the same way is one line."""
        for (number, time, name, who), group in groupby(found, _head):
            head = f"{number:>6}  {time}  {styled(plain_line(name), fg='cyan')}"
            say(hanging(f"{head}  {plain_line(who)}", 8), raw=True)
            for details, same in groupby(group, _details):
                for line in self._of_step(details, list(same)):
                    say(paragraph(plain_line(line), 8), raw=True)

    def _of_step(self, details: str | None, same: Sequence[ContractEvent]) -> list[str]:
        if details is None:
            return [line for one in same for line in self._lines(one)]
        return [_of_many([str(one.fields.get("subject", "")) for one in same], details)]

    def _lines(self, one: ContractEvent) -> list[str]:
        fields = one.fields
        for name in ("written", "recalled"):
            if name in fields:
                asked = fields.get("query")
                how = f"for: {asked}" if asked else _HOW.get(str(fields.get("how", "")), "")
                rows = [f"{row['id']}: {row['text']}" for row in _rows(fields[name])]
                return [how, *rows] if how else rows
        reason = str(fields.get("reason", ""))
        attempted = fields.get("attempted")
        refused = attempted.get("id", "") if isinstance(attempted, dict) else ""
        if fields.get("action") == "write" and fields.get("allowed") is False:
            refused = fields.get("subject_id", "")
        if refused:
            return [f"{refused} not kept: {meaning(reason)} ({reason})"]
        named = {name: self._named(str(fields[name])) for name in _NAMES if name in fields}
        more = {
            "why": meaning(reason),
            "name": f" “{fields['phase_name']}”" if "phase_name" in fields else "",
            "to": f" to {fields['to_space']}" if "to_space" in fields else "",
            "by": f" by {named['replaced_by']}" if "replaced_by" in fields else "",
        }
        return [_SENTENCES[one.type].format_map({**fields, **named, **more})]

    def _named(self, item: str) -> str:
        """An item with what it says, where it is a memory that there still is."""
        try:
            said = traced_text(self._vault.memory(item).text)
        except EngramError:
            return item
        return f"{item} “{first_line(said, _WIDTH)}”"


def _details(one: ContractEvent) -> str | None:
    """The details of an event that the contract does not know; None for one that it does."""
    if one.type in _SENTENCES or "written" in one.fields or "recalled" in one.fields:
        return None
    details = one.fields.get("details")
    pairs = details.items() if isinstance(details, dict) else ()
    return " ".join(f"{key}={value}" for key, value in pairs)


def _of_many(subjects: Sequence[str], details: str) -> str:
    named = ", ".join(filter(None, subjects[:_NAMED]))
    more = f"and {len(subjects) - _NAMED} more" if len(subjects) > _NAMED else ""
    return " ".join(filter(None, (named, more, details)))


def _rows(value: object) -> list[dict[str, object]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []
