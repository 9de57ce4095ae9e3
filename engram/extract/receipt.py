"""Receipt of a candidate: quote and turn it came from, and the check that the quote is verbatim.

Design promise 3: what cannot be quoted is not written. The quote is checked on the captured text
(not on the rendered transcript), with white space and case folded, because models and line breaks
change both; nothing else may differ. Refusal codes are stable and hold no text.
"""

from __future__ import annotations

from collections.abc import Sequence

from engram.model.candidate import Candidate, Receipt
from engram.model.ports import Heard, NothingHeard
from engram.model.turn import Turn

NO_QUOTE = "no-quote"
UNKNOWN_TURN = "unknown-turn"
QUOTE_NOT_FOUND = "quote-not-found"
WRONG_SOURCE = "wrong-source"
_NOTHING = NothingHeard()


def receipt_of(turn: Turn, quote: str) -> Receipt:
    """The receipt for words of a turn; the quote is taken as it is."""
    return Receipt(
        message=turn.message,
        link=f"{turn.transcript}#^{turn.block}",
        quote=quote,
        role=turn.role,
        time=turn.time,
        local=turn.local,
        guessed=turn.guessed,
    )


def verify(candidate: Candidate, turns: Sequence[Turn], heard: Heard = _NOTHING) -> str:
    """Why a receipt of a candidate does not hold, or an empty string.

    The first points into these turns; others may also point to what was said before them.

    `no-quote`: nothing is quoted. `unknown-turn`: the message is none of these turns.
    `quote-not-found`: the turn does not say so. `wrong-source`: link, role or time are another's.
    """
    code = _verified(candidate.receipt, turns)
    if code or not candidate.also:
        return code
    turn = next(one for one in turns if one.message == candidate.receipt.message)
    known = (*heard.before(turn), *turns)
    return next(filter(None, (_verified(receipt, known) for receipt in candidate.also)), "")


def _verified(receipt: Receipt, turns: Sequence[Turn]) -> str:
    quote = _folded(receipt.quote)
    if not quote:
        return NO_QUOTE
    turn = next((turn for turn in turns if turn.message == receipt.message), None)
    if turn is None:
        return UNKNOWN_TURN
    if quote not in _folded(turn.text):
        return QUOTE_NOT_FOUND
    return "" if receipt == receipt_of(turn, receipt.quote) else WRONG_SOURCE


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
