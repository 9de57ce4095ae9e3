"""`engram why ID`: where a memory came from, and all that happened to it."""

from __future__ import annotations

import click

from engram.surfaces.cli.output import common, emit_json, opened, say, wants_json


@click.command("why")
@click.argument("identifier", metavar="ID")
@common
def command(identifier: str, vault_path: str | None, as_json: bool) -> None:
    """The turns that memory ID rests on, and every event since, oldest first."""
    with opened(vault_path) as vault:
        vault.settle_within(vault.settings.recall.settle_ms)
        origin = vault.library.origin(vault.library.memory(identifier))
    memory = origin.memory
    if wants_json(as_json):
        emit_json({
            "id": memory.id, "text": memory.text, "quote": memory.quote, "status": memory.status,
            "receipts": [
                {"source": link, "time": time, "role": role, "said": said}
                for link, time, role, said in origin.receipts
            ],
            "events": [
                {"n": number, "time": time, "event": event.name, **dict(event.details)}
                for number, time, event in origin.events
            ],
        })  # fmt: skip
        return
    say(f"{memory.id} ({memory.status})\n  {memory.text}")
    if memory.quote:
        say(f"  quote: {memory.quote}")
    for link, time, role, said in origin.receipts:
        say(f"  {time} {role} [[{link}]]\n    {said}")
    for number, time, event in origin.events:
        details = " ".join(f"{key}={value}" for key, value in event.details)
        say(f"  {number:>5} {time} {event.name} {details}".rstrip())
