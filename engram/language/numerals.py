"""Numbers as they are written -> values that can be compared.

    "10k requests"  10, 10000        "4.97 GB"  4.97, 4, 5, 4970, 0.00497     "half"  50
    "v2.1.3"        2.1.3, 2.1, 2    "at 3 pm"  3, 15                         "九十天"  90

`values_of` reads generously: all that a number may be called when it is told again in other units,
in part or rounded. `numbers_of` also says what stands there; a day in figures is three numbers.
Pure, linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import lru_cache
from typing import NamedTuple

_FIGURES = re.compile(r"\d+(?:[.,:’'\u00a0\u202f]\d+)*")
#: 05.03.2026 may be told again as 2026-03-05
_DAY = re.compile(r"\b(\d\d?)\.(\d\d?)\.(\d{4})\b")
_THOUSANDS = re.compile(r"\d{1,3}(?:([.,’'\u00a0\u202f])\d{3})(?:\1\d{3})*")
_UNIT = re.compile(r"[ \u00a0]?([^\W\d_]+|%)")
#: what a unit makes of a number, beside itself
_TIMES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("k", "tsd", "thousand", "tausend"), ("1e3",)),
    **dict.fromkeys(("m", "mio", "million", "millions"), ("1e6", "1e3")),
    **dict.fromkeys(("bn", "billion", "mrd"), ("1e9",)),
    "万": ("1e4",), "亿": ("1e8",),
    **dict.fromkeys(("ms", "s", "sec", "seconds", "kb", "mb", "gb", "tb", "kg", "g", "km", "l",
                     "kw", "ghz"), ("1e3", "1e-3")),
}  # fmt: skip
_WORDS = {
    word: number
    for number, words in (
        ("0", "zero null"),
        ("1", "one once single ein eine einen un une uno una um uma een"),
        ("2", "two twice both pair zwei deux dos due dois duas twee"),
        ("3", "three third thirds thrice drei trois tres tre três drie"),
        ("4", "four quarter vier quatre cuatro quattro quatro"),
        ("5", "five fünf cinq cinco cinque vijf"),
        ("6", "six sechs seis sei zes"),
        ("7", "seven sieben sept siete sette sete zeven"),
        ("8", "eight acht huit ocho otto oito"),
        ("9", "nine neun neuf nueve nove negen"),
        ("10", "ten zehn dix diez dieci dez tien"),
        ("11", "eleven elf onze once undici"),
        ("12", "twelve dozen zwölf douze doce dodici doze twaalf"),
        ("13", "thirteen"), ("14", "fourteen"), ("15", "fifteen"), ("16", "sixteen"),
        ("17", "seventeen"), ("18", "eighteen"), ("19", "nineteen"), ("20", "twenty"),
        ("30", "thirty"), ("40", "forty"), ("50", "fifty half halb"), ("60", "sixty"),
        ("70", "seventy"), ("80", "eighty"), ("90", "ninety"), ("100", "hundred hundert"),
        ("1000", "thousand tausend"),
    )
    for word in words.split()
}  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+")
_HAN = dict(zip("零〇一二两三四五六七八九", (0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True))
_HAN_NUMBER = re.compile(r"[零〇一二两三四五六七八九十百]+")


_ONES = "three|four|five|six|seven|eight|nine"
#: English words that are numbers and nothing else, with the word behind them
_NUMBER_WORD = re.compile(
    rf"\b(?:(?P<tens>twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)"
    rf"(?:[- ](?P<ones>one|two|{_ONES}))?"
    rf"|(?P<alone>{_ONES}|ten|eleven|twelve|thirteen|fourteen"
    r"|fifteen|sixteen|seventeen|eighteen|nineteen))"
    r"\b(?![- ](?:hundred|thousand|million|billion))(?: (?P<unit>[a-z]+))?",
    re.IGNORECASE,
)


def is_number(word: str) -> bool:
    """Whether a word holds a figure, or is a number by itself."""
    return word.casefold() in _WORDS or any(sign.isdigit() for sign in word)


class Number(NamedTuple):
    """A number: what it says, all that it may be called, and the word behind it."""

    said: frozenset[str]
    called: frozenset[str]
    unit: str


def numbers_of(text: str) -> Iterator[Number]:
    """Every number in figures, in order."""
    text = _DAY.sub(r"\1 \2 \3", text)
    for found in _FIGURES.finditer(text):
        after = _UNIT.match(text, found.end())
        unit = after[1] if after else ""
        yield Number(*_forms(found[0], unit), unit)


def number_words_of(text: str) -> Iterator[Number]:
    """Every number from three to 99 in English words, in order."""
    for found in _NUMBER_WORD.finditer(text):
        parts = (found["tens"], found["ones"], found["alone"])
        value = sum(int(_WORDS[part.casefold()]) for part in parts if part)
        said = frozenset([str(value)])
        yield Number(said, said, found["unit"] or "")


def values_of(text: str) -> set[str]:
    """All that the numbers of a text may be called."""
    numbers = (*numbers_of(text), *number_words_of(text))
    values = {value for number in numbers for value in number.called}
    values |= {_WORDS[word] for word in _WORD.findall(text.casefold()) if word in _WORDS}
    for found in _HAN_NUMBER.findall(text):
        values.add(_of_han(found))
    return values


def has_other_numbers(text: str, values: Set[str]) -> bool:
    """Whether a number in figures is called otherwise than all of these values."""
    return any(number.said.isdisjoint(values) for number in numbers_of(text))


@lru_cache(maxsize=4_096)
def _forms(figures: str, unit: str) -> tuple[frozenset[str], frozenset[str]]:
    """What a number says, and all that it may be called: its parts too, and rounded."""
    parts = re.split(r"\D", figures)
    exact = []
    if _THOUSANDS.fullmatch(figures):
        exact.append(Decimal("".join(parts)))
    marks = re.findall(r"\D", figures)
    if len(marks) > 1 and marks[-1] in ".," and marks[-1] not in marks[:-1]:
        exact.append(Decimal("".join(parts[:-1]) + f".{parts[-1]}"))
    if len(parts) == 2 and ":" not in figures:
        exact.append(Decimal(".".join(parts)))
    if len(parts) == 1 or not Decimal("".join(parts[1:])):
        exact.append(Decimal(parts[0]))
    word = unit.casefold()
    said = {figures, ".".join(parts), *map(_plain, exact)}
    said |= {_plain(one * Decimal(times)) for one in exact for times in _TIMES.get(word, ())}
    called = said | {_plain(Decimal(part)) for part in parts}
    called |= {".".join(parts[:count]) for count in range(1, len(parts))}
    for one in exact:
        called |= {_plain(one.to_integral_value(way)) for way in (ROUND_FLOOR, ROUND_CEILING)}
    if word == "pm" and int(parts[0]) < 12:
        called.add(str(int(parts[0]) + 12))
    return frozenset(said), frozenset(called)


def _plain(number: Decimal) -> str:
    return f"{number.normalize():f}"


def _of_han(signs: str) -> str:
    """The value of a number below a thousand in Chinese characters."""
    whole = digit = 0
    for sign in signs:
        if sign in "十百":
            whole += (digit or 1) * (10 if sign == "十" else 100)
            digit = 0
        else:
            digit = digit * 10 + _HAN[sign]
    return str(whole + digit)
