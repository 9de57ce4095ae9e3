"""Last session: the record of a conversation -> the one line that an agent is given first.

    - last session 2026-03-06 (partial): Make the till retry its sync. Next: run it against the
      staging till; tell the shops. In progress: the staging till. (5a1c77)

(on one line). A title of other words than the goal ("then commit") stands before it. Guarantees: no
longer than `most` characters; goal, outcome and the day of its last word always, then what is in
the way, what comes next and what was begun, item by item, as far as there is room; nothing but
text. Empty where not even the goal fits. Pure.
"""

from __future__ import annotations

from engram.model.ids import docid
from engram.model.instant import Day
from engram.model.memory import Memory
from engram.model.record import DONE, Record, record_of, without_receipt
from engram.model.text import overlap, words
from engram.recall.blocks import inert

#: how much of a goal is told, and of an item, characters
_GOAL, _ITEM = 300, 160
#: what is told of it, the most important first, and under which name
_TOLD = (
    ("blockers", "Blockers"), ("next_actions", "Next"), ("in_progress", "In progress"),
    ("completed", "Done"),
)  # fmt: skip
#: share of words by which a title tells what the goal does
_ALIKE = 0.5
#: items of what is done: the rest is in the record
_DONE_MOST = 3


def last_session(memory: Memory, day: Day, most: int) -> str:
    """The item for a session whose last turn was said on a day; empty where there is no room."""
    record = record_of(memory)
    if record is None:
        return ""
    outcome = inert(record.text("outcome"))
    head = f"- last session {day}{f' ({outcome})' if outcome else ''}: "
    goal = _cut(_named(record), _GOAL)
    told = head + (goal if goal[-1:] in ".!?…" else f"{goal}.")
    end = f" ({docid(memory.id)[1:]})"
    if len(told) + len(end) > most:
        return ""
    for name, called in _TOLD:
        told = _with(told, called, _items(record, name), most - len(end))
    return told + end


def _named(record: Record) -> str:
    """The goal, behind the title where that says something else."""
    title, goal = record.title.strip(" …"), record.statement
    said = words(title)
    alike = not said or overlap(said, words(goal)) >= _ALIKE
    return goal if alike else f"{title}: {goal}"


def _with(told: str, called: str, items: list[str], most: int) -> str:
    """What is told already, and as many of these items as there is room for."""
    lead = f" {called}: "
    for item in items:
        more = f"{told.removesuffix('.')}; {item}." if lead == "" else f"{told}{lead}{item}."
        if len(more) > most:
            return told
        told, lead = more, ""
    return told


def _items(record: Record, name: str) -> list[str]:
    said = [without_receipt(item) for item in record.items(name) if not item.startswith(DONE)]
    chosen = said[-_DONE_MOST:] if name == "completed" else said
    return [_cut(item, _ITEM).rstrip(".;") for item in chosen]


def _cut(text: str, most: int) -> str:
    words = inert(text)
    return words if len(words) <= most else f"{words[: most - 1].rstrip()}…"
