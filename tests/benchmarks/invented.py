"""Invented memories and turns of any number, the same on every machine.

Words come as they do in real text: few of them very often, most of them seldom (Zipf's law), and
among the seldom ones names of tools, files, versions and people. Memory or turn `n` depends on
nothing but `n`, so that a large vault begins with a small one. The memories are files as the
program writes them; it takes them up like any others.
"""

from __future__ import annotations

import random
import re
from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import accumulate, count
from pathlib import Path

from engram.model.ids import memory_id
from engram.model.memory import CATEGORIES, Memory
from engram.store.base import layout
from engram.store.files.memory_file import render_memory

#: the most frequent words of English, in about their order
_GRAMMAR = (
    "the to of and a in is it that for on we be with as this i are not was have but from by at or"
    " you if so an they will one can do has there which all when no more then up out what about"
    " into our because after before still only should must never always until without than them"
    " were been did does had its their would could over again where how who just now each every"
)
#: what people and their agents talk of; the list goes on with made-up words
_TOPICS = (
    "order test page file list user server change deploy table day time name key line code branch"
    " error store customer price payment report release review queue worker cache log backup"
    " invoice printer ticket window report label contract kitchen meeting budget supplier harbour"
    " garden bicycle lesson journey tenant recipe orchard museum choir ferry workshop archive"
)
_BEGIN, _MIDDLE, _END = (
    sounds.split()
    for sounds in (
        "b br c d dr f g gl h k l m n p pl r s sk sl st t tr v w",
        "a e i o u ai ea ou",
        "ck d l m n nd r rt s st t x",
    )
)
#: words that nobody asks for
_EVERYWHERE = frozenset(_GRAMMAR.split())
_TAIL = ("", "", "", "er", "ing", "ed", "s", "ment", "ly", "ion")
_PEOPLE = ("Ilse", "Tomas", "Wanda", "Yusuf", "Carla", "Henrik", "Oskar", "Leila", "Bruno", "Agnes")
_PROJECTS = ("shop", "atlas", "ledger", "harbour", "orchard", "beacon", "quarry")
_WORDS = 20_000
#: how fast frequency falls with rank, and where it begins to
_FALL, _SHIFT = 1.05, 2.5
_FIRST_DAY = datetime(2024, 1, 1, tzinfo=UTC)
_DAYS = 790
_SESSION = 40


def _made_up(number: int) -> str:
    """A word that can be said; one in twelve is a name as programs have them."""
    draw = random.Random(f"word {number}")
    word = "".join(
        draw.choice(_BEGIN) + draw.choice(_MIDDLE) + (draw.choice(_END) if last else "")
        for last in (False, True)
    )
    match number % 36:
        case 0:
            return f"{word}_{draw.choice(_BEGIN)}{draw.choice(_MIDDLE)}x.py"
        case 12:
            return f"{word}-{draw.randrange(1, 20)}.{draw.randrange(10)}"
        case 24:
            return f"{word}{number}"
        case _:
            return word + draw.choice(_TAIL)


