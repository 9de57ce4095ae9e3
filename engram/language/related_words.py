"""The stem of an English word -> the stems of words that mean nearly the same, with their shares.

    abbey    (priori, .31), (manor, .28), (abbot, .26), (monasteri, .23)

`related_stems.txt` beside this module has a line for each stem, `stem other:31 another:28`: sorted
by stem, the others best first, shares in hundredths. It knows single words of ASCII letters and
digits; names of people and places are not in it. `docs/decisions/0033-related-words.md` tells where
it comes from and what it brought. It is read once a process, with the first question; a lookup is
one binary search in its bytes, and only the line that it finds is parsed.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cache
from pathlib import Path

_TABLE = Path(__file__).with_name("related_stems.txt")


def related_terms(term: str) -> tuple[tuple[str, float], ...]:
    """Stems related to a stem, each with its share 0..1, best first; none for an unknown one."""
    if not (term.isascii() and term.isalnum()):
        return ()
    table, head = _table(), f"{term} ".encode()

    def beginning(place: int) -> bytes:
        start = table.rfind(b"\n", 0, place) + 1
        return table[start : start + len(head)]

    places = range(len(table))
    place = bisect_left(places, head, key=beginning)
    if place == len(table) or beginning(place) != head:
        return ()
    line = table[table.rfind(b"\n", 0, place) + 1 : table.find(b"\n", place)].decode()
    shares = (one.partition(":") for one in line.split()[1:])
    return tuple((other, int(hundredths) / 100) for other, _, hundredths in shares)


@cache
def _table() -> bytes:
    return _TABLE.read_bytes()
