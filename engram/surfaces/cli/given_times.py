"""`engram why ID --given`: to whom a memory was given, when, for what and why, newest first.

2026-03-06T12:00:00Z  claude-code, with a prompt  [[claude-code-7cc559b88ed4#^m5380bbce97]]
    because its words match
    "why postgres?"
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engram.model.display import plain_line
from engram.model.given import BY_HAND
from engram.surfaces import json as shapes
from engram.surfaces.cli.output import emit_json, plural, say, talk, wants_json
from engram.surfaces.cli.shown_times import shown_instant
from engram.surfaces.cli.terminal import paragraph, styled

if TYPE_CHECKING:
    from engram.model.shown import GivenTo

_HOW = {
    "session-start": "at the start of a session", "prompt": "with a prompt",
    "recall": "by recall", "mcp": "over MCP",
}  # fmt: skip
_WHY = {
    "matches_query": "its words match", "recency": "it is recent", "importance": "it matters",
    "active_rule": "it is in use",
}  # fmt: skip


def tell_given(found: Sequence[GivenTo], limit: int) -> None:
    """Print the first `limit` of them, and that there are more."""
    if wants_json():
        emit_json([shapes.given_to(one) for one in found[:limit]])
        return
    for one in found[:limit]:
        where = one.link or (one.session if one.session != BY_HAND else "")
        who = f"{styled(one.by, fg='cyan')}, {_HOW[one.how]}"
        say(f"{shown_instant(one.time)}  {who}{f'  [[{where}]]' if where else ''}", raw=True)
        why = " and ".join(_WHY[code] for code in one.why if code in _WHY)
        say(f"    because {why}{f' (told by {one.summary})' if one.summary else ''}")
        if one.question:
            say(paragraph(plain_line(f'"{one.question}"'), 4), raw=True)
    if not found:
        talk("nobody was given it, as far as the access log tells")
    elif len(found) > limit:
        talk(f"there are more than {plural(limit, 'time')}: `--limit N`")
