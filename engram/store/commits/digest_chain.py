"""Chain of digests: the trace lines of each transaction and the chain before it -> its own link.

    chain(n)  =  SHA-256 of  chain(n - 1), a line feed, the lines of n without free words

A transaction's file holds its link, so that a line that was changed, left out or put in later
shows. Not covered are the words of persons and models in events (`why`, `explanation`, and `reason`
where it is no code of the contract): a digest of few words tells them, and a purge takes them
out. What else a purge takes out of old lines are names; it makes the links from there on anew
(`Rechaining`), those alone that held before: no digest of them is left, and nothing broken is
healed. The chain begins with the first transaction that has a link; older versions wrote none.
Whoever can write all of `state/` can make another chain; who noted a link can tell. Pure.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from engram.store.commits.views import trace_lines

if TYPE_CHECKING:
    from engram.model.change import Transaction

# Frozen: another form would break every chain that there is. Within a line quotes of a value have a
# backslash before them, so that these bytes are a key's alone.
_WORDS = re.compile(rb', "(?:explanation|why)": "(?:[^"\\]|\\.)*"')
_REASON = re.compile(rb', "reason": "(?:[^"\\]|\\.)*"')
#: lines whose `reason` is a code
_CODED = re.compile(rb'\{"n": [0-9]+, "time": "[^"]*", "event": "memory_(?:write|deleted|forget)"')
_WORD_KEYS, _REASON_KEY = (b', "explanation": ', b', "why": '), b', "reason": '


def link(before: str, lines: bytes) -> str:
    """The link, 64 hex digits, of a transaction's trace lines after the one `before`.

    `before` is '' for the first.
    """
    return hashlib.sha256(before.encode("ascii") + b"\n" + chained(lines)).hexdigest()


def chained(lines: bytes) -> bytes:
    """Trace lines without free words."""
    if any(key in lines for key in _WORD_KEYS):
        lines = _WORDS.sub(b"", lines)
    if _REASON_KEY not in lines:
        return lines
    return b"".join(
        line if _CODED.match(line) else _REASON.sub(b"", line)
        for line in lines.splitlines(keepends=True)
    )


def with_link(committed: Transaction, before: str) -> Transaction:
    """A transaction with its link after the one `before`."""
    return committed._replace(chain=link(before, trace_lines(committed)))


class Rechaining:
    """The links of a log whose lines a purge changes; transactions come in their order."""

    def __init__(self) -> None:
        self._was = self._now = ""

    def follow(self, was: Transaction, now: Transaction) -> str:
        """The link of `now`, which was `was`; '' for one without.

        A link that does not hold stays as it is. One that holds for `now` already was made by an
        attempt that did not come to its end.
        """
        if not was.chain:
            return ""
        before, self._was = self._was, was.chain
        if self._now == before and was == now:
            self._now = was.chain
            return was.chain
        lines = trace_lines(now)
        made = link(self._now, lines)
        held = was.chain in (made, link(before, trace_lines(was)))
        self._now = made if held else was.chain
        return self._now