class Invented:
    """A vocabulary, and what can be said with it."""

    def __init__(self) -> None:
        words = dict.fromkeys(f"{_GRAMMAR} {_TOPICS}".split())
        for number in count():
            words[_made_up(number)] = None
            if len(words) == _WORDS:
                break
        self._words = list(words)
        self._rank = {word: rank for rank, word in enumerate(self._words)}
        self._weights = list(
            accumulate(1 / (rank + _SHIFT) ** _FALL for rank in range(len(self._words)))
        )

    def words(self, draw: random.Random, count: int) -> list[str]:
        """So many words, as often as they come."""
        whole = self._weights[-1]
        return [self._words[bisect(self._weights, draw.random() * whole)] for _ in range(count)]

    def _sentence(self, draw: random.Random, mean: int) -> str:
        """Most sentences are of about the mean number of words, a few are twice as long."""
        words = self.words(draw, max(4, min(3 * mean, round(draw.lognormvariate(0, 0.45) * mean))))
        if draw.random() < 0.25:
            words[draw.randrange(len(words))] = draw.choice(_PEOPLE)
        said = " ".join(words)
        return f"{said[0].upper()}{said[1:]}{draw.choice('...?!')}"

    def memory(self, number: int) -> Memory:
        """One memory, with its receipt."""
        draw = random.Random(f"memory {number}")
        text = " ".join(self._sentence(draw, 13) for _ in range(draw.choice((1, 1, 1, 2))))
        when = _FIRST_DAY + timedelta(
            days=int(_DAYS * draw.random() ** 0.6), seconds=draw.randrange(28_800, 72_000)
        )
        created = when.strftime("%Y-%m-%dT%H:%M:%SZ")
        category = CATEGORIES[draw.randrange(len(CATEGORIES))]
        return Memory(
            id=memory_id(category, created, f"{number} {text}"),
            category=category,
            text=text,
            created=created,
            confidence=draw.choice((0.7, 0.8, 0.9)),
            importance=draw.choice((0.3, 0.5, 0.5, 0.8)),
            project=draw.choice(_PROJECTS),
            quote=" ".join(text.split()[: draw.randrange(5, 12)]).lower(),
            tags=tuple(word for word in self.words(draw, 2) if word.isalpha()),
            sources=(f"bench-{number // _SESSION:012x}#^m{number:010x}",),
        )

    def question(self, number: int, terms: int, of: Sequence[str]) -> str:
        """So many words of one of the texts, as somebody remembers them who looks for it.

        Every other question is asked in the more usual half of the text's words.
        """
        draw = random.Random(f"question {terms} {number}")
        told = re.findall(r"[\w.-]*\w", of[draw.randrange(len(of))].lower())
        words = [word for word in dict.fromkeys(told) if word not in _EVERYWHERE]
        if number % 2:
            words = sorted(words, key=lambda word: self._rank.get(word, _WORDS))
            words = words[: max(terms, len(words) // 2)]
        draw.shuffle(words)
        words += [word for word in self.words(draw, 50) if word not in _EVERYWHERE]
        return " ".join(words[:terms])

    def turn(self, number: int) -> dict[str, str]:
        """One turn, as a line of the generic source; conversations have forty."""
        draw = random.Random(f"turn {number}")
        asks = number % 2 == 0
        text = " ".join(self._sentence(draw, 14) for _ in range(draw.choice((1, 1, 2, 3))))
        when = _FIRST_DAY + timedelta(
            hours=number // _SESSION * 3 % (_DAYS * 24), minutes=number % _SESSION
        )
        return {
            "role": "user" if asks else "assistant",
            "content": text,
            "timestamp": when.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "session": f"s{number // _SESSION}",
            "project": _PROJECTS[number // _SESSION % len(_PROJECTS)],
            "id": f"t{number}",
        }

    def note(self, number: int) -> tuple[str, str, str]:
        """One note as another program or a person leaves it: file name, instant and bytes as text.

        About a hundred words: a title, paragraphs, at times a list. Most have a header with an id
        and a category that are not engram's, some only a date and tags, one in ten none at all.
        """
        draw = random.Random(f"note {number}")
        when = _FIRST_DAY + timedelta(days=number // 40 % _DAYS, seconds=draw.randrange(86_400))
        created = when.strftime("%Y-%m-%dT%H:%M:%S.000Z")
        category = CATEGORIES[draw.randrange(len(CATEGORIES))]
        name = f"{category}-{int(when.timestamp())}-{number:06x}"
        kind = draw.random()
        header = [f"id: {name}", f"category: {category}"] if kind < 0.7 else []
        if kind < 0.9:
            tags = ", ".join(word for word in self.words(draw, 2) if word.isalpha())
            header += [f"created: {created}", f"tags: [{tags}]"]
        lines = ["---", *header, "---", ""] if header else []
        if draw.random() < 0.6:
            lines += [f"# {' '.join(self.words(draw, draw.randrange(3, 8))).capitalize()}", ""]
        for _ in range(draw.randrange(1, 4)):
            said = (self._sentence(draw, 13) for _ in range(draw.randrange(1, 5)))
            lines += [" ".join(said), ""]
        if draw.random() < 0.25:
            lines += [f"- {self._sentence(draw, 10)}" for _ in range(draw.randrange(2, 5))] + [""]
        return name, created, "\n".join(lines)

    def memories(self, count: int) -> Iterator[Memory]:
        """The first so many."""
        return (self.memory(number) for number in range(count))


def write_memories(root: Path, memories: Iterable[Memory]) -> None:
    """Put memories as files into a vault's folder."""
    for memory in memories:
        path = root / layout.memory_path(memory)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(render_memory(memory))
