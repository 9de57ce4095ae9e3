"""Denial: a refused candidate -> the event of it, which tells nothing that it said (contract 7.4).

    "the door pin is 4711"  ->  code, origin, store, kind, event type, length, rule

No text, key, slug or hash. The link to a turn names it by a digest of its words where the source
gives no id of its own; where the refusal is for privacy, and the words may be few, the event names
the conversation alone. Pure.
"""

from __future__ import annotations

from engram.model.change import Event
from engram.model.item import event_type_of, kind_of, store_of
from engram.model.refusal_codes import REFUSED, is_private
from engram.model.trace import KIND, STORE
from engram.model.verdict import Verdict


def denial(verdict: Verdict) -> Event:
    """The event of a refusal; `rule` is what denied it, or else the rule that proposed it."""
    candidate = verdict.candidate
    link = candidate.receipt.link
    transcript = link.partition("#")[0]
    details = {
        "code": verdict.code,
        "origin": candidate.origin,
        "source": transcript if is_private(verdict.code) else link,
        STORE: str(store_of(candidate.space, candidate.project, transcript)),
        KIND: kind_of(candidate.slot),
        "type": event_type_of(candidate.category, candidate.schema),
        "length": str(len(candidate.text)),
        "rule": verdict.denied_by or candidate.rule,
        **{name: str(value) for name, value in verdict.factors},
    }
    return Event(REFUSED, "", tuple((name, value) for name, value in details.items() if value))
