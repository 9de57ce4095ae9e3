"""`engram review --refused`: what became no memory, kept by one key where that is possible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from engram.model.display import plain_line
from engram.model.errors import EngramError
from engram.model.refusal_codes import is_withheld, meaning
from engram.surfaces import json as shapes
from engram.surfaces.cli.asking import chosen_key
from engram.surfaces.cli.memory_line import line_of, shown_day
from engram.surfaces.cli.output import emit_json, plural, say, talk, wants_json
from engram.surfaces.cli.terminal import paragraph

if TYPE_CHECKING:
    from engram.model.verdict import Verdict
    from engram.vault import Vault

_KEYS = {"k": "keep", "s": "skip", "q": "quit"}
_COUNTED = {"k": "kept", "s": "skipped"}


def review_refused(vault: Vault, limit: int) -> None:
    """Ask about at most so many refusals, or print them as data."""
    found = vault.refused()
    if wants_json():
        emit_json([shapes.refused_candidate(one, _keys(one)) for one in found[:limit]])
        return
    counts: Counter[str] = Counter()
    for number, one in enumerate(found[:limit], 1):
        if not _ask(vault, one, f"{number}/{min(limit, len(found))}", counts):
            break
    done = ", ".join(f"{word} {count}" for word, count in counts.items())
    waiting = f"{plural(len(found) - counts['kept'], 'refusal')} left"
    if found:
        say(f"{done}; {waiting}" if done else waiting)
    else:
        say("nothing was refused that the rules find again")


def _ask(vault: Vault, one: Verdict, number: str, counts: Counter[str]) -> bool:
    """Show one refused candidate and keep it if the person says so; False to end it all."""
    candidate, keys = one.candidate, _keys(one)
    receipt = candidate.receipt
    say(f"{number}  {one.code}: {meaning(one.code)}")
    if not keys:
        say(f"  [[{receipt.link}]] is not shown, and kept by no key")
        return True
    project = candidate.project or candidate.space
    day = shown_day(receipt.time)
    say(line_of("", day, candidate.category, project, "", before="  "), raw=True)
    say(paragraph(plain_line(candidate.text), 4), raw=True)
    if receipt.quote != candidate.text:
        say(paragraph(plain_line(f"> {receipt.quote}"), 4), raw=True)
    say(f"    [[{receipt.link}]]")
    key = chosen_key(keys)
    if key in ("", "q"):
        return False
    try:
        if key == "k":
            talk(f"remembered as {candidate.category}: {vault.keep_refused(one).memory.id}")
    except EngramError as error:
        talk(f"error: {error}")
        talk(f"hint: {error.hint}")
        key = "s"
    counts[_COUNTED[key]] += 1
    return True


def _keys(one: Verdict) -> Mapping[str, str]:
    return {} if is_withheld(one.code) else _KEYS
