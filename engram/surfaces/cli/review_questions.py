"""A question of the review -> what the person reads of it, and the keys that answer it.

Why it is asked, then each memory: its line, the whole statement where the line does not say all of
it, and its quote with who said it when. Nothing is cut: what one cannot read, one cannot judge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from engram.model.display import plain_line
from engram.model.speaker import shown_name
from engram.surfaces.cli.memory_line import memory_line
from engram.surfaces.cli.output import say
from engram.surfaces.cli.shown_times import shown_minute
from engram.surfaces.cli.terminal import hanging, paragraph

if TYPE_CHECKING:
    from engram.model.findings import ReviewItem
    from engram.model.memory import Memory
    from engram.model.turn import Turn
    from engram.vault import Vault

#: keys that every question has
_ALWAYS = {"s": "skip", "u": "take back", "q": "quit"}
_ONE = {"k": "keep", "e": "edit", "f": "forget"}
_DONE = {"d": "done"}
_NEVER = {"n": "never again"}
_PAIR = {
    "r": "this one holds", "o": "the other one holds", "b": "both hold", "e": "edit this one",
    "f": "forget this one",
}  # fmt: skip
_REPLACED = {"k": "it is replaced", "b": "both hold", "e": "edit this one"}
_PROMOTED = {"p": "it holds there", "k": "it stays where it is", "e": "edit", "f": "forget"}
_UNHELD = {"k": "keep it as a commitment"}
#: receipts that are told of one by one; the others are counted
_TOLD = 3


def keys_of(item: ReviewItem) -> Mapping[str, str]:
    """Each key that answers a question, and what it does."""
    if item.reason == "replaced":
        return _REPLACED | _ALWAYS
    if item.reason == "unheld":
        return _UNHELD | _ALWAYS
    if item.reason == "promotion":
        return _PROMOTED | _ALWAYS
    if len(item.memories) > 1:
        return _PAIR | _ALWAYS
    promised = item.memories[0].category == "commitment"
    return _ONE | (_DONE if promised else {}) | _NEVER | _ALWAYS


def show(vault: Vault, item: ReviewItem, memories: Sequence[Memory], number: str) -> None:
    """Print one question; `number` is its place (`3/20`)."""
    say(hanging(f"{number}  {plain_line(item.why)}", 4), raw=True)
    names = ("this   ", "other  ") if len(memories) > 1 else ("",)
    for memory, name in zip(memories, names, strict=False):
        show_memory(memory, vault.turns_behind(memory), f"  {name}")
    if item.item and item.reason != "promotion":
        say(paragraph(plain_line(f"- {item.item}"), 4), raw=True)


def show_memory(memory: Memory, turns: Sequence[Turn], before: str = "  ") -> None:
    """Print its line after `before`, the whole statement, its quote, and who said it when."""
    line, text = memory_line(memory, before), plain_line(memory.text)
    say(line, raw=True)
    if not _says_all(line, text):
        say(paragraph(text, 4), raw=True)
    if memory.quote and plain_line(memory.quote) != text:
        say(paragraph(plain_line(f"> {memory.quote}"), 4), raw=True)
    if turns:
        told = ", ".join(map(_said, turns[:_TOLD]))
        more = f", and {len(turns) - _TOLD:,} more" if len(turns) > _TOLD else ""
        say(paragraph(plain_line(f"said by {told}{more}"), 4), raw=True)


def _says_all(line: str, text: str) -> bool:
    """Whether a memory's line leaves out no more than whom the statement is about."""
    shown, said = plain_line(line).casefold(), text.casefold().rstrip(".")
    return said.removeprefix("the user ") in shown


def _said(turn: Turn) -> str:
    """`you 2026-03-04 09:00 (claude-code)`."""
    who = "you" if turn.role == "user" else shown_name(turn.speaker) or "the agent"
    return f"{who} {shown_minute(turn.time)} ({turn.source})"
