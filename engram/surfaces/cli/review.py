"""`engram review`: what waits for the person, one key each."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common, day, program
from engram.surfaces.cli.asking import chosen_key
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json
from engram.surfaces.cli.review_answers import Sitting
from engram.surfaces.cli.review_questions import keys_of, show
from engram.surfaces.cli.review_refused import review_refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.model.findings import ReviewItem
    from engram.vault import Vault


@click.command("review")
@click.argument("what", nargs=-1, metavar="[import-N | N]...")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1), help="Ask no more.")
@click.option("--since", metavar="DAY", callback=day, help="From when on a memory is new.")
@click.option("--refused", is_flag=True, help="Ask about what became no memory instead.")
@common
def command(what: tuple[str, ...], limit: int, since: str, refused: bool) -> None:
    """Ask about contradictions, then about what is stale, what is to hold in another space by your
    word, what of your words a model judged to be replaced, speculation that is about to expire,
    what sessions left to be done, and what was written in the last seven days. One key each; every
    answer is a change of its own, which the key u or `engram undo` takes back. With --json the
    queue is printed and nothing is asked.

    With the name of an import or the number of a change what that wrote, all of it, until you have
    confirmed it: `engram review import-1`.

    With --refused the turns of the last 30 days of which something was refused are read again, and
    what you keep becomes a memory of your own.
    """
    if refused and (what or since):
        raise click.UsageError("--refused asks about no import, and not since a day")
    with opened() as vault:
        if refused:
            review_refused(vault, limit)
            return
        items = vault.to_review(since, what)
        if wants_json():
            emit_json([shapes.review_item(item, keys_of(item)) for item in items[:limit]])
            return
        answers = _ask(vault, items[:limit])
        left = len(vault.to_review(since, what)) if items else 0
    done = answers.summary()
    waiting = f"{plural(left, 'question')} left" if left else "nothing waits for you"
    say(f"{done}; {waiting}" if done else waiting)
    if answers.changed:
        talk(f"take the last answer back with: {program()} undo")
    if items and not (answers.pressed or sys.stdin.isatty()):
        talk(
            "no answer came, and there is no terminal: `engram review --json` prints the questions"
        )


def _ask(vault: Vault, items: Sequence[ReviewItem]) -> Sitting:
    """Ask one question after the other until the person quits."""
    answers, place = Sitting(vault), 0
    while place < len(items):
        item = items[place]
        memories = vault.still_asked(item)
        if memories is None:
            place += 1
            continue
        show(vault, item, memories, f"{place + 1}/{len(items)}")
        key = chosen_key(keys_of(item))
        answers.pressed = answers.pressed or key != ""
        if key in ("", "q"):
            break
        if key == "u":
            before = answers.take_back()
            place = place if before is None else before
        elif key == "s":
            answers.skip(place)
            place += 1
        elif not answers.give(place, key, item, memories):
            # what cannot be done is not asked for ever; an editor can be set right
            if key != "e":
                answers.skip(place)
                place += 1
        elif key != "e":
            place += 1
    return answers
