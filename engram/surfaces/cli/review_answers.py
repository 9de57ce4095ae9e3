"""A key that the person pressed -> the change that it stands for, and one line that says so.

Every answer is one change of the vault, or none; its number is kept, so that it can be taken back.
Raises what the verbs raise that the keys stand for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from engram.model.errors import BadInput, EngramError
from engram.model.given import PERSON
from engram.model.ids import docid
from engram.surfaces.cli.edit import change
from engram.surfaces.cli.edit import tell as tell_edit
from engram.surfaces.cli.output import say, talk
from engram.surfaces.hooks.agents import reader_in
from engram.surfaces.remote.call_context import caller

if TYPE_CHECKING:
    from engram.model.findings import ReviewItem
    from engram.model.memory import Memory
    from engram.vault import Vault

#: what a key did, as it is counted
_COUNTED = {
    "k": "kept", "f": "forgot", "d": "done", "n": "forgot for good", "r": "resolved",
    "o": "resolved", "b": "resolved", "e": "edited", "s": "skipped", "p": "promoted",
}  # fmt: skip
#: changes that come along with an answer, and are none of it
_BESIDE = frozenset({"settle", "expire", "consolidate"})


class _Answer(NamedTuple):
    """One answer: the question's place, what it was counted as, and the change, 0 for none."""

    place: int
    counted: str
    number: int
    told: str


@dataclass
class Sitting:
    """The answers of one person at one time, newest last; `pressed`: any key came."""

    vault: Vault
    counts: Counter[str] = field(default_factory=Counter)
    given: list[_Answer] = field(default_factory=list)
    pressed: bool = False

    def give(self, place: int, key: str, item: ReviewItem, memories: Sequence[Memory]) -> bool:
        """Do what a key stands for and say so; False where it could not be done."""
        before = self._last()
        try:
            told = _do(self.vault, key, item, memories)
        except EngramError as error:
            talk(f"error: {error}")
            talk(f"hint: {error.hint}")
            return False
        if told:
            say(f"  {told}")
        number = self._last()
        done = number if number != before else 0
        self.given.append(_Answer(place, _COUNTED[key], done, told or "the edit"))
        self.counts[_COUNTED[key]] += 1
        return True

    def skip(self, place: int) -> None:
        """Count a question as skipped."""
        self.given.append(_Answer(place, "skipped", 0, ""))
        self.counts["skipped"] += 1

    def take_back(self) -> int | None:
        """Take the last answer back; the place of its question, None where there is none."""
        if not self.given:
            say("  nothing was answered yet")
            return None
        last = self.given[-1]
        if last.number:
            try:
                self.vault.undo(str(last.number))
            except EngramError as error:
                talk(f"error: {error}")
                talk(f"hint: {error.hint}")
                return None
            say(f"  took back: {last.told}")
        self.given.pop()
        self.counts[last.counted] -= 1
        return last.place

    @property
    def changed(self) -> bool:
        """Whether the last answer is a change of the vault."""
        return bool(self.given and self.given[-1].number)

    def summary(self) -> str:
        """`kept 2, skipped 1`; empty when nothing was answered."""
        return ", ".join(f"{word} {count}" for word, count in self.counts.items() if count)

    def _last(self) -> int:
        """The number of the last change that an answer can be; 0 before any."""
        found = (entry.number for entry in self.vault.log(5) if entry.kind not in _BESIDE)
        return next(found, 0)


def _do(vault: Vault, key: str, item: ReviewItem, memories: Sequence[Memory]) -> str:
    """Do it, and say what was done; '' for what has said so itself."""
    this, other = memories[0], memories[-1]
    name, against = docid(this.id), docid(other.id)
    if key == "k" and item.reason == "unheld":
        made = vault.remember(item.item, category="commitment", project=this.project).memory
        return f"kept as a commitment: {docid(made.id)}"
    if key == "k" and item.reason == "promotion":
        vault.decline_promotion(this.id)
        return f"{name} stays where it is"
    if key == "k":
        vault.confirm([this.id])
        return f"kept {name}: it counts as your own word"
    if key == "p":
        _promote(vault, item)
        return f"{name} holds in {item.item} space"
    if key == "b" and item.reason == "replaced":
        vault.restore(other.id)
        return f"both hold: {name} and {against}"
    if key == "b":
        vault.resolve(this.id, against=other.id, both=True)
        return f"both hold: {name} and {against}"
    if key == "r":
        vault.resolve(this.id, against=other.id)
        return f"{name} holds, {against} is replaced"
    if key == "o":
        vault.resolve(other.id, against=this.id)
        return f"{against} holds, {name} is replaced"
    if key == "d":
        vault.done(this.id)
        return f"{name} is done"
    if key == "n":
        vault.forget(this.id, never_again=True)
        return f"forgot {name}, and it is not learnt again"
    if key == "f":
        vault.forget(this.id)
        return f"forgot {name}"
    tell_edit(change(vault, this.id))
    return ""


def _promote(vault: Vault, item: ReviewItem) -> None:
    """Let a memory hold where that was asked; raises BadInput where an agent answers."""
    reader = reader_in(caller().environment)
    if reader.by != PERSON:
        raise BadInput("only the person may say so", "`engram review` in your own shell")
    vault.promote([item.memories[0].id], item.item, here=vault.projects_in(caller().folder))
