"""JSON protocol between a host and a hook: request on stdin, answer on stdout or nothing.

Claude Code, Codex and Gemini CLI share the fields; what is missing is empty, and a field of another
type counts as missing. Refused (BadInput): what is no JSON object.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from engram.model.errors import BadInput

#: the most that is read of stdin, bytes
MOST_BYTES = 8 * 1_048_576


class HookCall(NamedTuple):
    """The fields of a host's JSON that are used.

    `start` is how a session begins: `startup`, `resume`, `clear` or `compact`.
    """

    host_event: str = ""
    session: str = ""
    transcript: str = ""
    folder: str = ""
    prompt: str = ""
    start: str = ""


def asked_of(data: bytes) -> HookCall:
    """Parse a host's JSON. Raises BadInput."""
    if len(data) > MOST_BYTES:
        raise BadInput("the hook was given too much")
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadInput("the hook was not given JSON") from error
    if not isinstance(found, dict):
        raise BadInput("the hook was not given a JSON object")

    def text(name: str) -> str:
        value = found.get(name)
        # lone surrogates can be written in JSON, and nowhere else
        return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""

    return HookCall(
        text("hook_event_name"), text("session_id"), text("transcript_path"), text("cwd"),
        text("prompt"), text("source"),
    )  # fmt: skip


def answer(context: str, host_event: str) -> str:
    """The JSON that adds a text to the agent's context; nothing for an empty one."""
    if not context:
        return ""
    body = {"hookSpecificOutput": {"hookEventName": host_event, "additionalContext": context}}
    return json.dumps(body, ensure_ascii=True) + "\n"
