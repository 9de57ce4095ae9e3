"""Transcript sources by name: each turns the bytes of one agent's files into clean turns.

`source("claude-code")` gives the `Source` of a name, `recognise` finds the one that a file's first
bytes look like. The module of a source is imported when it is asked for. What a source owes its
caller stands in `model.ports.Source`: it is tolerant, counts what it does not understand, keeps
its memory bounded, and can go on where an earlier reading ended.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from engram.model.errors import BadInput
from engram.model.ports import Source

#: Name -> module and class, in the order in which `recognise` asks: narrow formats first.
_HOMES: dict[str, tuple[str, str]] = {
    "claude-code": ("claude_code", "ClaudeCode"),
    "codex": ("codex", "Codex"),
    "gemini-cli": ("gemini_cli", "GeminiCli"),
    "copilot-cli": ("copilot_cli", "CopilotCli"),
    "cursor": ("cursor", "CursorEditor"),
    "opencode": ("opencode", "OpenCode"),
    "factory-droid": ("factory_droid", "FactoryDroid"),
    "kiro": ("kiro", "Kiro"),
    "pi": ("pi", "Pi"),
    "chatgpt": ("chatgpt", "ChatGpt"),
    "claude-ai": ("claude_ai", "ClaudeAi"),
    "mem0": ("mem0", "Mem0"),
    "mcp-memory": ("mcp_memory", "McpMemory"),
    "claude-memory": ("claude_memory", "ClaudeMemory"),
    "aider": ("aider", "Aider"),
    "specstory": ("specstory", "SpecStory"),
    "jsonl": ("jsonl", "JsonLines"),
    "text": ("plain_text", "PlainText"),
    "markdown": ("plain_text", "Markdown"),
}
_PROSE = frozenset({"text", "markdown"})
#: The names that `engram import` takes.
SOURCES: tuple[str, ...] = tuple(_HOMES)


def source(name: str, max_line_bytes: int | None = None) -> Source:
    """The source of that name; lines longer than `max_line_bytes` are counted and passed over.

    Raises BadInput, listing the names there are, for any other name.
    """
    home = _HOMES.get(name)
    if home is None:
        raise BadInput(f"unknown source: {name!r}", hint=_meant(name))
    make: Callable[..., Source] = getattr(import_module(f"{__name__}.{home[0]}"), home[1])
    return make() if max_line_bytes is None else make(max_line_bytes)


def _meant(name: str) -> str:
    """The sources whose names are like one that is none; all of them where none is."""
    from difflib import get_close_matches  # imported here: only a mistake needs it

    low = name.casefold()
    begun = [one for one in SOURCES if low and (low in one or one in low)]
    near = begun or get_close_matches(low, SOURCES, n=3)
    if near:
        return f"did you mean {' or '.join(near)}?"
    return f"the sources are: {', '.join(SOURCES)}"


def recognise(head: bytes, suffix: str) -> Source | None:
    """The source for a file that begins with `head` (up to 64 KiB); None when none fits.

    `suffix` is the file name's ending with its dot, empty for standard input. Content decides;
    the ending only tells which plain text it is, and keeps unknown data formats from being
    taken for prose.
    """
    for name in SOURCES:
        found = source(name)
        if name in _PROSE and suffix and suffix.lower() not in found.suffixes:
            continue
        if found.recognises(head):
            return found
    return None
