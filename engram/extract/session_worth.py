"""The record of a conversation -> whether a reader wants it in a month.

A record is there to go on from. It is kept where something came of the conversation, or where work
was left open: a commit or a request to merge; two things done that are named ("Added a key per
order"), or one in a conversation of several requests; a step that is left, a thing in the way or
work cut off after something was changed; and, where no report names what was done, several requests
that changed several files. It is not kept for one request with one edit, for files that were edited
with nothing told of them, for answers and explanations, nor for what the agent asks at the end. A
talk that belongs to no project and changed nothing has no record: nobody goes on from it.

Pure. What is not kept stays a conversation that can be searched.
"""

from __future__ import annotations

from collections.abc import Sequence

from engram.extract.closing_report import is_plea
from engram.extract.exchanges import exchanges_of
from engram.extract.key_changes import COMMIT, asks_to_merge, changed_files
from engram.extract.work_words import names_work
from engram.model.record import Record, without_receipt
from engram.model.turn import Turn

#: things done that are enough by themselves
_ENOUGH = 2
#: requests of a conversation that is more than a task for the moment
_SEVERAL = 2
#: requests and files of work that no report names
_LONG, _FILES = 3, 2
_OPEN = ("in_progress", "blockers", "next_actions")


def is_worth_keeping(record: Record, turns: Sequence[Turn]) -> bool:
    """Whether the record of these turns is kept."""
    exchanges = [one for one in exchanges_of(turns) if one.is_typed and one.answers]
    files = changed_files(turns)
    if not exchanges or not (files or any(turn.project for turn in turns)):
        return False
    told = [without_receipt(item) for item in record.items("completed")]
    done = sum(map(names_work, told))
    shipped = any(item.startswith(COMMIT) for item in record.items("key_changes"))
    shipped = shipped or any(map(asks_to_merge, told))
    if shipped or done >= _ENOUGH or (done and len(exchanges) >= _SEVERAL):
        return True
    if told or files:
        return _is_left_open(record) or (len(exchanges) >= _LONG and len(files) >= _FILES)
    return False


def _is_left_open(record: Record) -> bool:
    """Whether work is left: what the agent asks the person for, or offers, is none."""
    told = [without_receipt(item) for name in _OPEN for item in record.items(name)]
    return any(not item.endswith(("?", "？")) and not is_plea(item) for item in told)
