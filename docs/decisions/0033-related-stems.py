"""Turn a list of related words into the list of stems that the program reads.

`python 0033-related-stems.py 0033-related-words.txt ../../engram/language/related_stems.txt`, with
the package importable. A line of the first: a word, then `word:hundredths` of its related words; of
the second the same by stems, sorted. Words of one stem are united, each share is the largest, and a
stem is related neither to itself nor to a stop-word of two letters (the stem of `innings` is `in`).
Numbers, months and seasons are left out: who asks for one of them does not mean another.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

from engram.language.calendar_words import MONTHS, SEASONS
from engram.language.numerals import values_of
from engram.language.stop_words import QUERY
from engram.language.tokens import terms

HEAD = """\
# Made by docs/decisions/0033-related-stems.py; do not edit. Related words by their stems, with
# shares in hundredths, from the vectors of all-MiniLM-L6-v2 (Apache-2.0).
"""


def main(words: Path, stems: Path) -> None:
    """Write the list of stems."""
    stems.write_text(listing(words.read_text("ascii")), encoding="ascii", newline="\n")


def listing(text: str) -> str:
    """The list of stems of a list of words."""
    related: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        word, *others = line.split()
        if _is_one_of_a_row(word):
            continue
        stem = terms(word)[0]
        for other in others:
            name, _, hundredths = other.partition(":")
            if _is_one_of_a_row(name):
                continue
            near, share = terms(name)[0], int(hundredths)
            if near != stem and not (len(near) == 2 and near in QUERY):
                related[stem][near] = max(share, related[stem].get(near, 0))
    rows = ((stem, related[stem]) for stem in sorted(related) if related[stem])
    return HEAD + "".join(f"{stem} {_shares(others)}\n" for stem, others in rows)


def _is_one_of_a_row(word: str) -> bool:
    return word in MONTHS or word in SEASONS or bool(values_of(word))


def _shares(others: dict[str, int]) -> str:
    best_first = sorted(others.items(), key=lambda one: (-one[1], one[0]))
    return " ".join(f"{name}:{share}" for name, share in best_first)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
