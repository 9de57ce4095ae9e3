"""`engram audit --sample`: memories drawn at random, one key each to judge them.

What is judged is kept at once, so that a sitting may end anywhere. With `--json` the memories are
printed and nothing is asked.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from engram.model.errors import EngramError
from engram.model.ids import docid
from engram.surfaces import json as shapes
from engram.surfaces.cli.asking import chosen_key
from engram.surfaces.cli.output import emit_json, say, talk, wants_json
from engram.surfaces.cli.review_questions import show_memory

if TYPE_CHECKING:
    from engram.model.judgement import Grade, Measured
    from engram.model.memory import Memory
    from engram.vault import Vault

_KEYS = {
    "g": "good", "w": "wrong", "l": "useless", "t": "somebody else's", "o": "old",
    "f": "wrong: forget it", "s": "skip", "u": "take back", "q": "quit",
}  # fmt: skip
_GRADES: Mapping[str, Grade] = {
    "g": "good", "w": "wrong", "l": "useless", "t": "others", "o": "old", "f": "wrong",
}  # fmt: skip


class _Judged(NamedTuple):
    """One answer: the memory's place, its id, and the change that forgot it, 0 for none."""

    place: int
    id: str
    forgot: int = 0


def judge_sample(vault: Vault, most: int, seed: str) -> None:
    """Draw, ask, and tell what was measured."""
    memories = vault.sample(most, seed)
    if wants_json():
        emit_json(shapes.sample(memories, vault.measured()))
        return
    answered = _ask(vault, memories)
    found = vault.measured()
    say(measured_line(found) if found else "nothing was judged yet")
    if not memories:
        talk("every memory was judged, or is your own word")
    elif not (answered or sys.stdin.isatty()):
        talk("no answer came, and there is no terminal: `engram audit --sample --json` prints them")


def measured_line(found: Measured) -> str:
    """`of 40 judged 34 good: 85 % (71-93 %); wrong 4, old 2`."""
    said = ", ".join(f"{name} {count}" for name, count in found.verdicts.items() if name != "good")
    share, low, high = (round(100 * one) for one in (found.share, found.low, found.high))
    told = f"of {found.judged:,} judged {found.good:,} good: {share} % ({low}-{high} %)"
    return f"{told}; {said}" if said else told


def _ask(vault: Vault, memories: Sequence[Memory]) -> bool:
    """Ask about one after the other; whether anything was answered."""
    given: list[_Judged] = []
    place, answered = 0, False
    while place < len(memories):
        memory = memories[place]
        say(f"{place + 1}/{len(memories)}")
        show_memory(memory, vault.turns_behind(memory))
        key = chosen_key(_KEYS)
        if key in ("", "q"):
            break
        answered = True
        if key == "u":
            place = _take_back(vault, given, place)
            continue
        try:
            given.append(_judge(vault, key, place, memory))
        except EngramError as error:
            talk(f"error: {error}")
            talk(f"hint: {error.hint}")
        place += 1
    return answered


def _judge(vault: Vault, key: str, place: int, memory: Memory) -> _Judged:
    if key == "s":
        return _Judged(place, "")
    vault.judge(memory.id, _GRADES[key])
    if key != "f":
        say(f"  {docid(memory.id)} is {_KEYS[key]}")
        return _Judged(place, memory.id)
    vault.forget(memory.id)
    say(f"  {docid(memory.id)} is wrong, and forgotten")
    return _Judged(place, memory.id, vault.log(1)[0].number)


def _take_back(vault: Vault, given: list[_Judged], place: int) -> int:
    """Take the last answer back; the place of its question, or the same where there is none."""
    if not given:
        say("  nothing was answered yet")
        return place
    last = given.pop()
    if last.forgot:
        vault.undo(str(last.forgot))
    if last.id:
        vault.judge(last.id, "")
        say(f"  took back what was said of {docid(last.id)}")
    return last.place
