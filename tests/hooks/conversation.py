"""A connected agent on a small shop, inside this process: what it says, what it is answered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from engram.surfaces.hooks.process import respond
from tests.cli.shop import Shop
from tests.golden.console import prompt_context


def said_by(host_event: str, folder: Path | str = "/home/kim/shop", **fields: object) -> bytes:
    """A host's JSON."""
    common = {"session_id": "s", "cwd": str(folder), "hook_event_name": host_event}
    return json.dumps(common | fields).encode()


def hook(
    shop: Shop, event: str, data: bytes, *options: str, more: Mapping[str, str] | None = None
) -> tuple[str, list[str]]:
    """What one hook prints on stdout, and the lines that it complains with."""
    complaints: list[str] = []
    seen = prompt_context(shop.folder) | {"ENGRAM_VAULT": str(shop.vault)} | dict(more or {})
    return respond([event, *options], lambda: data, seen, complaints.append), complaints


def given(shop: Shop, event: str, **fields: object) -> str:
    """The context that an agent in the shop's project is given."""
    host_event = {"session-start": "SessionStart", "prompt": "UserPromptSubmit"}[event]
    out, complaints = hook(shop, event, said_by(host_event, **fields))
    assert complaints == []
    if not out:
        return ""
    answer = json.loads(out)["hookSpecificOutput"]
    assert answer["hookEventName"] == host_event
    text: str = answer["additionalContext"]
    return text
