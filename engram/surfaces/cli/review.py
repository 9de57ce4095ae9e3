"""`engram review`: what waits for the person, one key each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from engram.model.errors import BadInput, EngramError
from engram.model.given import PERSON
from engram.model.instant import day_of
from engram.model.memory import confidence_tier
from engram.model.refusal_codes import is_withheld, meaning
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common, day
from engram.surfaces.cli.asking import pressed
from engram.surfaces.cli.edit import change
from engram.surfaces.cli.edit import tell as tell_edit
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json
from engram.surfaces.cli.terminal import fitted
from engram.surfaces.hooks.agents import reader_in
from engram.surfaces.remote.call_context import caller

if TYPE_CHECKING:
    from engram.model.findings import ReviewItem
    from engram.model.memory import Memory
    from engram.model.verdict import Verdict
    from engram.vault import Vault

#: key -> what it does, for one memory and for a pair
_ONE = {"k": "keep", "e": "edit", "f": "forget", "s": "skip", "q": "quit"}
_PAIR = {
    "r": "this one holds", "o": "the other one holds", "b": "both hold", "e": "edit this one",
    "f": "forget this one", "s": "skip", "q": "quit",
}  # fmt: skip
_REPLACED = {
    "k": "it is replaced", "b": "both hold", "e": "edit this one", "s": "skip", "q": "quit",
}  # fmt: skip
_PROMOTED = {
    "p": "it holds there", "k": "it stays where it is", "e": "edit", "f": "forget", "s": "skip",
    "q": "quit",
}  # fmt: skip
_UNHELD = {"k": "keep it as a commitment", "s": "skip", "q": "quit"}
_REFUSED = {"k": "keep", "s": "skip", "q": "quit"}
_DONE = {
    "k": "kept", "f": "forgot", "r": "resolved", "o": "resolved", "b": "resolved", "e": "edited",
    "s": "skipped", "p": "promoted",
}  # fmt: skip


@click.command("review")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1), help="Ask no more.")
@click.option("--since", metavar="DAY", callback=day, help="From when on a memory is new.")
@click.option("--refused", is_flag=True, help="Ask about what became no memory instead.")
@common
def command(limit: int, since: str, refused: bool) -> None:
    """Ask about contradictions, then about what is stale, what is to hold in another space by your
    word, what of your words a model judged to be replaced, speculation that is about to expire,
    what sessions left to be done, and what the week brought. One key each; every answer is a change
    of its own that `engram undo` takes back. With --json the queue is printed and nothing is asked.

    With --refused the turns of the last 30 days of which something was refused are read again, and
    what you keep becomes a memory of your own.
    """
    with opened() as vault:
        if refused:
            _review_refused(vault, limit)
            return
        items = vault.to_review(since)
        if wants_json():
            emit_json([shapes.review_item(item, _keys(item)) for item in items[:limit]])
            return
        counts: Counter[str] = Counter()
        for number, item in enumerate(items[:limit], 1):
            if not _ask(vault, item, f"{number}/{min(limit, len(items))}", counts):
                break
        left = len(vault.to_review(since)) if items else 0
    done = ", ".join(f"{word} {count}" for word, count in counts.items())
    waiting = f"{plural(left, 'question')} left" if left else "nothing waits for you"
    say(f"{done}; {waiting}" if done else waiting)


def _review_refused(vault: Vault, limit: int) -> None:
    found = vault.refused()
    if wants_json():
        emit_json([shapes.refused_candidate(one, _refused_keys(one)) for one in found[:limit]])
        return
    counts: Counter[str] = Counter()
    for number, one in enumerate(found[:limit], 1):
        if not _ask_refused(vault, one, f"{number}/{min(limit, len(found))}", counts):
            break
    done = ", ".join(f"{word} {count}" for word, count in counts.items())
    waiting = f"{plural(len(found) - counts['kept'], 'refusal')} left"
    if found:
        say(f"{done}; {waiting}" if done else waiting)
    else:
        say("nothing was refused that the rules find again")


def _ask_refused(vault: Vault, one: Verdict, number: str, counts: Counter[str]) -> bool:
    """Show one refused candidate and keep it if the person says so; False to end it all."""
    candidate, keys = one.candidate, _refused_keys(one)
    receipt = candidate.receipt
    say(f"{number}  {one.code}: {meaning(one.code)}")
    if not keys:
        say(f"  {day_of(receipt.time)} [[{receipt.link}]] is not shown, and kept by no key")
        return True
    project = candidate.project or candidate.space
    say(f"  {day_of(receipt.time)} {candidate.category} {project}  [[{receipt.link}]]")
    say(fitted(candidate.text, 4))
    if receipt.quote != candidate.text:
        say(fitted(f"> {receipt.quote}", 4))
    key = pressed("  ".join(f"{key} {word}" for key, word in keys.items()), "".join(keys))
    if key in ("", "q"):
        return False
    try:
        if key == "k":
            talk(f"remembered as {candidate.category}: {vault.keep_refused(one).memory.id}")
    except EngramError as error:
        talk(f"error: {error}")
        talk(f"hint: {error.hint}")
        key = "s"
    counts[_DONE[key]] += 1
    return True


def _refused_keys(one: Verdict) -> Mapping[str, str]:
    return {} if is_withheld(one.code) else _REFUSED


def _ask(vault: Vault, item: ReviewItem, number: str, counts: Counter[str]) -> bool:
    """Show one question and do what the person says; False to end it all."""
    keys = _keys(item)
    while (memories := vault.still_asked(item)) is not None:
        _show(item, memories, number)
        words = "  ".join(f"{key} {word}" for key, word in keys.items())
        key = pressed(words, "".join(keys))
        if key in ("", "q"):
            return False
        try:
            _do(vault, key, item, memories)
        except EngramError as error:
            talk(f"error: {error}")
            talk(f"hint: {error.hint}")
            if key != "e":
                counts["skipped"] += 1
                return True
            continue
        counts[_DONE[key]] += 1
        if key != "e":
            return True
    return True


def _do(vault: Vault, key: str, item: ReviewItem, memories: Sequence[Memory]) -> None:
    this, other = memories[0].id, memories[-1].id
    if key == "k" and item.reason == "unheld":
        vault.remember(item.item, category="commitment", project=memories[0].project)
    elif key == "p":
        _promote(vault, item)
    elif key == "k" and item.reason == "promotion":
        vault.decline_promotion(this)
    elif key == "k":
        vault.confirm([this])
    elif key == "b" and item.reason == "replaced":
        vault.restore(other)
    elif key == "f":
        vault.forget(this)
    elif key == "r":
        vault.resolve(this, against=other)
    elif key == "o":
        vault.resolve(other, against=this)
    elif key == "b":
        vault.resolve(this, against=other, both=True)
    elif key == "e":
        tell_edit(change(vault, this))


def _promote(vault: Vault, item: ReviewItem) -> None:
    """Let a memory hold where that was asked; raises BadInput where an agent answers."""
    reader = reader_in(caller().environment)
    if reader.by != PERSON:
        raise BadInput("only the person may say so", "`engram review` in your own shell")
    vault.promote([item.memories[0].id], item.item, here=vault.projects_in(caller().folder))


def _show(item: ReviewItem, memories: Sequence[Memory], number: str) -> None:
    say(f"{number}  {item.reason}: {item.why}")
    for memory, name in zip(memories, ("this", "other"), strict=False):
        tier, project = confidence_tier(memory.confidence), memory.project or memory.space
        label = f"{name:<6}" if len(memories) > 1 else ""
        say(f"  {label}{day_of(memory.created)} {memory.category} {project} {tier}  {memory.id}")
        say(fitted(memory.text, 4))
        if memory.quote and memory.quote != memory.text:
            say(fitted(f"> {memory.quote}", 4))
    if item.item and item.reason != "promotion":
        say(fitted(f"- {item.item}", 4))


def _keys(item: ReviewItem) -> Mapping[str, str]:
    if item.reason == "replaced":
        return _REPLACED
    if item.reason == "unheld":
        return _UNHELD
    if item.reason == "promotion":
        return _PROMOTED
    return _PAIR if len(item.memories) > 1 else _ONE
